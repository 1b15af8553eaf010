// SPDX-License-Identifier: BSD-3-Clause
//
// Local work as a rank of a plan does it: one sweep over an array, run by the executor that runs
// plans, in memory such as users have.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kallima/buffer.hpp"
#include "kallima/engine.hpp"
#include "kallima/plan.hpp"

namespace kallima::calibration {

/// One sweep over lines x length elements.
struct Work {
  Precision precision = Precision::f64;
  Index length = 256;                    ///< of a line
  Index lines = 1;                       ///< how many
  bool across = false;                   ///< lines lie across memory
  Kernel kernel = Kernel::fourier;       ///< none: a copy; real: of reals
  bool twiddles = false;                 ///< along the first digit of a split axis
  LineEngine engine = LineEngine::fftw;  ///< kernels where there is one for the length
  Index row = 0;  ///< of lines across memory, so many follow each other in memory; 0: all

  /// Elements that are transformed.
  [[nodiscard]] Index elements() const { return length * lines; }
  /// Bytes of input and output together.
  [[nodiscard]] Index bytes() const;
};

/// Two arrays that all work goes through.
class Arrays {
 public:
  /// Room for so many bytes each, touched. OutOfMemory.
  explicit Arrays(Index bytes);

  [[nodiscard]] std::byte* from() const { return from_.view().data; }
  [[nodiscard]] std::byte* to() const { return to_.view().data; }

 private:
  Buffer from_;
  Buffer to_;
};

/// True while runs in a row should go on that took `sum` seconds so far: until they took `budget`
/// and there are some, so that one that lost its core for a while can be told, but not much longer.
inline bool goes_on(std::size_t runs, double sum, double budget) {
  constexpr std::size_t some = 5;
  constexpr std::size_t most = 4096;
  return runs == 0 ||
         (runs < most && sum < static_cast<double>(some) * budget && (sum < budget || runs < some));
}

/// Seconds of one run: the median of runs in a row that take about `budget` seconds.
double seconds_of(const Work& work, const Arrays& arrays, Index tile_bytes, double budget);

}  // namespace kallima::calibration
