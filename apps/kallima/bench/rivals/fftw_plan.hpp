// SPDX-License-Identifier: BSD-3-Clause
//
// A plan of FFTW that is destroyed with its holder, for the rivals that are made of it.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "fft/fftw.hpp"
#include "kallima/error.hpp"

namespace kallima::cli {

template <class T>
class FftwPlan {
 public:
  FftwPlan() = default;
  /// EngineFailure, naming `what`, where FFTW gave none.
  FftwPlan(typename fft::Fftw<T>::Plan plan, const char* what) : plan_(plan) {
    if (plan == nullptr) throw EngineFailure(fmt::format("FFTW has no plan for {}", what));
  }
  FftwPlan(FftwPlan&& other) noexcept { std::swap(plan_, other.plan_); }
  FftwPlan& operator=(FftwPlan&& other) noexcept {
    std::swap(plan_, other.plan_);
    return *this;
  }
  FftwPlan(const FftwPlan&) = delete;
  FftwPlan& operator=(const FftwPlan&) = delete;
  ~FftwPlan() {
    if (plan_ != nullptr) fft::Fftw<T>::destroy(plan_);
  }

  [[nodiscard]] typename fft::Fftw<T>::Plan get() const { return plan_; }

 private:
  typename fft::Fftw<T>::Plan plan_ = nullptr;
};

/// FFTW's name for an array.
template <class T>
typename fft::Fftw<T>::Complex* fftw_array(std::complex<T>* data) {
  return reinterpret_cast<typename fft::Fftw<T>::Complex*>(data);
}

/// A transform of all axes of a row-major array in this process.
template <class T>
FftwPlan<T> whole_plan(const Shape& shape, std::complex<T>* from, std::complex<T>* to, int sign,
                       unsigned flags) {
  std::vector<fftw_iodim64> dims(shape.size());
  Index stride = 1;
  for (std::size_t a = shape.size(); a-- > 0;) {
    dims[a] = {shape[a], stride, stride};
    stride *= shape[a];
  }
  return {fft::Fftw<T>::guru(static_cast<int>(dims.size()), dims.data(), 0, nullptr,
                             fftw_array(from), fftw_array(to), sign, flags),
          "the whole array"};
}

}  // namespace kallima::cli
