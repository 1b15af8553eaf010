// SPDX-License-Identifier: BSD-3-Clause
//
// An axis in digits. A group-cyclic axis whose processors divide its extent is (group | local |
// cycle): ranks own the leading and the trailing part of the index. So the groups are distributed
// to the heaviest digits and the cycle to the lightest; a digit that is only partly on ranks is in
// blocks where groups end in it, cyclic where the cycle ends in it.
#include <algorithm>
#include <numeric>

#include "kallima/steps.hpp"

namespace kallima {

namespace {

/// Deals one axis to its digits, heaviest first; false where digits cannot say it.
bool split_axis(const Axis& axis, std::vector<Axis>& digits) {
  if (axis.n % axis.procs != 0) return false;
  Index groups = axis.groups();
  Index stride = axis.rank_stride * axis.procs;
  std::size_t heavy = 0;
  for (; groups > 1; ++heavy) {
    if (heavy == digits.size()) return false;
    Axis& digit = digits[heavy];
    const Index procs = std::gcd(groups, digit.n);
    if (procs != std::min(groups, digit.n)) return false;
    stride /= procs;
    digit.procs = procs;
    digit.rank_stride = stride;
    groups /= procs;
    if (digit.procs < digit.n) {
      ++heavy;
      break;
    }
  }
  if (groups > 1) return false;
  Index cycle = axis.cycle;
  stride = axis.rank_stride;
  for (std::size_t light = digits.size(); cycle > 1;) {
    if (light-- == heavy) return false;
    Axis& digit = digits[light];
    const Index procs = std::gcd(cycle, digit.n);
    if (procs != std::min(cycle, digit.n)) return false;
    digit.procs = procs;
    digit.cycle = procs < digit.n ? procs : 1;
    digit.rank_stride = stride;
    stride *= procs;
    cycle /= procs;
    if (procs < digit.n && cycle > 1) return false;
  }
  return true;
}

}  // namespace

std::optional<Layout> split(const Layout& whole, const std::vector<Digit>& digits,
                            const Shape& radices) {
  if (!whole.is_grid()) return std::nullopt;
  std::vector<Axis> distributed(digits.size());
  std::vector<int> order;
  for (const int a : whole.order()) {
    std::vector<int> of_axis;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (digits[i].axis == a) of_axis.push_back(static_cast<int>(i));
    }
    std::sort(of_axis.begin(), of_axis.end(), [&](int i, int j) {
      return digits[static_cast<std::size_t>(i)].weight >
             digits[static_cast<std::size_t>(j)].weight;
    });
    const Axis& axis = whole.axis(static_cast<std::size_t>(a));
    std::vector<Axis> parts;
    for (const int i : of_axis)
      parts.push_back({radices[static_cast<std::size_t>(i)], 1, 1, 1, {}});
    if (parts.size() == 1) {
      parts[0] = axis;
    } else if (!split_axis(axis, parts)) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < of_axis.size(); ++i) {
      distributed[static_cast<std::size_t>(of_axis[i])] = parts[i];
    }
    order.insert(order.end(), of_axis.begin(), of_axis.end());
  }
  return Layout::grid(distributed, order);
}

}  // namespace kallima
