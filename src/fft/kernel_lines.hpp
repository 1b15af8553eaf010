// SPDX-License-Identifier: BSD-3-Clause
//
// Batches of lines transformed by a kernel, however they lie.
#pragma once

#include <complex>
#include <vector>

#include "fft/batch.hpp"
#include "fft/line_kernel.hpp"

namespace kallima::fft {

/// A kernel, and where the lines of a batch lie. Several threads may use it at a time.
template <class T>
class KernelLines {
 public:
  using Number = std::complex<T>;

  /// Of complex lines whose length has_kernel(), or of reals whose half has one and whose elements
  /// follow each other on both sides; see LineKernel.
  KernelLines(const Batch& batch, int sign, Vectors vectors);

  [[nodiscard]] const LineKernel<T>& kernel() const { return kernel_; }
  /// Transforms a batch. Scratch as LineKernel says. Allocates nothing.
  void run(const Number* from, Number* to, Number* scratch) const;

 private:
  void run_from_real(const T* from, Number* to, Number* scratch) const;
  void run_to_real(const Number* from, T* to, Number* scratch) const;
  void run_group(const Number* from, Number* to, Number* scratch) const;
  /// Fewer lines than a group has, or such that lie neither along nor across memory.
  void run_few(const Number* from, Number* to, Index lines, Number* scratch) const;

  LineKernel<T> kernel_;
  Batch batch_;
  std::vector<Index> source_;  // of elements, where lines lie across memory
  std::vector<Index> target_;  // of results, likewise
};

extern template class KernelLines<float>;
extern template class KernelLines<double>;

}  // namespace kallima::fft
