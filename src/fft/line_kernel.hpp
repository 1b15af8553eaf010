// SPDX-License-Identifier: BSD-3-Clause
//
// Fourier transforms of lines whose length is a product of small primes, a group of lines at a
// time: as many as have a cache line's worth of complex numbers. Two or three passes, each a short
// transform in registers (Cooley and Tukey 1965; the four-step order of Bailey 1990, eq. 2): the
// first reads the source with its strides, those between stay in cache, the last writes the target.
// So gathering, computing and scattering overlap, which they do not around an engine that is called
// for what has been gathered.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "base/line_kernel.hpp"
#include "base/strides.hpp"
#include "fft/line_passes.hpp"
#include "fft/roots.hpp"

namespace kallima::fft {

/// A kernel for one length, sign and set of instructions. Several threads may use it at a time,
/// each with its scratch; nothing is allocated but when it is made. A line's result depends on the
/// line alone, not on how it lies, nor on what lies beside it.
///
/// Scratch is kernel_scratch(length) cache lines, aligned to these.
template <class T>
class LineKernel {
 public:
  using Number = std::complex<T>;

  /// sign is -1 for forward, +1 for backward; of_reals: for split() or merge(). InvalidShape where
  /// !has_kernel(length), InvalidOption for instructions that there is no code for, or that this
  /// processor does not have.
  LineKernel(Index length, int sign, Vectors vectors, bool of_reals = false);

  [[nodiscard]] Index length() const { return length_; }
  /// Lines of a group.
  [[nodiscard]] static constexpr Index lanes() {
    return group_bytes / static_cast<Index>(sizeof(Number));
  }
  /// "16 x 16".
  [[nodiscard]] std::string to_text() const;

  /// Where the elements of a group's lines lie, so many bytes from an address, those of all lines
  /// side by side; offsets are in the order of elements().
  struct Source {
    const char* data = nullptr;
    const Index* offsets = nullptr;
  };
  /// The same, written; offsets are in the order of results().
  struct Target {
    char* data = nullptr;
    const Index* offsets = nullptr;
    bool streams = false;  ///< past the caches; then all are whole cache lines
  };
  /// One group of lines that lie across memory, times the factor. Both sides may be the same. Where
  /// `next` is given, fetches it meanwhile.
  void across(const Source& from, const Target& to, T factor, Number* scratch,
              const Source& next = {}) const;
  /// The elements, in the order in which kernels read them.
  [[nodiscard]] const std::vector<Index>& elements() const { return order_; }
  /// The place of each element among these.
  [[nodiscard]] const Index* places() const { return places_.data(); }
  /// The frequency of each result, in the order in which kernels leave them.
  [[nodiscard]] const std::vector<Index>& results() const { return results_; }

  /// True where along() can be called.
  [[nodiscard]] bool has_along() const { return !along_roots_.empty(); }
  /// One line whose elements follow each other, on both sides, which may be the same. Fetches what
  /// lies so many bytes `ahead` of its source.
  void along(const Number* from, Number* to, T factor, Number* scratch, Index ahead = 0) const;

  /// The same of any length: where !has_along(), as one of a group of zeros.
  void alone(const Number* from, Number* to, T factor, Number* scratch, Index ahead = 0) const;

  /// One group of lines whose elements follow each other, `from_line` bytes apart on one side and
  /// `to_line` on the other.
  void turned(const Number* from, Index from_line, Number* to, Index to_line, T factor,
              Number* scratch) const;
  /// The same where only one side lies so, and the other across memory.
  void turned_in(const Number* from, Index from_line, const Target& to, T factor,
                 Number* scratch) const;
  void turned_out(const Source& from, Number* to, Index to_line, T factor, Number* scratch) const;

  /// Elements of a group, `element` bytes apart, to lines `line` bytes apart, past the caches where
  /// they begin on cache lines.
  void turn_out(const char* from, Index element, Index length, char* to, Index line,
                bool streams) const;

  /// The number of a group's first line, and by how much it grows from line to line.
  struct Numbering {
    Index first = 0;
    Index step = 0;
    Index lines = 1;  ///< what is behind so many lines does not matter
  };
  /// Makes a table in scratch, where room() and tables stay as they are: roots(j k) for the lines'
  /// numbers j and all k, or their conjugates. Most are products of a few.
  void make_roots(Number* scratch, const Roots<T>& roots, const Numbering& lines,
                  bool conjugate) const;
  /// Multiplies the elements of a group by these. Offsets are in natural order on both sides, which
  /// may be the same.
  void multiply(const Source& from, const Target& to, Number* scratch) const;

  /// Of lines of twice as many reals, two neighbours as one number: frequencies of these to those
  /// of the reals, one more, and back, twice as large. Both sides may be the same.
  void split(const Number* from, Number* to) const;
  void merge(const Number* from, Number* to) const;

  /// Where scratch has room for a group of lines across memory, elements one behind the other,
  /// while the kernel runs from there, to there, or both.
  [[nodiscard]] Number* room(Number* scratch) const;
  /// Where scratch has room for what elements lie where: of four tables the number-th.
  [[nodiscard]] Index* table(Number* scratch, Index number) const;
  /// Offsets of elements that lie there, in natural order and in that of elements(), and of
  /// results.
  [[nodiscard]] const Index* room_offsets() const { return natural_.data(); }
  [[nodiscard]] const Index* room_elements() const { return room_order_.data(); }
  [[nodiscard]] const Index* room_results() const { return in_room_.data(); }

 private:
  struct Level {
    Index radix = 1;
    Index rest = 1;        ///< of the length, behind this radix and those before
    Index row = 1;         ///< elements of scratch from row to row
    std::vector<T> roots;  ///< none behind the last
  };
  [[nodiscard]] T* root_table(Number* scratch) const;

  /// Where results go, and what is fetched meanwhile.
  struct Leaving {
    char* to = nullptr;
    const Index* offsets = nullptr;
    bool streams = false;
    T factor = 1;
    const char* next = nullptr;
    const Index* next_offsets = nullptr;
  };
  /// From the block of a cache line to the next, in scratch.
  [[nodiscard]] Index block() const {
    return levels_.front().radix * std::max(levels_.front().row, levels_.front().rest) * 64;
  }
  /// The passes behind the first, on so many of its rows, of cache lines of a group.
  void finish(char* scratch, Index lines, Index rows, Leaving leaving) const;
  void finish_row(char* scratch, Index lines, std::size_t level, Leaving& leaving) const;
  /// The last pass on the rows that the one before it has left.
  void last(const char* scratch, Index lines, const Level& before, Leaving& leaving) const;

  Index length_;
  T sign_;
  const LinePasses<T>* passes_ = nullptr;
  std::vector<Level> levels_;
  std::vector<T> along_roots_;        // of the first pass, where a line lies in one piece
  std::vector<T> half_roots_;         // of split() and merge()
  std::vector<Index> order_;          // see elements()
  std::vector<Index> places_;         // see places()
  std::vector<Index> results_;        // see results()
  std::vector<Index> natural_;        // offsets of elements one behind the other
  std::vector<Index> room_order_;     // the same in the order of elements()
  std::vector<Index> in_room_;        // the same of results
  std::vector<Index> along_results_;  // of results, where a line lies in one piece
};

extern template class LineKernel<float>;
extern template class LineKernel<double>;

}  // namespace kallima::fft
