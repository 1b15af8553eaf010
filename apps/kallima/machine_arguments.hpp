// SPDX-License-Identifier: BSD-3-Clause
//
// The machine that plan, predict, advise and bench price on.
#pragma once

#include <memory>
#include <string>

#include "kallima/machine.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): its name
class App;
}

namespace kallima::cli {

/// `--machine` of the command line, unread.
struct MachineArguments {
  std::string name;

  void add_to(CLI::App& command);
  /// The machine that was named, or the default one. FileError, ParseError.
  [[nodiscard]] std::shared_ptr<const Machine> machine() const;
};

/// One line that says on what prices are, and that nothing was measured where that is so.
std::string priced_on(const Machine& machine);

}  // namespace kallima::cli
