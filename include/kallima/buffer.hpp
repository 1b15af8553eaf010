// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that knows what kind it is. Sweeps and exchanges take views of buffers, not raw pointers,
// so that arrays in another kind of memory are an engine and a method more, not a rewrite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "kallima/export.h"
#include "kallima/index.hpp"

namespace kallima {

/// Kinds of memory an array can lie in.
enum class MemoryKind : std::uint8_t { host };

/// Bytes somewhere.
struct BufferView {
  std::byte* data = nullptr;             ///< first byte
  Index bytes = 0;                       ///< how many
  MemoryKind memory = MemoryKind::host;  ///< where
};

/// Where the library gets memory from. Derive from it to give it your own; calls come from one
/// thread per rank, while planning and in make_input and make_output, never while running.
class KALLIMA_API MemorySource {
 public:
  MemorySource() = default;
  MemorySource(const MemorySource&) = delete;
  MemorySource(MemorySource&&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;
  MemorySource& operator=(MemorySource&&) = delete;
  virtual ~MemorySource() = default;

  /// `bytes` > 0 bytes aligned to 64, or nullptr where they cannot be had.
  virtual void* allocate(std::size_t bytes) noexcept = 0;
  /// Gives back what allocate returned.
  virtual void release(void* data, std::size_t bytes) noexcept = 0;
  /// The kind of memory it returns.
  [[nodiscard]] virtual MemoryKind kind() const noexcept { return MemoryKind::host; }
};

/// Memory of the process, aligned to cache lines.
KALLIMA_API std::shared_ptr<MemorySource> host_memory();

/// Bytes that belong to their holder.
class KALLIMA_API Buffer {
 public:
  /// No bytes.
  Buffer() = default;
  /// OutOfMemory, naming `what`, where the source has none. Zero bytes need no source.
  Buffer(std::shared_ptr<MemorySource> source, Index bytes, const char* what);
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  /// The bytes.
  [[nodiscard]] BufferView view() const noexcept { return view_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(source_, other.source_);
    std::swap(view_, other.view_);
  }

  std::shared_ptr<MemorySource> source_;
  BufferView view_;
};

}  // namespace kallima
