// SPDX-License-Identifier: BSD-3-Clause
#include "transport/agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace kallima::transport {

Verdict Verdict::of_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::out_of_memory, "no memory while planning; use more ranks or fewer per node"};
  } catch (const std::exception& error) {
    return {ErrorCode::internal_error, error.what()};
  } catch (...) {
    return {ErrorCode::internal_error, "what was thrown is no std::exception; please report this"};
  }
}

std::string broadcast(const Communicator& communicator, const std::string& text, int root) {
  auto size = static_cast<std::int64_t>(text.size());
  check(MPI_Bcast(&size, 1, MPI_INT64_T, root, communicator.comm), "MPI_Bcast");
  std::string result = communicator.rank == root ? text : std::string();
  result.resize(static_cast<std::size_t>(size));
  constexpr std::int64_t chunk = std::int64_t{1} << 30;
  for (std::int64_t at = 0; at < size; at += chunk) {
    check(MPI_Bcast(result.data() + at, static_cast<int>(std::min(chunk, size - at)), MPI_CHAR,
                    root, communicator.comm),
          "MPI_Bcast");
  }
  return result;
}

void agree(const Communicator& communicator, const Verdict& mine) {
  constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();
  const std::int64_t own = mine.code == ErrorCode::ok ? nobody : communicator.rank;
  std::int64_t first = nobody;
  check(MPI_Allreduce(&own, &first, 1, MPI_INT64_T, MPI_MIN, communicator.comm), "MPI_Allreduce");
  if (first == nobody) return;
  const int root = static_cast<int>(first);
  auto code = static_cast<std::int32_t>(mine.code);
  check(MPI_Bcast(&code, 1, MPI_INT32_T, root, communicator.comm), "MPI_Bcast");
  const std::string text = broadcast(communicator, mine.text, root);
  throw_error(static_cast<ErrorCode>(code), text + " (found on rank " + std::to_string(root) + ")");
}

}  // namespace kallima::transport
