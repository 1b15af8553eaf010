// SPDX-License-Identifier: BSD-3-Clause
//
// Walks over what a rank holds, by elements and by rows, against every element of the whole array
// asked one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>
#include <vector>

#include "kallima/array.hpp"
#include "layout/samples.hpp"

namespace kallima {
namespace {

using samples::Dice;

/// A spectrum, and what it was made of.
struct Case {
  Shape positions;
  std::optional<std::size_t> r2c_axis;
  std::vector<double> lengths;
  std::vector<AxisKind> kinds;

  [[nodiscard]] Spectrum spectrum() const { return Spectrum(positions, r2c_axis, lengths, kinds); }
};

/// Any kinds of axes, for an array of frequencies of this shape.
Case random_case(Dice& dice, const Shape& shape) {
  Case result;
  result.positions = shape;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const bool other = dice.roll(0, 3) == 0;
    result.kinds.push_back(
        other ? static_cast<AxisKind>(dice.roll(0, static_cast<Index>(AxisKind::batch)))
              : AxisKind::fourier);
    if (result.kinds[a] == AxisKind::real) result.kinds[a] = AxisKind::fourier;
  }
  if (dice.roll(0, 1) == 0) {
    const auto a = static_cast<std::size_t>(dice.roll(0, static_cast<Index>(shape.size()) - 1));
    result.r2c_axis = a;
    result.kinds[a] = AxisKind::real;
    result.positions[a] = shape[a] == 1 ? 1 : 2 * (shape[a] - 1) + dice.roll(0, 1);
  }
  if (dice.roll(0, 1) == 0) {
    for (std::size_t a = 0; a < shape.size(); ++a) {
      result.lengths.push_back(static_cast<double>(dice.roll(1, 40)) / 8.0);
    }
  }
  return result;
}

/// Any layout, dense or with padding or margins.
Layout random_layout(Dice& dice, const Shape& shape) {
  Layout layout;
  const Index kind = dice.roll(0, 3);
  if (kind == 0) {
    layout = samples::random_table(dice, shape);
  } else if (kind == 1) {
    const Index ranks = dice.roll(1, 4);
    std::vector<std::vector<Box>> dealt(static_cast<std::size_t>(ranks));
    for (const Box& box : samples::random_boxes(dice, shape, dice.roll(0, 7), 0)) {
      dealt[static_cast<std::size_t>(dice.roll(0, ranks - 1))].push_back(box);
    }
    layout = Layout::boxes_of_ranks(shape, dealt, samples::random_order(dice, shape.size()));
  } else {
    layout = samples::random_grid(dice, shape, 3);
  }
  if (dice.roll(0, 3) == 0) layout = layout.with_padding(dice.roll(1, 3));
  if (dice.roll(0, 3) == 0) layout = layout.with_margins(dice.roll(1, 2));
  return layout;
}

/// The indices that each rank holds, by their places in its memory.
std::vector<std::map<Index, MultiIndex>> places(const Layout& layout) {
  std::vector<std::map<Index, MultiIndex>> result(static_cast<std::size_t>(layout.ranks()));
  samples::for_each_index(layout.shape(), [&](const std::vector<Index>& index) {
    MultiIndex at;
    for (std::size_t a = 0; a < index.size(); ++a) at[a] = index[a];
    result[static_cast<std::size_t>(layout.owner(index))][layout.offset(index)] = at;
  });
  return result;
}

/// That k is what the kinds of axes say of an index.
void expect_wavenumber(const Case& it, const MultiIndex& index, const Wavenumber& k) {
  using enum AxisKind;
  double squared = 0.0;
  bool zero = true;
  for (std::size_t a = 0; a < it.positions.size(); ++a) {
    const AxisKind kind = it.kinds[a];
    const Index n = it.positions[a];
    Index number = index[a];
    double component = 0.0;
    double unit = 1.0;
    if (!it.lengths.empty()) {
      unit = (is_trigonometric(kind) ? 1.0 : 2.0) * std::numbers::pi / it.lengths[a];
    }
    if (kind == fourier && 2 * number >= n) number -= n;
    if (kind == sine_1 || kind == sine_2) ++number;
    if (kind == none || kind == batch) number = 0;
    component = static_cast<double>(number);
    if (kind == cosine_3 || kind == cosine_4 || kind == sine_3 || kind == sine_4) component += 0.5;
    zero = zero && component == 0.0;
    component *= unit;
    squared += component * component;
    EXPECT_EQ(k[a], number);
    EXPECT_EQ(k.component(a), component);
  }
  EXPECT_EQ(k.is_zero(), zero);
  EXPECT_DOUBLE_EQ(k.squared(), squared);
  const bool twice = it.r2c_axis && index[*it.r2c_axis] != 0 &&
                     2 * index[*it.r2c_axis] != it.positions[*it.r2c_axis];
  EXPECT_EQ(k.weight(), twice ? 2 : 1);
}

/// Walks of all kinds meet just these elements, in the order of memory.
void expect_walks(const Case& it, const Layout& layout, Index rank,
                  const std::map<Index, MultiIndex>& expected) {
  std::vector<float> memory(static_cast<std::size_t>(layout.allocated_size(rank)));
  const RealView<float> view(memory, layout, rank, it.spectrum());
  const auto offset = [&](const float& value) { return static_cast<Index>(&value - view.data()); };

  auto next = expected.begin();
  for (auto [index, value] : view.indexed()) {
    ASSERT_NE(next, expected.end());
    ASSERT_EQ(offset(value), next->first);
    ASSERT_EQ(index, next->second);
    ++next;
  }
  EXPECT_EQ(next, expected.end());

  next = expected.begin();
  for (auto [k, value] : view.wavenumbers()) {
    ASSERT_NE(next, expected.end());
    ASSERT_EQ(offset(value), next->first);
    expect_wavenumber(it, next->second, k);
    ++next;
  }
  EXPECT_EQ(next, expected.end());

  next = expected.begin();
  for (const auto row : view.rows()) {
    ASSERT_GT(row.size(), 0);
    for (Index i = 0; i < row.size(); ++i) {
      ASSERT_NE(next, expected.end());
      ASSERT_EQ(offset(row[i]), next->first);
      ASSERT_EQ(row.index(i), next->second);
      ASSERT_EQ(&row[i], row.data() + i * row.stride());
      ASSERT_EQ(row.index(i)[row.axis()], row.index(0)[row.axis()] + i * row.step());
      expect_wavenumber(it, next->second, row.wavenumber(i));
      ++next;
    }
  }
  EXPECT_EQ(next, expected.end());
}

TEST(Walk, meets_every_element_in_the_order_of_memory_whatever_the_layout) {
  Dice dice(22);
  for (int number = 0; number < 400; ++number) {
    Shape shape;
    const Index axes = dice.roll(1, number % 20 == 0 ? 6 : 4);
    for (Index a = 0; a < axes; ++a) shape.push_back(dice.roll(1, axes == 1 ? 40 : 12 / axes + 2));
    const Layout layout = random_layout(dice, shape);
    const Case it = random_case(dice, shape);
    SCOPED_TRACE(layout.to_text());
    const auto expected = places(layout);
    for (Index rank = 0; rank < layout.ranks(); ++rank) {
      expect_walks(it, layout, rank, expected[static_cast<std::size_t>(rank)]);
      if (HasFatalFailure()) return;
    }
    expect_walks(it, layout, layout.ranks(), {});
  }
}

TEST(Walk, rows_are_along_the_fastest_axis_and_end_where_wavenumbers_jump) {
  const Layout layout = Layout::parse("x:block/2 z:all y:all", {3, 8, 5});
  std::vector<double> memory(static_cast<std::size_t>(layout.allocated_size(0)));
  std::vector<Index> firsts;
  for (const auto row : RealView<double>(memory, layout, 0).rows()) {
    EXPECT_EQ(row.axis(), 1U);
    EXPECT_EQ(row.size(), 4);
    EXPECT_EQ(row.stride(), 1);
    firsts.push_back(row.wavenumber(0)[1]);
  }
  EXPECT_EQ(firsts.size(), 2U * 3U * static_cast<std::size_t>(layout.local_shape(0)[2]));
  for (std::size_t i = 0; i < firsts.size(); ++i) EXPECT_EQ(firsts[i], i % 2 == 0 ? 0 : -4);
}

TEST(Walk, rows_pass_over_axes_of_one_element) {
  const Layout layout = Layout::parse("y:all x:cyclic/4+1", {6, 4});
  std::vector<double> memory(static_cast<std::size_t>(layout.allocated_size(3)));
  Index met = 0;
  for (const auto row : RealView<double>(memory, layout, 3).rows()) {
    EXPECT_EQ(row.axis(), 0U);
    EXPECT_EQ(row.stride(), 2);
    EXPECT_EQ(row.size(), 3);
    EXPECT_EQ(row.index(1)[1], 3);
    EXPECT_EQ(row.wavenumber(1)[1], -1);
    met += row.size();
  }
  EXPECT_EQ(met, 6);
}

TEST(Walk, items_and_iterators_are_values) {
  static_assert(std::input_iterator<RealView<double>::Walk<IndexedElement<double>>::Iterator>);
  static_assert(std::input_iterator<RealView<double>::Rows::Iterator>);
  const Layout layout = Layout::slab({4, 3}, 1);
  std::vector<double> memory(12);
  const RealView<double> view(memory, layout, 0);
  std::vector<Wavenumber> kept;
  for (auto [k, value] : view.wavenumbers()) kept.push_back(k);
  ASSERT_EQ(kept.size(), 12U);
  EXPECT_EQ(kept[7][0], -2);
  EXPECT_EQ(kept[7].squared(), 5.0);
  EXPECT_TRUE(kept[0].is_zero());

  const auto walk = view.indexed();
  auto ahead = walk.begin();
  const auto behind = ahead;
  for (int i = 0; i < 5; ++i) ++ahead;
  EXPECT_EQ(&(*ahead).value, &memory[5]);
  EXPECT_EQ((*ahead).index[0], 1);
  EXPECT_EQ(&(*behind).value, memory.data());
  EXPECT_EQ((*behind).index, MultiIndex());
  Index pairs = 0;
  for (auto [i, value] : walk) {
    for (auto [j, other] : walk) pairs += i == j ? 1 : 0;
  }
  EXPECT_EQ(pairs, 12);
}

TEST(Walk, of_no_axes_is_over_one_element) {
  const Layout layout;
  std::vector<double> memory(static_cast<std::size_t>(layout.allocated_size(0)));
  Index met = 0;
  for (auto [index, value] : RealView<double>(memory, layout, 0).indexed()) {
    met += index == MultiIndex() ? 1 : 0;
    value = 1.0;
  }
  EXPECT_EQ(met, 1);
}

}  // namespace
}  // namespace kallima
