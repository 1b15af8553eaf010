// SPDX-License-Identifier: BSD-3-Clause
//
// Memory as a user's own program has it, for those who measure: without the huge pages that the
// library asks for, but aligned as it should be.
#pragma once

#include <new>

#include "kallima/buffer.hpp"

namespace kallima {

/// What `new` gives.
class PlainMemory final : public MemorySource {
 public:
  void* allocate(std::size_t bytes) noexcept override {
    return ::operator new(bytes, alignment, std::nothrow);
  }
  void release(void* data, std::size_t /*bytes*/) noexcept override {
    ::operator delete(data, alignment);
  }

 private:
  static constexpr std::align_val_t alignment{64};
};

}  // namespace kallima
