// SPDX-License-Identifier: BSD-3-Clause
//
// Which local work is measured, and what figures follow from it.
#pragma once

#include <vector>

#include "calibration/work.hpp"
#include "machine/figures.hpp"

namespace kallima::calibration {

/// The work to measure, and the times of its rounds.
class LocalWork {
 public:
  /// Up to so many bytes of input and output together. `few`: of fewer lengths and sizes;
  /// `kernels`: with kernels too, not with FFTW alone.
  explicit LocalWork(Index most_bytes, bool few = false, bool kernels = true);

  [[nodiscard]] const std::vector<Work>& works() const { return works_; }
  /// That are measured.
  [[nodiscard]] const std::vector<LineEngine>& engines() const { return engines_; }
  /// Bytes of the larger of both arrays that some work needs.
  [[nodiscard]] Index array_bytes() const;
  /// The speed that median times of all works, in their order, mean; of kernels only where they
  /// were measured.
  [[nodiscard]] Speed speed(Index active, const std::vector<double>& seconds) const;
  /// How far works that no figure was taken from lie from what a speed says: median of the relative
  /// distance.
  [[nodiscard]] double residual(const Speed& speed, const std::vector<double>& seconds) const;

 private:
  void add(const Work& work) { works_.push_back(work); }
  void add_lengths(LineEngine engine);
  void add_sizes(Index most_bytes);
  void add_checks(Index most_bytes);
  [[nodiscard]] FftRates rates(LineEngine engine, Precision precision,
                               const std::vector<double>& seconds) const;
  [[nodiscard]] SweepRates sweeps(LineEngine engine, Precision precision, bool across,
                                  const std::vector<double>& seconds) const;

  std::vector<LineEngine> engines_;  // that are measured
  std::vector<Work> works_;
  bool few_;
  Index largest_ = 0;       // bytes of the arrays that lengths are compared in beyond cache
  std::size_t checks_ = 0;  // index of the first work that only checks
};

/// Seconds that a speed says of a work.
double modelled(const Speed& speed, const Work& work);

}  // namespace kallima::calibration
