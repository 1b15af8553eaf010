// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of the same name that FFTW's own libraries have, which were loaded behind this one.
#pragma once

#include <string>

#include "kallima/index.hpp"

namespace kallima::fftw3_mpi {

/// Address of a function in a library behind this one, or null.
void* next_function(const char* name);

/// The same with its type.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(next_function(name));
}

/// True where a program's calls of this function reach this library: it was loaded before FFTW.
bool reached(const char* name);

/// Threads that fftw_plan_with_nthreads() has asked for; 1 where FFTW's threads are not loaded.
Index planner_threads(const char* function);

/// Says something on standard error if KALLIMA_VERBOSE is set.
void say(const std::string& what);

/// Says something on standard error.
void complain(const std::string& what);

}  // namespace kallima::fftw3_mpi
