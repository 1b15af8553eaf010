// SPDX-License-Identifier: BSD-3-Clause
//
// Ghost cells: margins of a rank's array that hold copies of what neighbours have.
//
//     const auto layout = kallima::Layout::block(shape, {2, 2, 1}).with_margins(2);
//     kallima::Halo<double> halo(comm, layout);              // all axes periodic; collective
//     std::vector<double> u(layout.allocated_size(rank));
//     ...                                                    // computes its own part
//     halo.run(u);                                           // margins are right, corners too
//
// Margins may be wider than what a neighbour holds, ranks may hold nothing, and an axis may lie on
// one rank: what goes round its end is then copied.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "kallima/export.h"
#include "kallima/layout.hpp"
#include "kallima/transform.hpp"

namespace kallima {

/// What a halo exchange is planned from, but its communicator.
struct HaloArguments {
  Layout layout;               ///< with margins
  std::vector<Margin> widths;  ///< what is filled of them, per axis
  std::vector<bool> periodic;  ///< per axis: what lies beyond one end is what lies at the other
  Index element_bytes = 0;     ///< of one element
};

/// What a halo exchange of elements of any type is made of.
class KALLIMA_API HaloExchange {
 public:
  /// Plans for elements of so many bytes. Collective: one agreement. Throws InvalidLayout,
  /// InvalidOption, TooFewRanks, MismatchedArguments, OutOfMemory, MpiFailure, alike on all ranks.
  HaloExchange(MPI_Comm comm, const Layout& layout, const std::vector<Margin>& widths,
               const std::vector<bool>& periodic, Index element_bytes);
  /// The same of arguments that are made inside the collective call: what `make` throws on one
  /// rank, all ranks throw. Collective.
  static HaloExchange with(MPI_Comm comm, const std::function<HaloArguments()>& make);
  /// Fills the margins of an array. Collective over ranks that have something in common; agrees on
  /// nothing, allocates nothing. InvalidBuffer on this rank for fewer elements than the layout
  /// takes: then the exchange is broken, as a transform is.
  void run(void* data, std::size_t elements);
  /// What was moved so far, on this rank.
  [[nodiscard]] CommStatistics statistics() const;
  /// Bytes of this rank's message buffers.
  [[nodiscard]] Index workspace_bytes() const;
  /// Of the arrays.
  [[nodiscard]] const Layout& layout() const;
  /// This rank in the communicator.
  [[nodiscard]] int rank() const;

 private:
  class Core;
  explicit HaloExchange(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

/// A halo exchange of elements E: any type that can be copied by its bytes.
template <class E>
class Halo {
  static_assert(std::is_trivially_copyable_v<E>,
                "kallima::Halo<E>: elements are copied by their bytes");

 public:
  /// Of margins of these widths along axes of which some are periodic. Collective.
  Halo(MPI_Comm comm, const Layout& layout, const std::vector<Margin>& widths,
       const std::vector<bool>& periodic)
      : exchange_(comm, layout, widths, periodic, static_cast<Index>(sizeof(E))) {}
  /// Of all margins that the layout has, all axes periodic. Collective.
  Halo(MPI_Comm comm, const Layout& layout)
      : Halo(comm, layout, widths_of(layout), std::vector<bool>(layout.axes(), true)) {}

  /// Fills the margins of an array. See HaloExchange::run.
  void run(std::span<E> data) { exchange_.run(data.data(), data.size()); }
  /// What was moved so far, on this rank.
  [[nodiscard]] CommStatistics statistics() const { return exchange_.statistics(); }

 private:
  static std::vector<Margin> widths_of(const Layout& layout) {
    std::vector<Margin> widths;
    for (std::size_t a = 0; a < layout.axes(); ++a) widths.push_back(layout.margin(a));
    return widths;
  }

  HaloExchange exchange_;
};

}  // namespace kallima
