// SPDX-License-Identifier: BSD-3-Clause
#include "comm/channel.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "comm/parts.hpp"
#include "kallima/error.hpp"

namespace kallima::comm {

namespace {

int send_part(const std::byte* data, Index bytes, int peer, MPI_Comm comm, MPI_Request* request) {
#if MPI_VERSION >= 4
  return MPI_Isend_c(data, bytes, MPI_BYTE, peer, message_tag, comm, request);
#else
  return MPI_Isend(data, narrow<int>(bytes, "bytes of a message"), MPI_BYTE, peer, message_tag,
                   comm, request);
#endif
}

int receive_part(std::byte* data, Index bytes, int peer, MPI_Comm comm, MPI_Request* request) {
#if MPI_VERSION >= 4
  return MPI_Irecv_c(data, bytes, MPI_BYTE, peer, message_tag, comm, request);
#else
  return MPI_Irecv(data, narrow<int>(bytes, "bytes of a message"), MPI_BYTE, peer, message_tag,
                   comm, request);
#endif
}

Index bytes_of(std::span<const Message> messages) {
  Index bytes = 0;
  for (const Message& message : messages) bytes += message.data.bytes;
  return bytes;
}

/// Sends that begin before any receive is posted: as many as can be under way at once, of those
/// that MPI asks for first. Open MPI over TCP answers such a question on the connection that it
/// sends its own data on. Where the receive is posted first, its answer lets the peer's data go
/// before the peer's own question is there; what answers that then waits behind all of the data,
/// and the two directions of a link take turns: twice the time (docs/decisions/0035). Small
/// messages come without asking, and had better find their receives.
std::size_t sends_ahead(std::span<const Message> sends, const Limits& limits) {
  constexpr Index sent_without_asking = Index{1} << 16;
  std::size_t ahead = 0;
  while (ahead < sends.size() && ahead < static_cast<std::size_t>(limits.in_flight) &&
         sends[ahead].data.bytes > sent_without_asking &&
         count_parts(sends[ahead].data.bytes, limits) == 1) {
    ++ahead;
  }
  return ahead;
}

}  // namespace

bool has_large_counts() {
#if MPI_VERSION >= 4
  return true;
#else
  return false;
#endif
}

Channel::Channel(std::shared_ptr<const Communicator> communicator, Limits limits,
                 std::shared_ptr<const void> memory)
    : communicator_(std::move(communicator)),
      limits_(limits),
      memory_(std::make_shared<Memory>(Memory{std::move(memory), {}})),
      receiving_(communicator_->keeper(), 0, memory_),
      sending_(communicator_->keeper(), 0, memory_),
      collective_(communicator_->keeper(), 1, memory_) {
  if (limits_.most_bytes < 1 || limits_.in_flight < 1) {
    throw InvalidOption("limits of messages: " + std::to_string(limits_.most_bytes) + " bytes, " +
                        std::to_string(limits_.in_flight) + " in flight; both are at least 1");
  }
  sending_.reserve(static_cast<std::size_t>(limits_.in_flight));
  for (int i = 0; i < limits_.in_flight; ++i) sending_.add();
}

void Channel::reserve(std::span<const Message> receives) {
  Index needed = 0;
  for (const Message& message : receives) needed += count_parts(message.data.bytes, limits_);
  receiving_.reserve(std::max(receiving_.capacity(), static_cast<std::size_t>(needed)));
  memory_->counts.resize(4 * static_cast<std::size_t>(communicator_->size));
}

void Channel::count(std::span<const Message> sends, std::span<const Message> receives, bool last) {
  for (const Message& message : sends) counters_.bytes_sent += message.data.bytes;
  for (const Message& message : receives) counters_.bytes_received += message.data.bytes;
  counters_.messages_sent += static_cast<Index>(sends.size());
  counters_.messages_received += static_cast<Index>(receives.size());
  if (last) ++counters_.exchanges;
}

void Channel::count_read(std::span<const Message> given, std::span<const Message> taken) {
  counters_.bytes_sent += bytes_of(given);
  counters_.bytes_received += bytes_of(taken);
  ++counters_.exchanges;
}

void Channel::exchange(std::span<const Message> sends, std::span<const Message> receives,
                       bool last) {
  const MPI_Comm comm = communicator_->comm;
  const Index bytes = bytes_of(sends) + bytes_of(receives);
  Watchdog& watchdog = *communicator_->watchdog;
  receiving_.clear();
  receiving_.mark_started();
  sending_.mark_started();
  std::size_t slot = 0;
  const auto send = [&](const Message& message) {
    const auto peer = static_cast<int>(message.peer);
    for_each_part(message, limits_, [&](const std::byte* data, Index size) {
      wait_for(sending_[slot], watchdog, bytes);
      check(send_part(data, size, peer, comm, &sending_[slot]), "MPI_Isend");
      slot = (slot + 1) % sending_.size();
    });
  };
  const std::size_t ahead = sends_ahead(sends, limits_);
  for (const Message& message : sends.first(ahead)) send(message);
  for (const Message& message : receives) {
    const auto peer = static_cast<int>(message.peer);
    for_each_part(message, limits_, [&](std::byte* data, Index size) {
      check(receive_part(data, size, peer, comm, &receiving_.add()), "MPI_Irecv");
    });
  }
  for (const Message& message : sends.subspan(ahead)) send(message);
  receiving_.wait(watchdog, bytes);
  sending_.wait(watchdog, bytes);
  count(sends, receives, last);
}

void Channel::alltoallv(std::span<const Message> sends, std::span<const Message> receives) {
  const auto ranks = static_cast<std::size_t>(communicator_->size);
  std::vector<int>& counts = memory_->counts;
  std::fill(counts.begin(), counts.end(), 0);
  int* const send_counts = counts.data();
  int* const send_offsets = send_counts + ranks;
  int* const receive_counts = send_offsets + ranks;
  int* const receive_offsets = receive_counts + ranks;
  const auto lowest = [](std::span<const Message> messages) {
    std::byte* base = nullptr;
    for (const Message& message : messages) {
      if (base == nullptr || message.data.data < base) base = message.data.data;
    }
    return base;
  };
  const auto fill = [](std::span<const Message> messages, const std::byte* base, int* sizes,
                       int* offsets) {
    for (const Message& message : messages) {
      sizes[message.peer] = narrow<int>(message.data.bytes, "bytes of a message in MPI_Alltoallv");
      offsets[message.peer] =
          narrow<int>(message.data.data - base, "offset of a message in MPI_Alltoallv");
    }
  };
  std::byte* const send_base = lowest(sends);
  std::byte* const receive_base = lowest(receives);
  fill(sends, send_base, send_counts, send_offsets);
  fill(receives, receive_base, receive_counts, receive_offsets);
  if (simulated) {  // all messages at once would take the simulation for ever
    check(MPI_Alltoallv(send_base, send_counts, send_offsets, MPI_BYTE, receive_base,
                        receive_counts, receive_offsets, MPI_BYTE, communicator_->comm),
          "MPI_Alltoallv");
  } else {
    collective_.mark_started();
    check(
        MPI_Ialltoallv(send_base, send_counts, send_offsets, MPI_BYTE, receive_base, receive_counts,
                       receive_offsets, MPI_BYTE, communicator_->comm, &collective_[0]),
        "MPI_Ialltoallv");
    collective_.wait(*communicator_->watchdog, bytes_of(sends) + bytes_of(receives));
  }
  count(sends, receives);
}

void Channel::abandon() { receiving_.cancel(); }

}  // namespace kallima::comm
