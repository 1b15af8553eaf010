// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts to test with, and the slow way to look at one: element by element.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kallima/layout.hpp"

namespace kallima::samples {

/// The same numbers on every machine: the distributions of the standard library are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// low <= result <= high.
  Index roll(Index low, Index high) {
    return low + static_cast<Index>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(roll(0, static_cast<Index>(i) - 1))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

inline std::vector<Index> divisors(Index number) {
  std::vector<Index> result;
  for (Index d = 1; d <= number; ++d) {
    if (number % d == 0) result.push_back(d);
  }
  return result;
}

/// Calls `visit` with every index of the shape, the last axis fastest.
template <class Visit>
void for_each_index(const Shape& shape, const Visit& visit) {
  std::vector<Index> index(shape.size(), 0);
  for (;;) {
    visit(static_cast<const std::vector<Index>&>(index));
    std::size_t a = shape.size();
    while (a > 0 && ++index[a - 1] == shape[a - 1]) index[--a] = 0;
    if (a == 0) return;
  }
}

inline std::vector<int> random_order(Dice& dice, std::size_t axes) {
  std::vector<int> order(axes);
  std::iota(order.begin(), order.end(), 0);
  dice.shuffle(order);
  return order;
}

/// A grid with any distribution, rule, numbering of ranks and memory order; sometimes more
/// processors than indices.
inline Layout random_grid(Dice& dice, const Shape& shape, Index most_procs) {
  std::vector<Axis> axes;
  for (const Index n : shape) {
    Axis axis;
    axis.n = n;
    axis.procs = dice.roll(1, most_procs);
    const std::vector<Index> cycles = divisors(axis.procs);
    axis.cycle =
        cycles[static_cast<std::size_t>(dice.roll(0, static_cast<Index>(cycles.size()) - 1))];
    axis.rule = dice.roll(0, 1) == 0 ? Rule::balanced : Rule::ceil;
    axes.push_back(axis);
  }
  Index stride = 1;
  for (const int a : random_order(dice, shape.size())) {
    axes[static_cast<std::size_t>(a)].rank_stride = stride;
    stride *= axes[static_cast<std::size_t>(a)].procs;
  }
  return Layout::grid(axes, random_order(dice, shape.size()));
}

/// A cover of the shape by boxes, cut again and again at random, on shuffled ranks, some of which
/// hold nothing.
inline std::vector<Box> random_boxes(Dice& dice, const Shape& shape, Index cuts, Index idle) {
  std::vector<Box> boxes{{std::vector<Index>(shape.size(), 0), shape}};
  for (Index i = 0; i < cuts; ++i) {
    const auto at = static_cast<std::size_t>(dice.roll(0, static_cast<Index>(boxes.size()) - 1));
    const auto a = static_cast<std::size_t>(dice.roll(0, static_cast<Index>(shape.size()) - 1));
    Box upper = boxes[at];
    if (upper.high[a] - upper.low[a] < 2) continue;
    const Index cut = dice.roll(upper.low[a] + 1, upper.high[a] - 1);
    boxes[at].high[a] = cut;
    upper.low[a] = cut;
    boxes.push_back(upper);
  }
  for (Index i = 0; i < idle; ++i) {
    boxes.push_back({std::vector<Index>(shape.size(), 1), std::vector<Index>(shape.size(), 1)});
  }
  dice.shuffle(boxes);
  return boxes;
}

inline Layout random_table(Dice& dice, const Shape& shape) {
  return Layout::boxes(shape, random_boxes(dice, shape, dice.roll(0, 6), dice.roll(0, 2)),
                       random_order(dice, shape.size()));
}

/// Layouts of every kind for a shape.
inline std::vector<Layout> assorted(Dice& dice, const Shape& shape, int grids, int tables) {
  std::vector<Layout> result;
  const std::vector<Index> alone(shape.size(), 1);
  result.push_back(Layout::block(shape, alone));
  result.push_back(Layout::block(shape, std::vector<Index>(shape.size(), 2)));
  result.push_back(Layout::cyclic(shape, std::vector<Index>(shape.size(), 2)));
  result.push_back(Layout::slab(shape, 3, 0));
  result.push_back(Layout::slab(shape, 4, shape.size() - 1, Rule::ceil));
  if (shape.size() >= 3) result.push_back(Layout::pencil(shape, shape.size() - 1, 2, 3));
  for (int i = 0; i < grids; ++i) result.push_back(random_grid(dice, shape, 4));
  for (int i = 0; i < tables; ++i) result.push_back(random_table(dice, shape));
  return result;
}

/// Owner of every element, in the order of for_each_index, by asking every rank whether it holds
/// it; -1 where none or several do.
inline std::vector<Index> owners(const Layout& layout) {
  std::vector<Index> result;
  for_each_index(layout.shape(), [&](const std::vector<Index>& index) {
    Index owner = -1;
    Index holders = 0;
    for (Index r = 0; r < layout.ranks(); ++r) {
      bool inside = true;
      for (std::size_t a = 0; a < layout.axes() && inside; ++a) {
        inside = layout.local_indices(r, a).contains(index[a]);
      }
      if (inside) {
        owner = r;
        ++holders;
      }
    }
    result.push_back(holders == 1 ? owner : -1);
  });
  return result;
}

}  // namespace kallima::samples
