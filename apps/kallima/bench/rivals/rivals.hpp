// SPDX-License-Identifier: BSD-3-Clause
//
// Whom the library can be timed against. A rival is a file in this folder with one function; it is
// built where its library is found, and listed in rivals.cpp.
#pragma once

#include <string>
#include <vector>

#include "bench/contender.hpp"

namespace kallima::cli {

/// The engine alone: sweeps of contiguous lines over a rank's share, and one MPI_Alltoall of it.
Contenders make_bare(const Session& session, const Task& task);
/// The row that a rank's share is copied in.
constexpr const char* copy_name = "copy";
/// One copy of each rank's share.
Contenders make_copy(const Session& session, const Task& task);
/// FFTW's own MPI transforms, all variants.
Contenders make_fftw_mpi(const Session& session, const Task& task);
/// FFTW with as many threads as ranks on the node, no MPI.
Contenders make_fftw_threads(const Session& session, const Task& task);
/// Brings to rank 0 what FFTW's MPI part has learnt on the others. Collective.
void gather_fftw_mpi_wisdom(const Session& session);
/// SpFFT with all frequencies.
Contenders make_spfft(const Session& session, const Task& task);
/// heFFTe, with and without bringing the slab back.
Contenders make_heffte(const Session& session, const Task& task);
/// 2DECOMP&FFT, pencils along x to pencils along z.
Contenders make_2decomp(const Session& session, const Task& task);

/// The rivals of a list such as "fftw-mpi,bare". InvalidOption names those that are known, says how
/// to get one that is not built in, and what a rival cannot do.
Contenders make_rivals(const Session& session, const Task& task,
                       const std::vector<std::string>& names);

/// Brings to rank 0 what rivals have learnt on the others. Collective.
void gather_rivals_wisdom(const Session& session);

/// For help texts: "bare, fftw-mpi, ...", those that are built in.
std::string known_rivals();

}  // namespace kallima::cli
