// SPDX-License-Identifier: BSD-3-Clause
//
// The figures of a machine: how fast a rank sweeps over its memory, how fast ranks exchange, how
// many share a node, how nodes are wired, and where each figure comes from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kallima/engine.hpp"
#include "kallima/machine.hpp"
#include "kallima/problem.hpp"

namespace kallima {

/// A positive quantity over a positive argument, known at some points: between them a straight line
/// in the logarithms of both, beyond the ends the nearest value.
class Curve {
 public:
  /// Argument and value.
  using Point = std::pair<double, double>;

  /// Zero everywhere.
  Curve() = default;
  /// The same everywhere.
  explicit Curve(double value) : Curve({{1.0, value}}) {}
  /// Through these points; InvalidOption unless arguments are positive and grow, and no value is
  /// negative.
  explicit Curve(std::vector<Point> points);

  /// The value there.
  [[nodiscard]] double at(double argument) const;
  /// True between the ends; a single point covers everything.
  [[nodiscard]] bool covers(double argument) const;
  /// All values times that.
  [[nodiscard]] Curve scaled(double by) const;
  /// What it was made of.
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }

  friend bool operator==(const Curve&, const Curve&) = default;

 private:
  std::vector<Point> points_;
};

/// What sweeps of lines that lie one way in memory take: in cache per element, and so much more per
/// byte where arrays do not stay there.
struct SweepRates {
  Curve in_cache;           ///< seconds per complex element, over the length of a line; beside its
                            ///< points only powers of two count, and FftRates::primes
  Curve beyond;             ///< seconds per byte in addition, over the bytes of all arrays
  Curve reach = Curve(1.);  ///< times that, over the length: tiles of long lines touch more pages

  friend bool operator==(const SweepRates&, const SweepRates&) = default;
};

/// Sweeps by one engine in one precision.
struct FftRates {
  SweepRates lines;        ///< along the axis that is fastest in memory
  SweepRates interleaved;  ///< across memory
  Curve primes;            ///< times what they take in cache, over a prime, in its part of log n
  Curve real =
      Curve(0.5);       ///< a real element's time over a complex one's, over the length of a line
  double twiddle = 0.;  ///< seconds per element of an axis that is split, in addition
  double ragged = 1.;   ///< times what sweeps across memory take, where rows that follow each other
                        ///< do not begin on cache lines

  /// Of lines one way or the other.
  [[nodiscard]] const SweepRates& form(bool across) const { return across ? interleaved : lines; }

  friend bool operator==(const FftRates&, const FftRates&) = default;
};

/// What a rank does by itself while so many ranks of its node do the same. Seconds per byte of
/// memory are per byte read and written once, over the bytes of all arrays a rank goes through.
struct Speed {
  Index active = 1;      ///< ranks at work on the node
  FftRates f32;          ///< FFTW in single precision
  FftRates f64;          ///< FFTW in double precision
  FftRates kernels_f32;  ///< kernels in single precision
  FftRates kernels_f64;  ///< kernels in double precision
  Curve copy;            ///< seconds per byte of a copy
  double joined = 1.;    ///< what two sweeps in one pass take, over both by themselves
  Curve in_plan;  ///< by what sweeps take longer in a plan, behind others, than by themselves;
                  ///< over the same bytes

  /// Of an engine in a precision. (Bytes are copied, not transformed.)
  [[nodiscard]] const FftRates& rates(Precision precision, LineEngine engine) const {
    const bool kernels = engine == LineEngine::kernels;
    if (precision == Precision::f64) return kernels ? kernels_f64 : f64;
    return kernels ? kernels_f32 : f32;
  }

  friend bool operator==(const Speed&, const Speed&) = default;
};

/// A link by the models that know less of it, fitted to the same measurements.
struct Fits {
  double alpha = 0.;        ///< alpha-beta: seconds per message
  double beta = 0.;         ///< alpha-beta: seconds per byte
  double datum_gap = 0.;    ///< LogP's g: seconds per datum; its L and o are the link's
  double datum_bytes = 1.;  ///< LogP: bytes of a datum
  double bsp_gap = 0.;      ///< BSP's g: seconds per byte that the busiest rank sends or receives
  double bsp_sync = 0.;     ///< BSP's l: seconds per exchange

  friend bool operator==(const Fits&, const Fits&) = default;
};

/// How pieces travel between two ranks at one level: within a node, or between nodes. LogGP
/// (Alexandrov et al. 1995), with the gap per byte over the size of a message.
struct Link {
  double latency = 0.;       ///< L: seconds on the way
  double overhead = 0.;      ///< o: seconds of a rank per message, sent or received
  double gap = 0.;           ///< g: seconds from one message of a rank to its next
  Curve per_byte;            ///< G: seconds per byte of a rank, over the bytes of a message
  double node_per_byte = 0;  ///< seconds per byte of what all ranks of a node send together
  double busy = 1.;          ///< part of the time of bytes that keeps a core busy: the rest can go
                             ///< on while ranks compute
  Fits fits;                 ///< by models that know less
  std::string assumed;       ///< what it was taken for where it was neither measured nor published:
                             ///< "TCP, 10 Gbit/s"; otherwise empty

  friend bool operator==(const Link&, const Link&) = default;
};

/// Memory that ranks of a node share.
struct Sharing {
  Curve barrier;  ///< seconds until all have met, over their number
  Curve in_plan;  ///< as of a Speed, where sweeps go through the shared_memory of several ranks
  bool available = true;  ///< false where ranks of a node exchange by messages

  friend bool operator==(const Sharing&, const Sharing&) = default;
};

/// How nodes are wired.
enum class Wiring : std::uint8_t {
  full,      ///< every node at its full rate to every other
  fat_tree,  ///< tapered: so much more bandwidth below than above
  torus,     ///< of some dimensions
  dragonfly  ///< groups, all wired to each other, tapered between groups
};

/// The network between nodes.
struct Topology {
  Wiring wiring = Wiring::full;  ///< the kind
  double taper = 1.;             ///< bandwidth into a node over what of it reaches the other half
  Index dimensions = 3;          ///< of a torus
  Index groups = 2;              ///< of a dragonfly
  Index nodes = 0;               ///< there are; 0: as many as asked for

  friend bool operator==(const Topology&, const Topology&) = default;
};

/// One node, as ranks share it.
struct Node {
  Index cores = 1;        ///< ranks that work without taking turns
  Index ranks = 1;        ///< ranks a node, where nobody says otherwise
  double memory = 0.;     ///< bytes; 0: not known
  bool overlaps = false;  ///< a sweep computes while it moves memory, as accelerators do, so that
                          ///< the longer of both counts and not the sum
  bool accelerators = false;  ///< ranks are GPUs or the like, on which this library does not run:
                              ///< prices there are of a machine that is only described

  friend bool operator==(const Node&, const Node&) = default;
};

/// How far measurements lie from what the fitted figures say: median of the relative distance.
struct Accuracy {
  double sweeps = 0.;     ///< of local work
  double exchanges = 0.;  ///< of exchanges

  friend bool operator==(const Accuracy&, const Accuracy&) = default;
};

/// What a Machine is made of.
struct MachineFigures {
  std::string name;           ///< one word
  std::string about;          ///< one line for people
  std::string made;           ///< when its figures were taken
  Node node;                  ///< what ranks share
  std::vector<Speed> speeds;  ///< by ranks active on a node, at least one, the fewest first
  Sharing shared_memory;      ///< within a node
  Link in_node;               ///< messages within a node
  Link between_nodes;         ///< messages between nodes
  Topology topology;          ///< of the nodes
  Accuracy accuracy;          ///< of all this
  std::map<std::string, std::string> sources;  ///< where figures come from, by their dotted name

  friend bool operator==(const MachineFigures&, const MachineFigures&) = default;
};

}  // namespace kallima
