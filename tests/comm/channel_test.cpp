// SPDX-License-Identifier: BSD-3-Clause
//
// Messages arrive whole, whatever they are cut into, and they are cut into as many MPI calls as the
// limits say. With --huge one message is larger than an int can count (5 GB and half a minute; by
// hand).
#include "comm/channel.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "comm/mpi_spy.hpp"
#include "comm/together.hpp"
#include "kallima/error.hpp"

namespace kallima::test {
namespace {

using comm::Channel;
using comm::Communicator;
using comm::Limits;
using comm::Message;

constexpr Index lowered = Index{1} << 10;

/// Bytes from rank `from` to rank `to`; some pairs have none.
Index bytes_between(Index base, Index from, Index to) {
  return (from + 2 * to) % 5 == 4 ? 0 : base + 3 * from + to;
}

std::byte pattern(Index from, Index to, Index i) {
  return static_cast<std::byte>((131 * from + 31 * to + 7 * i + i / 251) & 0xFF);
}

/// What one rank sends or receives, in one block of memory.
struct Load {
  std::vector<std::byte> memory;
  std::vector<Message> messages;
};

Load make_load(Index base, int rank, int ranks, bool sending) {
  Load load;
  Index total = 0;
  const PeerOrder order(ranks);
  for (Index round = 0; round < ranks; ++round) {
    for (Index peer = 0; peer < ranks; ++peer) {
      const Index from = sending ? rank : peer;
      const Index to = sending ? peer : rank;
      if (peer == rank || order.round_of(from, to) != round) continue;
      const Index bytes = bytes_between(base, from, to);
      if (bytes == 0) continue;
      load.messages.push_back({peer, {nullptr, bytes, MemoryKind::host}});
      total += bytes;
    }
  }
  load.memory.resize(static_cast<std::size_t>(total), std::byte{0xEE});
  Index at = 0;
  for (Message& message : load.messages) {
    message.data.data = load.memory.data() + at;
    at += message.data.bytes;
    if (!sending) continue;
    for (Index i = 0; i < message.data.bytes; ++i) {
      message.data.data[i] = pattern(rank, message.peer, i);
    }
  }
  return load;
}

void expect_arrived(const Load& load, int rank, Complaints& complaints) {
  for (const Message& message : load.messages) {
    for (Index i = 0; i < message.data.bytes; ++i) {
      if (message.data.data[i] != pattern(message.peer, rank, i)) {
        complaints.expect(false, "byte " + std::to_string(i) + " from rank " +
                                     std::to_string(message.peer) + " is wrong");
        return;
      }
    }
  }
}

/// What one MPI message may carry.
Index most_of(const Limits& limits) {
  if (limits.large_counts && comm::has_large_counts()) return limits.most_bytes;
  return std::min(limits.most_bytes, limits.int_bytes);
}

/// MPI messages that the limits allow for these.
long parts_of(const Load& load, const Limits& limits) {
  long parts = 0;
  for (const Message& message : load.messages) {
    parts += static_cast<long>(ceil_div(message.data.bytes, most_of(limits)));
  }
  return parts;
}

/// Limits that are asked for, of what an int counts, and both, the lower of either kind.
std::vector<Limits> lowered_limits() {
  std::vector<Limits> result;
  for (const bool large : {false, true}) {
    for (const int in_flight : {1, 2, 4}) {
      Limits limits;
      limits.large_counts = large;
      limits.in_flight = in_flight;
      limits.most_bytes = lowered;
      result.push_back(limits);
      limits.int_bytes = lowered / 2;
      result.push_back(limits);
      limits.most_bytes = lowered / 4;
      result.push_back(limits);
      limits.most_bytes = Limits().most_bytes;
      result.push_back(limits);
    }
  }
  return result;
}

void parts_are_counted_and_arrive(Together& all) {
  for (const Index base :
       {Index{1}, lowered - 8, lowered - 1, lowered, 4 * lowered - 1, 100 * lowered}) {
    for (const Limits& limits : lowered_limits()) {
      const std::string name = std::to_string(base) + " bytes, " +
                               std::to_string(limits.most_bytes) + " asked for, " +
                               std::to_string(limits.int_bytes) + " counted" +
                               (limits.large_counts ? " or large, " : ", ") +
                               std::to_string(limits.in_flight) + " in flight";
      all.run("messages arrive and are counted: " + name, [&](Complaints& complaints) {
        const Load sends = make_load(base, all.rank(), all.ranks(), true);
        const Load receives = make_load(base, all.rank(), all.ranks(), false);
        Channel channel(Communicator::of(MPI_COMM_WORLD), limits);
        channel.reserve(receives.messages);
        for (int repeat = 0; repeat < 2; ++repeat) {
          const Handles before = handles_alive();
          forget_calls();
          channel.exchange(sends.messages, receives.messages);
          const Calls calls = calls_made();
          // Where MPI has large counts, every message goes by those calls, cut or not.
          const bool large_calls = comm::has_large_counts();
          complaints.equal(large_calls ? calls.large_sends : calls.sends, parts_of(sends, limits),
                           "number of sends");
          complaints.equal(large_calls ? calls.large_receives : calls.receives,
                           parts_of(receives, limits), "number of receives");
          complaints.equal(large_calls ? calls.sends : calls.large_sends, 0L,
                           "number of sends of the other kind");
          complaints.expect(calls.largest_send <= most_of(limits), "a part exceeds the limit");
          complaints.expect(handles_alive() == before, "a request is left over");
          expect_arrived(receives, all.rank(), complaints);
        }
        const comm::Counters& moved = channel.counters();
        complaints.equal(moved.messages_sent, 2 * static_cast<Index>(sends.messages.size()),
                         "messages counted");
        complaints.equal(moved.bytes_sent, 2 * static_cast<Index>(sends.memory.size()),
                         "bytes counted");
        complaints.equal(moved.bytes_received, 2 * static_cast<Index>(receives.memory.size()),
                         "received bytes counted");
        complaints.equal(moved.exchanges, Index{2}, "exchanges counted");
      });
    }
  }
}

/// Those that MPI asks for first, where they go in one part: as many as may be under way.
void large_messages_begin_before_receives(Together& all) {
  constexpr Index asked = Index{1} << 16;
  for (const Index base : {Index{100}, asked - 100, asked + 1, 3 * asked}) {
    for (const Limits& limits :
         {Limits{}, Limits{asked / 2, true, 4}, Limits{asked / 2, false, 4}}) {
      all.run("sends before receives: " + std::to_string(base), [&](Complaints& complaints) {
        const Load sends = make_load(base, all.rank(), all.ranks(), true);
        const Load receives = make_load(base, all.rank(), all.ranks(), false);
        Channel channel(Communicator::of(MPI_COMM_WORLD), limits);
        channel.reserve(receives.messages);
        forget_calls();
        channel.exchange(sends.messages, receives.messages);
        const auto most = std::min<std::size_t>(sends.messages.size(), 4);
        const bool ahead = base > asked && limits.most_bytes > base;
        // Who receives nothing has no first receive.
        if (!receives.messages.empty()) {
          complaints.equal(calls_made().sends_ahead, ahead ? static_cast<long>(most) : 0L,
                           "number of sends before receives");
        }
        expect_arrived(receives, all.rank(), complaints);
      });
    }
  }
}

void alltoallv_moves_the_same(Together& all) {
  for (const Index base : {Index{1}, Index{77}, 5 * lowered}) {
    all.run("alltoallv moves the same in one call: " + std::to_string(base),
            [&](Complaints& complaints) {
              const Load sends = make_load(base, all.rank(), all.ranks(), true);
              const Load receives = make_load(base, all.rank(), all.ranks(), false);
              Channel channel(Communicator::of(MPI_COMM_WORLD), {});
              channel.reserve(receives.messages);
              forget_calls();
              channel.alltoallv(sends.messages, receives.messages);
              const Calls calls = calls_made();
              complaints.equal(calls.alltoallvs, 1L, "number of MPI_Alltoallv");
              complaints.equal(calls.sends + calls.large_sends, 0L, "number of sends beside it");
              expect_arrived(receives, all.rank(), complaints);
              complaints.equal(channel.counters().bytes_sent,
                               static_cast<Index>(sends.memory.size()), "bytes counted");
            });
  }
}

void nothing_to_send_is_fine(Together& all) {
  all.run("nothing to send and nothing to receive", [&](Complaints& complaints) {
    Channel channel(Communicator::of(MPI_COMM_WORLD), {});
    channel.reserve({});
    channel.exchange({}, {});
    channel.alltoallv({}, {});
    complaints.equal(channel.counters().bytes_sent, Index{0}, "bytes counted");
    complaints.equal(channel.counters().exchanges, Index{2}, "exchanges counted");
  });
}

void bad_limits_are_refused(Together& all) {
  for (const Limits& limits : {Limits{0, true, 4}, Limits{-1, true, 4}, Limits{1, true, 0}}) {
    all.run("bad limits are refused", [&](Complaints& complaints) {
      try {
        const Channel channel(Communicator::of(MPI_COMM_WORLD), limits);
        complaints.expect(false, "limits were accepted");
      } catch (const InvalidOption& error) {
        complaints.expect(std::strlen(error.what()) > 20, "the text names no fix");
      }
    });
  }
}

/// Rank 0 sends more than an int can count to rank 1.
void huge_message_arrives(Together& all, bool large) {
  all.run(large ? "a message beyond 2^31 bytes, large counts" : "the same in parts",
          [&](Complaints& complaints) {
            const Index bytes = (Index{1} << 31) + 12345;
            Load sends;
            Load receives;
            if (all.rank() < 2) {
              Load& mine = all.rank() == 0 ? sends : receives;
              mine.memory.resize(static_cast<std::size_t>(bytes));
              mine.messages.push_back({1 - all.rank(), {mine.memory.data(), bytes, {}}});
            }
            for (Index i = 0; i < bytes && all.rank() == 0; ++i) {
              sends.memory[static_cast<std::size_t>(i)] = pattern(0, 1, i);
            }
            Limits limits;
            limits.large_counts = large;
            Channel channel(Communicator::of(MPI_COMM_WORLD), limits);
            channel.reserve(receives.messages);
            forget_calls();
            channel.exchange(sends.messages, receives.messages);
            const Calls calls = calls_made();
            complaints.equal(calls.sends + calls.large_sends, parts_of(sends, limits), "sends");
            expect_arrived(receives, all.rank(), complaints);
          });
}

int run(bool huge) {
  Together all(huge ? 300.0 : 60.0);
  if (huge) {
    huge_message_arrives(all, true);
    huge_message_arrives(all, false);
  } else {
    parts_are_counted_and_arrive(all);
    large_messages_begin_before_receives(all);
    alltoallv_moves_the_same(all);
    nothing_to_send_is_fine(all);
    bad_limits_are_refused(all);
  }
  return all.finish("channel cases");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = kallima::test::run(argc > 1 && std::string(argv[1]) == "--huge");
  MPI_Finalize();
  return status;
}
