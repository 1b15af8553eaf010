// SPDX-License-Identifier: BSD-3-Clause
//
// One duplicate per user communicator, freed with it or, where a transform still needs it, by a
// later call; no destructor calls MPI.
#include "comm/communicator.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/mpi_spy.hpp"
#include "comm/together.hpp"
#include "kallima/error.hpp"
#include "kallima/transform.hpp"

namespace kallima::test {
namespace {

using comm::Communicator;
using Elements = std::vector<std::complex<double>>;

MPI_Comm fresh_communicator() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

Transform<double> small_transform(MPI_Comm comm) { return {comm, {6, 7, 3}}; }

/// True where `body` throws an E whose text says something.
template <class E, class Body>
bool throws(Body body) {
  try {
    static_cast<void>(body());
  } catch (const E& error) {
    return std::strlen(error.what()) > 20;
  }
  return false;
}

/// Runs forward and back and compares with where it began.
void expect_works(const Transform<double>& fft, Complaints& complaints) {
  auto u = fft.make_input();
  auto u_k = fft.make_output();
  for (auto [index, value] : u.indexed()) {
    value = {static_cast<double>(index[0] - 2 * index[1]), static_cast<double>(index[2])};
  }
  fft.forward(u, u_k);
  for (auto [k, value] : u_k.wavenumbers()) {
    if (!k.is_zero()) continue;
    complaints.expect(std::abs(value - std::complex<double>(-441.0, 126.0)) < 1e-9,
                      "the mean of the transform is wrong");
  }
  fft.backward(u_k, u);
  for (auto [index, value] : u.indexed()) {
    const std::complex<double> should{static_cast<double>(index[0] - 2 * index[1]),
                                      static_cast<double>(index[2])};
    complaints.expect(std::abs(value - should) < 1e-9, "forward and back is wrong");
  }
}

void expect_works(MPI_Comm comm, Complaints& complaints) {
  expect_works(small_transform(comm), complaints);
}

void one_duplicate_per_communicator(Together& all) {
  all.run("a communicator is duplicated once, however many transforms use it",
          [](Complaints& complaints) {
            MPI_Comm comm = fresh_communicator();
            const long before = handles_alive().communicators;
            forget_calls();
            const auto first = Communicator::of(comm);
            std::vector<Transform<double>> transforms;
            for (int i = 0; i < 10; ++i) transforms.push_back(small_transform(comm));
            for (int i = 0; i < 10; ++i) {
              complaints.expect(Communicator::of(comm) == first, "a second object");
            }
            complaints.equal(calls_made().duplicates, 1L, "number of duplicates");
            complaints.equal(handles_alive().communicators, before + 1, "communicators alive");
            transforms.clear();
            complaints.equal(handles_alive().communicators, before + 1,
                             "communicators alive without transforms");
            MPI_Comm_free(&comm);
            complaints.equal(handles_alive().communicators, before - 1,
                             "communicators alive after the user's free");
          });
  all.run("communicators do not share a duplicate", [](Complaints& complaints) {
    MPI_Comm comm = fresh_communicator();
    const auto first = Communicator::of(comm);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);  // copies attributes that want to be copied
    const auto second = Communicator::of(copy);
    complaints.expect(first != second && first->comm != second->comm, "the copy shares ours");
    MPI_Comm_free(&comm);
    complaints.expect(first->duplicate->closed && !second->duplicate->closed,
                      "freeing one ended the other");
    expect_works(copy, complaints);
    MPI_Comm_free(&copy);
    complaints.expect(second->duplicate->closed, "the second is alive after its free");
  });
}

void what_is_known_of_it(Together& all) {
  all.run("rank and size are those of the user's communicator", [&](Complaints& complaints) {
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -all.rank(), &reversed);
    const auto ours = Communicator::of(reversed);
    complaints.equal(ours->rank, all.ranks() - 1 - all.rank(), "the rank");
    complaints.equal(ours->size, all.ranks(), "the size");
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(ours->comm, reversed, &relation);
    complaints.equal(relation, int{MPI_CONGRUENT}, "the relation of the two");
    expect_works(reversed, complaints);
    MPI_Comm_free(&reversed);
  });
  all.run("errors return on ours and the user's handler stays", [](Complaints& complaints) {
    MPI_Comm comm = fresh_communicator();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    const auto ours = Communicator::of(comm);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &handler);
    complaints.expect(handler == MPI_ERRORS_ARE_FATAL, "the user's handler was changed");
    MPI_Errhandler_free(&handler);
    MPI_Comm_get_errhandler(ours->comm, &handler);
    complaints.expect(handler == MPI_ERRORS_RETURN, "ours does not return errors");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
  });
}

void who_is_on_a_node(Together& all) {
  for (int each = 1; each <= all.ranks() + 1; ++each) {
    all.run("nodes of " + std::to_string(each), [&](Complaints& complaints) {
      setenv("KALLIMA_RANKS_PER_NODE", std::to_string(each).c_str(), 1);
      MPI_Comm comm = fresh_communicator();
      const auto ours = Communicator::of(comm);
      const int first = all.rank() / each * each;
      complaints.equal(ours->first_on_node, first, "the first rank of the node");
      complaints.equal(ours->ranks_on_node, std::min(each, all.ranks() - first), "ranks of it");
      complaints.equal(ours->ranks_per_node, std::min(each, all.ranks()), "ranks of the first");
      complaints.expect(ours->nodes_in_rows, "neighbours are not neighbours");
      MPI_Comm_free(&comm);
      unsetenv("KALLIMA_RANKS_PER_NODE");
    });
  }
}

void communicators_that_are_refused(Together& all) {
  all.run("the null communicator is refused locally", [&](Complaints& complaints) {
    if (all.rank() != 0) return;  // nobody else needs to come
    complaints.expect(throws<InvalidOption>([] { Communicator::of(MPI_COMM_NULL); }), "accepted");
    complaints.expect(throws<InvalidOption>([] { small_transform(MPI_COMM_NULL); }), "accepted");
  });
  if (all.ranks() < 2) return;
  all.run("an intercommunicator is refused", [&](Complaints& complaints) {
    const bool low = all.rank() == 0;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, all.rank(), &half);
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? 1 : 0, 1, &inter);
    complaints.expect(throws<InvalidOption>([&] { small_transform(inter); }), "accepted");
    MPI_Comm_free(&inter);
    expect_works(half, complaints);
    MPI_Comm_free(&half);
  });
}

void transforms_that_outlive_it(Together& all) {
  all.run("a transform works after its communicator was freed", [&](Complaints& complaints) {
    const long before = handles_alive().communicators;
    MPI_Comm comm = fresh_communicator();
    std::optional<Transform<double>> fft = small_transform(comm);
    MPI_Comm_free(&comm);
    MPI_Comm other = fresh_communicator();  // MPICH gives the same handle again
    expect_works(other, complaints);
    expect_works(*fft, complaints);
    forget_calls();
    fft.reset();
    complaints.equal(calls_made().all, 0L, "number of MPI calls of the destructor");
    complaints.equal(handles_alive().communicators, before + 3,
                     "communicators alive: one of the user's, its duplicate, and the one without");
    MPI_Comm_free(&other);
    other = fresh_communicator();
    expect_works(other, complaints);  // makes a duplicate, and frees what is not needed any more
    MPI_Comm_free(&other);
    complaints.equal(handles_alive().communicators, before, "communicators alive in the end");
  });
  if (all.ranks() < 2) return;
  all.run("what some ranks still use is freed by a later call that has all of them",
          [&](Complaints& complaints) {
            const long before = handles_alive().communicators;
            MPI_Comm comm = fresh_communicator();
            std::optional<Transform<double>> fft = small_transform(comm);
            if (all.rank() == 0) fft.reset();
            MPI_Comm_free(&comm);
            const auto use = [&](MPI_Comm somewhere) {
              expect_works(somewhere, complaints);
              MPI_Comm_free(&somewhere);
            };
            use(fresh_communicator());
            complaints.equal(handles_alive().communicators, before + 1, "with a transform");
            fft.reset();
            // Without rank 0 it cannot be freed.
            MPI_Comm some = MPI_COMM_NULL;
            MPI_Comm_split(MPI_COMM_WORLD, all.rank() == 0 ? MPI_UNDEFINED : 0, 0, &some);
            if (some != MPI_COMM_NULL) use(some);
            complaints.equal(handles_alive().communicators, before + 1, "after a call of some");
            use(fresh_communicator());
            complaints.equal(handles_alive().communicators, before, "after a call of all");
          });
  all.run("a bound transform outlives the transform it came from", [](Complaints& complaints) {
    MPI_Comm comm = fresh_communicator();
    std::optional<Transform<double>> fft = small_transform(comm);
    Elements in(static_cast<std::size_t>(fft->in_place_size()), {1.0, 0.0});
    const std::vector<Progression> part = fft->output_layout().local_indices(fft->rank());
    Elements out(in.size());
    Bound<double> bound = fft->bind(Direction::forward, in, out);
    fft.reset();
    bound.run();
    bool first = !out.empty();
    for (const Progression& along : part) first = first && along.count > 0 && along.first == 0;
    if (first) complaints.expect(std::abs(out[0] - 126.0) < 1e-9, "the mean is wrong");
    MPI_Comm_free(&comm);
  });
}

void destructors_are_local(Together& all) {
  all.run("no destructor calls MPI", [](Complaints& complaints) {
    MPI_Comm comm = fresh_communicator();
    std::optional<Transform<double>> fft = small_transform(comm);
    std::optional<Array<double>> u = fft->make_input();
    forget_calls();
    u.reset();
    fft.reset();
    complaints.equal(calls_made().all, 0L, "number of MPI calls");
    MPI_Comm_free(&comm);
  });
  for (int alone = 0; alone < all.ranks(); ++alone) {
    all.run("rank " + std::to_string(alone) + " alone destroys its transform",
            [&](Complaints& complaints) {
              MPI_Comm comm = fresh_communicator();
              std::optional<Transform<double>> fft = small_transform(comm);
              if (all.rank() == alone) fft.reset();
              expect_works(comm, complaints);
              if (all.rank() != alone && all.rank() % 2 == 0) fft.reset();
              MPI_Comm_free(&comm);
              // The others go after their communicator.
            });
  }
}

int run() {
  Together all;
  expect_works(MPI_COMM_WORLD, *std::make_unique<Complaints>());
  one_duplicate_per_communicator(all);
  what_is_known_of_it(all);
  who_is_on_a_node(all);
  communicators_that_are_refused(all);
  transforms_that_outlive_it(all);
  destructors_are_local(all);
  return all.finish("communicator cases");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::under_mpi(argc, argv, kallima::test::run); }
