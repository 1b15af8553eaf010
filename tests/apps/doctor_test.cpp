// SPDX-License-Identifier: BSD-3-Clause
//
// Every verdict of `kallima doctor`, on machines that are made up.
#include <gtest/gtest.h>

#include "doctor/cores.hpp"
#include "doctor/judge.hpp"
#include "doctor/system.hpp"
#include "kallima/error.hpp"
#include "support/units.hpp"

namespace kallima::cli::doctor {

namespace {

using test::mib;
constexpr Index gibibyte = Index{1} << 30;

/// Nodes on which nothing hurts: each rank bound to its core.
Facts healthy(int nodes, int ranks_per_node) {
  Facts facts;
  facts.family = Family::open_mpi;
  facts.library = "Open MPI v4.1.4";
  facts.built = facts.running = {3, 1};
  facts.thread_levels = {"funneled", "funneled"};
  facts.launched = nodes * ranks_per_node;
  for (int n = 0; n < nodes; ++n) {
    NodeFacts node;
    node.host = "host" + std::to_string(n);
    node.ranks = ranks_per_node;
    node.online = node.whole = 8;
    node.shm_total = node.shm_free = 16 * gibibyte;
    node.huge = "madvise";
    node.huge_shared = "within_size";
    node.memory_total = 64 * gibibyte;
    node.memory_available = 60 * gibibyte;
    node.swap_used = 0;
    node.governor = "performance";
    node.driver = "acpi-cpufreq";
    node.processor = "avx2";
    node.engines = {{{"fftw-3.3.10-avx2", "avx2"}, {"fftw-3.3.10-avx2", "avx2"}}};
    node.segments = true;
    facts.nodes.push_back(node);
    for (int r = 0; r < ranks_per_node; ++r) facts.ranks.push_back({n, {r}});
  }
  if (facts.ranks.size() < 2) return facts;
  facts.overlaps = {{0, 1, true, 0.9}};
  facts.all_to_all = {{1024, 1e-5, 1e-5}, {2048, 1.5e-5, 1.2e-5}, {4096, 3e-5, 2e-5}};
  return facts;
}

testing::AssertionResult says(const Check& check, Verdict verdict, const std::string& found,
                              const std::string& fix = {}) {
  if (check.verdict == verdict && check.found.find(found) != std::string::npos &&
      check.fix.find(fix) != std::string::npos &&
      check.fix.empty() == (verdict == Verdict::good || verdict == Verdict::cannot_tell)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << check.name << ": " << name_of(check.verdict) << ": "
                                     << check.found << ": " << check.fix;
}

testing::AssertionResult is_good(const Check& check) { return says(check, Verdict::good, ""); }
testing::AssertionResult hurts(const Check& check, const std::string& found,
                               const std::string& fix = {}) {
  return says(check, Verdict::hurts, found, fix);
}
testing::AssertionResult fails(const Check& check, const std::string& found,
                               const std::string& fix = {}) {
  return says(check, Verdict::fails, found, fix);
}
testing::AssertionResult cannot_tell(const Check& check, const std::string& found) {
  return says(check, Verdict::cannot_tell, found);
}

TEST(Doctor, finds_nothing_on_healthy_nodes) {
  for (const auto& [nodes, ranks] : {std::pair{1, 2}, {1, 8}, {3, 4}}) {
    for (const Check& check : judge(healthy(nodes, ranks))) EXPECT_TRUE(is_good(check));
  }
}

TEST(Doctor, says_what_one_rank_cannot_tell) {
  const Facts alone = healthy(1, 1);
  EXPECT_TRUE(is_good(judge_binding(alone)));
  EXPECT_TRUE(cannot_tell(judge_segments(alone), "no two ranks"));
  EXPECT_TRUE(cannot_tell(judge_shared_huge_pages(alone), "no two ranks"));
  EXPECT_TRUE(cannot_tell(judge_progress(alone), "two ranks"));
  EXPECT_TRUE(cannot_tell(judge_all_to_all(alone), "two ranks"));
}

TEST(Figures, that_are_assumed_hurt_where_calibrating_gains) {
  Facts facts = healthy(2, 2);
  facts.links = {"TCP, 10 Gbit/s", 2.5e8, 0.22};
  EXPECT_TRUE(hurts(judge_figures(facts), "taken for TCP, 10 Gbit/s; a node sends 0.25 GB/s",
                    "c2c:256^3 on these ranks that is expected to gain 22 %"));
  facts.links->gain = 0.01;
  EXPECT_TRUE(is_good(judge_figures(facts)));
  facts.links.reset();
  EXPECT_TRUE(is_good(judge_figures(facts)));
}

TEST(Launcher, of_another_mpi_is_seen) {
  Facts facts = healthy(1, 1);
  facts.launched = 4;
  EXPECT_TRUE(fails(judge_launcher(facts), "started 4 ranks, MPI knows of 1", "mpirun.openmpi"));
  facts.family = Family::mpich;
  EXPECT_TRUE(fails(judge_launcher(facts), "started 4 ranks", "mpiexec.mpich"));
  facts.launched = 0;
  EXPECT_TRUE(is_good(judge_launcher(facts)));
}

TEST(Binding, to_the_same_core_hurts) {
  Facts facts = healthy(2, 2);
  facts.ranks[3].cores = facts.ranks[2].cores;
  const Check check = judge_binding(facts);
  EXPECT_TRUE(hurts(check, "ranks 2, 3 share core 0 on host1", "--bind-to core"));
  facts.family = Family::mpich;
  EXPECT_TRUE(hurts(judge_binding(facts), "", "mpiexec -bind-to core"));
  facts.family = Family::other;
  EXPECT_TRUE(hurts(judge_binding(facts), "", "srun"));
}

TEST(Binding, of_too_many_ranks_to_some_cores_hurts) {
  Facts facts = healthy(1, 4);
  for (RankFacts& rank : facts.ranks) rank.cores = {0, 1, 2};
  EXPECT_TRUE(hurts(judge_binding(facts), "share cores 0-2"));
  facts.ranks[3].cores = {4, 5};
  EXPECT_TRUE(is_good(judge_binding(facts)));
  facts.ranks[2].cores = {1};
  facts.ranks[1].cores = {1};
  EXPECT_TRUE(hurts(judge_binding(facts), "ranks 1, 2 share core 1"));
}

TEST(Binding, missing_hurts) {
  Facts facts = healthy(1, 2);
  facts.ranks[1].cores = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_TRUE(hurts(judge_binding(facts), "rank 1 is not bound", "--report-bindings"));
  facts.ranks[1].cores.clear();
  EXPECT_TRUE(cannot_tell(judge_binding(facts), "rank 1"));
}

TEST(Binding, cannot_be_judged_where_ranks_outnumber_cores) {
  Facts facts = healthy(1, 9);
  facts.ranks[8].cores = {0};
  EXPECT_TRUE(cannot_tell(judge_binding(facts), "more ranks than cores"));
}

TEST(Oversubscription, is_counted_by_node) {
  Facts facts = healthy(2, 8);
  EXPECT_TRUE(is_good(judge_oversubscription(facts)));
  facts.nodes[1].ranks = 9;
  EXPECT_TRUE(hurts(judge_oversubscription(facts), "9 ranks on 8 cores on host1", "ppr:8:node"));
  facts.family = Family::mpich;
  EXPECT_TRUE(hurts(judge_oversubscription(facts), "", "mpiexec -ppn 8"));
  facts.nodes[0].online = 0;
  facts.nodes[1].ranks = 8;
  EXPECT_TRUE(cannot_tell(judge_oversubscription(facts), "not known"));
}

TEST(Oversubscription, counts_the_quota_and_the_mask) {
  Facts facts = healthy(1, 4);
  facts.nodes[0].quota = 2.5;
  facts.nodes[0].quota_file = "cpu.max";
  EXPECT_TRUE(hurts(judge_oversubscription(facts), "4 ranks on 2.5 cores by the quota in cpu.max",
                    "--cpus"));
  facts.nodes[0].quota = 4.0;
  EXPECT_TRUE(is_good(judge_oversubscription(facts)));
  facts.nodes[0].allowed = 1;
  EXPECT_TRUE(hurts(judge_oversubscription(facts), "same affinity mask", "--cpus-per-task"));
  facts.nodes[0].allowed = 4;
  EXPECT_TRUE(is_good(judge_oversubscription(facts)));
}

TEST(Oversubscription, forbids_measuring) {
  Facts facts = healthy(1, 9);
  facts.overlaps.clear();
  facts.all_to_all.clear();
  EXPECT_TRUE(cannot_tell(judge_progress(facts), "more ranks than cores"));
  EXPECT_TRUE(cannot_tell(judge_all_to_all(facts), "more ranks than cores"));
}

TEST(WindowsCheck, names_the_node_that_has_none) {
  Facts facts = healthy(2, 2);
  facts.nodes[0].memory_available = 2 * gibibyte;
  EXPECT_TRUE(says(judge_segments(facts), Verdict::good, "1 GiB each"));
  facts.nodes[1].segments = false;
  EXPECT_TRUE(hurts(judge_segments(facts), "on host1", "--pid=host"));
  facts.shared_off = true;
  EXPECT_TRUE(hurts(judge_segments(facts), "KALLIMA_SHARED", "unset"));
}

TEST(Shm, must_hold_the_ranks) {
  Facts facts = healthy(2, 8);
  facts.nodes[1].shm_free = 64 * mib;
  EXPECT_TRUE(is_good(judge_shm(facts)));
  facts.nodes[1].shm_free = 63 * mib;
  EXPECT_TRUE(hurts(judge_shm(facts), "63 MiB free of 16 GiB for 8 ranks on host1", "vader"));
  facts.nodes[1].shm_total = facts.nodes[1].shm_free = -1;
  facts.family = Family::mpich;
  EXPECT_TRUE(hurts(judge_shm(facts), "not there on host1", "--shm-size"));
}

TEST(HugePages, must_be_allowed) {
  Facts facts = healthy(2, 2);
  facts.nodes[1].huge = "never";
  EXPECT_TRUE(hurts(judge_huge_pages(facts), "host1", "echo madvise"));
  facts.nodes[1].huge = "";
  EXPECT_TRUE(cannot_tell(judge_huge_pages(facts), "does not say"));
  for (const char* const choice : {"never", "deny", "advise"}) {
    facts.nodes[1].huge_shared = choice;
    EXPECT_TRUE(hurts(judge_shared_huge_pages(facts), choice, "within_size"));
  }
  facts.nodes[1].huge_shared = "";
  EXPECT_TRUE(cannot_tell(judge_shared_huge_pages(facts), "does not say"));
}

TEST(LargeCounts, are_in_parts_or_not_and_versions_agree) {
  Facts facts = healthy(1, 2);
  EXPECT_TRUE(says(judge_large_counts(facts), Verdict::good, "in parts"));
  facts.large_counts = true;
  EXPECT_TRUE(says(judge_large_counts(facts), Verdict::good, "in one call"));
  facts.running = {4, 0};
  EXPECT_TRUE(fails(judge_large_counts(facts), "MPI 3.1, runs with MPI 4.0", "ldd"));
}

TEST(ProgressCheck, takes_the_worst_pair) {
  Facts facts = healthy(2, 2);
  facts.overlaps = {{0, 1, true, 0.8}, {0, 2, false, 0.1}};
  EXPECT_TRUE(hurts(judge_progress(facts), "10 % of a large message moves while ranks 0 and 2",
                    "--mca pml ucx"));
  facts.family = Family::mpich;
  EXPECT_TRUE(hurts(judge_progress(facts), "two nodes", "MPIR_CVAR_ASYNC_PROGRESS=1"));
  facts.overlaps[1].moved = 0.6;
  EXPECT_TRUE(is_good(judge_progress(facts)));
  facts.overlaps[0].moved = 0.2;
  EXPECT_TRUE(hurts(judge_progress(facts), "one node", "shared memory"));
}

TEST(AllToAllCheck, names_the_method_that_is_faster) {
  Facts facts = healthy(1, 4);
  facts.all_to_all[1].mpi = 2.1 * facts.all_to_all[1].own;
  EXPECT_TRUE(hurts(judge_all_to_all(facts), "MPI_Alltoall of 2 KiB takes 2.1 times",
                    "--method point-to-point"));
  EXPECT_TRUE(hurts(judge_all_to_all(facts), "", "coll_tuned_alltoall_algorithm"));
  facts.family = Family::mpich;
  EXPECT_TRUE(hurts(judge_all_to_all(facts), "", "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"));
  facts.all_to_all = {{1024, 1e-5, 3e-5}, {2048, 2e-5, 5e-5}};
  EXPECT_TRUE(
      hurts(judge_all_to_all(facts), "messages of 1 KiB take 3.0 times", "--method alltoallv"));
}

TEST(AllToAllCheck, sees_jumps_from_a_size_to_its_double) {
  Facts facts = healthy(1, 4);
  facts.all_to_all = {{1024, 1e-5, 1e-5}, {2048, 4.5e-5, 2.5e-5}, {8192, 30e-5, 30e-5}};
  EXPECT_TRUE(hurts(judge_all_to_all(facts), "2 KiB takes 4.5 times as long as that of half",
                    "coll_tuned"));
  facts.all_to_all[1].own = 4.4e-5;
  EXPECT_TRUE(hurts(judge_all_to_all(facts), "2 KiB takes 4.5 times", "btl_vader_eager_limit"));
  facts.family = Family::mpich;
  EXPECT_TRUE(hurts(judge_all_to_all(facts), "2 KiB takes 4.5 times", "UCX_RNDV_THRESH"));
  facts.all_to_all[1] = {2048, 3.9e-5, 3.9e-5};
  EXPECT_TRUE(is_good(judge_all_to_all(facts)));  // 8192 is not the double of 2048
}

TEST(EngineCheck, compares_both_precisions_with_the_processor) {
  Facts facts = healthy(2, 2);
  facts.nodes[1].engines[1].instructions = "sse2";
  EXPECT_TRUE(hurts(judge_engine(facts), "computes with sse2, the processor has avx2 on host1",
                    "--enable-avx2"));
  facts.nodes[1].engines[1].instructions = "";
  EXPECT_TRUE(hurts(judge_engine(facts), "no vector instructions"));
  facts.nodes[1].engines[1].version = "somebody's";
  EXPECT_TRUE(cannot_tell(judge_engine(facts), "somebody's does not say"));
  facts.nodes[0].processor = "";
  EXPECT_TRUE(cannot_tell(judge_engine(facts), "processor"));
}

TEST(EngineCheck, is_content_with_256_bits_and_knows_neon) {
  Facts facts = healthy(1, 2);
  facts.nodes[0].processor = "avx512";
  EXPECT_TRUE(is_good(judge_engine(facts)));
  for (EngineFacts& engine : facts.nodes[0].engines) engine.instructions = "avx";
  EXPECT_TRUE(hurts(judge_engine(facts), "avx512"));
  facts.nodes[0].processor = "neon";
  for (EngineFacts& engine : facts.nodes[0].engines) engine.instructions = "";
  EXPECT_TRUE(hurts(judge_engine(facts), "neon", "--enable-neon"));
}

TEST(Clock, is_slow_by_an_old_driver_only) {
  Facts facts = healthy(2, 2);
  facts.nodes[0].governor = facts.nodes[1].governor = "powersave";
  EXPECT_TRUE(hurts(judge_clock(facts), "powersave on host0", "cpupower"));
  facts.nodes[0].driver = "intel_pstate";
  facts.nodes[1].driver = "amd-pstate-epp";
  EXPECT_TRUE(is_good(judge_clock(facts)));
  facts.nodes[1].governor = "schedutil";
  EXPECT_TRUE(hurts(judge_clock(facts), "schedutil on host1", "same governor"));
  facts.nodes[0].governor = facts.nodes[1].governor = "";
  EXPECT_TRUE(cannot_tell(judge_clock(facts), "no governor"));
}

TEST(MemoryCheck, sees_swap_and_full_nodes) {
  Facts facts = healthy(2, 2);
  facts.nodes[1].swap_used = gibibyte;
  EXPECT_TRUE(hurts(judge_memory(facts), "1 GiB swapped out on host1", "swapoff"));
  facts.nodes[1].swap_used = -1;
  facts.nodes[1].memory_available = 6 * gibibyte;
  EXPECT_TRUE(hurts(judge_memory(facts), "6 GiB available of 64 GiB on host1"));
  facts.nodes[1].memory_available = 7 * gibibyte;
  EXPECT_TRUE(is_good(judge_memory(facts)));
  facts.nodes[0].memory_available = facts.nodes[0].memory_total = -1;
  EXPECT_TRUE(cannot_tell(judge_memory(facts), "does not say"));
}

TEST(Threads, need_a_level) {
  Facts facts = healthy(1, 2);
  facts.thread_levels[1] = "single";
  EXPECT_TRUE(hurts(judge_threads(facts), "MPI gives single", "threads = 1"));
}

TEST(System, reads_what_linux_writes) {
  EXPECT_EQ(chosen_word("always [madvise] never"), "madvise");
  EXPECT_EQ(chosen_word("always within_size advise [never] deny force"), "never");
  EXPECT_EQ(chosen_word(""), "");
  EXPECT_EQ(instructions_in(R"((dft-ct-dit/8 (dftw-direct-8/12 "t3fv_8_avx") "n2fv_8_sse2"))"),
            "avx");
  EXPECT_EQ(instructions_in(R"("n1fv_64_avx2_128" "n1fv_64_avx512")"), "avx512");
  EXPECT_EQ(instructions_in(R"("n1_64")"), "");
  EXPECT_EQ(instructions_of(" fpu sse2 avx avx2 avx512f avx512dq"), "avx512");
  EXPECT_EQ(instructions_of(" fpu sse2 avx"), "avx");
  EXPECT_EQ(instructions_of("fp asimd evtstrm"), "neon");
  EXPECT_EQ(instructions_of("fp"), "");
}

TEST(System, writes_and_reads_sets_of_cores) {
  for (const std::vector<int>& cores :
       {std::vector<int>{}, {3}, {0, 1, 2, 7}, {0, 2, 4}, {5, 6, 8, 9, 10}}) {
    EXPECT_EQ(cores_in(core_ranges(cores)), cores);
  }
  EXPECT_EQ(core_ranges({0, 1, 2, 7}), "0-2,7");
  EXPECT_THROW(cores_in("0-x"), ParseError);
}

#ifdef __linux__
TEST(System, is_seen_as_it_is) {
  const NodeFacts node = system_facts();
  EXPECT_GT(node.online, 0);
  EXPECT_FALSE(own_cores().empty());
  EXPECT_GT(node.memory_total, 0);
  EXPECT_LE(node.memory_available, node.memory_total);
  EXPECT_LE(node.shm_free, node.shm_total);
}
#endif

}  // namespace

}  // namespace kallima::cli::doctor
