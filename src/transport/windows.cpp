// SPDX-License-Identifier: BSD-3-Clause
#include "transport/windows.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <random>
#include <string>

#include "transport/collectives.hpp"

namespace kallima::transport {

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

/// An open file, or none where its number is negative.
class File {
 public:
  explicit File(int number) : number_(number) {}
  File(const File&) = delete;
  File(File&&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  ~File() {
    if (is_open()) close(number_);
  }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// The memory of a file, or null.
std::byte* map(const File& file, std::size_t bytes) {
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

/// The memory of another rank, or null where it is not what the address says: process numbers mean
/// something else in another container.
std::byte* map_theirs(const Address& address, std::size_t bytes) {
  const std::string path =
      "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  const File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || fstat(file.number(), &status) != 0) return nullptr;
  if (static_cast<std::size_t>(status.st_size) != bytes) return nullptr;
  std::byte* const base = map(file, bytes);
  if (base != nullptr && reinterpret_cast<const Head*>(base)->token != address.token) {
    munmap(base, bytes);
    return nullptr;
  }
  return base;
}

/// A number in a file of its own, or behind a key; `otherwise` where there is none.
Index number_in(const char* path, const std::string& key, Index otherwise) {
  std::ifstream file(path);
  for (std::string word; !key.empty() && file >> word;) {
    if (word == key) break;
  }
  Index number = 0;
  return file >> number ? number : otherwise;
}

/// Bytes that can still be had on this node, as far as the system tells. Reserving more would not
/// fail: the system would rather kill a process.
Index available_bytes() {
  constexpr Index unknown = std::numeric_limits<Index>::max();
  const Index kibibytes = number_in("/proc/meminfo", "MemAvailable:", unknown / 1024);
  const Index limit = number_in("/sys/fs/cgroup/memory.max", "", unknown);
  const Index used = number_in("/sys/fs/cgroup/memory.current", "", 0);
  return std::min(kibibytes * 1024, std::max<Index>(0, limit - used));
}

/// True where the memory of all ranks of every node fits. Collective.
bool fits(const Communicator& communicator, Index mine) {
  const std::vector<Index> bytes = all_gather(communicator, mine);
  double sum = 0.0;  // cannot overflow
  const auto first = static_cast<std::size_t>(communicator.first_on_node);
  const auto count = static_cast<std::size_t>(communicator.ranks_on_node);
  for (std::size_t i = first; i < first + count; ++i) sum += static_cast<double>(bytes[i]);
  return everywhere(communicator, sum < static_cast<double>(available_bytes()));
}

std::uint64_t fresh_token() {
  std::random_device random;
  return (static_cast<std::uint64_t>(random()) << 32U) | random();
}

}  // namespace

std::unique_ptr<Windows> Windows::open(std::shared_ptr<const Communicator> of,
                                       std::array<Index, 2> bytes) {
  const Communicator& communicator = *of;
  if (!communicator.nodes_in_rows) return nullptr;
  if (!fits(communicator, total_bytes(bytes))) return nullptr;
  std::unique_ptr<Windows> windows(new Windows);
  windows->first_ = communicator.first_on_node;
  const auto own_part = static_cast<std::size_t>(communicator.rank - communicator.first_on_node);
  windows->parts_.resize(static_cast<std::size_t>(communicator.ranks_on_node));

  Address mine;
  mine.process = getpid();
  mine.bytes = bytes;
  mine.token = fresh_token();
  // Without a name; open until it is mapped by all, or given up by all.
  const File file(memfd_create("kallima", MFD_CLOEXEC));
  Part& own = windows->parts_[own_part];
  if (file.is_open() && posix_fallocate(file.number(), 0, total_bytes(bytes)) == 0) {
    own.bytes = static_cast<std::size_t>(total_bytes(bytes));
    own.base = map(file, own.bytes);
    if (own.base != nullptr) {
      auto* const head = new (own.base) Head;
      head->token = mine.token;
      mine.file = file.number();
    }
  }
  const std::vector<Address> all = all_gather(communicator, mine);
  bool good = mine.file >= 0;
  for (std::size_t r = 0; r < windows->parts_.size() && good; ++r) {
    Part& part = windows->parts_[r];
    const Address& address = all[static_cast<std::size_t>(communicator.first_on_node) + r];
    if (part.base == nullptr) {
      good = address.file >= 0;
      part.bytes = static_cast<std::size_t>(total_bytes(address.bytes));
      if (good) part.base = map_theirs(address, part.bytes);
    }
    good = good && part.base != nullptr;
    if (!good) break;
    part.windows = {part.base + page, part.base + page + in_pages(address.bytes[0])};
  }
  if (!everywhere(communicator, good)) return nullptr;
  std::vector<NodeWords*> words;
  for (const Part& part : windows->parts_) {
    words.push_back(&reinterpret_cast<Head*>(part.base)->words);
  }
  windows->sync_ = NodeSync(std::move(words), own_part);
  windows->communicator_ = std::move(of);
  return windows;
}

Windows::~Windows() {
  for (const Part& part : parts_) {
    if (part.base != nullptr) munmap(part.base, part.bytes);
  }
}

}  // namespace kallima::transport
