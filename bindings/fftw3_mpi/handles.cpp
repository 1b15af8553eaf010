// SPDX-License-Identifier: BSD-3-Clause
#include "fftw3_mpi/handles.hpp"

namespace kallima::fftw3_mpi {

char Handles::places_[most];
std::atomic<Call*> Handles::calls_[most];
std::mutex Handles::lock_;
std::vector<std::size_t> Handles::free_;
std::size_t Handles::used_ = 0;
std::size_t Handles::count_ = 0;

void* Handles::add(std::unique_ptr<Call> call) {
  const std::lock_guard guard(lock_);
  std::size_t at = used_;
  if (!free_.empty()) {
    at = free_.back();
    free_.pop_back();
  } else if (used_ == most) {
    return nullptr;
  } else {
    ++used_;
  }
  calls_[at].store(call.release(), std::memory_order_release);
  ++count_;
  return places_ + at;
}

void Handles::remove(const void* handle) {
  const auto at = static_cast<std::size_t>(static_cast<const char*>(handle) - places_);
  const std::unique_ptr<Call> call(calls_[at].exchange(nullptr));
  if (!call) return;
  const std::lock_guard guard(lock_);
  free_.push_back(at);
  --count_;
}

std::size_t Handles::count() {
  const std::lock_guard guard(lock_);
  return count_;
}

}  // namespace kallima::fftw3_mpi
