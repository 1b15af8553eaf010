// SPDX-License-Identifier: BSD-3-Clause
//
// How ranks come to the same error. A rank that finds something wrong must not throw alone: the
// others would wait for it for ever. So each brings its verdict, and all throw the one of the
// lowest rank that has one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "comm/communicator.hpp"
#include "kallima/error.hpp"

namespace kallima::comm {

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
  /// Runs `body` where nothing was thrown so far, and keeps what it throws.
  template <class Body>
  void and_then(Body&& body) {
    if (code == ErrorCode::ok) *this = of(std::forward<Body>(body));
  }
  /// The same for the exception that is being handled.
  static Verdict of_current_exception();
};

/// What a rank is about to do, which has to be the same on all ranks.
struct Intent {
  std::int64_t transform = 0;  ///< its number on the communicator
  int number = 0;              ///< of the call, 0 to 15
  const char* call = "";       ///< in words: "bind forward"; a literal

  [[nodiscard]] std::int64_t key() const { return 16 * transform + number; }
  [[nodiscard]] std::string to_text() const {
    return call + (" of transform " + std::to_string(transform));
  }
};

/// Returns where all ranks bring ok and the same intent; otherwise throws the same error on all.
/// Collective: one reduction of 24 bytes, and two broadcasts more where there is an error.
void agree(const Communicator& communicator, const Verdict& mine, const Intent& intent = {});

/// Rank 0's text on every rank. Collective: two broadcasts.
std::string broadcast(const Communicator& communicator, const std::string& text, int root = 0);

}  // namespace kallima::comm
