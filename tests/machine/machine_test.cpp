// SPDX-License-Identifier: BSD-3-Clause
#include "machine/figures.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kallima/error.hpp"

namespace kallima {
namespace {

TEST(curve, is_straight_in_logarithms_between_its_points) {
  // From (1, 2) to (100, 200) the value is 2 x; half of the way in the logarithm is x = 10.
  const Curve curve({{1., 2.}, {100., 200.}});
  EXPECT_DOUBLE_EQ(curve.at(1.), 2.);
  EXPECT_NEAR(curve.at(10.), 20., 1e-12);
  EXPECT_DOUBLE_EQ(curve.at(100.), 200.);
}

TEST(curve, keeps_its_ends_beyond_them_and_says_so) {
  const Curve curve({{2., 5.}, {8., 7.}});
  EXPECT_DOUBLE_EQ(curve.at(1.), 5.);
  EXPECT_DOUBLE_EQ(curve.at(9.), 7.);
  EXPECT_FALSE(curve.covers(1.));
  EXPECT_TRUE(curve.covers(2.));
  EXPECT_TRUE(curve.covers(8.));
  EXPECT_FALSE(curve.covers(9.));
}

TEST(curve, of_one_point_is_the_same_everywhere) {
  const Curve curve(3.);
  EXPECT_DOUBLE_EQ(curve.at(1e-9), 3.);
  EXPECT_DOUBLE_EQ(curve.at(1e9), 3.);
  EXPECT_TRUE(curve.covers(1e9));
  EXPECT_DOUBLE_EQ(Curve().at(5.), 0.);
}

TEST(curve, begins_at_zero_where_it_is_told_to) {
  // Zero has no logarithm: a straight line in the value, in the logarithm of the argument.
  const Curve curve({{1., 0.}, {100., 4.}});
  EXPECT_NEAR(curve.at(10.), 2., 1e-12);
}

TEST(curve, refuses_arguments_that_do_not_grow_and_negative_values) {
  EXPECT_THROW(Curve({{2., 1.}, {2., 1.}}), InvalidOption);
  EXPECT_THROW(Curve({{0., 1.}}), InvalidOption);
  EXPECT_THROW(Curve({{1., -1.}}), InvalidOption);
  EXPECT_THROW(Curve({{1., std::numeric_limits<double>::quiet_NaN()}}), InvalidOption);
  EXPECT_THROW(Curve({{1., std::numeric_limits<double>::infinity()}}), InvalidOption);
}

Machine odd_machine() {
  MachineFigures machine = built_in_machine().figures();
  machine.name = "odd \"one\"";
  machine.about = "line\nbreak, \\ and \t";
  machine.made = "2026-11-15";
  machine.node = {3, 5, 1.5e11, true};
  machine.speeds.front().f32.lines.in_cache = Curve({{2., 1. / 3.}, {7., 0.1}});
  machine.speeds.front().kernels_f64.primes = Curve(1.5);
  machine.speeds.front().kernels_f64.ragged = 1.25;
  machine.shared_memory.available = false;
  machine.topology = {Wiring::dragonfly, 1.75, 4, 74, 9408};
  machine.accuracy = {0.07, 1. / 7.};
  machine.sources["node.cores"] = "counted";
  return machine;
}

TEST(machine_file, restores_every_figure_exactly) {
  for (const Machine& machine : {built_in_machine(), odd_machine()}) {
    const Machine read = Machine::parse(Machine(machine).to_text());
    EXPECT_EQ(read, machine);
    EXPECT_EQ(read.hash(), machine.hash());
    EXPECT_EQ(read.to_text(), Machine(machine).to_text());
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::invalid_argument("the text has no " + what);
  return text.replace(at, what.size(), by);
}

TEST(machine_file, says_what_is_wrong_and_what_to_do) {
  const std::string good = built_in_machine().to_text();
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      Machine::parse(text);
      return "it was read";
    } catch (const ParseError& error) {
      return error.what();
    }
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {replaced(good, "kallima.machine/3", "kallima.machine/9"), "kallima.machine/9"},
      {replaced(good, "latency", "latencie"), "in_node.latency"},
      {replaced(good, "cores = 64", "cores = 0"), "node.cores"},
      {replaced(good, "cores = 64", "cores = 64\ncolour = 3"), "node.colour"},
      {replaced(good, "cores = 64", "cores = -1"), "node.cores"},
      {replaced(good, "active = 64", "active = 1"), "speed.active"},
      {replaced(good, "fat-tree", "web"), "topology.wiring"},
      {replaced(odd_machine().to_text(), "[speed.f32.kernels.lines]", "[speed.f32.kernels.line]"),
       "speed.f32.kernels.line"},
      {replaced(good, "taper = 2.0", "taper = 0.5"), "topology.taper"},
      {replaced(good, "copy = [[", "copy = [[-1.0, 2.0], ["), "speed.copy"},
      {replaced(good, "copy = [[", "copy = [[1.0], ["), "speed.copy"},
      {replaced(good, "\n[sources]", "\n[sauces]"), "sources"},
      {good.substr(0, good.size() / 2), ""},
      {"", "schema"},
      {"not toml", "line 1"}};
  for (const auto& [text, part] : cases) {
    const std::string why = refusal(text);
    EXPECT_NE(why.find(part), std::string::npos) << why << " should name " << part;
    EXPECT_NE(why.find("kallima calibrate"), std::string::npos) << why;
  }
}

TEST(machine_file, of_the_schema_before_has_kernels_assumed) {
  const std::string now = built_in_machine().to_text();
  EXPECT_EQ(now.find("kernels"), std::string::npos);  // where both engines take as long
  const Machine read = Machine::parse(replaced(now, "kallima.machine/3", "kallima.machine/2"));
  EXPECT_EQ(read->sources.at("speed.f64.kernels").find("assumed"), 0U);
  EXPECT_EQ(Machine::parse(read.to_text()), read);
  for (const Speed& speed : read->speeds) {
    EXPECT_LT(speed.kernels_f64.interleaved.in_cache.at(256.),
              speed.f64.interleaved.in_cache.at(256.));
    EXPECT_LT(speed.kernels_f32.lines.beyond.at(1e9), speed.f32.lines.beyond.at(1e9));
    EXPECT_EQ(speed.kernels_f64.primes, speed.f64.primes);
  }
}

TEST(find_machine, knows_files_names_and_what_there_is) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("kallima-machines-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "odd.toml";
  std::ofstream(file) << odd_machine().to_text();
  ::setenv("KALLIMA_MACHINES", folder.c_str(), 1);
  EXPECT_EQ(find_machine(file.string()), odd_machine());
  EXPECT_EQ(find_machine("odd"), odd_machine());
  EXPECT_EQ(find_machine("built-in"), built_in_machine());
  try {
    find_machine("even");
    ADD_FAILURE() << "there is no such machine";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("built-in, "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("odd"), std::string::npos) << error.what();
  }
  ::setenv("KALLIMA_MACHINE", "odd", 1);
  EXPECT_EQ(default_machine(), odd_machine());
  ::unsetenv("KALLIMA_MACHINE");
  EXPECT_EQ(default_machine(), built_in_machine());
  ::unsetenv("KALLIMA_MACHINES");
  std::ofstream(file) << "damaged";
  EXPECT_THROW(find_machine(file.string()), ParseError);
  std::filesystem::remove_all(folder);
}

TEST(Machine, texts_of_any_letters_are_restored) {
  MachineFigures machine = built_in_machine().figures();
  machine.name = "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\x8b \" \\ \n \x7f '";
  machine.sources["a.\xc2\xa7 \n\"b\""] = "\t";
  EXPECT_EQ(Machine::parse(Machine(machine).to_text()), machine);
  machine.name = "not UTF-8: \xff\xc3(";
  EXPECT_NO_THROW(Machine::parse(Machine(machine).to_text()));
}

TEST(Machine, hostile_texts_are_refused) {
  const std::size_t many = 1000000;
  std::string dotted = "a";
  for (std::size_t i = 0; i < many / 2; ++i) dotted += ".a";
  for (const std::string& text :
       {std::string("s = \"\"\"\\\n\xc2\xa7\"\"\"\n"), "a = " + std::string(many, '['),
        dotted + " = 1\n", "[" + dotted + "]\n", std::string(2 * many, '\n')}) {
    EXPECT_THROW(Machine::parse(text), ParseError) << text.substr(0, 20);
  }
}

}  // namespace
}  // namespace kallima
