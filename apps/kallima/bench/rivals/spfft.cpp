// SPDX-License-Identifier: BSD-3-Clause
//
// SpFFT, given every frequency: slabs in position, whole columns along z in frequency. Its plans
// are its own choice.
#include <spfft/spfft.hpp>

#include "base/checked.hpp"
#include "bench/array_contender.hpp"
#include "rivals.hpp"

namespace kallima::cli {

namespace {

class SpfftContender final : public ArrayContender<double> {
 public:
  SpfftContender(const Session& session, const Task& task)
      : ArrayContender<double>(session, task),
        position_(Layout::slab(task.request.problem.shape, session.size, 0)),
        frequency_(
            Layout::slab(task.request.problem.shape, session.size, 1).with_order({1, 2, 0})) {
    facts().name = facts().group = "spfft";
    facts().exchanges = 1;
    set_unscaled_ends(position_, frequency_);
  }

 private:
  void make_plans() override {
    const int rank = session().rank;
    const Shape& shape = task().request.problem.shape;
    const auto extent = [&](std::size_t a) { return narrow<int>(shape[a], "elements of an axis"); };
    const Shape part = frequency_.local_shape(rank);
    const Index first = frequency_.local_indices(rank, 1).first;
    std::vector<int> triplets;
    for (Index y = first; y < first + part[1]; ++y) {
      for (Index x = 0; x < part[2]; ++x) {
        for (Index z = 0; z < part[0]; ++z) {
          for (const Index i : {x, y, z}) triplets.push_back(static_cast<int>(i));
        }
      }
    }
    const int planes = narrow<int>(position_.local_shape(rank)[0], "planes");
    const int columns = narrow<int>(part[1] * part[2], "columns");
    const spfft::Grid grid(extent(2), extent(1), extent(0), columns, planes, SPFFT_PU_HOST, 1,
                           session().comm, SPFFT_EXCH_DEFAULT);
    transform_.emplace(grid.create_transform(
        SPFFT_PU_HOST, SPFFT_TRANS_C2C, extent(2), extent(1), extent(0), planes,
        narrow<int>(frequency_.local_size(rank), "elements of a rank"), SPFFT_INDEX_TRIPLETS,
        triplets.data()));
  }

  void go() override { go(task().direction, source(), target()); }
  void go_back() override { go(opposite(task().direction), target(), source()); }

  void go(Direction direction, std::complex<double>* from, std::complex<double>* to) {
    const auto* const in = reinterpret_cast<const double*>(from);
    auto* const out = reinterpret_cast<double*>(to);
    if (direction == Direction::forward) {
      transform_->forward(in, out, SPFFT_NO_SCALING);
    } else {
      transform_->backward(in, out);
    }
  }

  Layout position_;
  Layout frequency_;
  std::optional<spfft::Transform> transform_;
};

}  // namespace

Contenders make_spfft(const Session& session, const Task& task) {
  const Problem& problem = task.request.problem;
  Contenders result;
  if (problem.shape.size() != 3 || problem.precision != Precision::f64) return result;
  Task variant = task;
  variant.in_place = false;
  result.push_back(std::make_unique<SpfftContender>(session, variant));
  return result;
}

}  // namespace kallima::cli
