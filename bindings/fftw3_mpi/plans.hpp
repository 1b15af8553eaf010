// SPDX-License-Identifier: BSD-3-Clause
//
// Plans of FFTW-MPI as transforms of Kallima: what its arguments mean in layouts and options.
//
// A plan with sign +1 is the way back of a transform whose input layout is the plan's output.
// Interleaved fields (howmany) are a batch, the last axis; rows of reals are as long as FFTW has
// them, 2 (n/2 + 1), which is padding, or a margin where fields are interleaved.
#pragma once

#include <fftw3.h>
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "fftw3_mpi/handles.hpp"
#include "kallima/layout.hpp"

namespace kallima::fftw3_mpi {

/// Flags of FFTW-MPI, as documented.
enum Flag : unsigned {
  scrambled_in = 1U << 27,
  scrambled_out = 1U << 28,
  transposed_in = 1U << 29,
  transposed_out = 1U << 30
};

/// What a plan does.
enum class Task : std::uint8_t { complex, real_to_complex, complex_to_real, real, transpose };

/// The arguments of a plan but its arrays.
struct Request {
  Task task = Task::complex;
  std::vector<Index> n;  ///< extents, of reals where there are any
  Index howmany = 1;
  Index in_block = 0;   ///< of the axis that the input is distributed along
  Index out_block = 0;  ///< of that of the output
  int sign = -1;
  unsigned flags = 0;
  std::vector<fftw_r2r_kind> kinds = {};
  Index threads = 1;
};

/// True for what is planned here. False for what FFTW's own library is asked for: halfcomplex and
/// Hartley transforms, one axis of reals, more than six axes, and what it documents as an error.
bool supported(const Request& request);

/// Layouts of a plan.
struct Ends {
  Layout in;
  Layout out;
};

/// Where a plan's arrays are: InvalidLayout where blocks do not hold an axis.
Ends ends_of(const Request& request, Index procs);

/// Plans. Collective over `comm`; throws alike on all ranks. With FFTW_WISDOM_ONLY InvalidOption
/// where this process has not planned the same with more effort than FFTW_ESTIMATE.
template <class T>
std::unique_ptr<Call> make_call(const Request& request, void* in, void* out, MPI_Comm comm);

extern template std::unique_ptr<Call> make_call<float>(const Request&, void*, void*, MPI_Comm);
extern template std::unique_ptr<Call> make_call<double>(const Request&, void*, void*, MPI_Comm);

}  // namespace kallima::fftw3_mpi
