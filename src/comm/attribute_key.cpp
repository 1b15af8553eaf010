// SPDX-License-Identifier: BSD-3-Clause
#include "comm/attribute_key.hpp"

#include <utility>

#include "comm/communicator.hpp"

namespace kallima::comm {

AttributeKey::AttributeKey(MPI_Comm_delete_attr_function* deleted) : mine_(1) {
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &mine_.front().key, nullptr),
        "MPI_Comm_create_keyval");
}

AttributeKey& AttributeKey::operator=(AttributeKey&& other) noexcept {
  if (this == &other) return *this;
  leave();
  mine_ = std::move(other.mine_);
  return *this;
}

int AttributeKey::free() noexcept {
  return get() == MPI_KEYVAL_INVALID ? MPI_SUCCESS : MPI_Comm_free_keyval(&mine_.front().key);
}

void AttributeKey::leave() noexcept {
  if (!mine_.empty() && get() != MPI_KEYVAL_INVALID) Keeper::of_process()->take(mine_);
}

}  // namespace kallima::comm
