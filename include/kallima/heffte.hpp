// SPDX-License-Identifier: BSD-3-Clause
//
// heFFTe's interface on Kallima, for programs that were written for heFFTe: a box on each rank in,
// a box on each rank out. Names and meanings are those of heFFTe's documentation.
//
//     namespace heffte = kallima::heffte_api;             // or heffte.h, which says so
//     heffte::fft3d<heffte::backend::fftw> fft(inbox, outbox, comm);            // plans;
//     collective fft.forward(in, out);                                                     //
//     collective fft.backward(out, in, heffte::scale::full);
//
// It needs C++11 alone and sits on kallima/kallima.h. Kallima's planner chooses how to exchange, so
// plan_options are accepted and not followed, and no workspace is wanted. The constructor plans for
// double precision; the first call of another precision, or of another number of fields, plans
// again: the communicator must last until then. Errors are std::invalid_argument and
// std::runtime_error, alike on all ranks.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kallima/kallima.h"

namespace kallima {
/// heFFTe's interface.
namespace heffte_api {

/// Where data is.
namespace tag {
/// In host memory: all that Kallima has.
struct cpu {};
/// On a device: not supported.
struct gpu {};
}  // namespace tag

/// Names of what computes lines. Whichever a program names, Kallima's own engine does it.
namespace backend {
/// What a backend does along each axis: a kallima_axis_kind, or -1 where it is not supported.
template <int kind>
struct Does : std::integral_constant<int, kind> {};
struct fftw : Does<KALLIMA_FOURIER> {};         ///< Fourier transforms
struct fftw_cos : Does<KALLIMA_COSINE_2> {};    ///< cosines, FFTW's REDFT10, backward REDFT01
struct fftw_sin : Does<KALLIMA_SINE_2> {};      ///< sine transforms, RODFT10 and, backward, RODFT01
struct fftw_cos1 : Does<KALLIMA_COSINE_1> {};   ///< cosine transforms, REDFT00
struct fftw_sin1 : Does<KALLIMA_SINE_1> {};     ///< sine transforms, RODFT00
struct stock : Does<KALLIMA_FOURIER> {};        ///< as fftw
struct stock_cos : Does<KALLIMA_COSINE_2> {};   ///< as fftw_cos
struct stock_sin : Does<KALLIMA_SINE_2> {};     ///< as fftw_sin
struct stock_cos1 : Does<KALLIMA_COSINE_1> {};  ///< as fftw_cos1
struct mkl : Does<KALLIMA_FOURIER> {};          ///< as fftw
struct mkl_cos : Does<KALLIMA_COSINE_2> {};     ///< as fftw_cos
struct mkl_sin : Does<KALLIMA_SINE_2> {};       ///< as fftw_sin
struct cufft : Does<-1> {};                     ///< not supported
struct rocfft : Does<-1> {};                    ///< not supported
struct onemkl : Does<-1> {};                    ///< not supported

/// True for a backend that can be named.
template <class backend_tag>
struct is_enabled : std::integral_constant<bool, (backend_tag::value >= 0)> {};
/// True where it transforms by Fourier, not by cosines or sines.
template <class backend_tag>
struct uses_fft_types : std::integral_constant<bool, backend_tag::value == KALLIMA_FOURIER> {};
/// True for data on a device: never.
template <class backend_tag>
struct uses_gpu : std::false_type {};
/// What computes.
template <class backend_tag>
std::string name() {
  return "kallima";
}
/// Containers of a backend.
template <class backend_tag>
struct buffer_traits {
  using location = tag::cpu;  ///< where they are
  /// What vectors are given and returned in.
  template <class T>
  using container = std::vector<T>;
};
/// The backend of a location.
template <class location>
struct default_backend;
/// That of host memory.
template <>
struct default_backend<tag::cpu> {
  using type = fftw;  ///< its tag
};
/// What a device is called: nothing.
template <class location>
struct device_instance {
  using stream_type = void*;  ///< never looked at
};
}  // namespace backend

/// A few words of MPI.
namespace mpi {
/// Number of this rank.
inline int comm_rank(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
/// Number of ranks.
inline int comm_size(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}
/// Number of this rank in the world.
inline int world_rank() { return comm_rank(MPI_COMM_WORLD); }
/// True on that rank of the world.
inline bool world_rank(int rank) { return world_rank() == rank; }
}  // namespace mpi

/// True for types that are pairs of float. Programs may specialize it.
template <class T>
struct is_ccomplex : std::false_type {};
/// True for types that are pairs of double. Programs may specialize it.
template <class T>
struct is_zcomplex : std::false_type {};
/// C++'s.
template <>
struct is_ccomplex<std::complex<float>> : std::true_type {};
/// C++'s.
template <>
struct is_zcomplex<std::complex<double>> : std::true_type {};
/// FFTW's.
template <>
struct is_ccomplex<float[2]> : std::true_type {};
/// FFTW's.
template <>
struct is_zcomplex<double[2]> : std::true_type {};

/// What a transform makes of elements of a type.
template <class T>
struct fft_output {
  using type = T;  ///< the same, if they are complex
};
/// Of reals.
template <>
struct fft_output<float> {
  using type = std::complex<float>;  ///< complex ones
};
/// Of reals.
template <>
struct fft_output<double> {
  using type = std::complex<double>;  ///< complex ones
};
/// The same of a backend: sines and cosines keep the type.
template <class T, class backend_tag>
struct transform_output {
  /// The type.
  using type = typename std::conditional<backend::uses_fft_types<backend_tag>::value,
                                         typename fft_output<T>::type, T>::type;
};

/// By what results are multiplied.
enum class scale {
  none,      ///< nothing
  full,      ///< 1/N, of the transform that is called
  symmetric  ///< 1/sqrt(N)
};

/// How heFFTe exchanges. Kallima chooses by itself.
enum class reshape_algorithm { alltoallv = 0, alltoall = 3, p2p_plined = 1, p2p = 2 };

/// What a heFFTe program chooses about exchanges. Accepted, not followed.
struct plan_options {
  /// The choices of a backend.
  template <class backend_tag>
  plan_options(backend_tag)  // NOLINT: meant to convert
      : plan_options(true, reshape_algorithm::alltoallv, true) {}
  /// These.
  plan_options(bool reorder, reshape_algorithm exchange, bool pencils)
      : use_reorder(reorder), algorithm(exchange), use_pencils(pencils), use_gpu_aware(true) {}
  bool use_reorder;             ///< lines are contiguous
  reshape_algorithm algorithm;  ///< calls of MPI
  bool use_pencils;             ///< pencils between, or slabs
  bool use_gpu_aware;           ///< messages from a device
  /// On so many ranks.
  void use_num_subranks(int ranks) { subranks_ = ranks; }
  /// On the ranks of this communicator.
  void use_subcomm(MPI_Comm) { subranks_ = 1; }
  /// Ranks that were asked for; -1 for all.
  int get_subranks() const { return subranks_; }

 private:
  int subranks_ = -1;
};
/// The choices of a backend.
template <class backend_tag>
plan_options default_options() {
  return plan_options(backend_tag());
}
/// In words.
inline std::ostream& operator<<(std::ostream& stream, const plan_options&) {
  return stream << "options = (chosen by kallima)";
}

/// Indices low to high, both included, along three axes.
template <class index = int>
struct box3d {
  /// With axis 0 fastest in memory.
  box3d(std::array<index, 3> the_low, std::array<index, 3> the_high)
      : box3d(the_low, the_high, {{0, 1, 2}}) {}
  /// With axis the_order[0] fastest in memory, the_order[2] slowest.
  box3d(std::array<index, 3> the_low, std::array<index, 3> the_high, std::array<int, 3> the_order)
      : low(the_low),
        high(the_high),
        size{{the_high[0] - the_low[0] + 1, the_high[1] - the_low[1] + 1,
              the_high[2] - the_low[2] + 1}},
        order(the_order) {}
  /// Of two axes.
  box3d(std::array<index, 2> the_low, std::array<index, 2> the_high)
      : box3d(the_low, the_high, {{0, 1}}) {}
  /// Of two axes with an order.
  box3d(std::array<index, 2> the_low, std::array<index, 2> the_high, std::array<int, 2> the_order)
      : box3d({{the_low[0], the_low[1], 0}}, {{the_high[0], the_high[1], 0}},
              {{the_order[0], the_order[1], 2}}) {}

  /// True where it has no index.
  bool empty() const { return size[0] <= 0 || size[1] <= 0 || size[2] <= 0; }
  /// Indices.
  long long count() const {
    if (empty()) return 0;
    return static_cast<long long>(size[0]) * static_cast<long long>(size[1]) *
           static_cast<long long>(size[2]);
  }
  /// What it has in common with another.
  box3d collide(const box3d& other) const {
    if (empty() || other.empty()) return box3d({{0, 0, 0}}, {{-1, -1, -1}});
    std::array<index, 3> from = low;
    std::array<index, 3> to = high;
    for (std::size_t a = 0; a < 3; ++a) {
      from[a] = (std::max)(low[a], other.low[a]);
      to[a] = (std::min)(high[a], other.high[a]);
    }
    return box3d(from, to, order);
  }
  /// The box of frequencies of real data that are halved along an axis.
  box3d r2c(int axis) const {
    if (empty()) return box3d({{0, 0, 0}}, {{-1, -1, -1}});
    std::array<index, 3> to = high;
    const auto a = static_cast<std::size_t>(axis);
    to[a] = low[a] + size[a] / 2;
    return box3d(low, to, order);
  }
  /// True where an axis has one index.
  bool is2d() const { return size[0] == 1 || size[1] == 1 || size[2] == 1; }
  /// Equal bounds, whatever the order.
  bool operator==(const box3d& other) const { return low == other.low && high == other.high; }
  /// The opposite.
  bool operator!=(const box3d& other) const { return !(*this == other); }
  /// Equal orders.
  bool ordered_same_as(const box3d& other) const { return order == other.order; }
  /// How far from the fastest an axis lies: 0, 1 or 2.
  int find_order(int axis) const { return axis == order[0] ? 0 : axis == order[1] ? 1 : 2; }
  /// Extent of the fastest axis (0), the next (1), the slowest (2).
  index osize(int place) const {
    return size[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])];
  }

  const std::array<index, 3> low;   ///< first index per axis
  const std::array<index, 3> high;  ///< last index per axis
  const std::array<index, 3> size;  ///< extents
  const std::array<int, 3> order;   ///< axes from fastest to slowest in memory
};
/// Of two axes.
template <class index = int>
using box2d = box3d<index>;

/// Bounds, extents and order.
template <class index>
std::ostream& operator<<(std::ostream& stream, const box3d<index>& box) {
  for (std::size_t a = 0; a < 3; ++a) {
    stream << box.low[a] << "  " << box.high[a] << "  (" << box.size[a] << ")\n";
  }
  return stream << '(' << box.order[0] << ',' << box.order[1] << ',' << box.order[2] << ")\n\n";
}

/// The smallest box around all of these.
template <class index>
box3d<index> find_world(const std::vector<box3d<index>>& boxes) {
  std::array<index, 3> low = boxes.at(0).low;
  std::array<index, 3> high = boxes.at(0).high;
  for (const box3d<index>& box : boxes) {
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = (std::min)(low[a], box.low[a]);
      high[a] = (std::max)(high[a], box.high[a]);
    }
  }
  return {low, high};
}

/// True where boxes fill the world; std::invalid_argument says why not. O(P^2).
template <class index>
bool world_complete(const std::vector<box3d<index>>& boxes, const box3d<index>& world) {
  long long held = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    held += boxes[i].count();
    for (std::size_t j = 0; j < i; ++j) {
      if (!boxes[i].collide(boxes[j]).empty()) {
        throw std::invalid_argument("boxes " + std::to_string(j) + " and " + std::to_string(i) +
                                    " overlap");
      }
    }
  }
  if (held < world.count()) {
    throw std::invalid_argument("boxes hold " + std::to_string(held) + " of " +
                                std::to_string(world.count()) + " indices: there is a gap");
  }
  for (std::size_t a = 0; a < 3; ++a) {
    if (world.low[a] != 0) throw std::invalid_argument("indices must begin at 0");
  }
  return true;
}

/// A grid of two axes, as square as can be.
inline std::array<int, 2> make_procgrid(int ranks) {
  int rows = 1;
  for (int i = 1; i <= ranks / i; ++i) {
    if (ranks % i == 0) rows = i;
  }
  return {{rows, ranks / rows}};
}

/// The grid of so many ranks whose boxes have the least surface. std::invalid_argument where no
/// grid leaves every rank an index.
template <class index>
std::array<int, 3> proc_setup_min_surface(const box3d<index>& world, int ranks) {
  std::array<int, 3> best = {{0, 0, 0}};
  double least = (std::numeric_limits<double>::max)();
  const auto extent = [&](std::size_t a, int parts) {
    return static_cast<double>((world.size[a] + parts - 1) / parts);
  };
  for (int i = 1; i <= ranks; ++i) {
    if (ranks % i != 0 || i > world.size[0]) continue;
    for (int j = 1; j <= ranks / i; ++j) {
      const int k = ranks / i / j;
      if (ranks / i % j != 0 || j > world.size[1] || k > world.size[2]) continue;
      const double x = extent(0, i);
      const double y = extent(1, j);
      const double z = extent(2, k);
      const double surface = x * y + y * z + z * x;
      if (surface < least) {
        least = surface;
        best = {{i, j, k}};
      }
    }
  }
  if (best[0] == 0) {
    throw std::invalid_argument("no grid of " + std::to_string(ranks) +
                                " ranks leaves every rank an index; take fewer ranks");
  }
  return best;
}

/// Boxes of a grid of ranks, whose first coordinate runs fastest; longer ones first.
template <class index>
std::vector<box3d<index>> split_world(const box3d<index>& world, std::array<int, 3> grid) {
  const auto begin = [&](std::size_t a, int part) -> index {
    const auto parts = static_cast<index>(grid[a]);
    const auto i = static_cast<index>(part);
    return world.low[a] + i * (world.size[a] / parts) + (std::min)(i, world.size[a] % parts);
  };
  std::vector<box3d<index>> boxes;
  for (int k = 0; k < grid[2]; ++k) {
    for (int j = 0; j < grid[1]; ++j) {
      for (int i = 0; i < grid[0]; ++i) {
        boxes.push_back(box3d<index>(
            {{begin(0, i), begin(1, j), begin(2, k)}},
            {{begin(0, i + 1) - 1, begin(1, j + 1) - 1, begin(2, k + 1) - 1}}, world.order));
      }
    }
  }
  return boxes;
}

/// What this header itself needs.
namespace detail {

/// Throws what an error of the C interface is.
inline void check(int code, const kallima_error& error) {
  switch (code) {
    case KALLIMA_OK:
      return;
    case KALLIMA_INVALID_SHAPE:
    case KALLIMA_INVALID_LAYOUT:
    case KALLIMA_INVALID_OPTION:
    case KALLIMA_INVALID_BUFFER:
    case KALLIMA_MISMATCHED_ARGUMENTS:
      throw std::invalid_argument(error.text);
    default:
      throw std::runtime_error(error.text);
  }
}

/// A box as Kallima takes it: axis 0 of heFFTe is its last.
struct HeldBox {
  std::array<std::int64_t, 3> low;   ///< first index per axis
  std::array<std::int64_t, 3> high;  ///< one beyond the last
  std::array<int, 3> order;          ///< from fastest to slowest
  std::int64_t count;                ///< indices

  /// Of one of heFFTe.
  template <class index>
  explicit HeldBox(const box3d<index>& box) : order(box.order), count(box.count()) {
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = box.low[a];
      high[a] = static_cast<std::int64_t>(box.high[a]) + 1;
    }
  }
};

/// The transforms of a pair of boxes: one for each precision and number of fields that was asked
/// for.
class Transforms {
 public:
  /// Plans for double precision. `r2c_axis`: negative for none. Collective.
  Transforms(const HeldBox& in, const HeldBox& out, int axis_kind, int r2c_axis, MPI_Comm comm)
      : in_(in), out_(out), comm_(comm) {
    kinds_.fill(axis_kind);
    kind_ = axis_kind == KALLIMA_FOURIER ? KALLIMA_C2C : KALLIMA_R2R;
    if (r2c_axis >= 0) {
      if (r2c_axis > 2) throw std::invalid_argument("the r2c direction is 0, 1 or 2");
      kind_ = KALLIMA_R2C;
      kinds_[static_cast<std::size_t>(r2c_axis)] = KALLIMA_REAL;
    }
    // The extents, and the orders of those ranks that hold something; then whether all boxes are
    // alike.
    std::array<std::int64_t, 20> most{};
    most[3] = most[4] = -1;
    if (in_.count > 0) {
      std::copy(in_.high.begin(), in_.high.end(), most.begin());
      most[3] = code_of(in_.order);
    }
    if (out_.count > 0) most[4] = code_of(out_.order);
    for (std::size_t a = 0; a < 3; ++a) {
      most[5 + a] = in_.low[a];
      most[8 + a] = -in_.high[a];
      most[11 + a] = out_.low[a];
      most[14 + a] = -out_.high[a];
      most[17 + a] = out_.high[a];
    }
    MPI_Allreduce(MPI_IN_PLACE, most.data(), static_cast<int>(most.size()), MPI_INT64_T, MPI_MAX,
                  comm);
    std::copy(most.begin(), most.begin() + 3, world_.begin());
    if (in_.count == 0 && most[3] >= 0) in_.order = order_of(most[3]);
    if (out_.count == 0 && most[4] >= 0) out_.order = order_of(most[4]);
    // Where every rank gives the whole box, each transforms an array of its own, as with heFFTe.
    bool whole = true;
    for (std::size_t a = 0; a < 3; ++a) {
      whole = whole && most[5 + a] == 0 && -most[8 + a] == most[a] && most[11 + a] == 0 &&
              -most[14 + a] == most[17 + a];
    }
    if (whole) comm_ = MPI_COMM_SELF;
    scale_factor_ = 1.0;
    for (const std::int64_t n : world_) scale_factor_ /= logical(n, axis_kind);
    planned_.push_back(plan(KALLIMA_F64, 1));
  }

  /// Runs a transform; plans it where it is the first of its precision and number of fields.
  /// Collective.
  void run(int direction, int precision, int fields, const void* in, void* out, scale scaling) {
    if (fields < 0) throw std::invalid_argument("a batch of a negative number of fields");
    if (fields == 0) return;
    const Planned& planned = find(precision, fields);
    std::int64_t in_elements = fields * (direction == KALLIMA_FORWARD ? in_ : out_).count;
    std::int64_t out_elements = fields * (direction == KALLIMA_FORWARD ? out_ : in_).count;
    if (in == out) {
      std::int64_t elements = 0;
      kallima_in_place_size(planned.transform.get(), &elements);
      const bool reals_in = kind_ == KALLIMA_R2C && direction == KALLIMA_FORWARD;
      const bool reals_out = kind_ == KALLIMA_R2C && direction == KALLIMA_BACKWARD;
      in_elements = elements * (reals_in ? 2 : 1);
      out_elements = elements * (reals_out ? 2 : 1);
    }
    const int scaled = scaling == scale::none         ? KALLIMA_SCALE_NONE
                       : scaling == scale::symmetric  ? KALLIMA_SCALE_SQRT_N
                       : direction == KALLIMA_FORWARD ? KALLIMA_SCALE_N_FORWARD
                                                      : KALLIMA_SCALE_N;
    kallima_error error = {KALLIMA_OK, {0}};
    check(kallima_run_on(planned.transform.get(), direction, in, in_elements, out, out_elements,
                         scaled, &error),
          error);
  }

  /// 1/N.
  double scale_factor() const { return scale_factor_; }

 private:
  struct Destroy {
    void operator()(kallima_transform* transform) const { kallima_destroy(transform); }
  };
  struct Planned {
    int precision;
    int fields;
    bool used;
    std::unique_ptr<kallima_transform, Destroy> transform;
  };

  static std::int64_t code_of(const std::array<int, 3>& order) {
    return 16 * order[0] + 4 * order[1] + order[2];
  }
  static std::array<int, 3> order_of(std::int64_t code) {
    return {
        {static_cast<int>(code / 16), static_cast<int>(code / 4 % 4), static_cast<int>(code % 4)}};
  }
  static double logical(std::int64_t n, int axis_kind) {
    const auto extent = static_cast<double>(n);
    switch (axis_kind) {
      case KALLIMA_FOURIER:
        return extent;
      case KALLIMA_COSINE_1:
        return 2.0 * (extent - 1.0);
      case KALLIMA_SINE_1:
        return 2.0 * (extent + 1.0);
      default:
        return 2.0 * extent;
    }
  }

  const Planned& find(int precision, int fields) {
    for (Planned& planned : planned_) {
      if (planned.precision == precision && planned.fields == fields) {
        planned.used = true;
        return planned;
      }
    }
    // What the constructor planned and nobody wanted takes memory.
    if (!planned_.front().used) planned_.clear();
    planned_.push_back(plan(precision, fields));
    planned_.back().used = true;
    return planned_.back();
  }

  /// A box in Kallima's axes, behind that of the fields where there are several.
  struct Side {
    std::int64_t bounds[8];
    int order[4];
    kallima_boxes boxes;

    Side(const HeldBox& box, int fields) {
      const std::size_t first = fields > 1 ? 1 : 0;
      const std::size_t axes = first + 3;
      bounds[0] = 0;
      bounds[axes] = fields;
      order[0] = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        bounds[first + 2 - a] = box.low[a];
        bounds[axes + first + 2 - a] = box.high[a];
        order[first + 2 - a] = static_cast<int>(first) + 2 - box.order[a];
      }
      boxes.size = sizeof(boxes);
      boxes.count = box.count > 0 ? 1 : 0;
      boxes.bounds = bounds;
      boxes.order = order;
      boxes.margins = nullptr;
    }
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;
  };

  Planned plan(int precision, int fields) const {
    const std::size_t first = fields > 1 ? 1 : 0;
    std::int64_t shape[4] = {fields};
    int kinds[4] = {KALLIMA_BATCH};
    for (std::size_t a = 0; a < 3; ++a) {
      shape[first + 2 - a] = world_[a];
      kinds[first + 2 - a] = kinds_[a];
    }
    const Side in(in_, fields);
    const Side out(out_, fields);
    kallima_options options;
    kallima_options_init(&options, sizeof(options));
    options.kind = kind_;
    options.precision = precision;
    options.scaling = KALLIMA_SCALE_NONE;
    options.axes = kinds;
    options.in_boxes = &in.boxes;
    options.out_boxes = &out.boxes;
    kallima_transform* transform = nullptr;
    kallima_error error = {KALLIMA_OK, {0}};
    check(kallima_create(comm_, static_cast<int>(first) + 3, shape, &options, &transform, &error),
          error);
    return {precision, fields, false, std::unique_ptr<kallima_transform, Destroy>(transform)};
  }

  HeldBox in_;
  HeldBox out_;
  MPI_Comm comm_;
  int kind_ = KALLIMA_C2C;
  std::array<int, 3> kinds_;
  std::array<std::int64_t, 3> world_;
  double scale_factor_ = 1.0;
  std::vector<Planned> planned_;
};

/// The numbers that a type is made of: float or double.
template <class T>
struct Number {
  using type = typename std::conditional<std::is_same<T, float>::value || is_ccomplex<T>::value,
                                         float, double>::type;  ///< of these
  /// True for what can be transformed.
  static constexpr bool real = std::is_same<T, float>::value || std::is_same<T, double>::value;
  /// True for pairs.
  static constexpr bool complex = is_ccomplex<T>::value || is_zcomplex<T>::value;
  /// kallima_precision.
  static constexpr int precision = std::is_same<type, float>::value ? KALLIMA_F32 : KALLIMA_F64;
};
template <class T, class U>
struct SameNumber
    : std::integral_constant<
          bool, std::is_same<typename Number<T>::type, typename Number<U>::type>::value> {};

/// What all transforms have: their boxes, and calls of single and of several fields. `Derived` has
/// call(direction, fields, in, out, scaling).
template <class Derived, class backend_tag, class index>
class Calls {
 public:
  using location_tag = tag::cpu;  ///< where data is
  /// What vectors are given and returned in.
  template <class T>
  using buffer_container = std::vector<T>;

  /// Elements of the inbox.
  long long size_inbox() const { return inbox_.count(); }
  /// Elements of the outbox.
  long long size_outbox() const { return outbox_.count(); }
  /// What forward reads and backward writes.
  box3d<index> inbox() const { return inbox_; }
  /// What forward writes and backward reads.
  box3d<index> outbox() const { return outbox_; }
  /// Elements of workspace that calls want: none, for Kallima has its own.
  std::size_t size_workspace() const { return 0; }
  /// The same of messages.
  std::size_t size_comm_buffers() const { return 0; }
  /// By what results are multiplied: 1/N or its root.
  double get_scale_factor(scale scaling) const {
    return scaling == scale::symmetric ? std::sqrt(transforms_->scale_factor())
                                       : transforms_->scale_factor();
  }

  /// From the inbox to the outbox, which may be the same memory. Collective.
  template <class In, class Out>
  void forward(const In in[], Out out[], scale scaling = scale::none) const {
    self().call(KALLIMA_FORWARD, 1, in, out, scaling);
  }
  /// The same; the workspace is not touched.
  template <class In, class Out>
  void forward(const In in[], Out out[], Out[], scale scaling = scale::none) const {
    forward(in, out, scaling);
  }
  /// The same of several fields, one behind the other, which share messages.
  template <class In, class Out>
  void forward(int fields, const In in[], Out out[], scale scaling = scale::none) const {
    self().call(KALLIMA_FORWARD, fields, in, out, scaling);
  }
  /// The same; the workspace is not touched.
  template <class In, class Out>
  void forward(int fields, const In in[], Out out[], Out[], scale scaling = scale::none) const {
    forward(fields, in, out, scaling);
  }

  /// From the outbox to the inbox, which may be the same memory. Collective.
  template <class In, class Out>
  void backward(const In in[], Out out[], scale scaling = scale::none) const {
    self().call(KALLIMA_BACKWARD, 1, in, out, scaling);
  }
  /// The same; the workspace is not touched.
  template <class In, class Out>
  void backward(const In in[], Out out[], In[], scale scaling = scale::none) const {
    backward(in, out, scaling);
  }
  /// The same of several fields, one behind the other, which share messages.
  template <class In, class Out>
  void backward(int fields, const In in[], Out out[], scale scaling = scale::none) const {
    self().call(KALLIMA_BACKWARD, fields, in, out, scaling);
  }
  /// The same; the workspace is not touched.
  template <class In, class Out>
  void backward(int fields, const In in[], Out out[], In[], scale scaling = scale::none) const {
    backward(fields, in, out, scaling);
  }

 protected:
  /// Of these boxes. Collective.
  Calls(const box3d<index>& in, const box3d<index>& out, int r2c_axis, MPI_Comm comm)
      : inbox_(in),
        outbox_(out),
        transforms_(new Transforms(HeldBox(in), HeldBox(out), backend_tag::value, r2c_axis, comm)) {
    static_assert(backend::is_enabled<backend_tag>::value,
                  "Kallima has no such backend: name backend::fftw, or one of its sines and "
                  "cosines");
  }
  /// A vector of what a box holds; std::invalid_argument where one was given that holds less.
  template <class To, class From>
  std::vector<To> sized(const std::vector<From>& given, long long needed, long long made) const {
    if (static_cast<long long>(given.size()) < needed) {
      throw std::invalid_argument("the vector holds " + std::to_string(given.size()) +
                                  " elements of the " + std::to_string(needed) + " of its box");
    }
    return std::vector<To>(static_cast<std::size_t>(made));
  }

  box3d<index> inbox_;                      ///< of this rank
  box3d<index> outbox_;                     ///< of this rank
  std::unique_ptr<Transforms> transforms_;  ///< planned

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace detail

/// Transforms of complex elements, or of sines and cosines, between the boxes of all ranks. Reals
/// are taken as complex numbers, and backward the imaginary parts are dropped: fft3d_r2c does half
/// the work.
template <class backend_tag, class index = int>
class fft3d : public detail::Calls<fft3d<backend_tag, index>, backend_tag, index> {
  using Base = detail::Calls<fft3d, backend_tag, index>;
  friend Base;

 public:
  /// Elements that forward makes of those of a type.
  template <class T>
  using output_buffer_container = std::vector<typename transform_output<T, backend_tag>::type>;
  using Base::backward;
  using Base::forward;

  /// Plans. Collective.
  fft3d(const box3d<index>& inbox, const box3d<index>& outbox, MPI_Comm comm,
        const plan_options& = default_options<backend_tag>())
      : Base(inbox, outbox, -1, comm) {}
  /// The same; the stream is not looked at.
  fft3d(void*, const box3d<index>& inbox, const box3d<index>& outbox, MPI_Comm comm,
        const plan_options& options = default_options<backend_tag>())
      : fft3d(inbox, outbox, comm, options) {}

  /// From a vector of the inbox to one of the outbox. Collective.
  template <class In>
  output_buffer_container<In> forward(const std::vector<In>& in,
                                      scale scaling = scale::none) const {
    auto out = this->template sized<typename transform_output<In, backend_tag>::type>(
        in, this->size_inbox(), this->size_outbox());
    forward(in.data(), out.data(), scaling);
    return out;
  }
  /// From a vector of the outbox to one of the inbox. Collective.
  template <class In>
  std::vector<In> backward(const std::vector<In>& in, scale scaling = scale::none) const {
    auto out = this->template sized<In>(in, this->size_outbox(), this->size_inbox());
    backward(in.data(), out.data(), scaling);
    return out;
  }
  /// The same to reals: imaginary parts are dropped.
  template <class In>
  std::vector<typename detail::Number<In>::type> backward_real(const std::vector<In>& in,
                                                               scale scaling = scale::none) const {
    auto out = this->template sized<typename detail::Number<In>::type>(in, this->size_outbox(),
                                                                       this->size_inbox());
    backward(in.data(), out.data(), scaling);
    return out;
  }

 private:
  static constexpr bool fourier = backend::uses_fft_types<backend_tag>::value;

  template <class In, class Out>
  void call(int direction, int fields, const In* in, Out* out, scale scaling) const {
    using InNumber = detail::Number<In>;
    using OutNumber = detail::Number<Out>;
    static_assert(detail::SameNumber<In, Out>::value && (InNumber::real || InNumber::complex) &&
                      (OutNumber::real || OutNumber::complex),
                  "elements are of float or double, both sides of the same");
    static_assert(fourier || (InNumber::real && OutNumber::real), "sines and cosines are of reals");
    static_assert(!fourier || InNumber::complex || OutNumber::complex, "frequencies are complex");
    run(direction, fields, in, out, scaling, std::integral_constant < bool,
        fourier&& InNumber::real > (), std::integral_constant < bool,
        fourier&& OutNumber::real > ());
  }

  template <class In, class Out>
  void run(int direction, int fields, const In* in, Out* out, scale scaling, std::false_type,
           std::false_type) const {
    this->transforms_->run(direction, detail::Number<In>::precision, fields, in, out, scaling);
  }
  /// Reals to frequencies.
  template <class In, class Out>
  void run(int direction, int fields, const In* in, Out* out, scale scaling, std::true_type,
           std::false_type) const {
    if (direction != KALLIMA_FORWARD) throw std::invalid_argument("frequencies are complex");
    std::vector<std::complex<In>> copy(in, in + fields * this->size_inbox());
    run(direction, fields, copy.data(), out, scaling, std::false_type(), std::false_type());
  }
  /// Frequencies to reals.
  template <class In, class Out>
  void run(int direction, int fields, const In* in, Out* out, scale scaling, std::false_type,
           std::true_type) const {
    if (direction != KALLIMA_BACKWARD) throw std::invalid_argument("frequencies are complex");
    std::vector<std::complex<Out>> result(static_cast<std::size_t>(fields * this->size_inbox()));
    run(direction, fields, in, result.data(), scaling, std::false_type(), std::false_type());
    for (std::size_t i = 0; i < result.size(); ++i) out[i] = result[i].real();
  }
};

/// Transforms of reals, of which half the frequencies along one axis are kept.
template <class backend_tag, class index = int>
class fft3d_r2c : public detail::Calls<fft3d_r2c<backend_tag, index>, backend_tag, index> {
  using Base = detail::Calls<fft3d_r2c, backend_tag, index>;
  friend Base;
  static_assert(backend::uses_fft_types<backend_tag>::value,
                "sines and cosines of reals are real: rtransform");

 public:
  using Base::backward;
  using Base::forward;

  /// Plans. The outboxes are those of a world that has size/2 + 1 indices in that direction.
  /// Collective.
  fft3d_r2c(const box3d<index>& inbox, const box3d<index>& outbox, int r2c_direction, MPI_Comm comm,
            const plan_options& = default_options<backend_tag>())
      : Base(inbox, outbox, required(r2c_direction), comm) {}
  /// The same; the stream is not looked at.
  fft3d_r2c(void*, const box3d<index>& inbox, const box3d<index>& outbox, int r2c_direction,
            MPI_Comm comm, const plan_options& options = default_options<backend_tag>())
      : fft3d_r2c(inbox, outbox, r2c_direction, comm, options) {}

  /// From a vector of the inbox to one of the outbox. Collective.
  template <class In>
  std::vector<std::complex<In>> forward(const std::vector<In>& in,
                                        scale scaling = scale::none) const {
    auto out = this->template sized<std::complex<In>>(in, this->size_inbox(), this->size_outbox());
    forward(in.data(), out.data(), scaling);
    return out;
  }
  /// From a vector of the outbox to one of the inbox. Collective.
  template <class In>
  std::vector<typename detail::Number<In>::type> backward(const std::vector<In>& in,
                                                          scale scaling = scale::none) const {
    auto out = this->template sized<typename detail::Number<In>::type>(in, this->size_outbox(),
                                                                       this->size_inbox());
    backward(in.data(), out.data(), scaling);
    return out;
  }

 private:
  static int required(int r2c_direction) {
    if (r2c_direction < 0) throw std::invalid_argument("the r2c direction is 0, 1 or 2");
    return r2c_direction;
  }
  template <class In, class Out>
  void call(int direction, int fields, const In* in, Out* out, scale scaling) const {
    static_assert(detail::SameNumber<In, Out>::value &&
                      ((detail::Number<In>::real && detail::Number<Out>::complex) ||
                       (detail::Number<In>::complex && detail::Number<Out>::real)),
                  "forward takes reals to complex numbers of the same precision, backward the "
                  "other way round");
    if ((direction == KALLIMA_FORWARD) != detail::Number<In>::real) {
      throw std::invalid_argument("forward takes reals, backward complex numbers");
    }
    this->transforms_->run(direction, detail::Number<In>::precision, fields, in, out, scaling);
  }
};

/// Of two axes.
template <class backend_tag, class index = int>
using fft2d = fft3d<backend_tag, index>;
/// Of two axes.
template <class backend_tag, class index = int>
using fft2d_r2c = fft3d_r2c<backend_tag, index>;
/// Sines and cosines.
template <class backend_tag, class index = int>
using rtransform = fft3d<backend_tag, index>;

/// With the type of the boxes' indices.
template <class backend_tag, class index>
fft3d<backend_tag, index> make_fft3d(const box3d<index>& inbox, const box3d<index>& outbox,
                                     MPI_Comm comm,
                                     const plan_options& options = default_options<backend_tag>()) {
  return fft3d<backend_tag, index>(inbox, outbox, comm, options);
}
/// With the type of the boxes' indices.
template <class backend_tag, class index>
fft3d_r2c<backend_tag, index> make_fft3d_r2c(
    const box3d<index>& inbox, const box3d<index>& outbox, int r2c_direction, MPI_Comm comm,
    const plan_options& options = default_options<backend_tag>()) {
  return fft3d_r2c<backend_tag, index>(inbox, outbox, r2c_direction, comm, options);
}

}  // namespace heffte_api
}  // namespace kallima
