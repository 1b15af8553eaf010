// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "here.hpp"
#include "table.hpp"
#include "verify.hpp"

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

/// How much longer a row takes than Kallima.
struct Ratio {
  double of_medians = 1.0;
  Spread paired;
};

Ratio ratio_of(const Result& row, const Result& kallima) {
  return {spread_of(row.runs.slowest).median / spread_of(kallima.runs.slowest).median,
          spread_of(paired_ratios(row.runs.slowest, kallima.runs.slowest))};
}

/// Groups of several rows, each with its fastest.
std::vector<const Result*> best_of_groups(const std::vector<Result>& rows) {
  std::vector<const Result*> best;
  for (const Result& row : rows) {
    // Parts of the engine do not compete with their sum.
    const bool competes = row.facts.group != "kallima" && row.facts.group != "bare";
    const auto in_group = [&](const Result& other) { return other.facts.group == row.facts.group; };
    if (!competes || std::count_if(rows.begin(), rows.end(), in_group) == 1) continue;
    const auto known = std::find_if(best.begin(), best.end(), [&](const Result* other) {
      return other->facts.group == row.facts.group;
    });
    if (known == best.end()) {
      best.push_back(&row);
    } else if (spread_of(row.runs.slowest).median < spread_of((*known)->runs.slowest).median) {
      *known = &row;
    }
  }
  return best;
}

template <class Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json row_json(const Result& row, const Result& kallima) {
  const Spread times = spread_of(row.runs.slowest);
  const Ratio ratio = ratio_of(row, kallima);
  return {{"name", row.name},
          {"group", row.facts.group},
          {"median_s", times.median},
          {"min_s", times.least},
          {"p90_s", times.p90},
          {"mean_rank_median_s", spread_of(row.runs.mean).median},
          {"ratio", ratio.of_medians},
          {"ratio_p25", ratio.paired.quarter},
          {"ratio_p75", ratio.paired.three_quarters},
          {"plan_s", row.price.seconds},
          {"error", row.errors ? json_or_null(row.errors->sampled) : Json()},
          {"error_returned", row.errors ? Json(row.errors->returned) : Json()},
          {"layout_in", row.facts.layout_in},
          {"layout_out", row.facts.layout_out},
          {"method", json_or_null(row.facts.method)},
          {"exchanges", row.facts.exchanges},
          {"bytes_sent", row.price.bytes_sent},
          {"passes", json_or_null(row.facts.passes)},
          {"workspace_bytes", json_or_null(row.facts.workspace_bytes)},
          {"memory_bytes", json_or_null(row.price.memory)}};
}

std::string ratio_text(const Ratio& ratio) { return fmt::format("{:.2f}", ratio.of_medians); }

std::string quartiles_text(const Ratio& ratio) {
  return fmt::format("{:.2f} - {:.2f}", ratio.paired.quarter, ratio.paired.three_quarters);
}

std::string results_table(const std::vector<Result>& results) {
  std::vector<double> seconds;
  for (const Result& row : results) {
    const Spread times = spread_of(row.runs.slowest);
    seconds.insert(seconds.end(),
                   {times.median, times.least, times.p90, spread_of(row.runs.mean).median});
  }
  const std::vector<std::string> times = durations(seconds);
  std::vector<std::vector<std::string>> rows = {{"", "median", "min", "p90", "mean rank",
                                                 "x kallima", "quartiles", "planning", "exchanges",
                                                 "sent", "passes", "memory"}};
  for (std::size_t r = 0; r < results.size(); ++r) {
    const Result& row = results[r];
    const Ratio ratio = ratio_of(row, results.front());
    rows.push_back({row.name, times[4 * r], times[4 * r + 1], times[4 * r + 2], times[4 * r + 3],
                    r == 0 ? "" : ratio_text(ratio), r == 0 ? "" : quartiles_text(ratio),
                    duration(row.price.seconds), text::grouped(row.facts.exchanges),
                    text::bytes(row.price.bytes_sent),
                    row.facts.passes ? text::grouped(*row.facts.passes) : "?",
                    row.price.memory ? text::bytes(*row.price.memory) : "?"});
  }
  return table(rows);
}

/// What does not fit a column of figures.
std::string remarks(const std::vector<Result>& results, double limit) {
  std::vector<std::vector<std::string>> rows = {{"", "in", "out", "verified"}};
  for (const Result& row : results) {
    std::string verified = "not checked";
    if (row.errors) {
      verified = (within(*row.errors, limit) ? "" : "WRONG: ") + errors_text(*row.errors, limit);
    }
    rows.push_back({row.name, row.facts.layout_in, row.facts.layout_out, verified});
  }
  return list(rows);
}

}  // namespace

// Written so that an error that is not a number fails.
bool within(const Errors& errors, double limit) {
  return errors.sampled.value_or(0.0) <= limit && errors.returned <= 2 * limit;
}

std::string errors_text(const Errors& errors, double limit) {
  std::string returned =
      fmt::format("there and back {:.2g} of {:.2g} allowed", errors.returned, 2 * limit);
  if (!errors.sampled) return returned;
  return fmt::format("error {:.2g} of {:.2g} allowed, {}", *errors.sampled, limit, returned);
}

Json bench_json(const Session& session, const Task& task, const std::vector<Result>& rows) {
  Json results = Json::array();
  for (const Result& row : rows) results.push_back(row_json(row, rows.front()));
  Json best = Json::object();
  for (const Result* row : best_of_groups(rows)) best[row->facts.group] = row->name;
  return {{"schema", "kallima.bench/1"},
          {"problem", task.request.problem.to_text()},
          {"direction", task.direction == Direction::forward ? "forward" : "backward"},
          {"ranks", session.size},
          {"nodes", session.nodes},
          {"threads", task.threads},
          {"runs", rows.front().runs.slowest.size()},
          {"results", std::move(results)},
          {"best", std::move(best)}};
}

std::string bench_text(const Session& session, const Task& task, const std::vector<Result>& rows,
                       Index warm_up) {
  std::string text = fmt::format(
      "{}\nmeasured here: {}\n{}, after {} of warm-up; a run takes as long as its slowest rank\n",
      heading(fmt::format("bench {} {}, {}", task.request.problem.to_text(),
                          task.direction == Direction::forward ? "forward" : "backward",
                          (task.in_place ? "in place" : "out of place") +
                              (task.threads > 1 ? fmt::format(", {} threads a rank", task.threads)
                                                : std::string()))),
      here(session),
      text::plural(static_cast<Index>(rows.front().runs.slowest.size()), "timed run"), warm_up);
  if (rows.size() > 1) {
    text +=
        "in turns, in the same arrays; x kallima is the ratio of medians, quartiles are of the "
        "ratios run by run\nmemory is what the process grew by beyond the arrays\n";
  }
  text += '\n';
  text += results_table(rows);
  for (const Result* best : best_of_groups(rows)) {
    const Ratio ratio = ratio_of(*best, rows.front());
    text += fmt::format("best of {}: {}, {} x kallima ({})\n", best->facts.group, best->name,
                        ratio_text(ratio), quartiles_text(ratio));
  }
  text += '\n';
  text += remarks(rows, promised_error(task.request.problem));
  if (!rows.front().explained.empty()) text += "\n" + rows.front().explained;
  return text;
}

}  // namespace kallima::cli
