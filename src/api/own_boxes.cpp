// SPDX-License-Identifier: BSD-3-Clause
#include "api/own_boxes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>

#include "comm/collectives.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

using Numbers = std::vector<std::int64_t>;

/// What a rank brings first.
enum Brings : std::int64_t {
  nothing,  ///< it has no boxes of its own
  boxes,    ///< its boxes follow
  fault     ///< it has found something wrong, and says what itself
};

/// Axes, shape, order and margins, which are the same on all ranks, then how many boxes, then the
/// boxes.
Numbers numbers_of(const OwnBoxes& own, const Shape& shape, int rank) {
  const std::size_t axes = shape.size();
  Layout like = Layout::slab(shape, 1);
  if (!own.order.empty()) like = like.with_order(own.order);
  if (!own.margins.empty()) like = like.with_margins(own.margins);
  Numbers numbers = {boxes, std::ssize(shape)};
  numbers.insert(numbers.end(), shape.begin(), shape.end());
  numbers.insert(numbers.end(), like.order().begin(), like.order().end());
  for (std::size_t a = 0; a < axes; ++a) {
    numbers.insert(numbers.end(), {like.margin(a).below, like.margin(a).above});
  }
  numbers.push_back(std::ssize(own.boxes));
  for (const Box& box : own.boxes) {
    if (box.low.size() != axes || box.high.size() != axes) {
      throw InvalidLayout(fmt::format("the box of rank {} has {} and {} edges for {} axes", rank,
                                      box.low.size(), box.high.size(), axes));
    }
    numbers.insert(numbers.end(), box.low.begin(), box.low.end());
    numbers.insert(numbers.end(), box.high.begin(), box.high.end());
  }
  return numbers;
}

/// The boxes that a rank has brought; none is where `at` begins.
std::vector<Box> boxes_in(const std::int64_t* at, std::size_t axes) {
  std::vector<Box> result(static_cast<std::size_t>(*at++));
  for (Box& box : result) {
    box.low.assign(at, at + axes);
    box.high.assign(at + axes, at + 2 * axes);
    at += 2 * axes;
  }
  return result;
}

/// One of both layouts, out of so many numbers of every rank; 0 where nobody has own boxes.
/// Collective.
void gather(const comm::Communicator& communicator, const Shape& shape, Numbers mine,
            std::size_t most, LayoutChoice& choice, comm::Verdict& verdict) {
  if (most == 0) return;
  const auto ranks = static_cast<std::size_t>(communicator.size);
  Numbers all;
  communicator.or_fail([&] {
    if (verdict.code != ErrorCode::ok) mine = {fault};
    mine.resize(most);
    all.resize(most * ranks);
  });
  comm::all_gather_bytes(communicator, mine.data(), most * sizeof(std::int64_t), all.data());
  verdict.and_then([&] {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (all[rank * most] == fault) return;
    }
    const std::size_t axes = shape.size();
    const std::size_t order_at = 2 + axes;
    const std::size_t margins_at = order_at + axes;
    const std::size_t boxes_at = margins_at + 2 * axes;
    std::vector<std::vector<Box>> of_ranks;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t* const its = all.data() + rank * most;
      if (its[0] == nothing || mine[0] == nothing) {
        throw MismatchedArguments(fmt::format(
            "rank {} gives no box of its own, and others do; give one on every rank, an empty one "
            "where it holds nothing",
            its[0] == nothing ? static_cast<int>(rank) : communicator.rank));
      }
      if (!std::equal(its, its + 2, mine.begin()) ||
          !std::equal(its, its + order_at, mine.begin())) {
        throw MismatchedArguments(fmt::format(
            "rank {} has boxes of an array of {}, rank {} of {}; pass the same shape on "
            "every rank",
            rank, fmt::join(std::span(its + 2, static_cast<std::size_t>(its[1])), "x"),
            communicator.rank, fmt::join(shape, "x")));
      }
      if (!std::equal(its, its + boxes_at, mine.begin())) {
        throw MismatchedArguments(fmt::format(
            "rank {} has its boxes in another order of axes, or with other margins, than "
            "rank {}; give the same on every rank",
            rank, communicator.rank));
      }
      of_ranks.push_back(boxes_in(its + boxes_at, axes));
    }
    const auto at = [&](std::size_t place) {
      return mine.begin() + static_cast<std::ptrdiff_t>(place);
    };
    const std::vector<int> order(at(order_at), at(margins_at));
    std::vector<Margin> margins;
    for (std::size_t a = 0; a < axes; ++a) {
      margins.push_back({mine[margins_at + 2 * a], mine[margins_at + 2 * a + 1]});
    }
    choice = Layout::boxes_of_ranks(shape, std::move(of_ranks), order).with_margins(margins);
  });
}

}  // namespace

void gather_own_boxes(const comm::Communicator& communicator, const Problem& problem,
                      Options& options, comm::Verdict& verdict) {
  const std::array<LayoutChoice*, 2> choices = {&options.in, &options.out};
  std::array<Shape, 2> shapes;
  std::array<Numbers, 2> mine;
  std::array<std::int64_t, 2> most = {0, 0};
  verdict.and_then([&] {
    if (!options.in.own() && !options.out.own()) return;
    problem.validate();
    shapes = {problem.shape, problem.frequency_shape()};
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (!choices[i]->own()) continue;
      mine[i] = numbers_of(*choices[i]->own(), shapes[i], communicator.rank);
      most[i] = std::ssize(mine[i]);
    }
  });
  comm::all_reduce(communicator, most, MPI_MAX);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    gather(communicator, shapes[i], std::move(mine[i]), static_cast<std::size_t>(most[i]),
           *choices[i], verdict);
  }
  if (most[0] > 0 || most[1] > 0) agree(communicator, verdict);
}

}  // namespace kallima
