// SPDX-License-Identifier: BSD-3-Clause
//
// Which of several ways to do the same is the fastest, learned from runs that are made anyway.
// Pure: ranks bring what they measured to the same reduction, so all of them decide alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kallima/index.hpp"

namespace kallima {

/// The course of learning among so many candidates, one run after the other: rounds in which each
/// of those that are left runs once, every other round backwards. The first round warms up. Behind
/// each of the others ranks reduce what they measured (due()), and candidates far behind the best
/// are left out. It ends after `most_runs`, or when one is left.
class Learning {
 public:
  /// Runs until it is decided, at most.
  static constexpr Index most_runs = 20;
  static constexpr std::size_t most_candidates = 5;

  explicit Learning(std::size_t candidates = 1);

  /// Nothing is learned any more.
  [[nodiscard]] bool done() const { return done_; }
  /// The candidate that runs next; behind the end the one that was chosen.
  [[nodiscard]] std::size_t current() const { return done_ ? chosen_ : order_[turn_]; }
  /// The one that is taken as it stands: before the end the first.
  [[nodiscard]] std::size_t chosen() const { return chosen_; }
  /// A run of current() took so long on this rank; or it has no part in it, and cannot say.
  void add(std::optional<double> seconds);
  /// The round is over: ranks take the minimum of figures() now, then call decide().
  [[nodiscard]] bool due() const { return !done_ && turn_ == order_.size(); }
  /// Nanoseconds of the round, by candidate. A rank measures its own run and its wait for those
  /// that came later; who came last measured the run alone, which is the minimum.
  [[nodiscard]] std::span<std::int64_t> figures() { return round_; }
  void decide();

  /// Runs so far.
  [[nodiscard]] Index runs() const { return runs_; }
  /// Seconds of a candidate, the least of its rounds; 0 where none was counted.
  [[nodiscard]] double seconds(std::size_t candidate) const;

 private:
  void begin_round();

  std::vector<std::size_t> left_;    // candidates
  std::vector<std::size_t> order_;   // of the round
  std::vector<std::int64_t> round_;  // nanoseconds of this rank, by candidate
  std::vector<std::int64_t> least_;  // of all rounds and ranks, by candidate
  std::size_t turn_ = 0;
  Index rounds_;  // begun
  Index runs_ = 0;
  std::size_t chosen_ = 0;
  bool done_;
};

}  // namespace kallima
