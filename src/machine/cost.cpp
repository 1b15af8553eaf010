// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/cost.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kallima {

std::string_view name_of(Model model) {
  switch (model) {
    case Model::loggp:
      return "loggp";
    case Model::alpha_beta:
      return "alpha-beta";
    case Model::logp:
      return "logp";
    case Model::bsp:
      return "bsp";
  }
  return "unknown";
}

std::string_view Cost::binds() const {
  const std::array parts = {std::pair{latency, "latency"}, std::pair{bandwidth, "bandwidth"},
                            std::pair{memory, "memory"}, std::pair{compute, "compute"}};
  return std::max_element(parts.begin(), parts.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

Cost& Cost::operator+=(const Cost& other) {
  latency += other.latency;
  bandwidth += other.bandwidth;
  memory += other.memory;
  compute += other.compute;
  hidden += other.hidden;
  return *this;
}

}  // namespace kallima
