// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/bruck_rounds.hpp"

#include <algorithm>
#include <map>

#include "exchange/tally.hpp"
#include "layout/peers.hpp"
#include "layout/pieces.hpp"

namespace kallima {

namespace {

/// Ranks beyond which nobody knows all pieces between them.
constexpr Index most_ranks = Index{1} << 10;

/// Ranks with pieces for each other, be it by way of others, in order.
std::vector<Index> group_of(const Layout& from, const Layout& to, Index rank) {
  std::vector<bool> seen(static_cast<std::size_t>(std::max({from.ranks(), to.ranks(), rank + 1})));
  std::vector<Index> group = {rank};
  seen[static_cast<std::size_t>(rank)] = true;
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (const bool sending : {true, false}) {
      for (const Peer& peer :
           sending ? peers_of(from, to, group[i]) : peers_of(to, from, group[i])) {
        if (seen[static_cast<std::size_t>(peer.rank)]) continue;
        seen[static_cast<std::size_t>(peer.rank)] = true;
        group.push_back(peer.rank);
      }
    }
  }
  std::sort(group.begin(), group.end());
  return group;
}

}  // namespace

bool has_bruck(const Site& site) {
  return !site.exchange().hermitian() && !site.several_boxes() && site.plan.ranks() <= most_ranks;
}

Index BruckMessage::size() const {
  Index sum = 0;
  for (const Load& load : loads) sum += load.size;
  return sum;
}

BruckGroup::BruckGroup(const Layout& from, const Layout& to, Index rank)
    : members_(group_of(from, to, rank)) {
  const std::size_t count = members_.size();
  sizes_.resize(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    auto taker = members_.begin();  // peers ascend
    for (const Peer& peer : peers_of(from, to, members_[i])) {
      taker = std::lower_bound(taker, members_.end(), peer.rank);
      sizes_[i * count + static_cast<std::size_t>(taker - members_.begin())] = peer.size;
    }
  }
}

std::size_t BruckGroup::index_of(Index rank) const {
  return static_cast<std::size_t>(std::lower_bound(members_.begin(), members_.end(), rank) -
                                  members_.begin());
}

Index BruckGroup::largest_piece() const { return *std::max_element(sizes_.begin(), sizes_.end()); }

std::size_t BruckGroup::peer_of(const Transfer& way) const {
  return (way.holder + way.digit * way.weight) % members_.size();
}

/// Pieces with a digit, by how far they go in all. So far they went by their lighter digits.
template <class Visit>
void BruckGroup::for_each_load(const Transfer& way, Visit visit) const {
  const std::size_t count = members_.size();
  for (std::size_t block = way.digit * way.weight; block < count; block += way.radix * way.weight) {
    const std::size_t end = std::min(block + way.weight, count);
    for (std::size_t all = block; all < end; ++all) {
      const std::size_t gone = all - block;
      const std::size_t sender = way.holder >= gone ? way.holder - gone : way.holder + count - gone;
      const std::size_t taker = sender + all < count ? sender + all : sender + all - count;
      const Index elements = sizes_[sender * count + taker];
      if (elements > 0) visit(sender, taker, elements);
    }
  }
}

Index BruckGroup::size(const Transfer& way) const {
  Index sum = 0;
  for_each_load(
      way, [&](std::size_t /*sender*/, std::size_t /*taker*/, Index elements) { sum += elements; });
  return sum;
}

BruckMessage BruckGroup::message(const Transfer& way, std::size_t peer) const {
  BruckMessage result;
  result.peer = members_[peer];
  for_each_load(way, [&](std::size_t sender, std::size_t taker, Index elements) {
    result.loads.push_back({members_[sender], members_[taker], elements});
  });
  return result;
}

template <class Visit>
void BruckGroup::for_each_way(std::size_t member, Index radix, Visit visit) const {
  const std::size_t count = members_.size();
  const auto base = static_cast<std::size_t>(radix);
  std::size_t round = 0;
  for (std::size_t weight = 1; weight < count; weight *= base, ++round) {
    for (std::size_t digit = 1; digit < base && digit * weight < count; ++digit) {
      const std::size_t before = (member + count - digit * weight) % count;
      visit(round, Transfer{member, base, weight, digit}, Transfer{before, base, weight, digit});
    }
  }
}

std::vector<BruckRound> BruckGroup::rounds(Index rank, Index radix) const {
  std::vector<BruckRound> result;
  for_each_way(index_of(rank), radix,
               [&](std::size_t round, const Transfer& there, const Transfer& here) {
                 result.resize(round + 1);
                 BruckMessage sent = message(there, peer_of(there));
                 if (!sent.loads.empty()) result[round].sends.push_back(std::move(sent));
                 BruckMessage received = message(here, here.holder);
                 if (!received.loads.empty()) result[round].receives.push_back(std::move(received));
               });
  return result;
}

BruckSpace BruckGroup::allocated_size(Index rank, Index radix) const {
  BruckSpace result;
  std::vector<Index> out;
  for_each_way(index_of(rank), radix,
               [&](std::size_t round, const Transfer& there, const Transfer& here) {
                 out.resize(round + 1);
                 out[round] += size(there);
                 result.in += size(here);
               });
  if (!out.empty()) result.out = *std::max_element(out.begin(), out.end());
  return result;
}

std::vector<BruckSent> BruckGroup::messages(Index radix) const {
  std::vector<BruckSent> result;
  for (std::size_t member = 0; member < members_.size(); ++member) {
    for_each_way(
        member, radix, [&](std::size_t round, const Transfer& there, const Transfer& /*here*/) {
          const Index elements = size(there);
          if (elements > 0)
            result.push_back({round, members_[member], members_[peer_of(there)], elements});
        });
  }
  return result;
}

std::vector<BruckGroup> bruck_groups(const Layout& from, const Layout& to, Index ranks) {
  std::vector<BruckGroup> groups;
  std::vector<bool> seen(static_cast<std::size_t>(ranks));
  for (Index rank = 0; rank < ranks; ++rank) {
    if (seen[static_cast<std::size_t>(rank)]) continue;
    groups.emplace_back(from, to, rank);
    for (const Index member : groups.back().members()) {
      seen[static_cast<std::size_t>(member)] = true;
    }
  }
  return groups;
}

std::vector<BruckSent> bruck_messages(const std::vector<BruckGroup>& groups, Index radix) {
  std::vector<BruckSent> result;
  for (const BruckGroup& group : groups) {
    const std::vector<BruckSent> sent = group.messages(radix);
    result.insert(result.end(), sent.begin(), sent.end());
  }
  return result;
}

Traffic bruck_traffic(const std::vector<BruckGroup>& groups, Index radix) {
  TrafficTally tally;
  for (const BruckGroup& group : groups) tally.see_piece(group.largest_piece());
  for (const BruckSent& message : bruck_messages(groups, radix)) {
    tally.add(message.sender, message.taker, message.elements);
  }
  return tally.traffic();
}

std::vector<NodeTraffic> bruck_traffic_by_node(const std::vector<BruckSent>& messages,
                                               Index ranks_per_node) {
  std::vector<NodeTraffic> result;
  using At = std::pair<std::size_t, Index>;  // round, and rank or node
  std::map<At, NodeTraffic> sent;
  std::map<At, NodeTraffic> received;
  std::map<At, Index> out_of_node;
  std::map<At, Index> into_node;
  for (const BruckSent& message : messages) {
    result.resize(std::max(result.size(), message.round + 1));
    const Index node = message.sender / ranks_per_node;
    const Index other = message.taker / ranks_per_node;
    const bool within = node == other;
    for (NodeTraffic* const mine :
         {&sent[{message.round, message.sender}], &received[{message.round, message.taker}]}) {
      (within ? mine->most_within : mine->most_between) += message.elements;
      ++(within ? mine->most_messages_within : mine->most_messages_between);
    }
    if (within) {
      result[message.round].elements_within += message.elements;
      ++result[message.round].messages_within;
    } else {
      out_of_node[{message.round, node}] += message.elements;
      into_node[{message.round, other}] += message.elements;
    }
  }
  for (const auto* const side : {&sent, &received}) {
    for (const auto& [at, mine] : *side) {
      NodeTraffic& all = result[at.first];
      all.most_within = std::max(all.most_within, mine.most_within);
      all.most_messages_within = std::max(all.most_messages_within, mine.most_messages_within);
      all.most_between = std::max(all.most_between, mine.most_between);
      all.most_messages_between = std::max(all.most_messages_between, mine.most_messages_between);
    }
  }
  for (const auto* const side : {&out_of_node, &into_node}) {
    for (const auto& [at, elements] : *side) {
      result[at.first].most_of_node = std::max(result[at.first].most_of_node, elements);
    }
  }
  return result;
}

}  // namespace kallima
