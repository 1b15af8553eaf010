// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/ntt.hpp"

#include "api/instantiate.hpp"
#include "extras/number_theoretic.hpp"
#include "extras/power_of_two_ranks.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

void require_roots(const extras::Field& field, const Shape& shape) {
  for (const Index n : shape) {
    if (n <= field.longest()) continue;
    throw InvalidShape("modulo " + std::to_string(field.prime()) + " an axis has at most " +
                       std::to_string(field.longest()) + " elements, not " + std::to_string(n) +
                       "; use one of ntt_primes, or a shorter axis");
  }
}

}  // namespace

Ntt::Ntt(MPI_Comm comm, const Shape& shape, const NttOptions& options)
    : Ntt(with(comm, [&] {
        return NttArguments{shape, options};
      })) {}

Ntt Ntt::with(MPI_Comm comm, const std::function<NttArguments()>& arguments) {
  return Ntt(TransformCore<NumberTheoretic>::make(comm, Kind::ntt, [&] {
    const NttArguments given = arguments();
    const Options& chosen = given.options;  // what all transforms have
    AskedTransform<NumberTheoretic> asked;
    asked.given = {given.shape, chosen};
    asked.setup.field = std::make_shared<const extras::Field>(given.options.prime);
    require_roots(*asked.setup.field, given.shape);
    spread_over_power_of_two(comm, given.shape, asked.given.options);
    return asked;
  }));
}

BasicArray<std::uint64_t> Ntt::make_input() const {
  return core_->make_array<std::uint64_t>(input_layout(), "input array");
}

BasicArray<std::uint64_t> Ntt::make_output() const {
  return core_->make_array<std::uint64_t>(output_layout(), "output array");
}

Bound<NumberTheoretic> Ntt::bind(Direction direction, std::span<const std::uint64_t> in,
                                 std::span<std::uint64_t> out) const {
  return bind_memory(direction, in.data(), in.size(), out.data(), out.size());
}

void Ntt::forward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) const {
  bind(Direction::forward, in, out).run();
}

void Ntt::backward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out) const {
  bind(Direction::backward, in, out).run();
}

std::uint64_t Ntt::prime() const { return core_->setup().field->prime(); }

std::uint64_t Ntt::root(Index n) const { return core_->setup().field->root(n); }

std::uint64_t Ntt::product(std::uint64_t a, std::uint64_t b) const {
  return core_->setup().field->product(a, b);
}

void Ntt::multiply(std::span<std::uint64_t> a, std::span<const std::uint64_t> b) const {
  if (a.size() != b.size()) {
    throw InvalidBuffer("factors of " + std::to_string(a.size()) + " and " +
                        std::to_string(b.size()) + " elements; give two of the same size");
  }
  const extras::Field& field = *core_->setup().field;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = field.product(a[i], b[i]);
}

}  // namespace kallima

KALLIMA_INSTANTIATE_TRANSFORM(kallima::NumberTheoretic);
