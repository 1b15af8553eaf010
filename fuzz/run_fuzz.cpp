// SPDX-License-Identifier: BSD-3-Clause
//
// Plans that are run: the lines of a text that say what a plan does, without figures and hash. What
// is accepted runs on all its ranks in one process, there and back, in place and out of place, and
// must give what the definition gives.
//
// Chance alone seldom makes a plan out of a plan, so most texts are made line by line and word by
// word.
#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.hpp"
#include "kallima/error.hpp"
#include "plan/text.hpp"
#include "restores.hpp"
#include "support/definition.hpp"
#include "support/random.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace kallima;

/// Larger ones would take long.
constexpr Index most_elements = 512;
constexpr Index most_ranks = 16;

/// To read a plan takes as long as there are ranks.
bool has_few_ranks(std::string_view text) {
  const std::size_t on = text.find(" on ");
  if (on == std::string_view::npos) return true;
  std::size_t digits = 0;
  while (on + 4 + digits < text.size() && text[on + 4 + digits] != ' ') ++digits;
  return digits <= 2;
}

void check(std::string_view text) {
  Plan plan;
  if (!has_few_ranks(text)) return;
  if (!fuzz::accepted<ParseError>([&] { plan = read_plan(text); })) return;
  if (plan.ranks() > most_ranks || plan.problem().elements() > most_elements) return;
  const std::string whole = plan.to_text();
  fuzz::require_restored(Plan::parse(whole) == plan, whole);
  const std::string complaint = test::complaint_of(plan);
  if (complaint.empty()) return;
  std::fprintf(stderr, "%s\n%s", complaint.c_str(), whole.c_str());
  std::abort();
}

/// Splits into words, numbers and what is between them.
std::vector<std::string> atoms_of(std::string_view text) {
  const auto class_of = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalpha(byte) != 0 ? 1 : std::isdigit(byte) != 0 ? 2 : 0;
  };
  std::vector<std::string> atoms;
  int last = 0;
  for (const char c : text) {
    const int now = class_of(c);
    if (now == 0 || now != last) atoms.emplace_back();
    atoms.back() += c;
    last = now;
  }
  return atoms;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) result += (i == 0 ? "" : between) + parts[i];
  return result;
}

/// One part is lost, doubled, exchanged with another, or another stands in its place.
void shuffle(std::vector<std::string>& parts, test::Random& random) {
  if (parts.empty()) return;
  const auto last = static_cast<std::int64_t>(parts.size()) - 1;
  const std::int64_t at = random.between(0, last);
  const auto here = parts.begin() + at;
  const std::string other = random.pick(parts);
  switch (random.between(0, 3)) {
    case 0:
      parts.erase(here);
      return;
    case 1:
      parts.insert(here, other);
      return;
    case 2:
      std::swap(*here, parts[static_cast<std::size_t>(random.between(0, last))]);
      return;
    default:
      *here = other;
  }
}

/// A word or number becomes another one of the text or of those that plans have.
void change(std::vector<std::string>& atoms, test::Random& random) {
  static const std::vector<std::string> known = {"fourier",
                                                 "real",
                                                 "compare",
                                                 "block",
                                                 "cyclic",
                                                 "cycle",
                                                 "all",
                                                 "point-to-point",
                                                 "shared-memory",
                                                 "node-aggregated",
                                                 "bruck",
                                                 "alltoallv",
                                                 "x",
                                                 "y",
                                                 "interleaved",
                                                 "kx",
                                                 "ky",
                                                 "forward",
                                                 "backward",
                                                 "c2c",
                                                 "r2c",
                                                 "contiguous",
                                                 "ntt",
                                                 "walsh",
                                                 "sort",
                                                 "f32",
                                                 "f64",
                                                 "ceil"};
  if (atoms.empty()) return;
  std::string& atom = atoms[static_cast<std::size_t>(
      random.between(0, static_cast<std::int64_t>(atoms.size()) - 1))];
  if (std::isdigit(static_cast<unsigned char>(atom[0])) != 0) {
    atom = std::to_string(random.between(0, random.chance(80) ? 8 : 64));
  } else if (std::isalpha(static_cast<unsigned char>(atom[0])) != 0) {
    atom = random.chance(50) ? random.pick(atoms) : random.pick(known);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  test::Random random(seed);
  if (random.chance(20)) return LLVMFuzzerMutate(data, size, most);
  const std::string text(fuzz::text_of(data, size));
  std::string made;
  if (random.chance(30)) {
    std::vector<std::string> lines = text::split(text, '\n');
    shuffle(lines, random);
    made = joined(lines, "\n");
  } else {
    std::vector<std::string> atoms = atoms_of(text);
    change(atoms, random);
    made = joined(atoms, "");
  }
  const std::size_t length = std::min(made.size(), most);
  std::copy_n(made.begin(), length, data);
  return length;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(fuzz::text_of(data, size));
  return 0;
}
