// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "kallima/index.hpp"

namespace kallima {

/// What an exchange moves between different ranks, in elements and messages.
struct Traffic {
  Index elements = 0;                ///< all ranks together
  Index messages = 0;                ///< all ranks together
  Index most_sent = 0;               ///< elements, the busiest sender
  Index most_received = 0;           ///< elements, the busiest receiver
  Index most_messages_sent = 0;      ///< of any rank
  Index most_messages_received = 0;  ///< of any rank
  Index largest_message = 0;  ///< bound on the elements of any one message, own memory included

  /// Elements of the busiest rank: a rank sends and receives at the same time.
  [[nodiscard]] Index most() const { return std::max(most_sent, most_received); }
  /// Likewise messages.
  [[nodiscard]] Index most_messages() const {
    return std::max(most_messages_sent, most_messages_received);
  }

  friend bool operator==(const Traffic&, const Traffic&) = default;
};

}  // namespace kallima
