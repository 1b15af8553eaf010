// SPDX-License-Identifier: BSD-3-Clause
#include "fftw3_mpi/next.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace kallima::fftw3_mpi {

void* next_function(const char* name) { return dlsym(RTLD_NEXT, name); }

bool reached(const char* name) {
  static const char here = 0;
  Dl_info found{};
  Dl_info mine{};
  return dladdr(dlsym(RTLD_DEFAULT, name), &found) != 0 && dladdr(&here, &mine) != 0 &&
         found.dli_fbase == mine.dli_fbase;
}

Index planner_threads(const char* function) {
  using Count = int();
  auto* const count = reinterpret_cast<Count*>(dlsym(RTLD_DEFAULT, function));
  return count == nullptr ? 1 : std::max(1, count());
}

void complain(const std::string& what) { std::fprintf(stderr, "kallima: %s\n", what.c_str()); }

void say(const std::string& what) {
  const char* const asked = std::getenv("KALLIMA_VERBOSE");
  if (asked != nullptr && *asked != '\0') complain(what);
}

}  // namespace kallima::fftw3_mpi
