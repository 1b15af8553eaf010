// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kallima {

/// A memory that a plan works in.
enum class Area : std::uint8_t {
  input,
  output,
  workspace,
  segment,        ///< of every rank, shared by all
  other_segment,  ///< a second one
  transit         ///< what a rank passes on for others
};

/// How a sweep finds what it reads, or leaves what it writes.
enum class Access : std::uint8_t {
  array,   ///< the rank's own array, in the layout of its state
  pieces,  ///< as pieces, where the method of the exchange beside it has them
  peers    ///< in the arrays of other ranks, in shared memory
};

}  // namespace kallima
