// SPDX-License-Identifier: BSD-3-Clause
//
// The choice among the ways: a search over layouts, breadth first by exchanges.
//
// Balance comes first, in powers of two: a slab that leaves half of the ranks idle loses against a
// pencil with one exchange more. Within a class of balance the fewest exchanges win, then bytes,
// then messages, then the smaller largest array. Prices of a machine will replace this order.
//
// Bytes cost O(P) to count, so they are counted only on edges of shortest paths.
#include "kallima/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "planner/ways.hpp"

namespace kallima {

namespace {

struct Cost {
  Index elements = 0;
  Index messages = 0;
  Index largest = 0;

  friend auto operator<=>(const Cost&, const Cost&) = default;
};

struct Node {
  Standing at;
  std::size_t came_from = 0;  // node of the layer before
  Cost cost;                  // of the cheapest way here
};

using Layer = std::vector<Node>;

Standing transformed(const PlanRequest& request, Layout layout, std::vector<bool> done) {
  Standing at{std::move(layout), std::move(done)};
  for (std::size_t a = 0; a < at.done.size(); ++a) {
    if (request.problem.shape[a] == 1 || at.layout.whole(a)) at.done[a] = true;
  }
  return at;
}

bool all_done(const Standing& at) {
  return std::all_of(at.done.begin(), at.done.end(), [](bool done) { return done; });
}

bool arrived(const PlanRequest& request, const Standing& at) {
  return all_done(at) && (!request.out || at.layout == *request.out);
}

/// Largest local array in units of an even share, rounded down to a power of two.
int imbalance(const PlanRequest& request, const Layout& layout) {
  const Index share = ceil_div(request.problem.elements(), request.ranks);
  const auto ratio = static_cast<std::uint64_t>(layout.largest_local_size() / share);
  return static_cast<int>(std::bit_width(std::max<std::uint64_t>(1, ratio))) - 1;
}

Proposals proposals(const PlanRequest& request, const Standing& from) {
  Proposals next;
  if (request.out) next.push_back(*request.out);
  if (all_done(from)) return next;
  propose_slabs(request, from, next);
  propose_pencils(request, from, next);
  propose_gather(request, next);
  return next;
}

/// Where the proposals lead that transform something or arrive, within a class of balance.
std::vector<Standing> reachable(const PlanRequest& request, const Standing& from, int limit) {
  std::vector<Standing> result;
  for (const Layout& layout : proposals(request, from)) {
    if (layout == from.layout) continue;
    const bool is_out = request.out && layout == *request.out;
    if (!is_out && imbalance(request, layout) > limit) continue;
    Standing next = transformed(request, layout, from.done);
    const bool progress = next.done != from.done || arrived(request, next);
    if (progress && std::find(result.begin(), result.end(), next) == result.end()) {
      result.push_back(std::move(next));
    }
  }
  return result;
}

/// Path of layouts with the fewest exchanges and, among those, the least cost; empty if none.
std::vector<Layout> search(const PlanRequest& request, const Proposals& starts, int limit) {
  std::vector<Layer> layers(1);
  for (const Layout& start : starts) {
    if (!request.in && imbalance(request, start) > limit) continue;
    const std::vector<bool> nothing(request.problem.shape.size(), false);
    layers[0].push_back(
        {transformed(request, start, nothing), 0, {0, 0, start.largest_local_size()}});
  }
  const std::size_t most = request.problem.shape.size() + 2;
  while (layers.size() <= most) {
    const Layer& last = layers.back();
    const bool there = std::any_of(last.begin(), last.end(),
                                   [&](const Node& node) { return arrived(request, node.at); });
    if (there) break;
    // First who can be reached, then at what cost: only edges that may lie on a shortest path.
    Layer next;
    std::vector<std::vector<std::size_t>> from;
    for (std::size_t i = 0; i < last.size(); ++i) {
      for (Standing& at : reachable(request, last[i].at, limit)) {
        std::size_t n = 0;
        while (n < next.size() && !(next[n].at == at)) ++n;
        if (n == next.size()) {
          next.push_back({std::move(at), 0, {}});
          from.emplace_back();
        }
        from[n].push_back(i);
      }
    }
    if (next.empty()) return {};
    const bool final_layer = std::any_of(
        next.begin(), next.end(), [&](const Node& node) { return arrived(request, node.at); });
    for (std::size_t n = 0; n < next.size(); ++n) {
      if (final_layer && !arrived(request, next[n].at)) continue;
      bool first = true;
      for (const std::size_t i : from[n]) {
        const Traffic moved = traffic(last[i].at.layout, next[n].at.layout);
        const Cost cost{last[i].cost.elements + moved.elements,
                        last[i].cost.messages + moved.messages,
                        std::max(last[i].cost.largest, next[n].at.layout.largest_local_size())};
        if (first || cost < next[n].cost) {
          next[n].cost = cost;
          next[n].came_from = i;
          first = false;
        }
      }
    }
    layers.push_back(std::move(next));
  }
  std::size_t best = layers.back().size();
  for (std::size_t n = 0; n < layers.back().size(); ++n) {
    if (!arrived(request, layers.back()[n].at)) continue;
    if (best == layers.back().size() || layers.back()[n].cost < layers.back()[best].cost) best = n;
  }
  if (best == layers.back().size()) return {};
  std::vector<Layout> path;
  for (std::size_t l = layers.size(); l-- > 0;) {
    path.push_back(layers[l][best].at.layout);
    best = layers[l][best].came_from;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

/// Which axes are transformed in which state of the path: each where it is first whole, but moved
/// to a later state that would otherwise only copy. Within a state, fastest in memory first.
std::vector<std::vector<std::size_t>> deal_sweeps(const PlanRequest& request,
                                                  const std::vector<Layout>& path) {
  std::vector<std::vector<std::size_t>> sweeps(path.size());
  std::vector<bool> done(request.problem.shape.size(), false);
  for (std::size_t s = 0; s < path.size(); ++s) {
    const std::vector<int>& order = path[s].order();
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto a = static_cast<std::size_t>(order[i]);
      if (done[a] || request.problem.shape[a] == 1 || !path[s].whole(a)) continue;
      done[a] = true;
      sweeps[s].push_back(a);
    }
  }
  for (std::size_t s = 1; s < path.size(); ++s) {
    if (!sweeps[s].empty()) continue;
    for (std::size_t donor = 0; donor < s && sweeps[s].empty(); ++donor) {
      for (std::size_t i = sweeps[donor].size(); i-- > 0 && sweeps[donor].size() > 1;) {
        if (!path[s].whole(sweeps[donor][i])) continue;
        sweeps[s].push_back(sweeps[donor][i]);
        sweeps[donor].erase(sweeps[donor].begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    }
  }
  return sweeps;
}

Sweep fourier_sweep(const PlanRequest& request, const Layout& layout, std::size_t axis) {
  const Index length = layout.shape()[axis];
  const Index line_bytes =
      checked_mul(length, Element{true, request.problem.precision}.bytes(), "bytes of a line");
  const Index lines = std::max<Index>(1, layout.largest_local_size() / length);
  Sweep sweep;
  sweep.kernel = Kernel::fourier;
  sweep.digit = static_cast<int>(axis);
  constexpr Index widest = 64;
  // Lines that lie across memory come in runs of whole cache lines, two at least, however long.
  const bool fastest = layout.order().back() == static_cast<int>(axis);
  const Index narrowest = fastest ? 1 : 128 / (line_bytes / length);
  const Index fit = std::clamp<Index>(request.tile_bytes / line_bytes, narrowest, widest);
  sweep.lines =
      std::min(lines, static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(fit))));
  sweep.form = fastest || sweep.lines == 1 ? TileForm::lines : TileForm::interleaved;
  return sweep;
}

Plan plan_along(const PlanRequest& request, const std::vector<Layout>& path) {
  const std::vector<std::vector<std::size_t>> sweeps = deal_sweeps(request, path);
  std::vector<Step> steps;
  for (std::size_t s = 0; s < path.size(); ++s) {
    if (s > 0) steps.emplace_back(Exchange{path[s], request.route, {}});
    for (const std::size_t a : sweeps[s]) steps.emplace_back(fourier_sweep(request, path[s], a));
    // Messages are packed and unpacked by sweeps; where nothing is computed, a sweep that copies.
    if (sweeps[s].empty() && path.size() > 1) steps.emplace_back(Sweep{});
  }
  return {request.problem,   Direction::forward, request.ranks,
          request.placement, path.front(),       std::move(steps)};
}

void validate_layout(const Layout& layout, const PlanRequest& request, const char* which) {
  if (layout.shape() != request.problem.shape) {
    throw InvalidLayout(
        fmt::format("the {} layout '{}' is for another shape than {}; make it for the shape that "
                    "is transformed",
                    which, layout.to_text().substr(0, 200), request.problem.to_text()));
  }
  if (layout.ranks() > request.ranks) {
    throw TooFewRanks(fmt::format(
        "the {} layout needs {}, there are {}; use a layout over fewer ranks or start more", which,
        text::plural(layout.ranks(), "rank"), text::grouped(request.ranks)));
  }
}

}  // namespace

std::vector<bool> finished_axes(const PlanRequest& request, const Standing& at) {
  std::vector<bool> finished = at.done;
  for (std::size_t a = 0; a < finished.size(); ++a) {
    if (request.problem.shape[a] == 1) finished[a] = true;
  }
  return finished;
}

void validate(const PlanRequest& request) {
  validate_shape(request.problem.shape);
  checked_mul(request.problem.elements(), Element{true, request.problem.precision}.bytes(),
              "bytes of the array");
  if (request.ranks < 1) {
    throw InvalidOption(fmt::format("{} ranks; a plan needs at least 1", request.ranks));
  }
  if (request.ranks > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidOption(fmt::format("{} ranks are more than MPI can number", request.ranks));
  }
  if (request.tile_bytes < 1) {
    throw InvalidOption(fmt::format("tiles of {} bytes; give at least 1", request.tile_bytes));
  }
  if (request.placement.ranks_per_node < 0) {
    throw InvalidOption(fmt::format("{} ranks a node; give at least 1, or 0 for not known",
                                    request.placement.ranks_per_node));
  }
  if (request.in) validate_layout(*request.in, request, "input");
  if (request.out) validate_layout(*request.out, request, "output");
}

Plan make_plan(const PlanRequest& request) {
  validate(request);
  Proposals starts;
  if (request.in) {
    starts.push_back(*request.in);
  } else {
    propose_slab_starts(request, starts);
    propose_pencil_starts(request, starts);
    propose_gather(request, starts);
  }
  constexpr int worst = 63;
  for (int limit = 0; limit <= worst; ++limit) {
    const std::vector<Layout> path = search(request, starts, limit);
    if (!path.empty()) return plan_along(request, path);
  }
  throw InternalError("no way leads from the input layout to the output layout");
}

}  // namespace kallima
