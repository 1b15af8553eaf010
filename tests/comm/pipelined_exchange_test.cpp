// SPDX-License-Identifier: BSD-3-Clause
//
// Pipelined carry every part whole, though what arrives takes the place of what has left, whatever
// the sizes on both sides are, however late ranks compute, and in packets of any size.
#include "comm/pipelined_exchange.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/recorder.hpp"
#include "comm/mpi_spy.hpp"
#include "comm/progress_thread.hpp"
#include "comm/together.hpp"
#include "support/random.hpp"

namespace kallima::test {
namespace {

using comm::Communicator;
using comm::Limits;
using comm::Message;
using comm::PipelinedExchange;
using kallima::Dependency;

constexpr Index parts = 12;
constexpr Index chunks = 4;  // of both sides

std::byte pattern(Index from, Index to, Index i) {
  return static_cast<std::byte>((131 * from + 31 * to + 7 * i + i / 251) & 0xFF);
}

/// Where the parts from one rank to another begin, and the end: uneven, and none between some.
std::vector<Index> begins_between(Index base, Index from, Index to) {
  std::vector<Index> begins = {0};
  if ((from + 2 * to) % 7 == 6) return begins;
  for (Index part = 0; part < parts; ++part) {
    begins.push_back(begins.back() + base + (5 * from + 3 * to + 11 * part) % 13);
  }
  return begins;
}

Index offset_between(const std::vector<Index>& in, const std::vector<Index>& out) {
  Index most = 0;
  for (std::size_t i = 0; i + 1 < in.size(); ++i) {
    most = std::max({most, in[i + 1] - out[std::min(i, out.size() - 1)], in[i + 1] - in[i]});
  }
  for (std::size_t i = 0; i + 1 < out.size(); ++i) most = std::max(most, out[i + 1] - out[i]);
  return most;
}

/// All buffers of a rank, in memory of its own.
struct PeerBuffers {
  struct PeerBuffer {
    Index peer = 0;
    std::vector<Index> in;
    std::vector<Index> out;
    Index send_offset = 0;
    std::vector<std::byte> memory;
  };
  std::vector<PeerBuffer> all;
  std::vector<Message> sends;
  std::vector<Message> receives;
  std::vector<Dependency> send_dependencies;
  std::vector<Dependency> receive_dependencies;

  PeerBuffers(Index base, Index rank, Index ranks) {
    for (Index peer = 0; peer < ranks; ++peer) {
      if (peer == rank) continue;
      PeerBuffer buffer{
          peer, begins_between(base, peer, rank), begins_between(base, rank, peer), 0, {}};
      buffer.send_offset = offset_between(buffer.in, buffer.out);
      const Index size = std::max(buffer.in.back(), buffer.send_offset + buffer.out.back());
      buffer.memory.resize(static_cast<std::size_t>(size));
      all.push_back(std::move(buffer));
    }
    for (Index part = 0; part < parts; ++part) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        PeerBuffer& buffer = all[i];
        const auto p = static_cast<std::size_t>(part);
        Dependency dependency{static_cast<Index>(i), part * chunks / parts + 1,
                              part * chunks / parts, 0};
        if (buffer.out.size() > 1) {
          dependency.send_offset = offset_between(buffer.out, buffer.in);
          sends.push_back(
              {buffer.peer, view(buffer, buffer.send_offset + buffer.out[p], buffer.out, p)});
          send_dependencies.push_back(dependency);
        }
        if (buffer.in.size() > 1) {
          dependency.send_offset = buffer.send_offset;
          receives.push_back({buffer.peer, view(buffer, buffer.in[p], buffer.in, p)});
          receive_dependencies.push_back(dependency);
        }
      }
    }
  }

  static BufferView view(PeerBuffer& buffer, Index at, const std::vector<Index>& begins,
                         std::size_t part) {
    return {buffer.memory.data() + at, begins[part + 1] - begins[part], MemoryKind::host};
  }

  /// What a chunk computes: the parts that leave when it is done.
  void compute(Index rank, Index chunk) {
    for (std::size_t i = 0; i < sends.size(); ++i) {
      if (send_dependencies[i].needs != chunk + 1) continue;
      for (Index b = 0; b < sends[i].data.bytes; ++b) {
        sends[i].data.data[b] = pattern(rank, sends[i].peer, static_cast<Index>(i) + b);
      }
    }
  }

  /// The bytes that `peer` has computed for this rank, part by part.
  [[nodiscard]] bool arrived(Index base, Index rank, Index ranks, Index chunk) const {
    for (std::size_t i = 0; i < receives.size(); ++i) {
      if (receive_dependencies[i].taken != chunk) continue;
      const PeerBuffers theirs(base, receives[i].peer, ranks);
      const auto number =
          std::count_if(receives.begin(), receives.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const Message& message) { return message.peer == receives[i].peer; });
      Index seen = 0;
      for (std::size_t s = 0; s < theirs.sends.size(); ++s) {
        if (theirs.sends[s].peer != rank || seen++ != number) continue;
        for (Index b = 0; b < receives[i].data.bytes; ++b) {
          if (receives[i].data.data[b] !=
              pattern(receives[i].peer, rank, static_cast<Index>(s) + b)) {
            return false;
          }
        }
      }
    }
    return true;
  }
};

/// Direction, peer and bytes of messages, in any order.
using Recorded = std::multiset<std::tuple<Doing, Index, Index>>;

/// Every message of so many runs is recorded once, and took no less than no time.
void check_record(const PeerBuffers& buffers, const Recorder& recorder, int runs,
                  Complaints& complaints) {
  Recorded wanted;
  for (int run = 0; run < runs; ++run) {
    for (const Message& sent : buffers.sends) {
      wanted.emplace(Doing::send, sent.peer, sent.data.bytes);
    }
    for (const Message& received : buffers.receives) {
      wanted.emplace(Doing::receive, received.peer, received.data.bytes);
    }
  }
  Recorded found;
  for (const Event& event : recorder.events()) {
    found.emplace(event.doing, event.number, event.bytes);
    complaints.expect(event.stage == 5, "an event is of another stage");
    complaints.expect(0. <= event.begin && event.begin <= event.end, "an event ends too early");
  }
  complaints.expect(found == wanted, "what is recorded is not what was sent and received");
}

void check_pipelined(Together& all, Index base, Index most_bytes, std::uint64_t seed, bool helped,
                     Complaints& complaints) {
  PeerBuffers buffers(base, all.rank(), all.ranks());
  Limits limits;
  limits.most_bytes = most_bytes;
  const auto world = Communicator::of(MPI_COMM_WORLD);
  PipelinedExchange pipelined(world, limits, 3, buffers.send_dependencies,
                              buffers.receive_dependencies);
  Random random(seed, static_cast<std::uint64_t>(all.rank()));
  const std::unique_ptr<comm::ProgressThread> progress_thread =
      helped ? std::make_unique<comm::ProgressThread>(*world->watchdog) : nullptr;
  constexpr int runs = 3;
  Recorder recorder(2 * runs * (buffers.sends.size() + buffers.receives.size()));
  recorder.set_origin();
  pipelined.record(&recorder, 5);
  for (int run = 0; run < runs; ++run) {
    pipelined.begin(buffers.sends, buffers.receives);
    if (progress_thread) progress_thread->move(&pipelined, nullptr);
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      if (random.chance(30)) {
        std::this_thread::sleep_for(std::chrono::microseconds(random.between(1, 300)));
      }
      buffers.compute(all.rank(), chunk);
      pipelined.computed(chunk + 1);
      for (std::int64_t i = random.between(0, 5); i > 0; --i) pipelined.progress();
    }
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      pipelined.wait_for(chunk);
      complaints.expect(buffers.arrived(base, all.rank(), all.ranks(), chunk),
                        "chunk " + std::to_string(chunk) + " is wrong");
    }
    pipelined.finish();
    if (progress_thread) progress_thread->move(nullptr, nullptr);
  }
  check_record(buffers, recorder, runs, complaints);
}

void parts_take_each_others_places(Together& all, bool helped) {
  for (const Index base : {Index{1}, Index{40}, Index{5000}, Index{200000}}) {
    for (const Index packet : {Index{7}, Index{64}, Index{4096}, Index{1} << 30}) {
      if (base / packet > 100) continue;
      const std::string name = std::to_string(base) + " bytes a part, packets of " +
                               std::to_string(packet) + (helped ? ", with a thread" : "");
      all.run("parts arrive whole: " + name, [&](Complaints& complaints) {
        const auto world = Communicator::of(MPI_COMM_WORLD);  // the duplicate stays
        const Handles before = handles_alive();
        check_pipelined(all, base, packet, static_cast<std::uint64_t>(base + packet), helped,
                        complaints);
        world->duplicate->free_retired();  // destructors call no MPI
        complaints.expect(handles_alive() == before, "a request is left over");
      });
    }
  }
}

/// The same messages from and to other memory, as of a user who transforms one array and then
/// another.
void memory_may_be_another_in_every_run(Together& all) {
  all.run("memory may be another in every run", [&](Complaints& complaints) {
    const Index base = 40;
    std::vector<PeerBuffers> memories;
    memories.reserve(2);
    for (int i = 0; i < 2; ++i) memories.emplace_back(base, all.rank(), all.ranks());
    const PeerBuffers& first = memories.front();
    const auto world = Communicator::of(MPI_COMM_WORLD);
    auto pipelined = std::make_unique<PipelinedExchange>(
        world, Limits{}, 3, first.send_dependencies, first.receive_dependencies);
    for (const std::size_t which : {0U, 1U, 1U, 0U}) {
      PeerBuffers& buffers = memories[which];
      for (PeerBuffers::PeerBuffer& buffer : buffers.all) {
        std::fill(buffer.memory.begin(), buffer.memory.end(), std::byte{0});
      }
      pipelined->begin(buffers.sends, buffers.receives);
      for (Index chunk = 0; chunk < chunks; ++chunk) buffers.compute(all.rank(), chunk);
      pipelined->computed(chunks);
      pipelined->finish();
      for (Index chunk = 0; chunk < chunks; ++chunk) {
        complaints.expect(buffers.arrived(base, all.rank(), all.ranks(), chunk),
                          "chunk " + std::to_string(chunk) + " is wrong");
      }
    }
    pipelined.reset();
    world->duplicate->free_retired();  // destructors call no MPI
  });
}

/// Every rank sends to the next; four packets fill the memory that is reserved for them, so that
/// sanitizers see who looks behind the last one.
void a_message_is_recorded_with_its_last_packet(Together& all) {
  if (all.ranks() == 1) return;
  all.run("a message is recorded with its last packet", [&](Complaints& complaints) {
    const Index next = (all.rank() + 1) % all.ranks();
    const Index previous = (all.rank() + all.ranks() - 1) % all.ranks();
    std::vector<std::byte> memory(512);
    const std::vector<Message> sends = {{next, {memory.data(), 256, MemoryKind::host}}};
    const std::vector<Message> receives = {
        {previous, {memory.data() + 256, 256, MemoryKind::host}}};
    Limits limits;
    limits.most_bytes = 64;
    const auto world = Communicator::of(MPI_COMM_WORLD);
    auto pipelined =
        std::make_unique<PipelinedExchange>(world, limits, 3, std::vector<Dependency>{{0, 1, 0, 0}},
                                            std::vector<Dependency>{{1, 1, 0, 0}});
    Recorder recorder(8);
    pipelined->record(&recorder, 5);
    pipelined->begin(sends, receives);
    pipelined->computed(1);
    pipelined->finish();
    pipelined.reset();
    world->duplicate->free_retired();  // destructors call no MPI
    Recorded found;
    for (const Event& event : recorder.events()) {
      found.emplace(event.doing, event.number, event.bytes);
    }
    complaints.expect(found == Recorded{{Doing::send, next, 256}, {Doing::receive, previous, 256}},
                      "what is recorded is not one message each way");
  });
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int status = 0;
  {
    kallima::test::Together all(30.0);
    kallima::test::parts_take_each_others_places(all, false);
    kallima::test::a_message_is_recorded_with_its_last_packet(all);
    kallima::test::memory_may_be_another_in_every_run(all);
    if (provided == MPI_THREAD_MULTIPLE) kallima::test::parts_take_each_others_places(all, true);
    status = all.finish("pipelined");
  }
  MPI_Finalize();
  return status;
}
