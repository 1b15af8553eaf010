// SPDX-License-Identifier: BSD-3-Clause
//
// Owners of MPI's handles: no destructor calls MPI; what is left is freed by a later call or by
// MPI_Finalize, and memory stays for as long as MPI may use it.
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "comm/attribute_key.hpp"
#include "comm/communicator.hpp"
#include "comm/mpi_faults.hpp"
#include "comm/mpi_spy.hpp"
#include "comm/owned_comm.hpp"
#include "comm/requests.hpp"
#include "comm/together.hpp"
#include "kallima/error.hpp"
#include "kallima/transform.hpp"

// MPI never gives back what it has allocated for calls that do not end, which is no leak of ours.
extern "C" void __lsan_disable() __attribute__((weak));  // NOLINT: the sanitizer's own names
extern "C" void __lsan_enable() __attribute__((weak));   // NOLINT

namespace kallima::test {
namespace {

using comm::AttributeKey;
using comm::Communicator;
using comm::Keeper;
using comm::OwnedComm;
using comm::Requests;

using Bytes = std::array<char, 64>;

/// Destroys what it holds, without a call of MPI.
template <class Owner>
void expect_local_end(std::optional<Owner>& owner, Complaints& complaints) {
  forget_calls();
  owner.reset();
  complaints.equal(calls_made().all, 0L, "number of MPI calls of a destructor");
}

/// A call that makes a transform frees what was left on its communicator.
void make_a_transform(MPI_Comm comm) { const Transform<double> fft(comm, {4}); }

/// Does something until it is true on all ranks, but not for ever. Collective.
template <class Done>
void until_everywhere(Done done) {
  for (int i = 0; i < 10000 && !all_of_us(done()); ++i) {
  }
}

void communicators(Together& all) {
  all.run("a communicator is freed where its owner says so", [&](Complaints& complaints) {
    const long before = handles_alive().communicators;
    const std::array<int, 2> sizes = {(all.ranks() + 1) / 2, all.ranks() / 2};
    auto half = OwnedComm::split(MPI_COMM_WORLD, all.rank() % 2, all.rank());
    auto node = OwnedComm::of_node(MPI_COMM_WORLD);
    int size = 0;
    MPI_Comm_size(half.get(), &size);
    complaints.equal(size, sizes[static_cast<std::size_t>(all.rank() % 2)], "ranks of a half");
    MPI_Comm_size(node.get(), &size);
    complaints.equal(size, all.ranks(), "ranks of the node");
    complaints.equal(handles_alive().communicators, before + 2, "communicators alive");
    complaints.expect(half.free() == MPI_SUCCESS && node.free() == MPI_SUCCESS, "not freed");
    complaints.expect(half.get() == MPI_COMM_NULL, "still there");
    complaints.expect(half.free() == MPI_SUCCESS, "freeing none is an error");
    complaints.equal(handles_alive().communicators, before, "communicators alive in the end");
  });
  all.run("one without this rank is none", [&](Complaints& complaints) {
    auto some = OwnedComm::split(MPI_COMM_WORLD, all.rank() == 0 ? 0 : MPI_UNDEFINED, 0);
    complaints.expect((some.get() == MPI_COMM_NULL) == (all.rank() != 0), "who has it");
    complaints.expect(some.free() == MPI_SUCCESS, "not freed");
  });
  all.run("an owner that is moved leaves nothing behind", [&](Complaints& complaints) {
    const long before = handles_alive().communicators;
    auto first = OwnedComm::split(MPI_COMM_WORLD, 0, all.rank());
    const MPI_Comm comm = first.get();
    MPI_Comm* const slot = first.slot();
    OwnedComm second(std::move(first));
    OwnedComm third;
    third = std::move(second);
    complaints.expect(third.get() == comm && third.slot() == slot, "another, or elsewhere");
    complaints.expect(third.free() == MPI_SUCCESS, "not freed");
    complaints.equal(handles_alive().communicators, before, "communicators alive in the end");
  });
  all.run("a communicator whose owner goes is left to MPI_Finalize", [&](Complaints& complaints) {
    const long before = handles_alive().communicators;
    std::optional<OwnedComm> left = OwnedComm::split(MPI_COMM_WORLD, 0, all.rank());
    expect_local_end(left, complaints);
    OwnedComm overwritten = OwnedComm::split(MPI_COMM_WORLD, 0, all.rank());
    forget_calls();
    overwritten = OwnedComm();
    complaints.equal(calls_made().all, 0L, "number of MPI calls of an assignment");
    // Some ranks leave theirs behind, others free it: as after a failure of one of them.
    std::optional<OwnedComm> mixed = OwnedComm::split(MPI_COMM_WORLD, 0, all.rank());
    const bool leaves = all.rank() % 2 == 0;
    if (leaves) expect_local_end(mixed, complaints);
    complaints.expect(leaves || mixed->free() == MPI_SUCCESS, "not freed");
    complaints.equal(handles_alive().communicators, before + (leaves ? 3 : 2), "alive");
  });
}

extern "C" int kallima_test_deleted(MPI_Comm, int, void*, void*) { return MPI_SUCCESS; }

void keys(Together& all) {
  all.run("keys are freed, or left to MPI_Finalize", [](Complaints& complaints) {
    const long before = handles_alive().keyvals;
    AttributeKey freed(kallima_test_deleted);
    complaints.expect(freed.get() != MPI_KEYVAL_INVALID, "no key");
    complaints.expect(freed.free() == MPI_SUCCESS && freed.free() == MPI_SUCCESS, "not freed");
    complaints.equal(handles_alive().keyvals, before, "keys alive");
    std::optional<AttributeKey> left(std::in_place, kallima_test_deleted);
    expect_local_end(left, complaints);
    complaints.equal(handles_alive().keyvals, before + 1, "keys alive");
  });
}

void requests_at_rest(Together& all) {
  all.run("requests that are through leave nothing", [&](Complaints& complaints) {
    const auto world = Communicator::of(MPI_COMM_WORLD);
    const Handles before = handles_alive();
    const auto memory = std::make_shared<Bytes>();
    std::optional<Requests> barrier(std::in_place, world->keeper(), 1, memory);
    barrier->mark_started();
    MPI_Ibarrier(world->comm, &(*barrier)[0]);
    barrier->wait(*world->watchdog, 0);
    expect_local_end(barrier, complaints);
    complaints.expect(handles_alive() == before, handles_alive().to_text());
    complaints.equal(memory.use_count(), 1L, "owners of the memory");
  });
  all.run("persistent requests at rest are freed by the next call", [](Complaints& complaints) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const auto ours = Communicator::of(comm);
    const Handles before = handles_alive();
    Bytes bytes{};
    std::optional<Requests> left(std::in_place, ours->keeper());
    for (int i = 0; i < 3; ++i) {
      MPI_Recv_init(bytes.data(), 8, MPI_BYTE, 0, 9, ours->comm, &left->add());
    }
    left->free();
    complaints.expect(handles_alive() == before, "not freed: " + handles_alive().to_text());
    for (int i = 0; i < 3; ++i) {
      MPI_Recv_init(bytes.data(), 8, MPI_BYTE, 0, 9, ours->comm, &left->add());
    }
    Requests moved = std::move(*left);
    left.emplace(std::move(moved));
    expect_local_end(left, complaints);
    complaints.equal(handles_alive().requests, before.requests + 3, "requests alive");
    make_a_transform(comm);
    complaints.expect(handles_alive() == before, "left: " + handles_alive().to_text());
    MPI_Comm_free(&comm);
  });
}

/// Requests to receive from the rank before, one of them persistent where wanted.
Requests receives(const Communicator& ours, const std::shared_ptr<Bytes>& memory, bool persistent) {
  const int before = (ours.rank + ours.size - 1) % ours.size;
  Requests result(ours.keeper(), 2, memory);
  result.mark_started();
  for (std::size_t i = 0; i < result.size(); ++i) {
    char* const place = memory->data() + 8 * i;
    const int tag = 20 + static_cast<int>(i);
    if (persistent) {
      MPI_Recv_init(place, 8, MPI_BYTE, before, tag, ours.comm, &result[i]);
      MPI_Start(&result[i]);
    } else {
      MPI_Irecv(place, 8, MPI_BYTE, before, tag, ours.comm, &result[i]);
    }
  }
  return result;
}

void active_requests(Together& all) {
  for (const bool persistent : {false, true}) {
    const std::string kind = persistent ? "persistent requests" : "requests";
    all.run("active " + kind + " keep their memory until they are through",
            [&](Complaints& complaints) {
              MPI_Comm comm = MPI_COMM_NULL;
              MPI_Comm_dup(MPI_COMM_WORLD, &comm);
              const auto ours = Communicator::of(comm);
              const Handles before = handles_alive();
              auto memory = std::make_shared<Bytes>();
              const std::weak_ptr<Bytes> watched = memory;
              std::optional<Requests> left = receives(*ours, memory, persistent);
              memory.reset();
              expect_local_end(left, complaints);
              complaints.expect(ours->keeper()->has_active(), "the keeper has not got them");
              for (int i = 0; i < 3; ++i) make_a_transform(comm);
              complaints.expect(!watched.expired(), "MPI writes to memory that is gone");
              complaints.equal(handles_alive().requests, before.requests + 2, "requests alive");
              const Bytes text{"12345678abcdefg"};
              const int next = (all.rank() + 1) % all.ranks();
              for (int i = 0; i < 2; ++i) {
                MPI_Send(text.data() + 8 * i, 8, MPI_BYTE, next, 20 + i, ours->comm);
              }
              until_everywhere([&] {
                const auto held = watched.lock();
                make_a_transform(comm);
                const bool through = !ours->keeper()->has_active();
                complaints.expect(!through || !held || *held == text, "the messages are lost");
                return through;
              });
              complaints.expect(watched.expired(), "the memory is left");
              complaints.expect(handles_alive() == before, handles_alive().to_text());
              MPI_Comm_free(&comm);
              complaints.expect(ours->duplicate->closed, "the duplicate is left");
            });
  }
  all.run("a communicator waits for requests that are active", [&](Complaints& complaints) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const auto ours = Communicator::of(comm);
    const auto memory = std::make_shared<Bytes>();
    std::optional<Requests> left = receives(*ours, memory, false);
    left.reset();
    MPI_Comm_free(&comm);
    complaints.expect(!ours->duplicate->closed, "the duplicate is freed");
    const int next = (all.rank() + 1) % all.ranks();
    for (int i = 0; i < 2; ++i) MPI_Send("1234567", 8, MPI_BYTE, next, 20 + i, ours->comm);
    until_everywhere([&] {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      make_a_transform(comm);
      MPI_Comm_free(&comm);
      return ours->duplicate->closed.load();
    });
    complaints.expect(ours->duplicate->closed, "the duplicate is left");
    complaints.equal(memory.use_count(), 1L, "owners of the memory");
  });
  all.run("others can be added when active ones are let go", [&](Complaints& complaints) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const auto ours = Communicator::of(comm);
    const auto memory = std::make_shared<Bytes>();
    Requests requests = receives(*ours, memory, false);
    requests.clear();
    complaints.equal(requests.size(), std::size_t{0}, "requests");
    complaints.expect(ours->keeper()->has_active(), "the keeper has not got them");
    complaints.equal(memory.use_count(), 3L, "owners of the memory");
    requests.mark_started();
    MPI_Ibarrier(ours->comm, &requests.add());
    requests.wait(*ours->watchdog, 0);
    const int next = (all.rank() + 1) % all.ranks();
    for (int i = 0; i < 2; ++i) MPI_Send("1234567", 8, MPI_BYTE, next, 20 + i, ours->comm);
    until_everywhere([&] {
      ours->duplicate->free_retired();
      return !ours->keeper()->has_active();
    });
    complaints.equal(memory.use_count(), 2L, "owners of the memory in the end");
    MPI_Comm_free(&comm);
  });
}

void failures(Together& all) {
  all.run("after a failure nothing is touched, and memory stays", [&](Complaints& complaints) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    auto ours = Communicator::reserve(comm, 0.);
    auto memory = std::make_shared<Bytes>();
    const std::weak_ptr<Bytes> watched = memory;
    std::optional<Requests> left = receives(*ours, memory, false);
    memory.reset();
    ours->duplicate->break_by(comm::Failure::of(ErrorCode::internal_error, 0, "a test"));
    expect_local_end(left, complaints);
    forget_calls();
    ours->duplicate->free_retired();
    complaints.equal(calls_made().all, 0L, "number of MPI calls");
    MPI_Comm_free(&comm);
    ours.reset();
    complaints.expect(!watched.expired(), "MPI may write to memory that is gone");
  });
  // Ranks that only hear of it know their duplicate no longer when the call has thrown; MPI may
  // still write what it was to gather.
  all.run("what a call used that failed at the first meeting stays", [&](Complaints& complaints) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    complaints.expect(!Keeper::of_process()->has_active(), "something is there already");
    Faults faults;
    if (all.rank() == 0) faults.failing_call = "MPI_Iallgather";
    faults.failing_number = 1;
    set_faults(faults);
    if (__lsan_disable != nullptr) __lsan_disable();
    const std::string thrown =
        thrown_by([&] { static_cast<void>(Communicator::reserve(comm, 0.)); });
    if (__lsan_enable != nullptr) __lsan_enable();
    set_faults({});
    complaints.expect(begins_with(thrown, "mpi_failure"), "threw '" + thrown + "'");
    complaints.expect(all.rank() == 0 || Keeper::of_process()->has_active(), "the bytes are gone");
    MPI_Comm_free(&comm);
  });
}

int run() {
  Together all;
  make_a_transform(MPI_COMM_WORLD);
  communicators(all);
  keys(all);
  requests_at_rest(all);
  active_requests(all);
  failures(all);
  return all.finish("cases of owners");
}

/// A duplicate on which a call has failed is never freed.
constexpr long broken = 2;

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  using namespace kallima::test;
  int status = under_mpi(argc, argv, run);
  const Handles left = handles_alive();
  if (left.communicators != broken || left.keyvals != 0) {
    std::printf("FAILED: after MPI_Finalize there are %s\n", left.to_text().c_str());
    status = 1;
  }
  return status;
}
