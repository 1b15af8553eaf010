// SPDX-License-Identifier: BSD-3-Clause
#include "theory/schedules.hpp"

#include <array>

#include "theory/powers_of_two.hpp"

namespace kallima::butterfly {

namespace {

constexpr double node = 1;
constexpr double value_bytes = 1;
constexpr TaskId none = ~TaskId{0};

/// The logarithms of m and P.
struct Columns {
  Index one = 0;
  Index two = 0;
};

Columns columns_of(const Size& size) {
  const Index log_n = models::exact_log2(size.inputs, "inputs");
  const Index log_p = models::exact_log2(size.procs, "procs");
  models::require(log_p >= 1 && 2 * log_p <= log_n,
                  "procs is " + std::to_string(size.procs) +
                      "; take at least 2, and at most the root of the " +
                      std::to_string(size.inputs) + " inputs");
  return {log_n - log_p, log_p};
}

/// Tasks by row and column of one processor's part; column 0 are inputs, which are no tasks.
class Grid {
 public:
  Grid(Index rows, Index columns)
      : rows_(rows), tasks_(static_cast<std::size_t>(rows * (columns + 1)), none) {}

  TaskId& at(Index row, Index column) {
    return tasks_[static_cast<std::size_t>(column * rows_ + row)];
  }

 private:
  Index rows_;
  std::vector<TaskId> tasks_;
};

void require_permutation(const Permutation& permutation, Index size) {
  std::vector<bool> seen(static_cast<std::size_t>(size), false);
  for (const Index entry : permutation) {
    const bool fits = entry >= 0 && entry < size && !seen[static_cast<std::size_t>(entry)];
    models::require(fits, "an order of " + std::to_string(size) + " is no permutation of them");
    seen[static_cast<std::size_t>(entry)] = true;
  }
  models::require(static_cast<Index>(permutation.size()) == size,
                  "an order of " + std::to_string(size) + " leaves some out");
}

/// Adds the programs of Phase I and Phase II to one program, and knows their nodes.
class Phases {
 public:
  Phases(const Size& size, PhaseTwo phase_two)
      : size_(size), columns_(columns_of(size)), phase_two_(phase_two), program_(size.procs) {
    for (Index p = 0; p < size.procs; ++p) {
      one_.emplace_back(size.m(), columns_.one);
      two_.emplace_back(size.m(), columns_.two);
    }
  }

  void add_phase_one(const OutputOrder& outputs) {
    program_.begin_phase("phase I");
    for (Index p = 0; p < size_.procs; ++p) {
      const Permutation order = outputs(p);
      require_permutation(order, size_.m());
      for (const Index output : order) add_with_ancestors(p, output, columns_.one);
    }
  }

  void add_phase_one_by_columns() {
    program_.begin_phase("phase I");
    for (Index p = 0; p < size_.procs; ++p) {
      for (Index c = 1; c <= columns_.one; ++c) {
        for (Index a = 0; a < size_.m(); ++a) add_one(p, a, c);
      }
    }
  }

  void add_phase_two() {
    program_.begin_phase("phase II");
    for (Index p = 0; p < size_.procs; ++p) {
      for (Index c = 1; c <= columns_.two; ++c) {
        for (Index row = 0; row < size_.m(); ++row) {
          const TaskId task = two_at(p).at(row, c) = program_.add_task(p, node);
          if (c == 1) continue;
          program_.add_edge(two_at(p).at(row, c - 1), task);
          program_.add_edge(two_at(p).at(row ^ bit(c), c - 1), task);
        }
      }
    }
  }

  /// What each output of Phase I is for, sent when it is computed.
  void connect_outputs(const OutputOrder& outputs) {
    for (Index p = 0; p < size_.procs; ++p) {
      for (const Index output : outputs(p)) connect(one_at(p).at(output, columns_.one), p, output);
    }
  }

  /// The same behind barriers: nothing leaves before Phase I is done, and Phase II begins when all
  /// has come.
  void connect_at_once(const TargetOrder& targets) {
    program_.begin_phase("barrier");
    std::vector<TaskId> done;
    std::vector<TaskId> all_here;
    for (Index p = 0; p < size_.procs; ++p) {
      done.push_back(program_.add_task(p, 0));
      all_here.push_back(program_.add_task(p, 0));
      program_.add_edge(done.back(), all_here.back());
      for (Index a = 0; a < size_.m(); ++a) {
        program_.add_edge(one_at(p).at(a, columns_.one), done.back());
        program_.add_edge(all_here.back(), two_at(p).at(a, 1));
      }
    }
    for (Index p = 0; p < size_.procs; ++p) {
      const Permutation order = targets(p);
      require_permutation(order, size_.procs);
      for (const Index target : order) {
        if (target == p) continue;
        const std::array<TaskId, 1> gate = {all_here[static_cast<std::size_t>(target)]};
        for (Index i = 0; i < size_.l(); ++i) {
          program_.add_message(done[static_cast<std::size_t>(p)], target, gate, value_bytes);
        }
      }
    }
  }

  Program take() { return std::move(program_); }

 private:
  Grid& one_at(Index proc) { return one_[static_cast<std::size_t>(proc)]; }
  Grid& two_at(Index proc) { return two_[static_cast<std::size_t>(proc)]; }

  /// Rows of a processor in Phase II are l butterflies of P inputs, one behind the other: row
  /// butterfly P + i is what came from processor i. The bit that column c combines.
  [[nodiscard]] Index bit(Index c) const {
    return phase_two_ == PhaseTwo::most_significant_first ? size_.procs >> c : Index{1} << (c - 1);
  }

  void add_one(Index p, Index a, Index c) {
    const TaskId task = one_at(p).at(a, c) = program_.add_task(p, node);
    if (c == 1) return;
    program_.add_edge(one_at(p).at(a, c - 1), task);
    program_.add_edge(one_at(p).at(a ^ (size_.m() >> c), c - 1), task);
  }

  /// The smallest number of nodes that the output still needs, and itself.
  void add_with_ancestors(Index p, Index a, Index c) {
    if (c == 0 || one_at(p).at(a, c) != none) return;
    add_with_ancestors(p, a, c - 1);
    add_with_ancestors(p, a ^ (size_.m() >> c), c - 1);
    add_one(p, a, c);
  }

  void connect(TaskId output, Index p, Index a) {
    const Index target = a / size_.l();
    const Index row = a % size_.l() * size_.procs + p;
    Grid& there = two_at(target);
    const std::array<TaskId, 2> wanted = {there.at(row, 1), there.at(row ^ bit(1), 1)};
    if (target != p) {
      program_.add_message(output, target, wanted, value_bytes);
      return;
    }
    for (const TaskId task : wanted) program_.add_edge(output, task);
  }

  Size size_;
  Columns columns_;
  PhaseTwo phase_two_;
  Program program_;
  std::vector<Grid> one_;
  std::vector<Grid> two_;
};

}  // namespace

TargetOrder shifted_targets(Index procs) {
  return [procs](Index proc) {
    Permutation order;
    for (Index i = 1; i <= procs; ++i) order.push_back((proc + i) % procs);
    return order;
  };
}

TargetOrder same_targets(Index procs) {
  return [procs](Index /*proc*/) { return identity_permutation(procs); };
}

OutputOrder xor_outputs(const Size& size) {
  return [size](Index proc) { return in_blocks(xor_order(proc, size.procs), size.l()); };
}

OutputOrder same_outputs(const Size& size) {
  return [size](Index /*proc*/) { return identity_permutation(size.m()); };
}

Program column_schedule(const Size& size, const TargetOrder& targets) {
  Phases phases(size, PhaseTwo::most_significant_first);
  phases.add_phase_one_by_columns();
  phases.add_phase_two();
  phases.connect_at_once(targets);
  return phases.take();
}

Program output_driven_schedule(const Size& size, const OutputOrder& outputs, PhaseTwo phase_two) {
  Phases phases(size, phase_two);
  phases.add_phase_one(outputs);
  phases.add_phase_two();
  phases.connect_outputs(outputs);
  return phases.take();
}

Program one_allocation_schedule(const Size& size, Allocation allocation) {
  const Columns columns = columns_of(size);
  const auto owner = [&](Index row) {
    return allocation == Allocation::cyclic ? row % size.procs : row / size.m();
  };
  Program program(size.procs);
  program.begin_phase("inputs");
  Grid grid(size.inputs, columns.one + columns.two);
  std::vector<TaskId> inputs;
  for (Index p = 0; p < size.procs; ++p) inputs.push_back(program.add_task(p, 0));
  for (Index row = 0; row < size.inputs; ++row) {
    grid.at(row, 0) = inputs[static_cast<std::size_t>(owner(row))];
  }
  for (Index c = 1; c <= columns.one + columns.two; ++c) {
    const Index partner = size.inputs >> c;
    const bool local = owner(0) == owner(partner);
    program.begin_phase(local ? "local columns" : "columns with messages");
    for (Index row = 0; row < size.inputs; ++row) {
      grid.at(row, c) = program.add_task(owner(row), node);
    }
    for (Index row = 0; row < size.inputs; ++row) {
      const TaskId task = grid.at(row, c);
      program.add_edge(grid.at(row, c - 1), task);
      const TaskId other = grid.at(row ^ partner, c - 1);
      if (local) {
        program.add_edge(other, task);
      } else {
        const std::array<TaskId, 1> wanted = {task};
        program.add_message(other, owner(row), wanted, value_bytes);
      }
    }
  }
  return program;
}

}  // namespace kallima::butterfly
