// SPDX-License-Identifier: BSD-3-Clause
#include "exec/threads.hpp"

#include <atomic>
#include <exception>

#include "fft/copy.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace kallima::exec {

bool has_threads() {
#if defined(_OPENMP)
  return true;
#else
  return false;
#endif
}

void call_in_parallel(Index threads, void (*call)(const void*, Index, Index), const void* work) {
  // An exception that leaves a parallel region ends the program.
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  const auto work_as = [&](Index thread, Index count) noexcept {
    try {
      call(work, thread, count);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
    fft::finish_streams();
  };
#if defined(_OPENMP)
  if (threads > 1) {
#pragma omp parallel num_threads(static_cast <int>(threads))
    work_as(omp_get_thread_num(), omp_get_num_threads());
  } else {
    work_as(0, 1);
  }
#else
  static_cast<void>(threads);
  work_as(0, 1);
#endif
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kallima::exec
