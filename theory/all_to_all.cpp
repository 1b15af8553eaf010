// SPDX-License-Identifier: BSD-3-Clause
#include "theory/all_to_all.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "theory/powers_of_two.hpp"

namespace kallima::models {

Index blocks_with_digit(Index procs, Index radix, Index weight, Index digit) {
  const Index cycle = checked_mul(weight, radix, "the digits of an all-to-all");
  return procs / cycle * weight + std::clamp<Index>(procs % cycle - digit * weight, 0, weight);
}

std::vector<Load> rounds(const AllToAll& all_to_all, Index radix) {
  const Index procs = all_to_all.procs;
  if (procs == 1) return {};
  require(radix >= 2 && radix <= procs, "the radix of an all-to-all is " + std::to_string(radix) +
                                            "; take 2 to " + std::to_string(procs) +
                                            ", the number of processors");
  std::vector<Load> result;
  for (Index weight = 1; weight < procs; weight *= radix) {
    const Index values = std::min(radix - 1, (procs - 1) / weight);
    const Index moved = procs - blocks_with_digit(procs, radix, weight, 0);
    const Index bytes = checked_mul(moved, all_to_all.block_bytes, "bytes of an all-to-all");
    result.push_back({values, values, bytes, bytes});
  }
  return result;
}

double all_to_all_seconds(Model model, const Network& network, const AllToAll& all_to_all,
                          Index radix) {
  double seconds = 0;
  for (const Load& load : rounds(all_to_all, radix)) {
    seconds += exchange_seconds(model, network, load);
  }
  return seconds;
}

RadixCost cheapest_radix(Model model, const Network& network, const AllToAll& all_to_all) {
  constexpr Index each = 64;
  constexpr double as_cheap = 1e-12;  // but for rounding
  const double direct = all_to_all_seconds(model, network, all_to_all, all_to_all.procs);
  RadixCost best{all_to_all.procs, direct};
  const auto consider = [&](Index radix) {
    const double seconds = all_to_all_seconds(model, network, all_to_all, radix);
    if (seconds < (1 - as_cheap) * best.seconds) best = {radix, seconds};
  };
  for (Index radix = 2; radix < std::min(all_to_all.procs, each); ++radix) consider(radix);
  for (Index radix = each; radix < all_to_all.procs; radix *= 2) consider(radix);
  return best;
}

}  // namespace kallima::models
