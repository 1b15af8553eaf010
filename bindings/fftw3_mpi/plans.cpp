// SPDX-License-Identifier: BSD-3-Clause
#include "fftw3_mpi/plans.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "fftw3_mpi/blocks.hpp"
#include "kallima/error.hpp"
#include "kallima/price.hpp"
#include "kallima/redistribute.hpp"
#include "kallima/transform.hpp"

namespace kallima::fftw3_mpi {
namespace {

std::optional<AxisKind> axis_kind(fftw_r2r_kind kind) {
  switch (kind) {
    case FFTW_REDFT00:
      return AxisKind::cosine_1;
    case FFTW_REDFT10:
      return AxisKind::cosine_2;
    case FFTW_REDFT01:
      return AxisKind::cosine_3;
    case FFTW_REDFT11:
      return AxisKind::cosine_4;
    case FFTW_RODFT00:
      return AxisKind::sine_1;
    case FFTW_RODFT10:
      return AxisKind::sine_2;
    case FFTW_RODFT01:
      return AxisKind::sine_3;
    case FFTW_RODFT11:
      return AxisKind::sine_4;
    default:
      return std::nullopt;
  }
}

bool measured(unsigned flags) { return (flags & FFTW_ESTIMATE) == 0; }

/// What tells one request from another, for FFTW_WISDOM_ONLY.
std::string key_of(const Request& request, const Ends& ends, bool is_double) {
  std::ostringstream text;
  text << is_double << ' ' << static_cast<int>(request.task) << ' ' << request.sign << ' '
       << request.howmany << ' ';
  for (const fftw_r2r_kind kind : request.kinds) text << static_cast<int>(kind) << ' ';
  text << ends.in.to_text() << " to " << ends.out.to_text();
  return text.str();
}

/// What this process planned with more effort than an estimate. FFTW's wisdom belongs to the
/// process too.
class Measured {
 public:
  static bool has(const std::string& key) {
    const std::lock_guard guard(lock_);
    return keys_.contains(key);
  }
  static void add(std::string key) {
    const std::lock_guard guard(lock_);
    keys_.insert(std::move(key));
  }

 private:
  static inline std::mutex lock_;
  static inline std::set<std::string> keys_;
};

/// Options of a request, in the direction in which Kallima is forward.
Arguments arguments_of(const Request& request, const Ends& ends, bool is_double) {
  if ((request.flags & FFTW_WISDOM_ONLY) != 0 && !Measured::has(key_of(request, ends, is_double))) {
    throw InvalidOption(
        "FFTW_WISDOM_ONLY, and this process has not planned the same with FFTW_MEASURE; plan it "
        "without that flag");
  }
  Arguments arguments;
  arguments.shape = request.n;
  Options& options = arguments.options;
  for (const fftw_r2r_kind kind : request.kinds) options.axes.push_back(*axis_kind(kind));
  if (request.task == Task::complex || request.task == Task::real_to_complex ||
      request.task == Task::complex_to_real) {
    options.axes.assign(request.n.size(), AxisKind::fourier);
    if (request.task != Task::complex) options.axes.back() = AxisKind::real;
  }
  if (request.task != Task::transpose && request.howmany > 1) {
    arguments.shape.push_back(request.howmany);
    options.axes.push_back(AxisKind::batch);
  }
  const bool back =
      request.task == Task::complex_to_real || (request.task == Task::complex && request.sign > 0);
  options.in = back ? ends.out : ends.in;
  options.out = back ? ends.in : ends.out;
  options.scaling = Scaling::none;
  options.threads = request.threads;
  options.padded = request.task == Task::real_to_complex || request.task == Task::complex_to_real;
  if (measured(request.flags)) {
    options.engine_effort =
        (request.flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE)) != 0 ? Effort::patient : Effort::measure;
  }
  return arguments;
}

double operations_of(const Request& request, Index elements) {
  if (request.task == Task::transpose) return 0.0;
  double logarithm = 0.0;
  for (const Index n : request.n) logarithm += std::log2(static_cast<double>(n));
  const double per_element = request.task == Task::complex ? 5.0 : 2.5;
  return per_element * logarithm * static_cast<double>(elements);
}

/// A transform bound to the arrays of a plan.
template <class T>
class TransformCall final : public Call {
 public:
  /// `in_size` and `out_size`: elements of the arrays, which are of the types that the direction
  /// reads and writes.
  TransformCall(Planned<T> fft, Direction direction, const void* in, std::size_t in_size, void* out,
                std::size_t out_size, double operations)
      : fft_(std::move(fft)),
        direction_(direction),
        in_size_(in_size),
        out_size_(out_size),
        operations_(operations),
        bound_(fft_.bind_memory(direction, in, in_size, out, out_size)) {}

  void execute() override { bound_.run(); }
  void execute(const void* in, void* out) override {
    fft_.run_memory(direction_, in, in_size_, out, out_size_);
  }
  [[nodiscard]] std::string text() const override { return fft_.plan(direction_).summary(); }
  [[nodiscard]] double seconds() const override {
    return price(fft_.plan(direction_), fft_.machine()).total.total();
  }
  [[nodiscard]] double operations() const override { return operations_; }

 private:
  Planned<T> fft_;
  Direction direction_;
  std::size_t in_size_;
  std::size_t out_size_;
  double operations_;
  Bound<T> bound_;
};

/// A transpose bound to the arrays of a plan.
class TransposeCall final : public Call {
 public:
  TransposeCall(Redistribution moves, const void* in, std::size_t in_size, void* out,
                std::size_t out_size)
      : moves_(std::move(moves)),
        in_size_(in_size),
        out_size_(out_size),
        bound_(moves_.bind(Direction::forward, in, in_size, out, out_size)) {}

  void execute() override { bound_.run(); }
  void execute(const void* in, void* out) override {
    moves_.run(Direction::forward, in, in_size_, out, out_size_);
  }
  [[nodiscard]] std::string text() const override { return moves_.plan().summary(); }
  [[nodiscard]] double seconds() const override {
    return price(moves_.plan(), default_machine()).total.total();
  }
  [[nodiscard]] double operations() const override { return 0.0; }

 private:
  Redistribution moves_;
  std::size_t in_size_;
  std::size_t out_size_;
  Redistribution::Bound bound_;
};

std::size_t size_of(Index elements) { return static_cast<std::size_t>(elements); }

/// The call of a transform; `reals` of its elements in place are complex ones of that many numbers.
template <class T, class Fft>
std::unique_ptr<Call> bound_call(const Fft& fft, const Request& request, Direction direction,
                                 const void* in, void* out, Index in_place_in, Index in_place_out) {
  const Layout& from = direction == Direction::forward ? fft.input_layout() : fft.output_layout();
  const Layout& to = direction == Direction::forward ? fft.output_layout() : fft.input_layout();
  const bool in_place = in == out;
  const double operations = operations_of(request, from.local_size(fft.rank()));
  return std::make_unique<TransformCall<T>>(
      fft, direction, in, size_of(in_place ? in_place_in : from.allocated_size(fft.rank())), out,
      size_of(in_place ? in_place_out : to.allocated_size(fft.rank())), operations);
}

}  // namespace

bool supported(const Request& request) {
  const auto rank = request.n.size();
  if (rank < 1 || rank + (request.howmany > 1 ? 1 : 0) > static_cast<std::size_t>(max_axes))
    return false;
  if (request.howmany < 1) return false;
  if (std::any_of(request.n.begin(), request.n.end(), [](Index n) { return n < 1; })) return false;
  switch (request.task) {
    case Task::transpose:
      return rank == 2;
    case Task::complex:
      return request.sign == FFTW_FORWARD || request.sign == FFTW_BACKWARD;
    case Task::real_to_complex:
      return rank > 1 && (request.flags & transposed_in) == 0;
    case Task::complex_to_real:
      return rank > 1 && (request.flags & transposed_out) == 0;
    case Task::real:
      break;
  }
  if (rank < 2) return false;
  for (std::size_t a = 0; a < rank; ++a) {
    const auto kind = axis_kind(request.kinds[a]);
    if (!kind || (*kind == AxisKind::cosine_1 && request.n[a] < 2)) return false;
  }
  return true;
}

Ends ends_of(const Request& request, Index procs) {
  const std::size_t rank = request.n.size();
  if (request.task == Task::transpose) {
    const bool in_as_is = (request.flags & transposed_in) == 0;
    const bool out_as_is = (request.flags & transposed_out) == 0;
    return {in_blocks(request.n, 0, request.in_block, procs,
                      in_as_is ? std::vector<int>{0, 1} : std::vector<int>{1, 0}),
            in_blocks(request.n, 1, request.out_block, procs,
                      out_as_is ? std::vector<int>{1, 0} : std::vector<int>{0, 1})};
  }
  Shape reals = request.n;
  Shape frequencies = request.n;
  if (request.task == Task::real_to_complex || request.task == Task::complex_to_real) {
    frequencies.back() = frequencies.back() / 2 + 1;
  }
  if (request.howmany > 1) {
    reals.push_back(request.howmany);
    frequencies.push_back(request.howmany);
  }
  const auto lay_out = [&](const Shape& shape, bool transposed, bool scrambled, Index block) {
    if (rank == 1 && scrambled) {
      std::vector<Index> over(shape.size(), 1);
      over[0] = procs;
      return Layout::cyclic(shape, over);
    }
    if (rank > 1 && transposed)
      return in_blocks(shape, 1, block, procs, transposed_order(shape.size()));
    return in_blocks(shape, 0, block, procs);
  };
  const bool from_reals = request.task == Task::real_to_complex;
  const bool to_reals = request.task == Task::complex_to_real;
  return {lay_out(from_reals ? reals : frequencies, (request.flags & transposed_in) != 0,
                  (request.flags & scrambled_in) != 0, request.in_block),
          lay_out(to_reals ? reals : frequencies, (request.flags & transposed_out) != 0,
                  (request.flags & scrambled_out) != 0, request.out_block)};
}

template <class T>
std::unique_ptr<Call> make_call(const Request& request, void* in, void* out, MPI_Comm comm) {
  int procs = 1;
  MPI_Comm_size(comm, &procs);
  constexpr bool is_double = sizeof(T) == sizeof(double);
  std::string key;
  const auto arguments = [&] {
    const Ends ends = ends_of(request, procs);
    key = key_of(request, ends, is_double);
    return arguments_of(request, ends, is_double);
  };
  std::unique_ptr<Call> call;
  switch (request.task) {
    case Task::complex: {
      const auto fft = Transform<T>::with(comm, arguments);
      const Index both = fft.in_place_size();
      call =
          bound_call<T>(fft, request, request.sign < 0 ? Direction::forward : Direction::backward,
                        in, out, both, both);
      break;
    }
    case Task::real_to_complex: {
      const auto fft = RealTransform<T>::with(comm, arguments);
      const Index both = fft.in_place_size();
      call = bound_call<T>(fft, request, Direction::forward, in, out, 2 * both, both);
      break;
    }
    case Task::complex_to_real: {
      const auto fft = RealTransform<T>::with(comm, arguments);
      const Index both = fft.in_place_size();
      call = bound_call<T>(fft, request, Direction::backward, in, out, both, 2 * both);
      break;
    }
    case Task::real: {
      const auto fft = R2RTransform<T>::with(comm, arguments);
      const Index both = fft.in_place_size();
      call = bound_call<T>(fft, request, Direction::forward, in, out, both, both);
      break;
    }
    case Task::transpose: {
      const auto moves =
          Redistribution::with(comm, request.howmany * static_cast<Index>(sizeof(T)), arguments);
      const bool in_place = in == out;
      call = std::make_unique<TransposeCall>(
          moves, in, size_of(in_place ? moves.in_place_size() : moves.input_size()), out,
          size_of(in_place ? moves.in_place_size() : moves.output_size()));
      break;
    }
  }
  if (measured(request.flags)) Measured::add(std::move(key));
  return call;
}

template std::unique_ptr<Call> make_call<float>(const Request&, void*, void*, MPI_Comm);
template std::unique_ptr<Call> make_call<double>(const Request&, void*, void*, MPI_Comm);

}  // namespace kallima::fftw3_mpi
