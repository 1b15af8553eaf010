// SPDX-License-Identifier: BSD-3-Clause
//
// Transforms before MPI_Init and after MPI_Finalize: making one is an error, destroying one is
// harmless, whether its communicator is the world, the process itself or one that nobody freed.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "kallima/transform.hpp"

#include "kallima/error.hpp"

// One communicator is never freed, on purpose; that is a leak, but not of the library.
extern "C" const char* __asan_default_options();  // NOLINT: the sanitizer's own name
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace kallima::test {
namespace {

int failures = 0;
int cases = 0;

void expect(bool good, const char* what) {
  ++cases;
  if (good) return;
  ++failures;
  std::printf("FAILED: %s\n", what);
  std::fflush(stdout);
}

bool refused() {
  try {
    const Transform<double> fft(MPI_COMM_WORLD, {4, 4});
  } catch (const InvalidOption& error) {
    return std::strstr(error.what(), "MPI_Init") != nullptr;
  }
  return false;
}

template <class Body>
bool says_finalized(Body body) {
  try {
    body();
  } catch (const StaleCommunicator& error) {
    return std::strstr(error.what(), "finalized") != nullptr;
  }
  return false;
}

/// Lives until the program's end, as the objects of scripting languages do.
std::unique_ptr<Transform<double>>& last() {
  static std::unique_ptr<Transform<double>> transform;
  return transform;
}

int run(int argc, char** argv) {
  expect(refused(), "a transform before MPI_Init is refused");
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm forgotten = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &forgotten);
  std::vector<std::unique_ptr<Transform<double>>> transforms;
  std::vector<Bound<double>> bounds;
  std::vector<Array<double>> arrays;
  std::vector<std::complex<double>> in(64);
  std::vector<std::complex<double>> out(64);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF, forgotten}) {
    transforms.push_back(std::make_unique<Transform<double>>(comm, Shape{4, 4, 4}));
    bounds.push_back(transforms.back()->bind(Direction::forward, in, out));
    bounds.back().run();
    arrays.push_back(transforms.back()->make_output());
  }
  last() = std::make_unique<Transform<double>>(MPI_COMM_WORLD, Shape{4, 4, 4});
  expect(MPI_Finalize() == MPI_SUCCESS, "MPI_Finalize succeeds");
  expect(refused(), "a transform after MPI_Finalize is refused");
  expect(!transforms.front()->explain().empty(), "a transform is still there to be asked");
  expect(says_finalized([&] { bounds.front().run(); }), "run after MPI_Finalize says so");
  expect(says_finalized([&] { transforms.front()->forward(in, out); }),
         "forward after MPI_Finalize says so");
  arrays.clear();
  bounds.clear();
  transforms.clear();
  expect(true, "transforms were destroyed after MPI_Finalize");
  if (rank == 0) std::printf("%d cases around MPI_Finalize, %d failed\n", cases, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kallima::test

int main(int argc, char** argv) { return kallima::test::run(argc, argv); }
