// SPDX-License-Identifier: BSD-3-Clause
#include "support/configuration.hpp"

#include <algorithm>
#include <numeric>

#include "exec/threads.hpp"
#include "support/random_boxes.hpp"

namespace kallima::test {

namespace {

std::vector<int> random_order(Random& random, std::size_t axes) {
  std::vector<int> order(axes);
  std::iota(order.begin(), order.end(), 0);
  if (random.chance(30)) {
    for (std::size_t i = axes; i > 1; --i) {
      std::swap(order[i - 1],
                order[static_cast<std::size_t>(random.between(0, static_cast<Index>(i) - 1))]);
    }
  }
  return order;
}

Index random_divisor(Random& random, Index number) {
  std::vector<Index> divisors;
  for (Index d = 1; d <= number; ++d) {
    if (number % d == 0) divisors.push_back(d);
  }
  return random.pick(divisors);
}

/// Axes over a random grid of at most `ranks`, ranks numbered in a random order of the axes.
Layout random_grid(Random& random, const Shape& shape, Index ranks, std::size_t most_cut,
                   bool cyclic) {
  std::vector<Axis> axes(shape.size());
  std::vector<int> numbering(shape.size());
  std::iota(numbering.begin(), numbering.end(), 0);
  for (std::size_t i = numbering.size(); i > 1; --i) {
    std::swap(numbering[i - 1],
              numbering[static_cast<std::size_t>(random.between(0, static_cast<Index>(i) - 1))]);
  }
  const Rule rule = random.chance(35) ? Rule::ceil : Rule::balanced;
  Index left = ranks;
  Index stride = 1;
  std::size_t cut_axes = 0;
  for (const int a : numbering) {
    Axis& axis = axes[static_cast<std::size_t>(a)];
    axis.n = shape[static_cast<std::size_t>(a)];
    axis.rule = rule;
    if (cut_axes < most_cut && left > 1) {
      ++cut_axes;
      axis.procs = cut_axes == most_cut ? left : random.between(1, left);
      if (random.chance(30)) axis.procs = random.between(1, left);
      axis.cycle = cyclic ? random_divisor(random, axis.procs) : 1;
      axis.rank_stride = stride;
      stride *= axis.procs;
      left /= axis.procs;
    }
  }
  return Layout::grid(axes, random_order(random, shape.size()));
}

/// Doubles axes until there are so many elements.
void grow(Random& random, Shape& shape, Index elements) {
  while (volume(shape) < elements) {
    const auto axis = random.between(0, static_cast<Index>(shape.size()) - 1);
    shape[static_cast<std::size_t>(axis)] *= 2;
  }
}

/// Axes distributed cyclically that can be split: p^2 divides n, or n and p are powers of two, p <
/// n.
void make_rideable(Random& random, Configuration& c, Index least_elements) {
  Shape shape;
  std::vector<Index> procs;
  Index left = c.ranks;
  const Index axes = random.between(1, 4);
  constexpr Index most_elements = 4096;
  for (Index a = 0; a < axes; ++a) {
    Index p = random.between(1, std::min<Index>(left, 6));
    Index n = p * p * random.between(1, 3);
    if (random.chance(30)) {
      p = Index{1} << random.between(0, 4);
      n = p << random.between(1, 3);
    }
    if (p > left || volume(shape) * n > most_elements) {
      p = 1;
      n = random.between(1, 3);
    }
    shape.push_back(n);
    procs.push_back(p);
    left /= p;
  }
  grow(random, shape, least_elements);
  c.shape = shape;
  c.options.in = Layout::cyclic(shape, procs).with_order(random_order(random, shape.size()));
}

/// Chooses the r2c axis, the layout of its frequencies, and padding.
void make_real(Random& random, Configuration& c, bool asks_out, bool same) {
  const auto axes = static_cast<Index>(c.shape.size());
  if (random.chance(40)) c.options.r2c_axis = static_cast<int>(random.between(0, axes - 1));
  const Problem problem = c.problem();
  const std::size_t r2c_axis = problem.r2c_axis_index();
  const Shape kept = problem.frequency_shape();
  if (asks_out) c.options.out = random_layout(random, kept, c.ranks);
  if (same && c.options.in->whole(r2c_axis)) {
    c.options.out = c.options.in->with_extent(r2c_axis, kept[r2c_axis]);
  }
  const bool rows = !c.options.in || (c.options.in->whole(r2c_axis) &&
                                      c.options.in->order().back() == static_cast<int>(r2c_axis));
  if (rows && random.chance(35)) {
    c.options.padded = true;
  } else if (c.options.in && random.chance(15)) {
    c.options.in = c.options.in->with_padding(random.between(1, 5));
  }
}

/// Kinds of axes that are not all Fourier.
void choose_axes(Random& random, Configuration& c) {
  static const std::vector<AxisKind> real_kinds = {
      AxisKind::cosine_1, AxisKind::cosine_2, AxisKind::cosine_3, AxisKind::cosine_4,
      AxisKind::sine_1,   AxisKind::sine_2,   AxisKind::sine_3,   AxisKind::sine_4,
      AxisKind::none,     AxisKind::none,     AxisKind::batch};
  const std::size_t r2c_axis = c.kind == Kind::r2c ? c.problem().r2c_axis_index() : c.shape.size();
  for (std::size_t a = 0; a < c.shape.size(); ++a) {
    AxisKind kind = random.pick(real_kinds);
    if (c.kind != Kind::r2r && random.chance(50)) kind = AxisKind::fourier;
    if (a == r2c_axis) kind = random.chance(50) ? AxisKind::real : AxisKind::fourier;
    if (kind == AxisKind::cosine_1 && c.shape[a] == 1) kind = AxisKind::cosine_2;
    c.options.axes.push_back(kind);
  }
}

/// Truncates some Fourier axes; the output then has other extents.
void choose_keep(Random& random, Configuration& c) {
  const Problem whole = c.problem();
  for (std::size_t a = 0; a < c.shape.size(); ++a) {
    const bool cut = whole.axis_kind(a) <= AxisKind::real && random.chance(70);
    c.options.keep.push_back(cut ? random.between(0, c.shape[a] / 2) : -1);
  }
  if (c.options.out) {
    c.options.out = random_layout(random, c.problem().frequency_shape(), c.ranks);
  }
}

/// Boxes of the whole array, some ranks with several of them.
Layout several_boxes(Random& random, const Shape& shape, Index ranks) {
  const auto of_ranks = dealt(random, random_boxes(random, shape, 2 * ranks), ranks);
  return Layout::boxes_of_ranks(shape, of_ranks, random_order(random, shape.size()));
}

void choose_several_boxes(Random& random, Configuration& c) {
  if (!c.options.padded && random.chance(60)) {
    c.options.in = several_boxes(random, c.shape, c.ranks);
  }
  if (random.chance(60)) {
    c.options.out = several_boxes(random, c.problem().frequency_shape(), c.ranks);
  }
}

/// Arrays inside of larger ones. In place both ends have the same.
void add_margins(Random& random, Configuration& c) {
  const bool padded = c.options.padded || (c.options.in && c.options.in->padding() > 0);
  if (c.in_place) {
    if (!c.options.in || c.kind == Kind::r2c || c.problem().truncated()) return;
    c.options.in = with_random_margins(random, *c.options.in);
    c.options.out = c.options.in;
    return;
  }
  if (c.options.in && !padded && random.chance(70)) {
    c.options.in = with_random_margins(random, *c.options.in);
  }
  if (c.options.out && random.chance(70)) {
    c.options.out = with_random_margins(random, *c.options.out);
  }
}

}  // namespace

Layout with_random_margins(Random& random, const Layout& layout) {
  std::vector<Margin> margins;
  for (std::size_t a = 0; a < layout.axes(); ++a) {
    margins.push_back({random.between(0, 2), random.between(0, 2)});
  }
  return layout.with_margins(std::move(margins));
}

OwnBoxes own_boxes_of(const Layout& layout, Index rank) {
  const Layout unpadded = layout.padding_as_margin();
  OwnBoxes own;
  own.order = layout.order();
  for (std::size_t a = 0; a < layout.axes(); ++a) own.margins.push_back(unpadded.margin(a));
  for (const LocalPart& part : layout.parts(rank)) {
    Box box;
    for (const Progression& along : part.indices) {
      box.low.push_back(along.first);
      box.high.push_back(along.first + along.count);
    }
    own.boxes.push_back(std::move(box));
  }
  return own;
}

Layout random_layout(Random& random, const Shape& shape, Index ranks) {
  switch (random.between(0, 5)) {
    case 0:
      return random_grid(random, shape, ranks, 1, false);  // slab
    case 1:
      return random_grid(random, shape, ranks, 2, false);  // pencil
    case 2:
      return random_grid(random, shape, ranks, shape.size(), false);  // brick
    case 3:
      return random_grid(random, shape, ranks, shape.size(), true);  // group-cyclic
    case 4: {
      std::vector<Index> procs(shape.size(), 1);
      procs[static_cast<std::size_t>(random.between(0, static_cast<Index>(shape.size()) - 1))] =
          random.between(1, ranks);
      return Layout::cyclic(shape, procs);
    }
    default: {
      const std::vector<Box> boxes = random_boxes(random, shape, ranks);
      return Layout::boxes(shape, boxes, random_order(random, shape.size()));
    }
  }
}

Configuration make_configuration(std::uint64_t seed, std::uint64_t number, int ranks, bool all,
                                 Kind kind, bool large) {
  Random random(seed, number);
  Configuration c;
  c.kind = kind;
  c.ranks = all ? ranks : static_cast<int>(random.between(1, ranks));
  static const std::vector<Index> extents = {1,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                             10, 11, 12, 13, 16, 17, 23, 31, 64, 97};
  constexpr Index most_elements = 4096;
  const Index axes = random.chance(6) ? random.between(5, 6) : random.between(1, 4);
  for (Index a = 0; a < axes; ++a) {
    Index n = random.pick(extents);
    while (volume(c.shape) * n > most_elements) n = (n + 1) / 2;
    c.shape.push_back(n);
  }
  if (random.chance(50)) std::reverse(c.shape.begin(), c.shape.end());
  // Each of p ranks sends N / p^2 elements to another, and MPI asks first from 4 or 64 KiB on.
  const Index least_elements = large ? Index{5000} * c.ranks * c.ranks : 0;
  grow(random, c.shape, least_elements);
  if (random.chance(20)) make_rideable(random, c, least_elements);
  c.single = random.chance(40);
  c.in_place = random.chance(35);
  const bool rides = c.options.in.has_value();
  if (!rides && random.chance(75)) c.options.in = random_layout(random, c.shape, c.ranks);
  const bool asks_out = random.chance(60);
  const bool same = c.options.in && random.chance(rides ? 60 : 20);
  if (kind == Kind::r2c) {
    make_real(random, c, asks_out, same);
  } else {
    if (asks_out) c.options.out = random_layout(random, c.shape, c.ranks);
    if (same) c.options.out = c.options.in;
  }
  // A stream of its own: configurations of Fourier transforms stay what they are.
  Random kinds(seed, ~number);
  if (kind == Kind::r2r || kinds.chance(30)) choose_axes(kinds, c);
  Random cuts(seed + (std::uint64_t{1} << 32), number);
  if (kind != Kind::r2r && cuts.chance(25)) choose_keep(cuts, c);
  if (kinds.chance(15)) choose_several_boxes(kinds, c);
  if (kinds.chance(25)) add_margins(kinds, c);
  c.options.scaling = random.pick<Scaling>({Scaling::none, Scaling::by_n, Scaling::by_sqrt_n});
  if (kinds.chance(20)) c.options.scaling = Scaling::by_n_forward;
  if (random.chance(30)) c.options.tile_bytes = random.pick<Index>({1, 64, 777, 4096});
  if (random.chance(30)) {
    c.options.message_bytes = random.pick<Index>({1, 7, 64, 1024}) * (large ? 1000 : 1);
  }
  c.options.large_counts = random.chance(50);
  if (exec::has_threads() && c.ranks <= 4 && random.chance(25)) {
    c.options.threads = random.pick<Index>({2, 3});
  }
  return c;
}

std::string Configuration::to_text() const {
  return problem().to_text() + " on " + std::to_string(ranks) + " ranks, " +
         (in_place ? "in place" : "out of place") + ", in '" +
         (options.in ? options.in->to_text() : "any") + "', out '" +
         (options.out ? options.out->to_text() : "any") + "', scaling " +
         std::to_string(static_cast<int>(options.scaling)) + ", tiles of " +
         std::to_string(options.tile_bytes) + " bytes, messages of " +
         std::to_string(options.message_bytes) + (options.large_counts ? "" : ", in parts") + ", " +
         std::to_string(options.threads) + " threads" + (options.padded ? ", padded" : "");
}

}  // namespace kallima::test
