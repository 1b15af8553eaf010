// SPDX-License-Identifier: BSD-3-Clause
//
// Where duplicates are made, shared out and freed. Destructors call no MPI, so what belongs to a
// communicator that the user has freed while a transform still used it waits in a registry, and is
// freed when the library next makes duplicates for a communicator that has all its ranks, or by
// MPI_Finalize. The registry is an attribute of MPI_COMM_SELF, whose attributes MPI_Finalize
// deletes before anything else.
#include "comm/family.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <string>

#include "base/file.hpp"
#include "comm/attribute_key.hpp"
#include "comm/collectives.hpp"
#include "comm/requests.hpp"
#include "kallima/error.hpp"

namespace kallima::comm {

namespace {

using Holder = std::shared_ptr<Family>;

/// What this process knows of all its families.
struct Registry {
  AttributeKey key;  ///< of the attribute that a user's communicator holds
  std::mutex mutex;  ///< over the lists
  std::vector<std::shared_ptr<Family>> families;  ///< all that are not freed
  std::vector<std::shared_ptr<Family>> orphans;   ///< of these, whose communicator is gone
};

std::mutex& registry_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Null before the first use and after MPI_Finalize.
Registry*& registry_slot() {
  static Registry* registry = nullptr;
  return registry;
}

void remove(std::vector<std::shared_ptr<Family>>& list, const Family& family) {
  std::erase_if(list, [&](const std::shared_ptr<Family>& one) { return one.get() == &family; });
}

/// The user frees a communicator. Collective, as MPI_Comm_free is: so all ranks can say whether
/// they still use a duplicate.
void leave(Registry& registry, const std::shared_ptr<Family>& family) {
  if (family->first->duplicate->closed) return;
  bool free = false;
  if (!family->broken()) {
    try {
      family->first->watchdog->begin("MPI_Comm_free", family->first->deadline);
      free = everywhere(*family->first, family->can_be_freed());
    } catch (const Error&) {
      free = false;
    }
  }
  if (free) family->free();
  const std::lock_guard lock(registry.mutex);
  if (free) {
    remove(registry.families, *family);
  } else {
    registry.orphans.push_back(family);
  }
}

extern "C" int kallima_forget_communicator(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<Holder> holder(static_cast<Holder*>(attribute));
  Registry* const registry = registry_slot();
  if (registry != nullptr) leave(*registry, *holder);
  return MPI_SUCCESS;
}

/// MPI_Finalize begins.
extern "C" int kallima_forget_all(MPI_Comm, int, void* attribute, void*) {
  const std::lock_guard lock(registry_mutex());
  const std::unique_ptr<Registry> registry(static_cast<Registry*>(attribute));
  registry_slot() = nullptr;
  for (const std::shared_ptr<Family>& family : registry->families) family->free();
  // What remains with the keepers stays: MPI_Finalize may still move the messages of calls that
  // have failed.
  Keeper::of_process()->free_handles();
  return registry->key.free();
}

Registry& registry() {
  const std::lock_guard guard(registry_mutex());
  Registry*& slot = registry_slot();
  if (slot != nullptr) return *slot;
  auto fresh = std::make_unique<Registry>();
  fresh->key = AttributeKey(kallima_forget_communicator);
  AttributeKey at_end(kallima_forget_all);
  check(MPI_Comm_set_attr(MPI_COMM_SELF, at_end.get(), fresh.get()), "MPI_Comm_set_attr");
  slot = fresh.release();
  check(at_end.free(), "MPI_Comm_free_keyval");  // it goes with its attribute
  return *slot;
}

/// What every rank tells the others when a communicator is first used.
struct Introduction {
  std::uint64_t node = 0;    ///< what its node is called
  std::int64_t token = 0;    ///< rank 0's names the family
  std::int64_t orphan = 0;   ///< a family that this rank could free; 0: none
  double deadline = 0.;      ///< rank 0's is everybody's
  std::int32_t wanted = 0;   ///< rank 0's: ranks in a row that are to be taken for a node; 0: all
  std::int32_t threads = 0;  ///< this rank may call MPI from several threads
  Vectors vectors = Vectors::none;  ///< instructions that its processor has
};

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  }
  return hash;
}

/// Ranks with the same text can share memory: one system, and process numbers that mean the same.
std::string node_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  std::string text(name.data(), static_cast<std::size_t>(length));
  std::array<char, 64> space{};
  const ssize_t read = readlink("/proc/self/ns/pid", space.data(), space.size());
  if (read > 0) text.append(space.data(), static_cast<std::size_t>(read));
  return text + text_if_readable("/proc/sys/kernel/random/boot_id");
}

std::int64_t fresh_token() {
  std::random_device random;
  const std::uint64_t bits = (static_cast<std::uint64_t>(random()) << 32U) | random();
  return static_cast<std::int64_t>(bits >> 2U) + 1;
}

/// Seconds that KALLIMA_DEADLINE names; 0: none; less: it is not a number of seconds.
double deadline_of_environment() {
  const char* const text = std::getenv("KALLIMA_DEADLINE");
  if (text == nullptr || *text == '\0') return 0.;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  return *end == '\0' && seconds >= 0. ? seconds : -1.;
}

int ranks_wanted_on_node() {
  const char* const text = std::getenv("KALLIMA_RANKS_PER_NODE");
  return text == nullptr ? 0 : std::max(0, std::atoi(text));
}

/// Who shares memory with whom.
NodeMapping mapping(const std::vector<Introduction>& all, int rank) {
  struct Node {
    int first = 0;
    int last = 0;
    int count = 0;
  };
  const int wanted = all.front().wanted;
  const auto key_of = [&](int r) {
    return std::pair(all[static_cast<std::size_t>(r)].node, wanted > 0 ? r / wanted : 0);
  };
  const auto ranks = static_cast<int>(all.size());
  std::map<std::pair<std::uint64_t, int>, Node> nodes;
  for (int r = 0; r < ranks; ++r) {
    Node& node = nodes[key_of(r)];
    if (node.count++ == 0) node.first = r;
    node.last = r;
  }
  const Node& mine = nodes[key_of(rank)];
  NodeMapping result;
  result.vectors = all.front().vectors;
  result.ranks_on_node = mine.count;
  result.first_on_node = mine.first;
  for (const Introduction& one : all) result.vectors = std::min(result.vectors, one.vectors);
  const int each = nodes[key_of(0)].count;
  result.ranks_per_node = each;
  result.nodes_in_rows = std::all_of(nodes.begin(), nodes.end(), [&](const auto& entry) {
    const Node& node = entry.second;
    return node.last - node.first + 1 == node.count && node.first % each == 0 &&
           node.count == std::min(each, ranks - node.first);
  });
  return result;
}

bool more_ranks_than_cores(const std::vector<Introduction>& all, int rank) {
  const std::uint64_t mine = all[static_cast<std::size_t>(rank)].node;
  const auto ranks = std::count_if(all.begin(), all.end(),
                                   [&](const Introduction& one) { return one.node == mine; });
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 && ranks > cores;
}

/// A family whose communicator is gone and that this rank does not use, behind `after`.
std::shared_ptr<Family> orphan_behind(Registry& registry, std::int64_t after) {
  const std::lock_guard lock(registry.mutex);
  std::shared_ptr<Family> result;
  for (const std::shared_ptr<Family>& family : registry.orphans) {
    if (!family->can_be_freed() || family->id <= after) continue;
    if (!result || family->id < result->id) result = family;
  }
  return result;
}

/// Frees orphans all of whose ranks are here and no longer use them. Collective; costs two
/// reductions for each that some rank could free.
void free_orphans(Registry& registry, const Communicator& here, std::int64_t lowest) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  while (lowest != none) {
    const std::shared_ptr<Family> mine = orphan_behind(registry, lowest - 1);
    const bool member = mine && mine->id == lowest;
    std::int64_t ready = member ? 1 : 0;
    all_reduce(here, {&ready, 1}, MPI_SUM);
    if (member && ready == mine->first->size) {
      mine->free();
      const std::lock_guard lock(registry.mutex);
      remove(registry.orphans, *mine);
      remove(registry.families, *mine);
    }
    const std::shared_ptr<Family> next = orphan_behind(registry, lowest);
    lowest = next ? next->id : none;
    all_reduce(here, {&lowest, 1}, MPI_MIN);
  }
}

/// Begins to duplicate. SimGrid's MPI has no MPI_Comm_idup; its ranks do not fail.
int begin_duplicating(MPI_Comm comm, MPI_Comm* fresh, [[maybe_unused]] MPI_Request* request) {
#ifdef SMPI_H
  return MPI_Comm_dup(comm, fresh);
#else
  return MPI_Comm_idup(comm, fresh, request);
#endif
}

/// A duplicate of a communicator. Collective. `watchdog` is that of the call.
std::shared_ptr<Duplicate> duplicated(MPI_Comm comm, Watchdog& watchdog) {
  auto fresh = std::make_shared<Duplicate>();
  Requests request(Keeper::of_process(), 1, fresh);  // MPI may write to it until it is through
  watchdog.at("duplicating the communicator");
  request.mark_started();
  check(begin_duplicating(comm, fresh->comm.slot(), &request[0]), "MPI_Comm_idup");
  request.wait(watchdog, 0);
  check(MPI_Comm_set_errhandler(fresh->comm.get(), MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return fresh;
}

void require_communicator(MPI_Comm user) {
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
}

/// Makes the family of a communicator. Collective.
std::shared_ptr<Family> make_family(Registry& registry, MPI_Comm user, double deadline,
                                    double began) {
  auto family = std::make_shared<Family>();
  family->first = std::make_shared<Communicator>();
  Communicator& first = *family->first;
  check(MPI_Comm_rank(user, &first.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(user, &first.size), "MPI_Comm_size");
  Introduction mine;
  mine.deadline = deadline_of_environment();
  if (deadline == 0.) deadline = std::max(0., mine.deadline);
  Watchdog alone(nullptr, first.rank, false);
  alone.begin("planning", deadline, began);
  try {
    first.duplicate = duplicated(user, alone);
  } catch (const MpiFailure& failure) {
    throw MpiFailure(alone.place() + ": " + failure.what());
  }
  first.comm = first.duplicate->comm.get();
  first.watchdog = std::make_unique<Watchdog>(first.duplicate.get(), first.rank, false);
  first.watchdog->begin("planning", deadline, began);
  first.watchdog->at("meeting the other ranks");

  mine.node = hash_of(node_name());
  mine.token = fresh_token();
  mine.wanted = ranks_wanted_on_node();
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  mine.threads = level == MPI_THREAD_MULTIPLE ? 1 : 0;
  mine.vectors = vectors_here();
  const std::shared_ptr<Family> orphan = orphan_behind(registry, 0);
  if (orphan) mine.orphan = orphan->id;

  const std::vector<Introduction> all = all_gather(first, mine);
  family->id = all.front().token;
  first.deadline = all.front().deadline;
  if (first.deadline < 0.) {
    family->free();
    throw InvalidOption(
        "KALLIMA_DEADLINE on rank 0 is no number of seconds; set it to one, or to 0 for none");
  }
  static_cast<NodeMapping&>(first) = mapping(all, first.rank);
  first.threads =
      std::all_of(all.begin(), all.end(), [](const Introduction& one) { return one.threads != 0; });
  family->crowded = more_ranks_than_cores(all, first.rank);
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (const Introduction& one : all) {
    if (one.orphan > 0) lowest = std::min(lowest, one.orphan);
  }
  free_orphans(registry, first, lowest);
  first.watchdog = std::make_unique<Watchdog>(first.duplicate.get(), first.rank, family->crowded);
  const std::lock_guard lock(registry.mutex);
  registry.families.push_back(family);
  return family;
}

}  // namespace

void free_at_finalize() { registry(); }

std::shared_ptr<Family> Family::of(MPI_Comm user, double deadline, double began) {
  require_communicator(user);
  Registry& all = registry();
  void* attribute = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(user, all.key.get(), static_cast<void*>(&attribute), &found),
        "MPI_Comm_get_attr");
  if (found != 0) {
    const Holder& known = *static_cast<Holder*>(attribute);
    if (!known->broken()) return known;
  }
  auto holder = std::make_unique<Holder>(make_family(all, user, deadline, began));
  Holder family = *holder;
  // Where there was a broken one, it is left to the registry.
  check(MPI_Comm_set_attr(user, all.key.get(), holder.get()), "MPI_Comm_set_attr");
  static_cast<void>(holder.release());  // the attribute holds it now
  return family;
}

std::shared_ptr<Communicator> Family::user(std::shared_ptr<Duplicate> duplicate) const {
  auto result = std::make_shared<Communicator>();
  static_cast<NodeMapping&>(*result) = *first;
  result->comm = duplicate->comm.get();
  result->rank = first->rank;
  result->size = first->size;
  result->threads = first->threads;
  result->deadline = first->deadline;
  result->watchdog = std::make_unique<Watchdog>(duplicate.get(), first->rank, crowded);
  result->duplicate = std::move(duplicate);
  return result;
}

/// The first that no rank uses; a new one; or, where there are too many, one that is shared.
std::shared_ptr<Duplicate> Family::choose(std::int64_t number) {
  std::array<std::int64_t, 2> masks{};  // unused and unbroken; unbroken
  for (std::size_t i = 0; i < of_transforms.size(); ++i) {
    Duplicate& one = *of_transforms[i];
    one.free_retired();
    if (one.broken) continue;
    masks[1] |= std::int64_t{1} << i;
    if (one.users == 0) masks[0] |= std::int64_t{1} << i;
  }
  all_reduce(*first, masks, MPI_BAND);
  for (std::size_t i = 0; i < of_transforms.size(); ++i) {
    if ((masks[0] >> i & 1) != 0) return of_transforms[i];
  }
  if (of_transforms.size() < most_duplicates) {
    first->or_fail([&] { of_transforms.push_back(duplicated(first->comm, *first->watchdog)); });
    return of_transforms.back();
  }
  std::vector<std::size_t> unbroken;
  first->or_fail([&] {
    for (std::size_t i = 0; i < of_transforms.size(); ++i) {
      if ((masks[1] >> i & 1) != 0) unbroken.push_back(i);
    }
  });
  if (unbroken.empty()) {
    throw BrokenTransform("calls on " + std::to_string(most_duplicates) +
                          " transforms on this communicator have failed; go on with a duplicate "
                          "of it (MPI_Comm_dup)");
  }
  return of_transforms[unbroken[static_cast<std::size_t>(number) % unbroken.size()]];
}

std::shared_ptr<const Communicator> Family::reserve(double deadline, double began) {
  if (deadline == 0.) deadline = first->deadline;
  const Call call(*first, "planning", deadline, began);
  first->watchdog->at("choosing a duplicate");
  const std::int64_t number = ++transforms;
  first->duplicate->free_retired();
  std::shared_ptr<Duplicate> chosen = first->threads ? choose(number) : first->duplicate;
  std::shared_ptr<Communicator> result;
  first->or_fail([&] { result = user(std::move(chosen)); });
  result->number = number;
  result->watchdog->begin("planning", deadline, began);
  if (result->duplicate != first->duplicate) result->watchdog->listen(first->duplicate);
  result->duplicate->users.fetch_add(1, std::memory_order_relaxed);
  return result;
}

std::vector<std::shared_ptr<Duplicate>> Family::duplicates() const {
  std::vector<std::shared_ptr<Duplicate>> all = of_transforms;
  all.push_back(first->duplicate);
  return all;
}

bool Family::can_be_freed() const {
  const auto all = duplicates();
  return std::all_of(all.begin(), all.end(), [](const std::shared_ptr<Duplicate>& one) {
    if (one->users != 0 || one->broken) return false;
    one->free_retired();
    return !one->keeper->has_active();
  });
}

void Family::free() {
  for (const std::shared_ptr<Duplicate>& one : duplicates()) {
    if (!one->broken) {
      one->free_retired();
      one->comm.free();
    }
    one->closed = true;
  }
}

}  // namespace kallima::comm
