// SPDX-License-Identifier: BSD-3-Clause
//
// Kallima where a program includes heffte.h.
#ifndef KALLIMA_HEFFTE_H
#define KALLIMA_HEFFTE_H

#include <iostream>

#include "kallima/heffte.hpp"

/** heFFTe's interface as of this version. */
#define Heffte_VERSION_MAJOR 2
/** The same. */
#define Heffte_VERSION_MINOR 4
/** The same. */
#define Heffte_VERSION_PATCH 1
/** The backend that programs look for. */
#define Heffte_ENABLE_FFTW

namespace heffte = kallima::heffte_api;

#endif
