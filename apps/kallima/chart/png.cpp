// SPDX-License-Identifier: BSD-3-Clause
#include "png.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kallima::cli::chart {

namespace {

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>((value >> static_cast<unsigned>(shift)) & 0xFFU);
  }
  return bytes;
}

/// ISO 3309, as PNG and zip have it.
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

/// RFC 1950.
std::uint32_t adler32(std::string_view bytes) {
  constexpr std::uint32_t modulus = 65521;
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<unsigned char>(byte)) % modulus;
    b = (b + a) % modulus;
  }
  return (b << 16U) | a;
}

/// Bits of a deflate stream: numbers from their lowest bit, codes from their highest.
class Bits {
 public:
  void number(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bit((value >> i) & 1U);
  }
  void code(std::uint32_t value, unsigned count) {
    for (unsigned i = count; i-- > 0;) bit((value >> i) & 1U);
  }
  [[nodiscard]] std::string bytes() && {
    while (filled_ != 0) bit(0);
    return std::move(bytes_);
  }

 private:
  void bit(std::uint32_t value) {
    byte_ |= value << filled_;
    if (++filled_ < 8) return;
    bytes_ += static_cast<char>(byte_);
    byte_ = filled_ = 0;
  }

  std::string bytes_;
  std::uint32_t byte_ = 0;
  unsigned filled_ = 0;
};

/// A literal byte, the end (256) or the code of a length, in the fixed code.
void put_symbol(Bits& bits, std::uint32_t symbol) {
  if (symbol < 144) {
    bits.code(0x30 + symbol, 8);
  } else if (symbol < 256) {
    bits.code(0x190 + symbol - 144, 9);
  } else if (symbol < 280) {
    bits.code(symbol - 256, 7);
  } else {
    bits.code(0xC0 + symbol - 280, 8);
  }
}

constexpr std::size_t longest = 258;
constexpr std::size_t farthest = 32768;

/// Codes of lengths from 3 and of distances from 1 grow alike: `fine` codes stand for each number
/// of extra bits.
struct Coded {
  std::uint32_t code;
  std::uint32_t extra;
  unsigned bits;
};

Coded coded(std::uint32_t value, std::uint32_t fine) {
  Coded result{0, value, 0};
  std::uint32_t size = 2 * fine;  // values whose codes have no extra bits
  if (value < size) return {value, 0, 0};
  result.code = size;
  result.extra -= size;
  for (result.bits = 1; result.extra >= (fine << result.bits); ++result.bits) {
    result.extra -= fine << result.bits;
    result.code += fine;
  }
  result.code += result.extra >> result.bits;
  result.extra &= (1U << result.bits) - 1U;
  return result;
}

void put_match(Bits& bits, std::size_t length, std::size_t distance) {
  if (length == longest) {
    put_symbol(bits, 285);  // a code of its own
  } else {
    const Coded size = coded(static_cast<std::uint32_t>(length - 3), 4);
    put_symbol(bits, 257 + size.code);
    bits.number(size.extra, size.bits);
  }
  const Coded back = coded(static_cast<std::uint32_t>(distance - 1), 2);
  bits.code(back.code, 5);
  bits.number(back.extra, back.bits);
}

/// Where three bytes like those at a place were last seen.
class LastSeen {
 public:
  explicit LastSeen(std::string_view data) : data_(data), seen_(1U << 15U, data.size()) {}

  /// The place before `at`, or the length of the data; `at` is seen from now on.
  std::size_t swap(std::size_t at) {
    std::uint32_t hash = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      hash = hash * 251U + static_cast<unsigned char>(data_[at + i]);
    }
    return std::exchange(seen_[hash * 2654435761U >> 17U], at);
  }

 private:
  std::string_view data_;
  std::vector<std::size_t> seen_;
};

std::size_t match_length(std::string_view data, std::size_t before, std::size_t at) {
  const std::size_t most = std::min(longest, data.size() - at);
  std::size_t length = 0;
  while (length < most && data[before + length] == data[at + length]) ++length;
  return length;
}

std::string deflated(std::string_view data) {
  Bits bits;
  bits.number(1, 1);  // the last block
  bits.number(1, 2);  // with fixed codes
  LastSeen last(data);
  for (std::size_t at = 0; at < data.size();) {
    std::size_t length = 0;
    std::size_t before = data.size();
    if (at + 3 <= data.size()) before = last.swap(at);
    if (before < at && at - before <= farthest) length = match_length(data, before, at);
    if (length < 3) {
      put_symbol(bits, static_cast<unsigned char>(data[at++]));
      continue;
    }
    put_match(bits, length, at - before);
    for (const std::size_t end = at + length; ++at < end;) {
      if (at + 3 <= data.size()) last.swap(at);
    }
  }
  put_symbol(bits, 256);
  return std::move(bits).bytes();
}

std::string chunk(const std::string& kind, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + kind + data +
         big_endian(crc32(kind + data));
}

/// Rows, each behind the number of its filter. Filter 2, the difference to the row above, makes
/// nearly everything of a chart zero.
std::string filtered(const Image& image) {
  std::string bytes;
  bytes.reserve(image.height * (3 * image.width + 1));
  for (std::size_t y = 0; y < image.height; ++y) {
    bytes += '\2';
    for (std::size_t x = 0; x < image.width; ++x) {
      const Color here = image.pixels[y * image.width + x];
      const Color above = y > 0 ? image.pixels[(y - 1) * image.width + x] : Color{};
      bytes += static_cast<char>(here.red - above.red);
      bytes += static_cast<char>(here.green - above.green);
      bytes += static_cast<char>(here.blue - above.blue);
    }
  }
  return bytes;
}

}  // namespace

std::string png_file(const Image& image) {
  const std::string rows = filtered(image);
  // 8 bits, red-green-blue, the only compression and filters there are, not interlaced.
  const std::string header = big_endian(static_cast<std::uint32_t>(image.width)) +
                             big_endian(static_cast<std::uint32_t>(image.height)) +
                             std::string("\x08\x02\x00\x00\x00", 5);
  return std::string("\x89PNG\r\n\x1A\n") + chunk("IHDR", header) +
         chunk("IDAT", "\x78\x01" + deflated(rows) + big_endian(adler32(rows))) + chunk("IEND", "");
}

}  // namespace kallima::cli::chart
