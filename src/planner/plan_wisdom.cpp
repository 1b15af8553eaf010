// SPDX-License-Identifier: BSD-3-Clause
//
// The checksum covers the entries as they are dumped without blanks and with sorted keys, so that
// a file may be indented anew but not altered.
#include "kallima/plan_wisdom.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "exchange/method.hpp"
#include "kallima/error.hpp"
#include "machine/figures.hpp"
#include "planner/engines.hpp"
#include "planner/fits.hpp"

namespace kallima {

namespace {

using Json = nlohmann::json;

constexpr const char* schema = "kallima.wisdom/3";

[[noreturn]] void refuse(const std::string& what) {
  throw ParseError("plan wisdom cannot be read: " + what +
                   "; remove the file, or tune anew with `kallima bench --tune-into`");
}

/// Texts that are not UTF-8 could not be written otherwise.
std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string checksum(const Json& plans) { return text::hex(text::hash(dump(plans))); }

const Json& field(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) refuse(fmt::format("there is no {}", key));
  return *found;
}

std::string word(const Json& object, const char* key) {
  const Json& value = field(object, key);
  if (!value.is_string()) refuse(fmt::format("{} is not a text", key));
  return value.get<std::string>();
}

Index count(const Json& object, const char* key, Index least) {
  const Json& value = field(object, key);
  const bool fits_index =
      value.is_number_unsigned() &&
      value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  if (!fits_index || value.get<Index>() < least) {
    refuse(fmt::format("{} is not a whole number from {} on", key, least));
  }
  return value.get<Index>();
}

bool flag(const Json& object, const char* key) {
  const Json& value = field(object, key);
  if (!value.is_boolean()) refuse(fmt::format("{} is neither true nor false", key));
  return value.get<bool>();
}

double duration(const Json& object, const char* key) {
  const Json& value = field(object, key);
  const double seconds = value.is_number() ? value.get<double>() : -1.0;
  if (!std::isfinite(seconds) || seconds < 0.0) {
    refuse(fmt::format("{} is not a number from 0 on", key));
  }
  return seconds;
}

std::uint64_t hash_in(const Json& object, const char* key) {
  const std::string digits = word(object, key);
  constexpr int hexadecimal = 16;
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal);
  if (text::hex(value) != digits) refuse(fmt::format("{} is not 16 hexadecimal digits", key));
  return value;
}

ExchangeMethod method_in(const Json& object) {
  const std::string name = word(object, "method");
  const std::optional<ExchangeMethod> method = find_method(name);
  if (!method) refuse("there is no exchange method '" + name + "'");
  return *method;
}

PlanWisdomEntry read_entry(const Json& json) {
  if (!json.is_object()) refuse("an entry is not an object");
  const Json& machine = field(json, "machine");
  if (!machine.is_object()) refuse("machine is not an object");
  PlanWisdomEntry entry;
  entry.machine = word(machine, "name");
  entry.machine_hash = hash_in(machine, "hash");
  entry.problem = word(json, "problem");
  entry.ranks = count(json, "ranks", 1);
  entry.ranks_per_node = count(json, "ranks_per_node", 0);
  entry.in = word(json, "in");
  entry.out = word(json, "out");
  entry.method = method_in(json);
  entry.chunks = count(json, "chunks", 0);
  entry.padded = flag(json, "padded");
  entry.plan = word(json, "plan");
  entry.seconds = duration(json, "seconds");
  entry.made = word(json, "made");
  return entry;
}

Json entry_json(const PlanWisdomEntry& entry) {
  return {{"machine", {{"name", entry.machine}, {"hash", text::hex(entry.machine_hash)}}},
          {"problem", entry.problem},
          {"ranks", entry.ranks},
          {"ranks_per_node", entry.ranks_per_node},
          {"in", entry.in},
          {"out", entry.out},
          {"method", name_of(entry.method)},
          {"chunks", entry.chunks},
          {"padded", entry.padded},
          {"plan", entry.plan},
          {"seconds", entry.seconds},
          {"made", entry.made}};
}

/// JSON of a depth that dumping it can bear: it calls itself for each level.
Json parse_json(std::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    constexpr int most_depth = 8;
    if (depth > most_depth) refuse("it is nested too deep");
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const Json::exception& error) {
    refuse(error.what());
  }
}

/// All that must be the same, each with its length, so that no two differ only by where one ends.
std::string key_of(const PlanWisdomEntry& entry) {
  std::string key = fmt::format("{} {} {} {} {} {}", text::hex(entry.machine_hash), entry.ranks,
                                entry.ranks_per_node, name_of(entry.method), entry.chunks,
                                entry.padded ? "padded" : "tight");
  for (const std::string* const part : {&entry.problem, &entry.in, &entry.out}) {
    key += fmt::format(" {}:{}", part->size(), *part);
  }
  return key;
}

/// An entry without its plan.
PlanWisdomEntry asked(const PlanRequest& request, const Machine& machine) {
  PlanWisdomEntry entry;
  entry.machine = machine->name;
  entry.machine_hash = machine.hash();
  entry.problem = request.problem.to_text();
  entry.ranks = request.ranks;
  entry.ranks_per_node = request.placement.ranks_per_node;
  if (request.in) entry.in = request.in->to_text();
  if (request.out) entry.out = request.out->to_text();
  entry.method = request.method;
  entry.chunks = request.chunks;
  entry.padded = request.padded;
  return entry;
}

/// Parses, and what cannot be parsed is none.
std::optional<Plan> plan_of(const std::string& text) {
  try {
    return Plan::parse(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

PlanWisdomEntry entry_for(const PlanRequest& request, const Machine& machine, const Plan& plan,
                          double seconds, std::string made) {
  PlanWisdomEntry entry = asked(request, machine);
  entry.plan = plan.to_text();
  entry.seconds = seconds;
  entry.made = std::move(made);
  return entry;
}

PlanWisdom PlanWisdom::parse(std::string_view text) {
  const Json root = parse_json(text);
  if (!root.is_object()) refuse("it is not a JSON object");
  if (word(root, "schema") != schema) {
    refuse(fmt::format("its schema is '{}', not '{}'", word(root, "schema"), schema));
  }
  const Json& plans = field(root, "plans");
  if (word(root, "checksum") != checksum(plans)) refuse("its checksum does not fit, it is damaged");
  if (!plans.is_array()) refuse("plans is not a list");
  PlanWisdom wisdom;
  for (const Json& entry : plans) wisdom.add(read_entry(entry));
  return wisdom;
}

std::string PlanWisdom::to_text() const {
  Json plans = Json::array();
  for (const auto& [key, entry] : entries_) plans.push_back(entry_json(entry));
  const Json root = {{"schema", schema}, {"checksum", checksum(plans)}, {"plans", plans}};
  return dump(root, 1) + "\n";
}

void PlanWisdom::add(const PlanWisdomEntry& entry) {
  if (!std::isfinite(entry.seconds) || entry.seconds < 0.0 || entry.ranks < 1 ||
      entry.ranks_per_node < 0) {
    throw InvalidOption(fmt::format(
        "plan wisdom of {} s on {} ranks, {} a node; give what was measured: seconds are finite "
        "and from 0 on, ranks from 1 on",
        entry.seconds, entry.ranks, entry.ranks_per_node));
  }
  const auto [at, fresh] = entries_.try_emplace(key_of(entry), entry);
  if (!fresh && entry.seconds < at->second.seconds) at->second = entry;
}

void PlanWisdom::merge(const PlanWisdom& other) {
  for (const auto& [key, entry] : other.entries_) add(entry);
}

std::optional<Plan> PlanWisdom::find(const PlanRequest& request, const Machine& machine) const {
  if (request.decomposition != Decomposition::any) return std::nullopt;
  const auto found = entries_.find(key_of(asked(request, machine)));
  if (found == entries_.end()) return std::nullopt;
  std::optional<Plan> plan = plan_of(found->second.plan);
  if (plan && !fits(*plan, request)) plan.reset();
  const bool open = request.engine == LineEngine::any;
  if (plan && !open && by_engine(*plan, request.engine) != *plan) plan.reset();
  return plan;
}

PlanWisdom read_plan_wisdom(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    throw FileError(fmt::format(
        "the file '{0}' of plan wisdom does not exist; make it with `kallima bench PROBLEM "
        "--tune-into {0}` on as many ranks, or by tune() and save_plan_wisdom()",
        path));
  }
  const std::string content = text_of_file(path);
  try {
    return PlanWisdom::parse(content);
  } catch (const ParseError& error) {
    throw ParseError(fmt::format("{}: {}", path, error.what()));
  }
}

PlanWisdom load_plan_wisdom(const std::string& path, std::string& warning) {
  warning.clear();
  try {
    return read_plan_wisdom(path);
  } catch (const Error& error) {
    warning = fmt::format("plan wisdom is ignored: {}", error.what());
    return {};
  }
}

void save_plan_wisdom(const std::string& path, const PlanWisdom& wisdom) {
  std::string ignored;
  PlanWisdom all = load_plan_wisdom(path, ignored);
  all.merge(wisdom);
  write_file(path, all.to_text());
}

}  // namespace kallima
