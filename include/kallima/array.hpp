// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's part of a distributed array, and walks over it by global index or by wavenumber,
// whatever the layout. A View looks at memory that belongs to someone else; an Array owns its own.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <iterator>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "kallima/buffer.hpp"
#include "kallima/layout.hpp"

namespace kallima {

/// A global index: one number per axis.
class MultiIndex {
 public:
  /// Along axis a, the slowest axis of a C array first.
  [[nodiscard]] Index operator[](std::size_t a) const { return at_[a]; }
  /// Along axis a, to be set.
  [[nodiscard]] Index& operator[](std::size_t a) { return at_[a]; }

 private:
  std::array<Index, static_cast<std::size_t>(max_axes)> at_{};
};

/// A signed wavenumber: one integer per axis, -n/2 <= k < n/2 rounded towards zero for odd n, as
/// NumPy's fftfreq numbers them. With box lengths L the component along an axis is 2 pi k / L.
class Wavenumber {
 public:
  /// The wavenumber of a frequency index in an array of this shape. `units` has one factor per
  /// axis.
  Wavenumber(const MultiIndex& index, const Shape& shape, const std::vector<double>& units)
      : axes_(shape.size()) {
    for (std::size_t a = 0; a < axes_; ++a) {
      k_[a] = index[a] < (shape[a] + 1) / 2 ? index[a] : index[a] - shape[a];
      units_[a] = units[a];
    }
  }

  /// The integer along axis a.
  [[nodiscard]] Index operator[](std::size_t a) const { return k_[a]; }
  /// The component along axis a: the integer, or 2 pi k / L where box lengths were given.
  [[nodiscard]] double component(std::size_t a) const {
    return static_cast<double>(k_[a]) * units_[a];
  }
  /// True for the mean.
  [[nodiscard]] bool is_zero() const {
    bool zero = true;
    for (std::size_t a = 0; a < axes_; ++a) zero = zero && k_[a] == 0;
    return zero;
  }
  /// Sum of the squared components.
  [[nodiscard]] double squared() const {
    double sum = 0.0;
    for (std::size_t a = 0; a < axes_; ++a) sum += component(a) * component(a);
    return sum;
  }

 private:
  std::size_t axes_;
  MultiIndex k_;
  std::array<double, static_cast<std::size_t>(max_axes)> units_{};
};

/// An element with where it is: `for (auto [index, value] : u.indexed()) value = f(index);`
template <class T>
struct IndexedElement {
  MultiIndex index;        ///< global
  std::complex<T>& value;  ///< the element itself
};

/// An element with its wavenumber: `for (auto [k, value] : u_k.wavenumbers()) value *= ...;`
template <class T>
struct WavenumberElement {
  Wavenumber k;            ///< signed
  std::complex<T>& value;  ///< the element itself
};

/// One rank's part of an array in some layout, in memory that belongs to someone else.
template <class T>
class View {
 public:
  /// The part of `rank`. InvalidBuffer where `data` is shorter than the layout says.
  /// `lengths` are the physical extents of the box; empty for none.
  View(std::span<std::complex<T>> data, Layout layout, Index rank,
       const std::vector<double>& lengths = {})
      : data_(data), layout_(std::move(layout)), rank_(rank), part_(layout_.part(rank)) {
    const Index size = layout_.local_size(rank);
    if (static_cast<Index>(data.size()) < size) {
      throw InvalidBuffer("the array has " + std::to_string(data.size()) +
                          " elements, this rank's part has " + std::to_string(size));
    }
    data_ = data.first(static_cast<std::size_t>(size));
    for (std::size_t a = 0; a < layout_.axes(); ++a) {
      units_.push_back(lengths.empty() ? 1.0 : 2.0 * std::numbers::pi / lengths[a]);
    }
  }

  /// Walks over elements in the order they lie in memory.
  template <class Item>
  class Walk {
   public:
    /// Forward iterator that makes items on the fly.
    class Iterator {
     public:
      using value_type = Item;                            ///< what it yields
      using difference_type = std::ptrdiff_t;             ///< of iterators
      using iterator_category = std::input_iterator_tag;  ///< items are made on the fly

      /// At element `at` of the view.
      Iterator(const View* view, Index at) : view_(view), at_(at) {
        if (at == 0 && !view->data_.empty()) {
          for (std::size_t a = 0; a < view->part_.size(); ++a) index_[a] = view->part_[a].first;
        }
      }
      /// The element.
      Item operator*() const { return view_->template make<Item>(index_, at_); }
      /// The next in memory.
      Iterator& operator++() {
        ++at_;
        const std::vector<int>& order = view_->layout_.order();
        for (std::size_t i = order.size(); i-- > 0;) {
          const auto a = static_cast<std::size_t>(order[i]);
          const Progression& part = view_->part_[a];
          if (index_[a] != part.last()) {
            index_[a] += part.step;
            break;
          }
          index_[a] = part.first;
        }
        return *this;
      }
      /// Equal places of the same walk.
      friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

     private:
      const View* view_;
      Index at_;
      MultiIndex index_;
    };

    /// Over all elements of a view, which must outlive it.
    explicit Walk(const View* view) : view_(view) {}
    /// First element.
    [[nodiscard]] Iterator begin() const { return {view_, 0}; }
    /// Behind the last.
    [[nodiscard]] Iterator end() const { return {view_, static_cast<Index>(view_->data_.size())}; }

   private:
    const View* view_;
  };

  /// Elements with their global indices.
  [[nodiscard]] Walk<IndexedElement<T>> indexed() const { return Walk<IndexedElement<T>>(this); }
  /// Elements with their wavenumbers; meaningful for a transformed array.
  [[nodiscard]] Walk<WavenumberElement<T>> wavenumbers() const {
    return Walk<WavenumberElement<T>>(this);
  }

  /// First element; nullptr where this rank holds none.
  [[nodiscard]] std::complex<T>* data() const { return data_.data(); }
  /// Elements on this rank.
  [[nodiscard]] std::size_t size() const { return data_.size(); }
  /// First element.
  [[nodiscard]] std::complex<T>* begin() const { return data_.data(); }
  /// Behind the last.
  [[nodiscard]] std::complex<T>* end() const { return data_.data() + data_.size(); }
  /// The i-th element in memory.
  [[nodiscard]] std::complex<T>& operator[](std::size_t i) const { return data_[i]; }
  /// Where every element of the whole array is.
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Whose part this is.
  [[nodiscard]] Index rank() const { return rank_; }

 private:
  template <class Item>
  Item make(const MultiIndex& index, Index at) const {
    std::complex<T>& value = data_[static_cast<std::size_t>(at)];
    if constexpr (std::is_same_v<Item, IndexedElement<T>>) {
      return {index, value};
    } else {
      return {Wavenumber(index, layout_.shape(), units_), value};
    }
  }

  std::span<std::complex<T>> data_;
  Layout layout_;
  Index rank_;
  std::vector<Progression> part_;
  std::vector<double> units_;
};

/// A view of memory of its own.
template <class T>
class Array : public View<T> {
 public:
  /// Takes over `memory`, which holds this rank's part. Elements start as zero.
  Array(Buffer memory, Layout layout, Index rank, const std::vector<double>& lengths)
      : View<T>(elements(memory), std::move(layout), rank, lengths), memory_(std::move(memory)) {
    for (std::complex<T>& value : *this) value = {};
  }

 private:
  static std::span<std::complex<T>> elements(const Buffer& memory) {
    const BufferView bytes = memory.view();
    return {reinterpret_cast<std::complex<T>*>(bytes.data),
            static_cast<std::size_t>(bytes.bytes) / sizeof(std::complex<T>)};
  }

  Buffer memory_;
};

}  // namespace kallima
