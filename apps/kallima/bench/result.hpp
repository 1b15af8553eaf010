// SPDX-License-Identifier: BSD-3-Clause
//
// What `bench` finds out, row by row.
#pragma once

#include <optional>
#include <string>

#include "assumed_links.hpp"
#include "contender.hpp"
#include "timing.hpp"

namespace kallima::cli {

/// What planning a contender took, from outside.
struct Price {
  double seconds = 0.0;         ///< of the slowest rank
  std::optional<Index> memory;  ///< beyond the arrays, of the rank that took most
  Index bytes_sent = 0;         ///< by all ranks, of one run
};

/// All that is known of one row in the end.
struct Result {
  std::string name;
  Facts facts;
  Price price;
  Runs runs;
  std::optional<Errors> errors;
  std::string explained = {};              ///< step by step, where that was asked for
  std::optional<AssumedLinks> links = {};  ///< that were not measured, where there are any
};

}  // namespace kallima::cli
