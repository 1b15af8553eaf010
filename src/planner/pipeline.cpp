// SPDX-License-Identifier: BSD-3-Clause
//
// A composite move: an exchange together with the sweeps beside it. It starts where the plan of
// single moves is done, since cutting changes neither layouts nor the order of steps.
//
// Sahay's schedule sends every value as soon as it is computed; here a message has a start-up, and
// k* = sqrt(min(Tc, Tn) / (P alpha)) chunks balance it against what filling and draining take. That
// is where the price of all powers of two has its minimum if sweeps and messages were as equal as
// the formula takes them to be; the price itself is as quickly found.
#include "planner/pipeline.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "cost/pipeline.hpp"
#include "exchange/chunks.hpp"
#include "exchange/method.hpp"
#include "schedule/schedule.hpp"

namespace kallima {

namespace {

/// Messages from one rank to all others: beyond this MPI is busy with finding them.
constexpr Index most_messages = Index{1} << 14;

/// What is gained must be more than what predictions are wrong by between two ways to do the same.
constexpr double least_gain = 0.03;

/// Fewer chunks are taken where they cost so little more.
constexpr double negligible = 0.02;

/// The best digit to cut along: the slowest in memory that allows most chunks.
CutDigit best_digit(const std::vector<CutDigit>& digits, int except) {
  CutDigit best{0, 1};
  for (const CutDigit& cut : digits) {
    const Index useful = std::min(cut.most, most_chunks);
    if (cut.digit != except && useful > best.most) best = {cut.digit, useful};
  }
  return best;
}

/// The exchange before this one, if there is but one pass between them.
std::optional<Chunks> chunks_before(const Plan& plan, std::size_t step) {
  std::size_t sweeps = 0;
  for (std::size_t i = step; i-- > 0;) {
    if (const auto* const exchange = std::get_if<Exchange>(&plan.steps()[i])) {
      return sweeps == 1 ? std::optional(exchange->chunks) : std::nullopt;
    }
    const auto* const sweep = std::get_if<Sweep>(&plan.steps()[i]);
    if (sweep != nullptr && !sweep->joined) ++sweeps;
  }
  return std::nullopt;
}

/// The most chunks of a pass: powers of two up to that, from 1.
std::vector<Index> powers_to(Index most) {
  std::vector<Index> result;
  for (Index chunks = 1; chunks <= most; chunks *= 2) result.push_back(chunks);
  return result;
}

/// Elements of the workspace, out of place and in place.
std::array<Index, 2> arrays_of(const Plan& plan) {
  return {largest_workspace(plan, schedule(plan, false)).arrays(),
          largest_workspace(plan, schedule(plan, true)).arrays()};
}

/// The workspace that chunks may have: little more than what the plan has without. Of two exchanges
/// in a row, one would have to lie in the output, where there is no room for parts to pass each
/// other.
std::array<Index, 2> most_arrays(const Plan& plan) {
  const Index more = plan.largest_local_size() / 2;
  const auto [out_of_place, in_place] = arrays_of(plan);
  return {out_of_place + more, in_place + more};
}

/// Every way to cut the exchange at `step` into so many chunks, or where that is 0 into powers of
/// two. The first is to leave it in one piece.
std::vector<Chunks> ways_to_cut(const Plan& plan, std::size_t step, Index wanted) {
  std::vector<Chunks> ways = {Chunks{}};
  const auto* const exchange = std::get_if<Exchange>(&plan.steps()[step]);
  if (exchange == nullptr || exchange->hermitian()) return ways;
  if (!method_of(exchange->method).chunks()) return ways;
  CutDigit taken = best_digit(cut_digits(plan, step, false), -1);
  CutDigit sent = best_digit(cut_digits(plan, step, true), taken.most > 1 ? taken.digit : -1);
  const auto counts = [&](Index most) {
    return wanted == 0 ? powers_to(most) : std::vector<Index>{std::min(most, wanted)};
  };
  std::vector<Index> sent_counts = counts(sent.most);
  // A sweep between two exchanges is cut for both alike, or for one of them.
  const std::optional<Chunks> before = chunks_before(plan, step);
  if (before && before->taken > 1) {
    sent_counts = {1};
    for (const CutDigit& cut : cut_digits(plan, step, true)) {
      if (cut.digit != before->taken_digit || cut.most < before->taken) continue;
      sent = cut;
      sent_counts.push_back(before->taken);
      if (taken.digit == cut.digit) {
        taken = best_digit(cut_digits(plan, step, false), cut.digit);
      }
    }
  }
  const Index peers = std::max<Index>(1, exchange->traffic.most_messages());
  for (const CutDigit& cut : cut_digits_alike(plan, step)) {
    const Index most = std::min(cut.most, most_chunks);
    std::vector<Index> alike = counts(most);
    if (wanted == 0 && alike.back() < most) alike.push_back(most);  // a chunk for each field
    for (const Index k : alike) {
      const bool fits_before =
          !before || before->taken == 1 || (before->taken == k && before->taken_digit == cut.digit);
      if (k > 1 && fits_before && k <= most_messages / peers) {
        ways.push_back({cut.digit, k, cut.digit, k});
      }
    }
  }
  for (const Index k : sent_counts) {
    for (const Index m : counts(taken.most)) {
      const Chunks chunks{sent.digit, k, taken.digit, m};
      const bool sane = chunks.parts() > 1 && chunks.parts() <= most_messages / peers;
      if (sane) ways.push_back(chunks);
    }
  }
  return ways;
}

/// Ways to cut, from the one to be preferred on: those that take negligibly longer than the
/// fastest, fewest chunks on either side first, then the others by what they take. seconds[0] is
/// that of one piece. Few chunks on both sides rather than many on one: what hides behind one sweep
/// alone is the first to show where ranks do not keep step.
std::vector<std::size_t> in_order(const std::vector<Chunks>& ways,
                                  const std::vector<double>& seconds) {
  const double least = *std::min_element(seconds.begin() + 1, seconds.end());
  std::vector<std::size_t> order(ways.size() - 1);
  std::iota(order.begin(), order.end(), std::size_t{1});
  const auto size = [](const Chunks& chunks) {
    return std::pair(std::max(chunks.sent, chunks.taken), chunks.parts());
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double limit = (1. + negligible) * least;
    if (seconds[a] <= limit && seconds[b] <= limit) return size(ways[a]) < size(ways[b]);
    return seconds[a] < seconds[b];
  });
  return order;
}

}  // namespace

std::optional<Plan> pipelined(const Plan& plan, const Machine& machine, Index chunks,
                              Divisions& divisions) {
  if (chunks == 1) return std::nullopt;
  Plan result = plan;
  std::optional<std::array<Index, 2>> most;  // worked out where something is cut
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    if (!std::holds_alternative<Exchange>(plan.steps()[step])) continue;
    const std::vector<Chunks> ways = ways_to_cut(result, step, chunks);
    if (ways.size() == 1) continue;
    const std::vector<double> seconds = seconds_by_chunks(plan, machine, step, ways, divisions);
    for (const std::size_t way : in_order(ways, seconds)) {
      if (chunks == 0 && seconds[way] > (1. - least_gain) * seconds.front()) continue;
      Plan cut = result.with_chunks(step, ways[way]);
      if (!most) most = most_arrays(plan);
      const std::array<Index, 2> arrays = arrays_of(cut);
      if (arrays[0] > (*most)[0] || arrays[1] > (*most)[1]) continue;
      result = std::move(cut);
      break;
    }
  }
  if (result == plan) return std::nullopt;
  return result;
}

}  // namespace kallima
