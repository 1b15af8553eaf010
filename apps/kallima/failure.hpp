// SPDX-License-Identifier: BSD-3-Clause
//
// From what was thrown to what is printed and how the program ends.
#pragma once

#include <string>

#include "command.hpp"

namespace kallima::cli {

/// An exception as the user of the program sees it.
struct Failure {
  ExitCode code = ExitCode::machine_failed;
  std::string text;        ///< lines for standard error
  bool everywhere = true;  ///< all ranks have it; otherwise the others may wait for this one
};

/// What is being handled; to be called in a catch block.
Failure current_failure();

}  // namespace kallima::cli
