// SPDX-License-Identifier: BSD-3-Clause
//
// The operation that an executor carries out: what its numbers are, what an engine does to a batch
// of lines, and what lines are multiplied by between the sweeps of a split axis. Everything else
// (plans, layouts, tiles, exchanges of every method) asks for no more than the size of a number,
// and is the same code for all operations.
//
// An operation is chosen by a type: float and double stand for the Fourier transform of complex
// numbers of that precision, names for the others (extras/), whose numbers have the size of a
// complex number of single precision, as states of their plans have.
//
// Rejected: an interface with virtual functions that a batch is handed to. Elements and their sizes
// would have to be erased, and copies, which most of a sweep is, would go by bytes.
#pragma once

#include <complex>
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>

#include "exec/twiddle.hpp"
#include "fft/engine.hpp"
#include "fft/roots.hpp"
#include "kallima/plan.hpp"

namespace kallima::exec {

/// What an executor needs to know of an operation. Every specialisation has what the first one has.
template <class T>
struct Operation;

/// The Fourier transform.
template <std::floating_point T>
struct Operation<T> {
  using Number = std::complex<T>;       ///< an element of an array
  using Real = T;                       ///< an element where a state is of reals
  using Factor = T;                     ///< what results are multiplied by
  using Engine = fft::Engine<T>;        ///< transforms batches of lines
  using Roots = fft::Roots<T>;          ///< multiply what is between the sweeps of an axis
  using Setup = fft::EngineSetup;       ///< what all engines of a transform have in common
  static constexpr bool learns = true;  ///< its engines have wisdom
  static constexpr Precision precision = precision_of<T>;  ///< of complex numbers of this size

  /// What tells the engine of one sweep from that of another with the same batch: the sign of the
  /// exponent.
  static int sign(const Plan& plan, int step, Index /*rank*/) {
    return plan.direction_at(static_cast<std::size_t>(step)) == Direction::forward ? -1 : 1;
  }
  static Engine make_engine(const Setup& setup, const fft::Batch& batch, int sign, Number* from,
                            Number* to) {
    return {batch, sign, setup, from, to};
  }
  static Roots make_roots(const Setup& /*setup*/, Index modulus,
                          const std::shared_ptr<MemorySource>& memory) {
    return {modulus, memory};
  }
  static void twiddle(const TwiddledLines<Number>& lines, const Roots& roots, bool backward) {
    exec::twiddle<T>(lines, roots, backward);
  }
  /// What undoes a factor of n.
  static Factor reciprocal(const Setup& /*setup*/, Index n) {
    return static_cast<Factor>(1.0L / static_cast<long double>(n));
  }
  static std::string export_wisdom() { return fft::export_wisdom<T>(); }
  static void import_wisdom(const std::string& wisdom) { fft::import_wisdom<T>(wisdom); }
  /// What ranks must agree on beyond the problem and options; ends with a new line, or is empty.
  static std::string to_text(const Setup& /*setup*/) { return {}; }
  /// Multiplies so many contiguous lines, `line_stride` elements from one to the next.
  template <class E>
  static void scale(const Setup& /*setup*/, E* data, Index line_stride, Index lines, Index length,
                    Factor factor) {
    if (factor == Factor{1}) return;
    for (Index line = 0; line < lines; ++line) {
      for (Index i = 0; i < length; ++i) data[line * line_stride + i] *= factor;
    }
  }
};

template <class T>
using Number = typename Operation<T>::Number;
template <class T>
using RealNumber = typename Operation<T>::Real;
/// True where states of reals differ from others.
template <class T>
inline constexpr bool has_reals = !std::is_same_v<RealNumber<T>, Number<T>>;
template <class T>
using Factor = typename Operation<T>::Factor;
/// True where engines may have kernels.
template <class T>
inline constexpr bool has_kernels = requires(const typename Operation<T>::Engine& engine) {
  engine.kernel();
};

}  // namespace kallima::exec
