// SPDX-License-Identifier: BSD-3-Clause
//
// Plans that were measured to be fast, kept between runs: what the planner takes for the cheapest
// is priced, what is here was timed. An entry serves where all that it was measured for is the
// same: machine, problem, ranks and how they are laid on nodes, layouts, method, chunks, padding.
//
// The text form is JSON, schema kallima.wisdom/3, with a checksum. A file that is damaged, or of
// another version, is refused where Options::plan_wisdom names it, and ignored with a warning where
// load_plan_wisdom() reads it. The engine's own wisdom is another thing: kallima/wisdom.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kallima/export.h"
#include "kallima/machine.hpp"
#include "kallima/planner.hpp"

namespace kallima {

/// A plan, what it is for, and how long it took. Layouts are in the text form, or "any".
struct KALLIMA_API PlanWisdomEntry {
  std::string machine;                          ///< name of it, for people
  std::uint64_t machine_hash = 0;               ///< that decides
  std::string problem;                          ///< text form
  Index ranks = 1;                              ///< of the job
  Index ranks_per_node = 0;                     ///< 0: not known
  std::string in = "any";                       ///< layout that was asked for
  std::string out = "any";                      ///< likewise
  ExchangeMethod method = ExchangeMethod::any;  ///< that was asked for
  Index chunks = 0;                             ///< as in PlanRequest
  bool padded = false;                          ///< likewise
  std::string plan;                             ///< text form
  double seconds = 0.0;                         ///< that a transform took; finite, not negative
  std::string made;                             ///< when

  friend bool operator==(const PlanWisdomEntry&, const PlanWisdomEntry&) = default;
};

/// The entry for a plan that answers this request on this machine.
KALLIMA_API PlanWisdomEntry entry_for(const PlanRequest& request, const Machine& machine,
                                      const Plan& plan, double seconds, std::string made);

/// Entries, at most one for each thing that can be asked for.
class KALLIMA_API PlanWisdom {
 public:
  /// Reads the text form. ParseError where it is damaged or of another version, with the fix.
  static PlanWisdom parse(std::string_view text);
  /// The text form; parse() restores an equal value.
  [[nodiscard]] std::string to_text() const;

  /// Adds an entry; of two for the same thing the faster stays. InvalidOption where its seconds are
  /// not finite or negative, its ranks fewer than 1, or its ranks a node negative.
  void add(const PlanWisdomEntry& entry);
  /// Adds all entries of another.
  void merge(const PlanWisdom& other);
  /// The plan for a request on a machine, where there is one. A plan text that cannot be read or
  /// run, or is of something else than its entry says, or of another engine than the request, is
  /// passed over; so is all where request.decomposition is restricted. request.tile_bytes is not
  /// looked at.
  [[nodiscard]] std::optional<Plan> find(const PlanRequest& request, const Machine& machine) const;
  /// Number of entries.
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  friend bool operator==(const PlanWisdom&, const PlanWisdom&) = default;

 private:
  std::map<std::string, PlanWisdomEntry> entries_;  // by all that must be the same
};

/// The wisdom of a file. FileError where there is none or it cannot be read, ParseError where it is
/// damaged or of another version, each with the fix. Local.
[[nodiscard]] KALLIMA_API PlanWisdom read_plan_wisdom(const std::string& path);

/// The same, but never throws but for exhausted memory: of a file that is not there, damaged or of
/// another version it is empty, and `warning` says why; otherwise `warning` is empty. Local.
[[nodiscard]] KALLIMA_API PlanWisdom load_plan_wisdom(const std::string& path,
                                                      std::string& warning);

/// Adds wisdom to a file: merges with what is in it by now, writes beside it and renames, so that a
/// reader never sees half of it. Of two that write at once, one may be lost. A damaged file is
/// replaced. FileError. Local: call it on one rank.
KALLIMA_API void save_plan_wisdom(const std::string& path, const PlanWisdom& wisdom);

}  // namespace kallima
