// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/blocks.hpp"
#include "exchange/chunks.hpp"

namespace kallima {

/// Who sends to whom.
struct Between {
  Index sender = 0;
  Index taker = 0;
};

/// The pieces of an exchange, as its messages' parts cut them. In a message they lie in the order
/// of the state behind it.
class PieceParts {
 public:
  explicit PieceParts(const Site& site);

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] const Part& operator[](std::size_t part) const { return parts_[part]; }
  /// All of a piece, at `offset`.
  [[nodiscard]] StridedBlock whole(StridedBlock piece, Index offset) const;
  /// What of it is in one part, at `offset`.
  [[nodiscard]] StridedBlock cut(StridedBlock piece, std::size_t number, const Between& between,
                                 Index offset) const;
  /// When a part of buffer `number` may go, or come.
  [[nodiscard]] Dependency dependency(const PeerBuffer& buffer, std::size_t number,
                                      std::size_t part, bool sending) const;

 private:
  const Exchange& exchange_;
  Cutting cutting_;
  std::vector<Part> parts_;
};

}  // namespace kallima
