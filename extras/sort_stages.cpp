// SPDX-License-Identifier: BSD-3-Clause
#include "extras/sort_stages.hpp"

#include <algorithm>

namespace kallima::extras {

namespace {

/// The compare-exchange of two keys.
template <class Key, bool descending>
struct ComparedLanes {
  static constexpr Index lanes = 1;
  static constexpr bool turns = false;
  using Vector = Key;

  static Key load(const KeyBits* from, Index /*count*/) { return std::bit_cast<Key>(*from); }
  static void store(KeyBits* to, Key key, Index /*count*/) { *to = std::bit_cast<KeyBits>(key); }
  static Key all(KeyBits key) { return std::bit_cast<Key>(key); }
  static Key add(Key a, Key b) { return (b < a) == descending ? a : b; }
  static Key sub(Key a, Key b) { return (b < a) == descending ? b : a; }
  static Key turn(Key a, Key /*factor*/) { return a; }
};

template <class Key>
void sort(KeyBits* data, Index length, bool descending) {
  const auto less = [](KeyBits a, KeyBits b) {
    return std::bit_cast<Key>(a) < std::bit_cast<Key>(b);
  };
  if (descending) {
    std::sort(data, data + length, [&](KeyBits a, KeyBits b) { return less(b, a); });
  } else {
    std::sort(data, data + length, less);
  }
}

template <class Key>
void merge(KeyBits* data, Index block, const Interleaved& lines, bool descending) {
  for (Index begin = 0; begin < lines.length; begin += block, descending = !descending) {
    KeyBits* const here = data + begin * lines.stride;
    if (descending) {
      all_stages<ComparedLanes<Key, true>, KeyBits>({}, here, block, 1, lines, nullptr);
    } else {
      all_stages<ComparedLanes<Key, false>, KeyBits>({}, here, block, 1, lines, nullptr);
    }
  }
}

template <class Key>
void run(const SortStep& step, KeyBits* data, const Interleaved& lines) {
  if (step.sorts) {
    sort<Key>(data, lines.length, step.descending);  // such a line lies in one piece
  } else {
    merge<Key>(data, step.block, lines, step.descending);
  }
}

}  // namespace

void SortStages::operator()(KeyBits* data, const Interleaved& lines) const {
  switch (kind_) {
    case KeyKind::natural:
      return run<std::uint64_t>(step_, data, lines);
    case KeyKind::integer:
      return run<std::int64_t>(step_, data, lines);
    case KeyKind::real:
      return run<double>(step_, data, lines);
  }
}

}  // namespace kallima::extras
