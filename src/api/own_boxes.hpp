// SPDX-License-Identifier: BSD-3-Clause
//
// Where each rank gives only what it holds itself, the layout is what all ranks give together.
#pragma once

#include "comm/agreement.hpp"
#include "kallima/problem.hpp"
#include "kallima/transform.hpp"

namespace kallima {

/// Replaces own boxes in Options::in and Options::out by the layouts of all ranks. Where there are
/// some, all ranks throw what is wrong with them, or with anything before; ranks whose verdict is
/// bad already take part all the same. Collective: one reduction of 16 bytes, and where there are
/// own boxes a gathering of their texts and an agreement.
void gather_own_boxes(const comm::Communicator& communicator, const Problem& problem,
                      Options& options, comm::Verdict& verdict);

}  // namespace kallima
