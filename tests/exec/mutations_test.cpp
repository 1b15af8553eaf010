// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of good plans with one thing changed: a line or a word is lost, doubled, exchanged with its
// neighbour, or another number, name, distribution, kernel, form, method or number of chunks stands
// there. Each is refused, or is a plan that computes what it says it computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "base/text.hpp"
#include "exchange/chunks.hpp"
#include "exec/loopback.hpp"
#include "kallima/error.hpp"
#include "kallima/planner.hpp"
#include "plan/flaw.hpp"
#include "plan/text.hpp"
#include "support/definition.hpp"
#include "support/methods.hpp"

namespace kallima {
namespace {

using Lines = std::vector<std::string>;
using Visit = std::function<void(const std::string& text)>;

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string result;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) result += between;
    result += part;
  }
  return result;
}

/// The lines of a plan that say what it does.
Lines lines_of(const Plan& plan) {
  Lines result;
  for (const std::string& line : text::split(plan.to_text(), '\n')) {
    const bool remark = line.starts_with("   ");
    const bool figures = line.starts_with("in place") || line.starts_with("out of place");
    if (!line.empty() && !remark && !figures && !line.starts_with("hash")) result.push_back(line);
  }
  return result;
}

void with_line(const Lines& lines, std::size_t at, const std::string& line, const Visit& visit) {
  Lines changed = lines;
  changed[at] = line;
  visit(joined(changed, "\n"));
}

void with_more(const Lines& lines, std::size_t at, const std::string& line, const Visit& visit) {
  Lines changed = lines;
  changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), line);
  visit(joined(changed, "\n"));
}

/// Words and numbers of a line, each by itself, and what is between them.
std::vector<std::string> atoms_of(const std::string& line) {
  std::vector<std::string> atoms;
  const auto class_of = [](char c) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) return 1;
    return std::isdigit(static_cast<unsigned char>(c)) != 0 ? 2 : 0;
  };
  int last = 0;
  for (const char c : line) {
    const int now = class_of(c);
    if (now == 0 || now != last) atoms.emplace_back();
    atoms.back() += c;
    last = now;
  }
  return atoms;
}

bool is_number(const std::string& atom) {
  return std::isdigit(static_cast<unsigned char>(atom[0])) != 0;
}
bool is_word(const std::string& atom) {
  return std::isalpha(static_cast<unsigned char>(atom[0])) != 0;
}

void mutate_atoms(const Lines& lines, std::size_t at, const std::set<std::string>& names,
                  const Visit& visit) {
  static const std::set<std::string> vocabulary = [] {
    std::set<std::string> words = {"fourier", "real",     "compare",    "block",
                                   "cyclic",  "all",      "contiguous", "interleaved",
                                   "forward", "backward", "ceil"};
    for (const ExchangeMethod method : test::all_methods) words.emplace(name_of(method));
    return words;
  }();
  std::vector<std::string> atoms = atoms_of(lines[at]);
  for (std::string& atom : atoms) {
    const std::string was = atom;
    const auto replace = [&](const std::string& by) {
      if (by == was) return;
      atom = by;
      with_line(lines, at, joined(atoms, ""), visit);
      atom = was;
    };
    if (is_number(was) && was.size() < 10) {
      const Index n = std::stoll(was);
      for (const Index other :
           {Index{0}, Index{1}, Index{2}, Index{3}, n - 1, n + 1, 2 * n, n / 2}) {
        if (other >= 0) replace(std::to_string(other));
      }
    }
    if (!is_word(was)) continue;
    for (const std::string& other : vocabulary) replace(other);
    for (const std::string& other : names) replace(other);
  }
}

void mutate_words(const Lines& lines, std::size_t at, Index ranks, const Visit& visit) {
  const std::vector<std::string> words = text::words(lines[at]);
  const auto with = [&](const std::vector<std::string>& changed) {
    with_line(lines, at, (at == 0 ? "" : "  ") + joined(changed, " "), visit);
  };
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::vector<std::string> changed = words;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
    with(changed);
    changed = words;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), words[i]);
    with(changed);
    if (i + 1 < words.size()) {
      changed = words;
      std::swap(changed[i], changed[i + 1]);
      with(changed);
    }
    const std::size_t colon = words[i].find(':');
    if (colon == std::string::npos || at == 0) continue;
    changed = words;
    for (const char* const distribution : {"all", "block/", "cyclic/", "cycle2/"}) {
      for (Index procs = 1; procs <= ranks; ++procs) {
        const bool distributed = std::string(distribution).ends_with("/");
        const std::string number = distributed ? std::to_string(procs) : "";
        changed[i] = words[i].substr(0, colon + 1) + distribution + number;
        with(changed);
        changed[i] += ":ceil";
        if (distributed) with(changed);
      }
    }
    changed[i] = words[i] + "+2";
    with(changed);
  }
}

/// Whole lines lost, doubled, exchanged or added; what a line may have at its end.
void mutate_lines(const Lines& lines, std::size_t at, const std::set<std::string>& names,
                  const Visit& visit) {
  Lines changed = lines;
  changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
  visit(joined(changed, "\n"));
  with_more(lines, at, lines[at], visit);
  if (at + 1 < lines.size()) {
    changed = lines;
    std::swap(changed[at], changed[at + 1]);
    visit(joined(changed, "\n"));
  }
  with_more(lines, at, "  sweep     copy", visit);
  const std::string same_pass = ", in the same pass";
  const std::string& line = lines[at];
  if (line.starts_with("  sweep") && line.find(same_pass) == std::string::npos) {
    with_line(lines, at, line + same_pass, visit);
  } else if (line.starts_with("  sweep")) {
    with_line(lines, at, line.substr(0, line.find(same_pass)), visit);
  }
  for (const std::string& name : names) {
    for (const char* const kernel : {"fourier", "real-fourier"}) {
      with_more(lines, at, "  sweep     " + name + " by " + kernel + ", 1 contiguous line a tile",
                visit);
    }
  }
  if (!line.starts_with("  exchange")) return;
  const std::string bare = line.substr(0, line.rfind(" by "));
  with_line(lines, at, bare + " by bruck, radix 3", visit);
  for (const char* const method : {"point-to-point", "node-aggregated"}) {
    for (const std::string& sent : names) {
      for (const std::string& taken : names) {
        for (const char* const counts : {"12", "21", "22"}) {
          with_line(lines, at,
                    bare + " by " + method + ", " + counts[0] + " chunks of " + sent + " sent, " +
                        counts[1] + " of " + taken + " taken",
                    visit);
        }
      }
    }
  }
}

/// Names of axes and digits in the lines of a plan: what stands before a colon.
std::set<std::string> names_in(const Lines& lines) {
  std::set<std::string> names;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    for (const std::string& word : text::words(lines[i])) {
      const std::size_t colon = word.find(':');
      if (colon != std::string::npos && is_word(word)) names.insert(word.substr(0, colon));
    }
  }
  return names;
}

/// Calls visit with every text that has one thing changed.
void for_each_mutant(const Plan& plan, const Visit& visit) {
  const Lines lines = lines_of(plan);
  const std::set<std::string> names = names_in(lines);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    mutate_lines(lines, at, names, visit);
    mutate_words(lines, at, plan.ranks(), visit);
    mutate_atoms(lines, at, names, visit);
  }
  for (const char* const kind : {"c2c", "r2c", "ntt", "walsh", "sort"}) {
    Lines changed = lines;
    std::vector<std::string> words = text::words(lines[0]);
    words[1] = kind + words[1].substr(words[1].find(':'));
    changed[0] = joined(words, " ");
    visit(joined(changed, "\n"));
  }
}

struct Tally {
  Index refused = 0;
  Index accepted = 0;  ///< and found right
  Index too_large = 0;
  std::set<std::string> seen;  ///< texts that were run
};

void expect_refused_or_right(const std::string& text, Tally& tally) {
  constexpr Index most_elements = 1024;
  constexpr Index most_ranks = 16;
  Plan plan;
  try {
    plan = read_plan(text);
  } catch (const ParseError&) {
    ++tally.refused;
    return;
  } catch (const std::exception& error) {
    FAIL() << "refused with another error: " << error.what() << "\n" << text;
  }
  if (plan.ranks() > most_ranks || plan.problem().elements() > most_elements) {
    ++tally.too_large;
    return;
  }
  const std::string whole = plan.to_text();
  if (!tally.seen.insert(whole).second) return;
  ++tally.accepted;
  try {
    ASSERT_EQ(Plan::parse(whole), plan) << whole;
    ASSERT_EQ(test::complaint_of(plan), "") << text << "\n" << whole;
  } catch (const std::exception& error) {
    FAIL() << "accepted, and then: " << error.what() << "\n" << whole;
  }
}

PlanRequest request_of(const std::string& problem, Index ranks, Index ranks_per_node = 0) {
  PlanRequest request;
  request.problem = Problem::parse(problem);
  request.ranks = ranks;
  request.placement.ranks_per_node = ranks_per_node;
  return request;
}

/// The same plan where every exchange is cut that can be, into two or three chunks a side.
Plan in_chunks(Plan plan) {
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    if (plan.exchange_at(step) == nullptr) continue;
    const Plan before = plan;
    for (const CutDigit& sent : cut_digits(before, step, true)) {
      for (const CutDigit& taken : cut_digits(before, step, false)) {
        if (sent.digit == taken.digit) continue;
        const Plan cut =
            before.with_chunks(step, {sent.digit, 2, taken.digit, std::min<Index>(3, taken.most)});
        if (flaw_of(cut).empty()) plan = cut;
      }
    }
  }
  return plan;
}

/// Plans of all ways and methods, each once.
std::vector<Plan> good_plans() {
  std::vector<Plan> result;
  const auto add = [&](const Plan& plan) {
    if (std::find(result.begin(), result.end(), plan) == result.end()) result.push_back(plan);
  };
  const auto add_all = [&](const PlanRequest& request, std::size_t most) {
    std::size_t taken = 0;
    for (const NamedPlan& named : all_plans(request)) {
      if (taken++ == most) break;
      add(named.plan);
      add(named.plan.with_method(ExchangeMethod::shared_memory));
      add(named.plan.with_method(ExchangeMethod::bruck));
      add(in_chunks(named.plan.with_method(ExchangeMethod::point_to_point)));
      add(in_chunks(named.plan.with_method(ExchangeMethod::node_aggregated)));
    }
  };
  add_all(request_of("c2c:6x4", 3), 2);
  add_all(request_of("c2c:4x4x4", 4, 2), 2);
  add_all(request_of("c2c:16", 4), 2);
  add_all(request_of("c2c:8x1x5:f32", 2), 1);
  add_all(request_of("r2c:6x8", 3), 1);
  add_all(request_of("r2c:16", 2), 2);
  add_all(request_of("r2c/z:4x3x4:f32", 2), 1);
  PlanRequest narrow = request_of("c2c:4x8x8:f32", 4, 2);
  narrow.tile_bytes = 1;
  add_all(narrow, 1);
  PlanRequest padded = request_of("r2c:4x6", 2);
  padded.padded = true;
  add_all(padded, 1);
  PlanRequest there_and_back = request_of("c2c:6x4", 2);
  there_and_back.in = Layout::boxes({6, 4}, {{{0, 0}, {2, 4}}, {{2, 0}, {6, 4}}}, {1, 0});
  there_and_back.out = Layout::parse("x:cyclic/2 y:all", {6, 4});
  add_all(there_and_back, 1);
  PlanRequest two_cyclic_plans = request_of("r2c:16", 2);
  two_cyclic_plans.out = Layout::block({9}, {2});
  add_all(two_cyclic_plans, 1);
  for (const char* const text : {"c2c:7", "r2c:8"}) {
    PlanRequest convolution = request_of(text, 2);
    convolution.in = Layout::block(convolution.problem.shape, {2});
    convolution.decomposition = Decomposition::convolution;
    add_all(convolution, 1);
  }
  add_all(request_of("ntt:16", 2), 1);
  add_all(request_of("walsh:4x8", 2), 1);
  add_all(request_of("sort:64", 4), 1);
  return result;
}

TEST(Mutations, of_a_plan_are_refused_or_right) {
  Tally tally;
  for (const Plan& plan : good_plans()) {
    for (const Plan& way : {plan, plan.reversed()}) {
      for_each_mutant(way, [&](const std::string& text) {
        if (!HasFatalFailure()) expect_refused_or_right(text, tally);
      });
      ASSERT_FALSE(HasFatalFailure()) << "one of the mutants of\n" << way.to_text();
    }
  }
  RecordProperty("refused", std::to_string(tally.refused));
  RecordProperty("accepted", std::to_string(tally.accepted));
  std::printf("%lld refused, %lld accepted and right, %lld too large to be run\n",
              static_cast<long long>(tally.refused), static_cast<long long>(tally.accepted),
              static_cast<long long>(tally.too_large));
  EXPECT_GT(tally.refused, 1000);
  EXPECT_GT(tally.accepted, 100);
}

}  // namespace
}  // namespace kallima
