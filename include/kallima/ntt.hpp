// SPDX-License-Identifier: BSD-3-Clause
//
// Number-theoretic transforms: Fourier transforms without rounding, of numbers modulo a prime, for
// arrays spread over the ranks of a communicator.
//
//     auto ntt = kallima::Ntt(comm, {1 << 20});
//     auto a = ntt.make_input();
//     auto a_k = ntt.make_output();
//     ntt.forward(a, a_k);
//     for (auto& value : a_k) value = ntt.product(value, value);
//     ntt.backward(a_k, a);                     // the square of a, as a polynomial modulo x^n - 1
//
// Forward, element k along an axis of n is the sum of a_j w^(jk) modulo the prime, w = root(n).
// Layouts, plans, exchanges and what can be chosen about them are those of Transform: the same
// steps, with another arithmetic. Elements have 8 bytes. Plans are of ntt:1024, whatever the prime.
#pragma once

#include <array>
#include <cstdint>

#include "kallima/transform.hpp"

namespace kallima {

/// Names the operation.
struct KALLIMA_API NumberTheoretic;

/// Primes below 2^64 that have roots of unity for axes up to 2^32. The first is 2^64 - 2^32 + 1,
/// modulo which multiplying is the fastest by far. Products modulo several of them give exact
/// results beyond 64 bits, by the Chinese remainder theorem.
inline constexpr std::array<std::uint64_t, 4> ntt_primes{0xFFFFFFFF00000001, 0xFFFFFFFC00000001,
                                                         0xFFFFFFD300000001, 0xFFFFFFCA00000001};

/// What can be chosen about a number-theoretic transform beyond Options.
struct NttOptions : Options {
  std::uint64_t prime = ntt_primes[0];  ///< odd; extents must divide prime - 1
};

/// All arguments but the communicator.
struct NttArguments {
  Shape shape;         ///< extents, powers of two
  NttOptions options;  ///< choices
};

/// Transforms of one shape over one communicator, of numbers below the prime.
class KALLIMA_API Ntt : public Planned<NumberTheoretic> {
 public:
  /// Plans. Extents are powers of two that divide prime - 1. Where an array of one axis has no
  /// layout given, as many ranks work as the largest power of two says. Collective; throws as
  /// Transform does, and InvalidOption for a prime that is none, or for Scaling::by_sqrt_n.
  Ntt(MPI_Comm comm, const Shape& shape, const NttOptions& options = {});
  /// The same, with arguments that are made inside the collective call.
  static Ntt with(MPI_Comm comm, const std::function<NttArguments()>& arguments);

  /// This rank's part of an array in the input layout, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] BasicArray<std::uint64_t> make_input() const;
  /// This rank's part of an array in the output layout, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] BasicArray<std::uint64_t> make_output() const;

  /// Checks memory and binds it; as Transform::bind. Elements must be below the prime, which is not
  /// checked: others give results that mean nothing.
  [[nodiscard]] Bound<NumberTheoretic> bind(Direction direction, std::span<const std::uint64_t> in,
                                            std::span<std::uint64_t> out) const;
  /// bind and run.
  void forward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) const;
  /// bind and run, the other way; divides by the number of elements, unless Options::scaling says
  /// otherwise.
  void backward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) const;

  /// The prime. Local.
  [[nodiscard]] std::uint64_t prime() const;
  /// The root of unity of an axis of n. Local.
  [[nodiscard]] std::uint64_t root(Index n) const;
  /// a b modulo the prime. Local.
  [[nodiscard]] std::uint64_t product(std::uint64_t a, std::uint64_t b) const;
  /// Multiplies element by element, in place: a[i] becomes a[i] b[i]. Local; as fast as the memory.
  void multiply(std::span<std::uint64_t> a, std::span<const std::uint64_t> b) const;

 private:
  explicit Ntt(std::shared_ptr<TransformCore<NumberTheoretic>> core)
      : Planned<NumberTheoretic>(std::move(core)) {}
};

extern template class Bound<NumberTheoretic>;
extern template class Planned<NumberTheoretic>;

}  // namespace kallima
