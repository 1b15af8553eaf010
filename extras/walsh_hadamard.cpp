// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/walsh_hadamard.hpp"

#include "api/instantiate.hpp"
#include "extras/power_of_two_ranks.hpp"
#include "extras/walsh.hpp"

namespace kallima {

WalshHadamard::WalshHadamard(MPI_Comm comm, const Shape& shape, const Options& options)
    : WalshHadamard(with(comm, [&] {
        return Arguments{shape, options};
      })) {}

WalshHadamard WalshHadamard::with(MPI_Comm comm, const std::function<Arguments()>& arguments) {
  return WalshHadamard(TransformCore<Walsh>::make(comm, Kind::walsh, [&] {
    AskedTransform<Walsh> asked;
    asked.given = arguments();
    spread_over_power_of_two(comm, asked.given.shape, asked.given.options);
    return asked;
  }));
}

BasicArray<double> WalshHadamard::make_input() const {
  return core_->make_array<double>(input_layout(), "input array");
}

BasicArray<double> WalshHadamard::make_output() const {
  return core_->make_array<double>(output_layout(), "output array");
}

Bound<Walsh> WalshHadamard::bind(Direction direction, std::span<const double> in,
                                 std::span<double> out) const {
  return bind_memory(direction, in.data(), in.size(), out.data(), out.size());
}

void WalshHadamard::forward(std::span<const double> in, std::span<double> out) const {
  bind(Direction::forward, in, out).run();
}

void WalshHadamard::backward(std::span<const double> in, std::span<double> out) const {
  bind(Direction::backward, in, out).run();
}

}  // namespace kallima

KALLIMA_INSTANTIATE_TRANSFORM(kallima::Walsh);
