// SPDX-License-Identifier: BSD-3-Clause
//
// A machine is what a plan is priced on: how fast a rank sweeps over its memory, how fast ranks
// exchange, how many share a node, and how nodes are wired. It is a value with a text form (TOML);
// `kallima calibrate` measures one, machines/ holds published ones, and each says where its figures
// come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kallima/export.h"
#include "kallima/index.hpp"

namespace kallima {

struct MachineFigures;

/// A calibrated or published description of hardware. A value; copies share the figures.
class KALLIMA_API Machine {
 public:
  /// The built-in one.
  Machine();
  /// Of these figures, which are the library's own.
  Machine(MachineFigures figures);  // NOLINT: meant to convert

  /// Reads the text form. ParseError where it is damaged or of another version, with the fix.
  static Machine parse(std::string_view toml);
  /// The text form; parse() restores an equal machine.
  [[nodiscard]] std::string to_text() const;
  /// Hash of the text form.
  [[nodiscard]] std::uint64_t hash() const;

  /// One word.
  [[nodiscard]] const std::string& name() const;
  /// One line for people.
  [[nodiscard]] const std::string& about() const;
  /// Ranks a node, where nobody says otherwise.
  [[nodiscard]] Index ranks_per_node() const;

  /// The figures, for the library itself (machine/figures.hpp).
  [[nodiscard]] const MachineFigures& figures() const { return *figures_; }
  /// The same.
  const MachineFigures* operator->() const { return figures_.get(); }

  /// Equal in all figures.
  [[nodiscard]] bool operator==(const Machine& other) const;

 private:
  std::shared_ptr<const MachineFigures> figures_;
};

/// What is assumed where nothing was measured: a common cluster, each figure on the slow side.
KALLIMA_API const Machine& built_in_machine();

/// The machine of a file, or of a name: built-in, or NAME.toml in the folder that the environment
/// variable KALLIMA_MACHINES names, in share/kallima/machines of the prefix that this library or
/// the program it is linked into lies in, or where machines were installed. FileError where there
/// is none, naming those there are; ParseError where it is damaged.
KALLIMA_API Machine find_machine(const std::string& name_or_path);

/// Names that find_machine() knows, in order.
KALLIMA_API std::vector<std::string> machine_names();

/// The machine that the environment variable KALLIMA_MACHINE names, otherwise the built-in one.
KALLIMA_API Machine default_machine();

}  // namespace kallima
