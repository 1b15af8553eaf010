// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"

namespace kallima::cli {

namespace {

/// Whether two layouts have the same owners and the same order in memory; padding aside.
bool same_places(const Layout& a, const Layout& b) {
  return a.order() == b.order() && same_owners(a, b);
}

/// Whether frequencies lie as positions do: along some axes there may be fewer.
bool alike(const Layout& positions, const Layout& frequencies) {
  Layout fewer = positions;
  for (std::size_t a = 0; a < positions.axes(); ++a) {
    const Index extent = frequencies.shape()[a];
    if (positions.shape()[a] == extent) continue;
    if (!positions.whole(a)) return false;
    fewer = fewer.with_extent(a, extent);
  }
  return same_places(fewer, frequencies);
}

}  // namespace

bool leaves_as_asked(const Task& task, const Layout& in, const Layout& out, bool known_order) {
  const PlanRequest& request = task.request;
  const bool forward = task.direction == Direction::forward;
  const std::optional<Layout>& asked = forward ? request.out : request.in;
  if (!asked) return true;
  if (!known_order) return false;
  if (request.in && request.out && alike(*request.in, *request.out)) {
    return alike(forward ? in : out, forward ? out : in);
  }
  return same_places(*asked, out);
}

}  // namespace kallima::cli
