// SPDX-License-Identifier: BSD-3-Clause
#include "chart/chart.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "chart/canvas.hpp"
#include "chart/scale.hpp"
#include "chart/words.hpp"
#include "chart/xml.hpp"
#include "kallima/error.hpp"
#include "texts.hpp"

namespace kallima::cli {

namespace {

using chart::Count;
using chart::Scale;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string svg_of(const std::vector<Chart>& charts) {
  const std::string path = testing::TempDir() + "kallima_chart.svg";
  draw(charts, path);
  return content(path);
}

std::vector<std::string> labels(const Scale& scale, int most) {
  std::vector<std::string> result;
  for (const chart::Tick& tick : chart::ticks(scale, most)) {
    if (!tick.label.empty()) result.push_back(tick.label);
  }
  return result;
}

Series series(const std::string& name, std::vector<double> x, std::vector<double> y) {
  Series result;
  result.name = name;
  result.x = std::move(x);
  result.y = std::move(y);
  return result;
}

Chart chart_of(const Series& one) {
  Chart chart;
  chart.series = {one};
  return chart;
}

using Words = std::vector<std::string>;

TEST(Ticks, linear_ones_are_round) {
  EXPECT_EQ(labels({Count::linear, 0.0, 10.0}, 5), (Words{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels({Count::linear, -0.13, 0.41}, 6),
            (Words{"-0.1", "0", "0.1", "0.2", "0.3", "0.4"}));
  EXPECT_EQ(labels({Count::linear, 0.0, 1.2e6}, 4), (Words{"0", "500k", "1M"}));
}

TEST(Ticks, decades_are_short_and_not_too_many) {
  EXPECT_EQ(labels({Count::decades, 0.9, 1.1e6}, 7),
            (Words{"1", "10", "100", "1k", "10k", "100k", "1M"}));
  EXPECT_EQ(labels({Count::decades, 0.8, 30}, 7), (Words{"1", "2", "5", "10", "20"}));
  EXPECT_LE(labels({Count::decades, 1e-30, 1e30}, 7).size(), 7U);
  EXPECT_GE(labels({Count::decades, 1e-30, 1e30}, 7).size(), 4U);
}

TEST(Ticks, a_narrow_logarithmic_axis_still_has_labels) {
  EXPECT_GE(labels({Count::decades, 3.1, 4.7}, 7).size(), 2U);
  EXPECT_GE(labels({Count::octaves, 9, 15}, 7).size(), 2U);
}

TEST(Ticks, octaves_are_numbers_and_then_powers) {
  EXPECT_EQ(labels({Count::octaves, 0.9, 70}, 7), (Words{"1", "2", "4", "8", "16", "32", "64"}));
  EXPECT_EQ(labels({Count::octaves, 0.9, 1.1 * (1 << 20)}, 12),
            (Words{"1", "4", "16", "64", "256", "1024", "4096", "2^14", "2^16", "2^18", "2^20"}));
  EXPECT_EQ(labels({Count::octaves, 0.2, 2.1}, 7), (Words{"1/4", "1/2", "1", "2"}));
}

TEST(Ticks, lie_inside_and_in_order) {
  for (const Scale& scale : {Scale{Count::linear, -3.7, 12.2}, Scale{Count::decades, 0.03, 8e4},
                             Scale{Count::octaves, 3.0, 5e5}}) {
    double before = -infinity;
    for (const chart::Tick& tick : chart::ticks(scale, 7)) {
      EXPECT_GE(scale.place(tick.at), -1e-9);
      EXPECT_LE(scale.place(tick.at), 1 + 1e-9);
      EXPECT_GT(tick.at, before);
      before = tick.at;
    }
  }
}

TEST(Numbers, are_short) {
  EXPECT_EQ(chart::short_number(0), "0");
  EXPECT_EQ(chart::short_number(0.25), "0.25");
  EXPECT_EQ(chart::short_number(1000), "1k");
  EXPECT_EQ(chart::short_number(-2.5e9), "-2.5G");
  EXPECT_EQ(chart::short_number(1e-5), "1e-5");
  EXPECT_EQ(chart::short_number(1e-12), "1e-12");
  EXPECT_EQ(chart::short_number(1e18), "1e18");
}

TEST(Scales, ends_have_places_zero_and_one) {
  const Scale log{Count::decades, 1, 10000};
  EXPECT_NEAR(log.place(1), 0.0, 1e-12);
  EXPECT_NEAR(log.place(100), 0.5, 1e-12);
  EXPECT_NEAR(log.place(10000), 1.0, 1e-12);
  const Scale linear{Count::linear, -5, 15};
  EXPECT_NEAR(linear.place(0), 0.25, 1e-12);
}

TEST(Scales, leave_out_what_has_no_place) {
  const std::vector<double> values = {nan, infinity, -infinity, -4.0, 0.0, 2.0, 8.0};
  const Scale log = chart::scale_for(Count::decades, values, 0.05);
  EXPECT_GT(log.low, 1.5);
  EXPECT_LT(log.low, 2.0);
  EXPECT_GT(log.high, 8.0);
  EXPECT_LT(log.high, 10.0);
  const Scale linear = chart::scale_for(Count::linear, values, 0.0);
  EXPECT_EQ(linear.low, -4.0);
  EXPECT_EQ(linear.high, 8.0);
}

TEST(Scales, start_at_zero_where_that_is_near) {
  EXPECT_EQ(chart::scale_for(Count::linear, std::vector<double>{1, 10}, 0.05).low, 0.0);
  EXPECT_GT(chart::scale_for(Count::linear, std::vector<double>{9, 10}, 0.05).low, 8.0);
}

TEST(Scales, of_nothing_or_one_value_have_a_width) {
  for (const Count count : {Count::linear, Count::decades, Count::octaves}) {
    for (const std::vector<double>& values :
         {std::vector<double>{}, {nan}, {0.0}, {-3.0}, {7.0}, {7.0, 7.0}, {1e300}, {1e-300}}) {
      const Scale scale = chart::scale_for(count, values, 0.05);
      EXPECT_LT(scale.low, scale.high);
      EXPECT_TRUE(scale.takes(scale.low) && scale.takes(scale.high));
      for (const double value : values) {
        if (!scale.takes(value)) continue;
        EXPECT_GT(scale.place(value), 0.0);
        EXPECT_LT(scale.place(value), 1.0);
      }
    }
  }
}

TEST(Scales, know_powers_of_two) {
  EXPECT_TRUE(chart::powers_of_two(std::vector<double>{1, 2, 1048576, 0.5, nan}));
  EXPECT_FALSE(chart::powers_of_two(std::vector<double>{1, 2, 3}));
  EXPECT_FALSE(chart::powers_of_two(std::vector<double>{nan}));
}

TEST(Svg, text_is_escaped) {
  EXPECT_EQ(chart::xml_escaped("a<b & \"c\" > 'd'\x01\n\xC3\xA4"),
            "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;\xC3\xA4");
  Chart chart = chart_of(series("<s>", {1, 2}, {3, 4}));
  chart.title = "P & Q";
  const std::string svg = svg_of({chart});
  EXPECT_NE(svg.find("P &amp; Q"), std::string::npos);
  EXPECT_NE(svg.find("&lt;s&gt;"), std::string::npos);
  EXPECT_EQ(svg.find("<s>"), std::string::npos);
  EXPECT_EQ(chart::xml_escaped("\xFF<"), "?&lt;");
}

TEST(Charts, draw_a_point_for_every_finite_value_and_break_the_line) {
  const Series gaps = series("", {1, 2, 3, nan, 5, 6}, {1, 2, nan, 4, 5, infinity});
  const std::string whole = svg_of({chart_of(series("", {1, 2, 5}, {1, 2, 5}))});
  const std::string svg = svg_of({chart_of(gaps)});
  EXPECT_EQ(count_of(svg, "<circle"), 3U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(count_of(svg, "stroke-width=\"2\""), 1U);  // of 1 and 2; 5 is alone
  EXPECT_EQ(count_of(whole, "stroke-width=\"2\""), 1U);
}

TEST(Charts, leave_out_what_a_logarithm_cannot_show) {
  Chart chart = chart_of(series("", {0, 1, 10}, {1, 0, 5}));
  chart.log_x = chart.log_y = true;
  EXPECT_EQ(count_of(svg_of({chart}), "<circle"), 1U);
}

TEST(Charts, show_one_point_even_without_points) {
  Series one = series("", {3}, {4});
  one.points = false;
  EXPECT_EQ(count_of(svg_of({chart_of(one)}), "<circle"), 1U);
}

TEST(Charts, say_where_there_is_nothing) {
  EXPECT_EQ(count_of(svg_of({Chart{}}), "no data"), 1U);
  EXPECT_EQ(count_of(svg_of({chart_of(series("empty", {}, {}))}), "no data"), 1U);
  EXPECT_EQ(count_of(svg_of({chart_of(series("nothing finite", {1, 2}, {nan, nan}))}), "no data"),
            1U);
  EXPECT_EQ(count_of(svg_of({chart_of(series("some", {1}, {2}))}), "no data"), 0U);
}

TEST(Charts, have_bands_and_marks_and_ignore_halves_of_bands) {
  Series band = series("", {1, 2, 3}, {2, 2, 2});
  band.low = {1, 1, 1};
  EXPECT_EQ(count_of(svg_of({chart_of(band)}), "<polygon"), 0U);
  band.high = {3, nan, 3};
  EXPECT_EQ(count_of(svg_of({chart_of(band)}), "<polygon"), 2U);
  Chart chart = chart_of(band);
  chart.marks = {{2, "here"}, {nan, "nowhere"}};
  const std::string svg = svg_of({chart});
  EXPECT_EQ(count_of(svg, "here<"), 1U);
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 1U);
}

TEST(Charts, label_powers_of_two_only_where_all_are) {
  Chart chart = chart_of(series("", {1, 1 << 20}, {1, 2}));
  chart.log_x = true;
  EXPECT_NE(svg_of({chart}).find(">2^20<"), std::string::npos);
  chart.series.push_back(series("", {1000}, {1}));
  EXPECT_EQ(svg_of({chart}).find("2^"), std::string::npos);
}

TEST(Charts, stand_in_two_columns) {
  const Chart chart = chart_of(series("", {1, 2}, {1, 2}));
  EXPECT_NE(svg_of({chart}).find(R"(width="600" height="400")"), std::string::npos);
  EXPECT_NE(svg_of({chart, chart, chart}).find(R"(width="1200" height="800")"), std::string::npos);
}

TEST(Charts, refuse_other_endings_and_places) {
  const std::vector<Chart> charts = {Chart{}};
  try {
    draw(charts, testing::TempDir() + "chart.gif");
    FAIL() << "a GIF was drawn";
  } catch (const InvalidOption& error) {
    EXPECT_NE(std::string(error.what()).find(".svg, .png or .pdf"), std::string::npos);
  }
  EXPECT_THROW(draw(charts, "svg"), InvalidOption);
  EXPECT_THROW(draw({}, testing::TempDir() + "chart.svg"), InvalidOption);
  EXPECT_THROW(draw(charts, testing::TempDir() + "no/such/folder/chart.svg"), FileError);
}

TEST(Words, are_made_readable) {
  EXPECT_EQ(chart::readable("plain \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "plain \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(chart::readable("a\x01\nb\x1F"), "ab");
  // A byte that begins nothing, a character cut off, one in more bytes than it needs, a surrogate,
  // and one beyond the last.
  EXPECT_EQ(chart::readable("\xFF|\xC3|\xE2\x82"), "?|?|??");
  EXPECT_EQ(chart::readable("\xC0\xAF|\xE0\x80\xAF|\xED\xA0\x80|\xF4\x90\x80\x80"),
            "??|???|???|????");
}

TEST(Words, are_cut_to_a_width_between_characters) {
  const auto canvas = chart::svg_canvas();
  const chart::Lettering lettering{.size = 10};
  const std::string words = "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC";
  EXPECT_EQ(chart::fitted(*canvas, words, lettering, 1000), words);
  EXPECT_EQ(chart::fitted(*canvas, words, lettering, canvas->text_width(words, lettering)), words);
  const double room = canvas->text_width("\xC3\xA4\xC3\xB6...", lettering);
  EXPECT_EQ(chart::fitted(*canvas, words, lettering, room + 0.01), "\xC3\xA4\xC3\xB6...");
  EXPECT_EQ(chart::fitted(*canvas, words, lettering, 0), "...");
}

TEST(Charts, cut_titles_that_are_too_long) {
  Chart chart;
  chart.title = "begins " + std::string(200, 'm');
  const std::string svg = svg_of({chart});
  EXPECT_NE(svg.find(">begins mmm"), std::string::npos);
  EXPECT_NE(svg.find("mmm...<"), std::string::npos);
}

TEST(Svg, estimates_the_width_of_characters_not_bytes) {
  const auto canvas = chart::svg_canvas();
  const auto width = [&](const char* words) { return canvas->text_width(words, {.size = 10}); };
  EXPECT_NEAR(width("ab"), width("a") + width("b"), 1e-12);
  EXPECT_NEAR(width("\xC3\xA4\xE2\x82\xAC"), width("??"), 1e-12);
  EXPECT_NEAR(width("0123456789"), 10 * width("0"), 1e-12);
  EXPECT_LT(width("i"), width("n"));
  EXPECT_LT(width("n"), width("W"));
  EXPECT_NEAR(canvas->text_width("ab", {.size = 20}), 2 * width("ab"), 1e-12);
}

}  // namespace

}  // namespace kallima::cli
