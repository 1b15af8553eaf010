// SPDX-License-Identifier: BSD-3-Clause
//
// Halo exchanges against one as programs have it by hand: 26 neighbours, a message for each face,
// edge and corner. In turns, so that a change of the machine's mood meets both alike.
//
//     mpirun -n 4 kallima_halo [EXTENT [WIDTH [ROUNDS]]]     128, 2 and 41 by default
//
// Prints a line of JSON.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/median.hpp"
#include "bench/alternate.hpp"
#include "bench/runner.hpp"
#include "kallima/error.hpp"
#include "kallima/halo.hpp"

namespace kallima::bench {
namespace {

using Three = std::array<Index, 3>;

/// Doubles, all axes periodic, as many elements on each rank. What a rank is its own neighbour for
/// is copied.
class ByHand {
 public:
  ByHand(MPI_Comm comm, const Three& local, const Three& procs, Index width)
      : comm_(comm), local_(local), width_(width) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const Three mine = {rank / (procs[1] * procs[2]), rank / procs[2] % procs[1], rank % procs[2]};
    for (Index number = 0; number < 27; ++number) {
      const Three to = {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
      if (number == 13) continue;
      Neighbour neighbour;
      Index peer = 0;
      Index elements = 1;
      for (std::size_t a = 0; a < 3; ++a) {
        const Index at = mine[a] + to[a] + procs[a];
        peer = peer * procs[a] + at % procs[a];
        neighbour.count[a] = to[a] == 0 ? local[a] : width;
        neighbour.from[a] = to[a] > 0 ? local[a] : width;  // the last own ones, or the first
        neighbour.into[a] = to[a] > 0 ? width + local[a] : to[a] < 0 ? 0 : width;
        elements *= neighbour.count[a];
      }
      neighbour.peer = static_cast<int>(peer);
      neighbour.self = neighbour.peer == rank;
      neighbour.tag = static_cast<int>(number);
      neighbour.tag_back = static_cast<int>(26 - number);
      neighbour.out.resize(static_cast<std::size_t>(elements));
      neighbour.in.resize(static_cast<std::size_t>(elements));
      neighbours_.push_back(std::move(neighbour));
    }
    requests_.reserve(2 * neighbours_.size());
  }

  void run(double* data) {
    requests_.clear();
    for (Neighbour& n : neighbours_) {
      if (n.self) continue;
      MPI_Irecv(n.in.data(), static_cast<int>(n.in.size()), MPI_DOUBLE, n.peer, n.tag_back, comm_,
                &requests_.emplace_back());
    }
    for (Neighbour& n : neighbours_) {
      pack(n, data);
      if (n.self) continue;
      MPI_Isend(n.out.data(), static_cast<int>(n.out.size()), MPI_DOUBLE, n.peer, n.tag, comm_,
                &requests_.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    // What one sends up from its last elements arrives below the other's first.
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      const Neighbour& n = neighbours_[i];
      unpack(n, n.self ? neighbours_[neighbours_.size() - 1 - i].out : n.in, data);
    }
  }

 private:
  struct Neighbour {
    int peer = 0;
    int tag = 0;
    int tag_back = 0;
    bool self = false;
    Three count = {};
    Three from = {};
    Three into = {};
    std::vector<double> out;
    std::vector<double> in;
  };

  [[nodiscard]] Index place(const Three& first, Index z, Index y) const {
    const Index rows = local_[1] + 2 * width_;
    const Index row = local_[2] + 2 * width_;
    return ((first[0] + z) * rows + first[1] + y) * row + first[2];
  }
  void pack(Neighbour& n, const double* data) const {
    double* to = n.out.data();
    for (Index z = 0; z < n.count[0]; ++z) {
      for (Index y = 0; y < n.count[1]; ++y, to += n.count[2]) {
        std::copy_n(data + place(n.from, z, y), n.count[2], to);
      }
    }
  }
  void unpack(const Neighbour& n, const std::vector<double>& block, double* data) const {
    const double* from = block.data();
    for (Index z = 0; z < n.count[0]; ++z) {
      for (Index y = 0; y < n.count[1]; ++y, from += n.count[2]) {
        std::copy_n(from, n.count[2], data + place(n.into, z, y));
      }
    }
  }

  MPI_Comm comm_;
  Three local_;
  Index width_;
  std::vector<Neighbour> neighbours_;
  std::vector<MPI_Request> requests_;
};

/// A grid of ranks, the first axes cut first.
Three grid_of(Index ranks) {
  Three procs = {1, 1, 1};
  for (std::size_t a = 0; ranks > 1; a = (a + 1) % 3) {
    Index factor = 2;
    while (ranks % factor != 0) ++factor;
    procs[a] *= factor;
    ranks /= factor;
  }
  return procs;
}

int measure(int argc, char** argv) {
  const Index n = argc > 1 ? std::atol(argv[1]) : 128;
  const Index width = argc > 2 ? std::atol(argv[2]) : 2;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 41;
  constexpr int times = 20;
  const World world{comm::Communicator::of(MPI_COMM_WORLD), nullptr};
  const Three procs = grid_of(world.communicator->size);
  Three local = {};
  for (std::size_t a = 0; a < 3; ++a) {
    if (n % procs[a] != 0 || n / procs[a] < width) {
      throw InvalidShape("the extent is no multiple of the ranks along an axis; take another");
    }
    local[a] = n / procs[a];
  }
  const Layout layout =
      Layout::block({n, n, n}, {procs[0], procs[1], procs[2]}).with_margins(width);
  Halo<double> ours(MPI_COMM_WORLD, layout);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  ByHand by_hand(comm, local, procs, width);

  const Index rank = world.communicator->rank;
  std::vector<double> u(static_cast<std::size_t>(layout.allocated_size(rank)), -1.);
  const std::vector<Index> strides = layout.local_strides(rank);
  for (Index z = 0; z < local[0]; ++z) {
    for (Index y = 0; y < local[1]; ++y) {
      for (Index x = 0; x < local[2]; ++x) {
        u[static_cast<std::size_t>(layout.first_offset(rank) + z * strides[0] + y * strides[1] +
                                   x)] = static_cast<double>(((rank * n + z) * n + y) * n + x);
      }
    }
  }
  std::vector<double> v = u;
  ours.run(u);
  by_hand.run(v.data());
  if (u != v) throw InternalError("the two exchanges differ");

  const Alternated took = alternate(
      comm, rounds, times, [&] { ours.run(u); }, [&] { by_hand.run(v.data()); });
  say(world, {{"ranks", world.communicator->size},
              {"extent", n},
              {"width", width},
              {"rounds", rounds},
              {"kallima_us", 1e6 * median(took.ours)},
              {"by_hand_us", 1e6 * median(took.theirs)},
              {"ratio", took.ratio()},
              {"ratio_quartiles", took.quartiles()},
              {"least_ratio", took.least_ratio()}});
  MPI_Comm_free(&comm);
  return 0;
}

}  // namespace
}  // namespace kallima::bench

int main(int argc, char** argv) {
  return kallima::bench::under_mpi(argc, argv, "kallima_halo", kallima::bench::measure);
}
