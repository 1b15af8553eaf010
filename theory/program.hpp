// SPDX-License-Identifier: BSD-3-Clause
//
// What simulated processors are to do: tasks that compute, and messages between them. A value; a
// schedule is a function that returns one.
//
// A task begins when everything it needs is there. Of several that could, a processor takes the one
// that was added first: so the order of adding is the schedule. When a task ends its messages are
// due, in the order in which they were added. Rejected: a list of instructions for each processor,
// which cannot say "whatever has arrived", as input-driven schedules do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kallima/index.hpp"

namespace kallima::butterfly {

using TaskId = std::uint32_t;
using MessageId = std::uint32_t;

/// A node of the butterfly, or some other work of one processor.
struct Task {
  std::int32_t proc = 0;
  std::uint16_t phase = 0;  ///< of the program's, for a picture
  std::uint32_t needs = 0;  ///< tasks and messages that have to be there
  double work = 0;
};

/// Leaves when a task has ended; other tasks need it.
struct Message {
  TaskId from = 0;
  std::int32_t to = 0;      ///< a processor
  std::uint32_t fed = 0;    ///< tasks of it that need the message: where they begin in the list
  std::uint32_t feeds = 0;  ///< and how many
  double bytes = 0;
};

/// That the second task needs the first, of the same processor.
struct Edge {
  TaskId first = 0;
  TaskId then = 0;
};

class Program {
 public:
  /// For so many processors, 1 to 2^20.
  explicit Program(Index procs);

  /// Names what the tasks that follow are.
  void begin_phase(const std::string& name);
  /// A task of the current phase. Overflow beyond 2^31 of them.
  TaskId add_task(Index proc, double work);
  void add_edge(TaskId first, TaskId then);
  /// A message to processor `to`, which is another than the one of `from`, for tasks of it.
  MessageId add_message(TaskId from, Index to, std::span<const TaskId> tasks, double bytes);

  [[nodiscard]] Index procs() const { return procs_; }
  [[nodiscard]] const std::vector<std::string>& phases() const { return phases_; }
  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  [[nodiscard]] std::span<const TaskId> fed_by(const Message& message) const {
    return {fed_.data() + message.fed, message.feeds};
  }
  /// Of all tasks together.
  [[nodiscard]] double work() const;

 private:
  Index procs_;
  std::vector<std::string> phases_;
  std::vector<Task> tasks_;
  std::vector<Message> messages_;
  std::vector<Edge> edges_;
  std::vector<TaskId> fed_;
};

}  // namespace kallima::butterfly
