// SPDX-License-Identifier: BSD-3-Clause
//
// What messages cost in four models, and one exchange priced by each of them.
//
//   alpha-beta  Solomonik 2015, "Distributed-memory models and algorithms", slide "A simple model
//               for point-to-point messages"
//   LogP        Culler, Karp, Patterson, Sahay, Schauser, Santos, Subramonian, von Eicken 1993,
//               "LogP: towards a realistic model of parallel computation"; as retold by Sahay
//               1993, section 2, and Solomonik 2015, slide "The LogP model"
//   LogGP       Alexandrov, Ionescu, Schauser, Scheiman 1995, "LogGP: incorporating long messages
//               into the LogP model"; as retold by Solomonik 2015, slide "The LogGP model"
//   BSP         Valiant 1990, "A bridging model for parallel computation"; as retold by Solomonik
//               2015, slide "BSP model definition", and by Bisseling, slide "BSP cost"
//
// None of them knows of topology or of contention; see topology.hpp. A rank sends and receives at
// the same time at full speed, but its processor pays the overheads of both.
#pragma once

#include "kallima/cost.hpp"
#include "kallima/index.hpp"
#include "kallima/machine.hpp"

namespace kallima::models {

/// Both ends wait until a message is through.
struct AlphaBeta {
  double alpha = 0;  ///< seconds per message
  double beta = 0;   ///< seconds per byte
};

/// Messages are data of one small size. The number of processors, P, is that of the problem.
struct LogP {
  double latency = 0;      ///< L, seconds on the way, processors free
  double overhead = 0;     ///< o, seconds a processor is busy with one datum, at either end
  double gap = 0;          ///< g, seconds between two data of one processor
  double datum_bytes = 8;  ///< w, what one datum carries
};

/// LogP with messages of any length.
struct LogGp {
  double latency = 0;       ///< L
  double overhead = 0;      ///< o
  double gap = 0;           ///< g, seconds between the bytes of two messages
  double gap_per_byte = 0;  ///< G, seconds per byte of one message
};

/// Computation and communication in supersteps that end together.
struct Bsp {
  double gap_per_byte = 0;     ///< g, seconds per byte that the busiest rank sends or receives
  double synchronisation = 0;  ///< l, seconds per superstep
};

/// Several messages of one length.
struct Train {
  Index messages = 1;
  double bytes = 0;  ///< of each
};

/// From the start of the send until the receiver has it all.
double message_seconds(const AlphaBeta& model, double bytes);
double message_seconds(const LogP& model, double bytes);
double message_seconds(const LogGp& model, double bytes);

/// Messages in a row from one processor, until the last is received. 0 for none.
double train_seconds(const AlphaBeta& model, const Train& train);
double train_seconds(const LogP& model, const Train& train);
double train_seconds(const LogGp& model, const Train& train);

/// An h-relation: every processor sends and receives `train.messages` messages, in an order that
/// floods nobody.
double relation_seconds(const AlphaBeta& model, const Train& train);
double relation_seconds(const LogP& model, const Train& train);
double relation_seconds(const LogGp& model, const Train& train);
double relation_seconds(const Bsp& model, const Train& train);

/// Data that may be on the way from or to one processor at a time: ceil(L / g), Sahay 1993,
/// section 2.
double capacity(const LogP& model);

/// What the busiest rank does between two synchronisations.
struct Superstep {
  double work_seconds = 0;
  double bytes = 0;  ///< h: the larger of what it sends and what it receives
};

/// w + g h + l.
double superstep_seconds(const Bsp& model, const Superstep& step);

/// An exchange as its busiest rank sees it. Messages of one direction count as equally long.
struct Load {
  Index messages_sent = 0;
  Index messages_received = 0;
  Index bytes_sent = 0;
  Index bytes_received = 0;
};

/// The exchange until the busiest rank is through. Without messages it is free, but for BSP, which
/// synchronises all the same.
double exchange_seconds(const AlphaBeta& model, const Load& load);
double exchange_seconds(const LogP& model, const Load& load);
double exchange_seconds(const LogGp& model, const Load& load);
double exchange_seconds(const Bsp& model, const Load& load);

using kallima::Model;

/// One network as each model sees it.
struct Network {
  Bsp bsp;
  LogP logp;
  LogGp loggp;
  AlphaBeta alpha_beta;
};

double exchange_seconds(Model model, const Network& network, const Load& load);

}  // namespace kallima::models
