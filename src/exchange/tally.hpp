// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "layout/pieces.hpp"

namespace kallima {

/// Counts messages that are listed one by one.
class TrafficTally {
 public:
  void add(Index sender, Index taker, Index elements);
  /// A piece that need not leave its rank: the bound on messages holds for it too.
  void see_piece(Index elements);
  [[nodiscard]] Traffic traffic() const;

 private:
  struct Figures {
    Index sent = 0;
    Index received = 0;
    Index messages_sent = 0;
    Index messages_received = 0;
  };
  std::map<Index, Figures> of_;  // ranks
  Traffic all_;
};

}  // namespace kallima
