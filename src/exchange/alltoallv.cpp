// SPDX-License-Identifier: BSD-3-Clause
//
// One MPI_Alltoallv: it wants what it sends, and what it receives, in one block of memory.

#include "exchange/methods.hpp"
#include "steps/digits.hpp"

namespace kallima {

namespace {

/// All has to lie in one block.
class OneBlock final : public BufferSizes {
 public:
  explicit OneBlock(const State& state) : state_(state) {}
  [[nodiscard]] BufferSpace of(Index rank) const override {
    const Index all = in_complex(state_.layout.allocated_size(rank), state_.element);
    return {all, all};
  }

 private:
  const State& state_;
};

class Alltoallv final : public Method {
 public:
  [[nodiscard]] std::unique_ptr<BufferSizes> sizes(const Site& site, bool sending) const override {
    return std::make_unique<OneBlock>(site.mine(sending));
  }
  [[nodiscard]] std::vector<StridedBlock> written(const BlockPlacer& at, const Site& site,
                                                  Access /*access*/, Area area) const override {
    return at.packed(site, true, area, true).blocks;
  }
  [[nodiscard]] std::vector<StridedBlock> read(const BlockPlacer& at, const Site& site,
                                               Access /*access*/, Area area) const override {
    return at.packed(site, false, area, true).blocks;
  }
  [[nodiscard]] std::vector<Round> rounds(const BlockPlacer& at, const Site& site, Area from,
                                          Area to) const override {
    return {in_one_round(at.packed(site, true, from, true), at.packed(site, false, to, true), site,
                         at.rank())};
  }
  [[nodiscard]] Drive drive(const Exchange& /*exchange*/) const override {
    return Drive::alltoallv;
  }
  [[nodiscard]] const char* phase() const override { return "exchange by MPI_Ialltoallv"; }
};

}  // namespace

const Method& alltoallv_method() {
  static const Alltoallv method;
  return method;
}

}  // namespace kallima
