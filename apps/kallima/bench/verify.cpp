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

/// Calls body(data, index, done) for each run of elements along the axis that is fastest in memory:
/// where it lies, the global index of its first element, and how many elements came before.
template <class E, class Body>
void for_each_line(const BasicView<E>& view, const Body& body) {
  const std::vector<Progression> part = view.layout().local_indices(view.rank());
  const std::vector<int>& order = view.layout().order();
  const auto length = static_cast<std::size_t>(part[static_cast<std::size_t>(order.back())].count);
  std::vector<Index> at(part.size(), 0);
  const std::size_t apart = length + static_cast<std::size_t>(view.layout().padding());
  for (std::size_t done = 0; done < view.size(); done += apart) {
    MultiIndex index;
    for (std::size_t a = 0; a < part.size(); ++a) index[a] = part[a].at(at[a]);
    body(std::span<const E>(view.data() + done, length), index, done);
    for (std::size_t i = order.size() - 1; i-- > 0;) {
      const auto a = static_cast<std::size_t>(order[i]);
      if (++at[a] < part[a].count) break;
      at[a] = 0;
    }
  }
}

/// The direct sum at one index. Elements along a line are a fixed step apart, so within a block
/// their roots are that of the block's first element times powers that are the same for all blocks.
class DirectSum {
 public:
  /// Lines run along axis `fastest`, in steps of `step`.
  DirectSum(const MultiIndex& frequency, const std::vector<Roots>& roots, std::size_t fastest,
            Index step)
      : frequency_(frequency), roots_(&roots), fastest_(fastest) {
    const Index n = roots[fastest].n();
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
    const Roots& along = (*roots_)[fastest_];
    const Wide factor = across(index);
    Index e = product_modulo(frequency_[fastest_], index[fastest_], along.n());
    for (std::size_t at = 0; at < line.size(); at += block) {
      const std::size_t size = std::min(block, line.size() - at);
      Wide sum = 0.0L;
      for (std::size_t i = 0; i < size; ++i) {
        sum += product(wide(line[at + i]), powers_[i]);
      }
      const Wide term = product(product(factor, along(e)), sum);
      re_.add(term.real());
      im_.add(term.imag());
      e = (e + block_stride_) % along.n();
    }
  }
  [[nodiscard]] Wide value() const { return {re_.value(), im_.value()}; }

 private:
  static constexpr std::size_t block = 64;

  /// What all elements of a line have in common.
  [[nodiscard]] Wide across(const MultiIndex& index) const {
    Wide factor = 1.0L;
    for (std::size_t a = 0; a < roots_->size(); ++a) {
      if (a == fastest_) continue;
      const Roots& roots = (*roots_)[a];
      factor = product(factor, roots(product_modulo(frequency_[a], index[a], roots.n())));
    }
    return factor;
  }

  MultiIndex frequency_;
  const std::vector<Roots>* roots_;
  std::size_t fastest_;
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

template <class E>
std::vector<Wide> direct_sums(MPI_Comm comm, const BasicView<E>& input,
                              const std::vector<MultiIndex>& samples, Direction direction,
                              const std::function<void(double)>& progress) {
  std::vector<Roots> roots;
  for (const Index n : input.layout().shape()) roots.emplace_back(n, direction);
  const auto fastest = static_cast<std::size_t>(input.layout().order().back());
  std::vector<DirectSum> sums;
  const Index step = input.layout().local_indices(input.rank(), fastest).step;
  for (const MultiIndex& sample : samples) sums.emplace_back(sample, roots, fastest, step);
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

template <class T>
std::vector<Wide> elements_at(MPI_Comm comm, const View<T>& output,
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

template std::vector<Wide> elements_at(MPI_Comm, const View<float>&,
                                       const std::vector<MultiIndex>&);
template std::vector<Wide> elements_at(MPI_Comm, const View<double>&,
                                       const std::vector<MultiIndex>&);
template std::vector<Wide> direct_sums(MPI_Comm, const BasicView<float>&,
                                       const std::vector<MultiIndex>&, Direction,
                                       const std::function<void(double)>&);
template double distance_from_input(MPI_Comm, const BasicView<float>&, long double);
template std::vector<Wide> direct_sums(MPI_Comm, const BasicView<double>&,
                                       const std::vector<MultiIndex>&, Direction,
                                       const std::function<void(double)>&);
template double distance_from_input(MPI_Comm, const BasicView<double>&, long double);
template std::vector<Wide> direct_sums(MPI_Comm, const BasicView<std::complex<float>>&,
                                       const std::vector<MultiIndex>&, Direction,
                                       const std::function<void(double)>&);
template double distance_from_input(MPI_Comm, const BasicView<std::complex<float>>&, long double);
template std::vector<Wide> direct_sums(MPI_Comm, const BasicView<std::complex<double>>&,
                                       const std::vector<MultiIndex>&, Direction,
                                       const std::function<void(double)>&);
template double distance_from_input(MPI_Comm, const BasicView<std::complex<double>>&, long double);

}  // namespace kallima::cli
