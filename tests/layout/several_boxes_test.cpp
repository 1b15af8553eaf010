// SPDX-License-Identifier: BSD-3-Clause
//
// Layouts whose ranks have several boxes.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kallima/error.hpp"
#include "kallima/layout.hpp"
#include "layout/peers.hpp"
#include "layout/pieces.hpp"
#include "support/random_boxes.hpp"

namespace kallima {
namespace {

std::vector<std::vector<Box>> dealt(test::Random& random, const Shape& shape, Index ranks) {
  return test::dealt(random, test::random_boxes(random, shape, random.between(1, 16)), ranks);
}

TEST(SeveralBoxes, every_element_has_one_place_and_the_text_restores_the_layout) {
  test::Random random(1);
  for (int number = 0; number < 200; ++number) {
    const Shape shape = {random.between(1, 7), random.between(1, 6), random.between(1, 5)};
    const Index ranks = random.between(1, 5);
    Layout layout = Layout::boxes_of_ranks(shape, dealt(random, shape, ranks), {1, 2, 0});
    if (random.chance(40)) layout = layout.with_margins(random.between(0, 2));
    ASSERT_EQ(Layout::parse(layout.to_text(), shape), layout) << layout.to_text();
    std::vector<std::set<Index>> places(static_cast<std::size_t>(ranks));
    for (Index z = 0; z < shape[0]; ++z) {
      for (Index y = 0; y < shape[1]; ++y) {
        for (Index x = 0; x < shape[2]; ++x) {
          const Index rank = layout.owner({z, y, x});
          const Index offset = layout.offset({z, y, x});
          ASSERT_GE(offset, 0);
          ASSERT_LT(offset, layout.allocated_size(rank));
          EXPECT_TRUE(places[static_cast<std::size_t>(rank)].insert(offset).second);
        }
      }
    }
    for (Index rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(static_cast<Index>(places[static_cast<std::size_t>(rank)].size()),
                layout.local_size(rank));
    }
  }
}

TEST(SeveralBoxes, senders_and_receivers_agree_and_traffic_counts_them) {
  test::Random random(2);
  for (int number = 0; number < 200; ++number) {
    const Shape shape = {random.between(2, 7), random.between(2, 6)};
    const Index ranks = random.between(1, 5);
    const Layout boxes = Layout::boxes_of_ranks(shape, dealt(random, shape, ranks));
    const Layout grid = Layout::slab(shape, std::min(ranks, shape[0]));
    const Layout other = Layout::boxes_of_ranks(shape, dealt(random, shape, ranks));
    for (const auto& [from, to] : {std::pair{boxes, grid}, {grid, boxes}, {boxes, other}}) {
      if (!from.several_boxes() && !to.several_boxes()) continue;
      Traffic counted;
      std::map<Index, Index> received;
      std::map<Index, Index> messages;
      for (Index rank = 0; rank < ranks; ++rank) {
        Index sent = 0;
        Index messages_sent = 0;
        for (const Peer& peer : peers_of(from, to, rank)) {
          EXPECT_EQ(peer.size, common_size(from, rank, to, peer.rank));
          if (peer.rank == rank) continue;
          sent += peer.size;
          ++messages_sent;
          received[peer.rank] += peer.size;
          ++messages[peer.rank];
          counted.largest_message = std::max(counted.largest_message, peer.size);
        }
        counted.elements += sent;
        counted.messages += messages_sent;
        counted.most_sent = std::max(counted.most_sent, sent);
        counted.most_messages_sent = std::max(counted.most_messages_sent, messages_sent);
        // What one sends another receives, piece by piece in the same order.
        for (Index peer = 0; peer < ranks; ++peer) {
          std::vector<std::vector<Progression>> out;
          std::vector<std::vector<Progression>> in;
          for (const BoxPiece& piece : box_pieces(from, to, rank, true)) {
            if (piece.peer == peer) out.push_back(piece.indices);
          }
          for (const BoxPiece& piece : box_pieces(to, from, peer, false)) {
            if (piece.peer == rank) in.push_back(piece.indices);
          }
          EXPECT_EQ(out, in);
        }
      }
      for (const auto& entry : received) {
        counted.most_received = std::max(counted.most_received, entry.second);
      }
      for (const auto& entry : messages) {
        counted.most_messages_received = std::max(counted.most_messages_received, entry.second);
      }
      const Traffic is = traffic(from, to);
      EXPECT_EQ(is.elements, counted.elements);
      EXPECT_EQ(is.messages, counted.messages);
      EXPECT_EQ(is.most_sent, counted.most_sent);
      EXPECT_EQ(is.most_received, counted.most_received);
      EXPECT_EQ(is.most_messages_sent, counted.most_messages_sent);
      EXPECT_EQ(is.most_messages_received, counted.most_messages_received);
    }
  }
}

TEST(SeveralBoxes, that_do_not_tile_the_array_are_refused_by_rank) {
  const Shape shape = {4, 6};
  const auto text_of = [&](std::vector<std::vector<Box>> boxes) -> std::string {
    try {
      (void)Layout::boxes_of_ranks(shape, std::move(boxes));
    } catch (const InvalidLayout& error) {
      return error.what();
    }
    return "";
  };
  const Box left{{0, 0}, {4, 3}};
  const Box right{{0, 3}, {4, 6}};
  const Box corner{{2, 2}, {3, 4}};
  const Box outside{{0, 3}, {4, 7}};
  EXPECT_EQ(text_of({{left, right}, {}}), "");
  EXPECT_NE(text_of({{left}, {right, corner}}).find("ranks 0"), std::string::npos);
  EXPECT_NE(text_of({{left}, {}, {}}).find("3:6 among them"), std::string::npos)
      << text_of({{left}, {}, {}});
  EXPECT_NE(text_of({{left}, {outside}}).find("rank 1 (0:4 3:7) does not lie inside"),
            std::string::npos);
}

}  // namespace
}  // namespace kallima
