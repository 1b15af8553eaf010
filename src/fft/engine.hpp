// SPDX-License-Identifier: BSD-3-Clause
//
// The FFT engine: transforms lines from one place in cache to another, by FFTW's plans or by the
// library's kernels, as a batch says. Built without FFTW (without_fftw.cpp) it has kernels alone.
#pragma once

#include <complex>
#include <string>
#include <variant>

#include "fft/any_lines.hpp"
#include "fft/batch.hpp"
#include "fft/fftw_lines.hpp"
#include "kallima/wisdom.hpp"

namespace kallima::fft {

/// What all engines of a transform have in common.
struct EngineSetup {
  Effort effort = Effort::estimate;
  bool only_wisdom = false;          ///< FFTW takes what rank 0 found
  Vectors vectors = vectors_here();  ///< that kernels use: what all ranks have
};

/// Transforms batches of one kind. Movable; destroyed without MPI.
template <class T>
class Engine {
 public:
  /// Plans, as FftwLines and AnyLines do.
  Engine(const Batch& batch, int sign, const EngineSetup& setup, std::complex<T>* from,
         std::complex<T>* to);

  /// Transforms a batch whose first elements are aligned(). Does not write `from` but in place. A
  /// side of reals is given by its address as complex numbers. Kernels need lines_scratch() bytes,
  /// aligned to cache lines. Allocates nothing.
  void run(const std::complex<T>* from, std::complex<T>* to, std::complex<T>* scratch) const {
    if (const auto* const lines = std::get_if<FftwLines<T>>(&by_)) return lines->run(from, to);
    std::get<AnyLines<T>>(by_).run(from, to, scratch);
  }
  /// True where a batch may begin; what is aligned to 64 bytes always is.
  [[nodiscard]] bool aligned(const std::complex<T>* data) const {
    return std::holds_alternative<AnyLines<T>>(by_) || FftwLines<T>::aligned(data);
  }
  /// The kernel that takes lines as they are; null for FFTW's plans, and where there is none.
  [[nodiscard]] const LineKernel<T>* kernel() const {
    const auto* const lines = std::get_if<AnyLines<T>>(&by_);
    return lines == nullptr ? nullptr : lines->kernel();
  }

 private:
  std::variant<FftwLines<T>, AnyLines<T>> by_;
};

extern template class Engine<float>;
extern template class Engine<double>;

/// FFTW's wisdom in this process in one precision, as text; empty without FFTW.
template <class T>
std::string export_wisdom();

/// Adds wisdom; false where FFTW does not accept it, and without FFTW.
template <class T>
bool import_wisdom(const std::string& wisdom);

}  // namespace kallima::fft
