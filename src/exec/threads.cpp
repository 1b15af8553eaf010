// SPDX-License-Identifier: BSD-3-Clause
#include "exec/threads.hpp"

#include "local/copy.hpp"

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
#if defined(_OPENMP)
  if (threads > 1) {
#pragma omp parallel num_threads(static_cast <int>(threads))
    {
      call(work, omp_get_thread_num(), omp_get_num_threads());
      local::finish_streams();
    }
    return;
  }
#endif
  static_cast<void>(threads);
  call(work, 0, 1);
  local::finish_streams();
}

}  // namespace kallima::exec
