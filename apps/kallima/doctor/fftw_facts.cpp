// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <complex>
#include <mutex>
#include <string>
#include <vector>

#include "fft/fftw.hpp"
#include "system.hpp"

namespace kallima::cli::doctor {

namespace {

/// A string of the engine that not every library with FFTW's interface has.
std::string engine_version(const char* symbol) {
  const void* const found = dlsym(RTLD_DEFAULT, symbol);
  return found == nullptr ? std::string() : static_cast<const char*>(found);
}

/// Plans of some lengths, contiguous and interleaved, as FFTW prints them.
template <class T, class Make, class Print>
std::string printed_plans(Make make, Print print) {
  constexpr int most = 512;
  constexpr int lines = 16;
  std::vector<std::complex<T>> from(static_cast<std::size_t>(most * lines));
  std::vector<std::complex<T>> to(from.size());
  using Complex = typename fft::Fftw<T>::Complex;
  auto* const in = reinterpret_cast<Complex*>(from.data());
  auto* const out = reinterpret_cast<Complex*>(to.data());
  std::string text;
  const std::lock_guard lock(fft::planner_lock());
  for (const int n : {16, 64, most}) {
    for (const bool interleaved : {false, true}) {
      const int stride = interleaved ? lines : 1;
      const int distance = interleaved ? 1 : n;
      auto* const plan = make(1, &n, lines, in, nullptr, stride, distance, out, nullptr, stride,
                              distance, FFTW_FORWARD, FFTW_ESTIMATE);
      if (plan == nullptr) continue;
      if (char* const words = print(plan)) {
        text += words;
        fft::Fftw<T>::release(words);
      }
      fft::Fftw<T>::destroy(plan);
    }
  }
  return text;
}

}  // namespace

std::array<EngineFacts, 2> engine_facts() {
  return {{{engine_version("fftw_version"),
            instructions_in(printed_plans<double>(fftw_plan_many_dft, fftw_sprint_plan))},
           {engine_version("fftwf_version"),
            instructions_in(printed_plans<float>(fftwf_plan_many_dft, fftwf_sprint_plan))}}};
}

}  // namespace kallima::cli::doctor
