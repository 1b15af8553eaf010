// SPDX-License-Identifier: BSD-3-Clause
#include "comm/together.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace kallima::test {

namespace {

std::array<char, 256> running{};  // for the alarm, which may call next to nothing

extern "C" void kallima_test_hangs(int) {
  const char text[] = "HANGS: ";
  ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
  ignored = write(STDERR_FILENO, running.data(), strnlen(running.data(), running.size()));
  ignored = write(STDERR_FILENO, "\n", 1);
  static_cast<void>(ignored);
  _exit(3);  // mpiexec ends the other ranks
}

}  // namespace

Together::Together(double seconds) : limit_(seconds) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  std::signal(SIGALRM, kallima_test_hangs);
}

void Together::run(const std::string& name, const std::function<void(Complaints&)>& body) {
  std::snprintf(running.data(), running.size(), "rank %d in case '%s'", rank_, name.c_str());
  alarm(static_cast<unsigned>(4.0 * limit_) + 10U);
  Complaints complaints;
  const double start = MPI_Wtime();
  try {
    body(complaints);
  } catch (const std::exception& error) {
    complaints.expect(false, std::string("threw: ") + error.what());
  } catch (...) {
    complaints.expect(false, "threw what is no exception");
  }
  // The lowest rank with a complaint speaks; the slowest rank's time counts.
  const std::array<double, 2> mine{complaints.first().empty() ? 0.0 : ranks_ - rank_,
                                   MPI_Wtime() - start};
  std::array<double, 2> most{};
  MPI_Allreduce(mine.data(), most.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  alarm(0);
  ++cases_;
  if (most[1] > slowest_) {
    slowest_ = most[1];
    slowest_case_ = name;
  }
  const bool late = most[1] > limit_;
  if (most[0] == 0.0 && !late) return;
  ++failures_;
  if (most[0] == mine[0] && mine[0] > 0.0) {
    std::printf("FAILED %s, rank %d of %d: %s\n", name.c_str(), rank_, ranks_,
                complaints.first().c_str());
    std::fflush(stdout);
  }
  if (late && rank_ == 0) {
    std::printf("FAILED %s on %d ranks: took %.1f s, allowed are %.1f\n", name.c_str(), ranks_,
                most[1], limit_);
    std::fflush(stdout);
  }
}

int Together::finish(const std::string& what) const {
  if (rank_ == 0) {
    std::printf("%ld %s on %d ranks, %ld failed; slowest %.3f s (%s)\n", cases_, what.c_str(),
                ranks_, failures_, slowest_, slowest_case_.c_str());
    std::fflush(stdout);
  }
  return failures_ == 0 ? 0 : 1;
}

bool all_of_us(bool mine) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

bool any_of_us(bool mine) { return !all_of_us(!mine); }

bool same_everywhere(const std::string& mine) {
  std::string first = mine;
  auto size = static_cast<int>(first.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  first.resize(static_cast<std::size_t>(size));
  MPI_Bcast(first.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return all_of_us(first == mine);
}

}  // namespace kallima::test
