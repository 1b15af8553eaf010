// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/plan_wisdom.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "base/text.hpp"
#include "kallima/error.hpp"
#include "machine/figures.hpp"
#include "machine/samples.hpp"
#include "support/text.hpp"

namespace kallima {
namespace {

using test::mentions;

PlanRequest asked() {
  PlanRequest request;
  request.problem = Problem::parse("c2c:16x12x8");
  request.ranks = 4;
  request.placement.ranks_per_node = 2;
  request.machine = samples::far_apart();
  return request;
}

PlanWisdomEntry entry(const PlanRequest& request, double seconds = 0.25) {
  return entry_for(request, *request.machine, make_plan(request), seconds, "2000-01-01T00:00:00Z");
}

PlanWisdom wisdom_of(const std::vector<PlanWisdomEntry>& entries) {
  PlanWisdom wisdom;
  for (const PlanWisdomEntry& each : entries) wisdom.add(each);
  return wisdom;
}

/// The text of a file with these entries, whatever they are, and a checksum that fits.
std::string file_with(const std::string& plans) {
  return R"({"schema":"kallima.wisdom/3","checksum":")" + text::hex(text::hash(plans)) +
         R"(","plans":)" + plans + "}";
}

/// An entry in canonical form, where a field has another value.
std::string json_entry(const std::string& field, const std::string& value) {
  std::map<std::string, std::string> fields = {
      {"machine", R"({"hash":"0123456789abcdef","name":"m"})"},
      {"problem", R"("c2c:4:f64")"},
      {"ranks", "1"},
      {"ranks_per_node", "0"},
      {"in", R"("any")"},
      {"out", R"("any")"},
      {"method", R"("any")"},
      {"chunks", "0"},
      {"padded", "false"},
      {"plan", R"("")"},
      {"seconds", "0.5"},
      {"made", R"("")"}};
  if (!field.empty()) fields[field] = value;
  std::string text;
  for (const auto& [key, content] : fields) {
    if (content.empty()) continue;
    text += (text.empty() ? "{\"" : ",\"") + key + "\":" + content;
  }
  return "[" + text + "}]";
}

/// What parse() says of a text that it refuses; empty where it does not.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(PlanWisdom::parse(text));
  } catch (const ParseError& error) {
    return error.what();
  }
  return {};
}

/// A file that is gone with the test.
class File {
 public:
  File() : path_(testing::TempDir() + "plan_wisdom_test.json") { std::remove(path_.c_str()); }
  File(const File&) = delete;
  File(File&&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  ~File() { std::remove(path_.c_str()); }

  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(PlanWisdom, finds_the_plan_that_was_added) {
  const PlanWisdom wisdom = wisdom_of({entry(asked())});
  ASSERT_EQ(wisdom.size(), 1U);
  EXPECT_EQ(wisdom.find(asked(), *asked().machine), make_plan(asked()));
}

TEST(PlanWisdom, a_plan_that_does_not_compute_what_it_is_for_is_passed_over) {
  const PlanRequest request = asked();
  const Plan good = make_plan(request);
  for (std::size_t lost = 0; lost < good.steps().size(); ++lost) {
    std::vector<Step> steps = good.steps();
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(lost));
    PlanWisdomEntry bad = entry(request);
    try {
      bad.plan = Plan(good.problem(), good.direction(), good.ranks(), good.placement(),
                      good.input(), steps)
                     .to_text();
    } catch (const InternalError&) {
      continue;  // steps that do not fit are no plan at all
    }
    EXPECT_EQ(wisdom_of({bad}).find(request, *request.machine), std::nullopt) << bad.plan;
  }
}

TEST(PlanWisdom, knows_what_butterflies_a_plan_is_of) {
  PlanRequest walsh = asked();
  walsh.problem = Problem::parse("walsh:1024");
  PlanRequest fourier = walsh;
  fourier.problem = Problem::parse("c2c:1024:f32");
  const PlanWisdom wisdom = wisdom_of({entry(walsh)});
  EXPECT_EQ(wisdom.find(walsh, *walsh.machine), make_plan(walsh));
  EXPECT_EQ(wisdom.find(fourier, *fourier.machine), std::nullopt);
  PlanWisdomEntry pretends = entry(walsh);
  pretends.problem = "c2c:1024:f32";
  EXPECT_EQ(wisdom_of({pretends}).find(fourier, *fourier.machine), std::nullopt);
}

TEST(PlanWisdom, text_form_restores_an_equal_value) {
  PlanRequest real = asked();
  real.problem = Problem::parse("r2c:9x8x10:f32");
  real.padded = true;
  real.in = Layout::slab(real.problem.shape, 4);
  real.out = Layout::slab(real.problem.frequency_shape(), 4);
  real.method = ExchangeMethod::alltoallv;
  PlanWisdomEntry odd = entry(real, 1e-300 / 3.0);
  odd.machine = "quotes \" and \\ and \n and \xc3\xa9";
  const PlanWisdom wisdom = wisdom_of({entry(asked(), 1.0 / 3.0), odd});
  EXPECT_EQ(PlanWisdom::parse(wisdom.to_text()), wisdom);
  EXPECT_EQ(PlanWisdom::parse(PlanWisdom().to_text()), PlanWisdom());
  EXPECT_EQ(PlanWisdom::parse(wisdom.to_text()).find(real, *real.machine), make_plan(real));
}

TEST(PlanWisdom, of_two_for_the_same_the_faster_stays) {
  PlanWisdomEntry slow = entry(asked(), 0.5);
  slow.made = "slow";
  PlanWisdomEntry fast = entry(asked(), 0.25);
  fast.made = "fast";
  EXPECT_EQ(wisdom_of({slow, fast}), wisdom_of({fast}));
  EXPECT_EQ(wisdom_of({fast, slow}), wisdom_of({fast}));
  PlanRequest other = asked();
  other.ranks = 2;
  PlanWisdom merged = wisdom_of({slow, entry(other)});
  merged.merge(wisdom_of({fast}));
  EXPECT_EQ(merged, wisdom_of({fast, entry(other)}));
}

TEST(PlanWisdom, is_for_nothing_but_what_was_asked) {
  const PlanWisdom wisdom = wisdom_of({entry(asked())});
  const std::vector<std::function<void(PlanRequest&)>> changes = {
      [](PlanRequest& r) { r.problem.shape[0] = 32; },
      [](PlanRequest& r) { r.problem.precision = Precision::f32; },
      [](PlanRequest& r) { r.problem.kind = Kind::r2c; },
      [](PlanRequest& r) { r.ranks = 8; },
      [](PlanRequest& r) { r.placement.ranks_per_node = 4; },
      [](PlanRequest& r) { r.in = Layout::slab(r.problem.shape, 4); },
      [](PlanRequest& r) { r.out = Layout::slab(r.problem.shape, 4); },
      [](PlanRequest& r) { r.method = ExchangeMethod::point_to_point; },
      [](PlanRequest& r) { r.chunks = 2; },
      [](PlanRequest& r) { r.padded = true; },
      [](PlanRequest& r) { r.decomposition = Decomposition::slab; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    PlanRequest request = asked();
    changes[i](request);
    EXPECT_FALSE(wisdom.find(request, *request.machine)) << "change " << i;
  }
  MachineFigures other = asked().machine->figures();
  other.node.cores += 1;
  EXPECT_FALSE(wisdom.find(asked(), other));
}

TEST(PlanWisdom, passes_over_plans_that_cannot_be_read_or_are_of_something_else) {
  PlanWisdomEntry damaged = entry(asked());
  damaged.plan[10] = '?';
  EXPECT_FALSE(wisdom_of({damaged}).find(asked(), *asked().machine));
  PlanRequest other = asked();
  other.problem.shape[0] = 32;
  PlanWisdomEntry wrong = entry(asked());
  wrong.plan = make_plan(other).to_text();
  EXPECT_FALSE(wisdom_of({wrong}).find(asked(), *asked().machine));
  wrong.plan = make_plan(asked()).reversed().to_text();
  EXPECT_FALSE(wisdom_of({wrong}).find(asked(), *asked().machine));
}

TEST(PlanWisdom, refuses_entries_that_nobody_can_have_measured) {
  for (const double seconds : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(wisdom_of({entry(asked(), seconds)}), InvalidOption) << seconds;
  }
  PlanWisdomEntry none = entry(asked());
  none.ranks = 0;
  EXPECT_THROW(wisdom_of({none}), InvalidOption);
}

TEST(PlanWisdom, refuses_damage_and_other_versions) {
  const std::string good = wisdom_of({entry(asked())}).to_text();
  ASSERT_EQ(refusal(good), "");
  std::string other = good;
  other.replace(other.find("wisdom/3"), 8, "wisdom/1");
  EXPECT_TRUE(mentions(refusal(other), "wisdom/1"));
  std::string faster = good;
  faster.replace(faster.find("0.25"), 4, "0.20");
  EXPECT_TRUE(mentions(refusal(faster), "checksum"));
  for (std::size_t end = 0; end + 2 < good.size(); ++end) {
    EXPECT_NE(refusal(good.substr(0, end)), "") << "the first " << end << " bytes";
  }
  EXPECT_TRUE(mentions(refusal(good.substr(0, 40)), "tune anew"));
}

TEST(PlanWisdom, refuses_values_of_other_types) {
  ASSERT_EQ(refusal(file_with(json_entry("", ""))), "");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"machine", R"("m")"},
      {"machine", R"({"hash":"0123","name":"m"})"},
      {"machine", R"({"hash":"0123456789ABCDEF","name":"m"})"},
      {"machine", R"({"name":"m"})"},
      {"problem", "4"},
      {"ranks", "0"},
      {"ranks", "-1"},
      {"ranks", "1.5"},
      {"ranks", R"("1")"},
      {"ranks", "18446744073709551615"},
      {"ranks_per_node", "-1"},
      {"in", "null"},
      {"out", "[]"},
      {"method", R"("pigeon")"},
      {"chunks", "-1"},
      {"padded", "0"},
      {"plan", "{}"},
      {"seconds", "-0.5"},
      {"seconds", R"("1")"},
      {"seconds", "1e999"},
      {"made", "true"},
      {"made", ""}};
  for (const auto& [field, value] : wrong) {
    EXPECT_NE(refusal(file_with(json_entry(field, value))), "") << field << " " << value;
    EXPECT_FALSE(mentions(refusal(file_with(json_entry(field, value))), "checksum"))
        << field << " " << value << " should be refused for what it is";
  }
  for (const char* const plans : {"{}", "null", "[1]", "[[]]", "\"\""}) {
    EXPECT_NE(refusal(file_with(plans)), "") << plans;
  }
  for (const char* const all : {"", "null", "[]", "{}", "1", "\"", "\xff", "{\"schema\":1}"}) {
    EXPECT_NE(refusal(all), "") << all;
  }
  const std::string deep(1000000, '[');
  EXPECT_TRUE(mentions(refusal(deep), "deep"));
}

TEST(PlanWisdomFile, is_merged_with_what_is_in_it) {
  const File file;
  PlanRequest other = asked();
  other.ranks = 2;
  save_plan_wisdom(file.path(), wisdom_of({entry(asked(), 0.5)}));
  save_plan_wisdom(file.path(), wisdom_of({entry(asked(), 0.75), entry(other)}));
  std::string warning = "of before";
  EXPECT_EQ(load_plan_wisdom(file.path(), warning), wisdom_of({entry(asked(), 0.5), entry(other)}));
  EXPECT_EQ(warning, "");
  EXPECT_FALSE(std::filesystem::exists(file.path() + ".new"));
}

TEST(PlanWisdomFile, that_is_missing_or_damaged_is_ignored_with_a_warning) {
  const File file;
  std::string warning;
  EXPECT_EQ(load_plan_wisdom(file.path(), warning).size(), 0U);
  for (const std::string& part : {file.path(), std::string("does not exist"),
                                  std::string("--tune-into"), std::string("ignored")}) {
    EXPECT_TRUE(mentions(warning, part)) << warning;
  }
  EXPECT_FALSE(mentions(warning, "remove")) << warning;
  EXPECT_THROW(static_cast<void>(read_plan_wisdom(file.path())), FileError);
  EXPECT_THROW(static_cast<void>(read_plan_wisdom(testing::TempDir())), FileError);
  EXPECT_EQ(load_plan_wisdom(testing::TempDir(), warning).size(), 0U);
  EXPECT_NE(warning, "");
  const std::string good = wisdom_of({entry(asked())}).to_text();
  file.write(good.substr(0, good.size() / 2));
  EXPECT_EQ(load_plan_wisdom(file.path(), warning).size(), 0U);
  EXPECT_TRUE(mentions(warning, "ignored") && mentions(warning, file.path())) << warning;
  EXPECT_THROW(static_cast<void>(read_plan_wisdom(file.path())), ParseError);
  save_plan_wisdom(file.path(), wisdom_of({entry(asked())}));
  EXPECT_EQ(load_plan_wisdom(file.path(), warning).size(), 1U) << "a damaged file is replaced";
  EXPECT_THROW(save_plan_wisdom(file.path() + "/none/w", {}), FileError);
}

}  // namespace
}  // namespace kallima
