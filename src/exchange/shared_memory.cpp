// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that all ranks share: nothing moves. The sweep before leaves its result in the rank's own
// segment, ranks wait for each other, and the sweep behind reads the segments of all, where it also
// writes what goes back to the same places. What changes owner counts as moved, in no messages.
#include "exchange/methods.hpp"
#include "layout/pieces.hpp"
#include "machine/figures.hpp"

namespace kallima {

namespace {

/// What a rank holds of `mine`, where it lies in the segments of the ranks that hold `theirs`.
std::vector<StridedBlock> in_arrays(const Layout& mine, const Layout& theirs, Index rank,
                                    Area area) {
  std::vector<StridedBlock> blocks;
  for (const Piece& piece : pieces(mine, theirs, rank)) {
    StridedBlock block;
    block.area = area;
    block.owner = piece.peer;
    block.places = piece.places;
    const std::vector<Index> strides = theirs.local_strides(piece.peer);
    for (std::size_t d = 0; d < strides.size(); ++d) {
      const Progression held = theirs.local_indices(piece.peer, d);
      const Progression at = places(held, intersect(mine.local_indices(rank, d), held));
      block.offset += at.first * strides[d];
      block.strides.push_back(at.step * strides[d]);
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

/// Where what a rank holds on both sides of the exchange of k with n - k stays: in the user's own
/// array, if the half spectrum is that.
std::optional<Area> home(const BlockPlacer& at, const Site& site) {
  if (!site.exchange().hermitian()) return std::nullopt;
  const std::size_t half = at.in_digits(site.step) ? site.step + 2 : site.step - 1;
  if (site.plan.states()[half].layout.has_margins()) return std::nullopt;
  if (at.in_digits(site.step) && at.is_users(site.step + 2)) return Area::output;
  if (at.in_digits(site.step + 1) && at.is_users(site.step - 1)) {
    return at.in_place() ? Area::output : Area::input;
  }
  return std::nullopt;
}

/// What a rank takes, where each of the others packed it in its segment.
std::vector<StridedBlock> in_packed_segments(const BlockPlacer& at, const Site& site, Area area) {
  const std::optional<Area> kept = home(at, site);
  std::vector<StridedBlock> blocks;
  for (const Cut& cut : cuts(site, false, at.rank())) {
    Index before = 0;
    for (const Cut& sent : cuts(site, true, cut.peer)) {
      if (sent.peer == at.rank()) break;
      before += sent.size;
    }
    for (const CutPart& part : cut.parts) {
      add_part(blocks, part, {area, cut.peer, part.conjugated, before, {}, {}}, kept,
               at.in_digits(site.step + 1));
    }
  }
  return blocks;
}

/// What changes owner between a rank and others: for the count alone.
std::vector<MessageSlice> counted(const Site& site, bool sending, Index rank) {
  std::vector<MessageSlice> slices;
  for (const Cut& cut : cuts(site, sending, rank)) {
    if (cut.peer == rank) continue;
    slices.push_back({cut.peer, Area::segment, 0, cut.size, !site.before().element.complex});
  }
  return slices;
}

class SharedMemory final : public Method {
 public:
  [[nodiscard]] bool fits(Index ranks, const Placement& /*planned*/,
                          const NodesHere& here) const override {
    return here.ranks_per_node >= ranks;
  }
  [[nodiscard]] bool considered(Index ranks, const Placement& placement,
                                const Machine& machine) const override {
    return placement.ranks_per_node >= ranks && (ranks == 1 || machine->shared_memory.available);
  }
  [[nodiscard]] Traffic traffic(const Site& site) const override {
    Traffic result = Method::traffic(site);
    result.messages = result.most_messages_sent = result.most_messages_received = 0;
    return result;
  }
  [[nodiscard]] Holding holding() const override { return Holding::arrays; }
  [[nodiscard]] std::unique_ptr<BufferSizes> sizes(const Site& site, bool sending) const override {
    return sending ? Method::sizes(site, sending) : nullptr;
  }
  [[nodiscard]] std::vector<StridedBlock> written(const BlockPlacer& at, const Site& site,
                                                  Access access, Area area) const override {
    if (access == Access::peers) {
      return in_arrays(site.before().layout, site.after().layout, at.rank(), area);
    }
    return at.packed(site, true, area, false, home(at, site)).blocks;
  }
  [[nodiscard]] std::vector<StridedBlock> read(const BlockPlacer& at, const Site& site,
                                               Access access, Area area) const override {
    if (access == Access::peers) {
      return in_arrays(site.after().layout, site.before().layout, at.rank(), area);
    }
    return in_packed_segments(at, site, area);
  }
  [[nodiscard]] std::vector<Round> rounds(const BlockPlacer& at, const Site& site, Area /*from*/,
                                          Area /*to*/) const override {
    return {{{}, counted(site, true, at.rank()), counted(site, false, at.rank())}};
  }
  [[nodiscard]] ExchangeCost cost(const Site& /*site*/, const Pricing& pricing) const override {
    ExchangeCost result;
    result.used.push_back({pricing.machine->shared_memory.barrier,
                           static_cast<double>(pricing.ranks), "ranks that meet"});
    result.cost = barrier_cost(pricing.setting(pricing.ranks));
    return result;
  }
  [[nodiscard]] double estimate(const Setting& setting, const Layout& /*from*/,
                                const Layout& /*to*/, Index /*bytes*/) const override {
    return barrier_cost(setting).total();
  }
  [[nodiscard]] Drive drive(const Exchange& /*exchange*/) const override { return Drive::barrier; }
  [[nodiscard]] const char* phase() const override {
    return "barrier of an exchange by shared memory";
  }
};

}  // namespace

const Method& shared_memory_method() {
  static const SharedMemory method;
  return method;
}

}  // namespace kallima
