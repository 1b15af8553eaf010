// SPDX-License-Identifier: BSD-3-Clause
#include "fft/kernel_lines.hpp"

#include <algorithm>

namespace kallima::fft {

namespace {

bool of_reals(const Batch& batch) { return batch.numbers != Numbers::complex; }

/// Lines behind the one that is transformed whose source is fetched meanwhile: where lines are
/// short, processors do not look so far ahead by themselves.
constexpr Index lines_ahead = 4;

}  // namespace

template <class T>
KernelLines<T>::KernelLines(const Batch& batch, int sign, Vectors vectors)
    : kernel_(of_reals(batch) ? batch.length / 2 : batch.length, sign, vectors, of_reals(batch)),
      batch_(batch) {
  if (of_reals(batch)) return;
  constexpr auto number_bytes = static_cast<Index>(sizeof(Number));
  for (Index i = 0; i < batch.length; ++i) {
    const Index frequency = kernel_.results()[static_cast<std::size_t>(i)];
    const Index element = kernel_.elements()[static_cast<std::size_t>(i)];
    source_.push_back(element * batch.from.element * number_bytes);
    target_.push_back(frequency * batch.to.element * number_bytes);
  }
}

template <class T>
void KernelLines<T>::run(const Number* from, Number* to, Number* scratch) const {
  if (batch_.numbers == Numbers::from_real) {
    return run_from_real(reinterpret_cast<const T*>(from), to, scratch);
  }
  if (batch_.numbers == Numbers::to_real) {
    return run_to_real(from, reinterpret_cast<T*>(to), scratch);
  }
  const Index lanes = kernel_.lanes();
  const bool along = batch_.from.element == 1 && batch_.to.element == 1 && kernel_.has_along();
  if (along) {
    const Index ahead = lines_ahead * batch_.from.line * static_cast<Index>(sizeof(Number));
    for (Index line = 0; line < batch_.lines; ++line) {
      kernel_.along(from + line * batch_.from.line, to + line * batch_.to.line, T{1}, scratch,
                    ahead);
    }
    return;
  }
  const bool known = (batch_.from.line == 1 || batch_.from.element == 1) &&
                     (batch_.to.line == 1 || batch_.to.element == 1);
  for (Index line = 0; line < batch_.lines; line += lanes) {
    const Index count = std::min(lanes, batch_.lines - line);
    const Number* const first = from + line * batch_.from.line;
    Number* const left = to + line * batch_.to.line;
    if (known && count == lanes) {
      run_group(first, left, scratch);
    } else {
      run_few(first, left, count, scratch);
    }
  }
}

template <class T>
void KernelLines<T>::run_from_real(const T* from, Number* to, Number* scratch) const {
  const Index lanes = kernel_.lanes();
  constexpr auto real_bytes = static_cast<Index>(sizeof(T));
  const Index line_bytes = batch_.from.line * real_bytes;
  const auto numbers = [](const T* reals) { return reinterpret_cast<const Number*>(reals); };
  const Index turned = kernel_.has_along() ? 0 : batch_.lines / lanes * lanes;
  for (Index line = 0; line < turned; line += lanes) {
    kernel_.turned(numbers(from + line * batch_.from.line), line_bytes, to + line * batch_.to.line,
                   2 * batch_.to.line * real_bytes, T{1}, scratch);
  }
  for (Index line = turned; line < batch_.lines; ++line) {
    kernel_.alone(numbers(from + line * batch_.from.line), to + line * batch_.to.line, T{1},
                  scratch, lines_ahead * line_bytes);
  }
  for (Index line = 0; line < batch_.lines; ++line) {
    Number* const frequencies = to + line * batch_.to.line;
    kernel_.split(frequencies, frequencies);
  }
}

template <class T>
void KernelLines<T>::run_to_real(const Number* from, T* to, Number* scratch) const {
  const Index lanes = kernel_.lanes();
  constexpr auto real_bytes = static_cast<Index>(sizeof(T));
  const Index pairs = kernel_.length();
  // Behind the kernel's scratch is room for merged lines.
  Number* const merged = scratch + kernel_scratch(pairs) / static_cast<Index>(sizeof(Number));
  const auto numbers = [](T* reals) { return reinterpret_cast<Number*>(reals); };
  for (Index line = 0; line < batch_.lines; line += lanes) {
    const Index count = std::min(lanes, batch_.lines - line);
    for (Index l = 0; l < count; ++l) {
      kernel_.merge(from + (line + l) * batch_.from.line, merged + l * pairs);
    }
    T* const reals = to + line * batch_.to.line;
    if (count == lanes && !kernel_.has_along()) {
      kernel_.turned(merged, 2 * pairs * real_bytes, numbers(reals), batch_.to.line * real_bytes,
                     T{1}, scratch);
      continue;
    }
    for (Index l = 0; l < count; ++l) {
      kernel_.alone(merged + l * pairs, numbers(reals + l * batch_.to.line), T{1}, scratch);
    }
  }
}

template <class T>
void KernelLines<T>::run_group(const Number* from, Number* to, Number* scratch) const {
  const typename LineKernel<T>::Source source{reinterpret_cast<const char*>(from), source_.data()};
  const typename LineKernel<T>::Target target{reinterpret_cast<char*>(to), target_.data(), false};
  constexpr auto number_bytes = static_cast<Index>(sizeof(Number));
  const bool across = batch_.from.line == 1;
  const bool leaves_across = batch_.to.line == 1;
  if (across && leaves_across) {
    kernel_.across(source, target, T{1}, scratch);
  } else if (across) {
    kernel_.turned_out(source, to, batch_.to.line * number_bytes, T{1}, scratch);
  } else if (leaves_across) {
    kernel_.turned_in(from, batch_.from.line * number_bytes, target, T{1}, scratch);
  } else {
    kernel_.turned(from, batch_.from.line * number_bytes, to, batch_.to.line * number_bytes, T{1},
                   scratch);
  }
}

template <class T>
void KernelLines<T>::run_few(const Number* from, Number* to, Index lines, Number* scratch) const {
  const Index lanes = kernel_.lanes();
  const Index length = kernel_.length();
  Number* const room = kernel_.room(scratch);
  for (Index i = 0; i < length; ++i) {
    const Number* const element = from + i * batch_.from.element;
    for (Index line = 0; line < lanes; ++line) {
      room[i * lanes + line] = line < lines ? element[line * batch_.from.line] : Number{};
    }
  }
  auto* const data = reinterpret_cast<char*>(room);
  kernel_.across({data, kernel_.room_elements()}, {data, kernel_.room_results(), false}, T{1},
                 scratch);
  for (Index i = 0; i < length; ++i) {
    Number* const element = to + i * batch_.to.element;
    for (Index line = 0; line < lines; ++line) {
      element[line * batch_.to.line] = room[i * lanes + line];
    }
  }
}

template class KernelLines<float>;
template class KernelLines<double>;

}  // namespace kallima::fft
