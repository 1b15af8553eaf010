// SPDX-License-Identifier: BSD-3-Clause
//
// Which of the ways to sweep tiles a stage takes.
#pragma once

#include "exec/kernel_tiles_impl.hpp"
#include "exec/tiles_impl.hpp"

namespace kallima::exec {

template <class T>
void Executor<T>::sweep_tiles(const StageLayout& stage, const Areas& areas, Factor<T> factor,
                              const Worker& worker) const {
  using Real [[maybe_unused]] = RealNumber<T>;
  const bool backward = stage.direction == Direction::backward;
  const auto* const roots =
      stage.twiddle.modulus > 0 ? &engines_.roots(stage.twiddle.table) : nullptr;
  const auto go = [&](auto sweep) {
    sweep.run(factor, roots, backward, share(sweep.tiles(), worker.number, worker.count),
              [&] { worker.progress(); });
  };
  const auto& engine = engines_[stage.engine];
  if constexpr (has_kernels<T>) {
    if (engine.kernel() != nullptr && KernelSweep<T>::does(stage)) {
      KernelSweep<T> sweep(stage, areas, *engine.kernel(), roots, worker.tile);
      return sweep.run(factor, share(sweep.tiles(), worker.number, worker.count),
                       [&] { worker.progress(); });
    }
  }
  if (stage.sweep.turns) {
    const auto turn = [&](auto sweep) {
      sweep.turn(factor, engines_[stage.turn.engine],
                 share(sweep.tiles(), worker.number, worker.count), [&] { worker.progress(); });
    };
    if constexpr (has_reals<T>) {
      if (stage.sweep.kernel == Kernel::real) {
        return turn(
            TileSweep<T, Real, Number<T>>(stage, areas, engine, engines_.setup(), worker.tile));
      }
      if (stage.from_real) {
        return turn(TileSweep<T, Real, Real>(stage, areas, engine, engines_.setup(), worker.tile));
      }
    }
    return turn(
        TileSweep<T, Number<T>, Number<T>>(stage, areas, engine, engines_.setup(), worker.tile));
  }
  if constexpr (has_reals<T>) {
    if (stage.from_real && stage.to_real) {
      return go(TileSweep<T, Real, Real>(stage, areas, engine, engines_.setup(), worker.tile));
    }
    if (stage.from_real) {
      return go(TileSweep<T, Real, Number<T>>(stage, areas, engine, engines_.setup(), worker.tile));
    }
    if (stage.to_real) {
      return go(TileSweep<T, Number<T>, Real>(stage, areas, engine, engines_.setup(), worker.tile));
    }
  }
  go(TileSweep<T, Number<T>, Number<T>>(stage, areas, engine, engines_.setup(), worker.tile));
}

}  // namespace kallima::exec
