// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/plan.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "kallima/error.hpp"
#include "plan/invariants.hpp"
#include "plan/samples.hpp"

namespace kallima {
namespace {

using samples::copy;
using samples::exchange;
using samples::forward;
using samples::sweep;

TEST(Plan, states_follow_from_the_steps) {
  const Plan plan = samples::slab_plan();
  ASSERT_EQ(plan.states().size(), 5U);
  EXPECT_EQ(plan.states()[0].to_text(), "z:block/3 y:all x:all");
  EXPECT_EQ(plan.states()[1].to_text(), "z:block/3 y:all kx:all");
  EXPECT_EQ(plan.states()[2].to_text(), "z:block/3 ky:all kx:all");
  EXPECT_EQ(plan.states()[3].to_text(), "z:all ky:block/3 kx:all");
  EXPECT_EQ(plan.states()[4].to_text(), "kz:all ky:block/3 kx:all");
  EXPECT_EQ(plan.exchanges(), 1);
  EXPECT_EQ(plan.input(), plan.states().front().layout);
  EXPECT_EQ(plan.output(), plan.states().back().layout);
  EXPECT_EQ(plan.largest_local_size(), 3 * 6 * 5);
}

TEST(Plan, a_backward_plan_goes_from_frequency_to_position) {
  const Plan back = samples::slab_plan().reversed();
  EXPECT_EQ(back.direction(), Direction::backward);
  EXPECT_EQ(back.states().front().to_text(), "kz:all ky:block/3 kx:all");
  EXPECT_EQ(back.states().back().to_text(), "z:block/3 y:all x:all");
}

TEST(Plan, the_traffic_of_exchanges_is_computed) {
  for (const Plan& plan : samples::plans()) {
    CommVolume sum;
    for (std::size_t i = 0; i < plan.steps().size(); ++i) {
      const auto* const step = std::get_if<Exchange>(&plan.steps()[i]);
      if (step == nullptr) continue;
      const Traffic moved = traffic(plan.states()[i].layout, plan.states()[i + 1].layout);
      EXPECT_EQ(step->traffic, moved);
      const Index bytes = plan.states()[i].element.bytes();
      sum.bytes += moved.elements * bytes;
      sum.messages += moved.messages;
      sum.most_bytes_sent += moved.most_sent * bytes;
      sum.most_bytes_received += moved.most_received * bytes;
      sum.most_messages_sent += moved.most_messages_sent;
      sum.most_messages_received += moved.most_messages_received;
    }
    EXPECT_EQ(plan.total_volume(), sum);
  }
}

TEST(Plan, reversed_twice_is_the_plan_and_its_traffic_is_what_travels_back) {
  for (const Plan& plan : samples::plans()) {
    samples::check_reversal(plan);
    samples::check_reversal(plan.reversed());
  }
}

TEST(Plan, a_reversed_plan_is_the_one_built_backwards) {
  const Shape shape{8, 1, 6};
  const Layout start = Layout::slab(shape, 3);
  const Layout end = Layout::slab(shape, 3, 2);
  const Plan there = forward("c2c:8x1x6", 3, start, {sweep(2), exchange(end), sweep(0)});
  const Plan back(Problem::parse("c2c:8x1x6"), Direction::backward, 3, {}, end,
                  {sweep(0), exchange(start), sweep(2)});
  EXPECT_EQ(there.reversed(), back);
  EXPECT_EQ(back.reversed(), there);
}

TEST(Plan, steps_that_do_not_fit_are_defects) {
  const Shape shape{8, 6, 5};
  const Layout start = Layout::slab(shape, 3);
  const auto plan = [&](std::vector<Step> steps) {
    return forward("c2c:8x6x5", 3, start, std::move(steps));
  };
  EXPECT_THROW(plan({sweep(0)}), InternalError) << "not whole";
  EXPECT_THROW(plan({sweep(2), sweep(2)}), InternalError) << "twice";
  EXPECT_THROW(plan({sweep(3)}), InternalError) << "no such digit";
  EXPECT_THROW(plan({sweep(-1)}), InternalError) << "no such digit";
  EXPECT_THROW(plan({sweep(2, 0)}), InternalError) << "no lines";
  EXPECT_THROW(plan({exchange(Layout::slab({8, 6, 4}, 3))}), InternalError) << "another shape";
  EXPECT_THROW(plan({exchange(Layout::slab({8, 6}, 3))}), InternalError) << "fewer axes";
  EXPECT_THROW(plan({exchange(Layout::slab({8, 6, 5, 4}, 3))}), InternalError) << "more axes";
  EXPECT_THROW(plan({exchange(Layout::slab(shape, 4, 1))}), InternalError) << "more ranks";
  EXPECT_THROW(forward("c2c:8x6x4", 3, start, {}), InternalError) << "start of another shape";
  EXPECT_THROW(forward("c2c:8x6x5", 2, start, {}), InternalError) << "start on more ranks";
}

TEST(Plan, the_text_reads_like_a_sentence) {
  EXPECT_EQ("\n" + samples::slab_plan().to_text(), R"(
plan c2c:8x6x5:f64 forward on 3 ranks
  start     z:block/3 y:all x:all
            8 indices of z over 3 ranks: 2 ranks hold 3, 1 holds 2; 2 or 4 ranks divide it
  sweep     x by fourier, 4 contiguous lines a tile
  sweep     y by fourier, 2 interleaved lines a tile
  exchange  z:all ky:block/3 kx:all by point-to-point
            2,560 bytes in 6 messages
            busiest rank sends 960 bytes in 2 messages, receives 960 bytes in 2 messages
  sweep     z by fourier, 1 contiguous line a tile
  end       kz:all ky:block/3 kx:all
out of place: 4 passes over memory, workspace 2,080 bytes (1.44 of the largest local array), tile 1,088 bytes
in place:     4 passes over memory, workspace 1,440 bytes (1.00 of the largest local array), tile 1,088 bytes
hash 4c07a237b5cbef00
)");
}

TEST(Plan, parsing_restores_an_equal_plan_and_hash) {
  for (const Plan& plan : samples::plans()) {
    samples::check_round_trip(plan);
    samples::check_round_trip(plan.reversed());
  }
}

TEST(Plan, different_plans_have_different_hashes) {
  const std::vector<Plan> all = samples::plans();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NE(all[i].hash(), all[i].reversed().hash());
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(all[i].hash() == all[j].hash(), all[i] == all[j]);
  }
}

void expect_damage(const std::string& text) {
  try {
    Plan::parse(text);
    FAIL() << "accepted:\n" << text;
  } catch (const ParseError&) {  // as promised
  } catch (const std::exception& error) {
    FAIL() << "not a ParseError: " << error.what() << "\n" << text;
  }
}

TEST(Plan, a_text_with_one_changed_character_is_refused) {
  for (const Plan& plan : samples::plans()) {
    const std::string text = plan.to_text();
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const char letter : {'0', '9', 'x', ' ', '\n', ':', '\0', static_cast<char>(0xff)}) {
        if (text[at] == letter) continue;
        std::string damaged = text;
        damaged[at] = letter;
        expect_damage(damaged);
        ASSERT_FALSE(HasFatalFailure()) << "changed at " << at;
      }
    }
  }
}

TEST(Plan, a_text_that_lost_gained_or_swapped_something_is_refused) {
  for (const Plan& plan : samples::plans()) {
    const std::string text = plan.to_text();
    for (std::size_t at = 0; at < text.size(); ++at) {
      expect_damage(text.substr(0, at));
      expect_damage(text.substr(0, at) + text.substr(at + 1) + (at + 1 == text.size() ? "x" : ""));
      expect_damage(text.substr(0, at) + text[at] + text.substr(at));
      if (at > 0 && text[at] != text[at - 1]) {
        std::string swapped = text;
        std::swap(swapped[at], swapped[at - 1]);
        expect_damage(swapped);
      }
      ASSERT_FALSE(HasFatalFailure()) << "changed at " << at;
    }
    expect_damage(text + " ");
    expect_damage(text + text);
    expect_damage("\n" + text);
  }
  expect_damage("");
  expect_damage("plan");
  expect_damage("hash 0000000000000000\n");
  expect_damage("hello\nworld\n");
}

TEST(Plan, a_text_with_a_right_hash_over_wrong_steps_is_refused) {
  const std::string text = samples::slab_plan().to_text();
  const std::string body = text.substr(0, text.find("hash "));
  struct Case {
    const char* from;
    const char* to;
  };
  const std::vector<Case> cases = {
      {"on 3 ranks", "on 2 ranks"},
      {"on 3 ranks", "on 0 ranks"},
      {"on 3 ranks", "on 4 ranks"},
      {"forward", "backward"},
      {"c2c:8x6x5", "c2c:8x6x4"},
      {"c2c:8x6x5", "c2c:8x6"},
      {"c2c:8x6x5", "c2c:8x6x0"},
      {"c2c:8x6x5", "c2c:9999999999x9999999999x5"},
      {"start     z:block/3", "start     z:block/0"},
      {"start     z:block/3", "start     z:block/30"},
      {"sweep     x by", "sweep     z by"},
      {"sweep     y by", "sweep     kx by"},
      {"sweep     y by", "sweep     q by"},
      {"4 contiguous lines", "0 contiguous lines"},
      {"exchange  z:all ky:block/3", "exchange  z:all ky:cycle2/3"},
      {"exchange  z:all ky:block/3", "exchange  z:all ky:block/300"},
      {"exchange  z:all ky:block/3 kx:all by point-to-point", "exchange  z:all ky:block/3 kx:all"},
      {"by point-to-point", "by pigeon"},
      {"2,560 bytes", "2,561 bytes"},
      {"workspace 2,080", "workspace 2,081"},
      {"end       kz:all", "end       z:all"},
  };
  for (const Case& bad : cases) {
    std::string changed = body;
    const std::size_t at = changed.find(bad.from);
    ASSERT_NE(at, std::string::npos) << bad.from;
    changed.replace(at, std::string(bad.from).size(), bad.to);
    expect_damage(changed + "hash " + text::hex(text::hash(changed)) + "\n");
    EXPECT_FALSE(HasFatalFailure()) << bad.to;
  }
}

TEST(Plan, the_mend_of_damage_is_named) {
  try {
    Plan::parse("hello");
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("make the plan anew"), std::string::npos);
  }
}

TEST(Plan, uneven_axes_say_who_holds_how_much_and_what_would_divide_them) {
  const auto remarks = [](Index n, Index procs, Rule rule) {
    const std::string problem = "c2c:" + std::to_string(n);
    return forward(problem, procs, Layout::slab({n}, procs, 0, rule), {}).to_text();
  };
  const auto expect = [](const std::string& text, const std::string& line) {
    EXPECT_NE(text.find("            " + line + "\n"), std::string::npos) << text;
  };
  constexpr Rule even = Rule::balanced;
  expect(
      remarks(1280, 96, even),
      "1280 indices of x over 96 ranks: 32 ranks hold 14, 64 hold 13; 80 or 128 ranks divide it");
  expect(remarks(10, 4, Rule::ceil),
         "10 indices of x over 4 ranks: 3 ranks hold 3, 1 holds 1; 2 or 5 ranks divide it");
  expect(remarks(7, 2, even),
         "7 indices of x over 2 ranks: 1 rank holds 4, 1 holds 3; only 1 rank divides it");
  expect(remarks(7, 5, even),
         "7 indices of x over 5 ranks: 2 ranks hold 2, 3 hold 1; 1 or 7 ranks divide it");
  expect(remarks(3, 5, even),
         "3 indices of x over 5 ranks: 3 ranks hold 1, 2 hold 0; 3 ranks divide it");
  expect(remarks(3, 5, even), "3 of 5 ranks hold data");
  EXPECT_EQ(remarks(8, 4, even).find("divide"), std::string::npos);
}

TEST(Plan, bytes_that_do_not_fit_64_bits_are_overflow) {
  const Shape shape{Index{1} << 30, Index{1} << 30};
  const auto plan = [&](const char* problem, const Layout& to, Index exchanges) {
    std::vector<Step> steps{copy()};
    for (Index i = 0; i < exchanges; ++i) {
      steps.push_back(exchange(i % 2 == 0 ? to : Layout::slab(shape, 16)));
      steps.push_back(copy());
    }
    return forward(problem, 16, Layout::slab(shape, 16), steps);
  };
  // 15/16 of 2^64 bytes change their rank.
  const Plan all = plan("c2c:2^30^2", Layout::slab(shape, 16, 1), 1);
  EXPECT_THROW(static_cast<void>(all.to_text()), Overflow);
  EXPECT_THROW(static_cast<void>(all.total_volume()), Overflow);
  const std::string body =
      "plan c2c:1073741824x1073741824:f64 forward on 16 ranks\n  start y:block/16 x:all\n"
      "  sweep x by fourier, 1 contiguous line a tile\n  exchange y:all kx:block/16 by "
      "point-to-point\n"
      "  sweep y by fourier, 1 contiguous line a tile\n  end ky:all kx:block/16\n";
  expect_damage(body + "hash " + text::hex(text::hash(body)) + "\n");
  // 2^62 bytes fit, but not twice.
  const Layout half = Layout::block(shape, {8, 2});
  EXPECT_EQ(plan("c2c:2^30^2:f32", half, 1).total_volume().bytes, Index{1} << 62);
  EXPECT_THROW(static_cast<void>(plan("c2c:2^30^2:f32", half, 2).total_volume()), Overflow);
}

TEST(Plan, a_long_prime_axis_is_printed_at_once) {
  // 2^61 - 1 is a prime: no other number of processors divides it.
  const Plan plan =
      forward("c2c:2305843009213693951", 96, Layout::block({2305843009213693951}, {96}), {});
  EXPECT_NE(plan.to_text().find("over 96 ranks: 31 ranks hold"), std::string::npos)
      << plan.to_text();
}

TEST(Plan, for_people_names_the_first_of_many_boxes) {
  const Shape shape{24, 6};
  std::vector<Box> boxes;
  for (Index i = 0; i < 24; ++i) boxes.push_back({{i, 0}, {i + 1, 6}});
  const Layout layout = Layout::boxes(shape, boxes);
  const Plan plan = samples::forward(
      "c2c:24x6", 24, layout,
      {samples::sweep(1), samples::exchange(Layout::slab(shape, 6, 1)), samples::sweep(0)});
  const std::string whole = plan.to_text();
  const std::string in_short = plan.summary();
  EXPECT_EQ(Plan::parse(whole), plan);
  EXPECT_NE(in_short.find("start     boxes y x | 0:1 0:6 | 1:2 0:6 | 2:3 0:6 | 3:4 0:6 | and 20 "
                          "more\n"),
            std::string::npos)
      << in_short;
  // Nothing else differs, the hash neither.
  const std::string::size_type end = in_short.find('\n', in_short.find("start"));
  const std::string::size_type end_of_whole = whole.find('\n', whole.find("start"));
  EXPECT_EQ(in_short.substr(end), whole.substr(end_of_whole));
  EXPECT_THROW((void)Plan::parse(in_short), ParseError);
  EXPECT_EQ(samples::slab_plan().summary(), samples::slab_plan().to_text());
}

}  // namespace
}  // namespace kallima
