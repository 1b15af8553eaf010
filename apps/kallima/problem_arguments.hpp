// SPDX-License-Identifier: BSD-3-Clause
//
// What `plan`, `bench` and others are told alike: a problem, layouts in the text form or by
// shorthand, a method.
#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "kallima/planner.hpp"

namespace kallima::cli {

/// The common words of the command line, unread.
struct ProblemArguments {
  std::string problem;
  std::string in = "any";
  std::string out = "any";
  ExchangeMethod method = ExchangeMethod::any;
  Index chunks = 0;
  Decomposition decomposition = Decomposition::any;
  bool padded = false;

  /// Adds PROBLEM, --in, --out, --method, --chunks, --decomposition and --padded to a subcommand.
  /// PROBLEM may be left out where that has subcommands of its own.
  void add_to(Command command, bool required = true);

  /// What is asked for on so many ranks. ParseError, InvalidLayout and others with the library's
  /// text. Plans once where the output shall have the layout that the planner chooses for the
  /// input.
  [[nodiscard]] PlanRequest request(Index ranks,
                                    std::shared_ptr<const Machine> machine = nullptr) const;

  /// True where the problem is written as its way back, c2r; then --in is a layout of frequencies.
  [[nodiscard]] bool is_way_back() const { return problem.starts_with("c2r"); }
};

/// For help texts: the forms that --in and --out take, and exchange methods.
std::string problem_help();

/// A number, or a power of two as in 2^20. ParseError names `what`.
Index count_of(const std::string& text, const std::string& what);

/// The layout that a shorthand or a text form names, empty for `any`. See problem_help().
std::optional<Layout> layout_of(const std::string& text, const Shape& shape, Index ranks);

}  // namespace kallima::cli
