// SPDX-License-Identifier: BSD-3-Clause
//
// A message per pair of ranks: all in one round of pairs after the other, or pipelined, in parts
// that leave as soon as a chunk of the sweep before is computed (chunks.hpp).
#include <algorithm>

#include "exchange/chunks.hpp"
#include "exchange/methods.hpp"
#include "exchange/piece_parts.hpp"
#include "layout/pieces.hpp"
#include "steps/digits.hpp"

namespace kallima {

namespace {

/// Room for the buffers of a pipelined exchange. Where all ranks hold the same, a bound that does
/// without listing parts.
class PipelinedSizes final : public BufferSizes {
 public:
  explicit PipelinedSizes(const Site& site) : site_(site) {
    if (uniform(site.plan)) {
      largest_part_ = PartBegins(site.plan, site.step).largest();
    } else {
      buffer_sizes_.emplace(site.plan, site.step);
    }
  }

  [[nodiscard]] BufferSpace of(Index rank) const override {
    const PeerBufferSize size = buffer_sizes_ ? buffer_sizes_->of(rank) : bound(rank);
    const Element& element = site_.before().element;
    return {in_complex(size.all, element), in_complex(size.largest, element)};
  }
  [[nodiscard]] bool by_both_sides() const override { return true; }

 private:
  [[nodiscard]] PeerBufferSize bound(Index rank) const {
    const auto with_part = [&](Index size) {
      return size + 1 + static_cast<Index>(largest_part_ * static_cast<double>(size));
    };
    return {with_part(site_.before().layout.local_size(rank)),
            with_part(site_.exchange().traffic.largest_message)};
  }

  Site site_;
  double largest_part_ = 1.;                     // over the message, where all ranks hold the same
  std::optional<PeerBufferSizes> buffer_sizes_;  // where they do not
};

/// Where buffers begin, in elements: one behind the other in their area; from the first on that an
/// output of this capacity has no room for, behind the workspace.
struct Placed {
  bool spills = false;
  Index begin = 0;
};

std::vector<Placed> placed_buffers(const std::vector<PeerBuffer>& buffers, bool in_output,
                                   Index capacity) {
  std::vector<Placed> result;
  Index at = 0;
  Index spilled = 0;
  bool spills = false;
  for (const PeerBuffer& buffer : buffers) {
    spills = spills || (in_output && at + buffer.allocated_size() > capacity);
    Index& next = spills ? spilled : at;
    result.push_back({spills, next});
    next += buffer.allocated_size();
  }
  return result;
}

/// A slice that is one of the parts of a message.
struct NumberedSlice {
  std::size_t part = 0;
  MessageSlice slice;
};

/// By part, and of each part in the order in which ranks take their peers.
std::vector<MessageSlice> in_turns(std::vector<NumberedSlice> slices, Index rank, Index ranks,
                                   bool sending) {
  const auto round = [&](const MessageSlice& slice) {
    return sending ? pipelined_round_of(rank, slice.peer, ranks)
                   : pipelined_round_of(slice.peer, rank, ranks);
  };
  std::sort(slices.begin(), slices.end(), [&](const NumberedSlice& a, const NumberedSlice& b) {
    return a.part != b.part ? a.part < b.part : round(a.slice) < round(b.slice);
  });
  std::vector<MessageSlice> result;
  for (const NumberedSlice& numbered : slices) result.push_back(numbered.slice);
  return result;
}

/// Pieces that a rank sends or receives in a pipelined exchange, part by part in their buffers.
/// MessageSlices are in the order in which they go or come.
Packed in_lanes(const BlockPlacer& at, const Site& site, bool sending, Area area) {
  const Index rank = at.rank();
  const State& before = site.before();
  const PieceParts parts(site);
  const std::vector<PeerBuffer> all = peer_buffers(site.plan, site.step, rank);
  const std::vector<Placed> placed = placed_buffers(all, area == Area::output, at.capacity(before));
  std::vector<NumberedSlice> slices;
  Packed result;
  std::size_t i = 0;  // buffers and pieces are both in the order of peers
  for (const Piece& piece : pieces(site.mine(sending).layout, site.theirs(sending).layout, rank)) {
    while (all[i].peer != piece.peer) ++i;
    const PeerBuffer& buffer = all[i];
    StridedBlock block;
    block.area = placed[i].spills ? Area::workspace : area;
    block.owner = rank;
    block.places = piece.places;
    const Index base = placed[i].begin + (placed[i].spills ? at.spill_at(before) : 0);
    if (buffer.peer == rank) {
      result.blocks.push_back(parts.whole(block, base));
      continue;
    }
    const Between between{sending ? rank : buffer.peer, sending ? buffer.peer : rank};
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Index begin = base + buffer.begin(p, sending);
      result.blocks.push_back(parts.cut(block, p, between, begin));
      slices.push_back({p,
                        {buffer.peer, block.area, begin, buffer.size(p, sending),
                         !before.element.complex, parts.dependency(buffer, i, p, sending), rank}});
    }
  }
  result.slices = in_turns(std::move(slices), rank, site.plan.ranks(), sending);
  return result;
}

class PointToPoint final : public Method {
 public:
  [[nodiscard]] bool chunks() const override { return true; }
  [[nodiscard]] bool considered(Index ranks, const Placement& placement,
                                const Machine& /*machine*/) const override {
    return ranks > 1 || placement.ranks_per_node < 1;
  }
  [[nodiscard]] std::unique_ptr<BufferSizes> sizes(const Site& site, bool sending) const override {
    if (!site.exchange().pipelined()) return Method::sizes(site, sending);
    if (sending) return nullptr;
    return std::make_unique<PipelinedSizes>(site);
  }
  [[nodiscard]] std::vector<StridedBlock> written(const BlockPlacer& at, const Site& site,
                                                  Access access, Area area) const override {
    if (!site.exchange().pipelined()) return Method::written(at, site, access, area);
    return in_lanes(at, site, true, area).blocks;
  }
  [[nodiscard]] std::vector<StridedBlock> read(const BlockPlacer& at, const Site& site,
                                               Access access, Area area) const override {
    if (!site.exchange().pipelined()) return Method::read(at, site, access, area);
    return in_lanes(at, site, false, area).blocks;
  }
  [[nodiscard]] std::vector<Round> rounds(const BlockPlacer& at, const Site& site, Area from,
                                          Area to) const override {
    if (!site.exchange().pipelined()) return Method::rounds(at, site, from, to);
    return {{{}, in_lanes(at, site, true, from).slices, in_lanes(at, site, false, to).slices}};
  }
  [[nodiscard]] const char* phase() const override { return "exchange by point-to-point messages"; }
};

}  // namespace

const Method& point_to_point_method() {
  static const PointToPoint method;
  return method;
}

}  // namespace kallima
