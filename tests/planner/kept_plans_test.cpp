// SPDX-License-Identifier: BSD-3-Clause
//
// Plans of 300 requests of all kinds, with their memory and their prices, as kept_plans.txt has
// them: a change of the code that is not meant to change plans does not. Tile size and machine are
// fixed, so the file holds on any processor.
//
//     KALLIMA_KEEP_PLANS=1 planner_test --gtest_filter='KeptPlans.*'   writes the file anew
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "exchange/method.hpp"
#include "kallima/error.hpp"
#include "kallima/planner.hpp"
#include "schedule/schedule.hpp"

namespace kallima {
namespace {

const std::string kept_file = KALLIMA_KEPT_PLANS;

/// One line of the file, "c2c:64^3; ranks 8; by point-to-point; in z:block/8 y:all x:all".
class Request {
 public:
  explicit Request(const std::string& line) {
    std::istringstream stream(line);
    std::string problem;
    std::getline(stream, problem, ';');
    request_.problem = Problem::parse(problem);
    for (std::string part; std::getline(stream, part, ';');) {
      const std::size_t space = part.find(' ', 1);
      words_[part.substr(1, space - 1)] =
          space == std::string::npos ? std::string() : part.substr(space + 1);
    }
  }

  [[nodiscard]] PlanRequest get() {
    request_.ranks = number("ranks", 1);
    request_.placement.ranks_per_node = number("per_node", 0);
    request_.chunks = number("chunks", 0);
    request_.padded = words_.contains("padded");
    request_.method =
        words_.contains("by") ? find_method(words_["by"]).value() : ExchangeMethod::any;
    request_.decomposition =
        words_.contains("way") ? decomposition(words_["way"]) : Decomposition::any;
    if (words_.contains("in")) request_.in = Layout::parse(words_["in"], request_.problem.shape);
    if (words_.contains("out")) {
      request_.out = Layout::parse(words_["out"], request_.problem.frequency_shape());
    }
    if (words_.contains("machine")) {
      request_.machine = std::make_shared<const Machine>(
          find_machine(std::string(KALLIMA_PUBLISHED_MACHINES) + "/" + words_["machine"]));
    }
    return request_;
  }

 private:
  using Words = std::map<std::string, std::string>;

  [[nodiscard]] Index number(const std::string& name, Index otherwise) {
    return words_.contains(name) ? std::stoll(words_[name]) : otherwise;
  }

  static Decomposition decomposition(const std::string& name) {
    for (int i = 0; i <= static_cast<int>(Decomposition::gather); ++i) {
      if (name_of(static_cast<Decomposition>(i)) == name) return static_cast<Decomposition>(i);
    }
    throw std::runtime_error("there is no way " + name);
  }

  PlanRequest request_;
  Words words_;
};

std::string memory_text(const Plan& plan, bool in_place) {
  const Schedule stages = schedule(plan, in_place);
  const Workspace need = largest_workspace(plan, stages);
  return fmt::format("{} place: {} passes, elements {} + {} + {} + {} + {} + {} + {}\n",
                     in_place ? "in" : "out of", stages.passes(), need.main, need.spill,
                     need.segment, need.other_segment, need.transit, need.tile, need.roots);
}

/// The plan's text but for its hash, what it takes, and what undoing it moves.
std::string kept_text(const PlanRequest& request) {
  const Plan plan = make_plan(request);
  std::string text = plan.to_text();
  text.resize(text.rfind("hash"));
  const CommVolume back = plan.reversed().total_volume();
  const PlanCost cost =
      price(plan, request.machine ? *request.machine : built_in_machine(), PriceOptions{});
  return text + memory_text(plan, false) + memory_text(plan, true) +
         fmt::format("back: {} bytes in {} messages, busiest {} {} {} {}\n", back.bytes,
                     back.messages, back.most_bytes_sent, back.most_bytes_received,
                     back.most_messages_sent, back.most_messages_received) +
         fmt::format("price {:.6g} s, {:.6g} hidden\n", cost.total.total(), cost.total.hidden);
}

TEST(KeptPlans, are_as_they_were) {
  std::ifstream file(kept_file);
  ASSERT_TRUE(file) << kept_file;
  const bool keeps = std::getenv("KALLIMA_KEEP_PLANS") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  std::string written;
  std::string line;
  int requests = 0;
  std::getline(file, line);
  while (file) {
    if (line.starts_with("#")) {
      written += line + "\n";
      std::getline(file, line);
      continue;
    }
    const std::string request = line;
    std::string kept;
    while (std::getline(file, line) && line.starts_with("  ")) kept += line.substr(2) + "\n";
    ++requests;
    const std::string now = kept_text(Request(request).get());
    written += request + "\n";
    std::istringstream lines(now);
    for (std::string each; std::getline(lines, each);) written += "  " + each + "\n";
    if (!keeps) {
      EXPECT_EQ(now, kept) << request;
    }
  }
  EXPECT_GE(requests, 300);
  if (keeps) std::ofstream(kept_file) << written;
}

}  // namespace
}  // namespace kallima
