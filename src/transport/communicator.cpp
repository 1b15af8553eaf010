// SPDX-License-Identifier: BSD-3-Clause
#include "transport/communicator.hpp"

#include <array>
#include <mutex>
#include <string>

#include "kallima/error.hpp"

namespace kallima::transport {

namespace {

using Holder = std::shared_ptr<Communicator>;

extern "C" int kallima_forget_communicator(MPI_Comm, int, void* attribute, void*) {
  auto* const holder = static_cast<Holder*>(attribute);
  (*holder)->alive = false;
  const int code = MPI_Comm_free(&(*holder)->comm);
  delete holder;
  return code;
}

extern "C" int kallima_forget_key(MPI_Comm, int, void* attribute, void*) {
  return MPI_Comm_free_keyval(static_cast<int*>(attribute));
}

/// MPI's key for our attribute. It names a slot in every communicator of the process. MPI_Finalize
/// begins with the attributes of MPI_COMM_SELF; one of them gives the key back.
int attribute_key() {
  static std::mutex lock;
  static int key = MPI_KEYVAL_INVALID;
  const std::lock_guard guard(lock);
  if (key == MPI_KEYVAL_INVALID) {
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, kallima_forget_communicator, &key, nullptr),
          "MPI_Comm_create_keyval");
    int at_end = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, kallima_forget_key, &at_end, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, at_end, &key), "MPI_Comm_set_attr");
    check(MPI_Comm_free_keyval(&at_end), "MPI_Comm_free_keyval");  // it goes with its attribute
  }
  return key;
}

/// Ranks that share this one's memory. Collective.
int count_on_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int count = 1;
  check(MPI_Comm_size(node, &count), "MPI_Comm_size");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  return count;
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  throw MpiFailure(std::string(call) +
                   " failed: " + std::string(words.data(), static_cast<std::size_t>(length)));
}

std::shared_ptr<const Communicator> Communicator::of(MPI_Comm user) {
  int running = 0;
  MPI_Initialized(&running);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (running == 0 || finalized != 0) {
    throw InvalidOption("MPI is not running; make transforms between MPI_Init and MPI_Finalize");
  }
  if (user == MPI_COMM_NULL) {
    throw InvalidOption("the communicator is MPI_COMM_NULL; pass one that this rank belongs to");
  }
  int inter = 0;
  check(MPI_Comm_test_inter(user, &inter), "MPI_Comm_test_inter");
  if (inter != 0) {
    throw InvalidOption("the communicator is an intercommunicator; merge it (MPI_Intercomm_merge)");
  }
  const int key = attribute_key();
  void* attribute = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(user, key, static_cast<void*>(&attribute), &found), "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<Holder*>(attribute);

  auto fresh = std::make_shared<Communicator>();
  check(MPI_Comm_dup(user, &fresh->comm), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(fresh->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(fresh->comm, &fresh->rank), "MPI_Comm_rank");
  check(MPI_Comm_size(fresh->comm, &fresh->size), "MPI_Comm_size");
  fresh->ranks_on_node = count_on_node(fresh->comm);
  auto holder = std::make_unique<Holder>(fresh);
  check(MPI_Comm_set_attr(user, key, holder.get()), "MPI_Comm_set_attr");
  static_cast<void>(holder.release());  // the attribute holds it now
  return fresh;
}

void Communicator::require_alive() const {
  if (!alive) {
    throw StaleCommunicator(
        "the communicator of this transform was freed; free it after the transform's last run");
  }
}

}  // namespace kallima::transport
