// SPDX-License-Identifier: BSD-3-Clause
#include "verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <span>

#include "base/checked.hpp"
#include "numbers.hpp"

namespace kallima::cli {

namespace {

template <class T>
Wide wide(const std::complex<T>& value) {
  return {value.real(), value.imag()};
}
inline Wide wide(float value) { return value; }
inline Wide wide(double value) { return value; }

/// a * b without the tests for infinities that std::complex makes.
Wide product(const Wide& a, const Wide& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// A sum that carries what rounding lost.
class CompensatedSum {
 public:
  void add(long double term) {
    const long double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  [[nodiscard]] long double value() const { return sum_ + lost_; }

 private:
  long double sum_ = 0.0L;
  long double lost_ = 0.0L;
};

/// exp(sign 2 pi i e / n) for 0 <= e < n. Long axes take the product of two entries, so that the
/// tables grow with the root of n only.
class Roots {
 public:
  Roots(Index n, Direction direction) : n_(n) {
    constexpr Index longest_table = Index{1} << 14;
    while (n > longest_table && (Index{1} << (2 * shift_)) < n) ++shift_;
    const Index block = Index{1} << shift_;
    const long double turn = (direction == Direction::forward ? -2.0L : 2.0L) *
                             std::numbers::pi_v<long double> / static_cast<long double>(n);
    const auto root = [&](Index e) { return std::polar(1.0L, turn * static_cast<long double>(e)); };
    for (Index e = 0; e < block; ++e) low_.push_back(root(e));
    for (Index e = 0; e < n; e += block) high_.push_back(root(e));
  }

  [[nodiscard]] Index n() const { return n_; }
  [[nodiscard]] Wide operator()(Index e) const {
    const Wide& high = high_[static_cast<std::size_t>(e >> shift_)];
    if (shift_ == 0) return high;
    return product(high, low_[static_cast<std::size_t>(e & ((Index{1} << shift_) - 1))]);
  }

 private:
  Index n_;
  int shift_ = 0;
  std::vector<Wide> low_;   // root(e) for e below 2^shift
  std::vector<Wide> high_;  // root(e) for multiples of 2^shift
};

/// What an element at j counts in the sum for frequency k, along an axis of another kind than
/// Fourier: FFTW's manual, "What FFTW Really Computes".
long double real_factor(Kernel kernel, Index n, Index j, Index k) {
  if (kernel == Kernel::none) return j == k ? 1.0L : 0.0L;
  const bool cosine = kernel < Kernel::sine_1;
  const int type =
      static_cast<int>(kernel) - static_cast<int>(cosine ? Kernel::cosine_1 : Kernel::sine_1) + 1;
  const Index whole = cosine ? 0 : 2;  // in halves of an element
  const Index in_halves = 2 * j + (type == 2 || type == 4 ? 1 : whole);
  const Index out_halves = 2 * k + (type == 3 || type == 4 ? 1 : whole);
  Index period = n;
  if (type == 1) period = cosine ? n - 1 : n + 1;
  // cos and sin of pi a b / (4 m), which have the period 8 m of a b.
  const Index turns = product_modulo(in_halves, out_halves, 8 * period);
  const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(turns) /
                            (4.0L * static_cast<long double>(period));
  const bool first = cosine && j == 0 && (type == 1 || type == 3);
  const bool last = j == n - 1 && (cosine ? type == 1 : type == 3);
  return (first || last ? 1.0L : 2.0L) * (cosine ? std::cos(angle) : std::sin(angle));
}

/// Calls body(data, index, done) for each run of elements along the axis that is fastest in memory:
/// where it lies, the global index of its first element, and how many elements came before.
template <class E, class Body>
void for_each_line(const BasicView<E>& view, const Body& body) {
  if (view.layout().local_size(view.rank()) == 0) return;
  const std::vector<Progression> part = view.layout().local_indices(view.rank());
  const std::vector<int>& order = view.layout().order();
  const auto length = static_cast<std::size_t>(part[static_cast<std::size_t>(order.back())].count);
  std::vector<Index> at(part.size(), 0);
  const std::vector<Index> strides = view.layout().local_strides(view.rank());
  const auto size = static_cast<std::size_t>(view.layout().local_size(view.rank()));
  for (std::size_t done = 0; done < size; done += length) {
    MultiIndex index;
    Index place = view.layout().first_offset(view.rank());
    for (std::size_t a = 0; a < part.size(); ++a) {
      index[a] = part[a].at(at[a]);
      place += at[a] * strides[a];
    }
    body(std::span<const E>(view.data() + place, length), index, done);
    for (std::size_t i = order.size() - 1; i-- > 0;) {
      const auto a = static_cast<std::size_t>(order[i]);
      if (++at[a] < part[a].count) break;
      at[a] = 0;
    }
  }
}

/// What elements count along one axis.
class Along {
 public:
  Along(Kernel kernel, Index n, Direction direction)
      : kernel_(kernel), n_(n), roots_(fourier() ? n : 1, direction) {}

  [[nodiscard]] Index n() const { return n_; }
  [[nodiscard]] bool fourier() const {
    return kernel_ == Kernel::fourier || kernel_ == Kernel::real;
  }
  /// Of a Fourier axis, the e-th root.
  [[nodiscard]] Wide operator()(Index e) const { return roots_(e); }
  /// Of the element at j in the sum for frequency k.
  [[nodiscard]] Wide factor(Index j, Index k) const {
    return fourier() ? roots_(product_modulo(k, j, n_)) : real_factor(kernel_, n_, j, k);
  }

 private:
  Kernel kernel_;
  Index n_;
  Roots roots_;
};

/// The direct sum at one index. Elements along a line are a fixed step apart, so within a block
/// their roots are that of the block's first element times powers that are the same for all blocks.
class DirectSum {
 public:
  /// Lines run along axis `fastest`, in steps of `step`.
  DirectSum(const MultiIndex& frequency, const std::vector<Along>& roots, std::size_t fastest,
            Index step)
      : frequency_(frequency), roots_(&roots), fastest_(fastest) {
    const Index n = roots[fastest].n();
    if (!roots[fastest].fourier()) {
      for (Index j = 0; j < n; ++j)
        factors_.push_back(roots[fastest].factor(j, frequency[fastest]));
      step_ = step;
      return;
    }
    const Index stride = product_modulo(frequency[fastest], step % n, n);
    Index e = 0;
    for (Wide& power : powers_) {
      power = roots[fastest](e);
      e = (e + stride) % n;
    }
    block_stride_ = e;
  }

  /// Adds a line whose first element has this global index.
  template <class E>
  void add(std::span<const E> line, const MultiIndex& index) {
    const Along& along = (*roots_)[fastest_];
    const Wide factor = across(index);
    if (!along.fourier()) {
      Wide sum = 0.0L;
      Index j = index[fastest_];
      for (const E& value : line) {
        sum += product(wide(value), factors_[static_cast<std::size_t>(j)]);
        j += step_;
      }
      add(product(factor, sum));
      return;
    }
    Index e = product_modulo(frequency_[fastest_], index[fastest_], along.n());
    for (std::size_t at = 0; at < line.size(); at += block) {
      const std::size_t size = std::min(block, line.size() - at);
      Wide sum = 0.0L;
      for (std::size_t i = 0; i < size; ++i) {
        sum += product(wide(line[at + i]), powers_[i]);
      }
      add(product(product(factor, along(e)), sum));
      e = (e + block_stride_) % along.n();
    }
  }
  [[nodiscard]] Wide value() const { return {re_.value(), im_.value()}; }

 private:
  static constexpr std::size_t block = 64;

  void add(const Wide& term) {
    re_.add(term.real());
    im_.add(term.imag());
  }

  /// What all elements of a line have in common.
  [[nodiscard]] Wide across(const MultiIndex& index) const {
    Wide factor = 1.0L;
    for (std::size_t a = 0; a < roots_->size(); ++a) {
      if (a == fastest_) continue;
      factor = product(factor, (*roots_)[a].factor(index[a], frequency_[a]));
    }
    return factor;
  }

  MultiIndex frequency_;
  const std::vector<Along>* roots_;
  std::size_t fastest_;
  std::vector<Wide> factors_;  // along lines that are not Fourier
  Index step_ = 1;             // of these
  std::array<Wide, block> powers_{};
  Index block_stride_ = 0;
  CompensatedSum re_;
  CompensatedSum im_;
};

std::vector<Wide> sum_over_ranks(MPI_Comm comm, const std::vector<Wide>& mine) {
  std::vector<Wide> result(mine.size());
  MPI_Allreduce(mine.data(), result.data(), narrow<int>(2 * mine.size(), "sampled numbers"),
                MPI_LONG_DOUBLE, MPI_SUM, comm);
  return result;
}

/// Square root of a quotient of squares; 0 / 0 is no error.
double relative(long double difference, long double size) {
  return difference == 0.0L ? 0.0 : static_cast<double>(std::sqrt(difference / size));
}

}  // namespace

Index product_modulo(Index a, Index b, Index n) {
  constexpr Index half = Index{1} << 31;
  if (a < half && b < half) return a * b % n;
  Index result = 0;
  for (; b > 0; b /= 2) {
    if (b % 2 == 1) result = (result + a) % n;
    a = 2 * a % n;
  }
  return result;
}

std::vector<MultiIndex> sampled_indices(const Shape& shape, Index count) {
  const Index elements = volume(shape);
  std::set<Index> places;
  for (std::uint64_t i = 0; static_cast<Index>(places.size()) < std::min(count, elements); ++i) {
    // Where all are wanted, counting finds them sooner than chance.
    const std::uint64_t word = elements <= count ? i : mixed(~i);
    places.insert(static_cast<Index>(word % static_cast<std::uint64_t>(elements)));
  }
  std::vector<MultiIndex> result;
  for (Index place : places) {
    MultiIndex index;
    for (std::size_t a = shape.size(); a-- > 0; place /= shape[a]) index[a] = place % shape[a];
    result.push_back(index);
  }
  return result;
}

namespace {

/// The index of a frequency among all of them, kept or not.
MultiIndex among_all(const Problem& problem, MultiIndex index) {
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    if (!problem.truncated(a) || index[a] <= problem.keep[a]) continue;
    index[a] += problem.frequencies_of_line(a) - problem.frequencies_along(a);
  }
  return index;
}

}  // namespace

template <class E>
std::vector<Wide> direct_sums(MPI_Comm comm, const BasicView<E>& input, const Problem& problem,
                              const std::vector<MultiIndex>& samples, Direction direction,
                              const std::function<void(double)>& progress) {
  std::vector<Along> roots;
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    roots.emplace_back(kernel_of(problem.axis_kind(a), direction), input.layout().shape()[a],
                       direction);
  }
  const auto fastest = static_cast<std::size_t>(input.layout().order().back());
  std::vector<DirectSum> sums;
  const Index step = input.layout().local_indices(input.rank(), fastest).step;
  for (const MultiIndex& sample : samples) {
    sums.emplace_back(direction == Direction::forward ? among_all(problem, sample) : sample, roots,
                      fastest, step);
  }
  std::size_t next_report = 0;
  for_each_line(input, [&](std::span<const E> line, const MultiIndex& index, std::size_t done) {
    for (DirectSum& sum : sums) sum.add(line, index);
    if (done < next_report) return;
    progress(static_cast<double>(done) / static_cast<double>(input.size()));
    next_report += input.size() / 100 + 1;
  });
  std::vector<Wide> mine;
  for (const DirectSum& sum : sums) mine.push_back(sum.value());
  return sum_over_ranks(comm, mine);
}

template <class E>
std::vector<Wide> elements_at(MPI_Comm comm, const BasicView<E>& output,
                              const std::vector<MultiIndex>& samples) {
  const Layout& layout = output.layout();
  std::vector<Wide> mine(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<Index> index;
    for (std::size_t a = 0; a < layout.axes(); ++a) index.push_back(samples[i][a]);
    if (layout.owner(index) != output.rank()) continue;
    mine[i] = wide(output[static_cast<std::size_t>(layout.offset(index))]);
  }
  return sum_over_ranks(comm, mine);
}

double relative_error(const std::vector<Wide>& got, const std::vector<Wide>& want,
                      long double scale) {
  long double difference = 0.0L;
  long double size = 0.0L;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += std::norm(got[i] - scale * want[i]);
    size += std::norm(scale * want[i]);
  }
  return relative(difference, size);
}

template <class E>
double distance_from_input(MPI_Comm comm, const BasicView<E>& part, long double scale) {
  const Shape& shape = part.layout().shape();
  std::array<CompensatedSum, 2> sums;
  for (auto [index, value] : part.indexed()) {
    const Wide want = scale * wide(element_at<E>(flat_place(index, shape)));
    sums[0].add(std::norm(wide(value) - want));
    sums[1].add(std::norm(want));
  }
  const Wide total = sum_over_ranks(comm, {{sums[0].value(), sums[1].value()}}).front();
  return relative(total.real(), total.imag());
}

double promised_error(const Problem& problem) {
  const double eps = problem.precision == Precision::f32
                         ? static_cast<double>(std::numeric_limits<float>::epsilon())
                         : std::numeric_limits<double>::epsilon();
  const auto elements = static_cast<double>(problem.elements());
  return std::max(eps, 1.5 * eps * std::sqrt(std::log2(elements)));
}

template std::vector<Wide> elements_at(MPI_Comm, const BasicView<float>&,
                                       const std::vector<MultiIndex>&);
template std::vector<Wide> direct_sums(MPI_Comm, const BasicView<float>&, const Problem&,
                                       const std::vector<MultiIndex>&, Direction,
                                       const std::function<void(double)>&);
template double distance_from_input(MPI_Comm, const BasicView<float>&, long double);
template std::vector<Wide> elements_at(MPI_Comm, const BasicView<double>&,
                                       const std::vector<MultiIndex>&);
template std::vector<Wide> direct_sums(MPI_Comm, const BasicView<double>&, const Problem&,
                                       const std::vector<MultiIndex>&, Direction,
                                       const std::function<void(double)>&);
template double distance_from_input(MPI_Comm, const BasicView<double>&, long double);
template std::vector<Wide> elements_at(MPI_Comm, const BasicView<std::complex<float>>&,
                                       const std::vector<MultiIndex>&);
template std::vector<Wide> direct_sums(MPI_Comm, const BasicView<std::complex<float>>&,
                                       const Problem&, const std::vector<MultiIndex>&, Direction,
                                       const std::function<void(double)>&);
template double distance_from_input(MPI_Comm, const BasicView<std::complex<float>>&, long double);
template std::vector<Wide> elements_at(MPI_Comm, const BasicView<std::complex<double>>&,
                                       const std::vector<MultiIndex>&);
template std::vector<Wide> direct_sums(MPI_Comm, const BasicView<std::complex<double>>&,
                                       const Problem&, const std::vector<MultiIndex>&, Direction,
                                       const std::function<void(double)>&);
template double distance_from_input(MPI_Comm, const BasicView<std::complex<double>>&, long double);

}  // namespace kallima::cli
