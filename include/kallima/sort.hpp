// SPDX-License-Identifier: BSD-3-Clause
//
// Sorts keys that are spread over the ranks of a communicator.
//
//     auto sort = kallima::Sort<std::uint64_t>(comm, 1 << 20);
//     auto keys = sort.make_keys();
//     ...
//     sort.sort(keys, keys);             // rising over all ranks, in the order of ranks
//
// It is a bitonic sort: butterflies that compare. The network does not depend on the keys, so that
// every run moves the same bytes and takes the same time, and all ranks hold the same number of
// keys before and after. Who has keys to choose splitters from can sort with fewer exchanges, and
// with parts that are as uneven as the splitters.
#pragma once

#include <concepts>
#include <cstdint>

#include "kallima/transform.hpp"

namespace kallima {

/// Names the operation.
struct KALLIMA_API Bitonic;

/// What can be sorted: 64 bits that are a number. Of doubles none is NaN.
template <class Key>
concept SortKey = std::same_as<Key, std::uint64_t> || std::same_as<Key, std::int64_t> ||
    std::same_as<Key, double>;

/// Sorts n keys over one communicator.
template <SortKey Key>
class KALLIMA_API Sort : public Planned<Bitonic> {
 public:
  /// Plans. n is a power of two: pad with the largest key. As many ranks work as the largest power
  /// of two whose square is at most n, in blocks of the same size; others hold nothing. Of the
  /// options, layouts, scaling and plans are not to be chosen. Costs 2 log p exchanges. Collective;
  /// throws as Transform does.
  Sort(MPI_Comm comm, Index n, const Options& options = {});

  /// This rank's keys, zeroed. Collective; OutOfMemory alike.
  [[nodiscard]] BasicArray<Key> make_keys() const;
  /// Checks memory and binds it: `in` and `out` are the same or do not overlap. Collective;
  /// InvalidBuffer alike.
  [[nodiscard]] Bound<Bitonic> bind(std::span<const Key> in, std::span<Key> out) const;
  /// bind and run.
  void sort(std::span<const Key> in, std::span<Key> out) const;
};

extern template class Bound<Bitonic>;
extern template class Planned<Bitonic>;
extern template class Sort<std::uint64_t>;
extern template class Sort<std::int64_t>;
extern template class Sort<double>;

}  // namespace kallima
