// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "base/root_table.hpp"
#include "exchange/method.hpp"
#include "layout/rank_classes.hpp"
#include "steps/tile.hpp"

namespace kallima {

namespace {

Area other(Area area) { return area == Area::output ? Area::workspace : Area::output; }

bool is_exchange(const StepList& plan, std::size_t step) {
  return plan.exchange_at(step) != nullptr;
}

/// A sweep that shares the pass of the one before.
bool is_joined(const StepList& plan, std::size_t step) {
  const Sweep* const sweep = plan.sweep_at(step);
  return sweep != nullptr && sweep->joined;
}

/// A sweep that computes nothing.
bool copies(const StepList& plan, const Leg& leg) {
  const Sweep* const sweep = plan.sweep_at(static_cast<std::size_t>(leg.step));
  return sweep != nullptr && sweep->kernel == Kernel::none;
}

/// An exchange whose parts take each other's places.
bool is_in_place(const StepList& plan, std::size_t step) {
  const Exchange* const exchange = plan.exchange_at(step);
  return exchange != nullptr && method_of(exchange->method).in_place(*exchange);
}

/// Reads and writes the same lines at the same places, so it can stay in its area.
bool can_stay(const StepList& plan, const Leg& leg) {
  if (leg.step == Leg::copy || leg.source == Access::pieces || leg.target == Access::pieces) {
    return false;
  }
  const auto step = static_cast<std::size_t>(leg.step);
  if (is_in_place(plan, step)) return true;
  // Reals and their frequencies differ in size.
  return !is_exchange(plan, step) &&
         plan.states()[step].element == plan.states()[leg.last() + 1].element;
}

/// Areas backwards from the output; the sweep at leg `mover` changes area though it could stay.
void assign(const StepList& plan, std::vector<Leg>& legs, std::size_t mover) {
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
std::size_t end_of_group(const StepList& plan, const std::vector<Leg>& legs, std::size_t first) {
  while (first < legs.size() && !is_exchange(plan, static_cast<std::size_t>(legs[first].step))) {
    ++first;
  }
  return first;
}

/// A single sweep between exchanges that goes back to where it came from: the exchange before took
/// the layout that the one behind makes again.
bool returns(const StepList& plan, const std::vector<Leg>& legs, std::size_t first) {
  const std::size_t end = end_of_group(plan, legs, first);
  if (first == 0 || end != first + 1 || end >= legs.size()) return false;
  const auto step = static_cast<std::size_t>(legs[first].step);
  const State& taken = plan.states()[step - 1];
  const State& made = plan.states()[legs[first].last() + 2];
  return taken.layout == made.layout && taken.element == made.element;
}

/// Assigns areas where arrays stay in shared memory, group of sweeps by group.
void assign_arrays(const StepList& plan, bool in_place, std::vector<Leg>& legs) {
  Area at = in_place ? Area::output : Area::input;
  bool at_home = true;  // in this rank's own memory, in the layout of the group
  bool packed = false;  // as pieces, one for each rank
  for (std::size_t first = 0; first < legs.size();) {
    const std::size_t end = end_of_group(plan, legs, first);
    const bool last = end == legs.size();
    Leg& leading = legs[first];
    leading.source = at_home ? Access::array : packed ? Access::pieces : Access::peers;
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
    at_home = pushes;
    // As pieces, in the order in which those who take them want them; but not where this or another
    // leg has to stay in place, or where what was pulled is pushed back to the same places.
    packed = !last && !pushes && !stays && (end == first + 1 || copies_again) &&
             !returns(plan, legs, end + 1);
    if (pushes) legs[end - 1].target = Access::peers;
    if (packed) legs[end - 1].target = Access::pieces;
    if (!last) {
      legs[end].barrier = true;
      legs[end].from = legs[end].to = at;
    }
    first = end + 1;
  }
}

/// Assigns areas where the ranks of a node share buffers, group of sweeps by group.
/// Within a group legs stay where they are if they can; output and workspace take turns where they
/// cannot.
void assign_node_buffers(const StepList& plan, bool in_place, std::vector<Leg>& legs) {
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

/// The legs of a plan's steps, without areas.
std::vector<Leg> legs_of(const StepList& plan, Holding holding) {
  std::vector<Leg> legs;
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    if (std::holds_alternative<Regroup>(plan.steps()[i])) continue;
    Leg leg;
    leg.step = static_cast<int>(i);
    if (is_joined(plan, i + 1)) leg.steps = 2;
    if (!is_exchange(plan, i) && holding != Holding::arrays) {
      if (i > 0 && is_exchange(plan, i - 1)) leg.source = Access::pieces;
      if (is_exchange(plan, leg.last() + 1)) leg.target = Access::pieces;
    }
    i = leg.last();
    legs.push_back(leg);
  }
  return legs;
}

/// Assigns areas where each rank has buffers of its own.
void assign_buffers(const StepList& plan, bool in_place, std::vector<Leg>& legs) {
  assign(plan, legs, legs.size());
  if (!in_place) {
    legs.front().from = Area::input;
    return;
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
      return;
    }
  }
  legs.front().from = Area::output;
}

}  // namespace

Schedule schedule(const StepList& plan, bool in_place) {
  const Holding holding = holding_of(plan);
  Schedule result;
  result.in_place = in_place;
  result.legs = legs_of(plan, holding);
  if (result.legs.empty()) {
    if (!in_place) result.legs.push_back({});
    return result;
  }
  switch (holding) {
    case Holding::arrays:
      assign_arrays(plan, in_place, result.legs);
      break;
    case Holding::node_buffers:
      assign_node_buffers(plan, in_place, result.legs);
      break;
    case Holding::buffers:
      assign_buffers(plan, in_place, result.legs);
      break;
  }
  return result;
}

Index output_capacity(const StepList& plan, bool in_place, Index rank) {
  const auto room = [&](const State& state) {
    const Index size = state.layout.room(rank);
    return state.element.complex ? size : size / 2;
  };
  const Index out = room(plan.states().back());
  return in_place ? std::max(out, room(plan.states().front())) : out;
}

Index positions_along(const StepList& plan, const Leg& leg, const Sweep& sweep) {
  const auto digit = static_cast<std::size_t>(sweep.digit);
  return std::max(plan.states()[static_cast<std::size_t>(leg.step)].layout.shape()[digit],
                  plan.states()[leg.last() + 1].layout.shape()[digit]);
}

namespace {

/// What one leg needs, rank by rank. What an exchange has beside its buffers aside.
class LegNeeds {
 public:
  LegNeeds(const StepList& plan, const Schedule& schedule, const Leg& leg)
      : plan_(plan), in_place_(schedule.in_place), leg_(leg) {
    if (leg.barrier) {
      leaves_array_ = false;
    } else if (leg.step != Leg::copy && plan.exchange_at(first_step()) != nullptr) {
      take_sizes({plan, first_step()}, false);
    } else if (leg.target == Access::pieces) {
      take_sizes({plan, leg.last() + 1}, true);
    }
  }

  /// Makes room for the array, or the pieces, that the leg leaves on a rank.
  void add_arrays(Index rank, Workspace& need) const {
    if (!leaves_array_) return;
    const BufferRoom room = room_on(rank);
    if (Index* const area = area_of(need)) {
      *area = std::max(*area, room.all);
      return;
    }
    const Index capacity = output_capacity(plan_, in_place_, rank);
    if (room.all <= capacity) return;
    // Pieces lie in the output as long as they fit; the first that does not, and all behind it,
    // spill.
    need.spill = std::max(need.spill, std::min(room.all, room.all - capacity + room.largest));
  }

  /// Ranks of which one needs most: one of each class of those that differ in what counts.
  [[nodiscard]] std::vector<RankClass> classes() const {
    if (!leaves_array_) return {};
    std::vector<std::reference_wrapper<const Layout>> count = {state_behind().layout};
    Workspace none;
    if (sizes_ && sizes_->by_both_sides()) count.emplace_back(plan_.states()[first_step()].layout);
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
    return !leg_.barrier && leg_.step != Leg::copy && plan_.exchange_at(first_step()) == nullptr &&
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
  void take_sizes(const Site& site, bool sending) {
    sizes_ = method_of(site).sizes(site, sending);
    leaves_array_ = sizes_ != nullptr;
  }
  [[nodiscard]] std::size_t first_step() const { return static_cast<std::size_t>(leg_.step); }
  [[nodiscard]] const Sweep& sweep() const { return std::get<Sweep>(plan_.steps()[first_step()]); }
  [[nodiscard]] const State& state_behind() const {
    return plan_.states()[leg_.step == Leg::copy ? 0 : leg_.last() + 1];
  }
  [[nodiscard]] BufferRoom room_on(Index rank) const {
    if (sizes_) return sizes_->of(rank);
    const State& state = state_behind();
    const Index all = in_complex(state.layout.room(rank), state.element);
    return {all, all};
  }
  /// Where the leg leaves its array; null for the output.
  Index* area_of(Workspace& need) const {
    if (leg_.to == Area::workspace) return &need.main;
    if (leg_.to == Area::window) return &need.window;
    if (leg_.to == Area::other_window) return &need.other_window;
    return nullptr;
  }

  const StepList& plan_;
  bool in_place_;
  const Leg& leg_;
  bool leaves_array_ = true;
  std::unique_ptr<BufferSizes> sizes_;  // where it leaves pieces
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

/// Adds what an exchange, which is a leg, has beside its buffers.
void add_extra(const Site& site, const Leg& leg, const ExtraRoom& extra, Workspace& need) {
  const Element& element = site.before().element;
  Index& segment = leg.to == Area::window ? need.window : need.other_window;
  if (extra.segment > 0) segment = std::max(segment, in_complex(extra.segment, element));
  need.transit = std::max(need.transit, in_complex(extra.transit, element));
}

/// Calls visit(site, leg) for all exchanges.
template <class Visit>
void for_each_exchange(const StepList& plan, const Schedule& schedule, Visit visit) {
  for (const Leg& leg : schedule.legs) {
    const auto step = static_cast<std::size_t>(leg.step);
    if (leg.step != Leg::copy && plan.exchange_at(step) != nullptr) visit(Site{plan, step}, leg);
  }
}

}  // namespace

Workspace workspace(const StepList& plan, const Schedule& schedule, Index rank) {
  Workspace result;
  TileNeeds tiles;
  for (const Leg& leg : schedule.legs) {
    const LegNeeds needs(plan, schedule, leg);
    needs.add_arrays(rank, result);
    if (needs.computes(rank)) tiles.add(needs, result);
  }
  for_each_exchange(plan, schedule, [&](const Site& site, const Leg& leg) {
    add_extra(site, leg, method_of(site).extra(site, rank), result);
  });
  return result;
}

Workspace largest_workspace(const StepList& plan, const Schedule& schedule) {
  // Where nodes share buffers, a first rank has most of them.
  if (uniform(plan)) return workspace(plan, schedule, 0);
  Workspace result;
  TileNeeds tiles;
  for (const Leg& leg : schedule.legs) {
    const LegNeeds needs(plan, schedule, leg);
    for (const RankClass& ranks : needs.classes()) needs.add_arrays(ranks.first, result);
    if (needs.computes()) tiles.add(needs, result);  // on some rank, as no array is empty
  }
  for_each_exchange(plan, schedule, [&](const Site& site, const Leg& leg) {
    add_extra(site, leg, method_of(site).largest_extra(site), result);
  });
  return result;
}

}  // namespace kallima
