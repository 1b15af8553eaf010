// SPDX-License-Identifier: BSD-3-Clause
#include "planner/ride.hpp"

#include <algorithm>
#include <cmath>

namespace kallima {

namespace {

/// One axis on its ride: its digits are numbered first, first + 1, ... in the state.
struct Rider {
  Axis axis;
  std::vector<Index> radices;
  std::size_t first = 0;

  [[nodiscard]] std::size_t exchanges() const { return radices.size() - 1; }
};

/// Where the digits of one axis are behind its i-th exchange.
void deal_digits(const Rider& rider, std::size_t i, std::vector<Axis>& dealt) {
  const std::vector<Index>& radices = rider.radices;
  // Frequency digits, lightest first, take the ranks that position digits have left.
  Index on_ranks = rider.axis.procs;
  for (std::size_t m = i + 1; m <= rider.exchanges(); ++m) on_ranks /= radices[m];
  Index stride = rider.axis.rank_stride;
  Index left = on_ranks;
  for (std::size_t d = 0; d < radices.size(); ++d) {
    Axis& digit = dealt[rider.first + d];
    digit = Axis{radices[d], 1, 1, 1, Rule::balanced};
    if (d < i && left > 1) {
      digit.procs = std::min(left, radices[d]);
      digit.cycle = digit.procs < radices[d] ? digit.procs : 1;
      digit.rank_stride = stride;
      stride *= digit.procs;
      left /= digit.procs;
    }
  }
  // Position digits still on ranks, heaviest with the largest stride.
  for (std::size_t d = radices.size(); d-- > i + 1;) {
    Axis& digit = dealt[rider.first + d];
    digit.procs = radices[d];
    digit.rank_stride = stride;
    stride *= digit.procs;
  }
}

}  // namespace

namespace {

/// The divisor of n that is nearest to its root from below; 1 where a short search finds none.
Index near_root(Index n) {
  constexpr Index tries = Index{1} << 16;
  auto divisor = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  for (Index i = 0; i < tries && divisor > 1; ++i, --divisor) {
    if (n % divisor == 0) return divisor;
  }
  return 1;
}

}  // namespace

std::vector<Index> ride_radices(Index n, Index procs) {
  if (procs == 1) {
    constexpr Index shortest = 16;  // a digit that is worth a sweep
    const Index second = n > longest_alone ? near_root(n) : 1;
    return second < shortest ? std::vector<Index>{n} : std::vector<Index>{n / second, second};
  }
  if (n % procs != 0 || n == procs) return {};
  const Index local = n / procs;
  if (local > longest_line && local % procs == 0) {
    const Index second = procs * near_root(local / procs);
    return {n / second, second};
  }
  std::vector<Index> radices = {local};
  for (Index rest = procs; rest > 1;) {
    const Index radix = rest % local == 0 ? local : rest;
    if (local % radix != 0) return {};
    radices.push_back(radix);
    rest /= radix;
  }
  return radices;
}

std::optional<Ride> find_ride(const Layout& layout, const std::vector<bool>& done) {
  if (!layout.is_grid()) return std::nullopt;
  Ride ride;
  std::vector<Rider> riders;
  std::vector<Axis> dealt;
  std::size_t exchanges = 0;
  for (std::size_t a = 0; a < layout.axes(); ++a) {
    const Axis& axis = layout.axis(a);
    if (done[a]) {
      ride.digits.push_back({static_cast<int>(a), 1, DigitKind::frequency});
      dealt.push_back(axis);
      continue;
    }
    if (axis.cycle != axis.procs) return std::nullopt;
    Rider rider{axis, ride_radices(axis.n, axis.procs), ride.digits.size()};
    if (rider.radices.empty()) return std::nullopt;
    Index weight = axis.n;
    for (const Index radix : rider.radices) {
      weight /= radix;
      ride.digits.push_back({static_cast<int>(a), weight, DigitKind::position});
      dealt.push_back(Axis{radix, 1, 1, 1, Rule::balanced});
    }
    exchanges = std::max(exchanges, rider.exchanges());
    riders.push_back(std::move(rider));
  }
  if (riders.empty()) return std::nullopt;
  for (const Axis& digit : dealt) ride.radices.push_back(digit.n);
  const std::optional<Layout> start = split(layout, ride.digits, ride.radices);
  if (!start) return std::nullopt;
  ride.layouts.push_back(*start);

  // In the end memory has the natural order of frequencies: per axis the last digit is heaviest.
  std::vector<int> order;
  for (const int a : layout.order()) {
    for (std::size_t i = ride.digits.size(); i-- > 0;) {
      if (ride.digits[i].axis == a) order.push_back(static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; i <= exchanges; ++i) {
    for (const Rider& rider : riders) deal_digits(rider, std::min(i, rider.exchanges()), dealt);
    if (i > 0) ride.layouts.push_back(Layout::grid(dealt, order));
    ride.sweeps.emplace_back();
    for (const Rider& rider : riders) {
      if (i <= rider.exchanges()) ride.sweeps.back().push_back(static_cast<int>(rider.first + i));
    }
  }
  return ride;
}

}  // namespace kallima
