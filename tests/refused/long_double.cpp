// SPDX-License-Identifier: BSD-3-Clause
//
// Must not compile: the compiler says what T may be, before a linker speaks of missing symbols.
#include "kallima/kallima.hpp"

void refused(MPI_Comm comm) { const KALLIMA_REFUSED<long double> fft(comm, {8, 8}); }
