// SPDX-License-Identifier: BSD-3-Clause
//
// Halo exchanges on MPI: margins of any width, elements of any size, the same errors everywhere.
#include "kallima/halo.hpp"

#include <array>
#include <cstring>
#include <string>

#include "comm/together.hpp"
#include "support/configuration.hpp"
#include "support/random.hpp"

namespace kallima::test {
namespace {

/// An element of an odd size: its number in three bytes.
struct Three {
  std::array<unsigned char, 3> bytes{};

  static Three of(Index number) {
    Three three;
    for (std::size_t i = 0; i < 3; ++i) {
      three.bytes[i] = static_cast<unsigned char>((number >> (8 * i)) & 0xFF);
    }
    return three;
  }
  friend bool operator==(const Three&, const Three&) = default;
};

double element_of(Index number, double /*type*/) { return static_cast<double>(number); }
Three element_of(Index number, const Three& /*type*/) { return Three::of(number); }

struct Case {
  Layout layout;
  std::vector<Margin> widths;
  std::vector<bool> periodic;
};

Case random_case(Random& random, int ranks) {
  for (;;) {
    Case result;
    Shape shape;
    const Index axes = random.between(1, 3);
    for (Index a = 0; a < axes; ++a) shape.push_back(random.between(1, 9));
    result.layout = random_layout(random, shape, ranks);
    bool in_blocks = true;
    std::vector<Margin> margins;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      in_blocks = in_blocks && (!result.layout.is_grid() || result.layout.axis(a).cycle == 1);
      margins.push_back({random.between(0, 4), random.between(0, 4)});
      result.widths.push_back(
          {random.between(0, margins[a].below), random.between(0, margins[a].above)});
      result.periodic.push_back(random.chance(60));
    }
    if (!in_blocks) continue;
    result.layout = result.layout.with_margins(margins);
    return result;
  }
}

/// Calls visit(offset, number or -1) for all of a rank's array: the row-major number of the element
/// that a place stands for, -1 where it stands for none that is asked for.
template <class Visit>
void for_each_place(const Case& c, Index rank, const Visit& visit) {
  const Layout& layout = c.layout;
  const Shape own = layout.local_shape(rank);
  if (layout.local_size(rank) == 0) return;
  const std::vector<Index> strides = layout.local_strides(rank);
  Shape place(own.size());
  for (std::size_t a = 0; a < own.size(); ++a) place[a] = -layout.margin(a).below;
  for (;;) {
    Index offset = layout.first_offset(rank);
    Index number = 0;
    bool wanted = true;
    bool inside = true;
    for (std::size_t a = 0; a < own.size(); ++a) {
      const Index n = layout.shape()[a];
      const Index index = layout.local_indices(rank, a).first + place[a];
      offset += place[a] * strides[a];
      inside = inside && place[a] >= 0 && place[a] < own[a];
      wanted = wanted && place[a] >= -c.widths[a].below && place[a] < own[a] + c.widths[a].above &&
               (c.periodic[a] || (index >= 0 && index < n));
      number = number * n + ((index % n) + n) % n;
    }
    visit(static_cast<std::size_t>(offset), wanted ? number : -1, inside);
    std::size_t a = own.size();
    while (a > 0 && ++place[a - 1] == own[a - 1] + layout.margin(a - 1).above) {
      place[a - 1] = -layout.margin(a - 1).below;
      --a;
    }
    if (a == 0) return;
  }
}

template <class E>
void check(const Case& c, int rank, Complaints& complaints) {
  const E mark = element_of(8000000, E{});
  Halo<E> halo(MPI_COMM_WORLD, c.layout, c.widths, c.periodic);
  std::vector<E> data(static_cast<std::size_t>(c.layout.allocated_size(rank)), mark);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for_each_place(c, rank, [&](std::size_t offset, Index number, bool inside) {
      data[offset] = inside ? element_of(number + repeat, E{}) : mark;
    });
    halo.run(data);
    for_each_place(c, rank, [&](std::size_t offset, Index number, bool) {
      const E want = number < 0 ? mark : element_of(number + repeat, E{});
      complaints.expect(data[offset] == want, "an element is wrong at " + std::to_string(offset));
    });
  }
  complaints.equal(halo.statistics().exchanges, Index{2}, "exchanges");
}

void margins_are_filled(Together& all) {
  Random random(17);
  for (int number = 0; number < 150; ++number) {
    const Case c = random_case(random, all.ranks());
    all.run("halo of " + c.layout.to_text(), [&](Complaints& complaints) {
      if (number % 3 == 0) {
        check<Three>(c, all.rank(), complaints);
      } else {
        check<double>(c, all.rank(), complaints);
      }
    });
  }
}

void mistakes_are_the_same_error_everywhere(Together& all) {
  const Layout layout = Layout::slab({8, 6}, all.ranks()).with_margins(1);
  const auto refuse = [&](const std::string& name, const std::string& code, const auto& make) {
    expect_refused(all, name, code, make);
  };
  refuse("a halo wider than the margins", "invalid_layout", [&] {
    const std::vector<Margin> widths(2, all.rank() == 0 ? Margin{2, 2} : Margin{1, 1});
    Halo<double>(MPI_COMM_WORLD, layout, widths, {true, true});
  });
  refuse("too few ranks", "too_few_ranks", [&] {
    Halo<double>(MPI_COMM_WORLD, Layout::slab({8, 6}, 7).with_margins(1));
  });
  if (all.ranks() > 1) {
    refuse("other layouts", "mismatched_arguments", [&] {
      Halo<double>(MPI_COMM_WORLD,
                   Layout::slab({8, all.rank() == 0 ? 6 : 5}, all.ranks()).with_margins(1));
    });
    refuse("other elements", "mismatched_arguments", [&] {
      if (all.rank() == 0) {
        Halo<double>(MPI_COMM_WORLD, layout);
      } else {
        Halo<float>(MPI_COMM_WORLD, layout);
      }
    });
  }
}

int run() {
  Together all;
  margins_are_filled(all);
  mistakes_are_the_same_error_everywhere(all);
  return all.finish("halo cases");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::under_mpi(argc, argv, kallima::test::run); }
