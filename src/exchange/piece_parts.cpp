// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/piece_parts.hpp"

namespace kallima {

namespace {

/// Leaves of a block the places that are so many in its order along a digit.
void restrict_to(StridedBlock& block, int digit, const Range& range) {
  Progression& places = block.places[static_cast<std::size_t>(digit)];
  places = Progression::make(places.at(range.begin), places.step, range.size());
}

}  // namespace

PieceParts::PieceParts(const Site& site)
    : exchange_(site.exchange()),
      cutting_(site.plan, site.step),
      parts_(parts_of(exchange_.chunks)) {}

StridedBlock PieceParts::whole(StridedBlock piece, Index offset) const {
  piece.offset = offset;
  piece.strides = dense_strides(piece.places, exchange_.to.order());
  return piece;
}

StridedBlock PieceParts::cut(StridedBlock piece, std::size_t number, const Between& between,
                             Index offset) const {
  const Chunks& chunks = exchange_.chunks;
  const Part& part = parts_[number];
  if (chunks.sent > 1) {
    restrict_to(piece, chunks.sent_digit, cutting_.sent(between.sender, part.first, part.end));
  }
  if (chunks.taken > 1 && !chunks.alike()) {
    restrict_to(piece, chunks.taken_digit,
                cutting_.taken(between.taker, part.taken, part.taken + 1));
  }
  return whole(std::move(piece), offset);
}

Dependency PieceParts::dependency(const PeerBuffer& buffer, std::size_t number, std::size_t part,
                                  bool sending) const {
  return {static_cast<Index>(number), parts_[part].end, parts_[part].taken,
          sending ? buffer.peer_send_offset : buffer.send_offset};
}

}  // namespace kallima
