// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "base/checked.hpp"
#include "exchange/chunks.hpp"
#include "kallima/progression.hpp"

namespace kallima::exec {

/// The places of a progression that lie in a range: `first` is the first of them, the `skip`-th of
/// the progression.
struct Run {
  Index first = 0;
  Index skip = 0;
  Index count = 0;
};

inline Run run_of(const Progression& places, const Range& range) {
  const Index skip =
      range.begin > places.first ? ceil_div(range.begin - places.first, places.step) : 0;
  const Index last = std::min(range.end - 1, places.last());
  const Index first = places.first + skip * places.step;
  if (skip >= places.count || first > last) return {};
  return {first, skip, (last - first) / places.step + 1};
}

}  // namespace kallima::exec
