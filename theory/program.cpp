// SPDX-License-Identifier: BSD-3-Clause
#include "theory/program.hpp"

#include "kallima/error.hpp"

namespace kallima::butterfly {

namespace {

constexpr Index most_procs = Index{1} << 20;
constexpr std::size_t most_items = std::size_t{1} << 31;

std::uint32_t next_number(std::size_t size) {
  if (size >= most_items) {
    throw Overflow("a simulated program has more than 2^31 tasks or messages; take fewer inputs");
  }
  return static_cast<std::uint32_t>(size);
}

}  // namespace

Program::Program(Index procs) : procs_(procs) {
  if (procs < 1 || procs > most_procs) {
    throw InvalidOption("procs is " + std::to_string(procs) + "; take 1 to 2^20");
  }
}

void Program::begin_phase(const std::string& name) { phases_.push_back(name); }

TaskId Program::add_task(Index proc, double work) {
  const TaskId id = next_number(tasks_.size());
  if (phases_.empty()) throw InternalError("a task without a phase");
  tasks_.push_back(
      {static_cast<std::int32_t>(proc), static_cast<std::uint16_t>(phases_.size() - 1), 0, work});
  return id;
}

void Program::add_edge(TaskId first, TaskId then) {
  if (tasks_[first].proc != tasks_[then].proc) throw InternalError("an edge between processors");
  edges_.push_back({first, then});
  ++tasks_[then].needs;
}

MessageId Program::add_message(TaskId from, Index to, std::span<const TaskId> tasks, double bytes) {
  const MessageId id = next_number(messages_.size());
  if (tasks_[from].proc == to) throw InternalError("a message to its own processor");
  const std::uint32_t fed = next_number(fed_.size());
  for (const TaskId task : tasks) {
    if (tasks_[task].proc != to) throw InternalError("a message for a task that is elsewhere");
    ++tasks_[task].needs;
    fed_.push_back(task);
  }
  messages_.push_back(
      {from, static_cast<std::int32_t>(to), fed, static_cast<std::uint32_t>(tasks.size()), bytes});
  return id;
}

double Program::work() const {
  double sum = 0;
  for (const Task& task : tasks_) sum += task.work;
  return sum;
}

}  // namespace kallima::butterfly
