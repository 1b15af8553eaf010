// SPDX-License-Identifier: BSD-3-Clause
//
// The fall-back: one rank transforms everything while the others wait. Right, and slow; the plan's
// text says how many ranks hold data.
#include "planner/decompositions.hpp"

namespace kallima {

void propose_gather(const Shape& shape, Proposals& next) {
  next.push_back(Layout::block(shape, std::vector<Index>(shape.size(), 1)));
}

}  // namespace kallima
