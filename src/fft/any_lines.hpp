// SPDX-License-Identifier: BSD-3-Clause
//
// Lines of any length and kind by kernels alone.
//
// A length that is a product of primes to 13, but too long for a kernel, is taken for a matrix:
// columns, roots of unity, rows (Bailey 1990, the four-step order), each by kernels again. A length
// with other primes is a convolution of more points (Bluestein 1970). Reals are complex numbers,
// two each where they are even in number, and cosines and sines are Fourier transforms of elements
// in another order: types 2 and 3 of as many (Makhoul 1980), type 1 of the even or odd sequence
// that the line is half of, type 4 of the line with as many zeros behind it. The formulas of all
// of these have one form: what is transformed is a sum of two elements at most, times constants,
// and so is a result of what comes out. So planning makes tables, and one loop serves all.
//
// Rejected: lines of reals in pairs, as real and imaginary parts of one. It halves the work where
// reals stay reals, but then the bits of a line depend on its neighbour. Also cosines of type 4 by
// half as many complex numbers (of an even number, and of reals only).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "base/any_line.hpp"
#include "fft/batch.hpp"
#include "fft/kernel_lines.hpp"
#include "fft/roots.hpp"

namespace kallima::fft {

/// Several threads may use it at a time, each with its scratch; nothing is allocated but when it is
/// made. A line's result depends on the line alone.
template <class T>
class AnyLines {
 public:
  using Number = std::complex<T>;

  /// sign is -1 for forward, +1 for backward, unscaled. InvalidOption where this processor does not
  /// have the instructions.
  AnyLines(const Batch& batch, int sign, Vectors vectors);

  /// Transforms a batch. A side of reals is given by its address as complex numbers. Scratch is
  /// lines_scratch() bytes, aligned to cache lines. Allocates nothing.
  void run(const Number* from, Number* to, Number* scratch) const;
  /// The kernel that takes the lines as they are; null where they are put together.
  [[nodiscard]] const LineKernel<T>* kernel() const {
    return kernel_ ? &kernel_->kernel() : nullptr;
  }

 private:
  /// An element, times a constant.
  struct Term {
    Index at = 0;
    Number factor;
  };
  /// What elements are sums of. There is no second term, or one for each.
  struct Sums {
    std::vector<Term> first;
    std::vector<Term> second;
    bool conjugates = false;  ///< the element of the second term
  };

  template <class E>
  struct Side {
    E* data;
    Strides strides;
  };

  void make_matrix(int sign, Vectors vectors);
  void make_convolution(int sign, Vectors vectors);
  void make_real(Vectors vectors);
  void make_trigonometric(Vectors vectors);
  /// Of what is summed up from lines.
  void add_inner(Index points, int sign, Vectors vectors);

  void run_matrix(const Number* from, Number* to, Number* scratch) const;
  template <class From, class To>
  void run_sums(const From* from, To* to, Number* scratch) const;
  template <class From, class To>
  void sum_up(const Sums& sums, const Side<const From>& from, const Side<To>& to,
              Index lines) const;

  Batch batch_;
  std::optional<KernelLines<T>> kernel_;
  std::vector<AnyLines> inner_;    // columns and rows; or of sums, and back where it is convolved
  std::optional<Roots<T>> roots_;  // of a matrix
  Sums before_;                    // elements of the inner transform; the rest is zero
  Sums behind_;                    // results
  std::vector<Number> filter_;     // of a convolution
  Index points_ = 0;               // of the inner transform
  Index together_ = 1;             // lines
  bool conjugates_roots_ = false;
};

/// Bytes that a batch wants as scratch.
template <class T>
Index lines_scratch(const Batch& batch);

extern template class AnyLines<float>;
extern template class AnyLines<double>;

}  // namespace kallima::fft
