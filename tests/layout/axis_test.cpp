// SPDX-License-Identifier: BSD-3-Clause
//
// Exhaustive for n up to 64, every number of processors up to a few more than n, every cycle and
// both rules; against Bisseling's formula, and against looking at every index.
#include "kallima/axis.hpp"

#include "base/checked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kallima {
namespace {

constexpr Index longest = 64;

template <class Check>
void for_all_axes(const Check& check) {
  for (Index n = 1; n <= longest; ++n) {
    for (Index p = 1; p <= n + 3; ++p) {
      for (Index c = 1; c <= p; ++c) {
        if (p % c != 0) continue;
        for (const Rule rule : {Rule::balanced, Rule::ceil}) {
          const Axis axis{n, p, c, 1, rule};
          check(axis);
          if (::testing::Test::HasFatalFailure()) {
            FAIL() << "n = " << n << ", p = " << p << ", c = " << c << ", "
                   << (rule == Rule::ceil ? "ceil" : "balanced");
          }
        }
      }
    }
  }
}

TEST(Axis, owner_is_unique_when_sizes_are_uneven) {
  for_all_axes([](const Axis& axis) {
    std::vector<Index> holders(static_cast<std::size_t>(axis.n), 0);
    for (Index coord = 0; coord < axis.procs; ++coord) {
      const Progression part = axis.local_indices(coord);
      for (Index i = 0; i < part.count; ++i) {
        ASSERT_GE(part.at(i), 0);
        ASSERT_LT(part.at(i), axis.n);
        ASSERT_EQ(axis.owner(part.at(i)), coord);
        ++holders[static_cast<std::size_t>(part.at(i))];
      }
    }
    ASSERT_EQ(std::count(holders.begin(), holders.end(), 1), axis.n);
  });
}

TEST(Axis, owner_with_local_and_global_are_inverses) {
  for_all_axes([](const Axis& axis) {
    for (Index j = 0; j < axis.n; ++j) {
      ASSERT_GE(axis.owner(j), 0);
      ASSERT_LT(axis.owner(j), axis.procs);
      ASSERT_LT(axis.local(j), axis.size(axis.owner(j)));
      ASSERT_EQ(axis.global(axis.owner(j), axis.local(j)), j);
    }
    for (Index coord = 0; coord < axis.procs; ++coord) {
      for (Index i = 0; i < axis.size(coord); ++i) {
        ASSERT_EQ(axis.owner(axis.global(coord, i)), coord);
        ASSERT_EQ(axis.local(axis.global(coord, i)), i);
      }
    }
  });
}

TEST(Axis, local_sizes_add_up_and_the_first_is_largest) {
  for_all_axes([](const Axis& axis) {
    Index sum = 0;
    Index largest = 0;
    bool equal = true;
    for (Index coord = 0; coord < axis.procs; ++coord) {
      sum += axis.size(coord);
      largest = std::max(largest, axis.size(coord));
      equal = equal && axis.size(coord) == axis.size(0);
    }
    ASSERT_EQ(sum, axis.n);
    ASSERT_EQ(axis.largest(), largest);
    ASSERT_EQ(axis.even(), equal);
  });
}

TEST(Axis, balanced_sizes_differ_by_at_most_one) {
  for_all_axes([](const Axis& axis) {
    if (axis.rule != Rule::balanced) return;
    for (Index coord = 0; coord < axis.procs; ++coord) {
      ASSERT_GE(axis.size(coord), axis.largest() - 1);
    }
    ASSERT_EQ(axis.largest(), ceil_div(axis.n, axis.procs));
  });
}

TEST(Axis, groups_are_neighbours_that_cover_the_axis) {
  for_all_axes([](const Axis& axis) {
    ASSERT_EQ(axis.group_begin(0), 0);
    ASSERT_EQ(axis.group_begin(axis.groups()), axis.n);
    for (Index g = 0; g < axis.groups(); ++g) {
      ASSERT_LE(axis.group_begin(g), axis.group_begin(g + 1));
      for (Index j = axis.group_begin(g); j < axis.group_begin(g + 1); ++j) {
        ASSERT_EQ(axis.group_of(j), g);
      }
    }
  });
}

/// Index j belongs to coordinate (j div b) c + (j mod b) mod c at place (j mod b) div c, with
/// b = ceil(c n / p): Bisseling's group-cyclic distribution.
TEST(Axis, the_ceil_rule_is_bisselings_formula_for_every_n) {
  for_all_axes([](const Axis& axis) {
    if (axis.rule != Rule::ceil) return;
    const Index b = ceil_div(axis.cycle * axis.n, axis.procs);
    for (Index j = 0; j < axis.n; ++j) {
      ASSERT_EQ(axis.owner(j), (j / b) * axis.cycle + (j % b) % axis.cycle);
      ASSERT_EQ(axis.local(j), (j % b) / axis.cycle);
    }
  });
}

TEST(Axis, both_rules_are_bisselings_formula_where_procs_divide_n) {
  for_all_axes([](const Axis& axis) {
    if (axis.n % axis.procs != 0) return;
    const Index b = axis.cycle * axis.n / axis.procs;
    for (Index j = 0; j < axis.n; ++j) {
      ASSERT_EQ(axis.owner(j), (j / b) * axis.cycle + (j % b) % axis.cycle);
      ASSERT_EQ(axis.local(j), (j % b) / axis.cycle);
    }
  });
}

TEST(Axis, the_ends_of_group_cyclic_are_block_and_cyclic) {
  const Axis block{10, 4, 1, 1, Rule::balanced};
  EXPECT_EQ(block.local_indices(0), Progression::make(0, 1, 3));
  EXPECT_EQ(block.local_indices(1), Progression::make(3, 1, 3));
  EXPECT_EQ(block.local_indices(2), Progression::make(6, 1, 2));
  EXPECT_EQ(block.local_indices(3), Progression::make(8, 1, 2));
  const Axis fftw{10, 4, 1, 1, Rule::ceil};  // 3, 3, 3, 1
  EXPECT_EQ(fftw.local_indices(2), Progression::make(6, 1, 3));
  EXPECT_EQ(fftw.local_indices(3), Progression::make(9, 1, 1));
  for (const Rule rule : {Rule::balanced, Rule::ceil}) {
    const Axis cyclic{10, 4, 4, 1, rule};
    EXPECT_EQ(cyclic.local_indices(1), Progression::make(1, 4, 3));
    EXPECT_EQ(cyclic.local_indices(3), Progression::make(3, 4, 2));
  }
}

TEST(Axis, coordinates_repeat_with_the_rank_stride) {
  const Axis axis{12, 3, 1, 4, Rule::balanced};
  for (Index rank = 0; rank < 24; ++rank) EXPECT_EQ(axis.coord(rank), (rank / 4) % 3);
}

TEST(Axis, functions_hold_at_2_to_62) {
  const Index n = Index{1} << 62;
  for (const Index procs : {Index{1}, Index{3}, Index{96}, Index{1} << 20, (Index{1} << 31) - 1}) {
    for (const Index cycle : {Index{1}, procs}) {
      for (const Rule rule : {Rule::balanced, Rule::ceil}) {
        const Axis axis{n, procs, cycle, 1, rule};
        for (const Index j : {Index{0}, Index{1}, n / 2, n - procs, n - 1}) {
          ASSERT_GE(axis.owner(j), 0);
          ASSERT_LT(axis.owner(j), procs);
          ASSERT_EQ(axis.global(axis.owner(j), axis.local(j)), j);
        }
        ASSERT_EQ(axis.group_begin(axis.groups()), n);
      }
    }
  }
}

/// Stage k combines j and j + k/2 inside blocks of k; it is local where all these pairs have one
/// owner.
bool all_pairs_together(const Axis& axis, Index k) {
  for (Index block = 0; block < axis.n; block += k) {
    for (Index j = block; j < block + k / 2; ++j) {
      if (axis.owner(j) != axis.owner(j + k / 2)) return false;
    }
  }
  return true;
}

TEST(Axis, stages_are_local_exactly_where_all_their_pairs_share_an_owner) {
  for (Index n = 1; n <= longest; n *= 2) {
    for (Index p = 1; p <= n; p *= 2) {
      for (Index c = 1; c <= p; c *= 2) {
        for (const Rule rule : {Rule::balanced, Rule::ceil}) {
          const Axis axis{n, p, c, 1, rule};
          for (Index k = 2; k <= n; k *= 2) {
            ASSERT_EQ(axis.stage_is_local(k), all_pairs_together(axis, k))
                << "n = " << n << ", p = " << p << ", c = " << c << ", k = " << k;
          }
        }
      }
    }
  }
}

TEST(Axis, same_dealing_compares_what_every_coordinate_holds) {
  for (Index n = 1; n <= 14; ++n) {
    for (Index p = 1; p <= n + 3; ++p) {
      std::vector<Axis> all;
      for (Index c = 1; c <= p; ++c) {
        if (p % c != 0) continue;
        all.push_back({n, p, c, 1, Rule::balanced});
        all.push_back({n, p, c, 7, Rule::ceil});
      }
      for (const Axis& a : all) {
        for (const Axis& b : all) {
          bool same = true;
          for (Index j = 0; j < n; ++j) same = same && a.owner(j) == b.owner(j);
          ASSERT_EQ(same_distribution(a, b), same)
              << n << " over " << p << ": " << a.cycle << ", " << b.cycle;
        }
      }
      EXPECT_FALSE(same_distribution(all[0], Axis{n + 1, p, 1, 1, Rule::balanced}));
    }
  }
}

}  // namespace
}  // namespace kallima
