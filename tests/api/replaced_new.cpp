// SPDX-License-Identifier: BSD-3-Clause
#include "api/replaced_new.hpp"

#include <cstdlib>
#include <new>

namespace {

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const data = kallima::test::allocate_for_test(bytes, alignment);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, usual); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return kallima::test::allocate_for_test(bytes, usual);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return kallima::test::allocate_for_test(bytes, usual);
}
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return kallima::test::allocate_for_test(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return kallima::test::allocate_for_test(bytes, static_cast<std::size_t>(a));
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete[](void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
void operator delete[](void* data, std::size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }
