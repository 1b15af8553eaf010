// SPDX-License-Identifier: BSD-3-Clause
//
// Plan wisdom. A text that begins with a bracket is the list of entries alone and is given a
// checksum that fits, which chance does not find.
#include "base/text.hpp"
#include "kallima/plan_wisdom.hpp"
#include "restores.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kallima;
  const std::string_view text = fuzz::text_of(data, size);
  if (!text.starts_with("[")) {
    fuzz::check<PlanWisdom>(text);
    return 0;
  }
  fuzz::check<PlanWisdom>(R"({"schema":"kallima.wisdom/3","checksum":")" +
                          text::hex(text::hash(text)) + R"(","plans":)" + std::string(text) + "}");
  return 0;
}
