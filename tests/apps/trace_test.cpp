// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kallima/error.hpp"
#include "texts.hpp"
#include "timeline.hpp"
#include "trace_file.hpp"
#include "trace_summary.hpp"

namespace kallima::cli {

namespace {

using Intervals = std::vector<Interval>;

TraceEvent event(Index rank, Activity activity, double begin, double end, Index bytes = 0) {
  TraceEvent result;
  result.rank = rank;
  result.activity = activity;
  result.name = "sweep x";
  result.begin = begin;
  result.end = end;
  result.bytes = bytes;
  return result;
}

TEST(Intervals, are_united) {
  EXPECT_EQ(united({}), Intervals());
  EXPECT_EQ(united({{2, 2}, {5, 4}}), Intervals());
  EXPECT_EQ(united({{4, 6}, {0, 1}, {1, 2}, {5, 9}, {6, 7}}), (Intervals{{0, 2}, {4, 9}}));
  EXPECT_EQ(length({{0, 2}, {4, 9}}), 7);
}

TEST(Intervals, have_times_in_common) {
  const Intervals one = {{0, 2}, {4, 9}, {20, 30}};
  EXPECT_EQ(common_length(one, {}), 0);
  EXPECT_EQ(common_length(one, one), 17);
  EXPECT_EQ(common_length(one, {{1, 5}, {6, 7}, {8, 21}}), 1 + 1 + 1 + 1 + 1);
  EXPECT_EQ(common_length({{1, 5}, {6, 7}, {8, 21}}, one), 5);
  EXPECT_EQ(common_length({{0, 1}}, {{1, 2}}), 0);
}

TEST(Summaries, are_what_one_counts_by_hand) {
  const std::vector<TraceEvent> events = {
      event(1, Activity::compute, 3, 5), event(0, Activity::compute, 1, 4),
      event(0, Activity::wait, 4, 8), event(0, Activity::compute, 8, 11),
      // In flight from 2 to 7 and from 9 to 10; the rank computes from 2 to 4 and 9 to 10 of it.
      event(0, Activity::send, 2, 5, 100), event(0, Activity::send, 3, 6, 20),
      event(0, Activity::receive, 4, 7, 3000), event(0, Activity::receive, 9, 10, 50000)};
  const RunSummary run = summary_of(events);
  ASSERT_EQ(run.ranks.size(), 2U);
  const RankSummary& first = run.ranks.front();
  EXPECT_EQ(first.rank, 0);
  EXPECT_EQ(first.times.whole, 10);
  EXPECT_EQ(first.times.computing, 6);
  EXPECT_EQ(first.times.waiting, 4);
  EXPECT_EQ(first.times.in_flight, 6);
  EXPECT_EQ(first.times.hidden, 3);
  EXPECT_EQ(first.bytes_sent, 120);
  EXPECT_EQ(first.messages_sent, 2);
  EXPECT_EQ(run.ranks.back().times.whole, 2);
  EXPECT_EQ(run.mean.whole, 6);
  EXPECT_EQ(run.mean.hidden, 1.5);
  EXPECT_EQ(run.span, (Interval{1, 11}));
  EXPECT_EQ(run.bytes_sent, 120);
  EXPECT_EQ(run.messages_sent, 2);
}

TEST(Summaries, count_bytes_that_are_read_in_place_without_messages) {
  const RunSummary run =
      summary_of({event(0, Activity::wait, 0, 1, 300), event(1, Activity::wait, 0, 1, 50)});
  EXPECT_EQ(run.ranks.front().bytes_sent, 300);
  EXPECT_EQ(run.ranks.front().messages_sent, 0);
  EXPECT_EQ(run.ranks.front().times.in_flight, 0);
  EXPECT_EQ(run.bytes_sent, 350);
  EXPECT_EQ(run.messages_sent, 0);
}

TEST(Summaries, count_times_once_where_events_overlap) {
  const RunSummary run =
      summary_of({event(0, Activity::compute, 0, 4), event(0, Activity::compute, 1, 3),
                  event(0, Activity::wait, 2, 2)});
  EXPECT_EQ(run.ranks.front().times.computing, 4);
  EXPECT_EQ(run.ranks.front().times.waiting, 0);
}

TEST(Summaries, know_the_runs) {
  std::vector<TraceEvent> events(4, event(0, Activity::wait, 0, 1));
  events[0].run = 7;
  events[2].run = 3;
  EXPECT_EQ(runs_of(events), (std::vector<Index>{0, 3, 7}));
  EXPECT_EQ(events_of(events, 0).size(), 2U);
  EXPECT_EQ(events_of(events, 4).size(), 0U);
}

constexpr const char* good_event =
    R"({"name":"to 1","cat":"send","ph":"X","ts":2.5,"dur":4,"pid":1,"tid":1,"args":{"run":3,"peer":0,"bytes":9}})";
constexpr const char* good_about =
    R"({"schema":"kallima.trace/2","problem":"c2c:8x8:f64","ranks":2,"plan":"a\nb"})";

std::string trace_text(const std::string& events, const std::string& about = good_about) {
  return fmt::format(R"({{"traceEvents":[{}],"displayTimeUnit":"ms","otherData":{}}})", events,
                     about);
}

/// `text` with one part of it in other words; the part has to be there.
std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) throw std::logic_error("there is no " + part);
  return text.replace(at, part.size(), by);
}

TEST(TraceFiles, are_read) {
  const Trace trace = parse_trace(trace_text(
      std::string(R"({"name":"process_name","ph":"M","pid":0},{"ph":"C"},)") + good_event));
  EXPECT_EQ(trace.problem, "c2c:8x8:f64");
  EXPECT_EQ(trace.plan, "a\nb");
  EXPECT_EQ(trace.ranks, 2);
  EXPECT_EQ(trace.found, (std::vector<Index>{0, 1}));
  ASSERT_EQ(trace.events.size(), 1U);
  const TraceEvent& read = trace.events.front();
  EXPECT_EQ(read.rank, 1);
  EXPECT_EQ(read.run, 3);
  EXPECT_EQ(read.activity, Activity::send);
  EXPECT_EQ(read.name, "to 1");
  EXPECT_DOUBLE_EQ(read.begin, 2.5e-6);
  EXPECT_DOUBLE_EQ(read.end, 6.5e-6);
  EXPECT_EQ(read.bytes, 9);
}

TEST(TraceFiles, that_are_none_are_refused) {
  const std::string good = trace_text(good_event);
  EXPECT_NO_THROW(parse_trace(good));
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_THROW(parse_trace(good.substr(0, length)), ParseError) << length;
  }
  for (const char* const text :
       {"null", "[]", "{}", "3", "\"x\"", "\xff", R"({"traceEvents":[]})",
        R"({"otherData":{"schema":"kallima.trace/2"}})", R"({"otherData":7,"traceEvents":[]})"}) {
    EXPECT_THROW(parse_trace(text), ParseError) << text;
  }
  EXPECT_THROW(parse_trace(std::string(1000000, '[')), ParseError);
  EXPECT_THROW(parse_trace(trace_text(std::string(1000000, '[') + std::string(1000000, ']'))),
               ParseError);
}

TEST(TraceFiles, with_other_words_are_refused) {
  const std::string good = trace_text(good_event);
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"kallima.trace/2", "kallima.trace/9"},
      {R"("schema")", R"("scheme")"},
      {R"("problem":"c2c:8x8:f64")", R"("problem":[])"},
      {R"("c2c:8x8:f64")", R"("\u001b[2J")"},
      {R"("ranks":2)", R"("ranks":0)"},
      {R"("ranks":2)", R"("ranks":1)"},
      {R"("ranks":2)", R"("ranks":1e99)"},
      {R"("plan")", R"("flan")"},
      {R"("ph":"X")", R"("ph":1)"},
      {R"("ph":"X",)", ""},
      {R"("cat":"send")", R"("cat":"sent")"},
      {R"("cat":"send",)", ""},
      {R"("name":"to 1",)", ""},
      {R"("name":"to 1")", R"("name":"t\u00f6")"},
      {R"("ts":2.5)", R"("ts":"2.5")"},
      {R"("ts":2.5)", R"("ts":1e300)"},
      {R"("ts":2.5)", R"("ts":-1e16)"},
      {R"("ts":2.5)", R"("ts":1e999)"},
      {R"("ts":2.5)", R"("ts":NaN)"},
      {R"("ts":2.5)", R"("ts":null)"},
      {R"("dur":4)", R"("dur":-1e-3)"},
      {R"("dur":4)", R"("dur":1e16)"},
      {R"("dur":4,)", ""},
      {R"("pid":1)", R"("pid":-1)"},
      {R"("pid":1)", R"("pid":2)"},
      {R"("pid":1)", R"("pid":0.5)"},
      {R"("pid":1)", R"("pid":18446744073709551615)"},
      {R"("run":3)", R"("run":-3)"},
      {R"("run":3,)", ""},
      {R"("bytes":9)", R"("bytes":9223372036854775807)"},
      {R"(,"bytes":9)", ""},
      {R"("args":{"run":3,"peer":0,"bytes":9})", R"("args":[3])"},
      {R"({"name")", R"(7,{"name")"}};
  for (const auto& [part, by] : changes) {
    const std::string bad = replaced(good, part, by);
    try {
      parse_trace(bad);
      ADD_FAILURE() << "read: " << bad;
    } catch (const ParseError& error) {
      EXPECT_NE(std::string(error.what()).find("kallima bench --trace"), std::string::npos);
    }
  }
}

Trace trace_of_rank(Index rank) {
  return parse_trace(
      trace_text(replaced(good_event, R"("pid":1)", fmt::format(R"("pid":{})", rank))));
}

TEST(TraceFiles, of_ranks_become_one) {
  const Trace both = merged(trace_of_rank(1), trace_of_rank(0));
  EXPECT_EQ(both.found, (std::vector<Index>{0, 1}));
  EXPECT_EQ(both.events.size(), 2U);
  EXPECT_THROW(merged(both, trace_of_rank(1)), MismatchedArguments);
  const auto other = [](const std::string& part, const std::string& by) {
    return parse_trace(trace_text("", replaced(good_about, part, by)));
  };
  EXPECT_NO_THROW(merged(trace_of_rank(0), other("a", "a")));
  EXPECT_THROW(merged(trace_of_rank(0), other("8x8", "8x9")), MismatchedArguments);
  EXPECT_THROW(merged(trace_of_rank(0), other("\"ranks\":2", "\"ranks\":3")), MismatchedArguments);
  EXPECT_THROW(merged(trace_of_rank(0), other("a\\nb", "a")), MismatchedArguments);
}

std::string svg_of(const std::vector<Timeline>& timelines) {
  const std::string path = testing::TempDir() + "kallima_timeline.svg";
  draw(timelines, path);
  return content(path);
}

/// Bars of a colour, those of the legend included.
std::size_t bars(const std::string& svg, const std::string& color) {
  return count_of(svg, fmt::format("fill=\"{}\"", color));
}

constexpr const char* blue = "#0072b2";
constexpr const char* waiting = "#fad3cc";
constexpr const char* sending = "#56b4e9";
constexpr const char* receiving = "#e69f00";

TEST(Timelines, have_a_bar_for_each_event_and_a_legend) {
  // Ends on whole columns would be exact only by luck: the last parts of a bar may be paler.
  const std::string svg =
      svg_of({{"P & Q",
               "a note",
               {event(0, Activity::compute, 0, 1), event(0, Activity::wait, 1, 2),
                event(7, Activity::compute, 0, 2), event(7, Activity::send, 0.5, 1.5, 8)}}});
  EXPECT_GE(bars(svg, blue), 1U + 2U);
  EXPECT_GE(bars(svg, waiting), 1U + 1U);
  EXPECT_GE(bars(svg, sending), 1U + 1U);
  EXPECT_EQ(bars(svg, receiving), 0U);
  for (const char* const words : {"P &amp; Q", "a note", "rank 0", "rank 7", "sweep x", "waiting",
                                  "sending", "milliseconds"}) {
    EXPECT_EQ(count_of(svg, std::string(">") + words + "<"), 1U) << words;
  }
  EXPECT_EQ(svg.find(">receiving<"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Timelines, show_messages_on_top_of_each_other) {
  const auto opacities = [](const std::vector<TraceEvent>& events) {
    const std::string svg = svg_of({{"", "", events}});
    return std::pair(count_of(svg, R"(fill="#56b4e9" fill-opacity="0.4")"),
                     count_of(svg, R"(fill="#56b4e9" fill-opacity="0.64")"));
  };
  EXPECT_EQ(opacities({event(0, Activity::send, 0, 4)}), std::pair(std::size_t{1}, std::size_t{0}));
  EXPECT_EQ(opacities({event(0, Activity::send, 0, 3), event(0, Activity::send, 1, 4)}),
            std::pair(std::size_t{2}, std::size_t{1}));
}

TEST(Timelines, do_not_grow_with_the_events) {
  const auto alternating = [](int events) {
    Timeline timeline;
    for (int e = 0; e < events; ++e) {
      const auto activity = e % 2 == 0 ? Activity::compute : Activity::wait;
      timeline.events.push_back(event(e % 3, activity, e, e + 1));
    }
    return svg_of({timeline}).size();
  };
  EXPECT_LT(alternating(100000), 2'000'000U);
}

TEST(Timelines, have_colours_for_some_sweeps_and_one_for_the_others) {
  Timeline timeline;
  for (int e = 0; e < 9; ++e) {
    timeline.events.push_back(event(0, Activity::compute, e, e + 1));
    timeline.events.back().name = fmt::format("sweep {}", e);
  }
  const std::string svg = svg_of({timeline});
  EXPECT_EQ(count_of(svg, ">sweep "), 4U);
  EXPECT_EQ(count_of(svg, ">other sweeps<"), 1U);
}

TEST(Timelines, share_one_scale) {
  const Timeline slow{"slow", "", {event(0, Activity::compute, 100, 100.008)}};
  const Timeline fast{"fast", "", {event(0, Activity::compute, 3, 3.004)}};
  const std::string svg = svg_of({slow, fast});
  EXPECT_EQ(count_of(svg, ">8<"), 2U);               // milliseconds, under both
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 1U);  // where the faster one ends
}

TEST(Timelines, of_no_length_and_of_many_ranks_are_drawn) {
  EXPECT_GT(svg_of({{"", "", {event(0, Activity::compute, 5, 5)}}}).size(), 0U);
  Timeline many;
  for (Index rank = 0; rank < 5000; ++rank)
    many.events.push_back(event(rank, Activity::wait, 0, 1));
  const std::string svg = svg_of({many});
  EXPECT_EQ(count_of(svg, ">rank "), 64U);
  EXPECT_EQ(count_of(svg, "of which 64 are drawn"), 1U);
  EXPECT_GT(svg_of({{"", "", {event(0, Activity::compute, -1e9, 1e9)}}}).size(), 0U);
}

TEST(Timelines, refuse_other_endings_and_places) {
  const std::vector<Timeline> one = {{"", "", {event(0, Activity::compute, 0, 1)}}};
  EXPECT_THROW(draw(one, "timeline.gif"), InvalidOption);
  EXPECT_THROW(draw(one, testing::TempDir() + "no/such/folder/timeline.svg"), FileError);
}

}  // namespace

}  // namespace kallima::cli
