// SPDX-License-Identifier: BSD-3-Clause
#include "exec/executor.hpp"

#include <algorithm>
#include <cstring>

#include "exec/legs.hpp"
#include "exec/threads.hpp"
#include "exec/walk.hpp"
#include "kallima/error.hpp"

namespace kallima::exec {

namespace {

/// Bytes from which a sweep writes past the caches. Below, what it writes is still there when the
/// next one reads it.
constexpr Index stream_from = Index{1} << 22;

/// Bytes of a side of a tile from which on what it was gathered from does not stay in the second
/// cache with both sides: measured on 2 MiB of it.
constexpr Index large_tile = Index{1} << 19;

}  // namespace

template <class T>
std::size_t EngineSet<T>::find(const local::Batch& batch, int sign, Number<T>* from,
                               Number<T>* to) {
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
Executor<T>::Executor(const Plan& plan, bool in_place, Index rank, EngineSet<T>& engines,
                      Number<T>* tile, const Workers& workers)
    : direction_(plan.direction()),
      workers_(workers),
      legs_(lay_out(plan, schedule(plan, in_place), rank)),
      engines_(engines) {
  std::size_t most_sends = 0;
  std::size_t most_receives = 0;
  for (LegLayout& leg : legs_) {
    for (const Hop& hop : leg.hops) {
      most_sends = std::max(most_sends, hop.sends.size());
      most_receives = std::max(most_receives, hop.receives.size());
    }
    if (leg.is_exchange || leg.sources.empty() || leg.targets.empty()) continue;
    // What stays in its area is in the cache already, where it was gathered from, unless the tile
    // is so large that its two sides have driven it out.
    constexpr auto element = static_cast<Index>(sizeof(Number<T>));
    const bool stays = leg.sources.front().area == leg.targets.front().area;
    const bool kept = stays && leg.sweep.lines * leg.length * element < large_tile;
    leg.streams = !kept && volume(leg.local_shape) * element >= stream_from;
    if (leg.sweep.kernel == Kernel::none) continue;
    choose_engines(leg, Operation<T>::sign(plan, leg.step, rank), tile);
    if (leg.twiddle.modulus > 0) leg.twiddle.table = engines_.find_roots(leg.twiddle.modulus);
  }
  sending_.resize(most_sends);
  receiving_.resize(most_receives);
  for (const LegLayout& leg : legs_) chunks_.push_back(chunks_of(leg));
}

namespace {

local::Numbers numbers_of(const LegLayout& leg) {
  if (leg.from_real == leg.to_real) return local::Numbers::complex;
  return leg.from_real ? local::Numbers::from_real : local::Numbers::to_real;
}

}  // namespace

template <class T>
void Executor<T>::choose_engines(LegLayout& leg, int sign, Number<T>* tile) {
  constexpr auto bytes = static_cast<Index>(sizeof(Number<T>));
  const auto extent = [&](const Sweep& sweep) {
    return leg.local_shape[static_cast<std::size_t>(sweep.digit)];
  };
  const auto misaligned = [&](std::size_t digit) {
    return std::any_of(leg.targets.begin(), leg.targets.end(), [&](const Patch& patch) {
      return patch.strides[digit] * bytes % cache_line != 0;
    });
  };
  if (!leg.joined) {
    const TileShape shape = tile_shape(leg.sweep, direction_, leg.length, bytes);
    leg.tile = shape;
    leg.at_once = misaligned(static_cast<std::size_t>(leg.sweep.digit)) ? shape.lines : shape.chunk;
    leg.engine = engines_.find({shape.length, shape.chunk, shape.gathered.strides,
                                shape.done.strides, shape.in_place(), numbers_of(leg)},
                               sign, tile, shape.in_place() ? tile : tile + shape.gathered_size);
    return;
  }
  const bool first_is_fast = leg.sweep.form == TileForm::lines;
  const Sweep& fast = first_is_fast ? leg.sweep : *leg.joined;
  const Sweep& slow = first_is_fast ? *leg.joined : leg.sweep;
  // Rows of reals are as long in the plane as their frequencies.
  const local::Numbers numbers = numbers_of(leg);
  const bool real = numbers != local::Numbers::complex;
  const Index row = real ? halved_extent(leg.length) : extent(fast);
  const PlaneShape shape = plane_shape(fast, row, slow, extent(slow), bytes);
  const Index positions = real ? leg.length : row;
  leg.plane.shape = shape;
  leg.at_once = misaligned(static_cast<std::size_t>(slow.digit)) ? shape.wide : shape.column_chunk;
  leg.plane.fast = static_cast<std::size_t>(fast.digit);
  leg.plane.slow = static_cast<std::size_t>(slow.digit);
  Number<T>* const aside = tile + shape.plane_size();
  // Rows of one source are read where they are if they lie no farther apart than aside.
  leg.plane.source_row = leg.from_real ? positions : shape.columns;
  if (leg.from_real && leg.sources.size() == 1) {
    const Index apart = leg.sources.front().strides[leg.plane.slow];
    if (apart >= positions && apart <= 2 * shape.columns) leg.plane.source_row = apart;
  }
  leg.plane.real_row = padded_row(positions, static_cast<Index>(sizeof(RealNumber<T>)));
  const auto rows = [&](Index lines) {
    if (numbers == local::Numbers::to_real) {
      return engines_.find(
          {positions, lines, {1, shape.row}, {1, leg.plane.real_row}, false, numbers}, sign, tile,
          aside);
    }
    return engines_.find(
        {positions, lines, {1, leg.plane.source_row}, {1, shape.row}, false, numbers}, sign, aside,
        tile);
  };
  const auto columns = [&](Index lines) {
    if (numbers == local::Numbers::to_real) {
      return engines_.find({shape.rows, lines, {shape.wide_row, 1}, {shape.row, 1}, false}, sign,
                           aside, tile);
    }
    return engines_.find({shape.rows, lines, {shape.row, 1}, {1, shape.column}, false}, sign, tile,
                         aside);
  };
  leg.plane.rows = rows(shape.row_chunk);
  leg.plane.columns = columns(shape.column_chunk);
  const Index last_rows = shape.rows % shape.row_chunk;
  const Index last_columns = shape.columns % shape.column_chunk;
  if (last_rows > 0) leg.plane.last_rows = rows(last_rows);
  if (last_columns > 0) leg.plane.last_columns = columns(last_columns);
}

template <class T>
void Executor<T>::sweep(std::size_t leg, const Areas& areas, Factor<T> factor) const {
  run(legs_[leg], areas, factor, nullptr);
}

template <class T>
void Executor<T>::sweep(std::size_t leg, std::size_t chunk, const Areas& areas, Factor<T> factor,
                        const Pulse& pulse) const {
  run(chunks_[leg].empty() ? legs_[leg] : chunks_[leg][chunk], areas, factor, &pulse);
}

template <class T>
void Executor<T>::run(const LegLayout& here, const Areas& areas, Factor<T> factor,
                      const Pulse* pulse) const {
  if (here.sources.empty()) return;
  const Factor<T> scale = here.scales ? factor : Factor<T>{1};
  in_parallel(workers_.count, [&](Index number, Index count) {
    const Worker worker{areas.tile + number * workers_.tile, number, count,
                        number == 0 ? pulse : nullptr};
    if (here.sweep.kernel == Kernel::none) {
      copy_patches(here, areas, worker);
    } else if (here.joined && here.to_real) {
      sweep_planes_to_real(here, areas, scale, worker);
    } else if (here.joined) {
      sweep_planes(here, areas, scale, worker);
    } else {
      sweep_tiles(here, areas, scale, worker);
    }
  });
}

namespace {

/// Bytes of an element of a parcel.
template <class T>
Index element_bytes(const Parcel& parcel) {
  return static_cast<Index>(parcel.real ? sizeof(RealNumber<T>) : sizeof(Number<T>));
}

}  // namespace

template <class T>
void Executor<T>::keep(std::size_t leg, const Areas& areas, std::size_t hop) const {
  for (const Hop::Kept& kept : legs_[leg].hops[hop].kept) {
    const Index element = element_bytes<T>(kept.from);
    const auto* const from = reinterpret_cast<const std::byte*>(readable<T>(areas, kept.from.area));
    auto* const to = reinterpret_cast<std::byte*>(writable<T>(areas, kept.to.area));
    std::memcpy(to + kept.to.offset * element, from + kept.from.offset * element,
                static_cast<std::size_t>(kept.from.size * element));
  }
}

namespace {

template <class T>
std::span<const transport::Message> resolve(const std::vector<Parcel>& parcels,
                                            const typename Executor<T>::Areas& areas,
                                            std::vector<transport::Message>& messages) {
  for (std::size_t i = 0; i < parcels.size(); ++i) {
    messages[i].peer = parcels[i].peer;
    const Index element = element_bytes<T>(parcels[i]);
    auto* const area =
        reinterpret_cast<std::byte*>(writable<T>(areas, parcels[i].area, parcels[i].owner));
    messages[i].data.data = area == nullptr ? nullptr : area + parcels[i].offset * element;
    messages[i].data.bytes = parcels[i].size * element;
  }
  return {messages.data(), parcels.size()};
}

}  // namespace

template <class T>
std::span<const transport::Message> Executor<T>::sends(std::size_t leg, const Areas& areas,
                                                       std::size_t hop) {
  return resolve<T>(legs_[leg].hops[hop].sends, areas, sending_);
}

template <class T>
std::span<const transport::Message> Executor<T>::receives(std::size_t leg, const Areas& areas,
                                                          std::size_t hop) {
  return resolve<T>(legs_[leg].hops[hop].receives, areas, receiving_);
}

template <class T>
std::vector<Turn> Executor<T>::turns(std::size_t leg, bool sending) const {
  std::vector<Turn> result;
  const Hop& only = legs_[leg].hops.front();
  for (const Parcel& parcel : sending ? only.sends : only.receives) {
    result.push_back(parcel.turn);
    result.back().apart *= element_bytes<T>(parcel);
  }
  return result;
}

#define KALLIMA_INSTANTIATE(T) \
  template class EngineSet<T>; \
  template class Executor<T>;
KALLIMA_FOR_EACH_OPERATION(KALLIMA_INSTANTIATE)
#undef KALLIMA_INSTANTIATE

}  // namespace kallima::exec
