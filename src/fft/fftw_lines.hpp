// SPDX-License-Identifier: BSD-3-Clause
//
// Batches of lines transformed by a library with FFTW's interface. One plan of it serves one
// length, width, arrangement and direction, and always that many lines: what is missing is padded,
// so that a line's result does not depend on which lines share its tile.
#pragma once

#include <complex>
#include <string>

#include "fft/batch.hpp"
#include "kallima/wisdom.hpp"

namespace kallima::fft {

/// A plan of FFTW's. Movable; destroyed without MPI.
template <class T>
class FftwLines {
 public:
  /// Plans; overwrites what a batch at `from` and `to` takes; both are aligned to 64 bytes, and the
  /// same in place. sign is -1 for forward, +1 for backward, unscaled. With `only_wisdom` the
  /// planner takes what rank 0 found. EngineFailure where there is no plan.
  FftwLines(const Batch& batch, int sign, Effort effort, bool only_wisdom, std::complex<T>* from,
            std::complex<T>* to);
  FftwLines(FftwLines&& other) noexcept
      : plan_(other.plan_), numbers_(other.numbers_), kind_(other.kind_) {
    other.plan_ = nullptr;
  }
  FftwLines(const FftwLines&) = delete;
  FftwLines& operator=(const FftwLines&) = delete;
  FftwLines& operator=(FftwLines&&) = delete;
  ~FftwLines();

  /// Transforms a batch whose first elements are aligned(). Does not write `from` but in place.
  /// A side of reals is given by its address as complex numbers. Allocates nothing.
  void run(const std::complex<T>* from, std::complex<T>* to) const;
  /// True where a batch may begin; what is aligned to 64 bytes always is.
  static bool aligned(const std::complex<T>* data);

 private:
  void* plan_ = nullptr;  // FFTW's; its header stays where it is used
  Numbers numbers_ = Numbers::complex;
  LineKind kind_ = LineKind::fourier;
};

extern template class FftwLines<float>;
extern template class FftwLines<double>;

}  // namespace kallima::fft
