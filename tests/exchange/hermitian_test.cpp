// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of k with n - k against its definition: elements are numbered by the k they stand
// for, and carried through slices, there and back.
#include "exchange/hermitian.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <map>

#include "kallima/error.hpp"

namespace kallima {
namespace {

struct Case {
  Index row;
  Index rows;
  Index procs;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (Index procs = 1; procs <= 6; ++procs) {
    for (Index row = procs; row <= 24; row += procs) {
      for (Index rows = 1; rows <= 9; ++rows) {
        if (row > 1) result.push_back({row, rows, procs});
      }
    }
  }
  return result;
}

State split_state(const Case& c) {
  State state;
  state.digits = {{0, 1, DigitKind::frequency, c.row}, {0, c.row, DigitKind::frequency, 0}};
  const Axis cyclic{half_extent(c.row), c.procs, c.procs, 1, Rule::balanced};
  state.layout = Layout::grid({cyclic, Axis{c.rows}}, {1, 0});
  return state;
}

/// A number for X[k], and its conjugate for X[n - k].
std::complex<double> element(Index k, Index n) {
  if (2 * k == n || k == 0) return {static_cast<double>(k), 0.0};
  if (2 * k < n) return {static_cast<double>(k), 1.0};
  return {static_cast<double>(n - k), -1.0};
}

using Memory = std::vector<std::complex<double>>;

/// Calls visit(place in the local array, place in the slice) for the elements of a part.
template <class Visit>
void for_each(const CutPart& part, const std::vector<Index>& strides, Visit visit) {
  for (Index i = 0; i < part.places[0].count; ++i) {
    for (Index j = 0; j < part.places[1].count; ++j) {
      visit(
          part.places[0].at(i) * strides[0] + part.places[1].at(j) * strides[1],
          part.in_message.offset + i * part.in_message.strides[0] + j * part.in_message.strides[1]);
    }
  }
}

/// MessageSlices from one side, by sender and receiver.
using MessageSlices = std::map<std::pair<Index, Index>, Memory>;

void pack(MessageSlices& slices, Index rank, const std::vector<Cut>& list, const Memory& local,
          const std::vector<Index>& strides) {
  for (const Cut& slice : list) {
    Memory& memory = slices[{rank, slice.peer}];
    memory.assign(static_cast<std::size_t>(slice.size), {-1.0, -1.0});
    for (const CutPart& part : slice.parts) {
      for_each(part, strides, [&](Index from, Index to) {
        const std::complex<double> value = local.at(static_cast<std::size_t>(from));
        memory.at(static_cast<std::size_t>(to)) = part.conjugated ? std::conj(value) : value;
      });
    }
  }
}

void unpack(const MessageSlices& slices, Index rank, const std::vector<Cut>& list, Memory& local,
            const std::vector<Index>& strides) {
  for (const Cut& slice : list) {
    const Memory& memory = slices.at({slice.peer, rank});
    ASSERT_EQ(static_cast<Index>(memory.size()), slice.size);
    for (const CutPart& part : slice.parts) {
      for_each(part, strides, [&](Index to, Index from) {
        const std::complex<double> value = memory.at(static_cast<std::size_t>(from));
        local.at(static_cast<std::size_t>(to)) = part.conjugated ? std::conj(value) : value;
      });
    }
  }
}

/// What is at home is the same in both arrays of a rank, but for conjugation.
void check_home(const std::vector<Cut>& list, Index rank, const Memory& local,
                const std::vector<Index>& strides, const Memory& half) {
  for (const Cut& slice : list) {
    for (const CutPart& part : slice.parts) {
      if (slice.peer != rank || !part.home) continue;
      CutPart there = part;
      there.in_message = *part.home;
      for_each(there, strides, [&](Index mine, Index home) {
        const std::complex<double> value = half.at(static_cast<std::size_t>(home));
        EXPECT_EQ(local.at(static_cast<std::size_t>(mine)),
                  part.conjugated ? std::conj(value) : value);
      });
    }
  }
}

void check(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.row << " x " << c.rows << " on " << c.procs);
  const State state = split_state(c);
  const HermitianExchange hermitian(state);
  const Index n = c.row * c.rows;
  const Layout half = hermitian.half_layout();
  ASSERT_EQ(half.shape(), Shape{n / 2 + 1});
  const auto split_memory = [&](Index rank) {
    Memory memory;
    const Progression k0 = state.layout.local_indices(rank, 0);
    for (Index k1 = 0; k1 < c.rows; ++k1) {
      for (Index i = 0; i < k0.count; ++i) memory.push_back(element(c.row * k1 + k0.at(i), n));
    }
    return memory;
  };
  const auto half_memory = [&](Index rank) {
    Memory memory;
    const Progression k = half.local_indices(rank, 0);
    for (Index i = 0; i < k.count; ++i) memory.push_back(element(k.at(i), n));
    return memory;
  };
  const auto split_strides = [&](Index rank) { return state.layout.local_strides(rank); };
  const std::vector<Index> half_strides = {hermitian.half_rows()[1], 1};
  MessageSlices joined_half;
  MessageSlices folded;
  Traffic counted;
  for (Index rank = 0; rank < c.procs; ++rank) {
    pack(joined_half, rank, hermitian.split_side(rank, false), split_memory(rank),
         split_strides(rank));
    pack(folded, rank, hermitian.half_side(rank), half_memory(rank), half_strides);
  }
  for (const auto& [ends, memory] : joined_half) {
    counted.largest_message = std::max(counted.largest_message, static_cast<Index>(memory.size()));
    if (ends.first == ends.second) continue;
    counted.elements += static_cast<Index>(memory.size());
    ++counted.messages;
    counted.most_sent = counted.most_received =
        std::max(counted.most_sent, static_cast<Index>(memory.size()));
    counted.most_messages_sent = counted.most_messages_received = 1;
  }
  EXPECT_EQ(hermitian.traffic(), counted);
  for (Index rank = 0; rank < c.procs; ++rank) {
    check_home(hermitian.split_side(rank, true), rank, split_memory(rank), split_strides(rank),
               half_memory(rank));
    check_home(hermitian.half_side(rank), rank, half_memory(rank), half_strides, half_memory(rank));
    const Memory whole = half_memory(rank);
    Memory got(whole.size(), {-2.0, -2.0});
    unpack(joined_half, rank, hermitian.half_side(rank), got, half_strides);
    EXPECT_EQ(got, whole) << "joined_half on rank " << rank;
    const Memory digits = split_memory(rank);
    Memory back(digits.size(), {-2.0, -2.0});
    unpack(folded, rank, hermitian.split_side(rank, true), back, split_strides(rank));
    EXPECT_EQ(back, digits) << "folded on rank " << rank;
  }
}

TEST(HermitianExchange, brings_every_frequency_where_it_belongs_and_back) {
  for (const Case& c : cases()) {
    check(c);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(HermitianExchange, other_states_are_refused) {
  State state = split_state({8, 4, 2});
  EXPECT_NO_THROW((void)HermitianExchange(state));
  State whole = state;
  whole.digits[0].whole = 0;
  EXPECT_THROW((void)HermitianExchange(whole), InternalError);
  State blocks = state;
  blocks.layout = Layout::grid({Axis{5, 2, 1, 1, Rule::balanced}, Axis{4}}, {1, 0});
  EXPECT_THROW((void)HermitianExchange(blocks), InternalError);
  State turned = state;
  turned.layout = state.layout.with_order({0, 1});
  EXPECT_THROW((void)HermitianExchange(turned), InternalError);
  State uneven = split_state({8, 4, 2});
  uneven.layout = Layout::grid({Axis{5, 3, 3, 1, Rule::balanced}, Axis{4}}, {1, 0});
  EXPECT_THROW((void)HermitianExchange(uneven), InternalError);
}

}  // namespace
}  // namespace kallima
