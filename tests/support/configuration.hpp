// SPDX-License-Identifier: BSD-3-Clause
//
// Configurations of the property test: everything a user may combine, awkward sizes first.
#pragma once

#include <optional>
#include <string>

#include "kallima/layout.hpp"
#include "kallima/transform.hpp"
#include "support/random.hpp"

namespace kallima::test {

struct Configuration {
  Shape shape;
  int ranks = 1;
  bool single = false;  ///< float
  bool in_place = false;
  Kind kind = Kind::c2c;
  Options options;

  [[nodiscard]] Problem problem() const {
    return {shape,        single ? Precision::f32 : Precision::f64,
            kind,         options.r2c_axis,
            options.axes, options.keep};
  }
  [[nodiscard]] std::string to_text() const;
};

/// Configuration number `number` of a seed, for at most `ranks` ranks (exactly so many if `all`).
/// `large`: most messages have more bytes than MPI sends without asking.
Configuration make_configuration(std::uint64_t seed, std::uint64_t number, int ranks, bool all,
                                 Kind kind = Kind::c2c, bool large = false);

/// A layout of any kind over at most `ranks` ranks.
Layout random_layout(Random& random, const Shape& shape, Index ranks);

/// The same inside of a larger array: up to two elements on either side of each axis.
Layout with_random_margins(Random& random, const Layout& layout);

/// What a rank has of a layout of boxes, as it would give it by itself.
OwnBoxes own_boxes_of(const Layout& layout, Index rank);

}  // namespace kallima::test
