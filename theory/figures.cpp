// SPDX-License-Identifier: BSD-3-Clause
#include "theory/figures.hpp"

#include <algorithm>

namespace kallima::butterfly {

namespace {

/// Seconds that each processor is busy.
std::vector<double> busy_of(const Program& program, const Network& network) {
  std::vector<double> busy(static_cast<std::size_t>(program.procs()), 0.);
  for (const Task& task : program.tasks()) busy[static_cast<std::size_t>(task.proc)] += task.work;
  for (const Message& message : program.messages()) {
    const double paid = network.overhead * static_cast<double>(network.packets(message.bytes));
    busy[static_cast<std::size_t>(program.tasks()[message.from].proc)] += paid;
    busy[static_cast<std::size_t>(message.to)] += paid;
  }
  return busy;
}

bool earlier(const Activity& a, const Activity& b) { return a.begin < b.begin; }

/// The work of one processor, in order.
std::vector<Activity> computed(const Program& program, const std::vector<TaskId>& tasks,
                               const Outcome& outcome) {
  std::vector<Activity> result;
  for (const TaskId id : tasks) {
    const Task& task = program.tasks()[id];
    result.push_back({task.proc, Activity::Kind::compute, program.phases()[task.phase],
                      outcome.ended[id] - task.work, outcome.ended[id]});
  }
  std::sort(result.begin(), result.end(), earlier);
  std::vector<Activity> joined;
  for (const Activity& next : result) {
    if (!joined.empty() && joined.back().end == next.begin && joined.back().name == next.name) {
      joined.back().end = next.end;
    } else {
      joined.push_back(next);
    }
  }
  return joined;
}

/// What lies between the tasks of a processor.
void add_waits(std::vector<Activity>& all, const std::vector<Activity>& work, Index proc,
               double completion) {
  double since = 0;
  const auto add = [&](double until) {
    if (until > since) all.push_back({proc, Activity::Kind::wait, "idle", since, until});
  };
  for (const Activity& activity : work) {
    add(activity.begin);
    since = activity.end;
  }
  add(completion);
}

}  // namespace

Figures figures_of(const Program& program, const Network& network, const Outcome& outcome) {
  Figures figures;
  figures.completion = outcome.completion;
  if (outcome.completion > 0) figures.speed_up = program.work() / outcome.completion;
  const auto procs = static_cast<double>(program.procs());
  for (const double busy : busy_of(program, network)) {
    figures.idle += (outcome.completion - busy) / procs;
    figures.most_idle = std::max(figures.most_idle, outcome.completion - busy);
  }
  for (const Stall& stall : outcome.stalls) figures.stalled += (stall.end - stall.begin) / procs;
  for (const Passage& passage : outcome.passages) {
    figures.last_sent = std::max(figures.last_sent, passage.sent);
  }
  figures.messages = static_cast<Index>(program.messages().size());
  figures.packets = outcome.packets;
  figures.most_in_transit = outcome.most_in_transit;
  figures.most_of_one = outcome.most_of_one;
  return figures;
}

std::vector<Activity> activities_of(const Program& program, const Network& network,
                                    const Outcome& outcome, Index procs) {
  std::vector<std::vector<TaskId>> tasks(
      static_cast<std::size_t>(std::min(procs, program.procs())));
  for (TaskId id = 0; id < program.tasks().size(); ++id) {
    const Task& task = program.tasks()[id];
    if (task.proc < procs && task.work > 0)
      tasks[static_cast<std::size_t>(task.proc)].push_back(id);
  }
  std::vector<Activity> all;
  for (std::size_t p = 0; p < tasks.size(); ++p) {
    const std::vector<Activity> work = computed(program, tasks[p], outcome);
    all.insert(all.end(), work.begin(), work.end());
    add_waits(all, work, static_cast<Index>(p), outcome.completion);
  }
  for (MessageId id = 0; id < program.messages().size(); ++id) {
    const Message& message = program.messages()[id];
    const Index from = program.tasks()[message.from].proc;
    const Passage& passage = outcome.passages[id];
    if (from < procs) {
      all.push_back({from, Activity::Kind::send, "to " + std::to_string(message.to), passage.sent,
                     passage.through});
    }
    if (message.to < procs) {
      // What passes at once is seen for as long as the port is taken.
      const double least = passage.arrived + network.interval(message.bytes);
      all.push_back({message.to, Activity::Kind::receive, "from " + std::to_string(from),
                     passage.arrived,
                     std::max(passage.through, std::min(least, outcome.completion))});
    }
  }
  return all;
}

}  // namespace kallima::butterfly
