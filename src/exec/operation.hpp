// SPDX-License-Identifier: BSD-3-Clause
//
// The operation that an executor carries out: what its numbers are, what an engine does to a batch
// of lines, and what lines are multiplied by between the sweeps of a split axis. Everything else
// (plans, layouts, tiles, exchanges of every method) asks for no more than the size of a number,
// and is the same code for all operations.
//
// An operation is chosen by a type: float and double stand for the Fourier transform of complex
// numbers of that precision, names for the others. Numbers of these have the size of a complex
// number of single precision, and states of their plans are of such.
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
#include "kallima/plan.hpp"
#include "local/bitonic.hpp"
#include "local/butterflies.hpp"
#include "local/engine.hpp"
#include "local/residues.hpp"
#include "local/roots.hpp"
#include "local/walsh.hpp"

namespace kallima {

struct KALLIMA_API NumberTheoretic;
struct KALLIMA_API Walsh;
struct KALLIMA_API Bitonic;

}  // namespace kallima

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
  using Engine = local::Engine<T>;      ///< transforms batches of lines
  using Roots = local::Roots<T>;        ///< multiply what is between the sweeps of an axis
  static constexpr bool learns = true;  ///< its engines have wisdom
  static constexpr Precision precision = precision_of<T>;  ///< of complex numbers of this size

  /// What all engines of a transform have in common.
  struct Setup {
    Effort effort = Effort::estimate;
    bool only_wisdom = false;
  };

  /// What tells the engine of one sweep from that of another with the same batch: the sign of the
  /// exponent.
  static int sign(const Plan& plan, int /*step*/, Index /*rank*/) {
    return plan.direction() == Direction::forward ? -1 : 1;
  }
  static Engine make_engine(const Setup& setup, const local::Batch& batch, int sign, Number* from,
                            Number* to) {
    return {batch, sign, setup.effort, setup.only_wisdom, from, to};
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
  static std::string export_wisdom() { return local::export_wisdom<T>(); }
  static void import_wisdom(const std::string& wisdom) { local::import_wisdom<T>(wisdom); }
  /// What ranks must agree on beyond the problem and options; ends with a new line, or is empty.
  static std::string to_text(const Setup& /*setup*/) { return {}; }
  /// Multiplies so many contiguous lines, `apart` elements from one to the next.
  template <class E>
  static void scale(const Setup& /*setup*/, E* data, Index apart, Index lines, Index length,
                    Factor factor) {
    if (factor == Factor{1}) return;
    for (Index line = 0; line < lines; ++line) {
      for (Index i = 0; i < length; ++i) data[line * apart + i] *= factor;
    }
  }
};

/// What operations of one 64-bit number per element have in common: it takes the room of a complex
/// number of single precision, and their engines learn nothing.
struct OfWords {
  static constexpr bool learns = false;
  static constexpr Precision precision = Precision::f32;

  static std::string export_wisdom() { return {}; }
  static void import_wisdom(const std::string& /*wisdom*/) {}
};

/// What those have in common that multiply nothing between the sweeps of an axis.
template <class Number>
struct WithoutRoots : OfWords {
  struct Roots {
    Index modulus = 1;

    [[nodiscard]] Index n() const { return modulus; }
    [[nodiscard]] static Index bytes() { return 0; }
  };

  template <class Setup>
  static Roots make_roots(const Setup& /*setup*/, Index modulus,
                          const std::shared_ptr<MemorySource>& /*memory*/) {
    return {modulus};
  }
  static void twiddle(const TwiddledLines<Number>& /*lines*/, const Roots& /*roots*/,
                      bool /*backward*/) {}
};

/// The number-theoretic transform: of residues, with roots of unity of their field.
template <>
struct Operation<NumberTheoretic> : OfWords {
  using Number = local::Residue;
  using Real = Number;  // there are none
  using Factor = Number;
  using Engine = local::Butterflies<local::ResidueStages>;

  struct Setup {
    std::shared_ptr<const local::Field> field = local::Field::standard();
  };
  /// One root, of which all others are powers.
  struct Roots {
    std::shared_ptr<const local::Field> field;
    Index modulus = 1;

    [[nodiscard]] Index n() const { return modulus; }
    [[nodiscard]] static Index bytes() { return 0; }
  };

  static int sign(const Plan& plan, int step, Index rank) {
    return Operation<double>::sign(plan, step, rank);
  }
  static Engine make_engine(const Setup& setup, const local::Batch& batch, int sign,
                            Number* /*from*/, Number* /*to*/) {
    return {batch, local::ResidueStages(setup.field, batch.length, sign > 0)};
  }
  static Roots make_roots(const Setup& setup, Index modulus,
                          const std::shared_ptr<MemorySource>& /*memory*/) {
    return {setup.field, modulus};
  }
  static void twiddle(const TwiddledLines<Number>& lines, const Roots& roots, bool backward) {
    const Number root = roots.field->root(roots.modulus);
    local::multiply_powers(
        *roots.field,
        {lines.data, lines.strides, lines.lines, lines.length, lines.first, lines.step},
        backward ? roots.field->inverse(root) : root);
  }
  static Factor reciprocal(const Setup& setup, Index n) {
    return setup.field->inverse(static_cast<Number>(n) % setup.field->prime());
  }
  static std::string to_text(const Setup& setup) {
    return "prime " + std::to_string(setup.field->prime()) + "\n";
  }
  static void scale(const Setup& setup, Number* data, Index apart, Index lines, Index length,
                    Factor factor) {
    if (factor == 1) return;
    const Number prepared = setup.field->prepared(factor);
    for (Index line = 0; line < lines; ++line) {
      setup.field->scale(data + line * apart, prepared, length);
    }
  }
};

/// The Walsh-Hadamard transform: the same without roots of unity.
template <>
struct Operation<Walsh> : WithoutRoots<double> {
  using Number = double;
  using Real = Number;
  using Factor = double;
  using Engine = local::Butterflies<local::WalshStages>;

  struct Setup {};

  static int sign(const Plan& /*plan*/, int /*step*/, Index /*rank*/) { return 1; }
  static Engine make_engine(const Setup& /*setup*/, const local::Batch& batch, int /*sign*/,
                            Number* /*from*/, Number* /*to*/) {
    return {batch, {}};
  }
  static Factor reciprocal(const Setup& /*setup*/, Index n) { return 1. / static_cast<double>(n); }
  static std::string to_text(const Setup& /*setup*/) { return {}; }
  static void scale(const Setup& /*setup*/, Number* data, Index apart, Index lines, Index length,
                    Factor factor) {
    Operation<double>::scale({}, data, apart, lines, length, factor);
  }
};

/// The bitonic sort, of plans whose sweeps compare.
template <>
struct Operation<Bitonic> : WithoutRoots<local::KeyBits> {
  using Number = local::KeyBits;
  using Real = Number;
  using Factor = int;  // keys are not multiplied
  using Engine = local::Butterflies<local::SortStages>;

  struct Setup {
    local::KeyKind kind = local::KeyKind::natural;
  };

  /// The code of the SortStep that a sweep is on a rank.
  static int sign(const Plan& plan, int step, Index rank);
  static Engine make_engine(const Setup& setup, const local::Batch& batch, int sign,
                            Number* /*from*/, Number* /*to*/) {
    return {batch, {setup.kind, local::SortStep::of_code(sign)}};
  }
  static Factor reciprocal(const Setup& /*setup*/, Index /*n*/) { return 1; }
  static std::string to_text(const Setup& setup) {
    return "kind of keys " + std::to_string(static_cast<int>(setup.kind)) + "\n";
  }
  static void scale(const Setup& /*setup*/, Number* /*data*/, Index /*apart*/, Index /*lines*/,
                    Index /*length*/, Factor /*factor*/) {}
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

/// For the templates over operations: what(T) for each of them.
#define KALLIMA_FOR_EACH_OPERATION(what) \
  what(float) what(double) what(NumberTheoretic) what(Walsh) what(Bitonic)

}  // namespace kallima::exec
