// SPDX-License-Identifier: BSD-3-Clause
#include "words.hpp"

namespace kallima::cli::chart {

namespace {

/// Length of the character that `bytes` begin with; 0 where that is none. The Unicode Standard,
/// table 3-7: what the second byte may be keeps out surrogates and ways round the shortest.
std::size_t character_length(std::string_view bytes) {
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(bytes[i]); };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || bytes.size() < length) return 0;
  const unsigned least = first == 0xE0U ? 0xA0U : first == 0xF0U ? 0x90U : 0x80U;
  const unsigned most = first == 0xEDU ? 0x9FU : first == 0xF4U ? 0x8FU : 0xBFU;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

}  // namespace

std::string readable(std::string_view words) {
  std::string text;
  while (!words.empty()) {
    const std::size_t length = character_length(words);
    if (length == 0) {
      text += '?';
    } else if (static_cast<unsigned char>(words.front()) >= 0x20U) {
      text += words.substr(0, length);
    }
    words.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string fitted(const Canvas& canvas, std::string_view words, const Lettering& lettering,
                   double width) {
  constexpr const char* dots = "...";
  std::string text = readable(words);
  if (canvas.text_width(text, lettering) <= width) return text;
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = end + character_length(std::string_view(text).substr(end));
    if (canvas.text_width(text.substr(0, next) + dots, lettering) > width) break;
    end = next;
  }
  return text.substr(0, end) + dots;
}

}  // namespace kallima::cli::chart
