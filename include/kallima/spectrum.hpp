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
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "kallima/problem.hpp"
#include "kallima/progression.hpp"

namespace kallima {

/// A global index: one number per axis.
class MultiIndex {
 public:
  /// Of zeros.
  MultiIndex() = default;
  /// Of these numbers, which are 0 beyond the last axis.
  explicit MultiIndex(const std::array<Index, static_cast<std::size_t>(max_axes)>& at) : at_(at) {}

  /// Along axis a, the slowest axis of a C array first.
  [[nodiscard]] Index operator[](std::size_t a) const { return at_[a]; }
  /// Along axis a, to be set.
  [[nodiscard]] Index& operator[](std::size_t a) { return at_[a]; }

  friend bool operator==(const MultiIndex&, const MultiIndex&) = default;

 private:
  std::array<Index, static_cast<std::size_t>(max_axes)> at_{};
};

/// A signed wavenumber: one integer per axis, -(n/2) <= k <= (n-1)/2 in integer division, as
/// NumPy's fftfreq numbers them, and 0 <= k <= n/2 along a r2c axis, as its rfftfreq does; of a
/// truncated axis 0 .. K, and -K .. -1 behind them. With
/// box lengths L the component along an axis is 2 pi k / L. Along an axis of cosines or sines k is
/// the integer below its frequency, and the component pi k / L, of types 3 and 4 pi (k + 1/2) / L;
/// without box lengths k or k + 1/2. Along an axis that is not transformed both are 0.
class Wavenumber {
 public:
  /// The integer along axis a.
  [[nodiscard]] Index operator[](std::size_t a) const { return k_[a]; }
  /// The component along axis a: the integer, or 2 pi k / L where box lengths were given.
  [[nodiscard]] double component(std::size_t a) const { return components_[a]; }
  /// True for the mean.
  [[nodiscard]] bool is_zero() const { return zero_; }
  /// Sum of the squared components.
  [[nodiscard]] double squared() const { return squared_; }
  /// How many elements of the whole spectrum this one stands for: 2 where only one of k and -k is
  /// kept, otherwise 1. Sums over the spectrum are sums over what is kept with this weight.
  [[nodiscard]] int weight() const { return weight_; }

 private:
  friend class RowIndices;
  using Components = std::array<double, static_cast<std::size_t>(max_axes)>;
  Wavenumber(const MultiIndex& k, const Components& components, double squared, bool zero,
             int weight)
      : k_(k), components_(components), squared_(squared), zero_(zero), weight_(weight) {}

  MultiIndex k_;
  Components components_;
  double squared_;
  bool zero_;
  int weight_;
};

/// Indices of a transformed array along one axis: first, first + step, ..., as long as their
/// wavenumbers grow evenly. What is the same for all of them is computed once; of the rest, a loop
/// computes what it asks for.
class RowIndices {
 public:
  /// Indices alone, without end; Spectrum::row() adds wavenumbers, which are 0 here.
  RowIndices(const MultiIndex& first, std::size_t axis, Index step)
      : axis_(axis), step_(step), first_(first) {
    steps_[axis] = step;
  }
  /// The axis it is along.
  [[nodiscard]] std::size_t axis() const { return axis_; }
  /// Distance of neighbours along it.
  [[nodiscard]] Index step() const { return step_; }

  /// Moves to where the first index along axis a is another. Spectrum::move() moves wavenumbers,
  /// too.
  void move(std::size_t a, Index index) { first_[a] = index; }

  /// Moves to where the second index is the first.
  [[gnu::always_inline]] void advance() { advance_all(AllAxes()); }

  /// The i-th index.
  [[nodiscard, gnu::always_inline]] MultiIndex index(Index i) const {
    return index_at(i, AllAxes());
  }
  /// Its wavenumber.
  [[nodiscard, gnu::always_inline]] Wavenumber wavenumber(Index i) const {
    return wavenumber_at(i, AllAxes());
  }

 private:
  friend class Spectrum;
  using AllAxes = std::make_index_sequence<static_cast<std::size_t>(max_axes)>;
  using Components = Wavenumber::Components;

  // Places in arrays are constants here, and nothing asks which axis it is, so that compilers keep
  // what a loop uses in registers and see that it grows evenly.
  template <std::size_t... a>
  [[gnu::always_inline]] void advance_all(std::index_sequence<a...>) {
    k_along_ += k_step_;
    ((first_[a] += steps_[a]), ...);
    ((k_[a] += k_steps_[a]), ...);
  }
  template <std::size_t... a>
  [[nodiscard, gnu::always_inline]] MultiIndex index_at(Index i, std::index_sequence<a...>) const {
    return MultiIndex({(first_[a] + i * steps_[a])...});
  }
  template <std::size_t... a>
  [[nodiscard, gnu::always_inline]] Wavenumber wavenumber_at(Index i,
                                                             std::index_sequence<a...>) const {
    const Index k = k_along_ + i * k_step_;
    const double along = (static_cast<double>(k) + shift_) * unit_;
    return Wavenumber(MultiIndex({(k_[a] + i * k_steps_[a])...}),
                      {(across_[a] + along_[a] * along)...}, across_squared_ + along * along,
                      k == zero_at_, k == alone_ || 2 * k == twice_alone_ ? 1 : weight_);
  }

  static constexpr Index never = std::numeric_limits<Index>::min();

  std::size_t axis_;
  Index step_;
  Index k_along_ = 0;  // along the axis, of the first
  Index k_step_ = 0;
  double shift_ = 0.0;
  double unit_ = 1.0;
  double across_squared_ = 0.0;  // of the other axes
  Index zero_at_ = never;        // wavenumber along the axis of the mean
  Index alone_ = never;          // one along the axis that stands for itself only,
  Index twice_alone_ = never;    // and twice another
  int weight_ = 1;               // of all others
  MultiIndex first_;
  MultiIndex steps_;     // 0 along the other axes
  MultiIndex k_;         // of the first
  MultiIndex k_steps_;   // 0 along the other axes
  Components across_{};  // components; 0 along the axis
  Components along_{};   // 1 along the axis, otherwise 0
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
      Frequencies& along = along_[a];
      const bool halves = is_trigonometric(axes_[a]);
      const double period = (halves ? 1.0 : 2.0) * std::numbers::pi;
      along.unit = lengths.empty() ? 1.0 : period / lengths[a];
      if (axes_[a] == AxisKind::sine_1 || axes_[a] == AxisKind::sine_2) along.first = 1;
      const bool between = axes_[a] == AxisKind::cosine_3 || axes_[a] == AxisKind::cosine_4 ||
                           axes_[a] == AxisKind::sine_3 || axes_[a] == AxisKind::sine_4;
      if (between) along.shift = 0.5;
      shifted_ = shifted_ || between;
      along.transformed = axes_[a] < AxisKind::none;
      along.extent = a == r2c_axis_ ? half_extent(positions_[a]) : positions_[a];
      if (wraps(a) && a != r2c_axis_) along.negative_from = (positions_[a] + 1) / 2;
    }
  }

  /// Of a problem, whose frequencies may be truncated.
  explicit Spectrum(const Problem& problem, const std::vector<double>& lengths = {})
      : Spectrum(problem.shape,
                 problem.real() ? std::optional(problem.r2c_axis_index()) : std::nullopt, lengths,
                 problem.axes) {
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      if (!problem.truncated(a)) continue;
      along_[a].extent = problem.frequencies_along(a);
      along_[a].most = problem.keep[a];
      if (a != r2c_axis_) along_[a].negative_from = problem.keep[a] + 1;
    }
  }

  /// Extents of the array of positions.
  [[nodiscard]] const Shape& positions() const { return positions_; }
  /// The axis of which half is kept; empty where all are whole.
  [[nodiscard]] std::optional<std::size_t> r2c_axis() const { return r2c_axis_; }

  /// Extent of the array of frequencies along an axis.
  [[nodiscard]] Index frequencies_along(std::size_t a) const { return along_[a].extent; }

  /// The wavenumber at an index of the transformed array.
  [[nodiscard]] Wavenumber wavenumber(const MultiIndex& index) const {
    return row(index, positions_.empty() ? 0 : positions_.size() - 1, 1).wavenumber(0);
  }

  /// The indices from `first` on along an axis, in steps; even_count() says how many there may be.
  [[nodiscard]] RowIndices row(const MultiIndex& first, std::size_t axis, Index step) const {
    RowIndices result(first, axis, step);
    result.along_[axis] = 1.0;
    result.k_step_ = along_[axis].transformed ? step : 0;
    result.k_steps_[axis] = result.k_step_;
    result.shift_ = along_[axis].shift;
    result.unit_ = along_[axis].unit;
    if (r2c_axis_ == axis) {
      result.weight_ = 2;
      result.alone_ = 0;
      result.twice_alone_ = positions_[axis];
    }
    for (std::size_t a = 0; a < positions_.size(); ++a) place(result, a, first[a]);
    sum_up(result);
    return result;
  }

  /// Moves a row to where its first index along axis a is another.
  void move(RowIndices& row, std::size_t a, Index index) const {
    place(row, a, index);
    if (a != row.axis_) sum_up(row);
  }

  /// How many of the indices along an axis have wavenumbers that grow evenly, from the first on:
  /// all, or those before the first negative one.
  [[nodiscard]] Index even_count(const Progression& indices, std::size_t axis) const {
    const Index jump = axis < positions_.size() ? along_[axis].negative_from : Frequencies::never;
    if (indices.first >= jump || indices.empty() || indices.last() < jump) return indices.count;
    return (jump - indices.first + indices.step - 1) / indices.step;
  }

  /// Where the wavenumber is in the transformed array: empty where it is not kept, so that the
  /// conjugate of what is at -k stands for it. Wavenumbers are taken modulo the extents, along axes
  /// of cosines and sines as they are; along axes that are not transformed they are indices.
  [[nodiscard]] std::optional<MultiIndex> index_of(const MultiIndex& k) const {
    MultiIndex index;
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      const Index n = positions_[a];
      index[a] = wraps(a) ? ((k[a] % n) + n) % n : k[a] - along_[a].first;
      if (index[a] < 0 || index[a] >= n) return std::nullopt;
      if (a == r2c_axis_ && index[a] > n / 2) return std::nullopt;
      if (index[a] <= along_[a].most) continue;
      index[a] -= n - along_[a].extent;  // of a truncated axis, -K .. -1 lie behind K
      if (a == r2c_axis_ || index[a] <= along_[a].most) return std::nullopt;
    }
    return index;
  }

  /// Where -k is, for the wavenumber k at an index: empty where it is not kept. Along axes of
  /// cosines and sines and such as are not transformed, that is where k is.
  [[nodiscard]] std::optional<MultiIndex> partner(const MultiIndex& index) const {
    MultiIndex k;
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      const Index above = index[a] >= along_[a].negative_from ? along_[a].extent : 0;
      k[a] = wraps(a) ? above - index[a] : index[a] + along_[a].first;
    }
    return index_of(k);
  }

 private:
  [[nodiscard]] bool wraps(std::size_t a) const { return axes_[a] <= AxisKind::real; }

  /// What a row has to know of its first index along an axis.
  void place(RowIndices& row, std::size_t a, Index index) const {
    const Frequencies& along = along_[a];
    Index k = 0;
    if (along.transformed) {
      k = index >= along.negative_from ? index - along.extent : index + along.first;
    }
    row.first_[a] = index;
    row.k_[a] = k;
    if (a == row.axis_) {
      row.k_along_ = k;
    } else {
      row.across_[a] = (static_cast<double>(k) + along.shift) * along.unit;
    }
  }

  /// And of all of them together.
  void sum_up(RowIndices& row) const {
    double sum = 0.0;
    bool zero = !shifted_;
    for (std::size_t a = 0; a < positions_.size(); ++a) {
      sum += row.across_[a] * row.across_[a];
      zero = zero && (a == row.axis_ || row.k_[a] == 0);
    }
    row.across_squared_ = sum;
    row.zero_at_ = zero ? 0 : RowIndices::never;
    if (r2c_axis_ != row.axis_) row.weight_ = is_kept_twice(row.first_) ? 1 : 2;
  }

  /// True where both k and -k are kept, or both are the same.
  [[nodiscard]] bool is_kept_twice(const MultiIndex& index) const {
    if (!r2c_axis_) return true;
    const Index k = index[*r2c_axis_];
    return k == 0 || 2 * k == positions_[*r2c_axis_];
  }

  /// Along one axis.
  struct Frequencies {
    static constexpr Index never = std::numeric_limits<Index>::max();
    Index first = 0;              // wavenumber at index 0
    Index extent = 0;             // of the array of frequencies
    Index most = never;           // largest |k| that is kept
    Index negative_from = never;  // index of the first negative one
    double shift = 0.0;
    double unit = 1.0;
    bool transformed = true;
  };

  Shape positions_;
  std::optional<std::size_t> r2c_axis_;
  std::vector<AxisKind> axes_;
  std::array<Frequencies, static_cast<std::size_t>(max_axes)> along_;
  bool shifted_ = false;  // along some axis
};

}  // namespace kallima
