// SPDX-License-Identifier: BSD-3-Clause
#include "trace_summary.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "base/checked.hpp"

namespace kallima::cli {

namespace {

/// The events of a rank, gathered by what they count for.
struct Gathered {
  std::vector<Interval> all;
  std::vector<Interval> computing;
  std::vector<Interval> waiting;
  std::vector<Interval> in_flight;
  Index bytes_sent = 0;
  Index messages_sent = 0;

  void add(const TraceEvent& event) {
    const Interval interval{event.begin, event.end};
    all.push_back(interval);
    switch (event.activity) {
      case Activity::compute:
        computing.push_back(interval);
        break;
      case Activity::wait:
        bytes_sent = checked_add(bytes_sent, event.bytes, "bytes moved");
        waiting.push_back(interval);
        break;
      case Activity::send:
        bytes_sent = checked_add(bytes_sent, event.bytes, "bytes moved");
        ++messages_sent;
        in_flight.push_back(interval);
        break;
      case Activity::receive:
        in_flight.push_back(interval);
        break;
    }
  }
};

Interval hull(const std::vector<Interval>& intervals) {
  Interval result = intervals.front();
  for (const Interval& interval : intervals) {
    result.begin = std::min(result.begin, interval.begin);
    result.end = std::max(result.end, interval.end);
  }
  return result;
}

RankSummary summary_of_rank(Index rank, const Gathered& gathered, Interval span) {
  const std::vector<Interval> computing = united(gathered.computing);
  const std::vector<Interval> in_flight = united(gathered.in_flight);
  RankSummary result;
  result.rank = rank;
  result.times = {span.end - span.begin, length(computing), length(united(gathered.waiting)),
                  length(in_flight), common_length(computing, in_flight)};
  result.bytes_sent = gathered.bytes_sent;
  result.messages_sent = gathered.messages_sent;
  return result;
}

Times mean_of(const std::vector<RankSummary>& ranks) {
  Times mean;
  constexpr std::array parts = {&Times::whole, &Times::computing, &Times::waiting,
                                &Times::in_flight, &Times::hidden};
  for (double Times::*const part : parts) {
    for (const RankSummary& rank : ranks) mean.*part += rank.times.*part;
    mean.*part /= static_cast<double>(ranks.size());
  }
  return mean;
}

}  // namespace

std::vector<Interval> united(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> result;
  for (const Interval& interval : intervals) {
    if (interval.end <= interval.begin) continue;
    if (result.empty() || interval.begin > result.back().end) {
      result.push_back(interval);
    } else {
      result.back().end = std::max(result.back().end, interval.end);
    }
  }
  return result;
}

double length(const std::vector<Interval>& intervals) {
  double sum = 0.0;
  for (const Interval& interval : intervals) sum += interval.end - interval.begin;
  return sum;
}

double common_length(const std::vector<Interval>& one, const std::vector<Interval>& other) {
  double sum = 0.0;
  auto a = one.begin();
  auto b = other.begin();
  while (a != one.end() && b != other.end()) {
    sum += std::max(0.0, std::min(a->end, b->end) - std::max(a->begin, b->begin));
    if (a->end < b->end) {
      ++a;
    } else {
      ++b;
    }
  }
  return sum;
}

std::vector<Index> runs_of(const std::vector<TraceEvent>& events) {
  std::vector<Index> runs;
  for (const TraceEvent& event : events) runs.push_back(event.run);
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

std::vector<TraceEvent> events_of(const std::vector<TraceEvent>& events, Index run) {
  std::vector<TraceEvent> result;
  std::copy_if(events.begin(), events.end(), std::back_inserter(result),
               [run](const TraceEvent& event) { return event.run == run; });
  return result;
}

RunSummary summary_of(const std::vector<TraceEvent>& events) {
  std::map<Index, Gathered> by_rank;
  for (const TraceEvent& event : events) by_rank[event.rank].add(event);
  RunSummary result;
  result.run = events.front().run;
  std::vector<Interval> spans;
  for (const auto& [rank, gathered] : by_rank) {
    spans.push_back(hull(gathered.all));
    result.ranks.push_back(summary_of_rank(rank, gathered, spans.back()));
    result.bytes_sent = checked_add(result.bytes_sent, gathered.bytes_sent, "bytes moved");
    result.messages_sent += gathered.messages_sent;
  }
  result.mean = mean_of(result.ranks);
  result.span = hull(spans);
  return result;
}

}  // namespace kallima::cli
