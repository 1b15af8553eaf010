// SPDX-License-Identifier: BSD-3-Clause
//
// FFTW's MPI transforms: the slab comes back as it was, or turned (transposed; in one dimension
// scrambled, in an order that FFTW does not tell); in one array or in two.
#include <fftw3-mpi.h>

#include <array>

#include "bench/array_contender.hpp"
#include "fftw_plan.hpp"
#include "kallima/error.hpp"
#include "rivals.hpp"

namespace kallima::cli {

namespace {

template <class T>
struct FftwMpi;

template <>
struct FftwMpi<double> {
  static constexpr auto init = fftw_mpi_init;
  static constexpr auto local_size = fftw_mpi_local_size_many_transposed;
  static constexpr auto local_size_1d = fftw_mpi_local_size_1d;
  static constexpr auto plan = fftw_mpi_plan_dft;
  static constexpr auto plan_1d = fftw_mpi_plan_dft_1d;
  static constexpr auto plan_r2c = fftw_mpi_plan_dft_r2c;
  static constexpr auto plan_c2r = fftw_mpi_plan_dft_c2r;
  static constexpr auto execute = fftw_mpi_execute_dft;
  static constexpr auto execute_r2c = fftw_mpi_execute_dft_r2c;
  static constexpr auto execute_c2r = fftw_mpi_execute_dft_c2r;
};

template <>
struct FftwMpi<float> {
  static constexpr auto init = fftwf_mpi_init;
  static constexpr auto local_size = fftwf_mpi_local_size_many_transposed;
  static constexpr auto local_size_1d = fftwf_mpi_local_size_1d;
  static constexpr auto plan = fftwf_mpi_plan_dft;
  static constexpr auto plan_1d = fftwf_mpi_plan_dft_1d;
  static constexpr auto plan_r2c = fftwf_mpi_plan_dft_r2c;
  static constexpr auto plan_c2r = fftwf_mpi_plan_dft_c2r;
  static constexpr auto execute = fftwf_mpi_execute_dft;
  static constexpr auto execute_r2c = fftwf_mpi_execute_dft_r2c;
  static constexpr auto execute_c2r = fftwf_mpi_execute_dft_c2r;
};

/// The layout in which rank r holds `mine` = {first, count} of the only axis. Collective.
Layout layout_of_parts(const Session& session, Index n, std::array<Index, 2> mine) {
  std::vector<std::array<Index, 2>> parts(static_cast<std::size_t>(session.size));
  MPI_Allgather(mine.data(), 2, MPI_INT64_T, parts.data(), 2, MPI_INT64_T, session.comm);
  std::vector<Box> boxes;
  for (const auto& part : parts) {
    const Index first = part[1] == 0 ? 0 : part[0];
    boxes.push_back({{first}, {first + part[1]}});
  }
  const Layout table = Layout::boxes({n}, boxes);
  const Layout slab = Layout::slab({n}, session.size, 0, Rule::ceil);
  return same_owners(table, slab) ? slab : table;
}

template <class T>
class FftwMpiContender final : public ArrayContender<T> {
 public:
  /// `turned` leaves out the last exchange.
  FftwMpiContender(const Session& session, const Task& task, bool turned)
      : ArrayContender<T>(session, task) {
    FftwMpi<T>::init();
    const Shape& shape = task.request.problem.shape;
    require_last_axis_r2c(task.request.problem);
    if (turned) {
      forward_flag_ = shape.size() == 1 ? FFTW_MPI_SCRAMBLED_OUT : FFTW_MPI_TRANSPOSED_OUT;
      backward_flag_ = shape.size() == 1 ? FFTW_MPI_SCRAMBLED_IN : FFTW_MPI_TRANSPOSED_IN;
    }
    Facts& facts = this->facts();
    facts.group = "fftw-mpi";
    if (shape.size() == 1) {
      facts.name = turned ? "fftw-mpi/scrambled" : "fftw-mpi/ordered";
      facts.exchanges = turned ? 2 : 3;
      set_layouts_1d(turned);
    } else {
      facts.name = turned ? "fftw-mpi/transposed" : "fftw-mpi/same";
      facts.exchanges = turned ? 1 : 2;
      set_layouts(turned);
    }
    if (task.in_place) facts.name += "-inplace";
  }

 private:
  static void require_last_axis_r2c(const Problem& problem) {
    if (!problem.real()) return;
    if (problem.shape.size() == 1) {
      throw InvalidOption(
          "--against: fftw-mpi has no transform of one axis of reals; leave it out");
    }
    if (problem.r2c_axis_index() + 1 != problem.shape.size()) {
      throw InvalidOption("--against: fftw-mpi halves the last axis only; leave it out");
    }
  }

  void set_layouts(bool turned) {
    const Problem& problem = this->task().request.problem;
    const Shape shape = problem.frequency_shape();
    const Index ranks = this->session().size;
    std::array<ptrdiff_t, 4> unused{};
    const Index scratch =
        FftwMpi<T>::local_size(static_cast<int>(shape.size()), extents(shape).data(), 1,
                               FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, this->session().comm,
                               &unused[0], &unused[1], &unused[2], &unused[3]);
    const Layout plain = Layout::slab(shape, ranks, 0, Rule::ceil);
    // Rows of reals are padded to the length of their frequencies, also in two arrays.
    const Layout positions = problem.real()
                                 ? Layout::slab(problem.shape, ranks, 0, Rule::ceil)
                                       .with_padding(2 * shape.back() - problem.shape.back())
                                 : plain;
    if (!turned) {
      this->set_unscaled_ends(positions, plain, true, scratch);
      return;
    }
    std::vector<int> order(shape.size());
    for (std::size_t a = 0; a < order.size(); ++a) order[a] = static_cast<int>(a);
    std::swap(order[0], order[1]);
    this->set_unscaled_ends(positions, Layout::slab(shape, ranks, 1, Rule::ceil).with_order(order),
                            true, scratch);
  }

  void set_layouts_1d(bool scrambled) {
    const Index n = this->task().request.problem.shape.front();
    ptrdiff_t in_count = 0;
    ptrdiff_t in_first = 0;
    ptrdiff_t out_count = 0;
    ptrdiff_t out_first = 0;
    const Index scratch =
        FftwMpi<T>::local_size_1d(n, this->session().comm, FFTW_FORWARD, forward_flag_, &in_count,
                                  &in_first, &out_count, &out_first);
    this->set_unscaled_ends(layout_of_parts(this->session(), n, {in_first, in_count}),
                            layout_of_parts(this->session(), n, {out_first, out_count}), !scrambled,
                            scratch);
  }

  [[nodiscard]] static std::vector<ptrdiff_t> extents(const Shape& shape) {
    return {shape.begin(), shape.end()};
  }

  FftwPlan<T> plan_between(std::complex<T>* from, std::complex<T>* to, int sign, Effort effort) {
    const std::vector<ptrdiff_t> n = extents(this->task().request.problem.shape);
    const MPI_Comm comm = this->session().comm;
    const unsigned flags =
        (sign == FFTW_FORWARD ? forward_flag_ : backward_flag_) | fft::flags_of(effort);
    if (n.size() == 1) {
      return {FftwMpi<T>::plan_1d(n.front(), fftw_array(from), fftw_array(to), comm, sign, flags),
              "the axis over MPI"};
    }
    const auto axes = static_cast<int>(n.size());
    const char* const what = "the array over MPI";
    if (!this->task().request.problem.real()) {
      return {FftwMpi<T>::plan(axes, n.data(), fftw_array(from), fftw_array(to), comm, sign, flags),
              what};
    }
    if (sign == FFTW_FORWARD) {
      return {FftwMpi<T>::plan_r2c(axes, n.data(), reals(from), fftw_array(to), comm, flags), what};
    }
    return {FftwMpi<T>::plan_c2r(axes, n.data(), fftw_array(from), reals(to), comm, flags), what};
  }

  static T* reals(std::complex<T>* data) { return reinterpret_cast<T*>(data); }

  void execute(const FftwPlan<T>& plan, std::complex<T>* from, std::complex<T>* to,
               int sign) const {
    if (!this->task().request.problem.real()) {
      FftwMpi<T>::execute(plan.get(), fftw_array(from), fftw_array(to));
    } else if (sign == FFTW_FORWARD) {
      FftwMpi<T>::execute_r2c(plan.get(), reals(from), fftw_array(to));
    } else {
      FftwMpi<T>::execute_c2r(plan.get(), fftw_array(from), reals(to));
    }
  }

  void make_plans() override {
    run_ = plan_between(this->source(), this->target(), this->sign(), this->task().effort);
    // The way back is not timed, so it is not worth measuring.
    return_ = plan_between(this->target(), this->source(), -this->sign(), Effort::estimate);
  }

  void go() override { execute(run_, this->source(), this->target(), this->sign()); }
  void go_back() override { execute(return_, this->target(), this->source(), -this->sign()); }

  unsigned forward_flag_ = 0;
  unsigned backward_flag_ = 0;
  FftwPlan<T> run_;
  FftwPlan<T> return_;
};

}  // namespace

Contenders make_fftw_mpi(const Session& session, const Task& task) {
  Contenders result;
  for (const bool turned : {false, true}) {
    for (const bool in_place : {false, true}) {
      Task variant = task;
      variant.in_place = in_place;
      result.push_back(in_precision<FftwMpiContender>(session, variant, turned));
    }
  }
  return result;
}

void gather_fftw_mpi_wisdom(const Session& session) {
  fftw_mpi_gather_wisdom(session.comm);
  fftwf_mpi_gather_wisdom(session.comm);
}

}  // namespace kallima::cli
