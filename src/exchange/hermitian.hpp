// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of k with n - k, for one axis of reals that is split into two digits.
//
// The axis is j = b j1 + j0, n = a b. Transforming j1 first, of reals, gives frequencies k0 of
// which only 0 .. a/2 are kept; transforming j0 then gives k1 and X[k] at k = a k1 + k0, for those
// k0 and all 0 <= k1 < b. That is as much as the half spectrum 0 .. n/2, but not the same half:
// what lacks, k0 > a/2 in the rows k1 < b/2, is the conjugate of what is at n - k, at a - k0 in row
// b - 1 - k1.
//
// With k0 distributed cyclically to p ranks, p dividing a, rank r of the half spectrum (also
// cyclic) has r = k mod p = k0 mod p. So it has its direct part already, and needs the other from
// the one rank that holds a - k0: p - r. Each rank exchanges with one partner, a quarter of n over
// all ranks.
//
// Both sides see a message as its sender on the split side orders it, rows k1, places along k0
// within them; on the other side the mirrored part lies backwards in it. The half spectrum of a
// rank is addressed in rows of a/p elements too: k = a k1 + r + p j is at place (a/p) k1 + j.
#pragma once

#include <optional>
#include <vector>

#include "kallima/steps.hpp"
#include "layout/pieces.hpp"

namespace kallima {

/// Places along a digit that lie in panels: so many neighbours together, the next ones farther off.
struct Panels {
  std::size_t digit = 0;
  Index width = 0;   ///< places of a panel; 0: there are none
  Index stride = 0;  ///< elements from panel to panel
  Index skip = 0;    ///< places of the first panel that are not meant

  [[nodiscard]] bool along(std::size_t d) const { return width > 0 && d == digit; }
};

/// How elements lie in a block of memory.
struct Lying {
  Index offset = 0;            ///< of the first
  std::vector<Index> strides;  ///< by place; may be negative
  Panels panels = {};
};

/// Some elements of a message and where they are in the rank's local array.
struct CutPart {
  std::vector<Progression> places;  ///< by digit; of a Hermitian exchange, split side: along k0,
                                    ///< k1; other side: along rows, within
  Lying in_message;
  bool conjugated = false;         ///< on the split side
  std::optional<Lying> home = {};  ///< in the rank's own half spectrum, where it is not sent
};

/// What one rank has in common with one peer in an exchange: of an ordinary one a piece, which is
/// one part.
struct Cut {
  Index peer = 0;
  Index size = 0;  ///< elements of the message
  std::vector<CutPart> parts;
};

/// True where such an exchange goes from the half spectrum to the split axis.
inline bool to_split_axis(const State& before, const State& after) {
  return after.digits.size() > before.digits.size();
}

/// The exchange between a split axis and its half spectrum.
class HermitianExchange {
 public:
  /// Of the exchange between two states, whichever way it goes.
  static HermitianExchange between(const State& before, const State& after) {
    return HermitianExchange(to_split_axis(before, after) ? after : before);
  }
  /// Of the state on the split side. InternalError where it is not as said above.
  explicit HermitianExchange(const State& split_side);

  /// What `rank` holds on the split side, by peer. Where it is filled from the half spectrum,
  /// `filling`, the elements that are there twice, at 0 and n/2 of k0, take the same ones twice.
  [[nodiscard]] std::vector<Cut> split_side(Index rank, bool filling) const;
  /// What `rank` holds of the half spectrum, by peer.
  [[nodiscard]] std::vector<Cut> half_side(Index rank) const;
  /// Rows of the half spectrum that any rank has, and elements of a row.
  [[nodiscard]] Shape half_rows() const {
    return {full_ + (rows_ % 2 == 0 ? 1 : 0), row_ / procs_};
  }
  /// What travels between different ranks, either way.
  [[nodiscard]] Traffic traffic() const;
  /// The half spectrum's layout.
  [[nodiscard]] Layout half_layout() const;

 private:
  /// Places along k0 on a rank: of all that are kept, and of those whose mirror image lacks.
  [[nodiscard]] Index kept(Index rank) const;
  [[nodiscard]] Index mirrored(Index rank) const;
  [[nodiscard]] Index partner(Index rank) const { return (procs_ - rank) % procs_; }
  /// The rank itself and its partner, ascending, each once; nobody beyond the ranks of the layout.
  [[nodiscard]] std::vector<Index> peers(Index rank) const;
  /// What a rank has on both sides, as the split side sees it.
  [[nodiscard]] std::vector<CutPart> direct_parts(Index rank) const;
  /// The message between a rank of the split side and one of the other.
  [[nodiscard]] Index direct_size(Index rank) const;
  [[nodiscard]] Index mirrored_size(Index rank) const { return lacking_ * mirrored(rank); }
  [[nodiscard]] Index message_size(Index split_rank, Index half_rank) const;

  Index row_;      // a
  Index rows_;     // b
  Index procs_;    // p
  Index full_;     // rows of the half spectrum that have all k0 <= a/2
  Index lacking_;  // rows whose other part is mirrored
};

}  // namespace kallima
