// SPDX-License-Identifier: BSD-3-Clause
//
// The FFTW3 interface as one template over the precision, and the lock its planner needs.
#pragma once

#include <fftw3.h>

#include <complex>
#include <mutex>

#include "kallima/wisdom.hpp"

namespace kallima::fft {

/// FFTW's planner is not thread-safe; every call but execute is made under this lock. It guards a
/// resource of the process, so it belongs to the process.
std::mutex& planner_lock();

/// What FFTW calls an effort.
inline unsigned flags_of(Effort effort) {
  switch (effort) {
    case Effort::estimate:
      return FFTW_ESTIMATE;
    case Effort::measure:
      return FFTW_MEASURE;
    case Effort::patient:
      return FFTW_PATIENT;
  }
  return FFTW_ESTIMATE;
}

template <class T>
struct Fftw;

template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto guru = fftw_plan_guru64_dft;
  static constexpr auto guru_r2c = fftw_plan_guru64_dft_r2c;
  static constexpr auto guru_c2r = fftw_plan_guru64_dft_c2r;
  static constexpr auto guru_r2r = fftw_plan_guru64_r2r;
  static constexpr auto execute = fftw_execute_dft;
  static constexpr auto execute_r2c = fftw_execute_dft_r2c;
  static constexpr auto execute_c2r = fftw_execute_dft_c2r;
  static constexpr auto execute_r2r = fftw_execute_r2r;
  static constexpr auto alignment = fftw_alignment_of;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto export_wisdom = fftw_export_wisdom_to_string;
  static constexpr auto import_wisdom = fftw_import_wisdom_from_string;
  static constexpr auto release = fftw_free;
  static constexpr const char* name = "f64";
};

template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto guru = fftwf_plan_guru64_dft;
  static constexpr auto guru_r2c = fftwf_plan_guru64_dft_r2c;
  static constexpr auto guru_c2r = fftwf_plan_guru64_dft_c2r;
  static constexpr auto guru_r2r = fftwf_plan_guru64_r2r;
  static constexpr auto execute = fftwf_execute_dft;
  static constexpr auto execute_r2c = fftwf_execute_dft_r2c;
  static constexpr auto execute_c2r = fftwf_execute_dft_c2r;
  static constexpr auto execute_r2r = fftwf_execute_r2r;
  static constexpr auto alignment = fftwf_alignment_of;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto export_wisdom = fftwf_export_wisdom_to_string;
  static constexpr auto import_wisdom = fftwf_import_wisdom_from_string;
  static constexpr auto release = fftwf_free;
  static constexpr const char* name = "f32";
};

}  // namespace kallima::fft
