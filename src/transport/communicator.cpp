// SPDX-License-Identifier: BSD-3-Clause
#include "transport/communicator.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
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

/// How many ranks in a row are to be taken for a node, as the environment says; 0 where it does
/// not. Rank 0 reads it for all.
int wanted_on_node(MPI_Comm comm) {
  const char* const text = std::getenv("KALLIMA_RANKS_PER_NODE");
  int wanted = text == nullptr ? 0 : std::max(0, std::atoi(text));
  check(MPI_Bcast(&wanted, 1, MPI_INT, 0, comm), "MPI_Bcast");
  return wanted;
}

/// Finds who shares this rank's memory. Collective.
void look_around(Communicator& fresh) {
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(fresh.comm, MPI_COMM_TYPE_SHARED, fresh.rank, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  const int wanted = wanted_on_node(fresh.comm);
  if (wanted > 0) {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(node, fresh.rank / wanted, fresh.rank, &part), "MPI_Comm_split");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
    node = part;
  }
  check(MPI_Comm_size(node, &fresh.ranks_on_node), "MPI_Comm_size");
  std::array<int, 2> ends = {fresh.rank, -fresh.rank};
  check(MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_INT, MPI_MIN, node), "MPI_Allreduce");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  fresh.first_on_node = ends[0];
  const int last = -ends[1];
  fresh.ranks_per_node = fresh.ranks_on_node;
  check(MPI_Bcast(&fresh.ranks_per_node, 1, MPI_INT, 0, fresh.comm), "MPI_Bcast");
  const int each = fresh.ranks_per_node;
  const bool in_row = last - ends[0] + 1 == fresh.ranks_on_node && ends[0] % each == 0 &&
                      fresh.ranks_on_node == std::min(each, fresh.size - ends[0]);
  int all = in_row ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, fresh.comm), "MPI_Allreduce");
  fresh.nodes_in_rows = all != 0;
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
  look_around(*fresh);
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
