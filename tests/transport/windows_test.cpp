// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that ranks share: what one writes the others read behind a meeting, none is had that is
// not there, and it goes without MPI.
#include "transport/windows.hpp"

#include <cstring>
#include <fstream>
#include <string>

#include "transport/together.hpp"

namespace kallima::test {
namespace {

using transport::Communicator;
using transport::Windows;

Index value_at(int rank, std::size_t window, Index place, int round) {
  return ((rank * 2 + static_cast<Index>(window)) * 1000 + round) * 100003 + place;
}

/// Lines of the process' map that are windows.
int mapped_windows() {
  std::ifstream file("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    count += line.find("memfd:kallima") != std::string::npos ? 1 : 0;
  }
  return count;
}

void everybody_sees_everything(Together& all, const std::shared_ptr<const Communicator>& world) {
  all.run("what a rank writes all others read, round by round", [&](Complaints& complaints) {
    // Sizes that differ between ranks, and are no whole pages.
    const std::array<Index, 2> counts = {1000 + 511 * all.rank(), all.rank() == 0 ? 0 : 7};
    const auto bytes = static_cast<Index>(sizeof(Index));
    const auto windows = Windows::open(world, {counts[0] * bytes, counts[1] * bytes});
    complaints.expect(windows != nullptr, "no windows");
    if (!windows) return;
    const auto element = [&](std::size_t which, int rank, Index place) {
      return reinterpret_cast<Index*>(windows->window(which, rank)) + place;
    };
    for (int round = 0; round < 200; ++round) {
      for (std::size_t which = 0; which < 2; ++which) {
        for (Index i = 0; i < counts[which]; ++i) {
          *element(which, all.rank(), i) = value_at(all.rank(), which, i, round);
        }
      }
      windows->meet();
      for (int rank = 0; rank < all.ranks(); ++rank) {
        const Index held = 1000 + 511 * rank;
        bool right = true;
        for (Index i = 0; i < held; ++i) {
          right = right && *element(0, rank, i) == value_at(rank, 0, i, round);
        }
        complaints.expect(right, "round " + std::to_string(round) + ": window of rank " +
                                     std::to_string(rank) + " is not what was written");
      }
      windows->arrive();  // nobody writes before all have read
      windows->wait();
    }
  });
}

void too_much_is_refused_everywhere(Together& all,
                                    const std::shared_ptr<const Communicator>& world) {
  for (int greedy = 0; greedy < all.ranks(); ++greedy) {
    all.run(
        "rank " + std::to_string(greedy) + " asks for more than there is",
        [&](Complaints& complaints) {
          const Index bytes = all.rank() == greedy ? Index{1} << 60 : 100;
          complaints.expect(Windows::open(world, {bytes, 0}) == nullptr, "windows of an exabyte");
          complaints.expect(Windows::open(world, {0, bytes}) == nullptr,
                            "second windows of an exabyte");
        });
  }
}

void nothing_stays(Together& all, const std::shared_ptr<const Communicator>& world) {
  all.run("windows are gone with their holder, on each rank alone", [&](Complaints& complaints) {
    for (int i = 0; i < 50; ++i) {
      auto windows = Windows::open(world, {12345, 678});
      complaints.equal(mapped_windows(), all.ranks(), "windows in the map");
      windows.reset();
      complaints.equal(mapped_windows(), 0, "windows in the map when they are gone");
    }
  });
}

int run() {
  Together all;
  const auto world = Communicator::of(MPI_COMM_WORLD);
  everybody_sees_everything(all, world);
  too_much_is_refused_everywhere(all, world);
  nothing_stays(all, world);
  return all.finish("cases");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::under_mpi(argc, argv, kallima::test::run); }
