// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "machine/network.hpp"

namespace kallima {

/// The links of this node, by what the system and the environment say: RDMA where there is an
/// adapter for it and nothing has MPI use TCP. Local; reads some small files of Linux.
Network network_here();

/// The same of a tree like /sys/class and an environment, which says nothing by null.
Network network_of(const std::string& classes,
                   const std::function<const char*(const char*)>& environment);

}  // namespace kallima
