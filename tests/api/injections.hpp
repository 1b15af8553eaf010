// SPDX-License-Identifier: BSD-3-Clause
//
// Ways to go wrong, for the test of errors.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "api/interfaces.hpp"
#include "comm/together.hpp"
#include "kallima/error.hpp"

namespace kallima::test {

/// One way to go wrong. `attempt` is collective; a rank with variant 0 passes good arguments, with
/// variant 1 bad ones. Where only a difference between ranks is wrong, variants 0, 1, 2, ... are
/// all good and all different.
struct Injection {
  std::string name;
  ErrorCode expected = ErrorCode::ok;
  bool mismatch = false;
  std::function<void(const Interface& interface, MPI_Comm comm, int variant)> attempt;
  bool cpp = true;                     ///< goes through C++
  bool c = true;                       ///< goes through C
  std::vector<std::string> says = {};  ///< parts of the text
};

/// Where nothing is wrong. Every rank holds something, on up to 4 of them.
extern const Shape base_shape;

/// A transform whose parts of input and output differ in size on every rank, and its memory.
struct Fixture {
  Fixture(const Interface& interface, MPI_Comm comm, int ranks);
  static Ask made_of(int ranks);

  std::unique_ptr<Planned> fft;
  std::size_t in_size;
  std::size_t out_size;
  std::vector<std::complex<double>> memory;
};

/// All that both interfaces, or C++ alone, can be called with.
std::vector<Injection> injections(int ranks);

/// What only C can be called with.
std::vector<Injection> c_injections(int ranks);

/// A call of the C interface that is not collective: it is made on all ranks, of a good transform.
struct LocalCall {
  std::string name;
  std::function<void(Complaints& complaints, kallima_transform* fft)> check;
};

std::vector<LocalCall> c_local_calls();

}  // namespace kallima::test
