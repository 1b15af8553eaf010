// SPDX-License-Identifier: BSD-3-Clause
//
// What check_netbed.py runs on the hosts of a bed.
//
//     probe nodes             prints how many nodes there are, the fewest and most ranks of one,
//                             and how many host names
//     probe stream BYTES      all ranks but the first send it so much each; prints the bytes per
//                             second that it receives, the most of some trials
//     probe exit CODE         the last rank ends with this code
//     probe kill              the last rank is killed by a signal while the others wait for it
//     probe wait              prints "ready", then waits to be killed
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace {

struct World {
  int rank = 0;
  int size = 0;
  [[nodiscard]] bool last() const { return rank == size - 1; }
};

void print_nodes(const World& world) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int node_rank = 0;
  int node_size = 0;
  MPI_Comm_rank(node, &node_rank);
  MPI_Comm_size(node, &node_size);
  MPI_Comm_free(&node);
  const int leads = node_rank == 0 ? 1 : 0;
  int nodes = 0;
  int fewest = 0;
  int most = 0;
  MPI_Reduce(&leads, &nodes, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&node_size, &fewest, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&node_size, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);

  std::array<char, 64> name{};
  gethostname(name.data(), name.size() - 1);
  std::vector<char> all(name.size() * static_cast<std::size_t>(world.size));
  const int length = static_cast<int>(name.size());
  MPI_Gather(name.data(), length, MPI_CHAR, all.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (world.rank != 0) return;
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); i += name.size()) names.emplace(&all[i]);
  std::printf("%d %d %d %zu\n", nodes, fewest, most, names.size());
}

/// Seconds that it takes rank 0 to receive `data` from each other rank; on others, to send it.
double stream_seconds(const World& world, std::vector<char>& data) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const int length = static_cast<int>(data.size()) / world.size;
  if (world.rank != 0) {
    MPI_Send(data.data(), length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
  }
  std::vector<MPI_Request> requests;
  for (int r = 1; r < world.size; ++r) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(data.data() + static_cast<std::ptrdiff_t>(r) * length, length, MPI_CHAR, r, 0,
              MPI_COMM_WORLD, &requests.back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return MPI_Wtime() - start;
}

void print_rate(const World& world, int bytes) {
  std::vector<char> data(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(world.size));
  double best = stream_seconds(world, data);
  for (int trial = 0; trial < 2; ++trial) best = std::min(best, stream_seconds(world, data));
  if (world.rank == 0) std::printf("%.0f\n", static_cast<double>(bytes) * (world.size - 1) / best);
}

void be_killed(const World& world) {
  if (world.last()) std::raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
}

void wait_to_be_killed(const World& world) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (world.rank == 0) {
    std::puts("ready");
    std::fflush(stdout);
  }
  sleep(600);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  const std::string what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  int status = 0;
  if (what == "nodes") {
    print_nodes(world);
  } else if (what == "stream") {
    print_rate(world, number);
  } else if (what == "exit") {
    status = world.last() ? number : 0;
  } else if (what == "kill") {
    be_killed(world);
  } else if (what == "wait") {
    wait_to_be_killed(world);
  } else {
    status = 2;
  }
  MPI_Finalize();
  return status;
}
