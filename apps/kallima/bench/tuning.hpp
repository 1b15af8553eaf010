// SPDX-License-Identifier: BSD-3-Clause
//
// `bench --tune-into` and `--plans`: plan wisdom on the command line.
#pragma once

#include <string>

#include "contender.hpp"

namespace kallima::cli {

/// Tunes, and remembers the fastest plan in the file that the task names. Returns a table of what
/// was tried. Collective; FileError alike.
std::string tune_into(const Session& session, const Task& task);

/// Whether the file of plans that the task names can be read. Says to standard error why it is
/// ignored, or that it has nothing for the task.
/// Collective.
bool has_plans(const Session& session, const Task& task);

}  // namespace kallima::cli
