// SPDX-License-Identifier: BSD-3-Clause
#include "comm/pipelined_exchange.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "comm/parts.hpp"
#include "kallima/error.hpp"

namespace kallima::comm {

namespace {

/// Bytes of a packet: so few that MPIs send it over TCP without asking (64 KiB with their headers,
/// Open MPI), many beside what starting one costs.
constexpr Index packet_bytes = 960 * 64;

/// Packets of a buffer that are under way at once, each way.
constexpr std::size_t window = 64;

/// A persistent request. Packets are small, so an int counts their bytes.
int init_packet(bool sending, std::byte* data, Index bytes, int peer, int tag, MPI_Comm comm,
                MPI_Request* request) {
  const int count = narrow<int>(bytes, "bytes of a packet");
  return sending ? MPI_Send_init(data, count, MPI_BYTE, peer, tag, comm, request)
                 : MPI_Recv_init(data, count, MPI_BYTE, peer, tag, comm, request);
}

}  // namespace

PipelinedExchange::PipelinedExchange(std::shared_ptr<const Communicator> communicator,
                                     const Limits& limits, int number,
                                     std::vector<Dependency> sends,
                                     std::vector<Dependency> receives,
                                     std::shared_ptr<const void> memory)
    : communicator_(std::move(communicator)),
      limits_(limits),
      tag_(message_tag + 1 + number),
      sending_(Requests(communicator_->keeper(), 0, memory)),
      receiving_(Requests(communicator_->keeper(), 0, std::move(memory))) {
  limits_.most_bytes = std::min(limits_.most_bytes, packet_bytes);
  limits_.large_counts = false;
  sending_.dependencies = std::move(sends);
  receiving_.dependencies = std::move(receives);
  std::size_t buffers = 0;
  for (const Side* const side : {&sending_, &receiving_}) {
    for (const Dependency& dependency : side->dependencies) {
      buffers = std::max(buffers, static_cast<std::size_t>(dependency.peer_number) + 1);
    }
  }
  sending_.lines.resize(buffers);
  receiving_.lines.resize(buffers);
  std::size_t chunks = 0;
  for (const Dependency& dependency : receiving_.dependencies) {
    chunks = std::max(chunks, static_cast<std::size_t>(dependency.taken) + 1);
    receiving_.lines[static_cast<std::size_t>(dependency.peer_number)].send_offset =
        dependency.send_offset;
  }
  for (const Dependency& dependency : sending_.dependencies) {
    sending_.lines[static_cast<std::size_t>(dependency.peer_number)].send_offset =
        dependency.send_offset;
  }
  wanted_.resize(chunks);
  missing_.resize(chunks);
  // Turns are in the order of rounds, so that ranks do not all begin with the same peer.
  std::vector<bool> ordered(buffers, false);
  for (const Side* const side : {&sending_, &receiving_}) {
    for (const Dependency& dependency : side->dependencies) {
      const auto buffer = static_cast<std::size_t>(dependency.peer_number);
      if (!ordered[buffer]) order_.push_back(buffer);
      ordered[buffer] = true;
    }
  }
}

void PipelinedExchange::remake(Side& side, std::span<const Message> messages, bool sending) {
  if (messages.size() != side.dependencies.size())
    throw InternalError("a pipelined exchange has other messages");
  const auto same = [](const Message& a, const Message& b) {
    return a.peer == b.peer && a.data.data == b.data.data && a.data.bytes == b.data.bytes;
  };
  if (std::equal(messages.begin(), messages.end(), side.messages.begin(), side.messages.end(),
                 same)) {
    return;
  }
  side.requests.free();
  side.packets.clear();
  side.messages.assign(messages.begin(), messages.end());
  side.bytes = 0;
  for (const Message& message : messages) side.bytes += message.data.bytes;
  for (Line& line : side.lines) line.packets.clear();
  std::vector<Index> ends(side.lines.size(), 0);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto buffer = static_cast<std::size_t>(side.dependencies[i].peer_number);
    for_each_part(messages[i], limits_, [&](std::byte* data, Index bytes) {
      ends[buffer] += bytes;
      side.lines[buffer].packets.push_back(side.packets.size());
      side.packets.push_back({i, ends[buffer], false});
      check(init_packet(sending, data, bytes, static_cast<int>(messages[i].peer), tag_,
                        communicator_->comm, &side.requests.add()),
            sending ? "MPI_Send_init" : "MPI_Recv_init");
    });
  }
  const std::size_t most = std::min(side.packets.size(), window * side.lines.size());
  side.under_way.reserve(most);
  side.which.reserve(most);
  completed_.resize(std::max(completed_.size(), most));
  if (sending) return;
  std::fill(wanted_.begin(), wanted_.end(), 0);
  for (const Packet& packet : side.packets) {
    ++wanted_[static_cast<std::size_t>(side.dependencies[packet.message].taken)];
  }
}

void PipelinedExchange::rewind(Side& side) {
  for (Packet& packet : side.packets) packet.through = false;
  for (Line& line : side.lines) {
    line.started = line.through = 0;
    line.bytes = 0;
  }
  side.left = side.packets.size();
}

void PipelinedExchange::prepare(std::span<const Message> sends, std::span<const Message> receives) {
  const std::lock_guard lock(mutex_);
  remake(sending_, sends, true);
  remake(receiving_, receives, false);
}

void PipelinedExchange::begin(std::span<const Message> sends, std::span<const Message> receives) {
  prepare(sends, receives);
  const std::lock_guard lock(mutex_);
  node_ = nullptr;
  restart();
}

void PipelinedExchange::begin(std::span<const Message> sends, std::span<const Message> receives,
                              NodeSync& node, const Team& team) {
  prepare(sends, receives);
  const std::lock_guard lock(mutex_);
  node_ = &node;
  team_ = team;
  // All that this rank has marked is of exchanges that are over.
  computed_base_ = node.marked(Mark::computed, team.slot);
  arrived_base_ = node.marked(Mark::arrived, team.slot);
  restart();
}

void PipelinedExchange::restart() {
  rewind(sending_);
  rewind(receiving_);
  computed_ = 0;
  arrived_ = 0;
  missing_ = wanted_;
  under_way_ = true;
  sending_.requests.mark_started();
  receiving_.requests.mark_started();
  move_on();
}

void PipelinedExchange::computed(Index chunks) {
  const std::lock_guard lock(mutex_);
  if (node_ == nullptr) {
    computed_ = chunks;
  } else {
    node_->mark(Mark::computed, team_.slot, computed_base_ + static_cast<std::uint64_t>(chunks));
  }
  move_on();
}

/// Tells the others of the node what has arrived here, and hears what they have computed.
void PipelinedExchange::hear_team() {
  const auto chunks = static_cast<std::size_t>(team_.taken_chunks);
  const std::size_t before = arrived_;
  while (arrived_ < chunks && (arrived_ >= missing_.size() || missing_[arrived_] == 0)) ++arrived_;
  if (arrived_ > before) {
    node_->mark(Mark::arrived, team_.slot, arrived_base_ + arrived_);
  }
  if (computed_ == team_.sent_chunks) return;
  const std::uint64_t least = node_->least(Mark::computed, team_.slot);
  if (least > computed_base_) computed_ = static_cast<Index>(least - computed_base_);
}

bool PipelinedExchange::arrived(Index taken) {
  const std::size_t end = std::min(missing_.size(), static_cast<std::size_t>(taken) + 1);
  if (!std::all_of(missing_.begin(), missing_.begin() + static_cast<std::ptrdiff_t>(end),
                   [](Index left) { return left == 0; })) {
    return false;
  }
  if (node_ == nullptr) return true;
  // What stays on the node is there when it is computed.
  const auto wanted = static_cast<std::uint64_t>(std::min(taken + 1, team_.taken_chunks));
  return computed_ >= team_.sent_chunks &&
         node_->least(Mark::arrived, team_.slot) >= arrived_base_ + wanted;
}

void PipelinedExchange::start(Side& side, Line& line) const {
  if (recorder_ != nullptr && line.started == line.through) line.since = Recorder::now();
  const std::size_t packet = line.packets[line.started++];
  MPI_Request& request = side.requests[packet];
  check(MPI_Start(&request), "MPI_Start");
  side.under_way.push_back(request);
  side.which.push_back(packet);
}

void PipelinedExchange::start_sends() {
  for (const std::size_t buffer : order_) {
    Line& line = sending_.lines[buffer];
    const Line& received = receiving_.lines[buffer];
    while (line.started < line.packets.size() && line.started < line.through + window) {
      const Packet& next = sending_.packets[line.packets[line.started]];
      if (sending_.dependencies[next.message].needs > computed_) break;
      // What has come from there has left there, and made room.
      if (received.through < received.packets.size() &&
          next.end > received.bytes + line.send_offset) {
        break;
      }
      start(sending_, line);
    }
  }
}

void PipelinedExchange::start_receives() {
  for (const std::size_t buffer : order_) {
    Line& line = receiving_.lines[buffer];
    const Line& sent = sending_.lines[buffer];
    while (line.started < line.packets.size() && line.started < line.through + window) {
      const Packet& next = receiving_.packets[line.packets[line.started]];
      if (sent.through < sent.packets.size() && next.end > sent.bytes + line.send_offset) break;
      start(receiving_, line);
    }
  }
}

void PipelinedExchange::test(Side& side) {
  if (side.under_way.empty()) return;
  int count = 0;
  check(MPI_Testsome(static_cast<int>(side.under_way.size()), side.under_way.data(), &count,
                     completed_.data(), MPI_STATUSES_IGNORE),
        "MPI_Testsome");
  if (count == MPI_UNDEFINED || count == 0) return;
  side.left -= static_cast<std::size_t>(count);
  std::sort(completed_.begin(), completed_.begin() + count);
  for (int i = count; i-- > 0;) {
    const auto at = static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]);
    Packet& packet = side.packets[side.which[at]];
    packet.through = true;
    const Dependency& dependency = side.dependencies[packet.message];
    if (&side == &receiving_) --missing_[static_cast<std::size_t>(dependency.taken)];
    Line& line = side.lines[static_cast<std::size_t>(dependency.peer_number)];
    while (line.through < line.started && side.packets[line.packets[line.through]].through) {
      line.bytes = side.packets[line.packets[line.through]].end;
      if (recorder_ != nullptr) note(side, line, line.packets[line.through]);
      ++line.through;
    }
    side.under_way[at] = side.under_way.back();
    side.under_way.pop_back();
    side.which[at] = side.which.back();
    side.which.pop_back();
  }
}

void PipelinedExchange::record(Recorder* recorder, Index stage) {
  recorder_ = recorder;
  stage_ = stage;
}

/// A message takes from when the one before it was through, or from when it was started, to its
/// last packet.
void PipelinedExchange::note(const Side& side, Line& line, std::size_t packet) {
  const std::size_t message = side.packets[packet].message;
  const bool last =
      packet + 1 == side.packets.size() || side.packets[packet + 1].message != message;
  if (!last) return;
  const double now = Recorder::now();
  const bool sending = &side == &sending_;
  recorder_->add(sending ? Doing::send : Doing::receive, stage_, side.messages[message].peer,
                 side.messages[message].data.bytes, line.since, now);
  line.since = now;
}

void PipelinedExchange::progress() {
  const std::lock_guard lock(mutex_);
  if (under_way_) move_on();
}

/// Where it has thrown once, on whichever thread, packets may be missing: nothing moves any more.
void PipelinedExchange::move_on() {
  if (failed_) return;
  failed_ = true;
  if (node_ != nullptr) hear_team();
  test(sending_);
  start_sends();
  test(receiving_);
  start_receives();
  failed_ = false;
}

template <class Done>
void PipelinedExchange::wait(Done done) {
  Watchdog& watchdog = *communicator_->watchdog;
  // One without messages under way waits for the others of its node.
  Backoff for_node(watchdog, Patience::memory());
  Backoff for_messages(watchdog, Patience::messages(sending_.bytes + receiving_.bytes));
  std::size_t left = 0;
  while (true) {
    bool idles = false;
    {
      const std::lock_guard lock(mutex_);
      if (done()) return;
      move_on();
      idles = sending_.under_way.empty() && receiving_.under_way.empty();
      const std::size_t now = sending_.left + receiving_.left;
      if (now != left) {
        for_node.moved();
        for_messages.moved();
      }
      left = now;
    }
    (idles ? for_node : for_messages).idle();
  }
}

void PipelinedExchange::abandon() {
  const std::lock_guard lock(mutex_);
  for (MPI_Request& request : receiving_.under_way) {
    // Null where one has failed.
    if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
  }
}

void PipelinedExchange::wait_for(Index taken) {
  wait([&] { return arrived(taken); });
}

void PipelinedExchange::finish() {
  // The others of the node still have to hear what has arrived.
  wait([&] {
    return sending_.left == 0 && receiving_.left == 0 &&
           (node_ == nullptr || arrived_ == static_cast<std::size_t>(team_.taken_chunks));
  });
  const std::lock_guard lock(mutex_);
  under_way_ = false;
  sending_.requests.mark_through();
  receiving_.requests.mark_through();
}

}  // namespace kallima::comm
