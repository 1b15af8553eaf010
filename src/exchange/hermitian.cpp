// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/hermitian.hpp"

#include <algorithm>
#include <utility>

#include "kallima/error.hpp"
#include "layout/pieces.hpp"

namespace kallima {

namespace {

constexpr std::size_t k0 = 0;  // digits of the split side
constexpr std::size_t k1 = 1;

Progression run(Index first, Index count) { return Progression::make(first, 1, count); }

Lying lying(Index offset, Index first_stride, Index second_stride) {
  Lying result;
  result.offset = offset;
  result.strides = {first_stride, second_stride};
  return result;
}

CutPart part(const Progression& first, const Progression& second, Lying in_message) {
  CutPart result;
  result.places = {first, second};
  result.in_message = std::move(in_message);
  return result;
}

CutPart conjugated(CutPart part) {
  part.conjugated = true;
  return part;
}

CutPart at_home(CutPart part, Lying home) {
  part.home = std::move(home);
  return part;
}

/// The same with its two places, and how they lie, the other way round.
CutPart turned(CutPart part) {
  std::swap(part.places[0], part.places[1]);
  std::swap(part.in_message.strides[0], part.in_message.strides[1]);
  if (part.home) std::swap(part.home->strides[0], part.home->strides[1]);
  return part;
}

}  // namespace

HermitianExchange::HermitianExchange(const State& split_side) {
  const std::vector<Digit>& digits = split_side.digits;
  const Layout& layout = split_side.layout;
  const bool two = digits.size() == 2 && layout.is_grid() && digits[k0].whole > 0 &&
                   digits[k0].weight == 1 && digits[k1].weight == digits[k0].whole &&
                   digits[k0].axis == digits[k1].axis;
  if (!two) throw InternalError("a Hermitian exchange of what is not one axis in two digits");
  row_ = digits[k0].whole;
  rows_ = layout.shape()[k1];
  const Axis& cyclic = layout.axis(k0);
  procs_ = cyclic.procs;
  if (row_ % procs_ != 0 || (procs_ > 1 && cyclic.cycle != procs_) || !layout.whole(k1) ||
      layout.order() != std::vector<int>{1, 0} || cyclic.n != half_extent(row_)) {
    throw InternalError("a Hermitian exchange of digits that are not distributed cyclically");
  }
  full_ = (rows_ + 1) / 2;
  lacking_ = rows_ / 2;
}

Index HermitianExchange::kept(Index rank) const {
  const Index last = row_ / 2;
  return rank >= procs_ || last < rank ? 0 : (last - rank) / procs_ + 1;
}

Index HermitianExchange::mirrored(Index rank) const {
  const Index last = (row_ - 1) / 2;
  if (rank >= procs_ || last < rank) return 0;
  return (last - rank) / procs_ + (rank == 0 ? 0 : 1);  // 0 is its own image
}

Index HermitianExchange::direct_size(Index rank) const {
  const bool middle = rows_ % 2 == 0 && rank == 0;  // n/2 is alone in its row
  return full_ * kept(rank) + (middle ? 1 : 0);
}

Index HermitianExchange::message_size(Index split_rank, Index half_rank) const {
  return (split_rank == half_rank ? direct_size(split_rank) : 0) +
         (half_rank == partner(split_rank) ? mirrored_size(split_rank) : 0);
}

std::vector<Index> HermitianExchange::peers(Index rank) const {
  if (rank >= procs_) return {};
  const Index other = partner(rank);
  if (other == rank) return {rank};
  return {std::min(rank, other), std::max(rank, other)};
}

std::vector<CutPart> HermitianExchange::direct_parts(Index rank) const {
  const Index places = kept(rank);
  const Index row_stride = row_ / procs_;  // rows of the half spectrum
  std::vector<CutPart> parts;
  parts.push_back(
      at_home(part(run(0, places), run(0, full_), lying(0, 1, places)), lying(0, 1, row_stride)));
  if (rows_ % 2 == 0 && rank == 0) {
    parts.push_back(at_home(part(run(0, 1), run(full_, 1), lying(full_ * places, 1, 1)),
                            lying(full_ * row_stride, 1, 1)));
  }
  return parts;
}

std::vector<Cut> HermitianExchange::split_side(Index rank, bool filling) const {
  std::vector<Cut> result;
  const Index places = kept(rank);
  const Index row_stride = row_ / procs_;  // rows of the half spectrum
  for (const Index peer : peers(rank)) {
    Cut cut{peer, message_size(rank, peer), {}};
    if (cut.size == 0) continue;
    if (peer == rank) {
      cut.parts = direct_parts(rank);
      // X[n - k] of k = a k1 is in row b - k1, of k = a k1 + a/2 in row b - 1 - k1.
      const Index first = rows_ / 2 + 1;
      const Index last = rows_ - first;
      if (filling && rank == 0 && last > 0) {
        cut.parts.push_back(
            conjugated(at_home(part(run(0, 1), run(first, last), lying(last * places, 1, -places)),
                               lying(last * row_stride, 1, -row_stride))));
      }
      const Index middle = places - 1;
      if (filling && row_ % 2 == 0 && row_ / 2 % procs_ == rank && lacking_ > 0) {
        cut.parts.push_back(
            conjugated(at_home(part(run(middle, 1), run(rows_ - lacking_, lacking_),
                                    lying((lacking_ - 1) * places + middle, 1, -places)),
                               lying((lacking_ - 1) * row_stride + middle, 1, -row_stride))));
      }
    }
    const Index images = mirrored(rank);
    if (peer == partner(rank) && lacking_ * images > 0) {
      const Index at = peer == rank ? direct_size(rank) : 0;
      cut.parts.push_back(conjugated(part(run(rank == 0 ? 1 : 0, images),
                                          run(rows_ - lacking_, lacking_), lying(at, 1, images))));
    }
    result.push_back(std::move(cut));
  }
  return result;
}

std::vector<Cut> HermitianExchange::half_side(Index rank) const {
  std::vector<Cut> result;
  for (const Index peer : peers(rank)) {
    Cut cut{peer, message_size(peer, rank), {}};
    if (cut.size == 0) continue;
    if (peer == rank) {
      for (CutPart& direct : direct_parts(rank)) cut.parts.push_back(turned(std::move(direct)));
    }
    const Index images = mirrored(peer);
    if (peer == partner(rank) && lacking_ * images > 0) {
      const Index at = peer == rank ? direct_size(rank) : 0;
      cut.parts.push_back(part(run(0, lacking_), run(kept(rank), images),
                               lying(at + lacking_ * images - 1, -images, -1)));
    }
    result.push_back(std::move(cut));
  }
  return result;
}

Traffic HermitianExchange::traffic() const {
  Traffic moved;
  for (Index rank = 0; rank < procs_; ++rank) {
    for (const Index peer : {rank, partner(rank)}) {
      moved.largest_message = std::max(moved.largest_message, message_size(rank, peer));
    }
    const Index size = mirrored_size(rank);
    if (partner(rank) == rank || size == 0) continue;
    moved.elements += size;
    ++moved.messages;
    moved.most_sent = moved.most_received = std::max(moved.most_sent, size);
    moved.most_messages_sent = moved.most_messages_received = 1;
  }
  return moved;
}

Layout HermitianExchange::half_layout() const {
  return Layout::cyclic({row_ * rows_ / 2 + 1}, {procs_});
}

}  // namespace kallima
