// SPDX-License-Identifier: BSD-3-Clause
//
// What an fftw_plan of ours is. FFTW's functions take plans of its own and of ours alike, so a plan
// must tell whose it is without being looked into: handles of ours are addresses in an array of
// ours. That costs a subtraction and a comparison for a plan that is not ours.
//
// The interface has no object that could hold the table, so the process does.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kallima/index.hpp"

namespace kallima::fftw3_mpi {

/// A plan: what fftw_execute() runs. Its destructor calls no MPI.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;

  /// On the memory it was planned for. Collective.
  virtual void execute() = 0;
  /// On other memory, which lies as the planned one does. Collective.
  virtual void execute(const void* in, void* out) = 0;
  /// The steps, in words.
  [[nodiscard]] virtual std::string text() const = 0;
  /// Seconds that it is priced at.
  [[nodiscard]] virtual double seconds() const = 0;
  /// Floating-point operations of this rank, as 5 n log2 n counts them.
  [[nodiscard]] virtual double operations() const = 0;
};

/// All plans of the process.
class Handles {
 public:
  /// Most plans at a time.
  static constexpr std::size_t most = std::size_t{1} << 16;

  /// The handle of a call, or null where there are too many.
  static void* add(std::unique_ptr<Call> call);
  /// The call of a handle; null for a plan that is not ours. Without a lock.
  static Call* find(const void* handle) {
    const auto at =
        reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(places_);
    return at < most ? calls_[at].load(std::memory_order_acquire) : nullptr;
  }
  /// True for a handle of ours, also of a plan that was destroyed.
  static bool ours(const void* handle) {
    return reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(places_) <
           most;
  }
  /// Destroys the call of a handle.
  static void remove(const void* handle);
  /// Plans that there are.
  static std::size_t count();

 private:
  // Never read or written: memory that nothing else can have the addresses of.
  static char places_[most];
  static std::atomic<Call*> calls_[most];
  static std::mutex lock_;
  static std::vector<std::size_t> free_;
  static std::size_t used_;  // places that were ever taken
  static std::size_t count_;
};

}  // namespace kallima::fftw3_mpi
