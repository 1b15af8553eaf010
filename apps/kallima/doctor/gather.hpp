// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "facts.hpp"
#include "session.hpp"
#include "terminal.hpp"

namespace kallima::cli::doctor {

/// Looks at every rank and node and measures. Collective; rank 0 has all of it, the others only
/// what they needed for it. A few seconds.
Facts gathered(const Session& session, Progress& progress);

/// Whose MPI calls itself so.
Family family_of(const std::string& library);

}  // namespace kallima::cli::doctor
