// SPDX-License-Identifier: BSD-3-Clause
//
// Options with messages that say what would be right; CLI11's own show the insides of its maps and
// the largest double.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace kallima::cli {

/// Names of an enumeration's values, the default first.
template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// Adds an option that takes one of some names.
template <class Value>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, Value& value,
                        const Choices<Value>& choices, const std::string& description) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  const auto choose = [=, &value](const std::string& name) {
    for (const auto& [known, meaning] : choices) {
      if (known != name) continue;
      value = meaning;
      return;
    }
    throw CLI::ValidationError(
        flag, fmt::format("'{}' is not known; use one of {}", name, fmt::join(names, ", ")));
  };
  return command.add_option_function<std::string>(
      flag, choose,
      fmt::format("{}: {} (default: {})", description, fmt::join(names, ", "), names.front()));
}

/// Accepts whole numbers from `least` on.
inline CLI::Validator at_least(Index least) {
  const auto check = [least](const std::string& word) -> std::string {
    try {
      if (text::parse_count(word, "") >= least) return {};
    } catch (const ParseError&) {
    }
    return fmt::format("'{}' should be a whole number, at least {}", word, least);
  };
  return {check, ""};
}

}  // namespace kallima::cli
