// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/buffer.hpp"

#include <new>

#include "base/text.hpp"

namespace kallima {

namespace {

class HostMemory final : public MemorySource {
 public:
  void* allocate(std::size_t bytes) noexcept override {
    return ::operator new (bytes, std::align_val_t{64}, std::nothrow);
  }
  void release(void* data, std::size_t /*bytes*/) noexcept override {
    // Not the sized form: Clang declares it only with -fsized-deallocation.
    ::operator delete (data, std::align_val_t{64});
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
