// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"

namespace kallima::cli {

namespace {

/// Whether two layouts have the same owners and the same order in memory; padding aside.
bool same_places(const Layout& a, const Layout& b) {
  return a.order() == b.order() && same_owners(a, b);
}

/// Whether frequencies lie as positions do: of real data, along the r2c axis there are
/// fewer.
bool alike(const Problem& problem, const Layout& positions, const Layout& frequencies) {
  if (!problem.real()) return same_places(positions, frequencies);
  const std::size_t axis = problem.r2c_axis_index();
  return positions.whole(axis) &&
         same_places(positions.with_extent(axis, frequencies.shape()[axis]), frequencies);
}

}  // namespace

bool leaves_as_asked(const Task& task, const Layout& in, const Layout& out, bool known_order) {
  const PlanRequest& request = task.request;
  const bool forward = task.direction == Direction::forward;
  const std::optional<Layout>& asked = forward ? request.out : request.in;
  if (!asked) return true;
  if (!known_order) return false;
  if (request.in && request.out && alike(request.problem, *request.in, *request.out)) {
    return alike(request.problem, forward ? in : out, forward ? out : in);
  }
  return same_places(*asked, out);
}

}  // namespace kallima::cli
