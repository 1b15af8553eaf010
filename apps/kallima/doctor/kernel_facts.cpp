// SPDX-License-Identifier: BSD-3-Clause
#include "base/processor.hpp"
#include "system.hpp"

namespace kallima::cli::doctor {

std::array<EngineFacts, 2> engine_facts() {
  const Vectors vectors = vectors_here();
  // As FFTW names what every processor of its kind has.
  const std::string name(vectors == Vectors::sse4 ? "sse2" : name_of(vectors));
  const EngineFacts facts{"the library's kernels", vectors == Vectors::none ? "" : name};
  return {facts, facts};
}

}  // namespace kallima::cli::doctor
