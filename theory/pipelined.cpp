// SPDX-License-Identifier: BSD-3-Clause
#include "theory/pipelined.hpp"

#include <array>

#include "theory/powers_of_two.hpp"

namespace kallima::butterfly {

namespace {

using Tasks = std::vector<TaskId>;

/// Chunks of one sweep, in order, on each processor.
std::vector<Tasks> add_sweep(Program& program, Index chunks, double seconds) {
  std::vector<Tasks> sweep(static_cast<std::size_t>(program.procs()));
  for (Index p = 0; p < program.procs(); ++p) {
    Tasks& mine = sweep[static_cast<std::size_t>(p)];
    for (Index c = 0; c < chunks; ++c) {
      mine.push_back(program.add_task(p, seconds / static_cast<double>(chunks)));
      if (c > 0) program.add_edge(mine[static_cast<std::size_t>(c - 1)], mine.back());
    }
  }
  return sweep;
}

}  // namespace

Program pipelined_exchange(const Pipelined& pipelined) {
  models::exact_log2(pipelined.procs, "procs");
  const Chunks& chunks = pipelined.chunks;
  Program program(pipelined.procs);
  program.begin_phase("before");
  const std::vector<Tasks> before = add_sweep(program, chunks.sent, pipelined.before);
  program.begin_phase("behind");
  const std::vector<Tasks> behind = add_sweep(program, chunks.taken, pipelined.behind);
  const double for_chunk = pipelined.bytes / static_cast<double>(chunks.taken);
  for (std::size_t p = 0; p < before.size(); ++p) {
    program.add_edge(before[p].back(), behind[p].front());
    const auto serve = [&](TaskId computed, Index taken, double bytes) {
      for (std::size_t j = 1; j < before.size(); ++j) {
        const std::array<TaskId, 1> wanted = {behind[p ^ j][static_cast<std::size_t>(taken)]};
        program.add_message(computed, static_cast<Index>(p ^ j), wanted, bytes);
      }
    };
    if (chunks.alike()) {
      for (Index taken = 0; taken < chunks.taken; ++taken) {
        serve(before[p][static_cast<std::size_t>(taken)], taken, for_chunk);
      }
      continue;
    }
    for (const TaskId chunk : before[p]) {
      for (Index taken = 0; taken < chunks.ahead(); ++taken) {
        serve(chunk, taken, for_chunk / static_cast<double>(chunks.sent));
      }
    }
    for (Index taken = chunks.ahead(); taken < chunks.taken; ++taken) {
      serve(before[p].back(), taken, for_chunk);
    }
  }
  return program;
}

}  // namespace kallima::butterfly
