// SPDX-License-Identifier: BSD-3-Clause
#include "theory/group_cyclic.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "theory/powers_of_two.hpp"

namespace kallima::models {

namespace {

/// The logarithms m and q.
struct Bits {
  Index extent;
  Index procs;
};

Bits bits_of(const GroupCyclicFft& fft) {
  const Bits bits{exact_log2(fft.extent, "the extent"), exact_log2(fft.procs, "procs")};
  require(bits.procs < bits.extent, "procs is " + std::to_string(fft.procs) +
                                        "; the group-cyclic transform needs fewer than the " +
                                        std::to_string(fft.extent) + " elements");
  return bits;
}

/// n/p elements.
double part_of(const GroupCyclicFft& fft) {
  const Index part = fft.extent / fft.procs;
  return static_cast<double>(part);
}

}  // namespace

Index exchanges(const GroupCyclicFft& fft) {
  const Bits bits = bits_of(fft);
  return ceil_div(bits.procs, bits.extent - bits.procs);
}

Index computation_supersteps(const GroupCyclicFft& fft) { return exchanges(fft) + 1; }

Index synchronisations(const GroupCyclicFft& fft) { return 2 * exchanges(fft) + 1; }

std::vector<Index> cycles(const GroupCyclicFft& fft) {
  const Bits bits = bits_of(fft);
  std::vector<Index> result = {1};
  for (Index bit = 0; bit < bits.procs;) {
    bit = std::min(bit + bits.extent - bits.procs, bits.procs);
    result.push_back(Index{1} << bit);
  }
  return result;
}

double words_moved(const GroupCyclicFft& fft, FormulaVersion form) {
  const std::vector<Index> cycle = cycles(fft);
  const double part = 2 * part_of(fft);
  double words = 0;
  for (std::size_t i = 1; i < cycle.size(); ++i) {
    const double stays = static_cast<double>(cycle[i - 1]) / static_cast<double>(cycle[i]);
    words += form == FormulaVersion::printed ? part : part * (1 - stays);
  }
  return words;
}

double computation_seconds(const BspMachine& machine, const GroupCyclicFft& fft) {
  return 5 * part_of(fft) * static_cast<double>(bits_of(fft).extent) * machine.flop_seconds;
}

double communication_seconds(const Bsp& network, const GroupCyclicFft& fft, FormulaVersion form) {
  return network.gap_per_byte * fft.real_bytes * words_moved(fft, form);
}

double synchronisation_seconds(const Bsp& network, const GroupCyclicFft& fft) {
  return static_cast<double>(synchronisations(fft)) * network.synchronisation;
}

double total_seconds(const BspMachine& machine, const GroupCyclicFft& fft, FormulaVersion form) {
  return computation_seconds(machine, fft) + communication_seconds(machine.network, fft, form) +
         synchronisation_seconds(machine.network, fft);
}

}  // namespace kallima::models
