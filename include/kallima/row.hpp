// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of an array: elements one behind the other along the axis that is fastest in memory, with
// their indices and wavenumbers. Walks over elements are walks over rows, and loops along them:
// what changes from row to row is computed once for each, and the rest costs what a loop by hand
// costs.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

#include "kallima/layout.hpp"
#include "kallima/spectrum.hpp"

namespace kallima {

/// Elements along one axis, with where they are. Refers to elements that belong to someone else.
template <class E>
class Row {
 public:
  /// So many elements, `stride` apart in memory, at these indices.
  Row(E* data, Index size, Index stride, const RowIndices& indices)
      : data_(data), size_(size), stride_(stride), indices_(indices) {}

  /// Number of elements.
  [[nodiscard]] Index size() const { return size_; }
  /// First element.
  [[nodiscard]] E* data() const { return data_; }
  /// Distance of neighbours in memory.
  [[nodiscard]] Index stride() const { return stride_; }
  /// The axis it is along.
  [[nodiscard]] std::size_t axis() const { return indices_.axis(); }
  /// Distance of the global indices of neighbours.
  [[nodiscard]] Index step() const { return indices_.step(); }
  /// The i-th element.
  [[nodiscard]] E& operator[](Index i) const { return data_[i * stride_]; }
  /// Its global index.
  [[nodiscard, gnu::always_inline]] MultiIndex index(Index i) const { return indices_.index(i); }
  /// Its wavenumber; meaningful for a transformed array. Along a row the integers along axis() grow
  /// by equal steps, and those along the other axes are the same.
  [[nodiscard, gnu::always_inline]] Wavenumber wavenumber(Index i) const {
    return indices_.wavenumber(i);
  }
  /// Leaves the first element out, of one or more.
  [[gnu::always_inline]] void pop_front() {
    data_ += stride_;
    --size_;
    indices_.advance();
  }

 private:
  E* data_;
  Index size_;
  Index stride_;
  RowIndices indices_;
};

/// What is done to a row of frequencies: elements so far apart in memory, and their indices. They
/// are complex, of R2RTransform real.
using RowWork =
    std::function<void(void* data, Index size, Index stride, const RowIndices& indices)>;

/// The same from a function of a row, `[](const auto& row)`, or of a wavenumber and an element,
/// `[](const auto& k, auto& value)`. Refers to the function.
template <class E, class Function>
RowWork row_work(Function& function) {
  return [&function](void* data, Index size, Index stride, const RowIndices& indices) {
    const Row<E> row(static_cast<E*>(data), size, stride, indices);
    if constexpr (std::is_invocable_v<Function&, const Row<E>&>) {
      function(row);
    } else if (stride == 1) {
      for (Index i = 0; i < size; ++i) function(row.wavenumber(i), row.data()[i]);
    } else {
      for (Index i = 0; i < size; ++i) function(row.wavenumber(i), row[i]);
    }
  };
}

/// What is done to a row of frequencies with the same row of another array beside it, whose
/// elements are `other_stride` apart.
using RowPairWork =
    std::function<void(void* data, Index size, Index stride, const RowIndices& indices,
                       const void* other, Index other_stride)>;

/// The same from a function of two rows, `[](const auto& row, const auto& other)`, or of a
/// wavenumber and two elements, `[](const auto& k, auto& value, const auto& other)`. Refers to the
/// function.
template <class E, class Function>
RowPairWork row_pair_work(Function& function) {
  return [&function](void* data, Index size, Index stride, const RowIndices& indices,
                     const void* other, Index other_stride) {
    const Row<E> row(static_cast<E*>(data), size, stride, indices);
    const Row<const E> beside(static_cast<const E*>(other), size, other_stride, indices);
    if constexpr (std::is_invocable_v<Function&, const Row<E>&, const Row<const E>&>) {
      function(row, beside);
    } else if (stride == 1 && other_stride == 1) {
      for (Index i = 0; i < size; ++i) {
        function(row.wavenumber(i), row.data()[i], beside.data()[i]);
      }
    } else {
      for (Index i = 0; i < size; ++i) function(row.wavenumber(i), row[i], beside[i]);
    }
  };
}

/// Goes from row to row of what a rank holds, in the order they lie in memory. Rows are along the
/// fastest axis with more than one element. With a spectrum they end where its wavenumbers jump,
/// from positive to negative ones.
class RowCursor {
 public:
  /// At the first row. Keeps pointers to its arguments; without a spectrum, rows have indices only.
  RowCursor(const std::vector<LocalPart>& parts, const std::vector<int>& order,
            const Spectrum* spectrum)
      : part_(parts.data()),
        end_(parts.data() + parts.size()),
        order_(&order),
        spectrum_(spectrum),
        indices_({}, 0, 1) {
    begin_part();
  }

  /// Elements of the row; 0 behind the last row.
  [[nodiscard]] Index size() const { return size_; }
  /// Their distance in memory.
  [[nodiscard]] Index stride() const { return stride_; }
  /// Place in memory of the first.
  [[nodiscard]] Index offset() const { return offset_; }
  /// Indices and wavenumbers.
  [[nodiscard]] const RowIndices& indices() const { return indices_; }

  /// To the next row.
  [[gnu::noinline]] void next() {
    if (size_ < left_) {
      first_ += size_ * indices_.step();
      offset_ += size_ * stride_;
      left_ -= size_;
      size_ = left_;
      move(indices_.axis(), first_);
      return;
    }
    for (std::size_t i = outer_; i-- > 0;) {
      const auto a = static_cast<std::size_t>((*order_)[i]);
      const Progression& other = part_->indices[a];
      const bool last = index_[a] == other.last();
      index_[a] = last ? other.first : index_[a] + other.step;
      row_ += (last ? 1 - other.count : 1) * part_->strides[a];
      if (last && other.count == 1) continue;
      move(a, index_[a]);
      if (!last) return begin_row();
    }
    ++part_;
    begin_part();
  }

 private:
  void begin_part() {
    size_ = 0;
    if (part_ == end_) return;
    std::size_t axis = 0;
    outer_ = order_->size();
    along_ = {0, 1, 1};
    stride_ = 1;
    while (outer_ > 0 && along_.count == 1) {
      axis = static_cast<std::size_t>((*order_)[--outer_]);
      along_ = part_->indices[axis];
      stride_ = part_->strides[axis];
    }
    for (std::size_t a = 0; a < part_->indices.size(); ++a) index_[a] = part_->indices[a].first;
    even_ = spectrum_ ? spectrum_->even_count(along_, axis) : along_.count;
    indices_ = spectrum_ ? spectrum_->row(index_, axis, along_.step)
                         : RowIndices(index_, axis, along_.step);
    first_ = along_.first;
    row_ = part_->offset;
    begin_row();
  }
  void begin_row() {
    offset_ = row_;
    left_ = along_.count;
    size_ = even_;
    if (first_ == along_.first) return;
    first_ = along_.first;
    move(indices_.axis(), first_);
  }
  void move(std::size_t a, Index index) {
    if (spectrum_) {
      spectrum_->move(indices_, a, index);
    } else {
      indices_.move(a, index);
    }
  }

  const LocalPart* part_;
  const LocalPart* end_;
  const std::vector<int>* order_;
  const Spectrum* spectrum_;
  std::size_t outer_ = 0;  // axes slower than that of the rows
  Progression along_;      // along the rows
  Index even_ = 0;         // of which so many before wavenumbers jump
  MultiIndex index_;       // of the first of them
  Index row_ = 0;          // and its place in memory
  Index first_ = 0;        // index along the row of its first element
  Index left_ = 0;         // from there on
  Index offset_ = 0;
  Index size_ = 0;
  Index stride_ = 1;
  RowIndices indices_;
};

}  // namespace kallima
