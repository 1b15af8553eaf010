// SPDX-License-Identifier: BSD-3-Clause
#include "local/engine.hpp"

#include <algorithm>
#include <string>

#include "kallima/error.hpp"

namespace kallima::local {

std::mutex& planner_lock() {
  static std::mutex lock;
  return lock;
}

template <class T>
Engine<T>::Engine(const TileShape& shape, int sign, Effort effort, bool only_wisdom,
                  std::complex<T>* tile)
    : shape_(shape) {
  const std::lock_guard guard(planner_lock());
  const fftw_iodim64 line{shape.length, shape.element_stride(), shape.element_stride()};
  const fftw_iodim64 batch{shape.at_a_time(), shape.line_stride(), shape.line_stride()};
  auto* const data = reinterpret_cast<typename Fftw<T>::Complex*>(tile);
  const unsigned flags = flags_of(effort);
  const auto plan_with = [&](unsigned more) {
    return Fftw<T>::guru(1, &line, 1, &batch, data, data, sign, flags | more);
  };
  if (only_wisdom) plan_ = plan_with(FFTW_WISDOM_ONLY);
  if (plan_ == nullptr) plan_ = plan_with(0);
  if (plan_ == nullptr) {
    throw EngineFailure("the FFT engine has no plan for " + std::to_string(shape.lines) +
                        " lines of " + std::to_string(shape.length) +
                        "; link a complete FFTW3, or use another length");
  }
}

template <class T>
Engine<T>::~Engine() {
  if (plan_ == nullptr) return;
  const std::lock_guard guard(planner_lock());
  Fftw<T>::destroy(plan_);
}

template <class T>
void Engine<T>::run(std::complex<T>* tile) const {
  for (Index line = 0; line < shape_.lines; line += shape_.at_a_time()) {
    auto* const data =
        reinterpret_cast<typename Fftw<T>::Complex*>(tile + line * shape_.line_stride());
    Fftw<T>::execute(plan_, data, data);
  }
}

template class Engine<float>;
template class Engine<double>;

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

}  // namespace kallima::local
