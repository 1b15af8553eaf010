// SPDX-License-Identifier: BSD-3-Clause
//
// Layer by layer, by the number of exchanges: up to the fewest that lead to the end, and one more,
// which may be cheaper where messages are many and short. Several ways to the same standing are
// kept, since what is cheapest to exchange is not always cheapest to sweep.
#include "planner/search.hpp"

#include <algorithm>
#include <bit>

#include "exchange/method.hpp"
#include "machine/rate_interpolation.hpp"
#include "planner/cyclic_steps.hpp"

namespace kallima {

namespace {

Standing transformed(const PlanRequest& request, Layout layout, std::vector<bool> done) {
  Standing at{std::move(layout), std::move(done)};
  if (is_real(request, at)) {
    // Nothing else can be transformed before the r2c axis.
    const std::size_t r2c_axis = request.problem.r2c_axis_index();
    if (!at.layout.whole(r2c_axis)) return at;
    at.layout = at.layout.with_extent(r2c_axis, request.problem.frequencies_along(r2c_axis));
    at.done[r2c_axis] = true;
  }
  for (std::size_t a = 0; a < at.done.size(); ++a) {
    const bool one_each = request.problem.shape[a] == 1 && !at.layout.several_boxes();
    if (at.done[a] || !(request.problem.idle(a) || one_each || at.layout.whole(a))) continue;
    at.done[a] = true;
    if (!request.problem.truncated(a)) continue;
    at.layout = at.layout.with_extent(a, request.problem.frequencies_along(a));
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
  // Exact: with a rounded share, one of two ranks could hold all of an odd number of elements.
  __extension__ using Wide = unsigned __int128;
  const auto ratio = static_cast<std::uint64_t>(static_cast<Wide>(layout.largest_local_size()) *
                                                static_cast<Wide>(request.ranks) /
                                                static_cast<Wide>(volume(layout.shape())));
  return static_cast<int>(std::bit_width(std::max<std::uint64_t>(1, ratio))) - 1;
}

/// Axes that the planner may distribute where it chooses the layout.
std::ptrdiff_t axes_to_cut(const Problem& problem) {
  return std::ssize(problem.shape) -
         std::count(problem.axes.begin(), problem.axes.end(), AxisKind::batch);
}

Proposals start_proposals(const PlanRequest& request) {
  Proposals starts;
  if (request.in) return {*request.in};
  if (open_to(request, Decomposition::slab)) propose_slab_starts(request, starts);
  if (open_to(request, Decomposition::pencil)) propose_pencil_starts(request, starts);
  // Cyclic only where it is asked for or nothing else can be cut: people expect blocks.
  if (request.decomposition == Decomposition::cyclic || axes_to_cut(request.problem) == 1) {
    if (open_to(request, Decomposition::cyclic)) propose_cyclic_starts(request, starts);
  }
  if (open_to(request, Decomposition::gather)) propose_gather(request.problem.shape, starts);
  if (request.padded) {
    // Rows that are padded are those that are contiguous.
    for (Layout& start : starts) {
      std::vector<int> order = start.order();
      const auto r2c_axis = static_cast<int>(request.problem.r2c_axis_index());
      order.erase(std::find(order.begin(), order.end(), r2c_axis));
      order.push_back(r2c_axis);
      start = start.with_order(order);
    }
  }
  return starts;
}

/// Where the output is wanted, with the extents of positions along axes that are not done yet:
/// empty where it is not whole along one that is still to lose elements.
std::optional<Layout> wanted(const PlanRequest& request, const Standing& from) {
  if (!request.out) return std::nullopt;
  const Problem& problem = request.problem;
  Layout out = *request.out;
  for (std::size_t a = 0; a < from.done.size(); ++a) {
    if (from.done[a] || !problem.shrinks(a)) continue;
    if (!out.whole(a)) return std::nullopt;
    out = out.with_extent(a, problem.shape[a]);
  }
  return out;
}

/// True where a batch is cut, of which every rank is to hold all.
bool cuts_batch(const Problem& problem, const Layout& layout) {
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    if (problem.axis_kind(a) == AxisKind::batch && !layout.whole(a)) return true;
  }
  return false;
}

Proposals proposals(const PlanRequest& request, const Standing& from) {
  Proposals next;
  if (const std::optional<Layout> out = wanted(request, from)) next.push_back(*out);
  if (all_done(from)) return next;
  if (open_to(request, Decomposition::slab)) propose_slabs(request, from, next);
  if (open_to(request, Decomposition::pencil)) propose_pencils(request, from, next);
  if (open_to(request, Decomposition::cyclic)) propose_cyclic(request, from, next);
  if (open_to(request, Decomposition::gather)) propose_gather(from.layout.shape(), next);
  // A plan may end with any of these where it may end anywhere.
  if (!request.out) {
    std::erase_if(next, [&](const Layout& to) { return cuts_batch(request.problem, to); });
  }
  return next;
}

/// Where the proposals lead that transform something or arrive, within a class of balance.
std::vector<Standing> reachable(const PlanRequest& request, const Standing& from, int limit) {
  std::vector<Standing> result;
  for (const Layout& layout : proposals(request, from)) {
    if (layout == from.layout) continue;
    Standing next = transformed(request, layout, from.done);
    if (is_real(request, next)) continue;
    const bool is_out = request.out && next.layout == *request.out;
    if (!is_out && imbalance(request, layout) > limit) continue;
    const bool progress = next.done != from.done || arrived(request, next) ||
                          (open_to(request, Decomposition::cyclic) &&
                           find_cyclic_steps(request.problem, next.layout, next.done));
    if (progress && std::find(result.begin(), result.end(), next) == result.end()) {
      result.push_back(std::move(next));
    }
  }
  return result;
}

/// How a node was reached: from a node before, in one of the ways that one was reached.
struct Arrival {
  std::size_t layer = 0;
  std::size_t node = 0;
  std::size_t way = 0;
  bool cyclic = false;
  double seconds = 0.;  // of the exchanges up to here
};

struct Node {
  Standing at;
  std::vector<Arrival> ways;  // the cheapest few, cheapest first
};

/// An edge, and where it leads.
struct Move {
  Standing to;
  Index exchanges = 1;
  double seconds = 0.;
  std::size_t layer = 0;  // of the node it leaves
  std::size_t node = 0;
  bool cyclic = false;
};

class Search {
 public:
  Search(const PlanRequest& request, const Machine& machine, ExchangeMethod method, int limit)
      : request_(request),
        machine_(machine),
        method_(method),
        limit_(limit),
        per_node_(ranks_on_a_node(request.placement.ranks_per_node, machine, request.ranks)),
        rates_(machine, per_node_),
        layers_(most_exchanges() + 1),
        into_(most_exchanges() + 1) {}

  std::vector<Path> paths() {
    const std::vector<bool> nothing(request_.problem.shape.size(), false);
    for (const Layout& start : start_proposals(request_)) {
      if (!request_.in && imbalance(request_, start) > limit_) continue;
      layers_[0].push_back({transformed(request_, start, nothing), {Arrival{}}});
    }
    std::size_t last = most_exchanges();
    bool found = false;
    for (std::size_t l = 0; l <= last; ++l) {
      for (const Move& move : into_[l]) arrive(l, move);
      into_[l].clear();
      const auto done = [&](const Node& node) { return arrived(request_, node.at); };
      if (!found && std::any_of(layers_[l].begin(), layers_[l].end(), done)) {
        found = true;
        last = std::min(last, l + more_exchanges);
      }
      if (l < last) extend(l, found ? few_nodes : layers_[l].size());
    }
    return found ? cheapest(last) : std::vector<Path>{};
  }

 private:
  using Layer = std::vector<Node>;

  static constexpr std::size_t most_paths = 24;
  static constexpr std::size_t most_ways = 4;       // to one node
  static constexpr std::size_t few_nodes = 32;      // that are gone on from, once there is a path
  static constexpr std::size_t more_exchanges = 1;  // than the fewest

  [[nodiscard]] std::size_t most_exchanges() const {
    return 2 * request_.problem.shape.size() + 64;
  }

  void arrive(std::size_t layer, const Move& move) {
    Layer& nodes = layers_[layer];
    const auto same = [&](const Node& node) { return node.at == move.to; };
    auto known = std::find_if(nodes.begin(), nodes.end(), same);
    if (known == nodes.end()) {
      nodes.push_back({move.to, {}});
      known = nodes.end() - 1;
    }
    const std::vector<Arrival>& before = layers_[move.layer][move.node].ways;
    for (std::size_t way = 0; way < before.size(); ++way) {
      const Arrival here{move.layer, move.node, way, move.cyclic,
                         before[way].seconds + move.seconds};
      const auto behind = std::upper_bound(
          known->ways.begin(), known->ways.end(), here,
          [](const Arrival& a, const Arrival& b) { return a.seconds < b.seconds; });
      known->ways.insert(behind, here);
      if (known->ways.size() > most_ways) known->ways.pop_back();
    }
  }

  /// Goes on from the cheapest nodes of a layer.
  void extend(std::size_t layer, std::size_t most) {
    const Layer& nodes = layers_[layer];
    std::vector<std::size_t> order(nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (most < order.size()) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return nodes[a].ways.front().seconds < nodes[b].ways.front().seconds;
      });
      order.resize(most);
    }
    for (const std::size_t node : order) {
      if (arrived(request_, nodes[node].at)) continue;
      for (Move& move : moves_from(nodes[node].at)) {
        move.layer = layer;
        move.node = node;
        const std::size_t target = layer + static_cast<std::size_t>(move.exchanges);
        if (target < into_.size()) into_[target].push_back(std::move(move));
      }
    }
  }

  [[nodiscard]] std::vector<Move> moves_from(const Standing& at) const {
    std::vector<Move> moves;
    for (Standing& to : reachable(request_, at, limit_)) {
      const double seconds =
          exchanged(at.layout, with_shape(to.layout, at.layout.shape()), holds_reals(at));
      moves.push_back({std::move(to), 1, seconds, 0, 0, false});
    }
    if (all_done(at) || is_real(request_, at) || !open_to(request_, Decomposition::cyclic))
      return moves;
    const std::optional<CyclicSteps> cyclic =
        find_cyclic_steps(request_.problem, at.layout, at.done);
    if (!cyclic) return moves;
    double seconds = 0.;
    for (std::size_t i = 1; i < cyclic->layouts.size(); ++i) {
      seconds += exchanged(cyclic->layouts[i - 1], cyclic->layouts[i], false);
    }
    const std::vector<bool> all(at.done.size(), true);
    moves.push_back(
        {{at.layout, all}, static_cast<Index>(cyclic->layouts.size()) - 1, seconds, 0, 0, true});
    return moves;
  }

  [[nodiscard]] bool holds_reals(const Standing& at) const {
    return is_real(request_, at) || request_.problem.kind == Kind::r2r;
  }

  /// Seconds of an exchange, and of one more pass over what the fullest rank then holds.
  [[nodiscard]] double exchanged(const Layout& from, const Layout& to, bool real) const {
    const Index bytes = Element{!real, request_.problem.precision}.bytes();
    const Setting setting{machine_, std::max(from.ranks(), to.ranks()), per_node_,
                          rates_.oversubscription(), Model::loggp};
    const auto held = static_cast<double>(to.largest_local_size() * bytes);
    const double pass = held * rates_([&](const Speed& speed) { return speed.copy.at(held); });
    return method_of(method_).estimate(setting, from, to, bytes) + pass;
  }

  /// Of all ways to where the data is wanted.
  [[nodiscard]] std::vector<Path> cheapest(std::size_t last) const {
    std::vector<Arrival> ends;  // each as if one went on from there
    for (std::size_t l = 0; l <= last; ++l) {
      for (std::size_t n = 0; n < layers_[l].size(); ++n) {
        if (!arrived(request_, layers_[l][n].at)) continue;
        for (std::size_t way = 0; way < layers_[l][n].ways.size(); ++way) {
          ends.push_back({l, n, way, false, layers_[l][n].ways[way].seconds});
        }
      }
    }
    std::stable_sort(ends.begin(), ends.end(),
                     [](const Arrival& a, const Arrival& b) { return a.seconds < b.seconds; });
    if (ends.size() > most_paths) ends.resize(most_paths);
    std::vector<Path> paths;
    for (const Arrival& end : ends) paths.push_back(path_to(end));
    return paths;
  }

  [[nodiscard]] Path path_to(const Arrival& end) const {
    Path path;
    for (Arrival here = end;;) {
      const Node& node = layers_[here.layer][here.node];
      const Arrival& from = node.ways[here.way];
      path.push_back({node.at, from.cyclic});
      if (here.layer == 0) break;
      here = from;
    }
    path.back().by_cyclic_steps = false;
    std::reverse(path.begin(), path.end());
    return path;
  }

  const PlanRequest& request_;
  const Machine& machine_;
  ExchangeMethod method_;
  int limit_;
  Index per_node_;
  RateInterpolation rates_;
  std::vector<Layer> layers_;            // by exchanges
  std::vector<std::vector<Move>> into_;  // moves that end in a layer
};

}  // namespace

/// A layout with other extents: standings have the r2c axis done before it is exchanged.
Layout with_shape(Layout layout, const Shape& shape) {
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (layout.shape()[a] != shape[a]) layout = layout.with_extent(a, shape[a]);
  }
  return layout;
}

std::vector<Path> find_paths(const PlanRequest& request, const Machine& machine,
                             ExchangeMethod method, int limit) {
  return Search(request, machine, method, limit).paths();
}

}  // namespace kallima
