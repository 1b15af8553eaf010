// SPDX-License-Identifier: BSD-3-Clause
//
// A sweep that computes nothing: what changes is where things lie. It goes slice by slice along the
// slowest digit, so that what several targets want of a slice is fetched from memory once.
#pragma once

#include "base/checked.hpp"
#include "exec/executor.hpp"
#include "exec/walk.hpp"

namespace kallima::exec {

/// Bytes of a slice: it stays in the second cache with all that is written of it.
inline constexpr Index slice_bytes = Index{1} << 17;

/// Where a box begins, in elements, and the distance between neighbours along every digit.
template <class E>
struct Corner {
  E* data = nullptr;
  Places strides{};
};

/// Copies a box of places, digit by digit; the last two by the kernel.
template <class E>
void copy_box(const Corner<E>& to, const Corner<const E>& from, const Places& counts,
              std::span<const int> order, bool streams) {
  const auto slow = static_cast<std::size_t>(order.front());
  const auto fast = static_cast<std::size_t>(order.back());
  if (order.size() > 2) {
    for (Index i = 0; i < counts[slow]; ++i) {
      copy_box<E>({to.data + i * to.strides[slow], to.strides},
                  {from.data + i * from.strides[slow], from.strides}, counts, order.subspan(1),
                  streams);
    }
    return;
  }
  const fft::Plane<E> target{to.data, to.strides[slow], to.strides[fast]};
  const fft::Plane<const E> source{from.data, from.strides[slow], from.strides[fast]};
  const Index rows = order.size() == 1 ? 1 : counts[slow];
  fft::store_plane<E>(target, source, rows, counts[fast], streams);
}

/// Digits of a box that is copied, slowest first: without those of one place, and with those as one
/// that follow each other without a gap on both sides, so that runs are as long as they can be.
/// Changes the counts of such.
class CopiedDigits {
 public:
  CopiedDigits(std::span<const int> order, const Places& to, const Places& from, Places& counts) {
    for (const int digit : order) {
      const auto d = static_cast<std::size_t>(digit);
      if (counts[d] == 1 && digit != order.back()) continue;
      if (size_ > 0) {
        const auto before = static_cast<std::size_t>(digits_[size_ - 1]);
        if (to[before] == counts[d] * to[d] && from[before] == counts[d] * from[d]) {
          counts[d] *= counts[before];
          --size_;
        }
      }
      digits_[size_++] = digit;
    }
  }

  [[nodiscard]] std::span<const int> get() const { return {digits_.data(), size_}; }

 private:
  std::array<int, std::tuple_size_v<Places>> digits_{};
  std::size_t size_ = 0;
};

/// Elements of a block.
inline Index size_of(const StridedBlock& block) {
  Index size = 1;
  for (const Progression& along : block.places) size *= along.count;
  return size;
}

/// The members of a progression that lie in a range.
inline Progression within(const Progression& places, const Range& range) {
  const Run run = run_of(places, range);
  return Progression::make(run.first, places.step, run.count);
}

template <class T, class Element, class Pulsing>
void copy_as(const StageLayout& stage, const typename Executor<T>::Areas& areas, Index thread,
             Index threads, Pulsing progress) {
  // Digits of one place come first; the slowest of the others is cut into slices.
  std::size_t cut = static_cast<std::size_t>(stage.others.back());
  for (std::size_t i = stage.others.size(); i-- > 0;) {
    const auto digit = static_cast<std::size_t>(stage.others[i]);
    if (stage.local_shape[digit] > 1) cut = digit;
  }
  const Index extent = stage.local_shape[cut];
  Index elements = 0;
  for (const StridedBlock& source : stage.sources) elements += size_of(source);
  const Index thin_bytes = elements / extent * static_cast<Index>(sizeof(Element));
  const Index thick = std::max<Index>(1, slice_bytes / std::max<Index>(1, thin_bytes));
  const Range mine = share(ceil_div(extent, thick), thread, threads);
  // Of the target, places of one digit may lie in panels: `some` of them at a time, `distance` from
  // the block's first element.
  const auto copy = [&](const StridedBlock& source, const StridedBlock& target, const Range& slice,
                        const Progression& some, Index distance) {
    Corner<const Element> from{
        reinterpret_cast<const Element*>(readable<T>(areas, source.area, source.owner)) +
        source.offset};
    Corner<Element> to{reinterpret_cast<Element*>(writable<T>(areas, target.area, target.owner)) +
                       target.offset + distance};
    Places counts{};
    for (std::size_t d = 0; d < source.places.size(); ++d) {
      const Progression& wanted = d == target.panels.digit ? some : target.places[d];
      Progression common = intersect(source.places[d], wanted);
      if (d == cut && !common.empty()) common = within(common, slice);
      if (common.empty()) return;
      const Progression in_source = places(source.places[d], common);
      const Progression in_target = places(wanted, common);
      from.data += in_source.first * source.strides[d];
      to.data += in_target.first * target.strides[d];
      from.strides[d] = in_source.step * source.strides[d];
      to.strides[d] = in_target.step * target.strides[d];
      counts[d] = common.count;
    }
    const CopiedDigits digits(stage.others, to.strides, from.strides, counts);
    copy_box<Element>(to, from, counts, digits.get(), stage.streams);
  };
  for (Index number = mine.begin; number < mine.end; ++number) {
    const Range slice{number * thick, std::min(extent, (number + 1) * thick)};
    for (const StridedBlock& source : stage.sources) {
      for (const StridedBlock& target : stage.targets) {
        const std::size_t digit = target.panels.digit;
        const Progression& all = target.places[digit];
        for_each_panel(target, digit, 0, all.count, [&](Index first, Index count, Index distance) {
          copy(source, target, slice, Progression::make(all.at(first), all.step, count), distance);
        });
      }
    }
    progress();
  }
}

template <class T>
void Executor<T>::copy_blocks(const StageLayout& stage, const Areas& areas,
                              const Worker& worker) const {
  const auto progress = [&] { worker.progress(); };
  if constexpr (has_reals<T>) {
    if (stage.from_real) {
      return copy_as<T, RealNumber<T>>(stage, areas, worker.number, worker.count, progress);
    }
  }
  copy_as<T, Number<T>>(stage, areas, worker.number, worker.count, progress);
}

}  // namespace kallima::exec
