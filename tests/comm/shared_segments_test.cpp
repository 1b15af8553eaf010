// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that ranks share: what one writes the others read behind a meeting, none is had that is
// not there, and it goes without MPI. With --group BYTES the ranks are in a control group with that
// limit (control_group.py starts them so), and whoever takes more is killed.
#include "comm/shared_segments.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "comm/together.hpp"

namespace kallima::test {
namespace {

using comm::Communicator;
using comm::SharedSegments;

Index value_at(int rank, std::size_t segment, Index place, int round) {
  return ((rank * 2 + static_cast<Index>(segment)) * 1000 + round) * 100003 + place;
}

/// Lines of the process' map that are segments.
int mapped_segments() {
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
    const auto segments = SharedSegments::open(world, {counts[0] * bytes, counts[1] * bytes});
    complaints.expect(segments != nullptr, "no segments");
    if (!segments) return;
    const auto element = [&](std::size_t which, int rank, Index place) {
      return reinterpret_cast<Index*>(segments->segment(which, rank)) + place;
    };
    for (int round = 0; round < 200; ++round) {
      for (std::size_t which = 0; which < 2; ++which) {
        for (Index i = 0; i < counts[which]; ++i) {
          *element(which, all.rank(), i) = value_at(all.rank(), which, i, round);
        }
      }
      segments->barrier();
      for (int rank = 0; rank < all.ranks(); ++rank) {
        const Index held = 1000 + 511 * rank;
        bool right = true;
        for (Index i = 0; i < held; ++i) {
          right = right && *element(0, rank, i) == value_at(rank, 0, i, round);
        }
        complaints.expect(right, "round " + std::to_string(round) + ": segment of rank " +
                                     std::to_string(rank) + " is not what was written");
      }
      segments->arrive();  // nobody writes before all have read
      segments->wait();
    }
  });
}

void too_much_is_refused_everywhere(Together& all,
                                    const std::shared_ptr<const Communicator>& world) {
  for (int greedy = 0; greedy < all.ranks(); ++greedy) {
    all.run("rank " + std::to_string(greedy) + " asks for more than there is",
            [&](Complaints& complaints) {
              const Index bytes = all.rank() == greedy ? Index{1} << 60 : 100;
              complaints.expect(SharedSegments::open(world, {bytes, 0}) == nullptr,
                                "segments of an exabyte");
              complaints.expect(SharedSegments::open(world, {0, bytes}) == nullptr,
                                "second segments of an exabyte");
            });
  }
}

void nothing_stays(Together& all, const std::shared_ptr<const Communicator>& world) {
  all.run("segments are gone with their holder, on each rank alone", [&](Complaints& complaints) {
    for (int i = 0; i < 50; ++i) {
      auto segments = SharedSegments::open(world, {12345, 678});
      complaints.equal(mapped_segments(), all.ranks(), "segments in the map");
      segments.reset();
      complaints.equal(mapped_segments(), 0, "segments in the map when they are gone");
    }
  });
}

void files_are_limited(Together& all, const std::shared_ptr<const Communicator>& world) {
  all.run("a limit of files is kept, and no signal raised", [&](Complaints& complaints) {
    struct rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit lowered = before;
    lowered.rlim_cur = 65536;
    if (all.rank() == all.ranks() - 1) setrlimit(RLIMIT_FSIZE, &lowered);
    complaints.expect(SharedSegments::open(world, {100000, 0}) == nullptr,
                      "segments beyond the limit");
    complaints.expect(SharedSegments::open(world, {10000, 10000}) != nullptr,
                      "no segments below it");
    setrlimit(RLIMIT_FSIZE, &before);
    complaints.expect(SharedSegments::open(world, {100000, 0}) != nullptr,
                      "no segments without it");
  });
}

/// A communicator of its own for ranks of this color.
class Split {
 public:
  explicit Split(int color) { MPI_Comm_split(MPI_COMM_WORLD, color, 0, &comm_); }
  Split(const Split&) = delete;
  Split(Split&&) = delete;
  Split& operator=(const Split&) = delete;
  Split& operator=(Split&&) = delete;
  ~Split() { MPI_Comm_free(&comm_); }
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Ranks that got segments of so many bytes each, on all communicators together.
int opened(const std::shared_ptr<const Communicator>& communicator, Index bytes) {
  const auto segments = SharedSegments::open(communicator, {bytes / 2, bytes - bytes / 2});
  int mine = segments != nullptr ? 1 : 0;  // held until everybody has asked
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

void groups_are_limited(Together& all, const std::shared_ptr<const Communicator>& world,
                        Index limit) {
  all.run("more than the control group leaves is refused", [&](Complaints& complaints) {
    complaints.equal(opened(world, 2 * limit / all.ranks()), 0, "ranks with twice the limit");
    complaints.equal(opened(world, limit / all.ranks()), 0, "ranks with all of the limit");
    complaints.equal(opened(world, limit / 2 / all.ranks()), all.ranks(), "ranks with half of it");
  });
  all.run("what the group's memory holds of files is free", [&](Complaints& complaints) {
    const std::string path = std::string(KALLIMA_TEST_FILES) + ".cached";
    if (all.rank() == 0) {
      const std::string block(1 << 20, 'x');
      std::ofstream file(path);
      for (Index at = 0; at < limit / 4 * 3; at += 1 << 20) file << block;
      file.close();
      const int number = open(path.c_str(), O_RDONLY);
      fdatasync(number);  // so that it can be dropped
      close(number);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    // The group's statistics lag behind.
    int ranks = 0;
    for (int tries = 0; ranks == 0 && tries < 40; ++tries) {
      if (tries > 0) usleep(100'000);
      ranks = opened(world, limit / 2 / all.ranks());
    }
    complaints.equal(ranks, all.ranks(), "ranks with half of the limit");
    if (all.rank() == 0) std::remove(path.c_str());
  });
  if (all.ranks() < 2) return;
  const Split half(all.rank() % 2);
  const auto mine = Communicator::of(half.comm());
  Index ranks = 0;
  for (int rank = all.rank() % 2; rank < all.ranks(); rank += 2) ++ranks;
  for (int round = 0; round < 20; ++round) {
    all.run("two communicators at once, each for half of the limit and more",
            [&](Complaints& complaints) {
              const int got = opened(mine, limit * 6 / 10 / ranks);
              complaints.expect(got < all.ranks(), "both have it");
            });
    all.run("two communicators at once, for what both can have", [&](Complaints& complaints) {
      complaints.equal(opened(mine, limit / 5 / ranks), all.ranks(), "ranks that have it");
    });
  }
}

int run(Index limit) {
  Together all;
  const auto world = Communicator::of(MPI_COMM_WORLD);
  if (limit > 0) {
    groups_are_limited(all, world, limit);
  } else {
    everybody_sees_everything(all, world);
    too_much_is_refused_everywhere(all, world);
    files_are_limited(all, world);
    nothing_stays(all, world);
  }
  return all.finish("cases");
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool grouped = argc > 2 && std::string(argv[1]) == "--group";
  const int status = kallima::test::run(grouped ? std::stoll(argv[2]) : 0);
  MPI_Finalize();
  return status;
}
