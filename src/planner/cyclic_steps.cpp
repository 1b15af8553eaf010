// SPDX-License-Identifier: BSD-3-Clause
#include "planner/cyclic_steps.hpp"

#include <algorithm>
#include <cmath>

namespace kallima {

namespace {

/// One of the axes: its digits are numbered first, first + 1, ... in the state.
struct CyclicAxis {
  Axis axis;
  std::vector<Index> radices;
  std::size_t first = 0;

  [[nodiscard]] std::size_t exchanges() const { return radices.size() - 1; }
};

/// Where the digits of one axis are behind its i-th exchange.
void distribute_digits(const CyclicAxis& cyclic_axis, std::size_t i,
                       std::vector<Axis>& distributed) {
  const std::vector<Index>& radices = cyclic_axis.radices;
  // Frequency digits, lightest first, take the ranks that position digits have left.
  Index on_ranks = cyclic_axis.axis.procs;
  for (std::size_t m = i + 1; m <= cyclic_axis.exchanges(); ++m) on_ranks /= radices[m];
  Index stride = cyclic_axis.axis.rank_stride;
  Index left = on_ranks;
  for (std::size_t d = 0; d < radices.size(); ++d) {
    Axis& digit = distributed[cyclic_axis.first + d];
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
    Axis& digit = distributed[cyclic_axis.first + d];
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

std::vector<Index> cyclic_radices(Index n, Index procs) {
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

std::optional<CyclicSteps> find_cyclic_steps(const Problem& problem, const Layout& layout,
                                             const std::vector<bool>& done) {
  if (!layout.is_grid() || problem.truncated()) return std::nullopt;
  CyclicSteps cyclic;
  std::vector<CyclicAxis> cyclic_axes;
  std::vector<Axis> distributed;
  std::size_t exchanges = 0;
  for (std::size_t a = 0; a < layout.axes(); ++a) {
    const Axis& axis = layout.axis(a);
    if (done[a]) {
      cyclic.digits.push_back({static_cast<int>(a), 1, DigitKind::frequency});
      distributed.push_back(axis);
      continue;
    }
    if (axis.cycle != axis.procs || is_trigonometric(problem.axis_kind(a))) return std::nullopt;
    CyclicAxis cyclic_axis{axis, cyclic_radices(axis.n, axis.procs), cyclic.digits.size()};
    if (cyclic_axis.radices.empty()) return std::nullopt;
    Index weight = axis.n;
    for (const Index radix : cyclic_axis.radices) {
      weight /= radix;
      cyclic.digits.push_back({static_cast<int>(a), weight, DigitKind::position});
      distributed.push_back(Axis{radix, 1, 1, 1, Rule::balanced});
    }
    exchanges = std::max(exchanges, cyclic_axis.exchanges());
    cyclic_axes.push_back(std::move(cyclic_axis));
  }
  if (cyclic_axes.empty()) return std::nullopt;
  for (const Axis& digit : distributed) cyclic.radices.push_back(digit.n);
  const std::optional<Layout> start = split(layout, cyclic.digits, cyclic.radices);
  if (!start) return std::nullopt;
  cyclic.layouts.push_back(*start);

  // In the end memory has the natural order of frequencies: per axis the last digit is heaviest.
  std::vector<int> order;
  for (const int a : layout.order()) {
    for (std::size_t i = cyclic.digits.size(); i-- > 0;) {
      if (cyclic.digits[i].axis == a) order.push_back(static_cast<int>(i));
    }
  }
  for (std::size_t i = 0; i <= exchanges; ++i) {
    for (const CyclicAxis& cyclic_axis : cyclic_axes)
      distribute_digits(cyclic_axis, std::min(i, cyclic_axis.exchanges()), distributed);
    if (i > 0) cyclic.layouts.push_back(Layout::grid(distributed, order));
    cyclic.sweeps.emplace_back();
    for (const CyclicAxis& cyclic_axis : cyclic_axes) {
      if (i <= cyclic_axis.exchanges())
        cyclic.sweeps.back().push_back(static_cast<int>(cyclic_axis.first + i));
    }
  }
  return cyclic;
}

}  // namespace kallima
