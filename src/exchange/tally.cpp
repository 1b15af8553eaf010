// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/tally.hpp"

#include "base/checked.hpp"
#include "layout/pieces.hpp"

#include <algorithm>

namespace kallima {

void TrafficTally::add(Index sender, Index taker, Index elements) {
  const auto add_to = [&](Index& sum) {
    sum = checked_add(sum, elements, "elements that are forwarded");
  };
  add_to(all_.elements);
  ++all_.messages;
  see_piece(elements);
  Figures& out = of_[sender];
  add_to(out.sent);
  ++out.messages_sent;
  Figures& in = of_[taker];
  add_to(in.received);
  ++in.messages_received;
}

void TrafficTally::see_piece(Index elements) {
  all_.largest_message = std::max(all_.largest_message, elements);
}

Traffic TrafficTally::traffic() const {
  Traffic result = all_;
  for (const auto& entry : of_) {
    const Figures& rank = entry.second;
    result.most_sent = std::max(result.most_sent, rank.sent);
    result.most_received = std::max(result.most_received, rank.received);
    result.most_messages_sent = std::max(result.most_messages_sent, rank.messages_sent);
    result.most_messages_received = std::max(result.most_messages_received, rank.messages_received);
  }
  return result;
}

}  // namespace kallima
