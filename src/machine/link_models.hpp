// SPDX-License-Identifier: BSD-3-Clause
//
// A machine's link as each of the models of messages.hpp sees it.
#pragma once

#include "kallima/cost.hpp"
#include "machine/figures.hpp"

namespace kallima {

/// Seconds of an exchange in which the busiest rank sends and receives so many messages of so many
/// bytes together.
double exchange_seconds(Model model, const Link& link, Index messages, Index bytes);

/// Of these, what does not depend on the bytes.
double latency_seconds(Model model, const Link& link, Index messages);

/// Seconds per byte of large messages; 0 where the machine does not say.
double large_per_byte(const Link& link);

}  // namespace kallima
