// SPDX-License-Identifier: BSD-3-Clause
//
// What the files of the extension module share. It is a thin layer over the C++ interface: what
// users see is written in Python, in ../kallima.
//
// All calls that wait for other ranks run without the interpreter's lock. What Python contributes
// to a collective call (arguments, arrays) it contributes inside of it, by a callable, so that what
// is wrong on one rank is raised on all of them alike.
#pragma once

#include <mpi.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <functional>

#include "kallima/error.hpp"
#include "kallima/layout.hpp"
#include "kallima/transform.hpp"

namespace kallima::python {

namespace py = pybind11;

/// Each adds its part to the module.
void add_errors(py::module_& module);
void add_communicators(py::module_& module);
void add_layouts(py::module_& module);
void add_transforms(py::module_& module);
void add_planning(py::module_& module);

/// The communicator behind a Fortran handle. InvalidOption where there is none.
MPI_Comm communicator_of(MPI_Fint handle);

/// Throws what Python raised: the library's error of that class, OutOfMemory for MemoryError, and
/// InvalidOption for all others.
[[noreturn]] void throw_as_error(const py::error_already_set& raised);

/// What `body` returns, with the interpreter's lock; what it raises as the library's error.
template <class Body>
auto under_lock(Body&& body) {
  const py::gil_scoped_acquire lock;
  try {
    return body();
  } catch (const py::error_already_set& raised) {
    throw_as_error(raised);  // the exception dies here, where there is a lock
  } catch (const py::builtin_exception& raised) {
    throw InvalidOption(raised.what());
  }
}

/// The arguments of a transform: a dictionary of its options and `shape`. InvalidOption for keys
/// that there are not, and for values of another type.
Arguments arguments_of(const py::dict& given);

/// A list or tuple of lists of integers, ..., as margins.
std::vector<Margin> margins_of(const py::handle& given);

/// By name; InvalidOption with the names that there are.
AxisKind axis_kind_of(const std::string& name);
Scaling scaling_of(const std::string& name);
Direction direction_of(const std::string& name);

/// A tuple of these.
template <class Values>
py::tuple tuple_of(const Values& values) {
  py::tuple result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = py::cast(values[i]);
  return result;
}

}  // namespace kallima::python
