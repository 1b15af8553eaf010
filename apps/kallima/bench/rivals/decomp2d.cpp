// SPDX-License-Identifier: BSD-3-Clause
//
// 2DECOMP&FFT: pencils along x to pencils along z, in two arrays; the input is kept, or lost, which
// saves a copy. It is built for one precision, and decomp2d.f90 is built only for double. Its plans
// are its own choice: with FFTW, MEASURE.
//
// gfortran 12 at the -O3 that its build sets takes apart the loop over the places of messages
// wrongly, and on more than one rank every answer is wrong, which --verify shows. Built with
// -fno-tree-loop-distribution or -O2 besides, 2DECOMP&FFT is right.
#include <array>

#include "base/checked.hpp"
#include "bench/array_contender.hpp"
#include "pencils.hpp"
#include "rivals.hpp"

extern "C" {
void kallima_2decomp_open(int comm, const int* extents, int rows, int columns);
void kallima_2decomp_close();
void kallima_2decomp_box(int axis, int* first, int* extents);
void* kallima_2decomp_plan(const int* extents, int overwrites);
void kallima_2decomp_run(void* handle, void* source, void* target, int forward);
void kallima_2decomp_free(void* handle);
}

namespace kallima::cli {

namespace {

using Extents = std::array<int, 3>;

/// In Fortran's order of axes.
Extents fortran_extents(const Shape& shape) {
  Extents extents{};
  for (std::size_t a = 0; a < 3; ++a) extents[2 - a] = narrow<int>(shape[a], "elements of an axis");
  return extents;
}

/// The library while it is in use.
class Decomp2d {
 public:
  Decomp2d(const Session& session, const Shape& shape, PencilGrid grid) {
    // It counts the elements of a rank in int.
    (void)narrow<int>(pencils_along_x(shape, grid).largest_local_size(), "elements of a rank");
    (void)narrow<int>(pencils_along_z(shape, grid).largest_local_size(), "elements of a rank");
    kallima_2decomp_open(MPI_Comm_c2f(session.comm), fortran_extents(shape).data(),
                         narrow<int>(grid.rows, "rows of ranks"),
                         narrow<int>(grid.columns, "columns of ranks"));
  }
  Decomp2d(const Decomp2d&) = delete;
  Decomp2d(Decomp2d&&) = delete;
  Decomp2d& operator=(const Decomp2d&) = delete;
  Decomp2d& operator=(Decomp2d&&) = delete;
  ~Decomp2d() { kallima_2decomp_close(); }

  /// What this rank holds in pencils along an axis of Fortran's, 1 to 3.
  [[nodiscard]] static Box box(int axis) {
    Extents first{};
    Extents extents{};
    kallima_2decomp_box(axis, first.data(), extents.data());
    Box box;
    for (std::size_t a = 3; a-- > 0;) {
      box.low.push_back(first[a]);
      box.high.push_back(first[a] + extents[a]);
    }
    return box;
  }
};

/// The layout in which every rank holds its box; as `grid` where that is the same. It gives the
/// larger parts to the last ranks, so it differs from any grid where they are uneven. Collective.
Layout layout_of(const Session& session, const Box& mine, const Layout& grid) {
  std::array<Index, 6> corners{};
  std::copy(mine.low.begin(), mine.low.end(), corners.begin());
  std::copy(mine.high.begin(), mine.high.end(), corners.begin() + 3);
  std::vector<std::array<Index, 6>> all(static_cast<std::size_t>(session.size));
  MPI_Allgather(corners.data(), 6, MPI_INT64_T, all.data(), 6, MPI_INT64_T, session.comm);
  std::vector<Box> boxes;
  for (const auto& c : all) boxes.push_back({{c[0], c[1], c[2]}, {c[3], c[4], c[5]}});
  const Layout table = Layout::boxes(grid.shape(), boxes);
  return same_owners(table, grid) ? grid : table;
}

/// Elements of `to` that are not in `from`.
Index arriving(const Box& from, const Box& to) {
  Index all = 1;
  Index kept = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    all *= to.high[a] - to.low[a];
    kept *=
        std::max<Index>(0, std::min(from.high[a], to.high[a]) - std::max(from.low[a], to.low[a]));
  }
  return all - kept;
}

class Decomp2dContender final : public ArrayContender<double> {
 public:
  Decomp2dContender(const Session& session, const Task& task, PencilGrid grid, bool overwrites)
      : ArrayContender<double>(session, task),
        library_(session, task.request.problem.shape, grid),
        overwrites_(overwrites) {
    const Shape& shape = task.request.problem.shape;
    facts().group = "2decomp";
    facts().name = overwrites ? "2decomp/overwrites" : "2decomp";
    facts().exchanges = grid.rows > 1 ? 2 : 1;
    const Box x = Decomp2d::box(1);
    const Box y = Decomp2d::box(2);
    const Box z = Decomp2d::box(3);
    // Fortran's MPI calls are not those that are counted. What it pads where it was built with EVEN
    // is not in here.
    facts().bytes_sent =
        total(session, (arriving(x, y) + arriving(y, z)) * Index{sizeof(std::complex<double>)});
    set_unscaled_ends(layout_of(session, x, pencils_along_x(shape, grid)),
                      layout_of(session, z, pencils_along_z(shape, grid)));
  }

 private:
  struct Free {
    void operator()(void* plan) const { kallima_2decomp_free(plan); }
  };

  void make_plans() override {
    const Extents extents = fortran_extents(task().request.problem.shape);
    plan_.reset(kallima_2decomp_plan(extents.data(), overwrites_ ? 1 : 0));
  }

  void go() override { go(task().direction, source(), target()); }
  void go_back() override { go(opposite(task().direction), target(), source()); }

  void go(Direction direction, std::complex<double>* from, std::complex<double>* to) {
    kallima_2decomp_run(plan_.get(), from, to, direction == Direction::forward ? 1 : 0);
  }

  Decomp2d library_;
  bool overwrites_;
  std::unique_ptr<void, Free> plan_;
};

}  // namespace

Contenders make_2decomp(const Session& session, const Task& task) {
  const Problem& problem = task.request.problem;
  Contenders result;
  if (problem.shape.size() != 3 || problem.precision != Precision::f64) return result;
  const std::optional<PencilGrid> grid = pencil_grid(problem.shape, session.size);
  if (!grid) return result;
  Task variant = task;
  variant.in_place = false;
  for (const bool overwrites : {false, true}) {
    result.push_back(std::make_unique<Decomp2dContender>(session, variant, *grid, overwrites));
  }
  return result;
}

}  // namespace kallima::cli
