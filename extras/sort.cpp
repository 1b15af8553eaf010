// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/sort.hpp"

#include "api/instantiate.hpp"
#include "extras/bitonic.hpp"
#include "kallima/error.hpp"

namespace kallima {

namespace {

template <class Key>
constexpr extras::KeyKind kind_of() {
  if (std::is_same_v<Key, double>) return extras::KeyKind::real;
  return std::is_signed_v<Key> ? extras::KeyKind::integer : extras::KeyKind::natural;
}

void require_no_choice(const Options& options) {
  if (options.plan || !options.plan_wisdom.empty()) {
    throw InvalidOption("keys are sorted by the one plan there is for them; leave plans out");
  }
  if (options.scaling != Scaling::by_n) {
    throw InvalidOption("keys are not scaled; leave the scaling out");
  }
}

}  // namespace

template <SortKey Key>
Sort<Key>::Sort(MPI_Comm comm, Index n, const Options& options)
    : Planned<Bitonic>(TransformCore<Bitonic>::make(comm, Kind::sort, [&] {
        require_no_choice(options);
        return AskedTransform<Bitonic>{{{n}, options}, {kind_of<Key>()}};
      })) {}

template <SortKey Key>
BasicArray<Key> Sort<Key>::make_keys() const {
  return core_->make_array<Key>(input_layout(), "keys");
}

template <SortKey Key>
Bound<Bitonic> Sort<Key>::bind(std::span<const Key> in, std::span<Key> out) const {
  return bind_memory(Direction::forward, in.data(), in.size(), out.data(), out.size());
}

template <SortKey Key>
void Sort<Key>::sort(std::span<const Key> in, std::span<Key> out) const {
  bind(in, out).run();
}

template class Sort<std::uint64_t>;
template class Sort<std::int64_t>;
template class Sort<double>;

}  // namespace kallima

KALLIMA_INSTANTIATE_TRANSFORM(kallima::Bitonic);
