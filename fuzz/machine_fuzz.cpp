// SPDX-License-Identifier: BSD-3-Clause
//
// Machine files.
#include "kallima/machine.hpp"
#include "restores.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kallima::fuzz::check<kallima::Machine>(kallima::fuzz::text_of(data, size));
  return 0;
}
