// SPDX-License-Identifier: BSD-3-Clause
#include "api/packed.hpp"

#include "base/text.hpp"

namespace kallima {

std::string packed(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += std::to_string(text.size()) + "\n" + text;
  return result;
}

std::vector<std::string> unpacked(std::string_view rest) {
  std::vector<std::string> texts;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const auto size = static_cast<std::size_t>(text::parse_count(rest.substr(0, end), "a length"));
    texts.emplace_back(rest.substr(end + 1, size));
    rest.remove_prefix(end + 1 + size);
  }
  return texts;
}

}  // namespace kallima
