// SPDX-License-Identifier: BSD-3-Clause
#include "plan/schedule.hpp"

#include <algorithm>

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

/// What a rank holds in a state, in complex elements.
Index local(const Plan& plan, std::size_t state, Index rank) {
  const State& at = plan.states()[state];
  return in_complex(at.layout.room(rank), at.element);
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
  const bool windows = plan.goes_by(Route::windows);
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
  if (plan.goes_by(Route::nodes)) {
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

/// Makes room for the lanes of the pipelined exchange that is a leg, on a rank with so many
/// elements of output. Where all ranks hold the same, without listing peers, and as much on each.
void add_lanes(const Plan& plan, const Leg& leg, Index rank, Index capacity, Workspace& need) {
  const auto step = static_cast<std::size_t>(leg.step);
  const Element& element = plan.states()[step].element;
  Index all = 0;
  Index largest = 0;
  if (uniform(plan)) {
    const auto& exchange = std::get<Exchange>(plan.steps()[step]);
    const double extra = PartBegins(plan, step).largest();
    const auto with_extra = [&](Index size) {
      return size + 1 + static_cast<Index>(extra * static_cast<double>(size));
    };
    all = with_extra(plan.states()[step].layout.local_size(rank));
    largest = with_extra(exchange.traffic.largest_message);
  } else {
    for (const Lane& lane : lanes(plan, step, rank)) {
      all += lane.room();
      largest = std::max(largest, lane.room());
    }
  }
  all = in_complex(all, element);
  if (leg.to == Area::workspace) {
    need.main = std::max(need.main, all);
  } else if (all > capacity) {
    need.spill = std::max(need.spill, std::min(all, all - capacity + in_complex(largest, element)));
  }
}

}  // namespace

namespace {

/// Calls visit(step, exchange) for those by relays.
template <class Visit>
void for_each_relayed(const Plan& plan, Visit visit) {
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Exchange* const exchange = exchange_at(plan, step);
    if (exchange != nullptr && exchange->route == Route::relays) visit(step, *exchange);
  }
}

/// Without what goes by relays.
Workspace own_workspace(const Plan& plan, const Schedule& schedule, Index rank) {
  Workspace result;
  const Index capacity = output_capacity(plan, schedule.in_place, rank);
  std::vector<Index> moduli;
  for (const Leg& leg : schedule.legs) {
    const auto step = static_cast<std::size_t>(leg.step == Leg::copy ? 0 : leg.step);
    const Exchange* const exchange = leg.step == Leg::copy ? nullptr : exchange_at(plan, step);
    const Exchange* const behind = leg.scatters ? exchange_at(plan, leg.last() + 1) : nullptr;
    const Index size =
        leg.step == Leg::copy ? local(plan, 0, rank) : local(plan, leg.last() + 1, rank);
    if (leg.meets) continue;
    if (exchange != nullptr && exchange->route == Route::nodes) {
      Index& window = leg.to == Area::window ? result.window : result.other_window;
      const NodeMap map = node_map(plan);
      const Index node = map.node_of(rank);
      const auto member = static_cast<std::size_t>(rank - map.first(node));
      const Index held = node_windows(plan, step, node, uniform(plan))[member];
      window = std::max(window, in_complex(held, plan.states()[step].element));
    } else if (exchange != nullptr && exchange->pipelined()) {
      add_lanes(plan, leg, rank, capacity, result);
    } else if (behind != nullptr && behind->flows()) {
      // The exchange behind has room for it.
    } else if (leg.to == Area::workspace) {
      result.main = std::max(result.main, size);
    } else if (leg.to == Area::window) {
      result.window = std::max(result.window, size);
    } else if (leg.to == Area::other_window) {
      result.other_window = std::max(result.other_window, size);
    } else if (size > capacity) {
      Index spill = size;
      // Pieces lie in the output as long as they fit; the first that does not, and all behind it,
      // spill. Alltoallv wants them in one block.
      const Exchange* const moved = exchange != nullptr ? exchange : behind;
      if (moved != nullptr && moved->route != Route::alltoallv) {
        spill = std::min(size, size - capacity + moved->traffic.largest_message);
      }
      result.spill = std::max(result.spill, spill);
    }
    if (leg.step == Leg::copy || exchange != nullptr) continue;
    const auto& sweep = std::get<Sweep>(plan.steps()[step]);
    if (sweep.kernel != Kernel::none && local(plan, step, rank) > 0) {
      const Index length = positions_along(plan, leg, sweep);
      const Index element = Element{true, plan.problem().precision}.bytes();
      Index tile = tile_shape(sweep, plan.direction(), length, element).size();
      if (leg.steps == 2) {
        const auto& other = std::get<Sweep>(plan.steps()[leg.last()]);
        // A row of reals is counted by its frequencies, as it lies in the plane.
        const bool forward = plan.direction() == Direction::forward;
        const Shape& extents = plan.states()[forward ? leg.last() + 1 : step].layout.shape();
        const Sweep& fast = sweep.form == TileForm::lines ? sweep : other;
        const Sweep& slow = sweep.form == TileForm::lines ? other : sweep;
        tile = plane_shape(fast, extents[static_cast<std::size_t>(fast.digit)], slow,
                           extents[static_cast<std::size_t>(slow.digit)], element)
                   .size();
      }
      result.tile = std::max(result.tile, tile);
      const Index modulus = plan.states()[step].twiddle_modulus(sweep.digit);
      if (!plan.problem().of_words() && modulus > 0 &&
          std::find(moduli.begin(), moduli.end(), modulus) == moduli.end()) {
        moduli.push_back(modulus);
        result.roots += root_table_size(modulus);
      }
    }
  }
  return result;
}

}  // namespace

Workspace workspace(const Plan& plan, const Schedule& schedule, Index rank) {
  Workspace result = own_workspace(plan, schedule, rank);
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
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const Workspace here = own_workspace(plan, schedule, rank);
    result.main = std::max(result.main, here.main);
    result.spill = std::max(result.spill, here.spill);
    result.window = std::max(result.window, here.window);
    result.other_window = std::max(result.other_window, here.other_window);
    result.tile = std::max(result.tile, here.tile);
    result.roots = std::max(result.roots, here.roots);
  }
  return result;
}

}  // namespace kallima
