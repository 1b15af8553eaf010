// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/schedule.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "base/root_table.hpp"
#include "exchange/method.hpp"
#include "layout/rank_classes.hpp"
#include "steps/digits.hpp"
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
bool copies(const StepList& plan, const Stage& stage) {
  const Sweep* const sweep = plan.sweep_at(static_cast<std::size_t>(stage.step));
  return sweep != nullptr && sweep->kernel == Kernel::none;
}

/// An exchange whose parts take each other's places.
bool is_in_place(const StepList& plan, std::size_t step) {
  const Exchange* const exchange = plan.exchange_at(step);
  return exchange != nullptr && method_of(exchange->method).in_place(*exchange);
}

/// Reads and writes the same lines at the same places, so it can stay in its area.
bool can_stay(const StepList& plan, const Stage& stage) {
  if (stage.step == Stage::copy || stage.source == Access::pieces ||
      stage.target == Access::pieces) {
    return false;
  }
  const auto step = static_cast<std::size_t>(stage.step);
  if (is_in_place(plan, step)) return true;
  // Reals and their frequencies differ in size, and positions and what is kept of frequencies; and
  // of a user's array margins are to be left alone.
  const State& before = plan.states()[step];
  const State& after = plan.states()[stage.last() + 1];
  return !is_exchange(plan, step) && before.element == after.element &&
         before.layout.shape() == after.layout.shape() &&
         before.layout.is_dense() == after.layout.is_dense();
}

/// Areas backwards from the output; the sweep at stage `moving` changes area though it
/// could stay.
void assign(const StepList& plan, std::vector<Stage>& stages, std::size_t moving) {
  Area area = Area::output;
  for (std::size_t i = stages.size(); i-- > 0;) {
    stages[i].to = area;
    if (!can_stay(plan, stages[i]) || i == moving) area = other(area);
    stages[i].from = area;
  }
}

Area other_segment(Area segment) {
  return segment == Area::segment ? Area::other_segment : Area::segment;
}

/// Behind the last stage of the group that begins at `first`: sweeps up to an exchange.
std::size_t end_of_group(const StepList& plan, const std::vector<Stage>& stages,
                         std::size_t first) {
  while (first < stages.size() &&
         !is_exchange(plan, static_cast<std::size_t>(stages[first].step))) {
    ++first;
  }
  return first;
}

/// A single sweep between exchanges that goes back to where it came from: the exchange before took
/// the layout that the one behind makes again.
bool returns(const StepList& plan, const std::vector<Stage>& stages, std::size_t first) {
  const std::size_t end = end_of_group(plan, stages, first);
  if (first == 0 || end != first + 1 || end >= stages.size()) return false;
  const auto step = static_cast<std::size_t>(stages[first].step);
  const State& taken = plan.states()[step - 1];
  const State& made = plan.states()[stages[first].last() + 2];
  return taken.layout == made.layout && taken.element == made.element;
}

/// In place, the first stage reads the output area, and must not write it unless it can stay: the
/// stages of its group take the other area each.
void leave_input(const StepList& plan, bool in_place, std::vector<Stage>& stages, std::size_t first,
                 std::size_t end) {
  if (first > 0 || !in_place || stages[0].to != Area::output || can_stay(plan, stages[0])) return;
  for (std::size_t i = 0; i + 1 < end; ++i) {
    stages[i].to = other(stages[i].to);
    stages[i + 1].from = stages[i].to;
  }
}

/// Assigns areas where arrays stay in shared memory, group of sweeps by group.
void assign_arrays(const StepList& plan, bool in_place, std::vector<Stage>& stages) {
  Area at = in_place ? Area::output : Area::input;
  bool at_home = true;  // in this rank's own memory, in the layout of the group
  bool packed = false;  // as pieces, one for each rank
  for (std::size_t first = 0; first < stages.size();) {
    const std::size_t end = end_of_group(plan, stages, first);
    const bool last = end == stages.size();
    Stage& leading = stages[first];
    leading.source = at_home ? Access::array : packed ? Access::pieces : Access::peers;
    leading.from = at;
    const bool pushes = !at_home && returns(plan, stages, first);
    const bool stays = at_home && first > 0 && can_stay(plan, leading);
    if (last) {
      at = Area::output;
    } else if (first == 0) {
      at = Area::segment;
    } else if (!stays && !pushes) {
      at = other_segment(at);
    }
    // Stages stay where they are, but for those that cannot: they come from the workspace, or from
    // the output if they leave something there. The second of two copies sees what the first left
    // in other digits.
    const bool copies_again =
        end == first + 2 && !last && copies(plan, leading) && copies(plan, stages[first + 1]);
    Area area = at;
    for (std::size_t i = end - 1; i > first; --i) {
      stages[i].to = area;
      if (copies_again || !can_stay(plan, stages[i])) {
        area = area == Area::workspace ? Area::output : Area::workspace;
      }
      stages[i].from = area;
    }
    leading.to = area;
    leave_input(plan, in_place, stages, first, end);
    at_home = pushes;
    // As pieces, in the order in which those who take them want them; but not where this or another
    // stage has to stay in place, or where what was pulled is pushed back to the same places.
    packed = !last && !pushes && !stays && (end == first + 1 || copies_again) &&
             !returns(plan, stages, end + 1);
    if (pushes) stages[end - 1].target = Access::peers;
    if (packed) stages[end - 1].target = Access::pieces;
    if (!last) {
      stages[end].barrier = true;
      stages[end].from = stages[end].to = at;
    }
    first = end + 1;
  }
}

/// Assigns areas where the ranks of a node share buffers, group of sweeps by group.
/// Within a group stages stay where they are if they can; output and workspace take turns where
/// they cannot.
void assign_node_buffers(const StepList& plan, bool in_place, std::vector<Stage>& stages) {
  Area at = in_place ? Area::output : Area::input;
  Area segment = Area::segment;
  for (std::size_t first = 0; first < stages.size();) {
    const std::size_t end = end_of_group(plan, stages, first);
    const bool last = end == stages.size();
    Area area = last ? Area::output : segment;
    for (std::size_t i = end; i-- > first;) {
      stages[i].to = area;
      if (!can_stay(plan, stages[i])) area = other(area);
      stages[i].from = area;
    }
    stages[first].from = at;
    leave_input(plan, in_place, stages, first, end);
    if (last) return;
    stages[end].from = stages[end].to = at = segment;
    segment = other_segment(segment);
    first = end + 1;
  }
}

/// The stages of a plan's steps, without areas.
std::vector<Stage> stages_of(const StepList& plan, Holding holding) {
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    if (std::holds_alternative<Regroup>(plan.steps()[i])) continue;
    Stage stage;
    stage.step = static_cast<int>(i);
    if (is_joined(plan, i + 1)) stage.steps = 2;
    if (!is_exchange(plan, i) && holding != Holding::arrays) {
      if (i > 0 && is_exchange(plan, i - 1)) stage.source = Access::pieces;
      if (is_exchange(plan, stage.last() + 1)) stage.target = Access::pieces;
    }
    i = stage.last();
    stages.push_back(stage);
  }
  return stages;
}

/// Assigns areas where each rank has buffers of its own.
void assign_buffers(const StepList& plan, bool in_place, std::vector<Stage>& stages) {
  assign(plan, stages, stages.size());
  if (!in_place) {
    stages.front().from = Area::input;
    return;
  }
  // In place: the first stage reads the output area, so it must write elsewhere or stay exactly.
  if (stages.front().to == Area::output && !can_stay(plan, stages.front())) {
    std::size_t moving = stages.size();
    for (std::size_t i = 1; i < stages.size(); ++i) {
      const bool exchange = is_exchange(plan, static_cast<std::size_t>(stages[i].step));
      if (!exchange && can_stay(plan, stages[i])) moving = i;
    }
    assign(plan, stages, moving);
    if (moving == stages.size()) {
      stages.front().from = Area::workspace;
      Stage copy;
      copy.from = Area::output;
      copy.to = Area::workspace;
      stages.insert(stages.begin(), copy);
      return;
    }
  }
  stages.front().from = Area::output;
}

}  // namespace

Schedule schedule(const StepList& plan, bool in_place, bool separate_fields) {
  const Holding holding = holding_of(plan);
  Schedule result;
  result.in_place = in_place;
  result.separate_fields = separate_fields;
  result.stages = stages_of(plan, holding);
  if (result.stages.empty()) {
    if (!in_place) result.stages.push_back({});
    return result;
  }
  switch (holding) {
    case Holding::arrays:
      assign_arrays(plan, in_place, result.stages);
      break;
    case Holding::node_buffers:
      assign_node_buffers(plan, in_place, result.stages);
      break;
    case Holding::buffers:
      assign_buffers(plan, in_place, result.stages);
      break;
  }
  return result;
}

Index output_capacity(const StepList& plan, bool in_place, Index rank) {
  if (plan.output().has_margins() || (in_place && plan.input().has_margins())) return 0;
  const auto room = [&](const State& state) {
    const Index size = state.layout.allocated_size(rank);
    return state.element.complex ? size : size / 2;
  };
  const Index out = room(plan.states().back());
  return in_place ? std::max(out, room(plan.states().front())) : out;
}

Index output_capacity(const StepList& plan, const Schedule& schedule, Index rank) {
  return schedule.separate_fields ? 0 : output_capacity(plan, schedule.in_place, rank);
}

Index positions_along(const StepList& plan, const Stage& stage, const Sweep& sweep) {
  const auto digit = static_cast<std::size_t>(sweep.digit);
  return std::max(plan.states()[static_cast<std::size_t>(stage.step)].layout.shape()[digit],
                  plan.states()[stage.last() + 1].layout.shape()[digit]);
}

namespace {

/// What one stage needs, rank by rank. What an exchange has beside its buffers aside.
class StageNeeds {
 public:
  StageNeeds(const StepList& plan, const Schedule& schedule, const Stage& stage)
      : plan_(plan), schedule_(schedule), stage_(stage) {
    if (stage.barrier) {
      leaves_array_ = false;
    } else if (stage.step != Stage::copy && plan.exchange_at(first_step()) != nullptr) {
      take_sizes({plan, first_step()}, false);
    } else if (stage.target == Access::pieces) {
      take_sizes({plan, stage.last() + 1}, true);
    }
  }

  /// Makes room for the array, or the pieces, that the stage leaves on a rank.
  void add_arrays(Index rank, Workspace& need) const {
    if (!leaves_array_) return;
    if (writes_users_array()) return;
    const BufferSpace room = space_on(rank);
    if (Index* const area = area_of(need)) {
      *area = std::max(*area, room.all);
      return;
    }
    const Index capacity = output_capacity(plan_, schedule_, rank);
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
      if (schedule_.in_place) count.emplace_back(plan_.input());
    }
    return rank_classes(count, plan_.ranks());
  }

  /// True where the sweep that the stage is computes something on a rank.
  [[nodiscard]] bool computes(Index rank) const {
    return computes() && plan_.states()[first_step()].layout.local_size(rank) > 0;
  }
  [[nodiscard]] bool computes() const {
    return !stage_.barrier && stage_.step != Stage::copy &&
           plan_.exchange_at(first_step()) == nullptr && sweep().kernel != Kernel::none;
  }

  /// Elements of its tile.
  [[nodiscard]] Index tile() const {
    const Index element = Element{true, plan_.problem().precision}.bytes();
    if (is_chirp(sweep().kernel)) return 0;
    if (stage_.steps == 1) {
      const Index length = positions_along(plan_, stage_, sweep());
      const bool of_reals = sweep().kernel != Kernel::real &&
                            !plan_.states()[first_step()].element.complex &&
                            !plan_.states()[first_step() + 1].element.complex;
      return tile_shape(sweep(), plan_.direction_at(first_step()), length, element, of_reals)
                 .size() +
             engine_scratch(sweep(), length, element);
    }
    const auto& other = std::get<Sweep>(plan_.steps()[stage_.last()]);
    // A row of reals is counted by its frequencies, as it lies in the plane.
    const bool forward = plan_.direction_at(first_step()) == Direction::forward;
    const State& frequencies = plan_.states()[forward ? stage_.last() + 1 : first_step()];
    const auto extent = [&](const Sweep& swept) {
      return line_frequencies(plan_.problem(), frequencies, static_cast<std::size_t>(swept.digit));
    };
    const Sweep& fast = sweep().form == TileForm::lines ? sweep() : other;
    const Sweep& slow = sweep().form == TileForm::lines ? other : sweep();
    const auto scratch = [&](const Sweep& swept) {
      return engine_scratch(swept, positions_along(plan_, stage_, swept), element);
    };
    return plane_shape(fast, extent(fast), slow, extent(slow), element).size() +
           std::max(scratch(fast), scratch(slow));
  }

  /// Modulus of its roots of unity; 0 for none.
  [[nodiscard]] Index modulus() const {
    if (plan_.problem().of_words()) return 0;
    if (is_chirp(sweep().kernel)) return 2 * plan_.problem().shape[0];
    return plan_.states()[first_step()].twiddle_modulus(sweep().digit);
  }

 private:
  void take_sizes(const Site& site, bool sending) {
    sizes_ = method_of(site).sizes(site, sending);
    leaves_array_ = sizes_ != nullptr;
  }
  /// True where the stage leaves the output itself, wherever that lies.
  [[nodiscard]] bool writes_users_array() const {
    if (stage_.to != Area::output || stage_.step == Stage::copy) return false;
    const auto& steps = plan_.steps();
    return std::all_of(steps.begin() + static_cast<std::ptrdiff_t>(stage_.last()) + 1, steps.end(),
                       [](const Step& step) { return std::holds_alternative<Regroup>(step); });
  }
  [[nodiscard]] std::size_t first_step() const { return static_cast<std::size_t>(stage_.step); }
  [[nodiscard]] const Sweep& sweep() const { return std::get<Sweep>(plan_.steps()[first_step()]); }
  [[nodiscard]] const State& state_behind() const {
    return plan_.states()[stage_.step == Stage::copy ? 0 : stage_.last() + 1];
  }
  [[nodiscard]] BufferSpace space_on(Index rank) const {
    if (sizes_) return sizes_->of(rank);
    const State& state = state_behind();
    const Index all = in_complex(state.layout.allocated_size(rank), state.element);
    return {all, all};
  }
  /// Where the stage leaves its array; null for the output.
  Index* area_of(Workspace& need) const {
    if (stage_.to == Area::workspace) return &need.main;
    if (stage_.to == Area::segment) return &need.segment;
    if (stage_.to == Area::other_segment) return &need.other_segment;
    return nullptr;
  }

  const StepList& plan_;
  const Schedule& schedule_;
  const Stage& stage_;
  bool leaves_array_ = true;
  std::unique_ptr<BufferSizes> sizes_;  // where it leaves pieces
};

/// Tiles and roots of stages, each root once.
class TileNeeds {
 public:
  void add(const StageNeeds& stage, Workspace& need) {
    need.tile = std::max(need.tile, stage.tile());
    const Index modulus = stage.modulus();
    if (modulus > 0 && moduli_.insert(modulus).second) need.roots += root_table_size(modulus);
  }

 private:
  std::set<Index> moduli_;
};

/// Adds what an exchange, which is a stage, has beside its buffers.
void add_extra(const Site& site, const Stage& stage, const ExtraMemory& extra, Workspace& need) {
  const Element& element = site.before().element;
  Index& segment = stage.to == Area::segment ? need.segment : need.other_segment;
  if (extra.segment > 0) segment = std::max(segment, in_complex(extra.segment, element));
  need.transit = std::max(need.transit, in_complex(extra.transit, element));
}

/// Calls visit(site, stage) for all exchanges.
template <class Visit>
void for_each_exchange(const StepList& plan, const Schedule& schedule, Visit visit) {
  for (const Stage& stage : schedule.stages) {
    const auto step = static_cast<std::size_t>(stage.step);
    if (stage.step != Stage::copy && plan.exchange_at(step) != nullptr)
      visit(Site{plan, step}, stage);
  }
}

/// Where a convolution multiplies frequencies; null for none.
const Layout* convolved(const StepList& plan) {
  const std::optional<std::size_t> turn = plan.turn();
  return turn && plan.convolves() ? &plan.states()[*turn].layout : nullptr;
}

}  // namespace

Workspace workspace(const StepList& plan, const Schedule& schedule, Index rank) {
  Workspace result;
  if (const Layout* const turning = convolved(plan)) {
    result.filter = rank < turning->ranks() ? turning->local_size(rank) : 0;
  }
  TileNeeds tiles;
  for (const Stage& stage : schedule.stages) {
    const StageNeeds needs(plan, schedule, stage);
    needs.add_arrays(rank, result);
    if (needs.computes(rank)) tiles.add(needs, result);
  }
  for_each_exchange(plan, schedule, [&](const Site& site, const Stage& stage) {
    add_extra(site, stage, method_of(site).extra(site, rank), result);
  });
  return result;
}

Workspace largest_workspace(const StepList& plan, const Schedule& schedule) {
  // Where nodes share buffers, a first rank has most of them.
  if (uniform(plan)) return workspace(plan, schedule, 0);
  Workspace result;
  if (const Layout* const turning = convolved(plan)) {
    result.filter = turning->largest_local_size();
  }
  TileNeeds tiles;
  for (const Stage& stage : schedule.stages) {
    const StageNeeds needs(plan, schedule, stage);
    for (const RankClass& ranks : needs.classes()) needs.add_arrays(ranks.first, result);
    if (needs.computes()) tiles.add(needs, result);  // on some rank, as no array is empty
  }
  for_each_exchange(plan, schedule, [&](const Site& site, const Stage& stage) {
    add_extra(site, stage, method_of(site).largest_extra(site), result);
  });
  return result;
}

}  // namespace kallima
