// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agreement.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "comm/collectives.hpp"
#include "kallima/error.hpp"

namespace kallima::comm {

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
  std::array<char, sizeof(std::uint64_t)> header{};
  const auto own = static_cast<std::uint64_t>(text.size());
  std::memcpy(header.data(), &own, sizeof own);
  broadcast_bytes(communicator, header, root);
  std::uint64_t size = 0;
  std::memcpy(&size, header.data(), sizeof size);
  std::string result;
  communicator.or_fail([&] {
    if (communicator.rank == root) result = text;
    result.resize(static_cast<std::size_t>(size));
  });
  broadcast_bytes(communicator, result, root);
  return result;
}

namespace {

/// Throws the error of the lowest rank that has one. Collective.
[[noreturn]] void throw_verdict_of(int root, const Communicator& communicator,
                                   const Verdict& mine) {
  std::string own;
  communicator.or_fail(
      [&] { own = std::to_string(static_cast<int>(mine.code)) + " " + mine.text; });
  const std::string code = broadcast(communicator, own, root);
  const std::size_t blank = code.find(' ');
  throw_error(static_cast<ErrorCode>(std::stoi(code.substr(0, blank))),
              code.substr(blank + 1) + " (found on rank " + std::to_string(root) + ")");
}

}  // namespace

void agree(const Communicator& communicator, const Verdict& mine, const Intent& intent) {
  constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();
  // The least of a number and the least of its negative tell whether all are equal.
  std::array<std::int64_t, 3> least = {mine.code == ErrorCode::ok ? nobody : communicator.rank,
                                       intent.key(), -intent.key()};
  communicator.watchdog->at("agreeing with the other ranks");
  all_reduce(communicator, least, MPI_MIN);
  if (least[0] != nobody) throw_verdict_of(static_cast<int>(least[0]), communicator, mine);
  if (least[1] == -least[2]) return;
  std::string own;
  communicator.or_fail([&] { own = intent.to_text(); });
  const std::string first = broadcast(communicator, own);
  agree(communicator, Verdict::of([&] {
          if (own == first) return;
          throw MismatchedArguments("rank 0 calls '" + first + "' while rank " +
                                    std::to_string(communicator.rank) + " calls '" + own +
                                    "'; collective calls are made in the same order on all ranks");
        }));
  throw InternalError("ranks differ in what they are about to do, and all say the same of it");
}

}  // namespace kallima::comm
