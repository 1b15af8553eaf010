// SPDX-License-Identifier: BSD-3-Clause
//
// Axes distributed cyclically, for the cyclic FFT (cyclic_steps.hpp): the only decomposition of one
// axis alone, and for several the one with the fewest exchanges where input and output have the
// same layout.
#include <algorithm>
#include <array>

#include "planner/cyclic_steps.hpp"
#include "planner/decompositions.hpp"

namespace kallima {

namespace {

/// Numbers of processors on which the cyclic FFT can transform an axis, largest first.
std::vector<Index> splittable(Index n, Index ranks) {
  std::vector<Index> result;
  for (Index procs = std::min(n, ranks); procs >= 1; --procs) {
    if (n % procs == 0 && !cyclic_radices(n, procs).empty()) result.push_back(procs);
  }
  return result;
}

/// The choice of processors per axis that uses most ranks, then needs the fewest exchanges, then is
/// nearest to a cube.
class GridChoice {
 public:
  GridChoice(const Shape& shape, const std::vector<bool>& cyclic_axes, Index ranks)
      : shape_(shape) {
    for (std::size_t a = 0; a < shape.size(); ++a) {
      choices_.push_back(cyclic_axes[a] ? splittable(shape[a], ranks) : std::vector<Index>{1});
    }
    procs_.assign(shape.size(), 1);
    choose(0, ranks);
  }

  [[nodiscard]] const std::vector<Index>& best() const { return best_; }

 private:
  void choose(std::size_t axis, Index ranks) {
    if (axis == shape_.size()) {
      const std::array<Index, 3> worth = worth_of(procs_);
      if (best_.empty() || worth > worth_) {
        best_ = procs_;
        worth_ = worth;
      }
      return;
    }
    for (const Index procs : choices_[axis]) {
      if (procs > ranks) continue;
      procs_[axis] = procs;
      choose(axis + 1, ranks / procs);
    }
    procs_[axis] = 1;
  }

  [[nodiscard]] std::array<Index, 3> worth_of(const std::vector<Index>& procs) const {
    Index used = 1;
    Index exchanges = 0;
    Index most = 0;
    for (std::size_t a = 0; a < procs.size(); ++a) {
      used *= procs[a];
      exchanges =
          std::max(exchanges, static_cast<Index>(cyclic_radices(shape_[a], procs[a]).size()) - 1);
      most = std::max(most, procs[a]);
    }
    return {used, -exchanges, -most};
  }

  const Shape& shape_;
  std::vector<std::vector<Index>> choices_;
  std::vector<Index> procs_;
  std::vector<Index> best_;
  std::array<Index, 3> worth_{};
};

/// Cyclic along every axis that is still to be transformed, in blocks along those that `may_cut`
/// where ranks are left.
Layout cyclic(const PlanRequest& request, const Shape& shape, const std::vector<bool>& done,
              const std::vector<bool>& may_cut, const std::vector<int>& order) {
  std::vector<bool> cyclic_axes = done;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    cyclic_axes[a] = !done[a] && request.problem.axis_kind(a) == AxisKind::fourier;
  }
  std::vector<Index> procs = GridChoice(shape, cyclic_axes, request.ranks).best();
  std::vector<Index> cycles = procs;
  Index left = request.ranks;
  for (const Index used : procs) left /= used;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (!may_cut[a]) continue;
    procs[a] = std::min(left, shape[a]);
    left /= procs[a];
  }
  return Layout::group_cyclic(shape, procs, cycles).with_order(order);
}

}  // namespace

void propose_cyclic_starts(const PlanRequest& request, Proposals& starts) {
  const Standing nowhere{{}, std::vector<bool>(request.problem.shape.size(), false)};
  const std::vector<bool> done = finished_axes(request, nowhere);
  std::vector<bool> may_cut = done;
  for (std::size_t a = 0; a < done.size(); ++a) {
    if (request.problem.axis_kind(a) == AxisKind::batch) may_cut[a] = false;
  }
  starts.push_back(cyclic(request, request.problem.shape, done, may_cut, {}));
}

void propose_cyclic(const PlanRequest& request, const Standing& from, Proposals& next) {
  const std::vector<bool> done = finished_axes(request, from);
  next.push_back(cyclic(request, from.layout.shape(), done, done, from.layout.order()));
}

}  // namespace kallima
