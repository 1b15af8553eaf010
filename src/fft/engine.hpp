// SPDX-License-Identifier: BSD-3-Clause
//
// The FFT engine: transforms lines from one place in cache to another. One engine plan serves one
// length, width, arrangement and direction, and always that many lines: what is missing is padded,
// so that a line's result does not depend on which lines share its tile.
#pragma once

#include <complex>
#include <string>

#include "base/strides.hpp"
#include "fft/fftw.hpp"
#include "kallima/wisdom.hpp"

namespace kallima::fft {

/// What the elements of a line are, before and behind.
enum class Numbers : std::uint8_t {
  complex,    ///< complex before and behind
  from_real,  ///< real before, half of the frequencies behind
  to_real,    ///< the other way
  real        ///< real before and behind: cosines and sines only
};

/// What is done to a line. Cosines and sines of complex numbers are those of their parts.
enum class LineKind : std::uint8_t {
  fourier,
  cosine_1,
  cosine_2,
  cosine_3,
  cosine_4,
  sine_1,
  sine_2,
  sine_3,
  sine_4
};

/// What an engine plan is made for.
struct Batch {
  Index length = 1;       ///< of a line, in positions
  Index lines = 1;        ///< at a time
  Strides from;           ///< read
  Strides to;             ///< written; in place the same
  bool in_place = false;  ///< otherwise what is read and what is written do not overlap
  Numbers numbers = Numbers::complex;  ///< strides count elements of their side
  LineKind kind = LineKind::fourier;   ///< what is done

  friend bool operator==(const Batch&, const Batch&) = default;
};

/// Transforms batches of one kind. Movable; destroyed without MPI.
template <class T>
class Engine {
 public:
  /// Plans; overwrites what a batch at `from` and `to` takes; both are aligned to 64 bytes, and the
  /// same in place. sign is -1 for forward, +1 for backward, unscaled. With `only_wisdom` the
  /// planner takes what rank 0 found. EngineFailure where the engine has no plan.
  Engine(const Batch& batch, int sign, Effort effort, bool only_wisdom, std::complex<T>* from,
         std::complex<T>* to);
  Engine(Engine&& other) noexcept
      : plan_(other.plan_), numbers_(other.numbers_), kind_(other.kind_) {
    other.plan_ = nullptr;
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine& operator=(Engine&&) = delete;
  ~Engine();

  /// Transforms a batch whose first elements are aligned(). Does not write `from` but in place.
  /// A side of reals is given by its address as complex numbers. Allocates nothing.
  void run(const std::complex<T>* from, std::complex<T>* to) const;
  /// True where a batch may begin; what is aligned to 64 bytes always is.
  static bool aligned(const std::complex<T>* data);

 private:
  typename Fftw<T>::Plan plan_ = nullptr;
  Numbers numbers_ = Numbers::complex;
  LineKind kind_ = LineKind::fourier;
};

extern template class Engine<float>;
extern template class Engine<double>;

/// The process' wisdom in one precision, as text.
template <class T>
std::string export_wisdom();

/// Adds wisdom; false where the engine does not accept it.
template <class T>
bool import_wisdom(const std::string& wisdom);

}  // namespace kallima::fft
