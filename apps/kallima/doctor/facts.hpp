// SPDX-License-Identifier: BSD-3-Clause
//
// What `kallima doctor` found, without any judgement: plain values, so that tests can make up what
// no machine at hand has.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "assumed_links.hpp"
#include "kallima/index.hpp"

namespace kallima::cli::doctor {

/// Whose MPI it is; they are set by different variables and options.
enum class Family { open_mpi, mpich, other };

/// What a rank may use.
struct RankFacts {
  int node = 0;            ///< index of its node
  std::vector<int> cores;  ///< that it is bound to, in order; empty where the system does not tell
};

/// The FFT engine in one precision.
struct EngineFacts {
  std::string version;       ///< its own words; empty where it has none
  std::string instructions;  ///< the widest vector instructions in its plans; empty where not seen
};

/// What the ranks of a node have in common, as its first rank sees it. Sizes are bytes; negative
/// where the system does not tell.
struct NodeFacts {
  std::string host;
  int ranks = 1;
  int online = 0;      ///< cores that the system shows, hardware threads counted each
  int whole = 0;       ///< cores, hardware threads counted once; 0 where the system does not tell
  int allowed = 0;     ///< cores that its ranks may use, where that is the same for all; else 0
  double quota = 0.0;  ///< of processor time, in cores; 0 where there is none
  std::string quota_file;
  Index shm_total = -1;  ///< of /dev/shm
  Index shm_free = -1;
  std::string huge;         ///< choice in transparent_hugepage/enabled
  std::string huge_shared;  ///< choice in transparent_hugepage/shmem_enabled
  Index memory_total = -1;
  Index memory_available = -1;
  Index swap_used = -1;
  std::string governor;  ///< of the first core's clock
  std::string driver;
  std::string processor;  ///< its widest vector instructions, in the words of EngineFacts
  std::array<EngineFacts, 2> engines;  ///< double, single
  bool segments = false;               ///< its ranks share memory
};

/// A message in each direction between two ranks that compute meanwhile.
struct Overlap {
  int from = 0;
  int to = 0;
  bool same_node = true;
  double moved = 0.0;  ///< share of it that was done when the ranks stopped computing, 0 to 1
};

/// One size of an all-to-all, medians of seconds of the slowest rank.
struct AllToAll {
  Index bytes = 0;  ///< from each rank to each
  double mpi = 0.0;
  double own = 0.0;  ///< by the library's rounds of messages
};

/// Of which is told what it would gain from figures that are measured.
inline constexpr const char* typical_problem = "c2c:256^3";

/// Everything.
struct Facts {
  Family family = Family::other;
  std::string library;           ///< MPI and its version
  std::array<int, 2> built{};    ///< standard of the mpi.h that the program was compiled with
  std::array<int, 2> running{};  ///< and of the library that it runs with
  std::array<std::string, 2> thread_levels;  ///< asked for, provided
  int launched = 0;                          ///< ranks that the launcher says there are; 0: no word
  bool large_counts = false;
  bool shared_off = false;  ///< KALLIMA_SHARED=off
  std::vector<RankFacts> ranks;
  std::vector<NodeFacts> nodes;
  std::vector<Overlap> overlaps;      ///< empty where not measured
  std::vector<AllToAll> all_to_all;   ///< sizes ascending; empty where not measured
  std::optional<AssumedLinks> links;  ///< that nobody measured, where there are any
};

/// Cores of a node that its container may use: those it has, or fewer by its quota.
double cores_there(const NodeFacts& node);

/// Cores that all ranks of a node together may use.
double usable_cores(const NodeFacts& node);

/// True where a node has more ranks than that: times then measure the system's scheduler.
bool oversubscribed(const NodeFacts& node);
bool oversubscribed(const Facts& facts);

}  // namespace kallima::cli::doctor
