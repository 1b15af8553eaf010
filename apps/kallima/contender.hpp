// SPDX-License-Identifier: BSD-3-Clause
//
// Something that `bench` times: the library, or later a rival. All are fed the same numbers, run in
// turns, and checked by the same sums, so that a row of the table differs from another by who
// computed it and by nothing else.
#pragma once

#include <memory>
#include <string>

#include "kallima/planner.hpp"
#include "kallima/wisdom.hpp"
#include "session.hpp"
#include "terminal.hpp"

namespace kallima::cli {

/// What all contenders are asked to do.
struct Task {
  PlanRequest request;
  Direction direction = Direction::forward;
  Effort effort = Effort::estimate;
  bool in_place = false;
};

/// What a contender says of itself. Equal on all ranks: totals over them, or the most of any.
struct Facts {
  std::string name;
  double plan_s = 0.0;        ///< planning, the slowest rank
  std::string layout_in;      ///< of what is read in the timed direction
  std::string layout_out;     ///< of what is written
  Index exchanges = 0;        ///< a transform
  Index bytes_sent = 0;       ///< between different ranks, all of them, a transform
  Index passes = 0;           ///< over local memory, a transform
  Index workspace_bytes = 0;  ///< of the rank that needs most
};

/// Relative L2 errors.
struct Errors {
  double sampled = 0.0;   ///< of sampled outputs, against direct sums in long double
  double returned = 0.0;  ///< of the whole array after the way there and back
};

/// One row. Functions are collective.
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender(Contender&&) = delete;
  Contender& operator=(const Contender&) = delete;
  Contender& operator=(Contender&&) = delete;
  virtual ~Contender() = default;

  /// Who it is and what it costs; after at least one run.
  [[nodiscard]] virtual const Facts& facts() const = 0;
  /// Makes the next run meaningful; not timed.
  virtual void prepare() = 0;
  /// One transform; what is timed.
  virtual void run() = 0;
  /// Transforms there and back and compares.
  virtual Errors verify(Progress& progress) = 0;
};

/// The library itself, in the precision of the problem. Collective.
std::unique_ptr<Contender> make_kallima(const Session& session, const Task& task);

}  // namespace kallima::cli
