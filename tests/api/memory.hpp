// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that counts what it is asked for, and fails when told to.
#pragma once

#include <cstddef>
#include <new>

#include "kallima/buffer.hpp"

namespace kallima::test {

class CountingMemory : public MemorySource {
 public:
  /// The `failing`-th allocation from now on fails; 0 is never.
  void fail_at(int failing) {
    failing_ = failing;
    since_ = 0;
  }
  void* allocate(std::size_t bytes) noexcept override {
    ++allocations;
    if (++since_ == failing_) return nullptr;
    asked += static_cast<Index>(bytes);
    alive += static_cast<Index>(bytes);
    return ::operator new (bytes, std::align_val_t{64}, std::nothrow);
  }
  void release(void* data, std::size_t bytes) noexcept override {
    alive -= static_cast<Index>(bytes);
    ::operator delete (data, std::align_val_t{64});
  }

  Index asked = 0;  ///< bytes ever given
  Index alive = 0;  ///< bytes not given back
  int allocations = 0;

 private:
  int failing_ = 0;
  int since_ = 0;
};

}  // namespace kallima::test
