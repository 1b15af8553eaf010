// SPDX-License-Identifier: BSD-3-Clause
#include "rank_range.hpp"

#include <bit>

#include "kallima/error.hpp"
#include "problem_arguments.hpp"

namespace kallima::cli {

std::vector<Index> ranks_in(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {count_of(text, "number of ranks")};
  const Index first = count_of(text.substr(0, dots), "first number of ranks");
  const Index last = count_of(text.substr(dots + 2), "last number of ranks");
  if (first < 1 || last < first) {
    throw ParseError("ranks '" + text + "': give the smaller number first, as in 1..1024");
  }
  std::vector<Index> ranks = {first};
  const auto next = std::bit_ceil(static_cast<std::uint64_t>(first) + 1);
  for (auto power = static_cast<Index>(next); power < last; power *= 2) ranks.push_back(power);
  if (last > first) ranks.push_back(last);
  return ranks;
}

}  // namespace kallima::cli
