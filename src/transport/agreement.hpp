// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks come to the same error. A rank that finds something wrong must not throw alone: the
// others would wait for it for ever. So each brings its verdict, and all throw the one of the
// lowest rank that has one.
#pragma once

#include <string>

#include "kallima/error.hpp"
#include "transport/communicator.hpp"

namespace kallima::transport {

/// What one rank thinks of a call.
struct Verdict {
  ErrorCode code = ErrorCode::ok;
  std::string text;

  /// Runs `body` and keeps what it throws: errors of the library with their code, exhausted memory
  /// as OutOfMemory, anything else as InternalError.
  template <class Body>
  static Verdict of(Body&& body) {
    try {
      body();
      return {};
    } catch (...) {
      return of_current_exception();
    }
  }

 private:
  static Verdict of_current_exception();
};

/// Returns where all ranks bring ok; otherwise throws the same error on all. Collective: one
/// MPI_Allreduce of 8 bytes, and two broadcasts more where there is an error.
void agree(const Communicator& communicator, const Verdict& mine);

/// Rank 0's text on every rank. Collective: two broadcasts.
std::string broadcast(const Communicator& communicator, const std::string& text, int root = 0);

}  // namespace kallima::transport
