// SPDX-License-Identifier: BSD-3-Clause
//
// Tables for people: columns line up, units fit the figures.
#pragma once

#include <string>
#include <vector>

namespace kallima::cli {

/// Rows of cells; the first row is the heading. The first column is flush left, figures flush
/// right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// The same with all columns flush left, for words.
std::string list(const std::vector<std::vector<std::string>>& rows);

/// Seconds as text in the unit that fits.
std::string duration(double seconds);

/// Seconds as text, all in the unit that fits the smallest of them, so that they compare at sight.
std::vector<std::string> durations(const std::vector<double>& seconds);

/// Seconds as text in the unit that fits `whole`, of which they are a part, perhaps a small one.
std::string part_duration(double seconds, double whole);

}  // namespace kallima::cli
