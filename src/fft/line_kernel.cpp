// SPDX-License-Identifier: BSD-3-Clause
//
// Which passes a length takes, and their tables.
#include "fft/line_kernel.hpp"

#include <algorithm>

#include "fft/unit_root.hpp"
#include "kallima/error.hpp"

namespace kallima::fft {

namespace {

constexpr Index cache_line_bytes = 64;

/// Factors that passes have, as few as do, and of these lists the best.
class Radices {
 public:
  Radices(Index length, Index lanes) : lanes_(lanes) { search(length, {}); }
  [[nodiscard]] const std::vector<Index>& best() const { return best_; }

 private:
  /// Fewest first; then those whose first pass can take a line that lies in one piece; then even
  /// ones, as the largest takes longest.
  [[nodiscard]] bool is_better(const std::vector<Index>& than_this) const {
    if (best_.empty() || than_this.size() != best_.size()) {
      return best_.empty() || than_this.size() < best_.size();
    }
    const bool along = than_this.front() % lanes_ == 0;
    if (along != (best_.front() % lanes_ == 0)) return along;
    return *std::max_element(than_this.begin(), than_this.end()) <
           *std::max_element(best_.begin(), best_.end());
  }

  void search(Index left, std::vector<Index> taken) {
    if (left == 1) {
      if (!taken.empty() && is_better(taken)) best_ = std::move(taken);
      return;
    }
    if (!best_.empty() && taken.size() >= best_.size()) return;
    for (Index radix = largest_radix; radix > 1; --radix) {
      if (left % radix != 0) continue;
      std::vector<Index> more = taken;
      more.push_back(radix);
      search(left / radix, std::move(more));
    }
  }

  Index lanes_;
  std::vector<Index> best_;
};

/// exp(sign 2 pi i e / n).
template <class T>
std::complex<T> root_of(Index e, Index n, T sign) {
  const UnitRoot root = unit_root(static_cast<int>(e % n), static_cast<int>(n));
  return {static_cast<T>(root.cosine), sign * static_cast<T>(root.sine)};
}

/// A root as passes across lines have it: 16 bytes of real parts, and of imaginary parts with
/// signs.
template <class T>
void append_root(std::vector<T>& table, std::complex<T> root) {
  constexpr auto width = 16 / sizeof(T);
  table.insert(table.end(), width, root.real());
  for (std::size_t i = 0; i < width; i += 2) {
    table.insert(table.end(), {-root.imag(), root.imag()});
  }
}

/// Roots as passes along lines have them: the real parts of all, each twice, then the imaginary
/// ones with signs.
template <class T, class Root>
void append_group(std::vector<T>& table, Index count, Root root) {
  std::vector<T> imaginary;
  for (Index i = 0; i < count; ++i) {
    const std::complex<T> value = root(i);
    table.insert(table.end(), {value.real(), value.real()});
    imaginary.insert(imaginary.end(), {-value.imag(), value.imag()});
  }
  table.insert(table.end(), imaginary.begin(), imaginary.end());
}

}  // namespace

template <class T>
LineKernel<T>::LineKernel(Index length, int sign, Vectors vectors, bool of_reals)
    : length_(length), sign_(static_cast<T>(sign)) {
  if (!has_kernel(length)) {
    throw InvalidShape("there is no kernel for lines of " + std::to_string(length));
  }
  for (const TargetPasses<T>& each : line_passes<T>()) {
    if (each.vectors == vectors && vectors <= vectors_here()) passes_ = &each.passes();
  }
  if (passes_ == nullptr) {
    throw InvalidOption("there are no kernels for vector instructions '" +
                        std::string(name_of(vectors)) + "' on this processor; use FFTW");
  }
  constexpr auto number_bytes = static_cast<Index>(sizeof(Number));
  Index rest = length;
  constexpr Index together = line_numbers<T>;  // of a line that lies in one piece
  const Radices radices(length, together);
  for (const Index radix : radices.best()) {
    Level level{radix, rest / radix, rest / radix, {}};
    for (Index j = 0; level.rest > 1 && j < level.rest; ++j) {
      for (Index q = 1; q < radix; ++q) {
        append_root(level.roots, root_of(j * q, rest, sign_));
      }
    }
    rest = level.rest;
    levels_.push_back(std::move(level));
  }
  Level& leading = levels_.front();
  if (levels_.size() == 2) {
    leading.row = short_row;
  } else if (leading.rest % 4 == 0) {
    ++leading.row;
  }
  for (Index j = 0; j < leading.rest; ++j) {
    for (Index k = 0; k < leading.radix; ++k) order_.push_back(j + leading.rest * k);
  }
  places_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    places_[static_cast<std::size_t>(order_[i])] = static_cast<Index>(i);
  }
  if (leading.radix % together == 0 && leading.rest >= together) {
    for (Index begin = 0; begin < leading.rest; begin += together) {
      const Index j = std::min(begin, leading.rest - together);
      for (Index q = 1; q < leading.radix; ++q) {
        append_group(along_roots_, together,
                     [&](Index i) { return root_of((j + i) * q, length, sign_); });
      }
    }
  }
  for (Index k = 1; of_reals && 2 * k <= length; k += together) {
    append_group(half_roots_, together, [&](Index i) {
      // Forward -i/2 exp(-2 pi i k / 2n), backward i exp(2 pi i k / 2n).
      const std::complex<T> root = root_of(k + i, 2 * length, sign_);
      const T size = sign < 0 ? T{0.5} : T{1};
      return std::complex<T>(-sign_ * size * root.imag(), sign_ * size * root.real());
    });
  }
  // The result behind the digits q0, q1, ... of all passes is frequency q0 + r0 (q1 + r1 (q2 +
  // ...)).
  for (Index i = 0; i < length; ++i) {
    Index left = i;
    Index below = length;
    Index weight = 1;
    Index frequency = 0;
    for (const Level& level : levels_) {
      below /= level.radix;
      frequency += left / below * weight;
      left %= below;
      weight *= level.radix;
    }
    results_.push_back(frequency);
    natural_.push_back(i * group_bytes);
    room_order_.push_back(order_[static_cast<std::size_t>(i)] * group_bytes);
    in_room_.push_back(frequency * group_bytes);
    const bool first_lane = i / leading.rest % together == 0;
    if (has_along() && first_lane) along_results_.push_back(frequency * number_bytes);
  }
}

template <class T>
void LineKernel<T>::turn_out(const char* from, Index element, Index length, char* to, Index line,
                             bool streams) const {
  passes_->turn_out(from, element, group_bytes, length, to, line, streams);
}

template <class T>
T* LineKernel<T>::root_table(Number* scratch) const {
  Number* const behind = room(scratch) + length_ * lanes();
  const Index tables = (length_ + 1) / 2 * 64;
  return reinterpret_cast<T*>(behind + tables / static_cast<Index>(sizeof(Number)));
}

template <class T>
void LineKernel<T>::make_roots(Number* scratch, const Roots<T>& roots, const Numbering& lines,
                               bool conjugate) const {
  const Index many = lanes();
  const Index size = 4 * many;  // reals of a root for all lines
  alignas(64) std::array<T, 2 * 128 / sizeof(T)> by{};
  const auto fill = [&](T* to, Index k) {
    for (Index line = 0; line < many; ++line) {
      const Index number = lines.first + std::min(line, lines.lines - 1) * lines.step;
      const Number root = roots(number * k);
      const T imag = conjugate ? -root.imag() : root.imag();
      to[2 * line] = to[2 * line + 1] = root.real();
      to[2 * many + 2 * line] = -imag;
      to[2 * many + 2 * line + 1] = imag;
    }
  };
  const auto make = [&](T* table, Index count, Index unit) {
    fill(table, 0);
    for (Index have = 1; have < count; have *= 2) {
      fill(by.data(), have * unit);
      passes_->extend(table, group_bytes, have, std::min(2 * have, count), by.data());
    }
  };
  T* const fine = root_table(scratch);
  make(fine, std::min(fine_roots, length_), 1);
  make(fine + fine_roots * size, (length_ - 1) / fine_roots + 1, fine_roots);
}

template <class T>
void LineKernel<T>::multiply(const Source& from, const Target& to, Number* scratch) const {
  const T* const fine = root_table(scratch);
  passes_->multiply(from.data, from.offsets, group_bytes, to.data, to.offsets, length_, fine,
                    fine + fine_roots * 4 * lanes(), to.streams);
}

template <class T>
void LineKernel<T>::split(const Number* from, Number* to) const {
  passes_->split(reinterpret_cast<const T*>(from), length_, half_roots_.data(),
                 reinterpret_cast<T*>(to));
}

template <class T>
void LineKernel<T>::merge(const Number* from, Number* to) const {
  passes_->merge(reinterpret_cast<const T*>(from), length_, half_roots_.data(),
                 reinterpret_cast<T*>(to));
}

template <class T>
std::string LineKernel<T>::to_text() const {
  std::string text;
  for (const Level& level : levels_) {
    text += (text.empty() ? "" : " x ") + std::to_string(level.radix);
  }
  return text;
}

template <class T>
typename LineKernel<T>::Number* LineKernel<T>::room(Number* scratch) const {
  const Level& leading = levels_.front();
  return scratch + leading.radix * std::max(leading.row, leading.rest) * lanes();
}

template <class T>
Index* LineKernel<T>::table(Number* scratch, Index number) const {
  Number* const behind = room(scratch) + length_ * lanes();
  return reinterpret_cast<Index*>(behind) + number * length_;
}

template <class T>
void LineKernel<T>::last(const char* scratch, Index lines, const Level& before,
                         Leaving& leaving) const {
  const Index radix = levels_.back().radix;
  const auto& passes = leaving.streams ? passes_->streams : passes_->last;
  passes[static_cast<std::size_t>(radix)](scratch, lines, block(), before.row, before.radix,
                                          leaving.to, leaving.offsets, leaving.factor, sign_,
                                          leaving.next, leaving.next_offsets);
  leaving.offsets += before.radix * radix;
  if (leaving.next != nullptr) leaving.next_offsets += before.radix * radix;
}

template <class T>
void LineKernel<T>::finish_row(char* scratch, Index lines, std::size_t level,
                               Leaving& leaving) const {
  const Level& here = levels_[level];
  passes_->middle[static_cast<std::size_t>(here.radix)](lines, here.rest, here.roots.data(), sign_,
                                                        scratch, block());
  if (level + 2 == levels_.size()) return last(scratch, lines, here, leaving);
  for (Index q = 0; q < here.radix; ++q) {
    finish_row(scratch + q * here.row * cache_line_bytes, lines, level + 1, leaving);
  }
}

template <class T>
void LineKernel<T>::finish(char* scratch, Index lines, Index rows, Leaving leaving) const {
  Level leading{rows, levels_.front().rest, levels_.front().row, {}};
  if (levels_.size() == 2) return last(scratch, lines, leading, leaving);
  for (Index q = 0; q < rows; ++q) {
    finish_row(scratch + q * leading.row * cache_line_bytes, lines, 1, leaving);
  }
}

template <class T>
void LineKernel<T>::across(const Source& from, const Target& to, T factor, Number* scratch,
                           const Source& next) const {
  const Leaving leaving{to.data, to.offsets, to.streams, factor, next.data, next.offsets};
  const Level& leading = levels_.front();
  const Index lines = group_bytes / cache_line_bytes;
  auto* const work = reinterpret_cast<char*>(scratch);
  if (levels_.size() == 1) {
    passes_->take(from.data, from.offsets, lines, length_, work, block());
    Leaving all = leaving;
    return last(work, lines, {1, length_, length_, {}}, all);
  }
  const auto& passes = levels_.size() == 2 ? passes_->first_of_two : passes_->first;
  passes[static_cast<std::size_t>(leading.radix)](from.data, from.offsets, lines, leading.rest,
                                                  leading.row, leading.roots.data(), sign_, work,
                                                  block());
  finish(work, lines, leading.radix, leaving);
}

template <class T>
void LineKernel<T>::along(const Number* from, Number* to, T factor, Number* scratch,
                          Index ahead) const {
  auto* const work = reinterpret_cast<char*>(scratch);
  const Level& leading = levels_.front();
  passes_->along[static_cast<std::size_t>(leading.radix)](reinterpret_cast<const char*>(from),
                                                          leading.rest, leading.row,
                                                          along_roots_.data(), sign_, work, ahead);
  finish(work, 1, leading.radix / line_numbers<T>,
         {reinterpret_cast<char*>(to), along_results_.data(), false, factor, nullptr, nullptr});
}

template <class T>
void LineKernel<T>::alone(const Number* from, Number* to, T factor, Number* scratch,
                          Index ahead) const {
  if (has_along()) return along(from, to, factor, scratch, ahead);
  Number* const lines = room(scratch);
  const Index many = lanes();
  std::fill_n(lines, length_ * many, Number{});
  for (Index i = 0; i < length_; ++i) lines[i * many] = from[i];
  auto* const data = reinterpret_cast<char*>(lines);
  across({data, room_order_.data()}, {data, in_room_.data(), false}, factor, scratch);
  for (Index i = 0; i < length_; ++i) to[i] = lines[i * many];
}

template <class T>
void LineKernel<T>::turned_in(const Number* from, Index from_line, const Target& to, T factor,
                              Number* scratch) const {
  auto* const lines = reinterpret_cast<char*>(room(scratch));
  passes_->turn_in(reinterpret_cast<const char*>(from), from_line, group_bytes, length_, lines);
  across({lines, room_order_.data()}, to, factor, scratch);
}

template <class T>
void LineKernel<T>::turned_out(const Source& from, Number* to, Index to_line, T factor,
                               Number* scratch) const {
  auto* const lines = reinterpret_cast<char*>(room(scratch));
  across(from, {lines, in_room_.data(), false}, factor, scratch);
  passes_->turn_out(lines, group_bytes, group_bytes, length_, reinterpret_cast<char*>(to), to_line,
                    false);
}

template <class T>
void LineKernel<T>::turned(const Number* from, Index from_line, Number* to, Index to_line, T factor,
                           Number* scratch) const {
  auto* const lines = reinterpret_cast<char*>(room(scratch));
  turned_in(from, from_line, {lines, in_room_.data(), false}, factor, scratch);
  passes_->turn_out(lines, group_bytes, group_bytes, length_, reinterpret_cast<char*>(to), to_line,
                    false);
}

template class LineKernel<float>;
template class LineKernel<double>;

}  // namespace kallima::fft
