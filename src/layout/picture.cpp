// SPDX-License-Identifier: BSD-3-Clause
//
// The map of owners that `kallima plan` prints. A newcomer sees from it what block, cyclic and
// group-cyclic mean, so it shows true indices: evenly sampled where an axis is in blocks, the
// first ones where it is distributed cyclically (a sample would show a pattern that is not there).
#include <fmt/format.h>

#include <algorithm>

#include "kallima/layout.hpp"

namespace kallima {

namespace {

struct Cells {
  std::vector<Index> index;  // shown indices
  bool cut = false;          // further ones follow that are not shown
};

Cells cells_of(const Layout& layout, std::size_t a, Index most) {
  Cells cells;
  const Index n = layout.shape()[a];
  const bool cyclic = layout.is_grid() && layout.axis(a).cycle > 1;
  const Index shown = std::min(n, most);
  for (Index i = 0; i < shown; ++i) {
    // i * n / shown without overflow for n up to 2^62
    cells.index.push_back(cyclic ? i : n / shown * i + n % shown * i / shown);
  }
  cells.cut = cyclic && shown < n;
  return cells;
}

}  // namespace

std::string Layout::picture() const {
  if (axes() == 0) return {};
  const std::vector<std::string> names = axis_names(axes());
  // The two axes that tell most: cut ones first, later ones first among equals.
  std::vector<std::size_t> ranked;
  for (std::size_t a = axes(); a-- > 0;) ranked.push_back(a);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](std::size_t a, std::size_t b) { return !whole(a) && whole(b); });
  const std::size_t across = ranked[0];
  const bool flat = axes() == 1;
  std::size_t down = flat ? across : ranked[1];
  std::size_t right = across;
  if (!flat && down > right) std::swap(down, right);

  const Cells columns = cells_of(*this, right, 16);
  const Cells rows = flat ? Cells{{0}, false} : cells_of(*this, down, 8);
  const auto width = static_cast<int>(std::max(fmt::format("{}", ranks() - 1).size(),
                                               fmt::format("{}", columns.index.back()).size()));
  const auto label =
      static_cast<int>(flat ? 4
                            : std::max<std::size_t>(4, fmt::format("{}", rows.index.back()).size() +
                                                           names[down].size() + 1));

  std::vector<Index> index(axes(), 0);
  std::string text = fmt::format("{:>{}} ", names[right] + "=", label);
  for (const Index i : columns.index) text += fmt::format(" {:>{}}", i, width);
  text += columns.cut ? " ...\n" : "\n";
  for (const Index row : rows.index) {
    if (!flat) index[down] = row;
    text += fmt::format("{:>{}} ",
                        flat ? std::string("rank") : fmt::format("{}={}", names[down], row), label);
    for (const Index column : columns.index) {
      index[right] = column;
      text += fmt::format(" {:>{}}", owner(index), width);
    }
    text += columns.cut ? " ...\n" : "\n";
  }
  if (rows.cut) text += fmt::format("{:>{}}\n", "...", label);
  return text;
}

}  // namespace kallima
