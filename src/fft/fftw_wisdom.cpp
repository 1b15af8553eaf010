// SPDX-License-Identifier: BSD-3-Clause
#include "fft/engine.hpp"
#include "fft/fftw.hpp"

namespace kallima::fft {

template <class T>
std::string export_wisdom() {
  const std::lock_guard guard(planner_lock());
  char* const text = Fftw<T>::export_wisdom();
  std::string wisdom = text == nullptr ? std::string() : std::string(text);
  if (text != nullptr) Fftw<T>::release(text);
  return wisdom;
}

template <class T>
bool import_wisdom(const std::string& wisdom) {
  const std::lock_guard guard(planner_lock());
  return Fftw<T>::import_wisdom(wisdom.c_str()) == 1;
}

template std::string export_wisdom<float>();
template std::string export_wisdom<double>();
template bool import_wisdom<float>(const std::string&);
template bool import_wisdom<double>(const std::string&);

}  // namespace kallima::fft
