// SPDX-License-Identifier: BSD-3-Clause
//
// The FFT engine: transforms a tile, in place, in cache. One engine plan serves one length, width,
// form and direction, and always on a whole tile: partial tiles are padded, so that a line's result
// does not depend on which lines share its tile.
#pragma once

#include <complex>
#include <string>

#include "kallima/checked.hpp"
#include "kallima/wisdom.hpp"
#include "local/fftw.hpp"

namespace kallima::local {

/// What an engine plan is made for.
struct TileShape {
  Index length = 1;          ///< of a line
  Index lines = 1;           ///< in a tile
  bool interleaved = false;  ///< lines interleaved, or one behind the other
  Index row = 0;             ///< distance between rows; 0: they are dense
  Index chunk = 0;           ///< interleaved lines that are transformed at a time; 0: all

  /// Distance between rows: elements of all lines where interleaved, otherwise lines.
  [[nodiscard]] Index row_stride() const {
    if (row > 0) return row;
    return interleaved ? lines : length;
  }
  [[nodiscard]] Index size() const { return (interleaved ? length : lines) * row_stride(); }
  /// Distance between neighbours of a line.
  [[nodiscard]] Index element_stride() const { return interleaved ? row_stride() : 1; }
  /// Distance between neighbouring lines.
  [[nodiscard]] Index line_stride() const { return interleaved ? 1 : row_stride(); }
  /// Lines that are transformed at a time; divides the lines.
  [[nodiscard]] Index at_a_time() const { return chunk > 0 ? chunk : lines; }

  friend bool operator==(const TileShape&, const TileShape&) = default;
};

/// Transforms tiles of one shape. Movable; destroyed without MPI.
template <class T>
class Engine {
 public:
  /// Plans; overwrites `tile`, which holds shape.size() elements and is aligned to 64 bytes.
  /// sign is -1 for forward, +1 for backward, unscaled. With `only_wisdom` the planner takes what
  /// rank 0 found. EngineFailure where the engine has no plan.
  Engine(const TileShape& shape, int sign, Effort effort, bool only_wisdom, std::complex<T>* tile);
  Engine(Engine&& other) noexcept : shape_(other.shape_), plan_(other.plan_) {
    other.plan_ = nullptr;
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine& operator=(Engine&&) = delete;
  ~Engine();

  /// Transforms all lines of a tile aligned to 64 bytes. Allocates nothing.
  void run(std::complex<T>* tile) const;

 private:
  TileShape shape_;
  typename Fftw<T>::Plan plan_ = nullptr;
};

extern template class Engine<float>;
extern template class Engine<double>;

/// The process' wisdom in one precision, as text.
template <class T>
std::string export_wisdom();

/// Adds wisdom; false where the engine does not accept it.
template <class T>
bool import_wisdom(const std::string& wisdom);

}  // namespace kallima::local
