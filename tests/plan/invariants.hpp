// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold for the schedule and the workspace of every plan, however it was made.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "base/line_kernel.hpp"
#include "exchange/bruck_rounds.hpp"
#include "exchange/method.hpp"
#include "exchange/node_layout.hpp"
#include "plan/flaw.hpp"
#include "schedule/schedule.hpp"

namespace kallima::samples {

/// How a stage reads and writes.
inline bool gathers(const Stage& stage) { return stage.source == Access::pieces; }
inline bool scatters(const Stage& stage) { return stage.target == Access::pieces; }
inline bool pulls(const Stage& stage) { return stage.source == Access::peers; }
inline bool pushes(const Stage& stage) { return stage.target == Access::peers; }
inline bool in_place_at(const Plan& plan, std::size_t step) {
  const auto& exchange = std::get<Exchange>(plan.steps()[step]);
  return method_of(exchange.method).in_place(exchange);
}

inline void check_schedule(const Plan& plan, bool in_place) {
  const Schedule result = schedule(plan, in_place);
  const std::vector<Stage>& stages = result.stages;
  ASSERT_EQ(result.in_place, in_place);
  Index meetings = 0;
  std::size_t next = 0;  // steps come once each, in order; copies only in front
  Index moving = 0;      // regroupings move nothing and have no stage
  const auto skip_regroupings = [&] {
    while (next < plan.steps().size() && std::holds_alternative<Regroup>(plan.steps()[next]))
      ++next;
  };
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    const bool copies = stage.step == Stage::copy;
    if (copies) {
      ASSERT_EQ(i, 0U);
    } else {
      skip_regroupings();
      ASSERT_EQ(static_cast<std::size_t>(stage.step), next);
      for (std::size_t s = next + 1; s <= stage.last(); ++s) {
        ASSERT_TRUE(std::get<Sweep>(plan.steps()[s]).joined);
        ASSERT_TRUE(plan.states()[s].layout == plan.states()[next].layout);
      }
      next = stage.last() + 1;
      ++moving;
    }
    const auto step = static_cast<std::size_t>(stage.step);
    const bool exchanges = !copies && std::holds_alternative<Exchange>(plan.steps()[step]);
    if (stage.barrier) {
      ASSERT_TRUE(exchanges);
      ASSERT_EQ(std::get<Exchange>(plan.steps()[step]).method, ExchangeMethod::shared_memory);
      ASSERT_EQ(stage.from, stage.to);
      ++meetings;
    } else if (stage.from == stage.to) {
      ASSERT_FALSE(copies);
      ASSERT_EQ(pulls(stage), pushes(stage)) << "segments are read or written over themselves";
      if (exchanges) {
        ASSERT_TRUE(in_place_at(plan, step)) << "an exchange over itself";
      }
      ASSERT_FALSE(gathers(stage)) << "a gather over itself";
      ASSERT_FALSE(scatters(stage)) << "a scatter over itself";
    }
    if (exchanges && in_place_at(plan, step)) {
      ASSERT_EQ(stage.from, stage.to) << "parts take each other's places";
    }
    if (!copies && !exchanges) {
      const auto is_exchange = [&](std::size_t s) {
        return s < plan.steps().size() && std::holds_alternative<Exchange>(plan.steps()[s]);
      };
      const auto by_segments = [&](std::size_t s) {
        return is_exchange(s) &&
               std::get<Exchange>(plan.steps()[s]).method == ExchangeMethod::shared_memory;
      };
      // Messages are always packed; in segments, what one stage packs the next one unpacks.
      const bool packed = i > 1 && stages[i - 1].barrier && scatters(stages[i - 2]);
      ASSERT_EQ(gathers(stage),
                step > 0 && is_exchange(step - 1) && (packed || !by_segments(step - 1)));
      const std::size_t behind = stage.last() + 1;
      if (!by_segments(behind)) {
        ASSERT_EQ(scatters(stage), is_exchange(behind));
      } else if (scatters(stage)) {
        ASSERT_FALSE(pushes(stage));
        ASSERT_TRUE(gathers(stages[i + 2]) && !pushes(stages[i + 2]));
      }
      // What one side of a meeting leaves to the other: the one before writes where the layout
      // behind wants it, or the one behind reads where the layout before has it.
      const bool pushed = i > 1 && stages[i - 1].barrier && pushes(stages[i - 2]);
      ASSERT_EQ(by_segments(step - 1) && stage.source != Access::array,
                step > 0 && by_segments(step - 1) && !pushed);
      if (pushes(stage)) {
        ASSERT_TRUE(pulls(stage) && by_segments(behind));
        ASSERT_EQ(stage.from, stage.to);
        ASSERT_EQ(plan.states()[step - 1].layout, plan.states()[behind + 1].layout);
      }
    }
    ASSERT_NE(stage.to, Area::input) << "the user's input is written";
    if (i > 0) {
      ASSERT_EQ(stages[i - 1].to, stage.from) << "stages do not connect";
    }
  }
  skip_regroupings();
  ASSERT_EQ(next, plan.steps().size());
  ASSERT_EQ(result.passes(), static_cast<Index>(stages.size()) - meetings);
  if (stages.empty()) {
    ASSERT_TRUE(in_place && plan.steps().empty());
    return;
  }
  ASSERT_EQ(stages.front().from, in_place ? Area::output : Area::input);
  ASSERT_EQ(stages.back().to, Area::output);
  // A copy is a pass, so there is one only where nothing else helps.
  ASSERT_LE(result.passes(), std::max<Index>(1, moving) + (in_place ? 1 : 0));
}

/// The workspace of a rank by laying down everything it writes. Pieces lie one behind the other
/// in the output as long as they fit; the first that does not, and all behind it, spill.
inline Workspace slow_workspace(const Plan& plan, const Schedule& stages, Index rank) {
  Workspace result;
  Index capacity = plan.output().local_size(rank);
  if (stages.in_place) capacity = std::max(capacity, plan.input().local_size(rank));
  for (const Stage& stage : stages.stages) {
    const bool copies = stage.step == Stage::copy;
    const std::size_t step = copies ? 0 : static_cast<std::size_t>(stage.step);
    const std::size_t last = copies ? 0 : stage.last();
    const Layout& behind = plan.states()[copies ? 0 : last + 1].layout;
    const Index size = behind.local_size(rank);
    if (stage.barrier) {
    } else if (stage.to == Area::workspace) {
      result.main = std::max(result.main, size);
    } else if (stage.to == Area::segment) {
      result.segment = std::max(result.segment, size);
    } else if (stage.to == Area::other_segment) {
      result.other_segment = std::max(result.other_segment, size);
    } else if (size > capacity) {
      Index spill = size;
      const bool exchanges = !copies && std::holds_alternative<Exchange>(plan.steps()[step]);
      if (exchanges || scatters(stage)) {
        const std::vector<Piece> laid = exchanges
                                            ? pieces(behind, plan.states()[step].layout, rank)
                                            : pieces(behind, plan.states()[last + 2].layout, rank);
        for (const Piece& piece : laid) {
          if (size - spill + piece.size > capacity) break;
          spill -= piece.size;
        }
      }
      result.spill = std::max(result.spill, spill);
    }
    if (copies || !std::holds_alternative<Sweep>(plan.steps()[step])) continue;
    const auto& sweep = std::get<Sweep>(plan.steps()[step]);
    if (sweep.kernel == Kernel::none || is_chirp(sweep.kernel) || size == 0) continue;
    // Rows of a padded tile begin an odd number of cache lines apart.
    const Index element = plan.states().front().element.bytes();
    const auto padded = [&](Index elements) {
      Index lines = 1;
      while (lines * 64 < elements * element) lines += 2;
      return lines * 64 / element;
    };
    const auto extent = [&](const Sweep& s) {
      return behind.shape()[static_cast<std::size_t>(s.digit)];
    };
    // Rows of whole groups, two cache lines each, and the memory that kernels want beside.
    const auto row = [&](const Sweep& s, Index elements) {
      const Index group = 128 / element;
      const bool kernels = s.engine == LineEngine::kernels;
      return padded(kernels ? (elements + group - 1) / group * group : elements);
    };
    const auto scratch = [&](const Sweep& s) {
      return s.engine == LineEngine::kernels ? kernel_scratch(extent(s)) / element : 0;
    };
    // Lines are gathered, and left by the engine in padded rows, or as they lie; a plane has four
    // chunks aside.
    const bool as_they_lie =
        sweep.engine == LineEngine::kernels && !sweep.turns && sweep.form == TileForm::interleaved;
    const Index done =
        as_they_lie ? extent(sweep) * row(sweep, sweep.lines) : sweep.lines * padded(extent(sweep));
    Index tile = padded(sweep.lines * extent(sweep)) + done;
    Index beside = scratch(sweep);
    if (stage.steps == 2) {
      const auto& joined = std::get<Sweep>(plan.steps()[last]);
      const bool rows_first = sweep.form == TileForm::lines;
      const Sweep& fast = rows_first ? sweep : joined;
      const Sweep& slow = rows_first ? joined : sweep;
      const Index wide = std::min(extent(fast), 4 * slow.lines);
      tile = extent(slow) * padded(extent(fast)) +
             std::max({fast.lines * padded(extent(fast)), wide * padded(extent(slow)),
                       extent(slow) * row(slow, wide)});
      beside = std::max(beside, scratch(joined));
    } else if (sweep.form == TileForm::interleaved) {
      tile = extent(sweep) * row(sweep, sweep.lines) + done;
    } else if (extent(sweep) * element > Index{1} << 20) {
      tile = padded(sweep.lines * extent(sweep));
    }
    result.tile = std::max(result.tile, tile + beside);
  }
  return result;
}

inline void check_workspace(const Plan& plan, bool in_place) {
  const Schedule stages = schedule(plan, in_place);
  Workspace largest;
  const Index most = plan.largest_local_size();
  for (Index rank = 0; rank < plan.ranks(); ++rank) {
    const Workspace need = workspace(plan, stages, rank);
    const Workspace slow = slow_workspace(plan, stages, rank);
    ASSERT_EQ(need.main, slow.main);
    ASSERT_EQ(need.tile, slow.tile);
    ASSERT_GE(need.spill, slow.spill) << "rank " << rank << " writes beyond its workspace";
    ASSERT_EQ(need.spill > 0, slow.spill > 0);
    ASSERT_EQ(need.elements(), need.main + need.spill + need.segment + need.other_segment +
                                   need.transit + need.tile + need.roots + need.filter);
    ASSERT_LE(need.main, most);
    if (!plan.goes_by(ExchangeMethod::node_aggregated)) {  // there a segment holds what the node's
                                                           // ranks send and take
      ASSERT_EQ(need.segment, slow.segment);
      ASSERT_EQ(need.other_segment, slow.other_segment);
      ASSERT_LE(std::max(need.segment, need.other_segment), most);
    }
    ASSERT_LE(need.spill, most);
    largest.main = std::max(largest.main, need.main);
    largest.spill = std::max(largest.spill, need.spill);
    largest.tile = std::max(largest.tile, need.tile);
    ASSERT_EQ(output_capacity(plan, in_place, rank),
              in_place ? std::max(plan.input().local_size(rank), plan.output().local_size(rank))
                       : plan.output().local_size(rank));
  }
  const Workspace stated = largest_workspace(plan, stages);
  ASSERT_EQ(stated.main, largest.main);
  ASSERT_EQ(stated.spill, largest.spill);
  ASSERT_EQ(stated.tile, largest.tile);
}

/// It can be run and computes its problem; both ways of running, and both directions.
inline void check_plan(const Plan& plan) {
  ASSERT_EQ(flaw_of(plan), "");
  ASSERT_EQ(flaw_of(plan.reversed()), "");
  for (const bool in_place : {false, true}) {
    check_schedule(plan, in_place);
    check_schedule(plan.reversed(), in_place);
    check_workspace(plan, in_place);
    check_workspace(plan.reversed(), in_place);
  }
}

/// What a plan says of itself follows from its layouts, and undoing it twice is the plan.
inline void check_reversal(const Plan& plan) {
  const Plan back = plan.reversed();
  ASSERT_EQ(back.reversed(), plan);
  ASSERT_NE(back.direction(), plan.direction());
  ASSERT_EQ(back.input(), plan.output());
  ASSERT_EQ(back.output(), plan.input());
  ASSERT_EQ(back.states().size(), back.steps().size() + 1);
  for (std::size_t i = 0; i < back.steps().size(); ++i) {
    const auto* const exchange = std::get_if<Exchange>(&back.steps()[i]);
    if (exchange == nullptr) continue;
    ASSERT_EQ(exchange->to, back.states()[i + 1].layout);
    const Layout& from = back.states()[i].layout;
    Traffic counted =
        exchange->method == ExchangeMethod::node_aggregated
            ? node_traffic(from, exchange->to, node_map(plan))
        : exchange->method == ExchangeMethod::bruck
            ? bruck_traffic(bruck_groups(from, exchange->to, plan.ranks()), exchange->radix)
            : traffic(from, exchange->to);
    if (exchange->method == ExchangeMethod::shared_memory) {
      counted.messages = counted.most_messages_sent = counted.most_messages_received = 0;
    }
    ASSERT_EQ(exchange->traffic, counted);
  }
}

/// Reading what was printed gives the plan.
inline void check_round_trip(const Plan& plan) {
  const std::string text = plan.to_text();
  const Plan back = Plan::parse(text);
  ASSERT_EQ(back, plan) << text;
  ASSERT_EQ(back.to_text(), text);
  ASSERT_EQ(back.hash(), plan.hash());
}

}  // namespace kallima::samples
