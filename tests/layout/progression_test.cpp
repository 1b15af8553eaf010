// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/progression.hpp"

#include "base/checked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kallima {
namespace {

std::vector<Index> members(const Progression& p) {
  std::vector<Index> result;
  for (Index i = 0; i < p.count; ++i) result.push_back(p.at(i));
  return result;
}

std::vector<Index> common(const std::vector<Index>& a, const std::vector<Index>& b) {
  std::vector<Index> result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

bool is_normal(const Progression& p) {
  if (p.count == 0) return p == Progression{};
  return p.count > 0 && p.step >= 1 && (p.count > 1 || p.step == 1);
}

TEST(Progression, equal_sets_are_equal_values) {
  EXPECT_EQ(Progression::make(5, 3, 0), Progression{});
  EXPECT_EQ(Progression::make(5, 3, -2), Progression{});
  EXPECT_EQ(Progression::make(5, 3, 1), Progression::make(5, 8, 1));
  EXPECT_NE(Progression::make(5, 3, 2), Progression::make(5, 8, 2));
  EXPECT_TRUE(Progression{}.empty());
}

TEST(Progression, contains_and_place_are_the_inverse_of_at) {
  for (Index first = 0; first < 4; ++first) {
    for (Index step = 1; step < 6; ++step) {
      for (Index count = 0; count < 6; ++count) {
        const Progression p = Progression::make(first, step, count);
        const std::vector<Index> in = members(p);
        for (Index i = -3; i < 40; ++i) {
          const auto at = std::find(in.begin(), in.end(), i);
          ASSERT_EQ(p.contains(i), at != in.end());
          if (at != in.end()) {
            ASSERT_EQ(p.place(i), at - in.begin());
          }
        }
        if (count > 0) {
          ASSERT_EQ(p.last(), in.back());
        }
      }
    }
  }
}

TEST(Progression, intersections_of_all_small_ones_are_those_of_sets) {
  std::vector<Progression> all;
  for (Index first = 0; first < 8; ++first) {
    for (Index step = 1; step <= 8; ++step) {
      for (Index count = 0; count <= 7; ++count) {
        const Progression p = Progression::make(first, step, count);
        if (std::find(all.begin(), all.end(), p) == all.end()) all.push_back(p);
      }
    }
  }
  std::vector<std::vector<Index>> sets;
  for (const Progression& p : all) sets.push_back(members(p));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      const Progression both = intersect(all[i], all[j]);
      ASSERT_TRUE(is_normal(both));
      const std::vector<Index> wanted = common(sets[i], sets[j]);
      ASSERT_EQ(both.count, static_cast<Index>(wanted.size()));
      for (Index k = 0; k < both.count; ++k) {
        ASSERT_EQ(both.at(k), wanted[static_cast<std::size_t>(k)])
            << all[i].first << "+" << all[i].step << "*" << all[i].count << " and " << all[j].first
            << "+" << all[j].step << "*" << all[j].count;
      }
      const Progression where = places(all[i], both);
      ASSERT_TRUE(is_normal(where));
      ASSERT_EQ(where.count, both.count);
      for (Index k = 0; k < both.count; ++k) ASSERT_EQ(all[i].at(where.at(k)), both.at(k));
    }
  }
}

constexpr Index big = Index{1} << 62;

TEST(Progression, intersections_near_2_to_62_do_not_overflow) {
  // Everything below 2^62 against cyclic axes over two numbers of processors.
  const Progression all = Progression::make(0, 1, big);
  const Index p = (Index{1} << 31) - 1;  // the most processors of an axis, a prime
  const Index q = (Index{1} << 31) - 2;
  const Progression mod_p = Progression::make(p - 1, p, big / p);
  const Progression mod_q = Progression::make(q - 1, q, big / q);
  EXPECT_EQ(intersect(all, mod_p), mod_p);
  EXPECT_EQ(intersect(mod_q, all), mod_q);
  // Coprime steps: one common index in every p * q, the last below it.
  const Progression both = intersect(mod_p, mod_q);
  EXPECT_EQ(both, Progression::make(p * q - 1, 1, 1));
  EXPECT_EQ(intersect(mod_q, mod_p), both);
  EXPECT_EQ(places(mod_p, both), Progression::make(q - 1, 1, 1));
}

TEST(Progression, intersections_far_from_zero_are_those_near_zero_moved) {
  // A block at the very end, where sums come close to 2^63.
  const Index base = big - 4096;
  for (Index step_a = 1; step_a <= 12; ++step_a) {
    for (Index step_b = 1; step_b <= 12; ++step_b) {
      for (Index shift = 0; shift < 12; ++shift) {
        const Progression a = Progression::make(3, step_a, 40);
        const Progression b = Progression::make(shift, step_b, 33);
        const Progression near = intersect(a, b);
        const Progression far = intersect(Progression::make(base + a.first, a.step, a.count),
                                          Progression::make(base + b.first, b.step, b.count));
        const Progression moved =
            near.empty() ? near : Progression::make(base + near.first, near.step, near.count);
        ASSERT_EQ(far, moved);
      }
    }
  }
}

TEST(Progression, large_steps_and_far_starts_together_do_not_overflow) {
  const Index p = (Index{1} << 31) - 1;
  const Index q = (Index{1} << 31) - 3;
  const Index count = 8;
  for (Index i = 0; i < 64; ++i) {
    const Progression a = Progression::make(big - 1 - i * 977 - p * (count - 1), p, count);
    const Progression b = Progression::make(big - 1 - i * 31 - q * (count - 1), q, count);
    const Progression both = intersect(a, b);
    ASSERT_EQ(members(both), common(members(a), members(b)));
    ASSERT_EQ(intersect(b, a), both);
  }
}

TEST(Progression, a_progression_meets_its_own_blocks_where_they_overlap) {
  const Index n = big;
  const Index p = 96;
  const Index block = n / p;
  for (Index r = 0; r < p; ++r) {
    const Progression in_block = Progression::make(r * block, 1, block);
    const Progression cyclic = Progression::make(r, p, ceil_div(n - r, p));
    const Progression both = intersect(in_block, cyclic);
    ASSERT_GE(both.first, in_block.first);
    ASSERT_LE(both.last(), in_block.last());
    ASSERT_EQ(both.step, p);
    ASSERT_EQ(both.first % p, r);
    ASSERT_EQ(both.last() % p, r);
    ASSERT_LT(both.first - p, in_block.first);
    ASSERT_GT(both.last() + p, in_block.last());
  }
}

}  // namespace
}  // namespace kallima
