// SPDX-License-Identifier: BSD-3-Clause
#include "plan/schedule.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/root_table.hpp"
#include "plan/chunks.hpp"
#include "plan/nodes.hpp"
#include "plan/relays.hpp"
#include "plan/tile.hpp"

namespace kallima {

namespace {

Area other(Area area) { return area == Area::output ? Area::workspace : Area::output; }

bool is_exchange(const Plan& plan, std::size_t step) { return exchange_at(plan, step) != nullptr; }

/// A sweep that shares the pass of the one before.
bool is_joined(const Plan& plan, std::size_t step) {
  if (step >= plan.steps().size()) return false;
  const auto* const sweep = std::get_if<Sweep>(&plan.steps()[step]);
  return sweep != nullptr && sweep->joined;
}

/// A sweep that computes nothing.
bool copies(const Plan& plan, const Leg& leg) {
  const auto* const sweep = std::get_if<Sweep>(&plan.steps()[static_cast<std::size_t>(leg.step)]);
  return sweep != nullptr && sweep->kernel == Kernel::none;
}

/// An exchange whose parts take each other's places.
bool is_pipelined(const Plan& plan, std::size_t step) { return chunks_at(plan, step).parts() > 1; }

/// Reads and writes the same lines at the same places, so it can stay in its area.
bool can_stay(const Plan& plan, const Leg& leg) {
  if (leg.step == Leg::copy || leg.gathers || leg.scatters) return false;
  const auto step = static_cast<std::size_t>(leg.step);
  if (is_pipelined(plan, step)) return true;
  // Reals and their frequencies differ in size.
  return !is_exchange(plan, step) &&
         plan.states()[step].element == plan.states()[leg.last() + 1].element;
}

/// Areas backwards from the output; the sweep at leg `mover` changes area though it could stay.
void assign(const Plan& plan, std::vector<Leg>& legs, std::size_t mover) {
  Area area = Area::output;
  for (std::size_t i = legs.size(); i-- > 0;) {
    legs[i].to = area;
    if (!can_stay(plan, legs[i]) || i == mover) area = other(area);
    legs[i].from = area;
  }
}

Area other_window(Area window) {
  return window == Area::window ? Area::other_window : Area::window;
}

/// Behind the last leg of the group that begins at `first`: sweeps up to an exchange.
std::size_t end_of_group(const Plan& plan, const std::vector<Leg>& legs, std::size_t first) {
  while (first < legs.size() && !is_exchange(plan, static_cast<std::size_t>(legs[first].step))) {
    ++first;
  }
  return first;
}

/// A single sweep between exchanges that goes back to where it came from: the exchange before took
/// the layout that the one behind makes again.
bool returns(const Plan& plan, const std::vector<Leg>& legs, std::size_t first) {
  const std::size_t end = end_of_group(plan, legs, first);
  if (first == 0 || end != first + 1 || end >= legs.size()) return false;
  const auto step = static_cast<std::size_t>(legs[first].step);
  const State& taken = plan.states()[step - 1];
  const State& made = plan.states()[legs[first].last() + 2];
  return taken.layout == made.layout && taken.element == made.element;
}

/// Assigns areas to the legs of a plan whose exchanges go by windows, group of sweeps by group.
void assign_windows(const Plan& plan, bool in_place, std::vector<Leg>& legs) {
  Area at = in_place ? Area::output : Area::input;
  bool at_home = true;  // in this rank's own memory, in the layout of the group
  bool packed = false;  // as pieces, one for each rank
  for (std::size_t first = 0; first < legs.size();) {
    const std::size_t end = end_of_group(plan, legs, first);
    const bool last = end == legs.size();
    Leg& leading = legs[first];
    leading.pulls = !at_home;
    leading.gathers = packed;
    leading.from = at;
    const bool pushes = !at_home && returns(plan, legs, first);
    const bool stays = at_home && first > 0 && can_stay(plan, leading);
    if (last) {
      at = Area::output;
    } else if (first == 0) {
      at = Area::window;
    } else if (!stays && !pushes) {
      at = other_window(at);
    }
    // Legs stay where they are, but for the one of a group that cannot: it comes from the
    // workspace. The second of two copies sees what the first left in other digits.
    const bool copies_again =
        end == first + 2 && !last && copies(plan, leading) && copies(plan, legs[first + 1]);
    Area area = at;
    for (std::size_t i = end - 1; i > first; --i) {
      legs[i].to = area;
      if (copies_again || !can_stay(plan, legs[i])) area = Area::workspace;
      legs[i].from = area;
    }
    leading.to = area;
    legs[end - 1].pushes = pushes;
    at_home = pushes;
    // As pieces, in the order in which those who take them want them; but not where this or another
    // leg has to stay in place, or where what was pulled is pushed back to the same places.
    packed = !last && !pushes && !stays && (end == first + 1 || copies_again) &&
             !returns(plan, legs, end + 1);
    legs[end - 1].scatters = packed;
    if (!last) {
      legs[end].meets = true;
      legs[end].from = legs[end].to = at;
    }
    first = end + 1;
  }
}

/// Assigns areas to the legs of a plan whose exchanges go by nodes, group of sweeps by group.
/// Within a group legs stay where they are if they can; output and workspace take turns where they
/// cannot.
void assign_nodes(const Plan& plan, bool in_place, std::vector<Leg>& legs) {
  Area at = in_place ? Area::output : Area::input;
  Area window = Area::window;
  for (std::size_t first = 0; first < legs.size();) {
    const std::size_t end = end_of_group(plan, legs, first);
    const bool last = end == legs.size();
    Area area = last ? Area::output : window;
    for (std::size_t i = end; i-- > first;) {
      legs[i].to = area;
      if (!can_stay(plan, legs[i])) area = other(area);
      legs[i].from = area;
    }
    legs[first].from = at;
    if (first == 0 && in_place && legs[0].to == Area::output && !can_stay(plan, legs[0])) {
      for (std::size_t i = 0; i + 1 < end; ++i) {
        legs[i].to = other(legs[i].to);
        legs[i + 1].from = legs[i].to;
      }
    }
    if (last) return;
    legs[end].from = legs[end].to = at = window;
    window = other_window(window);
    first = end + 1;
  }
}

}  // namespace

Schedule schedule(const Plan& plan, bool in_place) {
  Schedule result;
  result.in_place = in_place;
  const bool windows = plan.goes_by(ExchangeMethod::shared_memory);
  const std::size_t steps = plan.steps().size();
  for (std::size_t i = 0; i < steps; ++i) {
    if (std::holds_alternative<Regroup>(plan.steps()[i])) continue;
    Leg leg;
    leg.step = static_cast<int>(i);
    if (is_joined(plan, i + 1)) leg.steps = 2;
    if (!is_exchange(plan, i) && !windows) {
      leg.gathers = i > 0 && is_exchange(plan, i - 1);
      leg.scatters = is_exchange(plan, leg.last() + 1);
    }
    i = leg.last();
    result.legs.push_back(leg);
  }
  if (result.legs.empty()) {
    if (!in_place) result.legs.push_back({});
    return result;
  }
  std::vector<Leg>& legs = result.legs;
  if (windows) {
    assign_windows(plan, in_place, legs);
    return result;
  }
  if (plan.goes_by(ExchangeMethod::node_aggregated)) {
    assign_nodes(plan, in_place, legs);
    return result;
  }
  assign(plan, legs, legs.size());
  if (!in_place) {
    legs.front().from = Area::input;
    return result;
  }
  // In place: the first leg reads the output area, so it must write elsewhere or stay exactly.
  if (legs.front().to == Area::output && !can_stay(plan, legs.front())) {
    std::size_t mover = legs.size();
    for (std::size_t i = 1; i < legs.size(); ++i) {
      const bool exchange = is_exchange(plan, static_cast<std::size_t>(legs[i].step));
      if (!exchange && can_stay(plan, legs[i])) mover = i;
    }
    assign(plan, legs, mover);
    if (mover == legs.size()) {
      legs.front().from = Area::workspace;
      Leg copy;
      copy.from = Area::output;
      copy.to = Area::workspace;
      legs.insert(legs.begin(), copy);
      return result;
    }
  }
  legs.front().from = Area::output;
  return result;
}

Index output_capacity(const Plan& plan, bool in_place, Index rank) {
  const auto room = [&](const State& state) {
    const Index size = state.layout.room(rank);
    return state.element.complex ? size : size / 2;
  };
  const Index out = room(plan.states().back());
  return in_place ? std::max(out, room(plan.states().front())) : out;
}

Index positions_along(const Plan& plan, const Leg& leg, const Sweep& sweep) {
  const auto digit = static_cast<std::size_t>(sweep.digit);
  return std::max(plan.states()[static_cast<std::size_t>(leg.step)].layout.shape()[digit],
                  plan.states()[leg.last() + 1].layout.shape()[digit]);
}

std::vector<Placed> placed_lanes(const std::vector<Lane>& lanes, bool in_output, Index capacity) {
  std::vector<Placed> result;
  Index at = 0;
  Index spilled = 0;
  bool spills = false;
  for (const Lane& lane : lanes) {
    spills = spills || (in_output && at + lane.room() > capacity);
    Index& next = spills ? spilled : at;
    result.push_back({spills, next});
    next += lane.room();
  }
  return result;
}

bool uniform(const Plan& plan) {
  for (const State& state : plan.states()) {
    const Layout& layout = state.layout;
    if (!layout.is_grid() || layout.ranks() != plan.ranks()) return false;
    for (std::size_t a = 0; a < layout.axes(); ++a) {
      if (!layout.axis(a).even()) return false;
    }
  }
  return true;
}

namespace {

/// Room for the lanes of the pipelined exchange at a step, in complex elements. Where all ranks
/// hold the same, a bound that does without listing parts.
class PipelinedRoom {
 public:
  PipelinedRoom(const Plan& plan, std::size_t step) : plan_(plan), step_(step) {
    if (uniform(plan)) {
      largest_part_ = PartBegins(plan, step).largest();
    } else {
      rooms_.emplace(plan, step);
    }
  }

  [[nodiscard]] LaneRoom of(Index rank) const {
    const State& before = plan_.states()[step_];
    const LaneRoom room = rooms_ ? rooms_->of(rank) : bound(rank);
    return {in_complex(room.all, before.element), in_complex(room.largest, before.element)};
  }

 private:
  [[nodiscard]] LaneRoom bound(Index rank) const {
    const auto with_part = [&](Index size) {
      return size + 1 + static_cast<Index>(largest_part_ * static_cast<double>(size));
    };
    return {with_part(plan_.states()[step_].layout.local_size(rank)),
            with_part(std::get<Exchange>(plan_.steps()[step_]).traffic.largest_message)};
  }

  const Plan& plan_;
  std::size_t step_;
  double largest_part_ = 1.;        // over the message, where all ranks hold the same
  std::optional<LaneRooms> rooms_;  // where they do not
};

/// What one leg needs, rank by rank. Nodes and relays, whose ranks need what others send, aside.
class LegNeeds {
 public:
  LegNeeds(const Plan& plan, const Schedule& schedule, const Leg& leg)
      : plan_(plan), in_place_(schedule.in_place), leg_(leg) {
    if (leg.step != Leg::copy) exchange_ = exchange_at(plan, first_step());
    if (leg.scatters) behind_ = exchange_at(plan, leg.last() + 1);
    if (by_lanes()) lanes_.emplace(plan, first_step());
  }

  /// Makes room for the array, or the messages, that the leg leaves on a rank.
  void add_arrays(Index rank, Workspace& need) const {
    if (no_array()) return;
    if (Index* const area = area_of(need)) {
      *area = std::max(*area, by_lanes() ? lanes_->of(rank).all : size(rank));
      return;
    }
    const Index capacity = output_capacity(plan_, in_place_, rank);
    const LaneRoom room = by_lanes() ? lanes_->of(rank) : LaneRoom{size(rank), largest_piece(rank)};
    if (room.all <= capacity) return;
    // Pieces lie in the output as long as they fit; the first that does not, and all behind it,
    // spill.
    need.spill = std::max(need.spill, std::min(room.all, room.all - capacity + room.largest));
  }

  /// Ranks of which one needs most: one of each class of those that differ in what counts.
  [[nodiscard]] std::vector<RankClass> classes() const {
    if (no_array()) return {};
    std::vector<std::reference_wrapper<const Layout>> count = {state_behind().layout};
    Workspace none;
    if (by_lanes()) count.emplace_back(plan_.states()[first_step()].layout);
    if (area_of(none) == nullptr) {
      count.emplace_back(plan_.output());
      if (in_place_) count.emplace_back(plan_.input());
    }
    return rank_classes(count, plan_.ranks());
  }

  /// True where the sweep that the leg is computes something on a rank.
  [[nodiscard]] bool computes(Index rank) const {
    return computes() && plan_.states()[first_step()].layout.local_size(rank) > 0;
  }
  [[nodiscard]] bool computes() const {
    return !leg_.meets && leg_.step != Leg::copy && exchange_ == nullptr &&
           sweep().kernel != Kernel::none;
  }

  /// Elements of its tile.
  [[nodiscard]] Index tile() const {
    const Index element = Element{true, plan_.problem().precision}.bytes();
    if (leg_.steps == 1) {
      const Index length = positions_along(plan_, leg_, sweep());
      return tile_shape(sweep(), plan_.direction(), length, element).size();
    }
    const auto& other = std::get<Sweep>(plan_.steps()[leg_.last()]);
    // A row of reals is counted by its frequencies, as it lies in the plane.
    const bool forward = plan_.direction() == Direction::forward;
    const Shape& extents = plan_.states()[forward ? leg_.last() + 1 : first_step()].layout.shape();
    const Sweep& fast = sweep().form == TileForm::lines ? sweep() : other;
    const Sweep& slow = sweep().form == TileForm::lines ? other : sweep();
    return plane_shape(fast, extents[static_cast<std::size_t>(fast.digit)], slow,
                       extents[static_cast<std::size_t>(slow.digit)], element)
        .size();
  }

  /// Modulus of its roots of unity; 0 for none.
  [[nodiscard]] Index modulus() const {
    if (plan_.problem().of_words()) return 0;
    return plan_.states()[first_step()].twiddle_modulus(sweep().digit);
  }

 private:
  [[nodiscard]] std::size_t first_step() const { return static_cast<std::size_t>(leg_.step); }
  [[nodiscard]] const Sweep& sweep() const { return std::get<Sweep>(plan_.steps()[first_step()]); }
  [[nodiscard]] bool by_lanes() const {
    return exchange_ != nullptr && exchange_->method != ExchangeMethod::node_aggregated &&
           exchange_->pipelined();
  }
  /// True where nothing moves, or where the exchange, this one or the one behind, has room for it.
  [[nodiscard]] bool no_array() const {
    return leg_.meets ||
           (exchange_ != nullptr && exchange_->method == ExchangeMethod::node_aggregated) ||
           (!by_lanes() && behind_ != nullptr && behind_->flows());
  }
  [[nodiscard]] const State& state_behind() const {
    return plan_.states()[leg_.step == Leg::copy ? 0 : leg_.last() + 1];
  }
  [[nodiscard]] Index size(Index rank) const {
    return in_complex(state_behind().layout.room(rank), state_behind().element);
  }
  /// What has to lie in one piece: by alltoallv, and where nothing is exchanged, all.
  [[nodiscard]] Index largest_piece(Index rank) const {
    const Exchange* const moved = exchange_ != nullptr ? exchange_ : behind_;
    const bool in_pieces = moved != nullptr && moved->method != ExchangeMethod::alltoallv;
    return in_pieces ? moved->traffic.largest_message : size(rank);
  }
  /// Where the leg leaves its array; null for the output.
  Index* area_of(Workspace& need) const {
    if (leg_.to == Area::workspace) return &need.main;
    if (leg_.to == Area::window) return &need.window;
    if (leg_.to == Area::other_window) return &need.other_window;
    return nullptr;
  }

  const Plan& plan_;
  bool in_place_;
  const Leg& leg_;
  const Exchange* exchange_ = nullptr;
  const Exchange* behind_ = nullptr;
  std::optional<PipelinedRoom> lanes_;
};

/// Tiles and roots of legs, each root once.
class TileNeeds {
 public:
  void add(const LegNeeds& leg, Workspace& need) {
    need.tile = std::max(need.tile, leg.tile());
    const Index modulus = leg.modulus();
    if (modulus > 0 && moduli_.insert(modulus).second) need.roots += root_table_size(modulus);
  }

 private:
  std::set<Index> moduli_;
};

/// Calls visit(step, window) for exchanges by nodes, with the window of `need` that each has.
template <class Visit>
void for_each_by_nodes(const Plan& plan, const Schedule& schedule, Workspace& need, Visit visit) {
  for (const Leg& leg : schedule.legs) {
    if (leg.step == Leg::copy) continue;
    const auto step = static_cast<std::size_t>(leg.step);
    const Exchange* const exchange = exchange_at(plan, step);
    if (exchange == nullptr || exchange->method != ExchangeMethod::node_aggregated) continue;
    visit(step, leg.to == Area::window ? need.window : need.other_window);
  }
}

/// Calls visit(step, exchange) for those by relays.
template <class Visit>
void for_each_relayed(const Plan& plan, Visit visit) {
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Exchange* const exchange = exchange_at(plan, step);
    if (exchange != nullptr && exchange->method == ExchangeMethod::bruck) visit(step, *exchange);
  }
}

}  // namespace

Workspace workspace(const Plan& plan, const Schedule& schedule, Index rank) {
  Workspace result;
  TileNeeds tiles;
  for (const Leg& leg : schedule.legs) {
    const LegNeeds needs(plan, schedule, leg);
    needs.add_arrays(rank, result);
    if (needs.computes(rank)) tiles.add(needs, result);
  }
  const NodeMap map = node_map(plan);
  for_each_by_nodes(plan, schedule, result, [&](std::size_t step, Index& window) {
    const Index node = map.node_of(rank);
    const auto member = static_cast<std::size_t>(rank - map.first(node));
    const Index held = node_windows(plan, step, node, uniform(plan))[member];
    window = std::max(window, in_complex(held, plan.states()[step].element));
  });
  for_each_relayed(plan, [&](std::size_t step, const Exchange& exchange) {
    const State& before = plan.states()[step];
    const RelayGroup group(before.layout, exchange.to, rank);
    const Index room = group.room(rank, exchange.radix).both();
    result.transit = std::max(result.transit, in_complex(room, before.element));
  });
  return result;
}

Workspace largest_workspace(const Plan& plan, const Schedule& schedule) {
  if (uniform(plan)) return workspace(plan, schedule, 0);  // by nodes, a first one owns most lanes
  Workspace result;
  TileNeeds tiles;
  for (const Leg& leg : schedule.legs) {
    const LegNeeds needs(plan, schedule, leg);
    for (const RankClass& ranks : needs.classes()) needs.add_arrays(ranks.first, result);
    if (needs.computes()) tiles.add(needs, result);  // on some rank, as no array is empty
  }
  const NodeMap map = node_map(plan);
  for_each_by_nodes(plan, schedule, result, [&](std::size_t step, Index& window) {
    for (Index node = 0; node < map.nodes(); ++node) {
      for (const Index held : node_windows(plan, step, node, false)) {
        window = std::max(window, in_complex(held, plan.states()[step].element));
      }
    }
  });
  // All pieces of a group are listed once, not for each of its ranks.
  for_each_relayed(plan, [&](std::size_t step, const Exchange& exchange) {
    const State& before = plan.states()[step];
    for (const RelayGroup& group : relay_groups(before.layout, exchange.to, plan.ranks())) {
      for (const Index rank : group.members()) {
        const Index room = group.room(rank, exchange.radix).both();
        result.transit = std::max(result.transit, in_complex(room, before.element));
      }
    }
  });
  return result;
}

}  // namespace kallima
