// SPDX-License-Identifier: BSD-3-Clause
//
// Counts what MPI is told to send to other ranks, by MPI's profiling interface: so rivals are
// measured and not believed. Calls that the program's libraries make go through it as well.
#pragma once

#include "kallima/index.hpp"

namespace kallima::cli {

/// Bytes this rank gave to MPI for other ranks since the program started.
Index bytes_given_to_mpi();

}  // namespace kallima::cli
