// SPDX-License-Identifier: BSD-3-Clause
//
// Requests of MPI, and who frees them. Whoever owns some says when MPI begins to work on them and
// when all are through; in between, MPI may read and write memory for them, whether their calls
// have succeeded or not. Destroyed in between, they go to the keeper as they are, with their
// memory; otherwise those that are persistent go there, to be freed by a later call.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "comm/keeper.hpp"
#include "kallima/index.hpp"

namespace kallima::comm {

class Watchdog;

class Requests {
 public:
  /// So many that are null. `memory` is what MPI reads and writes for them, where nobody else sees
  /// to it that it stays.
  explicit Requests(std::shared_ptr<Keeper> keeper, std::size_t count = 0,
                    std::shared_ptr<const void> memory = {});
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  Requests(Requests&& other) noexcept = default;
  Requests& operator=(Requests&& other) noexcept;
  /// Calls no MPI.
  ~Requests() { leave(); }

  void reserve(std::size_t count) { all().reserve(count); }
  /// One more, null.
  MPI_Request& add() { return all().emplace_back(MPI_REQUEST_NULL); }
  [[nodiscard]] MPI_Request& operator[](std::size_t i) { return all()[i]; }
  [[nodiscard]] std::size_t size() const { return mine_.front().requests.size(); }
  [[nodiscard]] std::size_t capacity() const { return mine_.front().requests.capacity(); }
  [[nodiscard]] auto begin() { return all().begin(); }
  [[nodiscard]] auto end() { return all().end(); }

  /// MPI is about to work on some of them.
  void mark_started() { mine_.front().active = true; }
  /// All are through: null, or at rest.
  void mark_through() { mine_.front().active = false; }
  /// Waits for one after the other, then marks them through. Throws as the watchdog does. `bytes`
  /// as for Patience. (MPI_Waitall would look at all again whenever one is through.)
  void wait(Watchdog& watchdog, Index bytes);
  /// After a failure: what has not come need not come any more. They stay active all the same. Not
  /// for persistent ones.
  void cancel() noexcept;

  /// Lets go of all, so that others can be added; what MPI may still work on goes to the keeper.
  /// Not for persistent ones.
  void clear();
  /// Frees persistent ones, which are at rest. Local.
  void free();

 private:
  [[nodiscard]] std::vector<MPI_Request>& all() { return mine_.front().requests; }
  void leave() noexcept;

  std::shared_ptr<Keeper> keeper_;
  Leftovers mine_;  // one; none when moved from
};

}  // namespace kallima::comm
