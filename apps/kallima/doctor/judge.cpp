// SPDX-License-Identifier: BSD-3-Clause
#include "judge.hpp"

namespace kallima::cli::doctor {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "good";
    case Verdict::hurts:
      return "hurts";
    case Verdict::fails:
      return "fails";
    default:
      return "cannot tell";
  }
}

std::vector<Check> judge(const Facts& facts) {
  std::vector<Check> checks;
  for (const auto check :
       {judge_launcher, judge_binding, judge_oversubscription, judge_segments, judge_shm,
        judge_huge_pages, judge_shared_huge_pages, judge_large_counts, judge_progress,
        judge_all_to_all, judge_engine, judge_clock, judge_memory, judge_threads, judge_figures}) {
    checks.push_back(check(facts));
  }
  return checks;
}

}  // namespace kallima::cli::doctor
