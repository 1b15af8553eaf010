// SPDX-License-Identifier: BSD-3-Clause
#include "fft/fftw_lines.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "fft/fftw.hpp"
#include "kallima/error.hpp"

namespace kallima::fft {

std::mutex& planner_lock() {
  static std::mutex lock;
  return lock;
}

namespace {

template <class T>
typename Fftw<T>::Complex* engine_data(const std::complex<T>* data) {
  // FFTW takes what it only reads as writable.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return reinterpret_cast<typename Fftw<T>::Complex*>(const_cast<std::complex<T>*>(data));
}

template <class T>
typename Fftw<T>::Plan plan_of(void* plan) {
  return static_cast<typename Fftw<T>::Plan>(plan);
}

template <class T>
T* real_data(const std::complex<T>* data) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return reinterpret_cast<T*>(const_cast<std::complex<T>*>(data));
}

fftw_r2r_kind fftw_kind(LineKind kind) {
  switch (kind) {
    case LineKind::cosine_1:
      return FFTW_REDFT00;
    case LineKind::cosine_2:
      return FFTW_REDFT10;
    case LineKind::cosine_3:
      return FFTW_REDFT01;
    case LineKind::cosine_4:
      return FFTW_REDFT11;
    case LineKind::sine_1:
      return FFTW_RODFT00;
    case LineKind::sine_2:
      return FFTW_RODFT10;
    case LineKind::sine_3:
      return FFTW_RODFT01;
    case LineKind::sine_4:
      return FFTW_RODFT11;
    case LineKind::fourier:
      break;
  }
  return FFTW_DHT;  // none of ours
}

/// Of cosines and sines. Complex numbers are twice as many lines of reals, two apart.
template <class T>
typename Fftw<T>::Plan plan_real_lines(const Batch& batch, std::complex<T>* from,
                                       std::complex<T>* to, unsigned flags) {
  const Index parts = batch.numbers == Numbers::real ? 1 : 2;
  const fftw_iodim64 line{batch.length, parts * batch.from.element, parts * batch.to.element};
  const std::array<fftw_iodim64, 2> lines = {
      {{batch.lines, parts * batch.from.line, parts * batch.to.line}, {parts, 1, 1}}};
  const fftw_r2r_kind kind = fftw_kind(batch.kind);
  return Fftw<T>::guru_r2r(1, &line, static_cast<int>(lines.size()), lines.data(), real_data(from),
                           real_data(to), &kind, flags);
}

}  // namespace

template <class T>
FftwLines<T>::FftwLines(const Batch& batch, int sign, Effort effort, bool only_wisdom,
                        std::complex<T>* from, std::complex<T>* to)
    : numbers_(batch.numbers), kind_(batch.kind) {
  const std::lock_guard guard(planner_lock());
  const fftw_iodim64 line{batch.length, batch.from.element, batch.to.element};
  const fftw_iodim64 lines{batch.lines, batch.from.line, batch.to.line};
  const unsigned flags = flags_of(effort);
  const auto plan_with = [&](unsigned more) {
    if (batch.kind != LineKind::fourier) {
      return plan_real_lines<T>(batch, from, to, flags | more);
    }
    switch (batch.numbers) {
      case Numbers::from_real:
        return Fftw<T>::guru_r2c(1, &line, 1, &lines, real_data(from), engine_data(to),
                                 flags | more);
      case Numbers::to_real:
        // FFTW would overwrite what it reads here, unless told not to.
        return Fftw<T>::guru_c2r(1, &line, 1, &lines, engine_data(from), real_data(to),
                                 flags | more | FFTW_PRESERVE_INPUT);
      case Numbers::real:
      case Numbers::complex:
        break;
    }
    return Fftw<T>::guru(1, &line, 1, &lines, engine_data(from), engine_data(to), sign,
                         flags | more);
  };
  if (only_wisdom) plan_ = plan_with(FFTW_WISDOM_ONLY);
  if (plan_ == nullptr) plan_ = plan_with(0);
  if (plan_ == nullptr) {
    throw EngineFailure("the FFT engine has no plan for " + std::to_string(batch.lines) +
                        " lines of " + std::to_string(batch.length) +
                        "; link a complete FFTW3, or use another length");
  }
}

template <class T>
FftwLines<T>::~FftwLines() {
  if (plan_ == nullptr) return;
  const std::lock_guard guard(planner_lock());
  Fftw<T>::destroy(plan_of<T>(plan_));
}

template <class T>
void FftwLines<T>::run(const std::complex<T>* from, std::complex<T>* to) const {
  if (kind_ != LineKind::fourier) {
    Fftw<T>::execute_r2r(plan_of<T>(plan_), real_data(from), real_data(to));
    return;
  }
  switch (numbers_) {
    case Numbers::real:
    case Numbers::complex:
      Fftw<T>::execute(plan_of<T>(plan_), engine_data(from), engine_data(to));
      return;
    case Numbers::from_real:
      Fftw<T>::execute_r2c(plan_of<T>(plan_), real_data(from), engine_data(to));
      return;
    case Numbers::to_real:
      Fftw<T>::execute_c2r(plan_of<T>(plan_), engine_data(from), real_data(to));
      return;
  }
}

template <class T>
bool FftwLines<T>::aligned(const std::complex<T>* data) {
  return Fftw<T>::alignment(reinterpret_cast<T*>(engine_data(data))) == 0;
}

template class FftwLines<float>;
template class FftwLines<double>;

}  // namespace kallima::fft
