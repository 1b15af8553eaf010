// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "chart/canvas.hpp"
#include "kallima/error.hpp"

namespace kallima::cli {

namespace {

/// What to type for help on what was typed.
std::string help_command(const CLI::App& app) {
  const auto called = app.get_subcommands();
  return called.empty() ? fmt::format("{} --help", app.get_name())
                        : fmt::format("{} {} --help", app.get_name(), called.front()->get_name());
}

/// The names of all subcommands.
std::string known_subcommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string usage_error(const CLI::App& app, const Arguments& arguments,
                        const CLI::ParseError& error) {
  if (arguments.empty()) return app.help();
  std::string what = error.what();
  if (app.get_subcommands().empty() && !arguments.front().starts_with('-')) {
    what = fmt::format("there is no subcommand '{}'; use one of {}", arguments.front(),
                       known_subcommands(app));
  }
  return fmt::format("{}: {}\nSee: {}\n", app.get_name(), what, help_command(app));
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::at_least(Index least) {
  const auto check = [least](const std::string& word) -> std::string {
    try {
      if (text::parse_count(word, "") >= least) return {};
    } catch (const ParseError&) {
    }
    return fmt::format("'{}' should be a whole number, at least {}", word, least);
  };
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& description) {
  return Command(*app_->add_subcommand(name, description));
}

void Command::add_flag(const std::string& flag, bool& value, const std::string& description) {
  app_->add_flag(flag, value, description);
}

Option Command::add_option(const std::string& flag, std::string& value,
                           const std::string& description) {
  return Option(*app_->add_option(flag, value, description));
}

Option Command::add_option(const std::string& flag, Index& value, const std::string& description) {
  return Option(*app_->add_option(flag, value, description));
}

Option Command::add_option(const std::string& flag, std::optional<Index>& value,
                           const std::string& description) {
  return Option(*app_->add_option(flag, value, description));
}

Option Command::add_option(const std::string& flag, double& value, const std::string& description) {
  return Option(*app_->add_option(flag, value, description));
}

Option Command::add_option(const std::string& flag, std::optional<double>& value,
                           const std::string& description) {
  return Option(*app_->add_option(flag, value, description));
}

Option Command::add_option(const std::string& flag, std::vector<std::string>& values,
                           const std::string& description) {
  return Option(*app_->add_option(flag, values, description)->delimiter(','));
}

Option Command::add_files(const std::string& flag, std::vector<std::string>& paths,
                          const std::string& description) {
  CLI::Option* const option = app_->add_option(flag, paths, description);
  if (flag.starts_with('-')) option->allow_extra_args(false);
  return Option(*option);
}

Option Command::add_picture(const std::string& flag, std::string& path,
                            const std::string& description) {
  const auto check = [](const std::string& name) -> std::string {
    try {
      chart::canvas_for(name);
      return {};
    } catch (const InvalidOption& error) {
      return error.what();
    }
  };
  CLI::Option* const option =
      app_->add_option(flag, path, description + " into this file: .svg, .png or .pdf");
  option->check(CLI::Validator(check, ""));
  return Option(*option).type_name("FILE");
}

Option Command::add_names(const std::string& flag, const std::vector<std::string>& names,
                          const std::function<void(std::size_t)>& choose,
                          const std::string& description) {
  const auto find = [=](const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return choose(i);
    }
    throw CLI::ValidationError(
        flag, fmt::format("'{}' is not known; use one of {}", name, fmt::join(names, ", ")));
  };
  return Option(*app_->add_option_function<std::string>(flag, find, description));
}

std::string Command::listed(const std::vector<std::string>& names, const std::string& description,
                            Listing listing) {
  if (listing == Listing::elsewhere) {
    return fmt::format("{}, see below (default: {})", description, names.front());
  }
  return fmt::format("{}: {} (default: {})", description, fmt::join(names, ", "), names.front());
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::callback(const std::function<void()>& call) { app_->callback(call); }

bool Command::given(const std::string& flag) const { return app_->count(flag) > 0; }

std::optional<Ending> parse(const Arguments& arguments, const Program& program,
                            const std::function<void(Command)>& add_all) {
  CLI::App app(program.description, program.name);
  app.footer(program.footer);
  app.get_formatter()->label("REQUIRED", "(required)");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("{} {}", program.name, program.version),
                       "Print the version and exit");
  add_all(Command(app));
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));  // CLI11 takes the last first
  } catch (const CLI::CallForVersion& call) {
    return Ending{ExitCode::good, fmt::format("{}\n", call.what())};
  } catch (const CLI::CallForHelp&) {
    return Ending{ExitCode::good, app.help()};
  } catch (const CLI::ParseError& error) {
    return Ending{ExitCode::bad_usage, usage_error(app, arguments, error)};
  }
  return std::nullopt;
}

}  // namespace kallima::cli
