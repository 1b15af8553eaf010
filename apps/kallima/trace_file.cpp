// SPDX-License-Identifier: BSD-3-Clause
#include "trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.hpp"
#include "kallima/error.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::json;

constexpr const char* schema = "kallima.trace/2";
constexpr const char* fix = "write it anew with `kallima bench --trace FILE` or KALLIMA_TRACE=FILE";

/// Microseconds that a trace may hold: thirty years. Sums and differences of such stay exact enough
/// to be drawn.
constexpr double most_time = 1e15;

constexpr std::array<std::pair<const char*, Activity>, 4> activities = {
    {{"compute", Activity::compute},
     {"wait", Activity::wait},
     {"send", Activity::send},
     {"receive", Activity::receive}}};

[[noreturn]] void refuse(const std::string& what) {
  throw ParseError(fmt::format("this is no trace of Kallima: {}; {}", what, fix));
}

const Json& field(const Json& object, const char* key) {
  if (!object.is_object()) refuse(fmt::format("what should have {} is not an object", key));
  const auto found = object.find(key);
  if (found == object.end()) refuse(fmt::format("there is no {}", key));
  return *found;
}

const std::string& text_in(const Json& object, const char* key) {
  const Json& value = field(object, key);
  if (!value.is_string()) refuse(fmt::format("{} is not a text", key));
  return value.get_ref<const std::string&>();
}

/// A text that can be shown on a terminal and in a picture, whoever wrote it.
const std::string& label_in(const Json& object, const char* key) {
  const std::string& label = text_in(object, key);
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (!std::all_of(label.begin(), label.end(), printable)) {
    refuse(fmt::format("{} is not printable ASCII", key));
  }
  return label;
}

/// Ranks, runs and the bytes of a message; millions of messages of so many fit 64 bits.
constexpr Index most_count = Index{1} << 40;

Index count_in(const Json& object, const char* key, Index least) {
  const Json& value = field(object, key);
  const bool fits = value.is_number_unsigned() &&
                    value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most_count);
  if (!fits || value.get<Index>() < least) {
    refuse(fmt::format("{} is not a whole number from {} to 2^40", key, least));
  }
  return value.get<Index>();
}

double time_in(const Json& object, const char* key, double least) {
  const Json& value = field(object, key);
  const double time = value.is_number() ? value.get<double>() : least - 1.;
  if (!(time >= least && time <= most_time)) {  // no NaN either
    refuse(fmt::format("{} is not a number from {:g} to {:g}", key, least, most_time));
  }
  return time;
}

Activity activity_in(const Json& object) {
  const std::string& name = label_in(object, "cat");
  for (const auto& [known, activity] : activities) {
    if (name == known) return activity;
  }
  refuse(fmt::format("cat '{}' is none of compute, wait, send, receive", name));
}

TraceEvent event_in(const Json& json, Index rank) {
  constexpr double second = 1e-6;  // in microseconds
  TraceEvent event;
  event.rank = rank;
  event.activity = activity_in(json);
  event.name = label_in(json, "name");
  const double begin = time_in(json, "ts", -most_time);
  event.begin = begin * second;
  event.end = (begin + time_in(json, "dur", 0.)) * second;
  const Json& arguments = field(json, "args");
  event.run = count_in(arguments, "run", 0);
  const bool message = event.activity == Activity::send || event.activity == Activity::receive;
  const bool reads = event.activity == Activity::wait && arguments.contains("bytes");
  if (message || reads) event.bytes = count_in(arguments, "bytes", 0);
  return event;
}

Index rank_in(const Json& json, Index ranks) {
  const Index rank = count_in(json, "pid", 0);
  if (rank >= ranks) refuse(fmt::format("rank {} is not one of {}", rank, ranks));
  return rank;
}

void sort_once(std::vector<Index>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// What viewers know and this program does not need is passed over.
void add_events(Trace& trace, const Json& list) {
  if (!list.is_array()) refuse("traceEvents is not a list");
  for (std::size_t e = 0; e < list.size(); ++e) {
    try {
      const std::string& phase = text_in(list[e], "ph");
      if (phase != "X" && phase != "M") continue;
      const Index rank = rank_in(list[e], trace.ranks);
      trace.found.push_back(rank);
      if (phase == "X") trace.events.push_back(event_in(list[e], rank));
    } catch (const ParseError& error) {
      throw ParseError(fmt::format("event {}: {}", e, error.what()));
    }
  }
  sort_once(trace.found);
}

/// JSON of any depth: neither parsing nor destroying it calls itself.
Json parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    refuse(
        fmt::format("it is not JSON from byte {} on, or who writes it has not ended", error.byte));
  } catch (const Json::exception&) {
    refuse("it has numbers that do not fit");
  }
}

std::string content_of(const std::string& path) {
  try {
    return text_of_file(path);
  } catch (const FileError& error) {
    throw FileError(fmt::format(
        "the trace '{}' cannot be read; name a file that exists and may be read, as written by "
        "`kallima bench --trace FILE` ({})",
        path, error.what()));
  }
}

Trace read_one(const std::string& path) {
  const std::string content = content_of(path);
  try {
    return parse_trace(content);
  } catch (const ParseError& error) {
    throw ParseError(path + ": " + error.what());
  }
}

void require_same_job(const Trace& one, const Trace& other) {
  const auto require = [](bool same, const std::string& what) {
    if (same) return;
    throw MismatchedArguments(
        fmt::format("the traces are of different {}; give files of one job, and those of another "
                    "behind --beside",
                    what));
  };
  require(one.problem == other.problem,
          fmt::format("problems, {} and {}", one.problem, other.problem));
  require(one.ranks == other.ranks,
          fmt::format("numbers of ranks, {} and {}", one.ranks, other.ranks));
  require(one.plan == other.plan, "plans");
}

}  // namespace

Trace parse_trace(std::string_view text) {
  const Json json = parse_json(text);
  const Json& about = field(json, "otherData");
  if (const std::string& found = label_in(about, "schema"); found != schema) {
    refuse(fmt::format("its schema is '{}' and not '{}'", found, schema));
  }
  Trace trace;
  trace.problem = label_in(about, "problem");
  trace.plan = text_in(about, "plan");
  trace.ranks = count_in(about, "ranks", 1);
  add_events(trace, field(json, "traceEvents"));
  return trace;
}

Trace merged(Trace one, const Trace& other) {
  require_same_job(one, other);
  std::vector<Index> twice;
  std::set_intersection(one.found.begin(), one.found.end(), other.found.begin(), other.found.end(),
                        std::back_inserter(twice));
  if (!twice.empty()) {
    throw MismatchedArguments(
        fmt::format("rank {} is in more than one of the traces; give each file once, and those of "
                    "another job behind --beside",
                    twice.front()));
  }
  one.found.insert(one.found.end(), other.found.begin(), other.found.end());
  sort_once(one.found);
  one.events.insert(one.events.end(), other.events.begin(), other.events.end());
  return one;
}

Trace read_trace(const std::vector<std::string>& paths) {
  Trace trace = read_one(paths.front());
  for (std::size_t p = 1; p < paths.size(); ++p) {
    trace = merged(std::move(trace), read_one(paths[p]));
  }
  if (trace.events.empty()) {
    throw ParseError(
        fmt::format("{}: there are no events in the trace; {}, and let at least one transform run",
                    paths.front(), fix));
  }
  return trace;
}

}  // namespace kallima::cli
