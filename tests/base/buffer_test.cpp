// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/buffer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <type_traits>

#include "kallima/error.hpp"

namespace kallima {
namespace {

/// Counts what is asked of it, and has nothing above `limit` bytes.
class CountingSource final : public MemorySource {
 public:
  explicit CountingSource(std::size_t limit) : limit_(limit), host_(host_memory()) {}

  void* allocate(std::size_t bytes) noexcept override {
    ++asked;
    if (bytes > limit_) return nullptr;
    void* const data = host_->allocate(bytes);
    live[data] = bytes;
    return data;
  }
  void release(void* data, std::size_t bytes) noexcept override {
    ++released;
    const auto at = live.find(data);
    if (at == live.end() || at->second != bytes) {
      ++wrong;
      return;
    }
    live.erase(at);
    host_->release(data, bytes);
  }

  int asked = 0;
  int released = 0;
  int wrong = 0;
  std::map<void*, std::size_t> live;

 private:
  std::size_t limit_;
  std::shared_ptr<MemorySource> host_;
};

TEST(Buffer, host_memory_is_aligned_to_cache_lines_and_writable) {
  const auto source = host_memory();
  EXPECT_EQ(source->kind(), MemoryKind::host);
  for (const Index bytes : {1, 63, 64, 65, 4096, 1000003}) {
    const Buffer buffer(source, bytes, "a test");
    ASSERT_NE(buffer.view().data, nullptr);
    EXPECT_EQ(buffer.view().bytes, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.view().data) % 64, 0U);
    std::memset(buffer.view().data, 0x5a, static_cast<std::size_t>(bytes));
  }
}

TEST(Buffer, a_source_without_memory_is_an_error_that_names_what_it_was_for) {
  const auto source = std::make_shared<CountingSource>(100);
  try {
    const Buffer buffer(source, 1536, "workspace");
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_STREQ(error.what(),
                 "no memory for 1.5 KiB of workspace; use more ranks or fewer per node");
  }
  EXPECT_EQ(source->asked, 1);
  EXPECT_EQ(source->released, 0);
}

TEST(Buffer, memory_is_released_exactly_once_with_its_size) {
  const auto source = std::make_shared<CountingSource>(1000);
  { const Buffer buffer(source, 96, "a test"); }
  EXPECT_EQ(source->asked, 1);
  EXPECT_EQ(source->released, 1);
  EXPECT_EQ(source->wrong, 0);
  EXPECT_TRUE(source->live.empty());
}

TEST(Buffer, a_moved_buffer_takes_its_memory_along) {
  const auto source = std::make_shared<CountingSource>(1000);
  {
    Buffer first(source, 96, "a test");
    std::byte* const data = first.view().data;
    const Buffer second(std::move(first));
    EXPECT_EQ(second.view().data, data);
    EXPECT_EQ(second.view().bytes, 96);
    EXPECT_EQ(source->released, 0);
  }
  EXPECT_EQ(source->released, 1);
  EXPECT_EQ(source->wrong, 0);
}

TEST(Buffer, move_assignment_releases_both_sides_once) {
  const auto source = std::make_shared<CountingSource>(1000);
  {
    Buffer a(source, 64, "a test");
    Buffer b(source, 128, "a test");
    std::byte* const data = b.view().data;
    a = std::move(b);
    EXPECT_EQ(a.view().data, data);
    EXPECT_EQ(a.view().bytes, 128);
    Buffer& same = a;
    a = std::move(same);
    EXPECT_EQ(a.view().data, data);
    a = Buffer();
    EXPECT_EQ(a.view().data, nullptr);
    EXPECT_EQ(a.view().bytes, 0);
  }
  EXPECT_EQ(source->released, 2);
  EXPECT_EQ(source->wrong, 0);
  EXPECT_TRUE(source->live.empty());
}

TEST(Buffer, a_buffer_keeps_its_source_alive) {
  std::weak_ptr<CountingSource> watched;
  {
    auto source = std::make_shared<CountingSource>(1000);
    watched = source;
    const Buffer buffer(std::move(source), 64, "a test");
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(Buffer, no_bytes_ask_nobody_for_memory) {
  const auto source = std::make_shared<CountingSource>(1000);
  { const Buffer buffer(source, 0, "nothing"); }
  EXPECT_EQ(source->asked, 0);
  EXPECT_EQ(source->released, 0);
}

TEST(Buffer, no_bytes_need_no_source) {
  const Buffer buffer(nullptr, 0, "nothing");
  EXPECT_EQ(buffer.view().data, nullptr);
  EXPECT_EQ(buffer.view().bytes, 0);
  EXPECT_EQ(buffer.view().memory, MemoryKind::host);
}

TEST(Buffer, buffers_cannot_be_copied) {
  static_assert(!std::is_copy_constructible_v<Buffer>);
  static_assert(!std::is_copy_assignable_v<Buffer>);
  static_assert(std::is_nothrow_move_constructible_v<Buffer>);
  static_assert(std::is_nothrow_move_assignable_v<Buffer>);
}

}  // namespace
}  // namespace kallima
