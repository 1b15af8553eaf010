// SPDX-License-Identifier: BSD-3-Clause
#include "api/own_boxes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "comm/collectives.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

/// What is the same on all ranks: the first words of the layout's text.
std::string head_of(const OwnBoxes& own, std::size_t axes) {
  const std::vector<std::string> names = axis_names(axes);
  std::string head = "boxes";
  for (std::size_t i = 0; i < axes; ++i) {
    const auto a = own.order.empty() ? i : static_cast<std::size_t>(own.order[i]);
    head += " " + names[a];
    if (!own.margins.empty()) {
      head += fmt::format("~{}~{}", own.margins[a].below, own.margins[a].above);
    }
  }
  return head;
}

void require_inside(const OwnBoxes& own, const Shape& shape, int rank) {
  const std::size_t axes = shape.size();
  if (!own.order.empty()) (void)Layout::slab(shape, 1).with_order(own.order);  // throws
  if (!own.margins.empty()) (void)Layout::slab(shape, 1).with_margins(own.margins);
  for (const Box& box : own.boxes) {
    bool inside = box.low.size() == axes && box.high.size() == axes;
    for (std::size_t a = 0; a < axes && inside; ++a) {
      inside = 0 <= box.low[a] && box.low[a] <= box.high[a] && box.high[a] <= shape[a];
    }
    if (!inside) {
      throw InvalidLayout(fmt::format(
          "the box of rank {} ({} to {}) does not lie inside {}; give low <= high within "
          "the shape",
          rank, fmt::join(box.low, "x"), fmt::join(box.high, "x"), fmt::join(shape, "x")));
    }
  }
}

/// This rank's boxes as the layout's text has them.
std::string field_of(const OwnBoxes& own, std::size_t axes) {
  std::vector<std::string> boxes;
  for (const Box& box : own.boxes) {
    std::vector<std::string> edges;
    for (std::size_t i = 0; i < axes; ++i) {
      const auto a = own.order.empty() ? i : static_cast<std::size_t>(own.order[i]);
      edges.push_back(fmt::format("{}:{}", box.low[a], box.high[a]));
    }
    boxes.push_back(fmt::format("{}", fmt::join(edges, " ")));
  }
  return boxes.empty() ? "none" : fmt::format("{}", fmt::join(boxes, " & "));
}

/// The texts of all ranks, none longer than `most`. Collective.
std::vector<std::string> gathered(const comm::Communicator& communicator, std::string mine,
                                  std::size_t most) {
  std::vector<std::string> result;
  std::string all;
  communicator.or_fail([&] {
    mine.resize(most, ' ');
    all.resize(most * static_cast<std::size_t>(communicator.size));
  });
  comm::all_gather_bytes(communicator, mine.data(), most, all.data());
  communicator.or_fail([&] {
    for (std::size_t at = 0; at < all.size(); at += most) {
      std::string text = all.substr(at, most);
      text.erase(text.find_last_not_of(' ') + 1);
      result.push_back(std::move(text));
    }
  });
  return result;
}

/// What a rank says that cannot say more.
constexpr const char* fault = "!";

/// One of both layouts. `most`: bytes of the longest text; 0 where nobody has own boxes.
void gather(const comm::Communicator& communicator, const Shape& shape, const std::string& head,
            const std::string& field, std::size_t most, LayoutChoice& choice,
            comm::Verdict& verdict) {
  if (most == 0) return;
  const bool bad = verdict.code != ErrorCode::ok;
  const std::string mine = bad ? fault : field.empty() ? std::string() : head + "|" + field;
  const std::vector<std::string> all = gathered(communicator, mine, most);
  verdict.and_then([&] {
    // Who has found something wrong says so itself.
    if (std::find(all.begin(), all.end(), fault) != all.end()) return;
    std::string text = head;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const std::size_t bar = std::min(all[rank].find('|'), all[rank].size());
      if (bar == all[rank].size()) {
        throw MismatchedArguments(fmt::format(
            "rank {} gives no box of its own, and others do; give one on every rank, an empty one "
            "where it holds nothing",
            rank));
      }
      if (all[rank].substr(0, bar) != head) {
        throw MismatchedArguments(fmt::format(
            "rank {} has its boxes in another order of axes, or with other margins, than "
            "rank {}; give the same on every rank",
            rank, communicator.rank));
      }
      text += " | " + all[rank].substr(bar + 1);
    }
    choice = Layout::parse(text, shape);
  });
}

}  // namespace

void gather_own_boxes(const comm::Communicator& communicator, const Problem& problem,
                      Options& options, comm::Verdict& verdict) {
  struct End {
    LayoutChoice* choice = nullptr;
    Shape shape;
    std::string head;
    std::string field;
  };
  std::array<End, 2> ends;
  ends[0].choice = &options.in;
  ends[1].choice = &options.out;
  std::array<std::int64_t, 2> most = {0, 0};
  verdict.and_then([&] {
    if (!options.in.own() && !options.out.own()) return;
    problem.validate();
    ends[0].shape = problem.shape;
    ends[1].shape = problem.frequency_shape();
    for (std::size_t i = 0; i < ends.size(); ++i) {
      End& end = ends[i];
      const std::optional<OwnBoxes>& own = end.choice->own();
      if (!own) continue;
      require_inside(*own, end.shape, communicator.rank);
      end.head = head_of(*own, end.shape.size());
      end.field = field_of(*own, end.shape.size());
      most[i] = static_cast<std::int64_t>(end.head.size() + 1 + end.field.size());
    }
  });
  comm::all_reduce(communicator, most, MPI_MAX);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    gather(communicator, ends[i].shape, ends[i].head, ends[i].field,
           static_cast<std::size_t>(most[i]), *ends[i].choice, verdict);
  }
  if (most[0] > 0 || most[1] > 0) agree(communicator, verdict);
}

}  // namespace kallima
