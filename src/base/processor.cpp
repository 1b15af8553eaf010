// SPDX-License-Identifier: BSD-3-Clause
#include "base/processor.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace kallima {

namespace {

constexpr std::array all = {Vectors::none, Vectors::sse4, Vectors::avx2, Vectors::avx512,
                            Vectors::neon};

Vectors of_processor() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("sse4.2")) return Vectors::none;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    return Vectors::sse4;
  }
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512cd");
  return avx512 ? Vectors::avx512 : Vectors::avx2;
#elif defined(__aarch64__)
  return Vectors::neon;
#else
  return Vectors::none;
#endif
}

}  // namespace

std::string_view name_of(Vectors vectors) {
  switch (vectors) {
    case Vectors::none:
      return "none";
    case Vectors::sse4:
      return "sse4";
    case Vectors::avx2:
      return "avx2";
    case Vectors::avx512:
      return "avx512";
    case Vectors::neon:
      return "neon";
  }
  return "none";
}

Vectors vectors_here() {
  const Vectors best = of_processor();
  const char* const named = std::getenv("KALLIMA_VECTORS");
  if (named == nullptr) return best;
  const auto* const wanted =
      std::find_if(all.begin(), all.end(), [&](Vectors each) { return name_of(each) == named; });
  return wanted == all.end() ? best : std::min(*wanted, best);
}

}  // namespace kallima
