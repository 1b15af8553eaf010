// SPDX-License-Identifier: BSD-3-Clause
//
// Bluestein's algorithm: with j k = (j^2 + k^2 - (k - j)^2) / 2 a transform of any length n is a
// product with the chirp exp(-pi i j^2 / n), a convolution with its conjugate, and a product with
// it again (Bluestein, IEEE Trans. Audio Electroacoust. 18, 1970, 451-455). Here are the products;
// the convolution is sweeps of a longer axis, multiplied where they turn.
//
// j^2 mod 2 n is kept exactly, by additions, so the chirp is as accurate at the end of a long axis
// as at its beginning.
#pragma once

#include <algorithm>

#include "exec/copies_impl.hpp"
#include "exec/executor.hpp"
#include "exec/walk.hpp"

namespace kallima::exec {

/// j^2 mod 2 n of j = first, first + step, ...
class SquaredIndex {
 public:
  SquaredIndex(Index first, Index step, Index n)
      : modulus_(2 * n),
        square_(times(first, first)),
        growth_(sum(sum(times(first, step), times(first, step)), times(step, step))),
        growing_(sum(times(step, step), times(step, step))) {}

  /// Of one alone.
  static Index of(Index j, Index n) { return SquaredIndex(2 * n).times(j, j); }

  [[nodiscard]] Index value() const { return square_; }
  void next() {
    square_ = sum(square_, growth_);
    growth_ = sum(growth_, growing_);
  }

 private:
  explicit SquaredIndex(Index modulus) : modulus_(modulus) {}
  [[nodiscard]] Index sum(Index a, Index b) const {
    return a + b < modulus_ ? a + b : a + b - modulus_;
  }
  [[nodiscard]] Index times(Index a, Index b) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<Index>(static_cast<Wide>(a) * static_cast<Wide>(b) %
                              static_cast<Wide>(modulus_));
  }

  Index modulus_;
  Index square_ = 0;
  Index growth_ = 0;   // to the next square
  Index growing_ = 0;  // from one growth to the next
};

/// One side of a chirp's elements: where they begin, and how far they are apart.
template <class E>
struct ChirpSide {
  E* data = nullptr;
  Index stride = 1;
};

/// Multiplies elements of the axis by the chirp.
template <class T>
class ChirpSweep {
 public:
  using Areas = typename Executor<T>::Areas;
  using Complex = Number<T>;
  using Real = RealNumber<T>;

  ChirpSweep(const StageLayout& stage, const Areas& areas, const fft::Roots<T>& roots)
      : stage_(stage), chirp_(stage.chirp), areas_(areas), roots_(roots) {}

  void run(T factor, Index thread, Index threads) const {
    for (const StridedBlock& target : stage_.targets) {
      const Range mine = share(chirp_.target.count, thread, threads);
      if (chirp_.to_points && areas_.makes_filter) {
        make_filter(target, mine);
        continue;
      }
      const Range behind{std::max(mine.begin, chirp_.indices.count), mine.end};
      if (chirp_.to_points) clear(target, behind);
      for (const StridedBlock& source : stage_.sources) {
        const Progression common = within(intersect(source.places[0], target.places[0]),
                                          {mine.begin, std::min(mine.end, chirp_.indices.count)});
        if (!common.empty()) multiply(source, target, common, factor);
      }
    }
  }

 private:
  template <class E>
  [[nodiscard]] ChirpSide<E> to(const StridedBlock& block, const Progression& common) const {
    auto* const area = reinterpret_cast<E*>(writable<T>(areas_, block.area, block.owner));
    const Progression there = places(block.places[0], common);
    return {area + block.offset + there.first * block.strides[0], there.step * block.strides[0]};
  }
  template <class E>
  [[nodiscard]] ChirpSide<const E> from(const StridedBlock& block,
                                        const Progression& common) const {
    const auto* const area =
        reinterpret_cast<const E*>(readable<T>(areas_, block.area, block.owner));
    const Progression there = places(block.places[0], common);
    return {area + block.offset + there.first * block.strides[0], there.step * block.strides[0]};
  }

  /// Calls visit(i, j, exp(-+ pi i j^2 / n)) for the indices j at some places.
  template <class Visit>
  void for_each_root(const Progression& common, Visit visit) const {
    const Index first = chirp_.indices.at(common.first);
    const Index step = chirp_.indices.step * common.step;
    SquaredIndex square(first, step, chirp_.n);
    const T sign = stage_.direction == Direction::forward ? T{1} : T{-1};
    for (Index i = 0; i < common.count; ++i, square.next()) {
      const Complex root = roots_(square.value());
      visit(i, first + i * step, Complex{root.real(), sign * root.imag()});
    }
  }

  static Complex product(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  void multiply(const StridedBlock& source, const StridedBlock& target, const Progression& common,
                T factor) const {
    if (stage_.from_real) {
      const ChirpSide<const Real> in = from<Real>(source, common);
      const ChirpSide<Complex> out = to<Complex>(target, common);
      for_each_root(common, [&](Index i, Index, Complex root) {
        const Real value = in.data[i * in.stride];
        out.data[i * out.stride] = {value * root.real(), value * root.imag()};
      });
    } else if (stage_.to_real) {
      const ChirpSide<const Complex> in = from<Complex>(source, common);
      const ChirpSide<Real> out = to<Real>(target, common);
      for_each_root(common, [&](Index i, Index, Complex root) {
        out.data[i * out.stride] = factor * product(in.data[i * in.stride], root).real();
      });
    } else {
      const ChirpSide<const Complex> in = from<Complex>(source, common);
      const ChirpSide<Complex> out = to<Complex>(target, common);
      for_each_root(common, [&](Index i, Index j, Complex root) {
        // Of a half spectrum, frequencies that have a partner count for it, too: the real part of
        // what comes of both is twice that of either.
        const bool twice = chirp_.of_half && j > 0 && 2 * j != chirp_.n;
        const T by = twice ? 2 * factor : factor;
        const Complex value = product(in.data[i * in.stride], root);
        out.data[i * out.stride] = {by * value.real(), by * value.imag()};
      });
    }
  }

  void clear(const StridedBlock& target, const Range& range) const {
    const Progression common = within(target.places[0], range);
    if (common.empty()) return;
    const ChirpSide<Complex> out = to<Complex>(target, common);
    for (Index i = 0; i < common.count; ++i) out.data[i * out.stride] = {};
  }

  /// What to convolve with: exp(+pi i m^2 / n) for every difference m of a frequency and a
  /// position, those below 0 at the end.
  void make_filter(const StridedBlock& target, const Range& range) const {
    const Progression common = within(target.places[0], range);
    if (common.empty()) return;
    const ChirpSide<Complex> out = to<Complex>(target, common);
    for (Index i = 0; i < common.count; ++i) {
      const Index at = chirp_.target.at(common.at(i));
      const Index below = chirp_.points - at;
      const bool has = at < chirp_.frequencies || below < chirp_.n;
      const Index m = at < chirp_.frequencies ? at : below;
      const Complex root = has ? roots_(SquaredIndex::of(m, chirp_.n)) : Complex{};
      out.data[i * out.stride] = {root.real(), -root.imag()};
    }
  }

  const StageLayout& stage_;
  const Chirp& chirp_;
  const Areas& areas_;
  const fft::Roots<T>& roots_;
};

template <class T>
void Executor<T>::sweep_chirp(const StageLayout& stage, const Areas& areas, Factor<T> factor,
                              const Worker& worker) const {
  if constexpr (has_reals<T>) {
    ChirpSweep<T>(stage, areas, engines_.roots(stage.chirp.table))
        .run(factor, worker.number, worker.count);
  }
}

}  // namespace kallima::exec
