// SPDX-License-Identifier: BSD-3-Clause
//
// Where a time was measured. No time is printed without it.
#pragma once

#include <string>

#include "session.hpp"

namespace kallima::cli {

/// Name of the host that this rank runs on.
std::string host_name();

/// MPI and its version: "Open MPI v4.1.4", "MPICH 4.0.2".
std::string library_version();

/// "4 ranks on 1 node, Open MPI v4.1.4, host tern (Intel Xeon ...)", as seen by this rank.
std::string here(const Session& session);

}  // namespace kallima::cli
