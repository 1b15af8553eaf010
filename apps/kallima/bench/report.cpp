// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "here.hpp"
#include "rivals/rivals.hpp"
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

std::string ratio_text(const Ratio& ratio) { return fmt::format("{:.2f}", ratio.of_medians); }

std::string quartiles_text(const Ratio& ratio) {
  return fmt::format("{:.2f} - {:.2f}", ratio.paired.quarter, ratio.paired.three_quarters);
}

/// A group of several rows that do the same, and its fastest.
struct Best {
  std::string group;
  const Result* row = nullptr;  ///< none where all leave the output in another layout than asked
};

std::vector<Best> best_of_groups(const std::vector<Result>& rows) {
  std::vector<Best> all;
  for (const Result& row : rows) {
    // Parts of the engine do not compete with their sum.
    const std::string& group = row.facts.group;
    const bool competes = group != "kallima" && group != "bare";
    const auto in_group = [&](const Result& other) { return other.facts.group == group; };
    if (!competes || std::count_if(rows.begin(), rows.end(), in_group) == 1) continue;
    auto best =
        std::find_if(all.begin(), all.end(), [&](const Best& b) { return b.group == group; });
    if (best == all.end()) best = all.insert(all.end(), {group, nullptr});
    if (!row.facts.out_as_asked) continue;
    if (best->row == nullptr ||
        spread_of(row.runs.slowest).median < spread_of(best->row->runs.slowest).median) {
      best->row = &row;
    }
  }
  return all;
}

std::string best_text(const Best& best, const Result& kallima) {
  if (best.row == nullptr) {
    return fmt::format("best of {}: none, as all leave the output in another layout than asked\n",
                       best.group);
  }
  const Ratio ratio = ratio_of(*best.row, kallima);
  return fmt::format("best of {}: {}, {} x kallima ({})\n", best.group, best.row->name,
                     ratio_text(ratio), quartiles_text(ratio));
}

/// How many copies of a rank's share a row takes.
double copies(const Result& row, const Result& copy) {
  return spread_of(row.runs.slowest).median / spread_of(copy.runs.slowest).median;
}

/// What the passes of a row are, as copies.
std::string copies_text(const Result& row, const Result& copy) {
  const double taken = copies(row, copy);
  std::string text = fmt::format("{} takes {:.1f} copies", row.name, taken);
  if (row.facts.passes) {
    text +=
        fmt::format(" for {} {}", *row.facts.passes, *row.facts.passes == 1 ? "pass" : "passes");
    text += fmt::format(", {:.2f} of the speed of copying as often",
                        static_cast<double>(*row.facts.passes) / taken);
  }
  return text + fmt::format("; a copy is by {}\n", *copy.facts.method);
}

template <class Value>
Json json_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json row_json(const Result& row, const Result& kallima, const Result* copy) {
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
          {"out_as_asked", row.facts.out_as_asked},
          {"method", json_or_null(row.facts.method)},
          {"exchanges", row.facts.exchanges},
          {"bytes_sent", row.price.bytes_sent},
          {"passes", json_or_null(row.facts.passes)},
          {"copies", copy == nullptr ? Json() : Json(copies(row, *copy))},
          {"workspace_bytes", json_or_null(row.facts.workspace_bytes)},
          {"memory_bytes", json_or_null(row.price.memory)}};
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
                                                 "moved", "passes", "memory"}};
  const Result* const copy = copy_row(results);
  if (copy != nullptr) rows.front().insert(rows.front().end() - 1, "copies");
  for (std::size_t r = 0; r < results.size(); ++r) {
    const Result& row = results[r];
    const Ratio ratio = ratio_of(row, results.front());
    rows.push_back({row.name, times[4 * r], times[4 * r + 1], times[4 * r + 2], times[4 * r + 3],
                    r == 0 ? "" : ratio_text(ratio), r == 0 ? "" : quartiles_text(ratio),
                    duration(row.price.seconds), text::grouped(row.facts.exchanges),
                    text::bytes(row.price.bytes_sent),
                    row.facts.passes ? text::grouped(*row.facts.passes) : "?",
                    row.price.memory ? text::bytes(*row.price.memory) : "?"});
    if (copy == nullptr) continue;
    rows.back().insert(rows.back().end() - 1, fmt::format("{:.1f}", copies(row, *copy)));
  }
  return table(rows);
}

/// What does not fit a column of figures.
std::string remarks(const std::vector<Result>& results, double limit) {
  std::vector<std::vector<std::string>> rows = {{"", "in", "out", "verified"}};
  for (const Result& row : results) {
    std::string verified = "not checked";
    if (row.errors) {
      const double allowed = row.facts.promised_error.value_or(limit);
      verified =
          (within(*row.errors, allowed) ? "" : "WRONG: ") + errors_text(*row.errors, allowed);
    }
    rows.push_back({row.name, row.facts.layout_in,
                    row.facts.layout_out + (row.facts.out_as_asked ? "" : " (not as asked)"),
                    verified});
  }
  return list(rows);
}

}  // namespace

const Result* copy_row(const std::vector<Result>& rows) {
  for (const Result& row : rows) {
    if (row.facts.group == copy_name) return &row;
  }
  return nullptr;
}

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
  for (const Result& row : rows) results.push_back(row_json(row, rows.front(), copy_row(rows)));
  Json best = Json::object();
  for (const Best& each : best_of_groups(rows)) {
    best[each.group] = each.row == nullptr ? Json() : Json(each.row->name);
  }
  const std::optional<AssumedLinks>& links = rows.front().links;
  return {{"schema", "kallima.bench/3"},
          {"problem", task.request.problem.to_text()},
          {"direction", task.direction == Direction::forward ? "forward" : "backward"},
          {"ranks", session.size},
          {"nodes", session.nodes},
          {"threads", task.threads},
          {"runs", rows.front().runs.slowest.size()},
          {"results", std::move(results)},
          {"best", std::move(best)},
          {"assumed_links", links ? Json(links->taken_for) : Json()},
          {"calibration_gain", links ? Json(links->gain) : Json()}};
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
  if (rows.front().facts.method == name_of(ExchangeMethod::shared_memory)) {
    text += "kallima moves bytes by shared memory: read in place, no messages\n";
  }
  text += '\n';
  text += results_table(rows);
  for (const Best& best : best_of_groups(rows)) text += best_text(best, rows.front());
  if (const Result* const copy = copy_row(rows)) text += copies_text(rows.front(), *copy);
  text += '\n';
  text += remarks(rows, promised_error(task.request.problem));
  if (const std::optional<AssumedLinks>& links = rows.front().links) {
    text += fmt::format(
        "\nLinks between nodes are assumed ({}). `kallima calibrate --quick` measures them, which "
        "is "
        "expected to gain {:.0f} %.\n",
        links->taken_for, 100. * links->gain);
  }
  if (!rows.front().explained.empty()) text += "\n" + rows.front().explained;
  return text;
}

}  // namespace kallima::cli
