// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exec/executor.hpp"

#include <algorithm>
#include <cstring>

#include "exec/stage_layout.hpp"
#include "exec/threads.hpp"
#include "exec/walk.hpp"
#include "kallima/error.hpp"

namespace kallima::exec {

/// Bytes from which a sweep writes past the caches. Below, what it writes is still there when the
/// next one reads it.
inline constexpr Index stream_from = Index{1} << 22;

/// Bytes of a side of a tile from which on what it was gathered from does not stay in the second
/// cache with both sides: measured on 2 MiB of it.
inline constexpr Index large_tile = Index{1} << 19;

template <class T>
std::size_t EngineSet<T>::find(const fft::Batch& batch, int sign, Number<T>* from, Number<T>* to) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].batch == batch && entries_[i].sign == sign) return i;
  }
  entries_.push_back({batch, sign, Operation<T>::make_engine(setup_, batch, sign, from, to)});
  return entries_.size() - 1;
}

template <class T>
std::size_t EngineSet<T>::find_roots(Index modulus) {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (roots_[i].n() == modulus) return i;
  }
  roots_.push_back(Operation<T>::make_roots(setup_, modulus, memory_));
  return roots_.size() - 1;
}

template <class T>
Index EngineSet<T>::root_bytes() const {
  Index bytes = 0;
  for (const Roots& roots : roots_) bytes += roots.bytes();
  return bytes;
}

template <class T>
Executor<T>::Executor(const Plan& plan, const UserArrays& arrays, Index rank, EngineSet<T>& engines,
                      Number<T>* tile, const Workers& workers)
    : workers_(workers),
      stages_(lay_out(plan, schedule(plan, arrays.in_place, arrays.separate_fields), rank)),
      engines_(engines) {
  std::size_t most_sends = 0;
  std::size_t most_receives = 0;
  for (StageLayout& stage : stages_) {
    for (const Round& round : stage.rounds) {
      most_sends = std::max(most_sends, round.sends.size());
      most_receives = std::max(most_receives, round.receives.size());
    }
    if (stage.is_exchange || stage.sources.empty() || stage.targets.empty()) continue;
    // What stays in its area is in the cache already, where it was gathered from, unless the tile
    // is so large that its two sides have driven it out.
    constexpr auto element = static_cast<Index>(sizeof(Number<T>));
    const bool stays = stage.sources.front().area == stage.targets.front().area;
    const bool kept = stays && stage.sweep.lines * stage.length * element < large_tile;
    stage.streams = !kept && volume(stage.local_shape) * element >= stream_from;
    if (stage.sweep.kernel == Kernel::none) continue;
    if (is_chirp(stage.sweep.kernel)) {
      stage.chirp.table = engines_.find_roots(2 * stage.chirp.n);
      continue;
    }
    choose_engines(stage, Operation<T>::sign(plan, stage.step, rank), tile);
    if (stage.sweep.turns) choose_way_back(stage, tile);
    if (stage.twiddle.modulus > 0) stage.twiddle.table = engines_.find_roots(stage.twiddle.modulus);
  }
  sending_.resize(most_sends);
  receiving_.resize(most_receives);
  for (const StageLayout& stage : stages_) chunks_.push_back(chunks_of(stage));
}

inline fft::Numbers numbers_of(const StageLayout& stage) {
  if (stage.sweep.turns && stage.sweep.kernel == Kernel::real) return fft::Numbers::from_real;
  if (stage.from_real && stage.to_real) return fft::Numbers::real;
  if (stage.from_real) return fft::Numbers::from_real;
  return stage.to_real ? fft::Numbers::to_real : fft::Numbers::complex;
}

inline fft::LineKind line_kind(Kernel kernel) {
  switch (kernel) {
    case Kernel::cosine_1:
      return fft::LineKind::cosine_1;
    case Kernel::cosine_2:
      return fft::LineKind::cosine_2;
    case Kernel::cosine_3:
      return fft::LineKind::cosine_3;
    case Kernel::cosine_4:
      return fft::LineKind::cosine_4;
    case Kernel::sine_1:
      return fft::LineKind::sine_1;
    case Kernel::sine_2:
      return fft::LineKind::sine_2;
    case Kernel::sine_3:
      return fft::LineKind::sine_3;
    case Kernel::sine_4:
      return fft::LineKind::sine_4;
    default:
      return fft::LineKind::fourier;
  }
}

template <class T>
void Executor<T>::choose_engines(StageLayout& stage, int sign, Number<T>* tile) {
  constexpr auto bytes = static_cast<Index>(sizeof(Number<T>));
  const auto extent = [&](const Sweep& sweep) {
    return stage.local_shape[static_cast<std::size_t>(sweep.digit)];
  };
  const auto misaligned = [&](std::size_t digit) {
    return std::any_of(stage.targets.begin(), stage.targets.end(), [&](const StridedBlock& block) {
      return block.strides[digit] * bytes % cache_line != 0;
    });
  };
  if (!stage.joined) {
    const fft::Numbers numbers = numbers_of(stage);
    const TileShape shape = tile_shape(stage.sweep, stage.direction, stage.length, bytes,
                                       numbers == fft::Numbers::real);
    stage.tile = shape;
    stage.tile_size = shape.size();
    stage.at_once =
        misaligned(static_cast<std::size_t>(stage.sweep.digit)) ? shape.lines : shape.chunk;
    stage.engine = engines_.find(
        {shape.length, shape.chunk, shape.gathered.strides, shape.done.strides, shape.in_place(),
         numbers, line_kind(stage.sweep.kernel), stage.sweep.engine},
        sign, tile, shape.in_place() ? tile : tile + shape.gathered_size);
    return;
  }
  const bool first_is_fast = stage.sweep.form == TileForm::lines;
  const Sweep& fast = first_is_fast ? stage.sweep : *stage.joined;
  const Sweep& slow = first_is_fast ? *stage.joined : stage.sweep;
  // Rows of reals are as long in the plane as their frequencies.
  const fft::Numbers numbers = numbers_of(stage);
  const bool real = numbers != fft::Numbers::complex;
  const Index row = real ? half_extent(stage.length) : extent(fast);
  const PlaneShape shape = plane_shape(fast, row, slow, extent(slow), bytes);
  const Index positions = real ? stage.length : row;
  stage.plane.shape = shape;
  stage.tile_size = shape.size();
  stage.at_once =
      misaligned(static_cast<std::size_t>(slow.digit)) ? shape.wide : shape.column_chunk;
  stage.plane.fast = static_cast<std::size_t>(fast.digit);
  stage.plane.slow = static_cast<std::size_t>(slow.digit);
  stage.plane.dropped_rows = first_is_fast ? stage.joined_dropped : stage.dropped;
  stage.plane.dropped_columns = first_is_fast ? stage.dropped : stage.joined_dropped;
  Number<T>* const aside = tile + shape.plane_size();
  // Rows of sources that are alike, as one array or fields are, are read where they are if they lie
  // no farther apart than aside.
  stage.plane.source_row = stage.from_real ? positions : shape.columns;
  const bool alike = std::all_of(
      stage.sources.begin(), stage.sources.end(),
      [&](const StridedBlock& block) { return block.strides == stage.sources.front().strides; });
  if (stage.from_real && alike) {
    const Index row_stride = stage.sources.front().strides[stage.plane.slow];
    if (row_stride >= positions && row_stride <= 2 * shape.columns)
      stage.plane.source_row = row_stride;
  }
  stage.plane.real_row = padded_row(positions, static_cast<Index>(sizeof(RealNumber<T>)));
  const auto rows = [&](Index lines) {
    if (numbers == fft::Numbers::to_real) {
      return engines_.find({positions,
                            lines,
                            {1, shape.row},
                            {1, stage.plane.real_row},
                            false,
                            numbers,
                            fft::LineKind::fourier,
                            fast.engine},
                           sign, tile, aside);
    }
    return engines_.find({positions,
                          lines,
                          {1, stage.plane.source_row},
                          {1, shape.row},
                          false,
                          numbers,
                          fft::LineKind::fourier,
                          fast.engine},
                         sign, aside, tile);
  };
  const auto columns = [&](Index lines) {
    if (numbers == fft::Numbers::to_real) {
      return engines_.find({shape.rows,
                            lines,
                            {shape.wide_row, 1},
                            {shape.row, 1},
                            false,
                            fft::Numbers::complex,
                            fft::LineKind::fourier,
                            slow.engine},
                           sign, aside, tile);
    }
    return engines_.find({shape.rows,
                          lines,
                          {shape.row, 1},
                          {1, shape.column},
                          false,
                          fft::Numbers::complex,
                          fft::LineKind::fourier,
                          slow.engine},
                         sign, tile, aside);
  };
  stage.plane.rows = rows(shape.row_chunk);
  stage.plane.columns = columns(shape.column_chunk);
  const Index last_rows = shape.rows % shape.row_chunk;
  const Index last_columns = shape.columns % shape.column_chunk;
  if (last_rows > 0) stage.plane.last_rows = rows(last_rows);
  if (last_columns > 0) stage.plane.last_columns = columns(last_columns);
}

/// Back to where lines were gathered, if they are reals; otherwise where the engine has left them.
template <class T>
void Executor<T>::choose_way_back(StageLayout& stage, Number<T>* tile) {
  const TileShape& shape = stage.tile;
  const bool real = stage.sweep.kernel == Kernel::real;
  Number<T>* const done = shape.in_place() ? tile : tile + shape.gathered_size;
  fft::Batch batch{shape.length, shape.chunk,       shape.done.strides,         shape.done.strides,
                   true,         numbers_of(stage), line_kind(stage.turn.back), stage.sweep.engine};
  if (real) {
    batch.to = shape.gathered.strides;
    batch.in_place = false;
    batch.numbers = fft::Numbers::to_real;
  }
  stage.turn.engine = engines_.find(batch, 1, done, real ? tile : done);
}

template <class T>
void Executor<T>::sweep(std::size_t stage, const Areas& areas, Factor<T> factor) const {
  run(stages_[stage], areas, factor, nullptr);
}

template <class T>
void Executor<T>::sweep(std::size_t stage, std::size_t chunk, const Areas& areas, Factor<T> factor,
                        const Progress& progress) const {
  run(chunks_[stage].empty() ? stages_[stage] : chunks_[stage][chunk], areas, factor, &progress);
}

template <class T>
void Executor<T>::run(const StageLayout& here, const Areas& areas, Factor<T> factor,
                      const Progress* progress) const {
  if (here.sources.empty()) return;
  const Factor<T> scale = here.scales ? factor : Factor<T>{1};
  in_parallel(workers_.count, [&](Index number, Index count) {
    const Worker worker{areas.tile + number * workers_.tile, number, count,
                        number == 0 ? progress : nullptr};
    if (here.sweep.kernel == Kernel::none) {
      copy_blocks(here, areas, worker);
    } else if (is_chirp(here.sweep.kernel)) {
      sweep_chirp(here, areas, scale, worker);
    } else if (here.joined && here.to_real) {
      sweep_planes_to_real(here, areas, scale, worker);
    } else if (here.joined) {
      sweep_planes(here, areas, scale, worker);
    } else {
      sweep_tiles(here, areas, scale, worker);
    }
  });
}

/// Bytes of an element of a slice.
template <class T>
Index element_bytes(const MessageSlice& slice) {
  return static_cast<Index>(slice.real ? sizeof(RealNumber<T>) : sizeof(Number<T>));
}

template <class T>
void Executor<T>::keep(std::size_t stage, const Areas& areas, std::size_t round) const {
  for (const Round::Kept& kept : stages_[stage].rounds[round].kept) {
    const Index element = element_bytes<T>(kept.from);
    const auto* const from = reinterpret_cast<const std::byte*>(readable<T>(areas, kept.from.area));
    auto* const to = reinterpret_cast<std::byte*>(writable<T>(areas, kept.to.area));
    std::memcpy(to + kept.to.offset * element, from + kept.from.offset * element,
                static_cast<std::size_t>(kept.from.size * element));
  }
}

template <class T>
std::span<const comm::Message> resolve(const std::vector<MessageSlice>& slices,
                                       const typename Executor<T>::Areas& areas,
                                       std::vector<comm::Message>& messages) {
  for (std::size_t i = 0; i < slices.size(); ++i) {
    messages[i].peer = slices[i].peer;
    const Index element = element_bytes<T>(slices[i]);
    auto* const area =
        reinterpret_cast<std::byte*>(writable<T>(areas, slices[i].area, slices[i].owner));
    messages[i].data.data = area == nullptr ? nullptr : area + slices[i].offset * element;
    messages[i].data.bytes = slices[i].size * element;
  }
  return {messages.data(), slices.size()};
}

template <class T>
std::span<const comm::Message> Executor<T>::sends(std::size_t stage, const Areas& areas,
                                                  std::size_t round) {
  return resolve<T>(stages_[stage].rounds[round].sends, areas, sending_);
}

template <class T>
std::span<const comm::Message> Executor<T>::receives(std::size_t stage, const Areas& areas,
                                                     std::size_t round) {
  return resolve<T>(stages_[stage].rounds[round].receives, areas, receiving_);
}

template <class T>
std::vector<Dependency> Executor<T>::dependencies(std::size_t stage, bool sending) const {
  std::vector<Dependency> result;
  const Round& only = stages_[stage].rounds.front();
  for (const MessageSlice& slice : sending ? only.sends : only.receives) {
    result.push_back(slice.dependency);
    result.back().send_offset *= element_bytes<T>(slice);
  }
  return result;
}

}  // namespace kallima::exec
