// SPDX-License-Identifier: BSD-3-Clause
//
// Walsh-Hadamard transforms of arrays spread over the ranks of a communicator.
//
//     auto walsh = kallima::WalshHadamard(comm, {1 << 20});
//     auto u = walsh.make_input();
//     auto u_k = walsh.make_output();
//     walsh.forward(u, u_k);
//
// Along an axis of n = 2^b, element k is the sum of u_j times 1 or -1: the product of the signs
// (-1)^(bit i of k and bit b-1-i of j) for all i. This is Paley's order, in which the transform is
// a Fourier transform whose roots of unity are all 1 and -1, and needs no more exchanges than that.
// In Hadamard's order, that of the matrix of Kronecker products, the same number is hadamard_index
// of k. Either way the transform is symmetric and, but for the scaling, its own inverse.
// Layouts and options are those of Transform. Elements are doubles. Plans are of walsh:1024.
#pragma once

#include "kallima/transform.hpp"

namespace kallima {

/// Names the operation.
struct KALLIMA_API Walsh;

/// The index in Hadamard's order of what index k has in Paley's, and the other way round, along an
/// axis of n, a power of two: the bits of k backwards.
constexpr Index hadamard_index(Index k, Index n) {
  Index result = 0;
  for (; n > 1; n /= 2, k /= 2) result = 2 * result + k % 2;
  return result;
}

/// Transforms of one shape over one communicator.
class KALLIMA_API WalshHadamard : public Planned<Walsh> {
 public:
  /// Plans. Extents are powers of two. Where an array of one axis has no layout given, as many
  /// ranks work as the largest power of two says. Collective; throws as Transform does.
  WalshHadamard(MPI_Comm comm, const Shape& shape, const Options& options = {});
  /// The same, with arguments that are made inside the collective call.
  static WalshHadamard with(MPI_Comm comm, const std::function<Arguments()>& arguments);

  /// This rank's part of an array in the input layout, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] BasicArray<double> make_input() const;
  /// This rank's part of an array in the output layout, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] BasicArray<double> make_output() const;

  /// Checks memory and binds it; as Transform::bind.
  [[nodiscard]] Bound<Walsh> bind(Direction direction, std::span<const double> in,
                                  std::span<double> out) const;
  /// bind and run.
  void forward(std::span<const double> in, std::span<double> out) const;
  /// bind and run, from the output layout to the input layout, divided by the number of elements
  /// unless Options::scaling says otherwise.
  void backward(std::span<const double> in, std::span<double> out) const;

 private:
  explicit WalshHadamard(std::shared_ptr<TransformCore<Walsh>> core)
      : Planned<Walsh>(std::move(core)) {}
};

extern template class Bound<Walsh>;
extern template class Planned<Walsh>;

}  // namespace kallima
