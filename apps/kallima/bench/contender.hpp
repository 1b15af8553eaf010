// SPDX-License-Identifier: BSD-3-Clause
//
// Something that `bench` times: the library, or a rival. All are fed the same numbers in the same
// memory, run in turns, and checked by the same sums, so that a row of the table differs from
// another by who computed it and by nothing else.
//
// A contender's life: made (cheap), told its memory by plan(), verified if asked, then prepare()
// and run() in turns. What can be measured from outside is: planning time, memory, bytes sent.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kallima/planner.hpp"
#include "kallima/transform.hpp"
#include "kallima/wisdom.hpp"
#include "session.hpp"
#include "terminal.hpp"

namespace kallima::cli {

/// What all contenders are asked to do.
struct Task {
  PlanRequest request;
  Direction direction = Direction::forward;
  Effort effort = Effort::estimate;  ///< of engines
  PlanEffort plan_effort = PlanEffort::estimate;
  double planning_seconds = 2.;
  bool adaptive = false;
  bool in_place = false;
  Index threads = 1;   ///< of a rank, where the contender has any
  std::string plans;   ///< file of plan wisdom, or none; for the library
  bool trace = false;  ///< records what ranks do; for the library
};

/// Arrays that all contenders use in turns: memory is not what they differ in, and ten of them need
/// not fit side by side.
struct Memory {
  std::byte* source = nullptr;
  std::byte* target = nullptr;
};

/// Bytes of both that a contender uses on this rank.
struct Needs {
  Index source = 0;
  Index target = 0;
};

/// What a contender says of itself. Equal on all ranks: totals over them, or the most of any.
struct Facts {
  std::string name;                        ///< of the row, "fftw-mpi/transposed"
  std::string group;                       ///< of its kind, "fftw-mpi"; the best of a group is told
  std::string layout_in;                   ///< of what is read in the timed direction
  std::string layout_out;                  ///< of what is written
  bool out_as_asked = true;                ///< false where the task asks for another layout of that
  std::optional<std::string> method = {};  ///< how pieces travel, where it is known
  Index exchanges = 0;                     ///< a transform
  std::optional<Index> bytes_sent = {};    ///< a transform, all ranks; where empty, MPI calls tell
  std::optional<Index> passes = {};        ///< over local memory, where it is known
  std::optional<Index> workspace_bytes = {};  ///< announced, of the rank that needs most
  double timed_plans = 0.;                    ///< seconds for which plans were timed
  std::optional<double> promised_error = {};  ///< where it is not that of all plans
};

/// Relative L2 errors.
struct Errors {
  std::optional<double> sampled;  ///< of sampled outputs, against direct sums in long double;
                                  ///< empty where nobody knows which output lies where
  double returned = 0.0;          ///< of the whole array after the way there and back
};

/// One row. Functions are collective, but for facts() and needs().
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender(Contender&&) = delete;
  Contender& operator=(const Contender&) = delete;
  Contender& operator=(Contender&&) = delete;
  virtual ~Contender() = default;

  /// Who it is and what it costs; after plan().
  [[nodiscard]] virtual const Facts& facts() const = 0;
  /// Memory it is to be given. Local.
  [[nodiscard]] virtual Needs needs() const = 0;
  /// Does once what need not be done for every run; overwrites the arrays.
  virtual void plan(const Memory& memory) = 0;
  /// Makes the next run meaningful; not timed.
  virtual void prepare() = 0;
  /// One transform. Returns the seconds this rank was at work.
  virtual double run() = 0;
  /// What each step was priced at, how long it took on the slowest rank, and how many copies of
  /// `copy` seconds that is; nothing of rivals. After some runs. Collective.
  [[nodiscard]] virtual std::string explained(double /*copy*/) const { return {}; }
  /// A trace of all runs on all ranks, on the one that speaks; nothing of rivals. Collective.
  [[nodiscard]] virtual std::string traced() const { return {}; }
  /// Transforms there and back and compares; nothing where it is no transform.
  virtual std::optional<Errors> verify(Progress& progress) = 0;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

/// Whether a contender that reads `in` and writes `out`, in the order that this says or else
/// (known_order) in one of its own, leaves its output as the task asks for. Where that is the
/// layout of the input, the contender's own input counts: rivals have their own rules for uneven
/// blocks.
bool leaves_as_asked(const Task& task, const Layout& in, const Layout& out, bool known_order);

/// What the library is told of a task.
Options options_for(const Task& task);

/// The library itself, in the precision of the problem. Collective.
std::unique_ptr<Contender> make_kallima(const Session& session, const Task& task);

}  // namespace kallima::cli
