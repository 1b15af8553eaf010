// SPDX-License-Identifier: BSD-3-Clause
//
// A plan is a short list of steps, alternately sweeps (one pass over local memory that computes)
// and exchanges (pieces of the array change owner), from the layout the user has to the layout the
// user wants. It is pure data: equal on all ranks, printable, hashable, and it needs no MPI. What
// is printed is what is priced and what runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kallima/export.h"
#include "kallima/steps.hpp"

namespace kallima {

/// The state behind a step. InternalError where the step does not fit the state before it.
KALLIMA_API State behind(const State& before, const Step& step, Direction direction);

/// The state of an array in a user's layout, before a transform in this direction.
KALLIMA_API State whole_axes(const Problem& problem, Direction direction, const Layout& layout);

/// Steps that were checked, and that have a text form.
class KALLIMA_API Plan : public StepList {
 public:
  /// An empty plan of an empty problem.
  Plan() = default;

  /// A plan that starts in `start` and takes `steps`. Computes the states between; InternalError
  /// where a step does not fit the state before it. The traffic of exchanges is computed here.
  Plan(Problem problem, Direction direction, Index ranks, Placement placement, const Layout& start,
       std::vector<Step> steps);

  /// Reads the text form. ParseError where it is damaged, and a wrong hash is damage; where it
  /// cannot be run; or where it does not compute its problem.
  static Plan parse(std::string_view text);
  /// The text form: reads like a sentence, and parse() restores an equal plan.
  [[nodiscard]] std::string to_text() const;
  /// The text form for people, where long lists of boxes are cut short (Layout::summary()); then
  /// parse() does not read it. Its hash is that of the whole text.
  [[nodiscard]] std::string summary() const;
  /// Hash of the text form; equal plans have equal hashes.
  [[nodiscard]] std::uint64_t hash() const;

  /// The same steps with exchanges by this method, in one chunk and with its least radix;
  /// point-to-point where the method cannot carry them.
  [[nodiscard]] Plan with_method(ExchangeMethod method) const;

  /// The same steps, where FFTW transforms the lines of the sweep at `step`, or kernels, as far as
  /// there are any for them.
  [[nodiscard]] Plan with_engine(std::size_t step, LineEngine engine) const;

  /// The same steps, where the exchange at `step` goes in chunks. InternalError where it or the
  /// sweeps beside it cannot be cut so.
  [[nodiscard]] Plan with_chunks(std::size_t step, const Chunks& chunks) const;

  /// The same steps, where the pieces of the exchange at `step` go by Bruck's algorithm with this
  /// radix, from 2. InternalError where they cannot.
  [[nodiscard]] Plan with_radix(std::size_t step, Index radix) const;

  /// The same steps between arrays that differ from its own by margins and padding alone: sweeps at
  /// both ends read and write these, and such as only copy are added where there are none.
  [[nodiscard]] Plan between(const Layout& in, const Layout& out) const;

  /// The plan that undoes this one: its steps backwards, in the other direction. One that turns is
  /// its own.
  [[nodiscard]] Plan reversed() const;

  /// There and back: this plan, which is forward, up to its last sweep, which turns, and from there
  /// the way back to where it began. Empty where it does not end with a sweep that computes.
  [[nodiscard]] std::optional<Plan> there_and_back() const;

  friend bool operator==(const Plan&, const Plan&) = default;

 private:
  friend Plan read_plan(std::string_view text);
  void append(Step step);
  /// Counts the traffic of the exchange at a step. InternalError where its method cannot carry it.
  void count(std::size_t step);
  /// The same where it is known that it can.
  void recount(std::size_t step);
};

/// The promised error of a plan's results: relative, in the L2 norm, against exact arithmetic. Of
/// forward and backward together twice that.
///
/// max(eps, 1.5 eps sqrt(log2 N)) for N elements. A convolution of M points has three transforms,
/// one of them of the chirp, and three products: 2 eps sqrt(log2 M).
KALLIMA_API double promised_error(const Plan& plan);

}  // namespace kallima
