// SPDX-License-Identifier: BSD-3-Clause
//
// What the operating system says of a node. Linux' files; elsewhere most stays unknown.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "facts.hpp"

namespace kallima::cli::doctor {

/// Cores that this process may run on.
std::vector<int> own_cores();

/// What transforms lines, in double and in single precision: of FFTW, or of the kernels where there
/// is no FFTW.
std::array<EngineFacts, 2> engine_facts();

/// All of NodeFacts but its host, its ranks and its segments. Costs some small FFTW plans.
NodeFacts system_facts();

/// The word in brackets, as in "always [madvise] never".
std::string chosen_word(const std::string& line);

/// The widest vector instructions named in a plan that FFTW printed: "avx2" for "n1fv_8_avx2".
std::string instructions_in(const std::string& plan);

/// The widest vector instructions among the flags of a processor.
std::string instructions_of(const std::string& flags);

}  // namespace kallima::cli::doctor
