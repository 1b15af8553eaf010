// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's part of a distributed array, and walks over it by global index or by wavenumber,
// whatever the layout. A view looks at memory that belongs to someone else; an array owns its own.
// Elements are complex (View, Array) or real (RealView, RealArray).
#pragma once

#include <complex>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kallima/buffer.hpp"
#include "kallima/error.hpp"
#include "kallima/layout.hpp"
#include "kallima/row.hpp"
#include "kallima/spectrum.hpp"

namespace kallima {

/// An element with where it is: `for (auto [index, value] : u.indexed()) value = f(index);`
template <class E>
struct IndexedElement {
  MultiIndex index;  ///< global
  E& value;          ///< the element itself
};

/// An element with its wavenumber: `for (auto [k, value] : u_k.wavenumbers()) value *= ...;`
template <class E>
struct WavenumberElement {
  Wavenumber k;  ///< signed
  E& value;      ///< the element itself
};

/// One rank's part of an array in some layout, in memory that belongs to someone else. E is a
/// floating-point type or its complex one.
template <class E>
class BasicView {
 public:
  /// The part of `rank`, with the wavenumbers of a spectrum. InvalidBuffer where `data` is shorter
  /// than the layout says.
  BasicView(std::span<E> data, Layout layout, Index rank, Spectrum spectrum)
      : data_(data),
        layout_(std::move(layout)),
        rank_(rank),
        parts_(layout_.parts(rank)),
        spectrum_(std::move(spectrum)) {
    const Index room = layout_.allocated_size(rank);
    if (static_cast<Index>(data.size()) < room) {
      throw InvalidBuffer("the array has " + std::to_string(data.size()) +
                          " elements, this rank's part takes " + std::to_string(room) +
                          "; allocate layout.allocated_size(rank) elements");
    }
    data_ = data.first(static_cast<std::size_t>(room));
  }
  /// The same where the layout is that of a complex transform, which keeps all frequencies.
  BasicView(std::span<E> data, const Layout& layout, Index rank)
      : BasicView(data, layout, rank, Spectrum(layout.shape())) {}

  /// Row after row in the order they lie in memory.
  class Rows {
   public:
    /// Input iterator.
    class Iterator {
     public:
      using value_type = Row<E>;                          ///< what it yields
      using difference_type = std::ptrdiff_t;             ///< of iterators
      using iterator_category = std::input_iterator_tag;  ///< rows are made on the fly

      /// The first row of a view, with wavenumbers or only with indices.
      Iterator(const BasicView& view, bool wavenumbers)
          : cursor_(1, RowCursor(view.parts_, view.layout_.order(),
                                 wavenumbers ? &view.spectrum_ : nullptr)),
            memory_(view.data()) {}
      /// The row.
      [[nodiscard, gnu::always_inline]] Row<E> operator*() const {
        const RowCursor& at = cursor_.front();
        return {memory_ + at.offset(), at.size(), at.stride(), at.indices()};
      }
      /// The next in memory.
      [[gnu::always_inline]] Iterator& operator++() {
        cursor_.front().next();
        return *this;
      }
      /// The same.
      void operator++(int) { ++*this; }
      /// True behind the last.
      friend bool operator==(const Iterator& a, std::default_sentinel_t /*end*/) {
        return a.cursor_.front().size() == 0;
      }

     private:
      // In memory of its own, so that loops can keep the rest of an iterator in registers.
      std::vector<RowCursor> cursor_;
      E* memory_;
    };

    /// All rows of a view, of which a copy is kept.
    explicit Rows(const BasicView& view) : view_(view) {}
    /// First row. Iterators must not outlive this.
    [[nodiscard]] Iterator begin() const { return Iterator(view_, true); }
    /// Behind the last.
    [[nodiscard]] std::default_sentinel_t end() const { return {}; }

   private:
    BasicView view_;
  };

  /// Walks over elements in the order they lie in memory: along one row after the other.
  template <class Item>
  class Walk {
   public:
    /// Input iterator that makes items on the fly.
    class Iterator {
     public:
      using value_type = Item;                            ///< what it yields
      using difference_type = std::ptrdiff_t;             ///< of iterators
      using iterator_category = std::input_iterator_tag;  ///< items are made on the fly

      /// The first element of a view.
      explicit Iterator(const BasicView& view)
          : rows_(view, !only_indices), row_(*rows_), end_(end_of(row_)) {}
      /// The element.
      [[nodiscard, gnu::always_inline]] Item operator*() const {
        if constexpr (only_indices) {
          return {row_.index(0), row_[0]};
        } else {
          return {row_.wavenumber(0), row_[0]};
        }
      }
      /// The next in memory.
      [[gnu::always_inline]] Iterator& operator++() {
        row_.pop_front();
        if (row_.data() == end_) {
          ++rows_;
          row_ = *rows_;
          end_ = end_of(row_);
        }
        return *this;
      }
      /// The same.
      void operator++(int) { ++*this; }
      /// True behind the last.
      friend bool operator==(const Iterator& a, std::default_sentinel_t /*end*/) {
        return a.row_.data() == a.end_;
      }

     private:
      static constexpr bool only_indices = std::is_same_v<Item, IndexedElement<E>>;

      static E* end_of(const Row<E>& row) { return row.data() + row.size() * row.stride(); }

      typename Rows::Iterator rows_;
      Row<E> row_;  // what is left of it; nothing only behind the last
      E* end_;      // of the row: loops that end by address need not count, too
    };

    /// Over all elements of a view. A copy of the view is kept, so that a loop may be over one that
    /// was made for it: `for (auto [index, value] : fft.view_input(data).indexed())`.
    explicit Walk(const BasicView& view) : view_(view) {}
    /// First element. Iterators must not outlive the walk.
    [[nodiscard]] Iterator begin() const { return Iterator(view_); }
    /// Behind the last.
    [[nodiscard]] std::default_sentinel_t end() const { return {}; }

   private:
    BasicView view_;
  };

  /// Elements with their global indices.
  [[nodiscard]] Walk<IndexedElement<E>> indexed() const { return Walk<IndexedElement<E>>(*this); }
  /// Elements with their wavenumbers; meaningful for a transformed array.
  [[nodiscard]] Walk<WavenumberElement<E>> wavenumbers() const {
    return Walk<WavenumberElement<E>>(*this);
  }
  /// Elements row by row, for loops of which a compiler may do several rounds at once:
  /// `for (auto row : u_k.rows()) for (Index i = 0; i < row.size(); ++i) row[i] *= ...;`
  [[nodiscard]] Rows rows() const { return Rows(*this); }

  /// First element; nullptr where this rank holds none.
  [[nodiscard]] E* data() const { return data_.data(); }
  /// Elements of memory on this rank, padding and margins included.
  [[nodiscard]] std::size_t size() const { return data_.size(); }
  /// First element.
  [[nodiscard]] E* begin() const { return data_.data(); }
  /// Behind the last.
  [[nodiscard]] E* end() const { return data_.data() + data_.size(); }
  /// The i-th element in memory.
  [[nodiscard]] E& operator[](std::size_t i) const { return data_[i]; }
  /// Where every element of the whole array is.
  [[nodiscard]] const Layout& layout() const { return layout_; }
  /// Whose part this is.
  [[nodiscard]] Index rank() const { return rank_; }
  /// Which frequency an index means.
  [[nodiscard]] const Spectrum& spectrum() const { return spectrum_; }

 private:
  std::span<E> data_;
  Layout layout_;
  Index rank_ = 0;
  std::vector<LocalPart> parts_;
  Spectrum spectrum_;
};

/// A view of memory of its own.
template <class E>
class BasicArray : public BasicView<E> {
 public:
  /// Takes over `memory`, which holds this rank's part. Elements start as zero.
  BasicArray(Buffer memory, Layout layout, Index rank, Spectrum spectrum)
      : BasicView<E>(elements(memory), std::move(layout), rank, std::move(spectrum)),
        memory_(std::move(memory)) {
    for (E& value : *this) value = {};
  }

 private:
  static std::span<E> elements(const Buffer& memory) {
    const BufferView bytes = memory.view();
    return {reinterpret_cast<E*>(bytes.data), static_cast<std::size_t>(bytes.bytes) / sizeof(E)};
  }

  Buffer memory_;
};

/// A view of complex elements; T is float or double.
template <class T>
using View = BasicView<std::complex<T>>;
/// A view of real elements.
template <class T>
using RealView = BasicView<T>;
/// Complex elements in memory of their own.
template <class T>
using Array = BasicArray<std::complex<T>>;
/// Real elements in memory of their own.
template <class T>
using RealArray = BasicArray<T>;

/// Memory of complex elements, seen as reals: twice as many. In place, real data lies there.
template <class T>
std::span<T> as_real(std::span<std::complex<T>> data) {
  return {reinterpret_cast<T*>(data.data()), 2 * data.size()};
}

}  // namespace kallima
