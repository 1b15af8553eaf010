// SPDX-License-Identifier: BSD-3-Clause
//
// A three-dimensional transform by pencils on machines of 2010 and on what they may grow to.
// Czechowski, Battaglino, McClanahan, Iyer, Yeung, Vuduc 2012, "On the communication complexity of
// 3D FFTs and its implications for exascale".
//
// Of its predictions, T_net comes back. T_mem does not: equation (2) with the paper's own A = 6.3
// is a tenth of what its figures need, which is about A = 72, or 5 log2(n): perhaps flops taken for
// words. So memory_seconds takes A. The predictions rest on the larger one, but for the slopes of
// figure 6, which do not depend on it.
#pragma once

#include "theory/formula_version.hpp"

namespace kallima::models {

/// A node; the paper gives bandwidths in words, here they are in bytes.
struct Node {
  double flops = 1;             ///< C_node, per second
  double memory_bandwidth = 1;  ///< beta_mem, bytes per second
  double link_bandwidth = 1;    ///< beta_link, bytes per second
  double cache_bytes = 1;       ///< Z
};

/// A transform of extent^3 elements, even over `nodes`.
struct CubeFft {
  double extent = 2;       ///< n
  double nodes = 1;        ///< P
  double word_bytes = 16;  ///< of an element
};

/// A of equation (2), as section 3.1.2 has it from counters.
inline constexpr double memory_constant = 6.3;

/// 15 n^3 log2(n): what equation (1) counts on all nodes.
double flop_count(const CubeFft& fft);
/// Equation (1): T_flops.
double flops_seconds(const Node& node, const CubeFft& fft);
/// Equation (2): T_mem = 3 n^2/P A n max(log_Z(n), 1) / beta_mem, with Z in words.
double memory_seconds(const Node& node, const CubeFft& fft, double constant = memory_constant);
/// Equation (8): T_shuffle, the local transposes beside the exchanges.
double shuffle_seconds(const Node& node, const CubeFft& fft);
/// Equation (9): T_PCIe of one of three phases, over a bus of `bandwidth` bytes per second.
double bus_seconds(const CubeFft& fft, double bandwidth);

/// Words that a node sends to others in one exchange among sqrt(P): (sqrt(P) - 1) n^3 / P^(3/2),
/// footnote 2; the equations take all n^3 / P.
double words_sent(const CubeFft& fft);

/// 2 n^3 / (P^kappa beta_link). Equation (3), fully connected, is kappa = 1; (4), ranks laid
/// ideally on a 3-D torus, 5/6, but for its unknown factor; (5), the bisection of a 3-D torus, 2/3;
/// that of k dimensions (figure 6) (k - 1)/k.
double network_seconds(const Node& node, const CubeFft& fft, double kappa);
inline constexpr double kappa_full = 1;
inline constexpr double kappa_mapped = 5.0 / 6;
/// (k - 1)/k.
double kappa_of_torus(int dimensions);

/// Two exchanges among all through the bisection of a torus. printed: equation (5), where all data
/// crosses P^((k - 1)/k) links. corrected: half of it crosses, a quarter each way, over twice as
/// many links: 8 times less.
double torus_seconds(const Node& node, const CubeFft& fft, int dimensions, FormulaVersion form);

/// The two terms that count, section 6.
struct CubeCost {
  double memory = 0;   ///< seconds
  double network = 0;  ///< seconds

  /// Without overlap, and with: predictions 1 and 2.
  [[nodiscard]] double serial() const { return memory + network; }
  [[nodiscard]] double overlapped() const { return memory > network ? memory : network; }
};

/// T_mem with A = `constant` and T_net on a 3-D torus.
CubeCost cube_cost(const Node& node, const CubeFft& fft, FormulaVersion form,
                   double constant = memory_constant);

/// T_mem / T_net with all factors, of which equation (10) keeps the proportion; prediction 3 asks
/// when it exceeds 1.
double memory_over_network(const Node& node, const CubeFft& fft, double kappa,
                           double constant = memory_constant);

/// Prediction 2: nodes of this kind that take `seconds` for n^3, without overlap (CPU-2) or with it
/// (CPU-3). T_mem goes as 1/P, T_net of equation (5) as P^(-2/3).
double nodes_for_serial(const Node& node, CubeFft fft, double seconds,
                        double constant = memory_constant);
double nodes_for_overlapped(const Node& node, CubeFft fft, double seconds,
                            double constant = memory_constant);

/// The same transform on other nodes, and one as large per node.
CubeFft strongly_scaled(CubeFft fft, double nodes);
CubeFft weakly_scaled(CubeFft fft, double nodes);

/// A row of table 1.
struct Trend {
  double doubling_years = 1;
  double ten_year_factor = 2;  ///< as printed
};

/// Table 1. Printed factors that do not follow from their doubling times: memory bandwidth (10.1),
/// system memory (207), machine peak (1024), nodes (18.0; 17.4 is 1024 / 59.0).
namespace trends {
inline constexpr Trend peak = {1.7, 59.0};
inline constexpr Trend cores = {1.87, 40.7};
inline constexpr Trend memory_bandwidth = {3.0, 9.7};
inline constexpr Trend cache = {2.0, 32.0};
inline constexpr Trend line = {10.2, 2.0};
inline constexpr Trend link_bandwidth = {2.25, 21.8};
inline constexpr Trend machine_peak = {1.0, 1000.0};
inline constexpr Trend system_memory = {1.3, 208.0};
inline constexpr Trend nodes = {2.4, 17.4};
}  // namespace trends

/// corrected: 2^(years / doubling time). printed: the printed factor, to the power years / 10.
double growth(const Trend& trend, double years, FormulaVersion form);

/// The two kinds of processors of table 1.
enum class Lane { cpu, gpu };

/// A column of table 1.
struct Processor {
  Node node;
  double cores = 1;
  double line_bytes = 1;
};

/// Table 1 so many years after 2010.
Processor processor(Lane lane, double years, FormulaVersion form);
double machine_peak(double years, FormulaVersion form);   ///< R_peak, flops per second
double system_memory(double years, FormulaVersion form);  ///< E, bytes
/// R_peak / C, as predictions 1 and 2 have it, rather than by the trend of nodes.
double nodes_at_peak(const Node& node, double machine_peak);

/// Equation (11): rho C / beta, flops per byte, against log2(Z / rho), bytes per core; the paper
/// leaves the factor between them open.
Sides stacked_memory_balance(const Processor& processor);

}  // namespace kallima::models
