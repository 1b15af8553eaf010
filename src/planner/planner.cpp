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
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "plan/mirror.hpp"
#include "plan/tile.hpp"
#include "planner/ride.hpp"
#include "planner/sweep.hpp"
#include "planner/ways.hpp"

namespace kallima {

namespace {

struct Cost {
  Index numbers = 0;  // real ones; a complex element is two
  Index messages = 0;
  Index largest = 0;

  friend auto operator<=>(const Cost&, const Cost&) = default;
};

/// How a node was reached.
struct Edge {
  std::size_t layer = 0;  // of the node before
  std::size_t node = 0;
  bool ride = false;  // by a ride, or by one exchange
};

struct Node {
  Standing at;
  Edge from;
  Cost cost;  // of the cheapest way here
};

using Layer = std::vector<Node>;

/// Where a path comes by, and how.
struct Stop {
  Standing at;
  bool by_ride = false;
};

Standing transformed(const PlanRequest& request, Layout layout, std::vector<bool> done) {
  Standing at{std::move(layout), std::move(done)};
  if (is_real(request, at)) {
    // Nothing else can be transformed before the axis that is halved.
    const std::size_t halved = request.problem.halved_axis();
    if (!at.layout.whole(halved)) return at;
    at.layout = at.layout.with_extent(halved, halved_extent(at.layout.shape()[halved]));
    at.done[halved] = true;
  }
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
  // Exact: with a rounded share, one of two ranks could hold all of an odd number of elements.
  __extension__ using Wide = unsigned __int128;
  const auto ratio = static_cast<std::uint64_t>(static_cast<Wide>(layout.largest_local_size()) *
                                                static_cast<Wide>(request.ranks) /
                                                static_cast<Wide>(volume(layout.shape())));
  return static_cast<int>(std::bit_width(std::max<std::uint64_t>(1, ratio))) - 1;
}

bool open_to(const PlanRequest& request, Way way) {
  return request.way == Way::any || request.way == way;
}

Proposals start_proposals(const PlanRequest& request) {
  Proposals starts;
  if (request.in) return {*request.in};
  if (open_to(request, Way::slab)) propose_slab_starts(request, starts);
  if (open_to(request, Way::pencil)) propose_pencil_starts(request, starts);
  // Cards only where they are asked for or nothing else can be cut: people expect blocks.
  if (request.way == Way::cyclic || request.problem.shape.size() == 1) {
    if (open_to(request, Way::cyclic)) propose_cyclic_starts(request, starts);
  }
  if (open_to(request, Way::gather)) propose_gather(request.problem.shape, starts);
  if (request.padded) {
    // Rows that are padded are those that are contiguous.
    for (Layout& start : starts) {
      std::vector<int> order = start.order();
      const auto halved = static_cast<int>(request.problem.halved_axis());
      order.erase(std::find(order.begin(), order.end(), halved));
      order.push_back(halved);
      start = start.with_order(order);
    }
  }
  return starts;
}

Proposals proposals(const PlanRequest& request, const Standing& from) {
  Proposals next;
  const std::size_t halved = request.problem.real() ? request.problem.halved_axis() : 0;
  if (request.out && !is_real(request, from)) next.push_back(*request.out);
  if (request.out && is_real(request, from) && request.out->whole(halved)) {
    next.push_back(request.out->with_extent(halved, request.problem.shape[halved]));
  }
  if (all_done(from)) return next;
  if (open_to(request, Way::slab)) propose_slabs(request, from, next);
  if (open_to(request, Way::pencil)) propose_pencils(request, from, next);
  if (open_to(request, Way::cyclic)) propose_cyclic(request, from, next);
  if (open_to(request, Way::gather)) propose_gather(from.layout.shape(), next);
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
                          (open_to(request, Way::cyclic) && find_ride(next.layout, next.done));
    if (progress && std::find(result.begin(), result.end(), next) == result.end()) {
      result.push_back(std::move(next));
    }
  }
  return result;
}

/// An edge and where it leads.
struct Move {
  Standing to;
  Edge edge;
  Index exchanges = 1;
};

std::vector<Move> moves_from(const PlanRequest& request, const std::vector<Layer>& layers,
                             std::size_t layer, std::size_t node, int limit) {
  const Standing& at = layers[layer][node].at;
  std::vector<Move> moves;
  for (Standing& to : reachable(request, at, limit)) {
    moves.push_back({std::move(to), {layer, node, false}, 1});
  }
  if (all_done(at) || is_real(request, at) || !open_to(request, Way::cyclic)) return moves;
  if (const std::optional<Ride> ride = find_ride(at.layout, at.done)) {
    const std::vector<bool> all(at.done.size(), true);
    moves.push_back(
        {{at.layout, all}, {layer, node, true}, static_cast<Index>(ride->layouts.size()) - 1});
  }
  return moves;
}

/// A layout with other extents: standings have an axis halved before it is exchanged.
Layout with_shape(Layout layout, const Shape& shape) {
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (layout.shape()[a] != shape[a]) layout = layout.with_extent(a, shape[a]);
  }
  return layout;
}

Cost cost_of(const PlanRequest& request, const Cost& before, const Standing& from,
             const Move& move) {
  Cost cost = before;
  const bool real = is_real(request, from);
  const auto add = [&](const Layout& one, const Layout& two) {
    const Traffic moved = traffic(one, two);
    cost.numbers += real ? moved.elements : 2 * moved.elements;
    cost.messages += moved.messages;
  };
  if (move.edge.ride) {
    const std::optional<Ride> ride = find_ride(from.layout, from.done);
    for (std::size_t i = 1; i < ride->layouts.size(); ++i)
      add(ride->layouts[i - 1], ride->layouts[i]);
  } else {
    add(from.layout, with_shape(move.to.layout, from.layout.shape()));
  }
  cost.largest = std::max(cost.largest, move.to.layout.largest_local_size());
  return cost;
}

/// Stops with the fewest exchanges and, among those, the least cost; empty if there are none.
std::vector<Stop> search(const PlanRequest& request, const Proposals& starts, int limit) {
  const std::size_t most = 2 * request.problem.shape.size() + 64;
  std::vector<Layer> layers(most + 1);
  std::vector<std::vector<Move>> into(most + 1);  // moves that end in a layer
  for (const Layout& start : starts) {
    if (!request.in && imbalance(request, start) > limit) continue;
    const std::vector<bool> nothing(request.problem.shape.size(), false);
    layers[0].push_back(
        {transformed(request, start, nothing), {}, {0, 0, start.largest_local_size()}});
  }
  for (std::size_t l = 0; l <= most; ++l) {
    const bool final_layer = std::any_of(into[l].begin(), into[l].end(), [&](const Move& move) {
      return arrived(request, move.to);
    });
    for (const Move& move : into[l]) {
      if (final_layer && !arrived(request, move.to)) continue;
      const Node& before = layers[move.edge.layer][move.edge.node];
      const Cost cost = cost_of(request, before.cost, before.at, move);
      const auto same = [&](const Node& node) { return node.at == move.to; };
      const auto known = std::find_if(layers[l].begin(), layers[l].end(), same);
      if (known == layers[l].end()) {
        layers[l].push_back({move.to, move.edge, cost});
      } else if (cost < known->cost) {
        known->from = move.edge;
        known->cost = cost;
      }
    }
    const Node* best = nullptr;
    for (const Node& node : layers[l]) {
      if (!arrived(request, node.at)) continue;
      if (best == nullptr || node.cost < best->cost) best = &node;
    }
    if (best != nullptr) {
      std::vector<Stop> path;
      for (std::size_t layer = l;;) {
        path.push_back({best->at, best->from.ride});
        if (layer == 0) break;
        layer = best->from.layer;
        best = &layers[layer][best->from.node];
      }
      path.back().by_ride = false;
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (std::size_t n = 0; n < layers[l].size(); ++n) {
      for (Move& move : moves_from(request, layers, l, n, limit)) {
        const std::size_t target = l + static_cast<std::size_t>(move.exchanges);
        if (target <= most) into[target].push_back(std::move(move));
      }
    }
  }
  return {};
}

/// Which whole axes are transformed at which stop: each where it is first whole, but moved to a
/// later stop that would otherwise only copy. At a stop, fastest in memory first. What rides is not
/// listed.
std::vector<std::vector<std::size_t>> deal_sweeps(const PlanRequest& request,
                                                  const std::vector<Stop>& path) {
  std::vector<std::vector<std::size_t>> sweeps(path.size());
  std::vector<bool> done(request.problem.shape.size(), false);
  for (std::size_t s = 0; s < path.size(); ++s) {
    if (path[s].by_ride) break;
    const Layout& layout = path[s].at.layout;
    const std::vector<int>& order = layout.order();
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto a = static_cast<std::size_t>(order[i]);
      const bool halves = request.problem.real() && a == request.problem.halved_axis();
      const bool nothing_to_do = request.problem.shape[a] == 1 && !halves;
      if (done[a] || nothing_to_do || !path[s].at.done[a]) continue;
      done[a] = true;
      sweeps[s].insert(halves ? sweeps[s].begin() : sweeps[s].end(), a);
    }
  }
  for (std::size_t s = 1; s < path.size(); ++s) {
    const bool rides = path[s].by_ride || (s + 1 < path.size() && path[s + 1].by_ride);
    if (!sweeps[s].empty() || rides) continue;
    for (std::size_t donor = 0; donor < s && sweeps[s].empty(); ++donor) {
      for (std::size_t i = sweeps[donor].size(); i-- > 0 && sweeps[donor].size() > 1;) {
        if (!path[s].at.layout.whole(sweeps[donor][i])) continue;
        if (request.problem.real() && sweeps[donor][i] == request.problem.halved_axis()) continue;
        sweeps[s].push_back(sweeps[donor][i]);
        sweeps[donor].erase(sweeps[donor].begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    }
  }
  return sweeps;
}

Route route_of(const PlanRequest& request) {
  if (request.route != Route::any) return request.route;
  return request.placement.ranks_per_node >= request.ranks ? Route::windows : Route::messages;
}

/// A plane may be so many times as large as a tile. What of it leaves the second cache comes back
/// from the third one, which is cheaper than a pass over memory.
constexpr Index planes = 4;

/// Writes down the steps of a path. Messages are packed and unpacked by sweeps; where nothing is
/// computed between an exchange and its neighbour, a sweep that copies is put there.
class Writer {
 public:
  Writer(const PlanRequest& request, const Layout& start)
      : request_(request), now_(whole_axes(request.problem, Direction::forward, start)) {}

  [[nodiscard]] const State& now() const { return now_; }
  /// True between the regrouping into digits and the one back.
  [[nodiscard]] bool in_digits() const {
    return now_.digits.size() > request_.problem.shape.size();
  }

  void sweep_digit(int digit) {
    Sweep sweep = fourier_sweep(request_, now_.element.complex ? Kernel::fourier : Kernel::real,
                                now_.layout, static_cast<std::size_t>(digit));
    join_to_last(sweep);
    take(sweep);
  }

  /// Along an axis that is one digit.
  void sweep_axis(std::size_t axis) {
    for (std::size_t i = 0; i < now_.digits.size(); ++i) {
      if (now_.digits[i].axis == static_cast<int>(axis)) return sweep_digit(static_cast<int>(i));
    }
  }

  void exchange(const Layout& to) {
    if (steps_.empty() || !std::holds_alternative<Sweep>(steps_.back())) take(Sweep{});
    take(Exchange{to, route_of(request_), {}, {}});
  }

  /// From the digits of one axis of reals to its half spectrum, which is left in its place.
  void unfold() {
    const Layout half = Mirror(now_).half_layout();
    const Index n = now_.digits[0].whole * now_.layout.shape()[1];
    take(Exchange{half, route_of(request_), {}, {{0, 1, DigitKind::frequency, n}}});
    take(Sweep{});
  }

  /// An exchange behind unfold(): what is in its place is packed by a sweep of its own.
  void exchange_again(const Layout& to) {
    take(Sweep{});
    take(Exchange{to, route_of(request_), {}, {}});
  }

  void regroup(std::vector<Digit> digits, const Layout& to) {
    unpack();
    take(Regroup{std::move(digits), to});
  }

  /// Axes are one digit each again.
  void join(const Layout& layout) {
    if (!in_digits()) return;
    std::vector<Digit> digits(layout.axes());
    for (const Digit& digit : now_.digits) {
      digits[static_cast<std::size_t>(digit.axis)] = {digit.axis, 1, digit.kind, digit.whole};
    }
    regroup(std::move(digits), layout);
  }

  std::vector<Step> finish() {
    unpack();
    return std::move(steps_);
  }

 private:
  void unpack() {
    if (!steps_.empty() && std::holds_alternative<Exchange>(steps_.back())) take(Sweep{});
  }

  /// Joins a sweep to the one before, where the plane of both digits fits the cache, its rows are
  /// contiguous, and nothing is multiplied in between.
  void join_to_last(Sweep& sweep) {
    auto* const last = steps_.empty() ? nullptr : std::get_if<Sweep>(&steps_.back());
    if (last == nullptr || last->kernel == Kernel::none || last->joined) return;
    const auto digit = static_cast<std::size_t>(sweep.digit);
    const auto other = static_cast<std::size_t>(last->digit);
    const std::vector<Index> strides = now_.layout.local_strides(0);
    if ((strides[digit] == 1) == (strides[other] == 1)) return;
    if (last->kernel == Kernel::real && strides[other] != 1) return;  // reals are rows of a plane
    const Digit& swept = now_.digits[digit];
    const bool twiddles = now_.twiddle_modulus(sweep.digit) > 0 ||
                          swept.axis == now_.digits[other].axis ||
                          now_.twiddle_modulus(last->digit) > 0;
    if (twiddles) return;
    const Shape& extents = now_.layout.shape();
    Sweep& fast = strides[digit] == 1 ? sweep : *last;
    Sweep& slow = strides[digit] == 1 ? *last : sweep;
    const Index rows = extents[static_cast<std::size_t>(slow.digit)];
    const Index columns = extents[static_cast<std::size_t>(fast.digit)];
    const Index element = now_.element.bytes();
    const Index most = checked_mul(planes, request_.tile_bytes, "bytes of a plane");
    if (rows > most / element / columns || rows * padded_row(columns, element) * element > most) {
      return;
    }
    fast.lines = std::min(rows, chunk_lines(element));
    slow.lines = std::min(columns, chunk_lines(element));
    fast.form = TileForm::lines;
    slow.form = TileForm::interleaved;
    sweep.joined = true;
  }

  void take(Step step) {
    now_ = behind(now_, step, Direction::forward);
    steps_.push_back(std::move(step));
  }

  const PlanRequest& request_;
  State now_;
  std::vector<Step> steps_;
};

/// The digits a ride starts with, as they are now: what was swept is a frequency.
std::vector<Digit> as_now(const std::vector<Digit>& digits, const State& now) {
  std::vector<Digit> result = digits;
  for (Digit& digit : result) {
    digit.kind = now.digits[static_cast<std::size_t>(digit.axis)].kind;
    digit.whole = now.digits[static_cast<std::size_t>(digit.axis)].whole;
  }
  return result;
}

/// Where a path starts: the user's layout, or the first stop's with all its extents.
Layout start_of(const PlanRequest& request, const Layout& first) {
  Layout start = request.in ? *request.in : with_shape(first, request.problem.shape);
  if (!request.padded) return start;
  const Index n = start.shape()[request.problem.halved_axis()];
  return start.with_padding(2 * halved_extent(n) - n);
}

Plan plan_along(const PlanRequest& request, const std::vector<Stop>& path) {
  const std::vector<std::vector<std::size_t>> sweeps = deal_sweeps(request, path);
  const Layout start = start_of(request, path.front().at.layout);
  Writer writer(request, start);
  for (std::size_t s = 0; s < path.size(); ++s) {
    const Layout& layout = path[s].at.layout;
    const auto rides_from = [&](std::size_t stop) {
      return stop + 1 < path.size() && path[stop + 1].by_ride;
    };
    if (s + 1 < path.size() && rides_from(s + 1) && !writer.in_digits() &&
        writer.now().element.complex) {
      // The exchange goes to where a ride begins: in its digits already where this layout allows.
      const std::optional<Ride> ride = find_ride(path[s + 1].at.layout, path[s + 1].at.done);
      const std::vector<Digit> digits = as_now(ride->digits, writer.now());
      if (const std::optional<Layout> same = split(layout, digits, ride->radices)) {
        writer.regroup(digits, *same);
      }
    }
    for (const std::size_t a : sweeps[s]) writer.sweep_axis(a);
    if (rides_from(s)) {
      const std::optional<Ride> ride = find_ride(layout, path[s].at.done);
      if (!writer.in_digits()) {
        writer.regroup(as_now(ride->digits, writer.now()), ride->layouts.front());
      }
      for (std::size_t i = 0; i < ride->layouts.size(); ++i) {
        if (i > 0) writer.exchange(ride->layouts[i]);
        for (const int digit : ride->sweeps[i]) writer.sweep_digit(digit);
      }
      continue;
    }
    if (s + 1 == path.size()) {
      writer.join(layout);
      break;
    }
    // In digits from before a ride, or still in them behind one, where the next layout allows it.
    const Layout& next = path[s + 1].at.layout;
    std::optional<Layout> same;
    if (writer.in_digits()) {
      same = split(next, writer.now().digits, writer.now().layout.shape());
      if (!same) writer.join(layout);
    }
    writer.exchange(same ? *same : with_shape(next, writer.now().layout.shape()));
  }
  return {request.problem, Direction::forward, request.ranks, request.placement,
          start,           writer.finish()};
}

/// One long line on one rank rides too, and meets itself: it is split so that each sweep's lines
/// stay in the cache. Empty where that is not what is asked for.
std::optional<Plan> plan_alone(const PlanRequest& request) {
  const Shape& shape = request.problem.shape;
  if (request.ranks != 1 || shape.size() != 1 || !open_to(request, Way::cyclic) ||
      request.problem.real())
    return std::nullopt;
  const Layout layout = request.in.value_or(Layout::block(shape, {1}));
  if (!layout.is_grid() || (request.out && *request.out != layout)) return std::nullopt;
  if (ride_radices(shape[0], 1).size() < 2) return std::nullopt;
  return plan_along(request, {{{layout, {false}}, false}, {{layout, {true}}, true}});
}

/// Processors that one axis of reals can ride on: the digit that is halved must be dealt like cards
/// by both its frequencies and theirs of the whole axis.
bool can_halve(Index n, Index procs) {
  const std::vector<Index> radices = ride_radices(n, procs);
  return radices.size() == 2 && radices[0] % procs == 0 && radices[1] % procs == 0;
}

/// One axis of reals rides as complex ones do, with half of the first digit's frequencies kept, and
/// what that leaves on the wrong side of n/2 is exchanged in the end.
std::optional<Plan> plan_real_line(const PlanRequest& request) {
  const Shape& shape = request.problem.shape;
  if (!request.problem.real() || shape.size() != 1 || request.padded ||
      !open_to(request, Way::cyclic)) {
    return std::nullopt;
  }
  const Index n = shape[0];
  const auto is_cards = [&](const Layout& layout) {
    return layout == Layout::cyclic(shape, {layout.ranks()}) && can_halve(n, layout.ranks());
  };
  Index procs = std::min(request.ranks, n);
  while (procs > 0 && !can_halve(n, procs)) --procs;
  if (procs == 0) return std::nullopt;
  // A user's own cards are as good where they leave no more than half of the ranks idle.
  if (request.in && is_cards(*request.in) && 2 * request.in->ranks() > procs) {
    procs = request.in->ranks();
  }
  if (procs == 1 && request.ranks > 1) return std::nullopt;  // nothing but work for one
  const Layout cards = Layout::cyclic(shape, {procs});
  const Layout start = request.in.value_or(cards);
  const std::optional<Ride> ride = find_ride(cards, {false});
  Writer writer(request, start);
  if (start == cards) {
    writer.regroup(ride->digits, ride->layouts.front());
  } else {
    const std::optional<Layout> same =
        start.padding() > 0 ? std::nullopt : split(start, ride->digits, ride->radices);
    if (same) writer.regroup(ride->digits, *same);
    writer.exchange(same ? ride->layouts.front() : cards);
    if (!same) writer.regroup(ride->digits, ride->layouts.front());
  }
  writer.sweep_digit(0);
  const Axis halved{halved_extent(ride->radices[0]), procs, procs, 1, Rule::balanced};
  writer.exchange(Layout::grid({halved, Axis{ride->radices[1]}}, {1, 0}));
  writer.sweep_digit(1);
  writer.unfold();
  if (request.out && *request.out != writer.now().layout) {
    writer.exchange_again(*request.out);
  }
  return Plan(request.problem, Direction::forward, request.ranks, request.placement, start,
              writer.finish());
}

/// The plan of one way, or of any; empty where it leads nowhere.
std::optional<Plan> best_plan(const PlanRequest& request) {
  if (std::optional<Plan> plan = plan_alone(request)) return plan;
  if (std::optional<Plan> plan = plan_real_line(request)) return plan;
  const Proposals starts = start_proposals(request);
  constexpr int worst = 63;
  for (int limit = 0; limit <= worst; ++limit) {
    const std::vector<Stop> path = search(request, starts, limit);
    if (!path.empty()) return plan_along(request, path);
  }
  return std::nullopt;
}

/// `real` where the elements are: only they can be padded.
void validate_layout(const Layout& layout, const PlanRequest& request, const Shape& shape,
                     bool real, const char* which) {
  if (layout.shape() != shape) {
    throw InvalidLayout(fmt::format(
        "the {} layout '{}' is for another shape than {}; make it for {}", which,
        layout.to_text().substr(0, 200), request.problem.to_text(), fmt::join(shape, "x")));
  }
  if (layout.padding() > 0 && !real) {
    throw InvalidLayout(
        fmt::format("the {} layout '{}' is padded; only an array of reals can be: leave +{} out",
                    which, layout.to_text().substr(0, 200), layout.padding()));
  }
  if (layout.ranks() > request.ranks) {
    throw TooFewRanks(fmt::format(
        "the {} layout needs {}, there are {}; use a layout over fewer ranks or start more", which,
        text::plural(layout.ranks(), "rank"), text::grouped(request.ranks)));
  }
}

/// Rows that are padded lie along the axis that is halved.
void validate_rows(const Layout& layout, std::size_t halved) {
  if (layout.order().back() == static_cast<int>(halved) && layout.whole(halved)) return;
  throw InvalidOption(fmt::format(
      "padded rows lie along axis {}, which is halved, so it must be whole on every rank and "
      "fastest in memory; in '{}' it is not",
      axis_names(layout.axes())[halved], layout.to_text().substr(0, 200)));
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
  const Problem& problem = request.problem;
  if (problem.real() && problem.halved >= static_cast<int>(problem.shape.size())) {
    throw InvalidOption(fmt::format("axis {} is to be halved, there are {}; name one of them",
                                    problem.halved, problem.shape.size()));
  }
  if (request.padded && !problem.real()) {
    throw InvalidOption("padded rows are for real data; leave `padded` out");
  }
  if (request.in) {
    validate_layout(*request.in, request, problem.shape, problem.real(), "input");
    if (request.padded) validate_rows(*request.in, problem.halved_axis());
  }
  if (request.out) {
    validate_layout(*request.out, request, problem.frequency_shape(), false, "output");
  }
}

Plan make_plan(const PlanRequest& request) {
  validate(request);
  if (std::optional<Plan> plan = best_plan(request)) return *std::move(plan);
  throw InvalidOption(fmt::format(
      "the {} way does not lead from the input layout to the output layout of {}; leave it open",
      name_of(request.way), request.problem.to_text()));
}

std::vector<NamedPlan> all_plans(const PlanRequest& request) {
  validate(request);
  const Plan chosen = make_plan(request);
  std::vector<NamedPlan> plans;
  for (const Way way : {Way::slab, Way::pencil, Way::cyclic, Way::gather}) {
    PlanRequest only = request;
    only.way = way;
    std::optional<Plan> plan = best_plan(only);
    if (!plan) continue;
    const bool known = std::any_of(plans.begin(), plans.end(),
                                   [&](const NamedPlan& other) { return other.plan == *plan; });
    if (!known) plans.push_back({way, *std::move(plan)});
  }
  const auto at = std::find_if(plans.begin(), plans.end(),
                               [&](const NamedPlan& named) { return named.plan == chosen; });
  if (at == plans.end()) {
    plans.insert(plans.begin(), {Way::any, chosen});
  } else {
    std::rotate(plans.begin(), at, at + 1);
  }
  return plans;
}

std::string_view name_of(Way way) {
  switch (way) {
    case Way::any:
      return "mixed";
    case Way::slab:
      return "slab";
    case Way::pencil:
      return "pencil";
    case Way::cyclic:
      return "cyclic";
    case Way::gather:
      return "gather";
  }
  return "unknown";
}

}  // namespace kallima
