// SPDX-License-Identifier: BSD-3-Clause
//
// Options with messages that say what would be right; CLI11's own show the insides of its maps and
// the largest double. Its header costs seconds in every file that includes it, so options.cpp alone
// does.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "kallima/index.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): its name
class App;
class Option;
}  // namespace CLI

namespace kallima::cli {

/// Names of an enumeration's values, the default first.
template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// Where the help lists the names that an option takes.
enum class Listing { here, elsewhere };

/// An option of a command, to say more of it. Copies are the same option.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  /// What the help calls the value.
  Option& type_name(const std::string& name);
  /// Accepts whole numbers from `least` on.
  Option& at_least(Index least);
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

/// A program or a subcommand of it. Copies are the same command. A value that an option was added
/// for has to live until the command line is parsed; it keeps what it has where none is given.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_subcommand(const std::string& name, const std::string& description);
  void add_flag(const std::string& flag, bool& value, const std::string& description);
  Option add_option(const std::string& flag, std::string& value, const std::string& description);
  Option add_option(const std::string& flag, Index& value, const std::string& description);
  Option add_option(const std::string& flag, std::optional<Index>& value,
                    const std::string& description);
  Option add_option(const std::string& flag, double& value, const std::string& description);
  Option add_option(const std::string& flag, std::optional<double>& value,
                    const std::string& description);
  /// Words, with commas or blanks between.
  Option add_option(const std::string& flag, std::vector<std::string>& values,
                    const std::string& description);
  /// Files: all that stand where a name without dashes stands; an option takes one each time it is
  /// given. Commas are part of a name.
  Option add_files(const std::string& flag, std::vector<std::string>& paths,
                   const std::string& description);
  /// A picture: a name that ends in .svg, .png or .pdf, which the help says behind `description`.
  /// Others are refused before anything runs, as are those that need cairo where there is none.
  Option add_picture(const std::string& flag, std::string& path, const std::string& description);
  /// Adds an option that takes one of some names, the first by default. The description lists them.
  template <class Value>
  Option add_choice(const std::string& flag, Value& value, const Choices<Value>& choices,
                    const std::string& description, Listing listing = Listing::here) {
    std::vector<std::string> names;
    for (const auto& choice : choices) names.push_back(choice.first);
    const auto choose = [choices, &value](std::size_t index) { value = choices[index].second; };
    return add_names(flag, names, choose, listed(names, description, listing));
  }

  /// The text under the options in the help.
  void footer(const std::string& text);
  /// What is called when the command was parsed without an error.
  void callback(const std::function<void()>& call);
  /// True where the command line has the option.
  [[nodiscard]] bool given(const std::string& flag) const;

 private:
  Option add_names(const std::string& flag, const std::vector<std::string>& names,
                   const std::function<void(std::size_t)>& choose, const std::string& description);
  static std::string listed(const std::vector<std::string>& names, const std::string& description,
                            Listing listing);

  CLI::App* app_;
};

/// A program as its help shows it.
struct Program {
  std::string name;
  std::string version;
  std::string description;
  std::string footer;
};

/// What to print instead of running a subcommand: a help that was asked for, or what is wrong.
struct Ending {
  ExitCode code = ExitCode::good;
  std::string text;
};

/// Reads the command line of a program with the subcommands that `add_all` adds, of which exactly
/// one is wanted, and calls that one's callback. Empty where that was done.
std::optional<Ending> parse(const Arguments& arguments, const Program& program,
                            const std::function<void(Command)>& add_all);

}  // namespace kallima::cli
