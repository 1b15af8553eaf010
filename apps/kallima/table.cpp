// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "terminal.hpp"

namespace kallima::cli {

namespace {

struct Unit {
  double seconds;
  const char* name;
};

constexpr std::array<Unit, 4> units = {{{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};

Unit unit_for(double seconds) {
  const auto* const fits = std::find_if(units.begin(), units.end(),
                                        [&](const Unit& unit) { return seconds >= unit.seconds; });
  return fits == units.end() ? units.back() : *fits;
}

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                 bool flush_right) {
  std::string text = fmt::format("{:<{}}", cells.front(), widths.front());
  for (std::size_t c = 1; c < cells.size(); ++c) {
    text += flush_right ? fmt::format("  {:>{}}", cells[c], widths[c])
                        : fmt::format("  {:<{}}", cells[c], widths[c]);
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::string lines(const std::vector<std::vector<std::string>>& rows, bool flush_right) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text = heading(line(rows.front(), widths, flush_right)) + "\n";
  for (std::size_t r = 1; r < rows.size(); ++r) text += line(rows[r], widths, flush_right) + "\n";
  return text;
}

/// Decimals that show three figures.
int decimals_of(double scaled) { return scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2; }

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows) { return lines(rows, true); }

std::string list(const std::vector<std::vector<std::string>>& rows) { return lines(rows, false); }

std::string duration(double seconds) { return durations({seconds}).front(); }

std::vector<std::string> durations(const std::vector<double>& seconds) {
  const double least = *std::min_element(seconds.begin(), seconds.end());
  const Unit unit = unit_for(least);
  // Three figures of the smallest; the others have as many behind the point.
  const int decimals = decimals_of(least / unit.seconds);
  std::vector<std::string> result;
  for (const double value : seconds) {
    result.push_back(fmt::format("{:.{}f} {}", value / unit.seconds, decimals, unit.name));
  }
  return result;
}

std::string part_duration(double seconds, double whole) {
  const Unit unit = unit_for(whole);
  const int decimals = decimals_of(whole / unit.seconds) + 1;  // one more, for small parts
  return fmt::format("{:.{}f} {}", seconds / unit.seconds, decimals, unit.name);
}

}  // namespace kallima::cli
