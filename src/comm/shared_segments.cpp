// SPDX-License-Identifier: BSD-3-Clause
#include "comm/shared_segments.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <random>

#include "base/checked.hpp"
#include "comm/collectives.hpp"
#include "comm/memory_file.hpp"
#include "comm/node_memory.hpp"

namespace kallima::comm {

namespace {

constexpr Index page = 4096;

/// What stands in the first page of a rank's memory.
struct Head {
  std::uint64_t token = 0;  ///< a number that no other memory has
  NodeWords words;
};
static_assert(sizeof(Head) <= page);

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

/// What all ranks of this rank's node are about to reserve; in numbers that do not overflow.
struct Demand {
  double bytes = 0.0;
  double steps = 0.0;  ///< of one step of each rank
  /// What has to be available before each step: others who reserve at the same moment, for other
  /// communicators, may see the same memory. It is enough for four of these, and an eighth of large
  /// segments.
  [[nodiscard]] double left() const { return 4.0 * steps; }
};

/// Collective.
Demand demand_of_node(const Communicator& communicator, Index mine) {
  const std::vector<Index> bytes = all_gather(communicator, mine);
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

std::unique_ptr<SharedSegments> SharedSegments::open(std::shared_ptr<const Communicator> of,
                                                     std::array<Index, 2> bytes) {
  const Communicator& communicator = *of;
  if (!communicator.nodes_in_rows) return nullptr;
  const Index total = total_bytes(bytes);
  communicator.watchdog->at("opening shared memory");
  const Demand demand = demand_of_node(communicator, total);
  std::optional<NodeMemory> node;
  const bool fits = holds([&] {
    const auto available = static_cast<double>(node.emplace().available_bytes());
    return total <= most_file_bytes() && demand.bytes + demand.left() <= available;
  });
  if (!everywhere(communicator, fits)) return nullptr;
  std::unique_ptr<SharedSegments> segments(new SharedSegments);
  segments->first_ = communicator.first_on_node;
  const auto own_part = static_cast<std::size_t>(communicator.rank - communicator.first_on_node);
  segments->parts_.resize(static_cast<std::size_t>(communicator.ranks_on_node));

  Address mine;
  mine.process = getpid();
  mine.bytes = bytes;
  mine.token = fresh_token();
  // Without a name; open until it is mapped by all, or given up by all.
  const MemoryFile file = MemoryFile::make();
  Part& own = segments->parts_[own_part];
  if (holds([&] { return file.reserve(total, static_cast<Index>(demand.left()), *node); })) {
    own.bytes = static_cast<std::size_t>(total);
    own.base = file.map(total);
    if (own.base != nullptr) {
      auto* const head = new (own.base) Head;
      head->token = mine.token;
      mine.file = file.number();
    }
  }
  const std::vector<Address> all = all_gather(communicator, mine);
  bool good = mine.file >= 0;
  for (std::size_t r = 0; r < segments->parts_.size() && good; ++r) {
    Part& part = segments->parts_[r];
    const Address& address = all[static_cast<std::size_t>(communicator.first_on_node) + r];
    if (part.base == nullptr) {
      good = address.file >= 0;
      part.bytes = static_cast<std::size_t>(total_bytes(address.bytes));
      if (good) part.base = map_theirs(address, total_bytes(address.bytes));
    }
    good = good && part.base != nullptr;
    if (!good) break;
    part.segments = {part.base + page, part.base + page + in_pages(address.bytes[0])};
  }
  if (!everywhere(communicator, good)) return nullptr;
  std::vector<NodeWords*> words;
  for (const Part& part : segments->parts_) {
    words.push_back(&reinterpret_cast<Head*>(part.base)->words);
  }
  segments->sync_ = NodeSync(std::move(words), own_part);
  segments->communicator_ = std::move(of);
  return segments;
}

SharedSegments::~SharedSegments() {
  for (const Part& part : parts_) {
    if (part.base != nullptr) munmap(part.base, part.bytes);
  }
}

}  // namespace kallima::comm
