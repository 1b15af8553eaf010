// SPDX-License-Identifier: BSD-3-Clause
#include "transport/windows.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <random>

#include "transport/memory_file.hpp"
#include "transport/node_memory.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace kallima::transport {

namespace {

constexpr Index page = 4096;
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// What stands in the first page of a rank's memory.
struct Head {
  std::atomic<std::uint64_t> arrivals{0};
  std::uint64_t token = 0;  ///< a number that no other memory has
  std::array<std::array<std::atomic<std::uint64_t>, Windows::mark_slots>, 2> marks{};
};
static_assert(sizeof(Head) <= page);

std::atomic<std::uint64_t>& mark_in(std::byte* base, Mark mark, std::size_t slot) {
  return reinterpret_cast<Head*>(base)->marks[static_cast<std::size_t>(mark)][slot];
}

/// How others find a rank's memory.
struct Address {
  std::uint64_t token = 0;
  Index process = 0;
  Index file = -1;  ///< negative: there is none
  std::array<Index, 2> bytes{};
};

Index in_pages(Index bytes) { return ceil_div(bytes, page) * page; }

Index total_bytes(const std::array<Index, 2>& bytes) {
  return page + in_pages(bytes[0]) + in_pages(bytes[1]);
}

/// The memory of another rank, or null where it is not what the address says.
std::byte* map_theirs(const Address& address, Index bytes) {
  const MemoryFile file = MemoryFile::of(address.process, address.file, bytes);
  std::byte* const base = file.is_open() ? file.map(bytes) : nullptr;
  if (base != nullptr && reinterpret_cast<const Head*>(base)->token != address.token) {
    munmap(base, static_cast<std::size_t>(bytes));
    return nullptr;
  }
  return base;
}

/// True where all ranks say so. Collective.
bool everywhere(const Communicator& communicator, bool mine) {
  const int one = mine ? 1 : 0;
  int all = 0;
  check(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MIN, communicator.comm), "MPI_Allreduce");
  return all != 0;
}

/// What all ranks of this rank's node are about to reserve; in numbers that do not overflow.
struct Demand {
  double bytes = 0.0;
  double steps = 0.0;  ///< of one step of each rank
  /// What has to be available before each step: others who reserve at the same moment, for other
  /// communicators, may see the same memory. It is enough for four of these, and an eighth of large
  /// windows.
  [[nodiscard]] double left() const { return 4.0 * steps; }
};

/// Collective.
Demand demand_of_node(const Communicator& communicator, Index mine) {
  std::vector<Index> bytes(static_cast<std::size_t>(communicator.size));
  check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, bytes.data(), sizeof mine, MPI_BYTE,
                      communicator.comm),
        "MPI_Allgather");
  Demand demand;
  const auto first = static_cast<std::size_t>(communicator.first_on_node);
  const auto count = static_cast<std::size_t>(communicator.ranks_on_node);
  for (std::size_t i = first; i < first + count; ++i) {
    demand.bytes += static_cast<double>(bytes[i]);
    demand.steps += static_cast<double>(step_of(bytes[i]));
  }
  return demand;
}

/// What `ask` answers, or false where it throws, as for want of memory: the other ranks wait for an
/// answer.
template <class Ask>
bool holds(const Ask& ask) {
  try {
    return ask();
  } catch (const std::exception&) {
    return false;
  }
}

std::uint64_t fresh_token() {
  std::random_device random;
  return (static_cast<std::uint64_t>(random()) << 32U) | random();
}

}  // namespace

std::unique_ptr<Windows> Windows::open(const Communicator& communicator,
                                       std::array<Index, 2> bytes) {
  if (!communicator.nodes_in_rows) return nullptr;
  const Index total = total_bytes(bytes);
  const Demand demand = demand_of_node(communicator, total);
  std::optional<NodeMemory> node;
  const bool fits = holds([&] {
    const auto available = static_cast<double>(node.emplace().available_bytes());
    return total <= most_file_bytes() && demand.bytes + demand.left() <= available;
  });
  if (!everywhere(communicator, fits)) return nullptr;
  std::unique_ptr<Windows> windows(new Windows);
  windows->first_ = communicator.first_on_node;
  windows->mine_ = static_cast<std::size_t>(communicator.rank - communicator.first_on_node);
  windows->parts_.resize(static_cast<std::size_t>(communicator.ranks_on_node));

  Address mine;
  mine.process = getpid();
  mine.bytes = bytes;
  mine.token = fresh_token();
  // Without a name; open until it is mapped by all, or given up by all.
  const MemoryFile file = MemoryFile::make();
  Part& own = windows->parts_[windows->mine_];
  if (holds([&] { return file.reserve(total, static_cast<Index>(demand.left()), *node); })) {
    own.bytes = static_cast<std::size_t>(total);
    own.base = file.map(total);
    if (own.base != nullptr) {
      auto* const head = new (own.base) Head;
      head->token = mine.token;
      mine.file = file.number();
    }
  }
  std::vector<Address> all(static_cast<std::size_t>(communicator.size));
  check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                      communicator.comm),
        "MPI_Allgather");
  bool good = mine.file >= 0;
  for (std::size_t r = 0; r < windows->parts_.size() && good; ++r) {
    Part& part = windows->parts_[r];
    const Address& address = all[static_cast<std::size_t>(communicator.first_on_node) + r];
    if (part.base == nullptr) {
      good = address.file >= 0;
      part.bytes = static_cast<std::size_t>(total_bytes(address.bytes));
      if (good) part.base = map_theirs(address, total_bytes(address.bytes));
    }
    good = good && part.base != nullptr;
    if (!good) break;
    part.windows = {part.base + page, part.base + page + in_pages(address.bytes[0])};
  }
  return everywhere(communicator, good) ? std::move(windows) : nullptr;
}

Windows::~Windows() {
  for (const Part& part : parts_) {
    if (part.base != nullptr) munmap(part.base, part.bytes);
  }
}

void Windows::arrive() {
  ++arrivals_;
  auto* const head = reinterpret_cast<Head*>(parts_[mine_].base);
  head->arrivals.store(arrivals_, std::memory_order_release);
}

void Windows::mark(Mark mark, std::size_t slot, std::uint64_t count) {
  mark_in(parts_[mine_].base, mark, slot).store(count, std::memory_order_release);
}

std::uint64_t Windows::marked(Mark mark, std::size_t slot) const {
  return mark_in(parts_[mine_].base, mark, slot).load(std::memory_order_relaxed);
}

std::uint64_t Windows::least(Mark mark, std::size_t slot) const {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Part& part : parts_) {
    least = std::min(least, mark_in(part.base, mark, slot).load(std::memory_order_acquire));
  }
  return least;
}

void Windows::wait() const {
  // Where ranks outnumber cores, the one that is waited for needs this core.
  constexpr int patience = 2000;
  int tries = 0;
  for (const Part& part : parts_) {
    const auto* const head = reinterpret_cast<const Head*>(part.base);
    while (head->arrivals.load(std::memory_order_acquire) < arrivals_) {
#if defined(__x86_64__)
      _mm_pause();
#endif
      if (++tries > patience) sched_yield();
    }
  }
}

}  // namespace kallima::transport
