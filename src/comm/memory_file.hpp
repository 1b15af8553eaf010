// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that processes of a node share: a file that lives in memory and has no name, so that
// nothing is left of it when the last process that has it open or mapped is gone. Others open it by
// its number in the process that made it. See docs/decisions/0009.
//
// All of it is reserved before it is written, in steps, and before each step there must be memory
// left for one step of everybody. A look before, however exact, is of no use alone: others may have
// looked at the same moment, and seen the same memory. Rejected: a lock over all processes of a
// node (it would have to have a name, and memory is zeroed by one core at a time while it is held).
#pragma once

#include <cstddef>
#include <functional>

#include "comm/node_memory.hpp"
#include "kallima/index.hpp"

namespace kallima::comm {

/// An open file in memory, or none.
class MemoryFile {
 public:
  /// A new one of this process. Nothing is open where the system has no such files.
  static MemoryFile make();
  /// That of another process, by its number there, for reading and writing. It is looked at before
  /// it is opened, and left alone unless it is a file of this kind, made by this library for this
  /// user, of so many bytes: process numbers mean something else in another container, and to open
  /// a device or a pipe of a stranger's may do something. Whether it is the one that is meant, its
  /// content has to tell.
  static MemoryFile of(Index process, Index number, Index bytes);

  MemoryFile(const MemoryFile&) = delete;
  MemoryFile(MemoryFile&&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }

  /// Makes it so many bytes of zeros, which are there for good. False where they are not to be had;
  /// nothing is held then. `left` bytes of the node have to be available before each step. Local.
  [[nodiscard]] bool reserve(Index bytes, Index left, const NodeMemory& node) const;

  /// Its memory, or null. Unmapped by munmap; the file need not stay open.
  [[nodiscard]] std::byte* map(Index bytes) const;

 private:
  explicit MemoryFile(int number) : number_(number) {}

  int number_;
};

/// Bytes that a file of this process may have (`ulimit -f`): beyond, reserving would not fail but
/// raise a signal that ends the process.
Index most_file_bytes();

/// Bytes of one step in reserving so many: a thirty-second, or a mebibyte if that is more.
Index step_of(Index bytes);

/// Calls allocate(at, bytes), which returns an error number or 0, for one step after the other of
/// so many bytes, and look() before each. A step that a signal has interrupted is begun again, in
/// halves if need be: systems undo what they have of it, and a timer must not keep it from ever
/// being through. True where all is there.
bool reserve_in_steps(Index bytes, const std::function<bool()>& look,
                      const std::function<int(Index, Index)>& allocate);

}  // namespace kallima::comm
