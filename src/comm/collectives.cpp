// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collectives.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "base/checked.hpp"
#include "comm/requests.hpp"
#include "comm/watchdog.hpp"

namespace kallima::comm {

namespace {

using Bytes = std::vector<std::byte>;

/// Has `fill` fill so many bytes, runs `start`, which starts a collective call on them, and waits
/// for it; `take` then takes what has come. Where it throws, MPI may still read and write the
/// bytes: they stay with the request.
template <class Fill, class Start, class Take>
void complete(const Communicator& communicator, const char* name, std::size_t size, Fill fill,
              Start start, Take take) {
  communicator.or_fail([&] {
    const auto bytes = std::make_shared<Bytes>(size);
    fill(bytes->data());
    Requests request(communicator.keeper(), 1, bytes);
    request.mark_started();
    check(start(bytes->data(), &request[0]), name);
    request.wait(*communicator.watchdog, static_cast<Index>(size));
    take(bytes->data());
  });
}

}  // namespace

void all_reduce(const Communicator& communicator, std::span<std::int64_t> values, MPI_Op op) {
  const std::size_t size = values.size_bytes();
  complete(
      communicator, "MPI_Iallreduce", size,
      [&](std::byte* bytes) { std::memcpy(bytes, values.data(), size); },
      [&](std::byte* bytes, MPI_Request* request) {
        return MPI_Iallreduce(MPI_IN_PLACE, bytes, static_cast<int>(values.size()), MPI_INT64_T, op,
                              communicator.comm, request);
      },
      [&](const std::byte* bytes) { std::memcpy(values.data(), bytes, size); });
}

void broadcast_bytes(const Communicator& communicator, std::span<char> all, int root) {
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t at = 0; at < all.size(); at += most) {
    const std::size_t size = std::min(most, all.size() - at);
    complete(
        communicator, "MPI_Ibcast", size,
        [&](std::byte* bytes) { std::memcpy(bytes, all.data() + at, size); },
        [&](std::byte* bytes, MPI_Request* request) {
          return MPI_Ibcast(bytes, static_cast<int>(size), MPI_BYTE, root, communicator.comm,
                            request);
        },
        [&](const std::byte* bytes) { std::memcpy(all.data() + at, bytes, size); });
  }
}

void all_gather_bytes(const Communicator& communicator, const void* mine, std::size_t size,
                      void* all) {
  const auto count = narrow<int>(static_cast<Index>(size), "bytes of a rank");
  const std::size_t total = size * static_cast<std::size_t>(communicator.size);
  // What all have brought, then what this rank brings.
  complete(
      communicator, "MPI_Iallgather", total + size,
      [&](std::byte* bytes) { std::memcpy(bytes + total, mine, size); },
      [&](std::byte* bytes, MPI_Request* request) {
        return MPI_Iallgather(bytes + total, count, MPI_BYTE, bytes, count, MPI_BYTE,
                              communicator.comm, request);
      },
      [&](const std::byte* bytes) { std::memcpy(all, bytes, total); });
}

bool everywhere(const Communicator& communicator, bool mine) {
  std::int64_t all = mine ? 1 : 0;
  all_reduce(communicator, {&all, 1}, MPI_MIN);
  return all != 0;
}

bool as_rank_0_says(const Communicator& communicator, bool mine) {
  char said = mine ? 1 : 0;
  broadcast_bytes(communicator, {&said, 1}, 0);
  return said != 0;
}

}  // namespace kallima::comm
