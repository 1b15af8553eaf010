// SPDX-License-Identifier: BSD-3-Clause
//
// What an exchange method is: everything that planning, scheduling, pricing and running have to
// know of one is asked here, and answered in one file per method. The table of methods is
// kallima/method_table.h. Pure: no MPI.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "exchange/area.hpp"
#include "exchange/blocks.hpp"
#include "exchange/cost.hpp"
#include "exchange/site.hpp"
#include "layout/pieces.hpp"

namespace kallima {

/// Where the data is between the sweep before an exchange and the sweep behind it.
enum class Holding : std::uint8_t {
  buffers,       ///< packed, in the rank's own memory
  arrays,        ///< in the arrays of the ranks, in memory that they share: it does not move
  node_buffers,  ///< packed, in memory that the ranks of a node share
};

/// What the driver does for an exchange.
enum class Drive : std::uint8_t {
  rounds,     ///< rounds of messages, one after the other
  alltoallv,  ///< MPI_Alltoallv, or rounds where its counts do not fit
  barrier,    ///< ranks wait for each other, and nothing is sent
  pipelined,  ///< the sweeps beside it send and receive while they compute
};

/// Memory that pieces take where they lie, in elements.
struct BufferSpace {
  Index all = 0;
  Index largest = 0;  ///< that has to lie in one block
};

/// What one side of an exchange takes, rank by rank.
class BufferSizes {
 public:
  BufferSizes() = default;
  BufferSizes(const BufferSizes&) = delete;
  BufferSizes& operator=(const BufferSizes&) = delete;
  BufferSizes(BufferSizes&&) = delete;
  BufferSizes& operator=(BufferSizes&&) = delete;
  virtual ~BufferSizes() = default;

  [[nodiscard]] virtual BufferSpace of(Index rank) const = 0;
  /// True where ranks differ by what they hold on the other side too.
  [[nodiscard]] virtual bool by_both_sides() const { return false; }
};

/// Memory of a rank beside the buffers, in elements.
struct ExtraMemory {
  Index segment = 0;  ///< shared by the ranks of a node
  Index transit = 0;  ///< for what it passes on for others
};

/// On which nodes ranks are, where they run.
struct NodesHere {
  Index ranks_per_node = 0;  ///< 0: not known
  bool in_rows = false;      ///< ranks of a node are neighbours, as many on each but the last
};

/// One exchange method. Constant: made once, shared by all threads.
class Method {
 public:
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  Method(Method&&) = delete;
  Method& operator=(Method&&) = delete;
  virtual ~Method() = default;

  // Where it is possible.

  /// True where a plan is one for it, as far as that concerns several steps. Default: yes.
  [[nodiscard]] virtual bool possible_in(const StepList& plan) const;
  /// True where it can carry this exchange, with the radix and digits that it has. Default: an
  /// exchange without a radix.
  [[nodiscard]] virtual bool possible(const Site& site) const;
  /// True where an exchange can go on in chunks. Default: no; chunks that are asked for are left
  /// out.
  [[nodiscard]] virtual bool chunks() const { return false; }
  /// The smallest radix of its rounds; 0 where it has none. Bruck's alone has one so far:
  /// Plan::with_radix and the planner take a radix for it.
  [[nodiscard]] virtual Index least_radix() const { return 0; }
  /// True where it can be had among ranks that are on nodes like these, for a plan of so many ranks
  /// and this placement. Default: yes.
  [[nodiscard]] virtual bool fits(Index ranks, const Placement& planned,
                                  const NodesHere& here) const;
  /// True where the planner tries it without being asked to. `ranks` are laid on nodes like this.
  /// Default: no.
  [[nodiscard]] virtual bool considered(Index ranks, const Placement& placement,
                                        const Machine& machine) const;

  // What it moves.

  /// Exactly what its messages carry, each in one part.
  [[nodiscard]] virtual Traffic traffic(const Site& site) const;
  /// True where pieces go straight from rank to rank. Such a method writes plans of its own; the
  /// others take those of point-to-point.
  [[nodiscard]] virtual bool sends_pieces() const { return true; }

  // Memory.

  [[nodiscard]] virtual Holding holding() const { return Holding::buffers; }
  /// True where what arrives takes the place of what has left, in the same area.
  [[nodiscard]] virtual bool in_place(const Exchange& exchange) const {
    return exchange.pipelined();
  }
  /// What its pieces take before it or behind it; null where they take nothing there, or the other
  /// side has counted it.
  [[nodiscard]] virtual std::unique_ptr<BufferSizes> sizes(const Site& site, bool sending) const;
  /// What a rank needs beside, and the most that any does.
  [[nodiscard]] virtual ExtraMemory extra(const Site& /*site*/, Index /*rank*/) const { return {}; }
  [[nodiscard]] virtual ExtraMemory largest_extra(const Site& /*site*/) const { return {}; }

  // Where its pieces lie: `area` is that of the sweep beside it.

  /// What the sweep before it writes.
  [[nodiscard]] virtual std::vector<StridedBlock> written(const BlockPlacer& at, const Site& site,
                                                          Access access, Area area) const;
  /// What the sweep behind it reads.
  [[nodiscard]] virtual std::vector<StridedBlock> read(const BlockPlacer& at, const Site& site,
                                                       Access access, Area area) const;
  /// What is sent and received. Each Round is one call of Channel::exchange: it posts all receives,
  /// sends in the order of the list, a few at a time, and ends when all have arrived; so any order
  /// is safe. No slice is empty, and none goes to the rank itself: that is `kept`.
  [[nodiscard]] virtual std::vector<Round> rounds(const BlockPlacer& at, const Site& site,
                                                  Area from, Area to) const;

  // What it costs.

  [[nodiscard]] virtual ExchangeCost cost(const Site& site, const Pricing& pricing) const;
  /// Its messages in one part. Of methods that send messages in one round.
  [[nodiscard]] virtual Travel travel(const Site& site, const Pricing& pricing) const;
  /// About what it takes between two layouts; quick, to search with. `bytes` of an element.
  [[nodiscard]] virtual double estimate(const Setting& setting, const Layout& from,
                                        const Layout& to, Index bytes) const;

  // What the driver does.

  [[nodiscard]] virtual Drive drive(const Exchange& exchange) const {
    return in_place(exchange) ? Drive::pipelined : Drive::rounds;
  }
  /// What a rank does while it waits, for errors.
  [[nodiscard]] virtual const char* phase() const = 0;
};

/// A row of the table.
struct MethodRow {
  ExchangeMethod method = ExchangeMethod::any;
  std::string_view name;
  const Method& rules;
};

/// All of them, in the order of the table. In a file of its own, table.cpp: a program that links
/// another one has other methods.
std::span<const MethodRow> method_rows();

/// The rules of a method. InternalError for `any` and for what is none.
const Method& method_of(ExchangeMethod method);
/// True for `any` and for what is in the table: an enumerator that came through a cast may be none.
bool is_method(ExchangeMethod method);
/// Of the exchange at a site.
inline const Method& method_of(const Site& site) { return method_of(site.exchange().method); }
/// The method with this name, "any" included; empty where there is none.
std::optional<ExchangeMethod> find_method(std::string_view name);

/// What any exchange can go by, where another method cannot be had.
inline constexpr ExchangeMethod fallback_method = ExchangeMethod::point_to_point;

/// Where the data of a plan's exchanges is: all of them agree on memory that ranks share.
Holding holding_of(const StepList& plan);

/// True where all exchanges of a plan can go by their methods on these nodes.
bool runs_on(const StepList& plan, const NodesHere& here);

/// True where every rank of the plan holds the same sizes as rank 0 in every state.
bool uniform(const StepList& plan);

}  // namespace kallima
