// SPDX-License-Identifier: BSD-3-Clause
//
// heFFTe with FFTW: the slab comes back as it was, or cut along another axis; in one array or in
// two. heFFTe plans FFTW with ESTIMATE and has no other effort, but it lets its user choose by
// which calls of MPI it sends and whether it makes lines contiguous first; its manual says to try.
// So where effort is asked for, all these are timed and the fastest is kept, which counts as
// planning; one row shows what it does by itself. Slabs or pencils between is no choice to try: it
// keeps the slabs it is given.
#include <heffte.h>

#include <array>
#include <limits>

#include "base/checked.hpp"
#include "bench/array_contender.hpp"
#include "pencils.hpp"
#include "rivals.hpp"

namespace kallima::cli {

namespace {

/// What `rank` holds, as heFFTe says it: first axis fastest, last index included.
heffte::box3d<> box_of(const Layout& layout, Index rank) {
  std::array<int, 3> low{};
  std::array<int, 3> high{};
  for (std::size_t a = 0; a < 3; ++a) {
    const Progression part = layout.local_indices(rank, a);
    low[2 - a] = narrow<int>(part.first, "elements of an axis");
    high[2 - a] = narrow<int>(part.first + part.count - 1, "elements of an axis");
  }
  return {low, high};
}

/// What it does by itself, or all that is worth a try.
std::vector<heffte::plan_options> choices(bool all) {
  using Algorithm = heffte::reshape_algorithm;
  const auto defaults = heffte::default_options<heffte::backend::fftw>();
  if (!all) return {defaults};
  std::vector<heffte::plan_options> result;
  for (const bool contiguous : {false, true}) {
    for (const Algorithm algorithm :
         {Algorithm::alltoallv, Algorithm::alltoall, Algorithm::p2p_plined, Algorithm::p2p}) {
      result.push_back(defaults);
      result.back().use_reorder = contiguous;
      result.back().algorithm = algorithm;
    }
  }
  return result;
}

/// What differs between the rows.
struct HeffteKind {
  const char* name = "";
  bool turned = false;  ///< leaves out the last exchange
  bool in_place = false;
  bool by_itself = false;  ///< no choices are tried
};

template <class T>
class HeffteContender final : public ArrayContender<T> {
 public:
  HeffteContender(const Session& session, const Task& task, const HeffteKind& kind,
                  const PencilGrid& grid)
      : ArrayContender<T>(session, task),
        tries_(!kind.by_itself && task.effort != Effort::estimate),
        position_(pencils_along_x(task.request.problem.shape, grid)),
        frequency_(kind.turned ? pencils_along_z(task.request.problem.shape, grid) : position_) {
    Facts& facts = this->facts();
    facts.group = "heffte";
    facts.name = kind.name;
    facts.exchanges = (grid.rows > 1 ? 2 : 1) + (kind.turned ? 0 : 1);
    // It counts the elements of a rank in int.
    for (const Layout* const layout : {&position_, &frequency_}) {
      (void)narrow<int>(layout->largest_local_size(), "elements of a rank");
    }
    this->set_unscaled_ends(position_, frequency_);
  }

 private:
  using Fft = heffte::fft3d<heffte::backend::fftw>;

  void make_plans() override {
    const Session& session = this->session();
    const std::vector<heffte::plan_options> options = choices(tries_);
    double best = std::numeric_limits<double>::infinity();
    std::unique_ptr<Fft> fastest;
    for (const heffte::plan_options& choice : options) {
      fft_ = std::make_unique<Fft>(box_of(position_, session.rank),
                                   box_of(frequency_, session.rank), session.comm, choice);
      workspace_.resize(fft_->size_workspace());
      const double seconds = options.size() > 1 ? tried() : 0.0;
      if (seconds < best) {
        best = seconds;
        fastest = std::move(fft_);
      }
    }
    fft_ = std::move(fastest);
    workspace_ = std::vector<std::complex<T>>(fft_->size_workspace());
    this->facts().workspace_bytes =
        largest(session, static_cast<Index>(workspace_.size() * sizeof(std::complex<T>)));
  }

  /// Seconds of the best of a few runs, equal on all ranks, so that all choose alike.
  double tried() {
    double best = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt < 4; ++attempt) {
      this->prepare();
      MPI_Barrier(this->session().comm);
      best = std::min(best, largest(this->session(), this->run()));
    }
    return best;
  }

  void go() override { go(this->task().direction, this->source(), this->target()); }
  void go_back() override { go(opposite(this->task().direction), this->target(), this->source()); }

  void go(Direction direction, std::complex<T>* from, std::complex<T>* to) {
    if (direction == Direction::forward) {
      fft_->forward(from, to, workspace_.data());
    } else {
      fft_->backward(from, to, workspace_.data());
    }
  }

  bool tries_;
  Layout position_;
  Layout frequency_;
  std::unique_ptr<Fft> fft_;
  std::vector<std::complex<T>> workspace_;
};

}  // namespace

Contenders make_heffte(const Session& session, const Task& task) {
  const Shape& shape = task.request.problem.shape;
  Contenders result;
  if (shape.size() != 3) return result;
  const std::optional<PencilGrid> grid = pencil_grid(shape, session.size);
  if (!grid) return result;
  for (const HeffteKind& kind :
       {HeffteKind{"heffte", true}, HeffteKind{"heffte/inplace", true, true},
        HeffteKind{"heffte/same"}, HeffteKind{"heffte/same-inplace", false, true},
        HeffteKind{"heffte/same-defaults", false, false, true}}) {
    Task variant = task;
    variant.in_place = kind.in_place;
    result.push_back(in_precision<HeffteContender>(session, variant, kind, *grid));
  }
  return result;
}

}  // namespace kallima::cli
