// SPDX-License-Identifier: BSD-3-Clause
#include "layout/box_table.hpp"

#include <algorithm>
#include <numeric>

namespace kallima {

namespace {

constexpr std::size_t leaf_boxes = 4;

bool is_empty(const Box& box) { return box.low == box.high; }  // the normal form of nothing

bool meets(const Box& box, const std::vector<Progression>& part) {
  for (std::size_t a = 0; a < part.size(); ++a) {
    if (part[a].empty() || part[a].first >= box.high[a] || part[a].last() < box.low[a]) {
      return false;
    }
  }
  return true;
}

std::size_t longest_side(const Box& box) {
  std::size_t longest = 0;
  for (std::size_t a = 1; a < box.low.size(); ++a) {
    if (box.high[a] - box.low[a] > box.high[longest] - box.low[longest]) longest = a;
  }
  return longest;
}

}  // namespace

BoxTable::BoxTable(std::vector<Box> boxes) : boxes_(std::move(boxes)) { make_tree(); }

BoxTable::BoxTable(std::vector<Box> boxes, std::vector<Index> owners, Index ranks)
    : boxes_(std::move(boxes)), owners_(std::move(owners)) {
  first_of_rank_.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (const Index owner : owners_) ++first_of_rank_[static_cast<std::size_t>(owner) + 1];
  std::partial_sum(first_of_rank_.begin(), first_of_rank_.end(), first_of_rank_.begin());
  make_tree();
}

void BoxTable::make_tree() {
  for (std::size_t number = 0; number < boxes_.size(); ++number) {
    if (!is_empty(boxes_[number])) numbers_.push_back(static_cast<Index>(number));
  }
  if (!numbers_.empty()) add(0, numbers_.size());
}

std::size_t BoxTable::add(std::size_t begin, std::size_t end) {
  const std::size_t number = nodes_.size();
  nodes_.push_back({begin, end, 0, 0, box(numbers_[begin])});
  for (std::size_t i = begin + 1; i < end; ++i) {
    const Box& other = box(numbers_[i]);
    Box& around = nodes_[number].around;
    for (std::size_t a = 0; a < around.low.size(); ++a) {
      around.low[a] = std::min(around.low[a], other.low[a]);
      around.high[a] = std::max(around.high[a], other.high[a]);
    }
  }
  if (end - begin <= leaf_boxes) return number;
  const std::size_t side = longest_side(nodes_[number].around);
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::size_t i) { return numbers_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end),
                   [&](Index a, Index b) { return box(a).low[side] < box(b).low[side]; });
  const std::size_t left = add(begin, middle);
  const std::size_t right = add(middle, end);
  nodes_[number].left = left;
  nodes_[number].right = right;
  return number;
}

std::vector<Index> BoxTable::meeting(const std::vector<Progression>& part) const {
  std::vector<Index> result;
  std::vector<std::size_t> open;
  if (!nodes_.empty()) open.push_back(0);
  while (!open.empty()) {
    const Node& node = nodes_[open.back()];
    open.pop_back();
    if (!meets(node.around, part)) continue;
    if (node.left > 0) {
      open.push_back(node.left);
      open.push_back(node.right);
      continue;
    }
    for (std::size_t i = node.begin; i < node.end; ++i) {
      if (meets(box(numbers_[i]), part)) result.push_back(numbers_[i]);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace kallima
