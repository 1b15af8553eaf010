// SPDX-License-Identifier: BSD-3-Clause
//
// The threads that share a sweep: OpenMP's, where the library is built with it.
#pragma once

#include "kallima/index.hpp"

namespace kallima::exec {

/// True where a sweep can have several threads.
bool has_threads();

/// call(work, thread, threads) on up to so many threads.
void call_in_parallel(Index threads, void (*call)(const void*, Index, Index), const void* work);

/// Calls work(thread, threads) on up to so many threads and waits for all of them; what they wrote
/// is seen by whoever is told afterwards. OpenMP may give fewer (inside a parallel region of the
/// caller's, one). Where workers throw, the others finish their work, and then the exception that
/// was first is thrown here. Allocates nothing once OpenMP has its threads.
template <class Work>
void in_parallel(Index threads, const Work& work) {
  const auto call = [](const void* data, Index thread, Index count) {
    (*static_cast<const Work*>(data))(thread, count);
  };
  call_in_parallel(threads, call, &work);
}

}  // namespace kallima::exec
