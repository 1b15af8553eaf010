// SPDX-License-Identifier: BSD-3-Clause
//
// A key under which communicators hold something of the library's. MPI frees it when its owner has
// done so and the last attribute under it is gone; one that is destroyed before goes to the
// process's keeper.
#pragma once

#include <mpi.h>

#include "comm/keeper.hpp"

namespace kallima::comm {

class AttributeKey {
 public:
  /// None.
  AttributeKey() : mine_(1) {}
  /// One whose attributes duplicates of a communicator do not have, and that has `deleted` called
  /// for each that goes.
  explicit AttributeKey(MPI_Comm_delete_attr_function* deleted);

  AttributeKey(const AttributeKey&) = delete;
  AttributeKey& operator=(const AttributeKey&) = delete;
  AttributeKey(AttributeKey&& other) noexcept = default;
  AttributeKey& operator=(AttributeKey&& other) noexcept;
  /// Calls no MPI.
  ~AttributeKey() { leave(); }

  [[nodiscard]] int get() const { return mine_.front().key; }
  /// Frees it. Local; returns MPI's code, and does nothing where there is none.
  int free() noexcept;

 private:
  void leave() noexcept;

  Leftovers mine_;  // one; none when moved from
};

}  // namespace kallima::comm
