// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/buffer.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/text.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

/// Large arrays lie on huge pages where the system has them for the asking: sweeps walk through
/// memory in long strides, and small pages would cost a look at the page table each.
constexpr std::size_t huge_page = std::size_t{1} << 21;

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= 4 * huge_page ? huge_page : 64};
}

class HostMemory final : public MemorySource {
 public:
  void* allocate(std::size_t bytes) noexcept override {
    void* const data = ::operator new(bytes, alignment_of(bytes), std::nothrow);
#ifdef MADV_HUGEPAGE
    if (data != nullptr && bytes >= 4 * huge_page) {
      madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE);  // advice; a refusal is no error
    }
#endif
    return data;
  }
  void release(void* data, std::size_t bytes) noexcept override {
    // Not the sized form: Clang declares it only with -fsized-deallocation.
    ::operator delete(data, alignment_of(bytes));
  }
};

}  // namespace

std::shared_ptr<MemorySource> host_memory() { return std::make_shared<HostMemory>(); }

Buffer::Buffer(std::shared_ptr<MemorySource> source, Index bytes, const char* what)
    : source_(std::move(source)) {
  if (source_ != nullptr) view_.memory = source_->kind();
  if (bytes == 0) return;
  view_.data = static_cast<std::byte*>(source_->allocate(static_cast<std::size_t>(bytes)));
  if (view_.data == nullptr) {
    throw OutOfMemory("no memory for " + text::bytes(bytes) + " of " + what +
                      "; use more ranks or fewer per node");
  }
  view_.bytes = bytes;
}

Buffer::~Buffer() {
  if (view_.data != nullptr) source_->release(view_.data, static_cast<std::size_t>(view_.bytes));
}

}  // namespace kallima
