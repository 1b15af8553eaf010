// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/spectrum.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace kallima {
namespace {

/// All indices of an array.
std::vector<MultiIndex> all_indices(const Shape& shape) {
  std::vector<MultiIndex> result;
  for (Index flat = 0; flat < volume(shape); ++flat) {
    MultiIndex index;
    Index rest = flat;
    for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a]) index[a] = rest % shape[a];
    result.push_back(index);
  }
  return result;
}

TEST(Spectrum, wavenumbers_are_those_of_fftfreq_and_rfftfreq) {
  const std::vector<Index> even = {0, 1, 2, -3, -2, -1};
  const std::vector<Index> odd = {0, 1, 2, -2, -1};
  for (const bool real : {false, true}) {
    const Spectrum spectrum({6, 5}, real ? std::optional<std::size_t>(0) : std::nullopt);
    for (const MultiIndex& index : all_indices({real ? 4 : 6, 5})) {
      const Wavenumber k = spectrum.wavenumber(index);
      const auto at = static_cast<std::size_t>(index[0]);
      EXPECT_EQ(k[0], real ? index[0] : even[at]);
      EXPECT_EQ(k[1], odd[static_cast<std::size_t>(index[1])]);
      EXPECT_EQ(k.is_zero(), index == MultiIndex());
      EXPECT_EQ(k.squared(), static_cast<double>(k[0] * k[0] + k[1] * k[1]));
    }
  }
}

TEST(Spectrum, components_are_in_units_of_the_box) {
  const Spectrum spectrum({4, 4}, 1, {2.0, 4.0 * std::numbers::pi});
  MultiIndex index;
  index[0] = 3;
  index[1] = 2;
  const Wavenumber k = spectrum.wavenumber(index);
  EXPECT_DOUBLE_EQ(k.component(0), -std::numbers::pi);
  EXPECT_DOUBLE_EQ(k.component(1), 1.0);
}

/// Every element of the whole spectrum is kept, or is the partner of one that is; the weights count
/// them.
TEST(Spectrum, weights_and_partners_account_for_every_frequency_once) {
  for (const Shape& shape : {Shape{6, 5}, Shape{5, 6}, Shape{4, 3, 2}, Shape{1, 4}, Shape{7},
                             Shape{8}, Shape{1}, Shape{2, 2}, Shape{3, 1}}) {
    for (std::size_t r2c_axis = 0; r2c_axis < shape.size(); ++r2c_axis) {
      const Spectrum spectrum(shape, r2c_axis);
      Shape kept = shape;
      kept[r2c_axis] = shape[r2c_axis] / 2 + 1;
      std::map<std::vector<Index>, int> met;
      Index weights = 0;
      for (const MultiIndex& index : all_indices(kept)) {
        std::vector<Index> k;
        std::vector<Index> minus;
        for (std::size_t a = 0; a < shape.size(); ++a) {
          k.push_back(index[a]);
          minus.push_back((shape[a] - index[a]) % shape[a]);
        }
        const int weight = spectrum.wavenumber(index).weight();
        weights += weight;
        ++met[k];
        const std::optional<MultiIndex> partner = spectrum.partner(index);
        EXPECT_EQ(partner.has_value(), weight == 1);
        if (!partner) {
          ++met[minus];
          continue;
        }
        for (std::size_t a = 0; a < shape.size(); ++a) EXPECT_EQ((*partner)[a], minus[a]);
        EXPECT_EQ(spectrum.partner(*partner), index);
      }
      EXPECT_EQ(weights, volume(shape));
      EXPECT_EQ(static_cast<Index>(met.size()), volume(shape));
      for (const auto& [k, times] : met) EXPECT_EQ(times, 1);
    }
  }
}

TEST(Spectrum, an_index_is_found_for_every_wavenumber_that_is_kept) {
  const Spectrum spectrum({6, 5}, 0);
  for (Index ky = -6; ky <= 6; ++ky) {
    for (Index kx = -5; kx <= 5; ++kx) {
      MultiIndex k;
      k[0] = ky;
      k[1] = kx;
      const std::optional<MultiIndex> index = spectrum.index_of(k);
      ASSERT_EQ(index.has_value(), ((ky % 6) + 6) % 6 <= 3);
      if (!index) continue;
      EXPECT_EQ((spectrum.wavenumber(*index)[0] - ky) % 6, 0);
      EXPECT_EQ((spectrum.wavenumber(*index)[1] - kx) % 5, 0);
    }
  }
}

TEST(Spectrum, of_truncated_axes_has_the_frequencies_that_are_kept) {
  for (const char* const text : {"c2c/k=2:8x9", "r2c/k=2:8x9", "r2c/z,k=1:6x5x4", "c2c/kx=0:4x5",
                                 "c2c/k=3:7x9", "r2c/kx=3:8x8"}) {
    const Problem problem = Problem::parse(text);
    const Spectrum spectrum(problem);
    const Spectrum all(problem.shape,
                       problem.real() ? std::optional(problem.r2c_axis_index()) : std::nullopt);
    Index met = 0;
    for (const MultiIndex& index : all_indices(problem.frequency_shape())) {
      const Wavenumber k = spectrum.wavenumber(index);
      MultiIndex integers;
      for (std::size_t a = 0; a < problem.shape.size(); ++a) {
        integers[a] = k[a];
        EXPECT_EQ(spectrum.frequencies_along(a), problem.frequency_shape()[a]);
        if (problem.truncated(a)) {
          EXPECT_LE(std::abs(k[a]), problem.keep[a]) << text;
        }
      }
      EXPECT_EQ(spectrum.index_of(integers), index) << text;
      const MultiIndex among_all = all.index_of(integers).value();
      EXPECT_EQ(all.wavenumber(among_all).weight(), k.weight());
      const std::optional<MultiIndex> partner = spectrum.partner(index);
      EXPECT_EQ(partner.has_value(), all.partner(among_all).has_value());
      if (partner) {
        for (std::size_t a = 0; a < problem.shape.size(); ++a) {
          const Index sum = spectrum.wavenumber(*partner)[a] + k[a];
          EXPECT_EQ(sum % problem.shape[a], 0) << text;
        }
      }
      ++met;
    }
    Index found = 0;
    for (const MultiIndex& index : all_indices(problem.shape)) {
      found += spectrum.index_of(index).has_value() ? 1 : 0;
    }
    EXPECT_EQ(found, met) << text;
  }
}

TEST(Spectrum, of_complex_data_every_element_stands_for_itself) {
  const Spectrum spectrum({4, 3});
  for (const MultiIndex& index : all_indices({4, 3})) {
    EXPECT_EQ(spectrum.wavenumber(index).weight(), 1);
    EXPECT_TRUE(spectrum.partner(index).has_value());
  }
}

TEST(Spectrum, cosines_and_sines_have_frequencies_of_one_sign) {
  struct Case {
    AxisKind kind;
    Index first;
    double shift;
  };
  using enum AxisKind;
  const std::vector<Case> cases = {{cosine_1, 0, 0.},  {cosine_2, 0, 0.}, {cosine_3, 0, 0.5},
                                   {cosine_4, 0, 0.5}, {sine_1, 1, 0.},   {sine_2, 1, 0.},
                                   {sine_3, 0, 0.5},   {sine_4, 0, 0.5}};
  for (const Case& each : cases) {
    const Spectrum counted({6, 4}, std::nullopt, {}, {each.kind, fourier});
    const Spectrum measured({6, 4}, std::nullopt, {2.0, 2.0}, {each.kind, fourier});
    for (const MultiIndex& index : all_indices({6, 4})) {
      const Wavenumber k = counted.wavenumber(index);
      const double frequency = static_cast<double>(index[0] + each.first) + each.shift;
      EXPECT_EQ(k[0], index[0] + each.first);
      EXPECT_DOUBLE_EQ(k.component(0), frequency);
      EXPECT_DOUBLE_EQ(measured.wavenumber(index).component(0), std::numbers::pi * frequency / 2.0);
      EXPECT_EQ(k.is_zero(), frequency == 0. && index[1] == 0);
      MultiIndex numbers;
      numbers[0] = k[0];
      numbers[1] = k[1];
      EXPECT_EQ(counted.index_of(numbers), index);
      MultiIndex partner = index;
      partner[1] = (4 - index[1]) % 4;
      EXPECT_EQ(counted.partner(index), partner);
    }
    MultiIndex beyond;
    beyond[0] = 6 + each.first;
    EXPECT_EQ(counted.index_of(beyond), std::nullopt);
  }
}

TEST(Spectrum, along_axes_that_are_left_alone_there_is_no_frequency) {
  const Spectrum spectrum({3, 6}, 1, {5.0, 2 * std::numbers::pi},
                          {AxisKind::batch, AxisKind::fourier});
  for (const MultiIndex& index : all_indices({3, 4})) {
    const Wavenumber k = spectrum.wavenumber(index);
    EXPECT_EQ(k[0], 0);
    EXPECT_EQ(k.component(0), 0.);
    EXPECT_EQ(k.is_zero(), index[1] == 0);
    EXPECT_EQ(k.weight(), index[1] == 0 || index[1] == 3 ? 1 : 2);
    if (const auto partner = spectrum.partner(index)) {
      EXPECT_EQ((*partner)[0], index[0]);
    }
  }
}

}  // namespace
}  // namespace kallima
