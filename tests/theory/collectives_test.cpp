// SPDX-License-Identifier: BSD-3-Clause
#include "theory/collective_programs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kallima/error.hpp"
#include "theory/all_to_all.hpp"
#include "theory/collectives.hpp"
#include "theory/simulate.hpp"

namespace kallima::butterfly {
namespace {

constexpr models::AlphaBeta alpha_beta = {.alpha = 8, .beta = 2};
// g <= L, so that a port is free when an answer has come.
constexpr models::LogP logp = {.latency = 12, .overhead = 0, .gap = 4, .datum_bytes = 8};
constexpr models::LogGp loggp = {.latency = 12, .overhead = 0, .gap = 4, .gap_per_byte = 0.25};

template <class Model>
double seconds(const Program& program, const Model& model) {
  return simulate(program, network_of(model)).completion;
}

constexpr double work = 0.5;  // per byte

/// Through a butterfly, on so many processors.
Collective of(Index procs) { return {procs, 1024, work}; }

models::Collective priced(const Collective& collective, double work_times) {
  const auto procs = static_cast<double>(collective.procs);
  const double local = work_times * collective.work_per_byte * collective.bytes * (1 - 1 / procs);
  return {collective.procs, collective.bytes, local};
}

TEST(Collectives, through_butterflies_take_what_the_formulas_say) {
  for (Index procs = 1; procs <= 256; procs *= 2) {
    const Collective c = of(procs);
    const models::Collective plain = priced(c, 0);
    EXPECT_EQ(seconds(allgather(c), alpha_beta), allgather_seconds(alpha_beta, plain));
    EXPECT_EQ(seconds(scatter(c), alpha_beta), scatter_seconds(alpha_beta, plain));
    EXPECT_EQ(seconds(gather(c), alpha_beta), gather_seconds(alpha_beta, plain));
    EXPECT_EQ(seconds(reduce_scatter(c), alpha_beta),
              reduce_scatter_seconds(alpha_beta, priced(c, 1)));
    EXPECT_EQ(seconds(allreduce(c), alpha_beta), allreduce_seconds(alpha_beta, priced(c, 1)));
    EXPECT_EQ(seconds(reduce(c), alpha_beta), reduce_seconds(alpha_beta, priced(c, 1)));
    // A scan goes like an allreduce, with more work.
    EXPECT_EQ(seconds(scan(c), alpha_beta), allreduce_seconds(alpha_beta, priced(c, 3)));
    EXPECT_EQ(seconds(broadcast_scatter_allgather(c), alpha_beta),
              broadcast_seconds(alpha_beta, plain));
    if (procs > 1) {
      EXPECT_EQ(seconds(all_to_all_by_digits(c, 2), alpha_beta),
                all_to_all_butterfly_seconds(alpha_beta, plain));
    }
  }
}

TEST(Collectives, in_logp_and_loggp_rounds_are_messages_one_after_the_other) {
  for (Index procs = 2; procs <= 128; procs *= 2) {
    const Collective c{procs, 1024, 0};
    double in_data = 0;
    double in_bytes = 0;
    for (Index span = 1; span < procs; span *= 2) {
      const double bytes = 1024. * static_cast<double>(span) / static_cast<double>(procs);
      in_data += message_seconds(logp, bytes);
      in_bytes += message_seconds(loggp, bytes);
    }
    EXPECT_DOUBLE_EQ(seconds(allgather(c), logp), in_data);
    EXPECT_DOUBLE_EQ(seconds(allgather(c), loggp), in_bytes);
    EXPECT_DOUBLE_EQ(seconds(reduce_scatter(c), loggp), in_bytes);
    EXPECT_DOUBLE_EQ(seconds(gather(c), loggp), in_bytes);
    EXPECT_DOUBLE_EQ(seconds(allreduce(c), logp), 2 * in_data);
  }
}

TEST(Collectives, binomial_broadcasts_take_the_corrected_rounds) {
  for (Index procs = 1; procs <= 70; ++procs) {
    const Collective c{procs, 100, 0};
    EXPECT_EQ(
        seconds(broadcast_binomial(c), alpha_beta),
        broadcast_binomial_seconds(alpha_beta, priced(c, 0), models::FormulaVersion::corrected));
  }
}

/// When all have it that one processor with so many rounds left sends on: LogP's tree, by
/// recursion.
double tree_seconds(const models::LogGp& model, double bytes, Index rounds) {
  double last = 0;
  double now = 0;
  for (Index left = rounds; left > 0; --left) {
    last =
        std::max(last, now + message_seconds(model, bytes) + tree_seconds(model, bytes, left - 1));
    now += model.gap + (bytes - 1) * model.gap_per_byte;
  }
  return last;
}

TEST(Collectives, in_loggp_a_binomial_broadcast_overlaps_its_rounds) {
  for (Index rounds = 1; rounds <= 7; ++rounds) {
    const Collective c{Index{1} << rounds, 101, 0};
    const double simulated = seconds(broadcast_binomial(c), loggp);
    EXPECT_DOUBLE_EQ(simulated, tree_seconds(loggp, 101, rounds));
    EXPECT_LE(simulated, static_cast<double>(rounds) * message_seconds(loggp, 101));
  }
}

TEST(Collectives, pipelined_trees_take_what_the_leading_terms_say) {
  for (const Index procs : {3, 7, 8, 15, 32, 63, 64}) {
    for (const double bytes : {1000., 10000., 50000.}) {
      const Collective c{procs, bytes, 0};
      const models::Collective of_it = priced(c, 0);
      const double packet = std::ceil(best_packet_bytes(alpha_beta, of_it));
      const double formula = broadcast_pipelined_seconds(alpha_beta, of_it, packet);
      const double simulated = seconds(broadcast_pipelined(c, packet), alpha_beta);
      // A tree of P processors is less than log P high; the last packet may be short.
      EXPECT_LE(simulated, formula);
      EXPECT_GE(simulated, formula - 5 * message_seconds(alpha_beta, packet));
      const double packet_g = std::ceil(best_packet_bytes(loggp, of_it));
      const double formula_g = broadcast_pipelined_seconds(loggp, of_it, packet_g);
      const double simulated_g = seconds(broadcast_pipelined(c, packet_g), loggp);
      EXPECT_LE(simulated_g, formula_g);
      EXPECT_GE(simulated_g, formula_g - 5 * message_seconds(loggp, packet_g));
    }
  }
  // Packets of LogP are data.
  const Collective c{31, 8000, 0};
  const double formula = broadcast_pipelined_seconds(logp, priced(c, 0));
  const double simulated = seconds(broadcast_pipelined(c, logp.datum_bytes), logp);
  EXPECT_LE(simulated, formula);
  EXPECT_GE(simulated, 0.97 * formula);
}

TEST(Collectives, the_best_packet_is_about_the_best_in_the_simulation_too) {
  const Collective c{63, 20000, 0};
  const double packet = best_packet_bytes(alpha_beta, priced(c, 0));
  const double best = seconds(broadcast_pipelined(c, packet), alpha_beta);
  for (const double factor : {0.25, 0.5, 2., 4.}) {
    EXPECT_GT(seconds(broadcast_pipelined(c, factor * packet), alpha_beta), 0.99 * best);
  }
  EXPECT_GT(seconds(broadcast_pipelined(c, 8 * packet), alpha_beta), 1.05 * best);
}

TEST(Collectives, double_trees_take_half_of_one) {
  for (const Index procs : {2, 3, 7, 8, 15, 31, 32, 50, 64}) {
    for (const double bytes : {1000., 10000., 100000.}) {
      const Collective c{procs, bytes, 0};
      const double packet = std::ceil(best_packet_bytes(alpha_beta, {procs, bytes / 2, 0}));
      const double formula = broadcast_double_tree_seconds(alpha_beta, priced(c, 0));
      const double simulated = seconds(broadcast_double_tree(c, packet), alpha_beta);
      EXPECT_LE(simulated, formula) << procs << " " << bytes;
      EXPECT_GE(simulated, formula - 6 * message_seconds(alpha_beta, packet));
      // Johnsson and Ho's bound.
      EXPECT_GE(simulated, 0.95 * broadcast_bound_seconds(alpha_beta, priced(c, 0)));
    }
  }
}

TEST(Collectives, all_to_alls_take_what_the_formulas_say) {
  for (const Index procs : {2, 3, 5, 8, 12, 16, 27, 64}) {
    const auto whole = static_cast<double>(procs);
    const Collective c{procs, 64 * whole, 0};
    EXPECT_DOUBLE_EQ(
        seconds(all_to_all_direct(c), alpha_beta),
        all_to_all_direct_seconds(alpha_beta, priced(c, 0), models::FormulaVersion::corrected));
    const models::AllToAll blocks{procs, 64};
    models::Network network;
    network.alpha_beta = alpha_beta;
    network.logp = logp;
    network.loggp = loggp;
    for (Index radix = 2; radix <= procs; radix += radix < 9 ? 1 : procs / 3) {
      const Program program = all_to_all_by_digits(c, radix);
      EXPECT_DOUBLE_EQ(seconds(program, alpha_beta),
                       all_to_all_seconds(Model::alpha_beta, network, blocks, radix));
      // The price takes messages of a round for equally long, and fills up their data.
      const double in_data = seconds(program, logp);
      double filled = 0;
      Index power = radix;
      for (; power < procs; power *= radix) {
      }
      for (const models::Load& load : rounds(blocks, radix)) {
        filled += static_cast<double>(load.messages_sent) * logp.gap;
      }
      const double price = all_to_all_seconds(Model::logp, network, blocks, radix);
      EXPECT_GE(price, in_data);
      EXPECT_LE(price, in_data + (power == procs ? 0 : filled));
      EXPECT_DOUBLE_EQ(seconds(program, loggp),
                       all_to_all_seconds(Model::loggp, network, blocks, radix));
    }
  }
}

/// Processors from whose beginning a path of tasks and messages leads to the end of `proc`.
std::set<Index> heard_by(const Program& program, Index proc) {
  std::vector<std::set<Index>> knows(program.tasks().size());
  // Tasks and messages are added in an order in which they can happen.
  std::vector<std::vector<TaskId>> next(program.tasks().size());
  for (const Edge& edge : program.edges()) next[edge.first].push_back(edge.then);
  for (const Message& message : program.messages()) {
    for (const TaskId task : program.fed_by(message)) next[message.from].push_back(task);
  }
  std::set<Index> result;
  for (TaskId task = 0; task < program.tasks().size(); ++task) {
    if (program.tasks()[task].needs == 0) knows[task].insert(program.tasks()[task].proc);
    for (const TaskId then : next[task]) {
      EXPECT_GT(then, task);
      knows[then].insert(knows[task].begin(), knows[task].end());
    }
    if (program.tasks()[task].proc == proc) {
      result.insert(knows[task].begin(), knows[task].end());
    }
  }
  return result;
}

TEST(Collectives, everybody_hears_from_whom_it_should) {
  for (const Index procs : {2, 4, 8, 16}) {
    const Collective c{procs, 64, 0};
    std::vector<Program> from_all = {allgather(c), reduce_scatter(c), allreduce(c), scan(c),
                                     all_to_all_direct(c)};
    for (Index radix = 2; radix <= procs; ++radix) {
      from_all.push_back(all_to_all_by_digits(c, radix));
    }
    for (const Program& program : from_all) {
      for (Index p = 0; p < procs; ++p) {
        EXPECT_EQ(static_cast<Index>(heard_by(program, p).size()), procs);
      }
    }
    for (const Program& program : {gather(c), reduce(c)}) {
      EXPECT_EQ(static_cast<Index>(heard_by(program, 0).size()), procs);
    }
  }
  for (Index procs = 2; procs <= 20; ++procs) {
    const Collective c{procs, 64, 0};
    std::vector<Program> from_root = {broadcast_binomial(c), broadcast_pipelined(c, 64),
                                      broadcast_pipelined(c, 7), broadcast_double_tree(c, 64),
                                      broadcast_double_tree(c, 7)};
    if ((procs & (procs - 1)) == 0) {
      from_root.push_back(scatter(c));
      from_root.push_back(broadcast_scatter_allgather(c));
    }
    for (const Program& program : from_root) {
      for (Index p = 0; p < procs; ++p) EXPECT_EQ(heard_by(program, p).count(0), 1U) << procs;
    }
  }
}

TEST(Collectives, every_byte_of_a_broadcast_comes_once) {
  for (Index procs = 2; procs <= 40; ++procs) {
    const Collective c{procs, 100, 0};
    for (const Program& program :
         {broadcast_binomial(c), broadcast_pipelined(c, 7), broadcast_double_tree(c, 7)}) {
      std::vector<double> bytes(static_cast<std::size_t>(procs), 0);
      for (const Message& message : program.messages()) {
        bytes[static_cast<std::size_t>(message.to)] += message.bytes;
      }
      EXPECT_EQ(bytes[0], 0);
      for (std::size_t p = 1; p < bytes.size(); ++p) EXPECT_EQ(bytes[p], 100);
    }
  }
}

TEST(Collectives, refuse_what_they_cannot) {
  EXPECT_THROW(allgather({3, 8, 0}), InvalidOption);
  EXPECT_THROW(scan({6, 8, 0}), InvalidOption);
  EXPECT_THROW(broadcast_pipelined({3, 8, 0}, 0), InvalidOption);
  EXPECT_THROW(all_to_all_by_digits({4, 8, 0}, 1), InvalidOption);
  EXPECT_THROW(all_to_all_by_digits({4, 8, 0}, 5), InvalidOption);
}

}  // namespace
}  // namespace kallima::butterfly
