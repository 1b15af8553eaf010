// SPDX-License-Identifier: BSD-3-Clause
//
// A loop over moments. At each, everything that ends or arrives then is noted first; afterwards the
// processors that it concerns go on. So what is free at a moment is free for all, whatever the
// order in which the queue has it.
#include "theory/simulate.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <queue>

#include "kallima/error.hpp"

namespace kallima::butterfly {

namespace {

/// Items of one owner next to each other, in their order.
struct Grouped {
  std::vector<std::uint32_t> begin;  ///< by owner, and the end
  std::vector<std::uint32_t> items;

  template <class OwnerOf, class ItemOf>
  Grouped(std::size_t owners, std::size_t count, OwnerOf owner_of, ItemOf item_of)
      : begin(owners + 1, 0), items(count) {
    for (std::size_t i = 0; i < count; ++i) ++begin[owner_of(i) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < count; ++i) items[next[owner_of(i)]++] = item_of(i);
  }

  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t owner) const {
    return {items.data() + begin[owner], begin[owner + 1] - begin[owner]};
  }
};

enum class Kind : std::uint8_t {
  task_ends,
  processor_free,  ///< of an overhead of sending
  port_free,
  arrives,  ///< a packet, at the receiver's port
  let_in,   ///< the port takes it
  passed,   ///< its last byte too
  taken_in  ///< and the processor has paid for it
};

struct Event {
  double time = 0;
  Kind kind = Kind::task_ends;
  std::uint32_t which = 0;   ///< a task, a processor or a message
  std::uint64_t number = 0;  ///< what was foreseen first comes first

  friend bool operator>(const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.number > b.number;
  }
};

constexpr Index any_capacity = std::numeric_limits<Index>::max();

struct Processor {
  bool busy = false;         ///< with a task or an overhead
  bool wakes = false;        ///< an event will come when its port is free
  bool touched = false;      ///< something changed at this moment
  bool stalled = false;      ///< what is due exceeds the capacity
  bool listed = false;       ///< among those that the receiver of what is due refused
  double stalls_since = -1;  ///< without computing any more
  double port_free = 0;      ///< when the next packet may leave
  double in_port_free = 0;   ///< when the next packet may be let in
  Index from = 0;            ///< packets of it in transit
  Index to = 0;
  std::priority_queue<TaskId, std::vector<TaskId>, std::greater<>> ready;
  std::deque<MessageId> outbox;
  std::deque<MessageId> at_port;     ///< packets that wait to be let in
  std::deque<MessageId> to_take_in;  ///< packets that the processor has to pay for
  std::deque<Index> refused;         ///< processors that wait to send here
};

class Simulation {
 public:
  Simulation(const Program& program, const Network& network, const Latency& latency)
      : program_(program),
        network_(network),
        latency_(latency),
        then_(
            program.tasks().size(), program.edges().size(),
            [&](std::size_t i) { return program.edges()[i].first; },
            [&](std::size_t i) { return program.edges()[i].then; }),
        mail_(
            program.tasks().size(), program.messages().size(),
            [&](std::size_t i) { return program.messages()[i].from; },
            [](std::size_t i) { return static_cast<std::uint32_t>(i); }),
        processors_(static_cast<std::size_t>(program.procs())) {
    needs_.reserve(program.tasks().size());
    for (const Task& task : program.tasks()) needs_.push_back(task.needs);
    outcome_.ended.assign(program.tasks().size(), -1);
    outcome_.passages.resize(program.messages().size());
    for (const Message& message : program.messages()) {
      const Index packets = network.packets(message.bytes);
      to_send_.push_back(packets);
      to_come_.push_back(packets);
    }
  }

  Outcome run() {
    for (TaskId task = 0; task < needs_.size(); ++task) {
      if (needs_[task] == 0) make_ready(task);
    }
    go_on();
    while (!events_.empty()) {
      now_ = events_.top().time;
      while (!events_.empty() && events_.top().time <= now_) {
        const Event event = events_.top();
        events_.pop();
        note(event);
      }
      go_on();
    }
    if (ended_ < needs_.size()) throw InternalError("simulated tasks wait for each other");
    outcome_.completion = now_;
    return std::move(outcome_);
  }

 private:
  Processor& at(Index proc) { return processors_[static_cast<std::size_t>(proc)]; }
  [[nodiscard]] Index proc_of(TaskId task) const { return program_.tasks()[task].proc; }
  [[nodiscard]] Index sender(MessageId message) const {
    return proc_of(program_.messages()[message].from);
  }
  [[nodiscard]] Index receiver(MessageId message) const { return program_.messages()[message].to; }
  [[nodiscard]] double packet_bytes(MessageId message) const {
    const double bytes = program_.messages()[message].bytes;
    return network_.most_bytes > 0 ? std::min(bytes, network_.most_bytes) : bytes;
  }

  void later(double wait, Kind kind, std::uint32_t which) {
    events_.push({now_ + wait, kind, which, foreseen_++});
  }

  void touch(Index proc) {
    if (at(proc).touched) return;
    at(proc).touched = true;
    touched_.push_back(proc);
  }

  void make_ready(TaskId task) {
    at(proc_of(task)).ready.push(task);
    touch(proc_of(task));
  }

  void satisfy(TaskId task) {
    if (--needs_[task] == 0) make_ready(task);
  }

  void end_task(TaskId task) {
    outcome_.ended[task] = now_;
    ++ended_;
    for (const TaskId next : then_.of(task)) satisfy(next);
    Processor& processor = at(proc_of(task));
    for (const MessageId message : mail_.of(task)) processor.outbox.push_back(message);
    touch(proc_of(task));
  }

  void note(const Event& event) {
    switch (event.kind) {
      case Kind::task_ends:
        at(proc_of(event.which)).busy = false;
        return end_task(event.which);
      case Kind::processor_free:
        at(event.which).busy = false;
        return touch(event.which);
      case Kind::port_free:
        at(event.which).wakes = false;
        return touch(event.which);
      case Kind::arrives:
        return arrive(event.which);
      case Kind::let_in:
        return let_in(receiver(event.which));
      case Kind::passed:
        if (network_.meets) leave_transit(event.which);
        return pass(event.which);
      case Kind::taken_in:
        at(receiver(event.which)).busy = false;
        touch(receiver(event.which));
        return count_packet(event.which);
    }
  }

  /// One packet after the other, an interval apart, in the order in which they arrive. From the
  /// port on the overhead of the sender, which all packets have alike, is behind: so it is added
  /// when they have passed, and does not count as transit.
  void arrive(MessageId message) {
    Processor& here = at(receiver(message));
    here.at_port.push_back(message);
    const double wait = std::max(0.0, here.in_port_free - now_);
    here.in_port_free = now_ + wait + network_.interval(packet_bytes(message));
    if (wait > 0) {
      later(wait, Kind::let_in, message);
    } else {
      let_in(receiver(message));
    }
  }

  void let_in(Index proc) {
    const MessageId message = at(proc).at_port.front();
    at(proc).at_port.pop_front();
    outcome_.passages[message].arrived = now_ + network_.overhead;
    if (!network_.meets) leave_transit(message);
    const double passing = network_.overhead + network_.passing(packet_bytes(message));
    if (passing > 0) {
      later(passing, Kind::passed, message);
    } else {
      pass(message);
    }
  }

  void pass(MessageId message) {
    if (network_.overhead <= 0) return count_packet(message);
    at(receiver(message)).to_take_in.push_back(message);
    touch(receiver(message));
  }

  void count_packet(MessageId message) {
    if (--to_come_[message] > 0) return;
    outcome_.passages[message].through = now_;
    for (const TaskId task : program_.fed_by(program_.messages()[message])) satisfy(task);
  }

  void leave_transit(MessageId message) {
    --in_transit_;
    --at(sender(message)).from;
    touch(sender(message));
    Processor& here = at(receiver(message));
    --here.to;
    if (!here.refused.empty()) touch(here.refused.front());
  }

  /// All touched processors, until nothing more can happen at this moment.
  void go_on() {
    while (!touched_.empty()) {
      const Index proc = touched_.front();
      touched_.pop_front();
      at(proc).touched = false;
      while (go_on(proc)) {
      }
    }
  }

  /// One thing that the processor can do now; false for none.
  bool go_on(Index proc) {
    Processor& here = at(proc);
    if (may_send(proc)) {
      send(proc);
      return true;
    }
    if (here.busy) return false;
    if (!here.to_take_in.empty()) {
      here.busy = true;
      later(network_.overhead, Kind::taken_in, here.to_take_in.front());
      here.to_take_in.pop_front();
      return false;
    }
    if (here.stalled) {
      if (here.stalls_since < 0) here.stalls_since = now_;
      return false;
    }
    if (here.ready.empty()) return false;
    const TaskId task = here.ready.top();
    here.ready.pop();
    const double work = program_.tasks()[task].work;
    if (work <= 0) {
      end_task(task);
      return true;
    }
    here.busy = true;
    later(work, Kind::task_ends, task);
    return false;
  }

  bool may_send(Index proc) {
    Processor& here = at(proc);
    if (here.outbox.empty() || (network_.overhead > 0 && here.busy)) return false;
    if (now_ < here.port_free) {
      if (!here.wakes) later(here.port_free - now_, Kind::port_free, narrowed(proc));
      here.wakes = true;
      return false;
    }
    Processor& there = at(receiver(here.outbox.front()));
    const Index most = network_.capacity > 0 ? network_.capacity : any_capacity;
    here.stalled = here.from >= most || there.to >= most || overtakes(proc, there);
    if (!here.stalled) {
      if (here.stalls_since >= 0 && here.stalls_since < now_) {
        outcome_.stalls.push_back({proc, here.stalls_since, now_});
      }
      here.stalls_since = -1;
      return true;
    }
    if (!here.listed) there.refused.push_back(proc);
    here.listed = true;
    return false;
  }

  /// First come, first served.
  static bool overtakes(Index proc, const Processor& there) {
    return !there.refused.empty() && there.refused.front() != proc;
  }

  void send(Index proc) {
    Processor& here = at(proc);
    const MessageId message = here.outbox.front();
    Passage& passage = outcome_.passages[message];
    if (passage.sent < 0) passage.sent = now_;
    if (--to_send_[message] == 0) here.outbox.pop_front();
    Processor& there = at(receiver(message));
    if (here.listed) {
      there.refused.pop_front();
      if (!there.refused.empty()) touch(there.refused.front());
    }
    here.listed = false;
    ++outcome_.packets;
    outcome_.most_in_transit = std::max(outcome_.most_in_transit, ++in_transit_);
    outcome_.most_of_one = std::max({outcome_.most_of_one, ++here.from, ++there.to});
    here.port_free = now_ + network_.interval(packet_bytes(message));
    const double latency = latency_ ? latency_(message) : network_.latency;
    later(latency, Kind::arrives, message);
    if (network_.overhead <= 0) return;
    here.busy = true;
    later(network_.overhead, Kind::processor_free, narrowed(proc));
  }

  static std::uint32_t narrowed(Index proc) { return static_cast<std::uint32_t>(proc); }

  const Program& program_;
  const Network& network_;
  const Latency& latency_;
  Grouped then_;  // tasks that need a task
  Grouped mail_;  // messages of a task
  std::vector<std::uint32_t> needs_;
  std::vector<Index> to_send_;  // packets of each message
  std::vector<Index> to_come_;
  std::vector<Processor> processors_;
  std::deque<Index> touched_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t foreseen_ = 0;
  double now_ = 0;
  Index in_transit_ = 0;
  std::size_t ended_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome simulate(const Program& program, const Network& network, const Latency& latency) {
  return Simulation(program, network, latency).run();
}

}  // namespace kallima::butterfly
