// SPDX-License-Identifier: BSD-3-Clause
//
// Where the pieces of an exchange lie in a rank's memory, and what is sent from there. Pure: areas
// and offsets, no addresses.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "exchange/area.hpp"
#include "exchange/hermitian.hpp"
#include "exchange/site.hpp"
#include "kallima/progression.hpp"
#include "layout/rounds.hpp"

namespace kallima {

/// A part of the local array that lies in one block of memory. Elements are those of its state,
/// real or complex.
struct StridedBlock {
  Area area = Area::input;
  Index owner = 0;                  ///< rank whose segment it lies in, where the area is a segment;
                                    ///< the field, where fields are separate
  bool conjugated = false;          ///< what lies there is the conjugate
  Index offset = 0;                 ///< elements from the start of the area
  std::vector<Progression> places;  ///< per digit, which places of the local array
  std::vector<Index> strides;       ///< per digit, distance in memory between neighbouring places
  Panels panels = {};               ///< of one digit, where it lies so

  /// From the first element of the block to the i-th place along a digit.
  [[nodiscard]] Index distance(std::size_t digit, Index i) const {
    if (!panels.along(digit)) return i * strides[digit];
    const Index at = i + panels.skip;
    return at / panels.width * panels.stride + at % panels.width * strides[digit];
  }
  /// Places along a digit from the i-th on that lie in one panel, of `count`.
  [[nodiscard]] Index together(std::size_t digit, Index i, Index count) const {
    if (!panels.along(digit)) return count;
    return std::min(count, panels.width - (i + panels.skip) % panels.width);
  }
};

/// A message before it is known where the areas are.
struct MessageSlice {
  Index peer = 0;
  Area area = Area::output;
  Index offset = 0;
  Index size = 0;              ///< elements
  bool real = false;           ///< of real elements
  Dependency dependency = {};  ///< of a pipelined exchange; offset in elements
  Index owner = 0;             ///< rank whose segment it lies in, where the area is one
};

/// What an exchange does at a time: copies some on this rank, then sends and receives.
struct Round {
  /// What stays on this rank: where it is and where it goes.
  struct Kept {
    MessageSlice from;
    MessageSlice to;
  };
  std::vector<Kept> kept;
  std::vector<MessageSlice> sends;     ///< to others, in the order in which they go; any is safe
  std::vector<MessageSlice> receives;  ///< likewise, from others
};

/// The pieces of an exchange on one side.
struct Packed {
  std::vector<StridedBlock> blocks;  ///< all, own one included
  std::vector<MessageSlice> slices;  ///< by peer
};

/// How a user's arrays lie.
struct UserArrays {
  bool in_place = false;         ///< input and output are the same
  bool separate_fields = false;  ///< fields of a batch, axis 0, are behind pointers of their own
};

/// What methods have in common: where a rank's arrays and packed pieces lie.
class BlockPlacer {
 public:
  /// Of a rank whose output area holds `capacity` complex elements; what does not fit it lies in
  /// the workspace from `spill_at` on.
  BlockPlacer(const StepList& plan, Index rank, const UserArrays& arrays, Index capacity,
              Index spill_at)
      : plan_(plan), rank_(rank), arrays_(arrays), capacity_(capacity), spill_at_(spill_at) {}

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] bool in_place() const { return arrays_.in_place; }

  /// The whole local array of a state, in one block; of a rank with several boxes in as many, whose
  /// places are indices of the whole array. Of a user's separate fields in one each.
  [[nodiscard]] std::vector<StridedBlock> array(std::size_t state, Area area) const;
  /// The half spectrum of a state, in rows.
  [[nodiscard]] std::vector<StridedBlock> half_rows(std::size_t state,
                                                    const HermitianExchange& hermitian,
                                                    Area area) const;
  /// Pieces that this rank sends or receives in an exchange, one behind the other by peer; in one
  /// block of memory, or spilling piece by piece. What the rank has on both sides stays at `home`,
  /// where there is one.
  [[nodiscard]] Packed packed(const Site& site, bool sending, Area area, bool in_one_block = false,
                              const std::optional<Area>& home = std::nullopt) const;

  /// True where a state lies in the user's own array: it is the first or the last, but for other
  /// words for it. (Reals need not fill a whole number of complex elements.)
  [[nodiscard]] bool is_users(std::size_t state) const;
  /// True for the side of the exchange of k with n - k that has the axis in digits.
  [[nodiscard]] bool in_digits(std::size_t state) const {
    return plan_.states()[state].digits.size() > plan_.problem().shape.size();
  }
  /// Elements of a state that the output area holds, and where the spill begins, in elements.
  [[nodiscard]] Index capacity(const State& state) const;
  [[nodiscard]] Index spill_at(const State& state) const;

 private:
  [[nodiscard]] std::vector<StridedBlock> boxes(std::size_t state, Area area) const;
  [[nodiscard]] std::vector<StridedBlock> fields(std::size_t state, const StridedBlock& all) const;

  const StepList& plan_;
  Index rank_;
  UserArrays arrays_;
  Index capacity_;
  Index spill_at_;
};

/// What a rank sends or receives in an exchange, by peer, and how it lies in the message.
std::vector<Cut> cuts(const Site& site, bool sending, Index rank);

/// Adds a part of a message that begins at `slice`; but what is at home is on the split side taken
/// from there or left there, and on the other side there already.
void add_part(std::vector<StridedBlock>& blocks, const CutPart& part, const StridedBlock& slice,
              const std::optional<Area>& home, bool split_side);

/// Strides of a dense array of these extents, in a memory order.
std::vector<Index> dense_strides(const std::vector<Progression>& places,
                                 const std::vector<int>& order);

/// Every rank's message for every other one it has something for, in rounds, and what stays.
Round in_one_round(const Packed& sent, const Packed& received, const Site& site, Index rank);

}  // namespace kallima
