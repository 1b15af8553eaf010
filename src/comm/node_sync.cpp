// SPDX-License-Identifier: BSD-3-Clause
#include "comm/node_sync.hpp"

#include <algorithm>
#include <limits>

#include "comm/watchdog.hpp"

namespace kallima::comm {

namespace {

template <class Words>
auto& mark_in(Words& words, Mark mark, std::size_t slot) {
  return words.marks[static_cast<std::size_t>(mark)][slot];
}

}  // namespace

void NodeSync::arrive() { words_[mine_]->arrivals.store(++arrivals_, std::memory_order_release); }

void NodeSync::wait(Watchdog& watchdog) const {
  Backoff backoff(watchdog, Patience::memory());
  for (const NodeWords* const words : words_) {
    while (words->arrivals.load(std::memory_order_acquire) < arrivals_) backoff.idle();
  }
}

void NodeSync::mark(Mark mark, std::size_t slot, std::uint64_t count) {
  mark_in(*words_[mine_], mark, slot).store(count, std::memory_order_release);
}

std::uint64_t NodeSync::marked(Mark mark, std::size_t slot) const {
  return mark_in(*words_[mine_], mark, slot).load(std::memory_order_relaxed);
}

std::uint64_t NodeSync::least(Mark mark, std::size_t slot) const {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const NodeWords* const words : words_) {
    least = std::min(least, mark_in(*words, mark, slot).load(std::memory_order_acquire));
  }
  return least;
}

void NodeSync::fail(const Failure& failure) {
  NodeWords& own = *words_[mine_];
  if (own.failing.exchange(true, std::memory_order_relaxed)) return;
  own.failure = failure;
  own.failed.store(true, std::memory_order_release);
}

const Failure* NodeSync::failure() const {
  for (const NodeWords* const words : words_) {
    if (words->failed.load(std::memory_order_acquire)) return &words->failure;
  }
  return nullptr;
}

}  // namespace kallima::comm
