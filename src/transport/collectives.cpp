// SPDX-License-Identifier: BSD-3-Clause
#include "transport/collectives.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "transport/watchdog.hpp"

namespace kallima::transport {

namespace {

using Bytes = std::vector<std::byte>;

/// Runs `start`, which starts a collective call on these bytes, and waits for it. Where that
/// throws, MPI may still read and write them: they stay.
template <class Start>
void complete(const Communicator& communicator, const char* name,
              const std::shared_ptr<Bytes>& bytes, Start start) {
  communicator.or_fail([&] {
    try {
      MPI_Request request = MPI_REQUEST_NULL;
      check(start(&request), name);
      wait_for(request, *communicator.watchdog, static_cast<Index>(bytes->size()));
    } catch (...) {
      communicator.keep(bytes);
      throw;
    }
  });
}

}  // namespace

void all_reduce(const Communicator& communicator, std::span<std::int64_t> values, MPI_Op op) {
  const auto bytes = std::make_shared<Bytes>(values.size_bytes());
  std::memcpy(bytes->data(), values.data(), bytes->size());
  complete(communicator, "MPI_Iallreduce", bytes, [&](MPI_Request* request) {
    return MPI_Iallreduce(MPI_IN_PLACE, bytes->data(), static_cast<int>(values.size()), MPI_INT64_T,
                          op, communicator.comm, request);
  });
  std::memcpy(values.data(), bytes->data(), bytes->size());
}

void broadcast_bytes(const Communicator& communicator, std::span<char> all, int root) {
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t at = 0; at < all.size(); at += most) {
    const auto bytes = std::make_shared<Bytes>(std::min(most, all.size() - at));
    std::memcpy(bytes->data(), all.data() + at, bytes->size());
    complete(communicator, "MPI_Ibcast", bytes, [&](MPI_Request* request) {
      return MPI_Ibcast(bytes->data(), static_cast<int>(bytes->size()), MPI_BYTE, root,
                        communicator.comm, request);
    });
    std::memcpy(all.data() + at, bytes->data(), bytes->size());
  }
}

void all_gather_bytes(const Communicator& communicator, const void* mine, std::size_t size,
                      void* all) {
  const auto count = narrow<int>(static_cast<Index>(size), "bytes of a rank");
  const std::size_t total = size * static_cast<std::size_t>(communicator.size);
  const auto bytes = std::make_shared<Bytes>(total + size);  // of all, then this rank's
  std::memcpy(bytes->data() + total, mine, size);
  complete(communicator, "MPI_Iallgather", bytes, [&](MPI_Request* request) {
    return MPI_Iallgather(bytes->data() + total, count, MPI_BYTE, bytes->data(), count, MPI_BYTE,
                          communicator.comm, request);
  });
  std::memcpy(all, bytes->data(), total);
}

bool everywhere(const Communicator& communicator, bool mine) {
  std::int64_t all = mine ? 1 : 0;
  all_reduce(communicator, {&all, 1}, MPI_MIN);
  return all != 0;
}

}  // namespace kallima::transport
