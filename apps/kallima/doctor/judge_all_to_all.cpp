// SPDX-License-Identifier: BSD-3-Clause
//
// MPI_Alltoall against rounds of messages, and against itself at half the size.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "verdicts.hpp"

namespace kallima::cli::doctor {

namespace {

/// How many times as long as its half, measured before it, a size takes; 0 where that was not.
double jump_of(const std::vector<AllToAll>& sizes, std::size_t i, double AllToAll::*way) {
  if (i == 0 || sizes[i].bytes != 2 * sizes[i - 1].bytes) return 0.0;
  return sizes[i].*way / sizes[i - 1].*way;
}

/// The size whose MPI_Alltoall takes most times as long as that of its half, beyond four times;
/// the number of sizes where there is none.
std::size_t worst_jump(const std::vector<AllToAll>& sizes) {
  std::size_t worst = sizes.size();
  double most = 4.0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double jump = jump_of(sizes, i, &AllToAll::mpi);
    if (jump <= most) continue;
    most = jump;
    worst = i;
  }
  return worst;
}

/// Where rounds of messages jump too, the collective is not to blame.
std::string fix_of_jump_of_messages(Family family) {
  return by_family(
      family,
      "Messages themselves jump there: their protocol changes. Move the limit: `mpirun --mca "
      "btl_vader_eager_limit BYTES` on a node, `--mca btl_tcp_eager_limit BYTES` over TCP, "
      "`UCX_RNDV_THRESH=BYTES` over UCX.",
      "Messages themselves jump there: their protocol changes. Move the limit: "
      "`UCX_RNDV_THRESH=BYTES` where MPICH runs over UCX, `MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE=BYTES` "
      "where it is of the kind ch3 (`mpichversion` tells).",
      "Messages themselves jump there: their protocol changes. See the manual for eager limits.");
}

std::string fix_of_all_to_all(Family family) {
  return by_family(
      family,
      "Other algorithms of MPI's own: `mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
      "coll_tuned_alltoall_algorithm 2` (1 linear, 2 pairwise, 3 Bruck, 4 linear with sync).",
      "Other algorithms of MPI's own: `MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=pairwise` (or brucks, "
      "scattered) in the environment.",
      "Other algorithms of MPI's own: see its manual for MPI_Alltoall.");
}

double ratio_of(const AllToAll& size) { return size.mpi / size.own; }

/// What is wrong, and what to do.
struct Findings {
  std::vector<std::string> found;
  std::vector<std::string> fixes;
};

/// How many times as long the slower of two ways takes.
double apart(const AllToAll& size) { return std::max(ratio_of(size), 1 / ratio_of(size)); }

/// The size at which one way takes most times as long as the other, beyond twice; or null.
const AllToAll* farthest_apart(const std::vector<AllToAll>& sizes, bool mpi_is_slower) {
  const AllToAll* worst = nullptr;
  for (const AllToAll& size : sizes) {
    if ((size.mpi > size.own) != mpi_is_slower || apart(size) <= 2.0) continue;
    if (worst == nullptr || apart(size) > apart(*worst)) worst = &size;
  }
  return worst;
}

void add_slower(const Facts& facts, Findings& findings) {
  const AllToAll* const size = farthest_apart(facts.all_to_all, true);
  if (size == nullptr) return;
  findings.found.push_back(
      fmt::format("MPI_Alltoall of {} takes {:.1f} times as long as rounds of messages",
                  text::bytes(size->bytes), ratio_of(*size)));
  findings.fixes.emplace_back(
      "Where pieces have such sizes take rounds of messages: `Options::method = "
      "ExchangeMethod::point_to_point`, "
      "`--method point-to-point`.");
  findings.fixes.push_back(fix_of_all_to_all(facts.family));
}

void add_faster(const Facts& facts, Findings& findings) {
  const AllToAll* const size = farthest_apart(facts.all_to_all, false);
  if (size == nullptr) return;
  findings.found.push_back(
      fmt::format("rounds of messages of {} take {:.1f} times as long as MPI_Alltoall",
                  text::bytes(size->bytes), 1 / ratio_of(*size)));
  findings.fixes.emplace_back(
      "Where pieces have such sizes and shared memory cannot be had, take `Options::method = "
      "ExchangeMethod::alltoallv`, `--method alltoallv`.");
}

void add_jump(const Facts& facts, Findings& findings) {
  const std::size_t at = worst_jump(facts.all_to_all);
  if (at == facts.all_to_all.size()) return;
  findings.found.push_back(fmt::format(
      "MPI_Alltoall of {} takes {:.1f} times as long as that of half",
      text::bytes(facts.all_to_all[at].bytes), jump_of(facts.all_to_all, at, &AllToAll::mpi)));
  const bool both = jump_of(facts.all_to_all, at, &AllToAll::own) > 3.0;
  const std::string fix =
      both ? fix_of_jump_of_messages(facts.family) : fix_of_all_to_all(facts.family);
  const auto& said = findings.fixes;
  if (std::find(said.begin(), said.end(), fix) == said.end()) findings.fixes.push_back(fix);
}

}  // namespace

Check judge_all_to_all(const Facts& facts) {
  const char* const name = "all-to-all";
  if (facts.ranks.size() < 2) return cannot_tell(name, "needs two ranks");
  if (facts.all_to_all.empty()) {
    return cannot_tell(name, oversubscribed(facts) ? "more ranks than cores" : "not measured");
  }
  Findings findings;
  add_slower(facts, findings);
  add_faster(facts, findings);
  add_jump(facts, findings);
  if (!findings.found.empty()) {
    return hurts(name, fmt::format("{}", fmt::join(findings.found, "; ")),
                 fmt::format("{}", fmt::join(findings.fixes, " ")));
  }
  const auto [least, most] = std::minmax_element(
      facts.all_to_all.begin(), facts.all_to_all.end(),
      [](const AllToAll& a, const AllToAll& b) { return ratio_of(a) < ratio_of(b); });
  return good(
      name,
      fmt::format("MPI_Alltoall takes {:.2f} to {:.2f} of the time of rounds of messages, {} to {}",
                  ratio_of(*least), ratio_of(*most), text::bytes(facts.all_to_all.front().bytes),
                  text::bytes(facts.all_to_all.back().bytes)));
}

}  // namespace kallima::cli::doctor
