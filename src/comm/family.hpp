// SPDX-License-Identifier: BSD-3-Clause
//
// All duplicates of one user communicator. Private to comm; see communicator.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/communicator.hpp"

namespace kallima::comm {

struct Family {
  /// Duplicates that transforms have for themselves, at most. Beyond, they share: MPIs have some
  /// thousand communicators in all.
  static constexpr std::size_t most_duplicates = 60;

  std::int64_t id = 0;                                    ///< the same on all ranks, and no other's
  bool crowded = false;                                   ///< more ranks than cores on this node
  std::shared_ptr<Communicator> first;                    ///< for agreements
  std::vector<std::shared_ptr<Duplicate>> of_transforms;  ///< alike on all ranks
  std::int64_t transforms = 0;                            ///< made so far
  std::mutex mutex;                                       ///< over the count

  /// That of a communicator. Collective at the first call, and where a call on the first duplicate
  /// has failed; local otherwise. The deadline counts since `began`, a time of Watchdog::now().
  static std::shared_ptr<Family> of(MPI_Comm user, double deadline, double began);

  /// A duplicate for a transform. Collective. Deadline as above.
  std::shared_ptr<const Communicator> reserve(double deadline, double began);

  /// True where this rank can do without the duplicates: no transform uses one, all requests on
  /// them are through, and no call on one has failed. Messages of a failed call may still come: on
  /// a communicator that is made after the free, which MPI may know by the same number, they would
  /// be taken for others.
  [[nodiscard]] bool can_be_freed() const;
  /// True where a call on the first duplicate has failed.
  [[nodiscard]] bool broken() const { return first->duplicate->broken; }
  /// Frees the duplicates, but for those on which a call has failed. Collective, as MPI_Comm_free
  /// is.
  void free();

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Duplicate>> duplicates() const;
  /// A user of a duplicate.
  [[nodiscard]] std::shared_ptr<Communicator> user(std::shared_ptr<Duplicate> duplicate) const;
  std::shared_ptr<Duplicate> choose(std::int64_t number);
};

/// From here on MPI_Finalize frees what owners leave to the process's keeper. Local; calls MPI the
/// first time.
void free_at_finalize();

}  // namespace kallima::comm
