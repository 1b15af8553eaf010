// SPDX-License-Identifier: BSD-3-Clause
//
// Measures the machine that it runs on. All ranks measure at the same time, so that what they share
// is shared as in a transform; every figure is taken in several rounds over all figures, and its
// median counts.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit.hpp"
#include "machine/figures.hpp"

namespace kallima::calibration {

/// How long and how large.
struct Settings {
  Index rounds = 12;                  ///< far apart, so that each meets other neighbours
  Index most_bytes = Index{1} << 29;  ///< of two arrays that a rank goes through
  Index tile_bytes = Index{5} << 18;  ///< as the planner has them
  double budget = 0.003;              ///< seconds of one measurement, at least
  double link_budget = 0.03;  ///< likewise of exchanges: links let the first bytes pass faster
  Index most_message = Index{1} << 20;  ///< bytes, of exchanges in a row
};

/// How well one model explains one link.
struct FitQuality {
  std::string link;
  Model model = Model::loggp;
  double residual = 0.;  ///< median of |modelled / measured - 1|
};

/// A figure and how sure it is.
struct Stability {
  std::string figure;
  double value = 0.;
  double apart = 0.;  ///< by how much its three least rounds differ, relative
};

/// What was found.
struct Calibration {
  MachineFigures machine;
  std::vector<FitQuality> fits;
  std::vector<Stability> stability;
  std::vector<ExchangeSample> in_node;        ///< what the links were fitted to
  std::vector<ExchangeSample> between_nodes;  ///< likewise
};

/// Told on every rank what part is done and what is measured next.
using Told = std::function<void(double part, const std::string& what)>;

/// Collective; the same on all ranks. Minutes. With one rank links cannot be measured: they are
/// those of the built-in machine, and the sources say so.
Calibration run(MPI_Comm comm, const Settings& settings, const Told& told);

}  // namespace kallima::calibration
