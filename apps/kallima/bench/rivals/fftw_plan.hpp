// SPDX-License-Identifier: BSD-3-Clause
//
// A plan of FFTW that is destroyed with its holder, for the rivals that are made of it.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "kallima/error.hpp"
#include "local/fftw.hpp"

namespace kallima::cli {

template <class T>
class FftwPlan {
 public:
  FftwPlan() = default;
  /// EngineFailure, naming `what`, where FFTW gave none.
  FftwPlan(typename local::Fftw<T>::Plan plan, const char* what) : plan_(plan) {
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
    if (plan_ != nullptr) local::Fftw<T>::destroy(plan_);
  }

  [[nodiscard]] typename local::Fftw<T>::Plan get() const { return plan_; }

 private:
  typename local::Fftw<T>::Plan plan_ = nullptr;
};

/// FFTW's name for an array.
template <class T>
typename local::Fftw<T>::Complex* fftw_array(std::complex<T>* data) {
  return reinterpret_cast<typename local::Fftw<T>::Complex*>(data);
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
  return {local::Fftw<T>::guru(static_cast<int>(dims.size()), dims.data(), 0, nullptr,
                               fftw_array(from), fftw_array(to), sign, flags),
          "the whole array"};
}

}  // namespace kallima::cli
