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
  Index rounds = 12;                  ///< at most; far apart, so that each meets other neighbours
  double seconds = 150.;              ///< no round begins that would end later, but for the first
  bool few = false;                   ///< fewer lengths and sizes
  Index most_bytes = Index{1} << 29;  ///< of two arrays that a rank goes through
  Index tile_bytes = Index{5} << 18;  ///< as the planner has them
  double budget = 0.003;              ///< seconds of one measurement, at least
  double link_budget = 0.03;  ///< likewise of exchanges: links let the first bytes pass faster
  Index most_message = Index{1} << 20;  ///< bytes, of exchanges in a row

  /// What takes seconds: enough to choose plans by, and to predict to about as much.
  static Settings quick();
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
  Index rounds = 0;  ///< that were measured
  std::vector<FitQuality> fits;
  std::vector<Stability> stability;
  std::vector<ExchangeSample> in_node;        ///< what the links were fitted to
  std::vector<ExchangeSample> between_nodes;  ///< likewise
};

/// Told on every rank what part is done and what is measured next.
using Told = std::function<void(double part, const std::string& what)>;

/// Collective; the same on all ranks. Takes about as long as the settings say. With one rank links
/// cannot be measured, and on one node not those between nodes: they are assumed, which they say.
Calibration run(MPI_Comm comm, const Settings& settings, const Told& told);

}  // namespace kallima::calibration
