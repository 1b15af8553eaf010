// SPDX-License-Identifier: BSD-3-Clause
//
// What something costs on a machine, and the models of a link that say so.
#pragma once

#include <cstdint>
#include <string_view>

#include "kallima/export.h"

namespace kallima {

/// How the time of an exchange is put together from what a link is.
enum class Model : std::uint8_t {
  loggp,       ///< latency, overhead, gap per message, gap per byte (Alexandrov et al. 1995)
  alpha_beta,  ///< a start-up per message and a time per byte (Solomonik 2014, section 2)
  logp,        ///< LogGP without long messages: so many short ones (Culler et al. 1993)
  bsp          ///< g h + l (Valiant 1990; Bisseling)
};

/// "loggp", ...
KALLIMA_API std::string_view name_of(Model model);

/// Seconds of the slowest rank, on a named machine.
struct KALLIMA_API Cost {
  double latency = 0.;    ///< waiting for each other, starting messages
  double bandwidth = 0.;  ///< bytes on their way
  double memory = 0.;     ///< bytes between memory and caches
  double compute = 0.;    ///< arithmetic, and what is moved in cache
  double hidden = 0.;     ///< of these, what goes on beside the others

  /// What it takes.
  [[nodiscard]] double total() const { return latency + bandwidth + memory + compute - hidden; }
  /// The largest part: "latency", "bandwidth", "memory" or "compute".
  [[nodiscard]] std::string_view binds() const;
  /// Adds part by part.
  Cost& operator+=(const Cost& other);

  friend bool operator==(const Cost&, const Cost&) = default;
};

}  // namespace kallima
