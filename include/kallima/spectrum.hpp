// SPDX-License-Identifier: BSD-3-Clause
//
// Which frequency an index of a transformed array means: its signed wavenumber, how many elements
// of the whole spectrum it stands for, and where its partner -k is.
//
// The spectrum of real data is conjugate even: what is at -k is the conjugate of what is at k. So
// along one axis, the r2c axis, only 0 .. n/2 are kept. An element strictly between those ends
// stands for two, itself and its partner; at the ends both are kept, and each stands for itself.
//
// Cosines and sines have frequencies of one sign, in halves of a period: pi k / L, with k from 0 on
// for cosines of types 1 and 2, from 1 on for such sines, and from 1/2 on for types 3 and 4.
#pragma once

#include <array>
#include <cstddef>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "kallima/problem.hpp"

namespace kallima {

/// A global index: one number per axis.
class MultiIndex {
 public:
  /// Along axis a, the slowest axis of a C array first.
  [[nodiscard]] Index operator[](std::size_t a) const { return at_[a]; }
  /// Along axis a, to be set.
  [[nodiscard]] Index& operator[](std::size_t a) { return at_[a]; }

  friend bool operator==(const MultiIndex&, const MultiIndex&) = default;

 private:
  std::array<Index, static_cast<std::size_t>(max_axes)> at_{};
};

/// A signed wavenumber: one integer per axis, -(n/2) <= k <= (n-1)/2 in integer division, as
/// NumPy's fftfreq numbers them, and 0 <= k <= n/2 along a r2c axis, as its rfftfreq does. With
/// box lengths L the component along an axis is 2 pi k / L. Along an axis of cosines or sines k is
/// the integer below its frequency, and the component pi k / L, of types 3 and 4 pi (k + 1/2) / L;
/// without box lengths k or k + 1/2. Along an axis that is not transformed both are 0.
class Wavenumber {
 public:
  /// The integer along axis a.
  [[nodiscard]] Index operator[](std::size_t a) const { return k_[a]; }
  /// The component along axis a: the integer, or 2 pi k / L where box lengths were given.
  [[nodiscard]] double component(std::size_t a) const {
    return (static_cast<double>(k_[a]) + shifts_[a]) * units_[a];
  }
  /// True for the mean.
  [[nodiscard]] bool is_zero() const {
    bool zero = true;
    for (std::size_t a = 0; a < axes_; ++a) zero = zero && k_[a] == 0 && shifts_[a] == 0.;
    return zero;
  }
  /// Sum of the squared components.
  [[nodiscard]] double squared() const {
    double sum = 0.0;
    for (std::size_t a = 0; a < axes_; ++a) sum += component(a) * component(a);
    return sum;
  }
  /// How many elements of the whole spectrum this one stands for: 2 where only one of k and -k is
  /// kept, otherwise 1. Sums over the spectrum are sums over what is kept with this weight.
  [[nodiscard]] int weight() const { return weight_; }

 private:
  friend class Spectrum;
  Wavenumber() = default;

  std::size_t axes_ = 0;
  MultiIndex k_;
  std::array<double, static_cast<std::size_t>(max_axes)> units_{};
  std::array<double, static_cast<std::size_t>(max_axes)> shifts_{};
  int weight_ = 1;
};

/// The frequencies of a transform. Local, cheap to copy.
class Spectrum {
 public:
  /// Of an array of positions of this shape; of axis `r2c_axis` only 0 .. n/2 are kept, of all axes
  /// everything where it is empty. `lengths` are the physical extents of the box; empty for none.
  /// `axes` say what was done along the others; empty: Fourier along all.
  explicit Spectrum(Shape positions, std::optional<std::size_t> r2c_axis = std::nullopt,
                    const std::vector<double>& lengths = {}, std::vector<AxisKind> axes = {})
      : positions_(std::move(positions)), r2c_axis_(r2c_axis), axes_(std::move(axes)) {
    axes_.resize(positions_.size(), AxisKind::fourier);
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      const bool halves = is_trigonometric(axes_[a]);
      const double period = (halves ? 1.0 : 2.0) * std::numbers::pi;
      units_[a] = lengths.empty() ? 1.0 : period / lengths[a];
      if (axes_[a] == AxisKind::sine_1 || axes_[a] == AxisKind::sine_2) first_[a] = 1;
      const bool between = axes_[a] == AxisKind::cosine_3 || axes_[a] == AxisKind::cosine_4 ||
                           axes_[a] == AxisKind::sine_3 || axes_[a] == AxisKind::sine_4;
      if (between) shifts_[a] = 0.5;
    }
  }

  /// Extents of the array of positions.
  [[nodiscard]] const Shape& positions() const { return positions_; }
  /// The axis of which half is kept; empty where all are whole.
  [[nodiscard]] std::optional<std::size_t> r2c_axis() const { return r2c_axis_; }

  /// The wavenumber at an index of the transformed array.
  [[nodiscard]] Wavenumber wavenumber(const MultiIndex& index) const {
    Wavenumber k;
    k.axes_ = positions_.size();
    k.units_ = units_;
    k.shifts_ = shifts_;
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      const Index n = positions_[a];
      if (!transformed(a)) continue;
      const bool negative = index[a] >= (n + 1) / 2 && a != r2c_axis_ && wraps(a);
      k.k_[a] = negative ? index[a] - n : index[a] + first_[a];
    }
    k.weight_ = is_kept_twice(index) ? 1 : 2;
    return k;
  }

  /// Where the wavenumber is in the transformed array: empty where it is not kept, so that the
  /// conjugate of what is at -k stands for it. Wavenumbers are taken modulo the extents, along axes
  /// of cosines and sines as they are; along axes that are not transformed they are indices.
  [[nodiscard]] std::optional<MultiIndex> index_of(const MultiIndex& k) const {
    MultiIndex index;
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      const Index n = positions_[a];
      index[a] = wraps(a) ? ((k[a] % n) + n) % n : k[a] - first_[a];
      if (index[a] < 0 || index[a] >= n) return std::nullopt;
      if (a == r2c_axis_ && index[a] > n / 2) return std::nullopt;
    }
    return index;
  }

  /// Where -k is, for the wavenumber k at an index: empty where it is not kept. Along axes of
  /// cosines and sines and such as are not transformed, that is where k is.
  [[nodiscard]] std::optional<MultiIndex> partner(const MultiIndex& index) const {
    MultiIndex k;
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      k[a] = wraps(a) ? -index[a] : index[a] + first_[a];
    }
    return index_of(k);
  }

 private:
  [[nodiscard]] bool wraps(std::size_t a) const { return axes_[a] <= AxisKind::real; }
  [[nodiscard]] bool transformed(std::size_t a) const { return axes_[a] < AxisKind::none; }

  /// True where both k and -k are kept, or both are the same.
  [[nodiscard]] bool is_kept_twice(const MultiIndex& index) const {
    if (!r2c_axis_) return true;
    const Index k = index[*r2c_axis_];
    return k == 0 || 2 * k == positions_[*r2c_axis_];
  }

  Shape positions_;
  std::optional<std::size_t> r2c_axis_;
  std::vector<AxisKind> axes_;
  std::array<double, static_cast<std::size_t>(max_axes)> units_{};
  std::array<double, static_cast<std::size_t>(max_axes)> shifts_{};
  MultiIndex first_;
};

}  // namespace kallima
