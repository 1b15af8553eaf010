// SPDX-License-Identifier: BSD-3-Clause
//
// The machines of machines/: each can be read, and says of every figure where it comes from.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "machine/figures.hpp"

namespace kallima {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(KALLIMA_PUBLISHED_MACHINES)) {
    if (entry.path().extension() == ".toml") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Dotted names of all figures that a machine's text form has, and of the tables they are in.
struct Figures {
  explicit Figures(const Machine& machine) {
    std::istringstream text(machine.to_text());
    std::string table;
    for (std::string line; std::getline(text, line) && line != "[sources]";) {
      if (line.starts_with('[')) {
        const std::size_t first = line.find_first_not_of('[');
        table = line.substr(first, line.find(']') - first);
        tables.insert(table);
      } else if (!table.empty() && line.find(" = ") != std::string::npos && line[0] != '#') {
        names.insert(table + "." + line.substr(0, line.find(" = ")));
      }
    }
  }

  std::set<std::string> names;
  std::set<std::string> tables;
};

/// By its own name or that of something it is part of.
bool has_source(const Machine& machine, std::string figure) {
  while (machine->sources.count(figure) == 0) {
    const std::size_t dot = figure.rfind('.');
    if (dot == std::string::npos) return false;
    figure.resize(dot);
  }
  return true;
}

class Published : public testing::TestWithParam<fs::path> {};

TEST_P(Published, is_restored_from_its_text) {
  const Machine machine = Machine::parse(content(GetParam()));
  EXPECT_EQ(Machine::parse(machine.to_text()), machine);
  EXPECT_EQ(machine->name, GetParam().stem().string());
  EXPECT_FALSE(machine->about.empty());
}

TEST_P(Published, says_where_every_figure_comes_from) {
  const Machine machine = Machine::parse(content(GetParam()));
  const Figures figures(machine);
  EXPECT_GT(figures.names.size(), 40U);
  for (const std::string& figure : figures.names) {
    EXPECT_TRUE(has_source(machine, figure)) << figure << " has no source";
  }
  for (const auto& [name, source] : machine->sources) {
    EXPECT_FALSE(source.empty()) << name;
    EXPECT_TRUE(figures.names.count(name) + figures.tables.count(name) > 0)
        << name << " is no figure";
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Published, testing::ValuesIn(files()), [](const auto& test) {
  std::string name = test.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace kallima
