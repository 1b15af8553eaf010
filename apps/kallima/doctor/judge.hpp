// SPDX-License-Identifier: BSD-3-Clause
//
// From facts to verdicts and fixes. Pure: no MPI, no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "facts.hpp"

namespace kallima::cli::doctor {

enum class Verdict {
  good,
  hurts,  ///< a transform is right, and slower than it could be
  fails,  ///< a transform does not do what was asked
  cannot_tell
};

/// "good", "hurts", "fails", "cannot tell".
std::string_view name_of(Verdict verdict);

/// One line of the report.
struct Check {
  std::string name;
  Verdict verdict = Verdict::good;
  std::string found;
  std::string fix;  ///< empty unless it hurts or fails
};

Check judge_launcher(const Facts& facts);
Check judge_binding(const Facts& facts);
Check judge_oversubscription(const Facts& facts);
Check judge_segments(const Facts& facts);
Check judge_shm(const Facts& facts);
Check judge_huge_pages(const Facts& facts);
Check judge_shared_huge_pages(const Facts& facts);
Check judge_large_counts(const Facts& facts);
Check judge_progress(const Facts& facts);
Check judge_all_to_all(const Facts& facts);
Check judge_engine(const Facts& facts);
Check judge_clock(const Facts& facts);
Check judge_memory(const Facts& facts);
Check judge_threads(const Facts& facts);
Check judge_figures(const Facts& facts);

/// All of them.
std::vector<Check> judge(const Facts& facts);

}  // namespace kallima::cli::doctor
