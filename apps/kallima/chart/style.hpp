// SPDX-License-Identifier: BSD-3-Clause
//
// Colours and sizes that all pictures have in common.
#pragma once

#include <array>

#include "canvas.hpp"

namespace kallima::cli::chart {

constexpr double margin = 20;
constexpr double title_size = 15;
constexpr double label_size = 12.5;
constexpr double small_size = 11.5;
constexpr double line_height = 18;

constexpr Color ink{34, 40, 49};
constexpr Color pale_ink{92, 100, 112};
constexpr Color grid{226, 230, 235};
constexpr Color fine_grid{241, 243, 246};
constexpr Color frame{150, 158, 168};

/// Told apart by people who see colours differently too: Okabe and Ito, "Color universal design"
/// (2008), without the yellow, which is too light for lines.
constexpr Color blue{0, 114, 178};
constexpr Color vermilion{213, 94, 0};
constexpr Color green{0, 158, 115};
constexpr Color purple{204, 121, 167};
constexpr Color orange{230, 159, 0};
constexpr Color sky{86, 180, 233};
constexpr Color dark{70, 70, 70};

constexpr std::array<Color, 7> palette = {{blue, vermilion, green, purple, orange, sky, dark}};

}  // namespace kallima::cli::chart
