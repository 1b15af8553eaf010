// SPDX-License-Identifier: BSD-3-Clause
//
// operator new of the whole program, for tests that watch it: it asks allocate_for_test(), which
// each of them defines. Null is out of memory.
#pragma once

#include <cstddef>

namespace kallima::test {

void* allocate_for_test(std::size_t bytes, std::size_t alignment) noexcept;

}  // namespace kallima::test
