// SPDX-License-Identifier: BSD-3-Clause
//
// A layout says which rank holds which element of an array, and in what order it lies in memory.
//
// It is a value: equal on every rank, with no rank and no MPI in it, so that it can be computed,
// printed and compared anywhere, also for machines that are not here. Two forms: a grid (every
// axis is group-cyclic over some processors; slab, pencil, brick, block and cyclic are special
// cases), or a table of boxes, one per rank, which is the only list over ranks anywhere.
//
// Text form, slowest axis in memory first:
//
//     z:block/4 y:all x:cyclic/2       x over 2 ranks cyclically, z in 4 blocks, y whole
//     z:block/4:ceil                   FFTW's rule for uneven blocks
//     x:cycle2/8                       group-cyclic: 4 groups of 2
//     z:block/4@1 y:block/2@4 x:all    rank = 1 * coord(z) + 4 * coord(y)
//     boxes z y x | 0:4 0:8 0:8 | 4:8 0:8 0:8
//     boxes y x | 0:4 0:8 & 4:6 0:4 | none | 4:6 4:8      rank 0 has two boxes, rank 1 none
//     z:block/4 y:all x:all+2          two elements of memory are left free behind each run along x
//     z:block/4~2 y:all~2 x:all~1~3    the part lies inside of a larger array: margins of two
//     elements
//                                      below and above along z and y, of one and three along x
//
// Without @, ranks are numbered with the coordinate of the last axis running fastest. Axes are
// called x for the last, then y, z, w, v, u towards the first.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kallima/axis.hpp"
#include "kallima/export.h"

namespace kallima {

/// Extents of an array, slowest axis of a C array first.
using Shape = std::vector<Index>;

/// Product of the extents, or Overflow.
KALLIMA_API Index volume(const Shape& shape);

/// A shape a user may transform: 1 to 6 axes, extents at least 1, at most 2^62 elements.
/// InvalidShape or Overflow otherwise.
KALLIMA_API void validate_shape(const Shape& shape);

/// Largest number of axes of a problem.
inline constexpr int max_axes = 6;

/// Most elements of a problem.
inline constexpr Index max_elements = Index{1} << 62;

/// Names of the axes of an array: x for the last, then y, z, w, v, u; a0, a1, ... beyond six.
KALLIMA_API std::vector<std::string> axis_names(std::size_t axes);

/// Elements beside a rank's part along one axis, in the array that it lies in: ghost cells, say.
struct Margin {
  Index below = 0;  ///< before the first
  Index above = 0;  ///< behind the last

  friend bool operator==(const Margin&, const Margin&) = default;
};

/// Indices [low, high) along every axis. Empty where some low = high.
struct Box {
  std::vector<Index> low;   ///< first index per axis
  std::vector<Index> high;  ///< one beyond the last index per axis

  friend bool operator==(const Box&, const Box&) = default;
};

/// A part of a rank's array: a product of progressions, and where it lies in memory.
struct LocalPart {
  std::vector<Progression> indices;  ///< global, per axis
  std::vector<Index> strides;        ///< distance in memory between neighbours, per axis
  Index offset = 0;                  ///< place in memory of the first element

  /// Elements.
  [[nodiscard]] Index size() const {
    Index result = 1;
    for (const Progression& along : indices) result *= along.count;
    return result;
  }
};

class BoxTable;  // of the library itself

/// Which rank holds which element, and where. See the head of this file.
class KALLIMA_API Layout {
 public:
  /// The layout of nothing: no axes, one rank.
  Layout() = default;

  /// A grid. Strides must number the ranks 0 .. product of procs - 1 without gaps.
  /// `order` lists the axes from slowest to fastest in memory; empty means 0, 1, 2, ...
  /// InvalidLayout where axes, strides or order contradict themselves.
  static Layout grid(std::vector<Axis> axes, std::vector<int> order = {});

  /// A grid with default strides: the last axis' coordinate runs fastest over the ranks.
  static Layout group_cyclic(const Shape& shape, const std::vector<Index>& procs,
                             const std::vector<Index>& cycles, Rule rule = Rule::balanced);

  /// Every axis in blocks: a brick where all procs exceed 1.
  static Layout block(const Shape& shape, const std::vector<Index>& procs,
                      Rule rule = Rule::balanced);

  /// Every axis distributed cyclically.
  static Layout cyclic(const Shape& shape, const std::vector<Index>& procs);

  /// One axis in blocks, the others whole.
  static Layout slab(const Shape& shape, Index procs, std::size_t axis = 0,
                     Rule rule = Rule::balanced);

  /// `whole` is not cut; `rows` and `columns` processors on the first and second of the others.
  static Layout pencil(const Shape& shape, std::size_t whole, Index rows, Index columns);

  /// A table: rank r holds boxes[r]. The boxes must cover the shape without overlap (empty ones
  /// are allowed); InvalidLayout says where they do not. O(P 2^d log P).
  static Layout boxes(const Shape& shape, std::vector<Box> boxes, std::vector<int> order = {});

  /// The same with any number of boxes on each rank: rank r holds boxes[r], which lie one behind
  /// the other in its memory. Transforms between such layouts go by messages.
  static Layout boxes_of_ranks(const Shape& shape, std::vector<std::vector<Box>> boxes,
                               std::vector<int> order = {});

  /// Reads the text form. ParseError or InvalidLayout say what is wrong with it.
  static Layout parse(std::string_view text, const Shape& shape);
  /// The same, with other names for the axes.
  static Layout parse(std::string_view line, const Shape& shape,
                      const std::vector<std::string>& names);

  /// The text form; parse() restores an equal layout.
  [[nodiscard]] std::string to_text() const;
  /// The text form with other names for the axes.
  [[nodiscard]] std::string to_text(const std::vector<std::string>& names) const;

  /// The text form for people: of more than eight boxes those of the first four ranks, at most four
  /// of each, and how many more there are, which parse() does not read.
  [[nodiscard]] std::string summary() const;
  /// The same with other names for the axes.
  [[nodiscard]] std::string summary(const std::vector<std::string>& names) const;

  /// A map of the owners, for people: at most two axes, the others at index 0.
  [[nodiscard]] std::string picture() const;

  /// Extents of the whole array.
  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// Number of axes.
  [[nodiscard]] std::size_t axes() const { return shape_.size(); }
  /// Ranks it names; higher ones hold nothing.
  [[nodiscard]] Index ranks() const { return ranks_; }
  /// Axes from slowest to fastest in memory.
  [[nodiscard]] const std::vector<int>& order() const { return order_; }
  /// True for a grid, false for a table of boxes.
  [[nodiscard]] bool is_grid() const { return table_ == nullptr; }
  /// One axis of a grid.
  [[nodiscard]] const Axis& axis(std::size_t a) const { return grid_[a]; }
  /// The table of a layout of boxes, ascending by rank; empty for a grid.
  [[nodiscard]] const std::vector<Box>& table() const;
  /// True where boxes are not one per rank. Then a rank has no single part, and local_indices,
  /// local_shape, local_strides and first_offset are not for it (InternalError): parts() is.
  [[nodiscard]] bool several_boxes() const;
  /// What a rank holds: one part, several where it has several boxes, none where it has none.
  [[nodiscard]] std::vector<LocalPart> parts(Index rank) const;
  /// The same, for the library itself: with what finds boxes in it; null for a grid.
  [[nodiscard]] const BoxTable* box_table() const { return table_.get(); }

  /// Indices held by `rank` along axis a; empty beyond ranks(). O(1).
  [[nodiscard]] Progression local_indices(Index rank, std::size_t a) const;
  /// Indices held by `rank`, per axis.
  [[nodiscard]] std::vector<Progression> local_indices(Index rank) const;
  /// Extents of what `rank` holds, by axis (not by memory order).
  [[nodiscard]] Shape local_shape(Index rank) const;
  /// Elements held by `rank`.
  [[nodiscard]] Index local_size(Index rank) const;
  /// Most elements held by any rank. O(1) for a grid, O(P) for boxes.
  [[nodiscard]] Index largest_local_size() const;
  /// Number of ranks that hold at least one element. O(P) for boxes.
  [[nodiscard]] Index active_ranks() const;
  /// Elements of memory that `rank` needs: local_size, what is left free between runs, and margins.
  /// 0 where it holds nothing.
  [[nodiscard]] Index allocated_size(Index rank) const;
  /// Most elements of memory that any rank needs. O(1) for a grid, O(P) for boxes.
  [[nodiscard]] Index largest_allocated_size() const;
  /// Elements left free behind each run along the axis that is fastest in memory.
  [[nodiscard]] Index padding() const { return padding_; }
  /// Margins along axis a. Transforms neither read nor write them, but for those of the input in
  /// place.
  [[nodiscard]] Margin margin(std::size_t a) const {
    return margins_.empty() ? Margin{} : margins_[a];
  }
  /// True where some axis has margins.
  [[nodiscard]] bool has_margins() const { return !margins_.empty(); }
  /// Place in memory of the first element of `rank`: behind the margins below.
  [[nodiscard]] Index first_offset(Index rank) const;
  /// Distance in memory between neighbours along each axis, on `rank`.
  [[nodiscard]] std::vector<Index> local_strides(Index rank) const;
  /// Rank that holds an element. O(1) for a grid, O(P) for boxes.
  [[nodiscard]] Index owner(const std::vector<Index>& index) const;
  /// Place of an element in the memory of its owner.
  [[nodiscard]] Index offset(const std::vector<Index>& index) const;
  /// True where no rank lacks a part of axis a: its transform needs no exchange.
  [[nodiscard]] bool whole(std::size_t a) const;

  /// The same distribution where axis a, which is whole, has another extent; without padding and
  /// margins.
  [[nodiscard]] Layout with_extent(std::size_t a, Index extent) const;
  /// The same, with so many elements left free behind each run along the fastest axis.
  /// InvalidLayout for a negative number.
  [[nodiscard]] Layout with_padding(Index elements) const;
  /// The same, with each rank's part inside of a larger array: so many elements beside it along
  /// each axis. InvalidLayout for negative ones, or another number of axes.
  [[nodiscard]] Layout with_margins(std::vector<Margin> margins) const;
  /// The same, with as many on both sides of every axis.
  [[nodiscard]] Layout with_margins(Index width) const;
  /// The same in memory of its own: neither padding nor margins.
  [[nodiscard]] Layout dense() const;
  /// True where there are neither.
  [[nodiscard]] bool is_dense() const { return padding_ == 0 && margins_.empty(); }
  /// The same places in memory, with padding as a margin above of the fastest axis.
  [[nodiscard]] Layout padding_as_margin() const;
  /// The same for elements that consist of `extent` neighbours in memory each: they make an axis
  /// of their own, in front of the others, whole, and fastest in memory. Padding becomes a margin.
  [[nodiscard]] Layout with_inner_axis(Index extent) const;
  /// The same owners with another order in memory.
  [[nodiscard]] Layout with_order(std::vector<int> order) const;

  /// Equal in all that the text form says. O(P) for boxes, unless one is a copy of the other.
  [[nodiscard]] bool operator==(const Layout& other) const;

 private:
  [[nodiscard]] Index extent_in_memory(std::size_t a, Index count) const;
  [[nodiscard]] LocalPart part_of(std::vector<Progression> indices, Index begin) const;
  void require_one_part() const;
  [[nodiscard]] std::string written(const std::vector<std::string>& names, bool in_short) const;
  [[nodiscard]] bool same_owners_of_boxes(const Layout& other) const;
  [[nodiscard]] Index box_with(const std::vector<Index>& index) const;
  static Layout of_boxes(const Shape& shape, std::vector<Box> boxes,
                         const std::vector<Index>& owners, Index ranks, std::vector<int> order);

  Shape shape_;
  std::vector<Axis> grid_;
  std::shared_ptr<const BoxTable> table_;  // shared by copies
  std::vector<int> order_;
  Index ranks_ = 1;
  Index padding_ = 0;
  std::vector<Margin> margins_;  // empty where there are none
};

/// True where both layouts put every element on the same rank, whatever its order in memory.
KALLIMA_API bool same_owners(const Layout& a, const Layout& b);

}  // namespace kallima
