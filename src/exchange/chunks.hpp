// SPDX-License-Identifier: BSD-3-Clause
//
// How an exchange and the sweeps beside it are cut into chunks, and where the parts of its messages
// lie.
//
// A part is what one chunk of the sweep before (or several) and one chunk of the sweep behind have
// in common. Both ranks know all bounds: they follow from the layouts and the tiles. Chunks end on
// tiles, so that a line is computed in the same company, to the same bits, however many there are.
//
// Parts come and go in the same memory: what a rank receives from a peer takes the place of what it
// has sent to it. Outgoing parts lie `send_offset` elements behind incoming ones, so that so many
// can arrive before as many have left: one part per peer is all the memory that hiding takes.
#pragma once

#include <vector>

#include "kallima/steps.hpp"
#include "layout/rank_classes.hpp"

namespace kallima {

/// Places [begin, end) along one digit.
struct Range {
  Index begin = 0;
  Index end = 0;

  [[nodiscard]] Index size() const { return end - begin; }
};

/// Digits beside the swept one, slowest in memory first, in the order in which tiles take lines.
/// Digits of one place come first, so that runs of lines are long.
std::vector<int> line_digits(const Layout& layout, const Sweep& sweep, const Shape& local_shape);

/// Chunks `first` up to `end` of the sweep before, chunk `taken` of the one behind.
struct Part {
  Index first = 0;
  Index end = 1;
  Index taken = 0;
};

/// The parts of every message, in the order in which they are sent.
std::vector<Part> parts_of(const Chunks& chunks);

/// The bounds of an exchange's chunks on every rank.
class Cutting {
 public:
  /// Of the exchange at `step`. InternalError where it cannot be cut so.
  Cutting(const StepList& plan, std::size_t step);

  /// Places along the digit sent, or taken, that chunks [first, end) of a rank are. For a side that
  /// is cut.
  [[nodiscard]] Range sent(Index rank, Index first, Index end) const;
  [[nodiscard]] Range taken(Index rank, Index first, Index end) const;

 private:
  const StepList& plan_;
  std::size_t step_;
  const Chunks& chunks_;
};

/// A digit along which one side of an exchange can be cut, and into how many chunks at most.
struct CutDigit {
  int digit = 0;
  Index most = 1;
};

/// Digits along which the sweep before the exchange at `step` can be cut, the slowest in memory
/// first; or the sweep behind it. None where that is no sweep. O(classes of ranks).
std::vector<CutDigit> cut_digits(const StepList& plan, std::size_t step, bool sending);

/// Digits along which both sweeps beside the exchange at `step` can be cut alike, the slowest in
/// memory first. O(classes of ranks).
std::vector<CutDigit> cut_digits_alike(const StepList& plan, std::size_t step);

/// What goes between a rank and one peer, in elements.
struct PeerBuffer {
  Index peer = 0;
  Index send_offset = 0;       ///< outgoing parts begin so far behind incoming ones
  Index peer_send_offset = 0;  ///< the same at the peer
  std::vector<Index> out;      ///< where outgoing parts begin, without `send_offset`, and the end
  std::vector<Index> in;       ///< where incoming parts begin, and the end

  /// With as much between the two as their parts want.
  static PeerBuffer between(Index peer, std::vector<Index> out, std::vector<Index> in);

  /// Elements of memory.
  [[nodiscard]] Index allocated_size() const;
  /// Where an outgoing or incoming part begins, and its size.
  [[nodiscard]] Index begin(std::size_t part, bool sending) const {
    return sending ? send_offset + out[part] : in[part];
  }
  [[nodiscard]] Index size(std::size_t part, bool sending) const {
    return sending ? out[part + 1] - out[part] : in[part + 1] - in[part];
  }
};

/// How messages divide into parts.
class PartBegins {
 public:
  /// Of the exchange at `step`. InternalError where it cannot be cut so.
  PartBegins(const StepList& plan, std::size_t step);

  /// Where the parts of a message of so many elements begin, and the end.
  [[nodiscard]] std::vector<Index> begins(Index sender, Index taker, Index elements) const;
  /// Their sizes.
  [[nodiscard]] std::vector<Index> sizes(Index sender, Index taker, Index elements) const;
  /// The largest part of a message that rank 0 would send itself, over the whole message: where all
  /// ranks hold the same, as of every message.
  [[nodiscard]] double largest() const;

 private:
  /// In units of what is common to all parts.
  [[nodiscard]] std::vector<Index> between(Index sender, Index taker) const;
  /// Places of the chunks of one side on a rank.
  [[nodiscard]] std::vector<Range> chunks_on(bool sending, Index rank) const;

  const StepList& plan_;
  std::size_t step_;
  const Chunks& chunks_;
  std::vector<Part> parts_;
};

/// The buffers of a rank in the exchange at `step`, by peer, the rank itself included: what it
/// keeps is one part and stays. O(peers parts).
std::vector<PeerBuffer> peer_buffers(const StepList& plan, std::size_t step, Index rank);

/// Memory that buffers of a rank take, in elements.
struct PeerBufferSize {
  Index all = 0;
  Index largest = 0;

  friend bool operator==(const PeerBufferSize&, const PeerBufferSize&) = default;
};

/// What peer_buffers() has room for on any rank, by classes of peers instead of by peer.
class PeerBufferSizes {
 public:
  /// Of the pipelined exchange at `step`.
  PeerBufferSizes(const StepList& plan, std::size_t step);

  /// O(classes of peers, parts).
  [[nodiscard]] PeerBufferSize of(Index rank) const;

 private:
  [[nodiscard]] PeerBuffer buffer(Index rank, Index peer) const;

  const Layout& from_;
  const Layout& to_;
  PartBegins part_begins_;
  PeerClasses peers_;
};

}  // namespace kallima
