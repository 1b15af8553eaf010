// SPDX-License-Identifier: BSD-3-Clause
//
// The text form of a machine: TOML, written so that people can read and fix it, with the unit of
// every figure beside it. Figures are written with as many digits as restore them exactly.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// Its own warnings are not ours.
// What the parser asserts, keys of any text can break; without it they are parse errors.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include "base/text.hpp"
#include "kallima/error.hpp"
#include "machine/assumed_kernels.hpp"
#include "machine/figures.hpp"

namespace kallima {

namespace {

constexpr const char* schema = "kallima.machine/3";

/// Of machines that were calibrated before there were kernels: rates are FFTW's alone.
constexpr const char* schema_of_fftw = "kallima.machine/2";

constexpr std::array wirings = {
    std::pair{Wiring::full, "full"}, std::pair{Wiring::fat_tree, "fat-tree"},
    std::pair{Wiring::torus, "torus"}, std::pair{Wiring::dragonfly, "dragonfly"}};

[[noreturn]] void refuse(const std::string& what) {
  throw ParseError("the machine file cannot be read: " + what +
                   "; fix it, or make it anew with `kallima calibrate`");
}

/// A table of the file, and what it is called in messages. Keys that nobody asked for are refused
/// in the end: most are misspelt.
class Table {
 public:
  Table(const toml::table& table, std::string name) : table_(table), name_(std::move(name)) {}
  Table(const Table&) = delete;
  Table(Table&&) = delete;
  Table& operator=(const Table&) = delete;
  Table& operator=(Table&&) = delete;
  ~Table() = default;

  [[nodiscard]] std::string called(const char* key) const {
    return name_.empty() ? key : name_ + "." + key;
  }

  [[nodiscard]] const toml::node* find(const char* key) {
    asked_.emplace_back(key);
    return table_.get(key);
  }

  std::string word(const char* key, const char* otherwise = nullptr) {
    const toml::node* const node = find(key);
    if (node == nullptr && otherwise != nullptr) return otherwise;
    if (node == nullptr || !node->is_string()) refuse("it has no text " + called(key));
    return node->as_string()->get();
  }

  double number(const char* key, std::optional<double> otherwise = {}) {
    const toml::node* const node = find(key);
    if (node == nullptr && otherwise) return *otherwise;
    const std::optional<double> value = node == nullptr ? std::nullopt : node->value<double>();
    if (!value || !std::isfinite(*value) || *value < 0.) {
      refuse(called(key) + " is not a number from 0 on");
    }
    return *value;
  }

  Index count(const char* key, Index least, std::optional<Index> otherwise = {}) {
    const toml::node* const node = find(key);
    if (node == nullptr && otherwise) return *otherwise;
    const std::optional<std::int64_t> value =
        node == nullptr || !node->is_integer() ? std::nullopt : node->value<std::int64_t>();
    if (!value || *value < least || *value > most_count) {
      refuse(fmt::format("{} is not a whole number from {} to {}", called(key), least, most_count));
    }
    return *value;
  }

  bool flag(const char* key, bool otherwise) {
    const toml::node* const node = find(key);
    if (node == nullptr) return otherwise;
    if (!node->is_boolean()) refuse(called(key) + " is neither true nor false");
    return node->as_boolean()->get();
  }

  /// A number is a curve that is the same everywhere.
  Curve curve(const char* key) {
    const toml::node* const node = find(key);
    if (node == nullptr) refuse("it has no curve " + called(key));
    try {
      if (node->is_number()) return Curve({{1., node->value<double>().value_or(-1.)}});
      std::vector<Curve::Point> points;
      if (!node->is_array()) refuse(called(key) + " is not a list of points");
      for (const toml::node& entry : *node->as_array()) points.push_back(point(entry, key));
      return Curve(std::move(points));
    } catch (const InvalidOption& error) {
      refuse(called(key) + ": " + error.what());
    }
  }

  const toml::table& table(const char* key) {
    const toml::node* const node = find(key);
    if (node == nullptr || !node->is_table()) refuse("it has no table " + called(key));
    return *node->as_table();
  }

  /// Refuses what was not asked for.
  void done() const {
    for (const auto& entry : table_) {
      const std::string key(entry.first.str());
      if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
        refuse("nobody knows " + called(key.c_str()));
      }
    }
  }

 private:
  static constexpr Index most_count = Index{1} << 40;

  [[nodiscard]] Curve::Point point(const toml::node& entry, const char* key) const {
    const toml::array* const pair = entry.as_array();
    if (pair == nullptr || pair->size() != 2 || !pair->get(0)->is_number() ||
        !pair->get(1)->is_number()) {
      refuse(called(key) + " has a point that is not two numbers");
    }
    return {pair->get(0)->value<double>().value_or(-1.),
            pair->get(1)->value<double>().value_or(-1.)};
  }

  const toml::table& table_;
  std::string name_;
  std::vector<std::string> asked_;
};

SweepRates read_sweeps(const toml::table& from, const std::string& name) {
  Table table(from, name);
  SweepRates rates;
  rates.in_cache = table.curve("in_cache");
  rates.beyond = table.curve("beyond");
  rates.reach = table.curve("reach");
  table.done();
  return rates;
}

/// What else the table of FFTW's rates has, its own reader reads.
FftRates read_rates(Table& table, const std::string& name) {
  FftRates rates;
  rates.lines = read_sweeps(table.table("lines"), name + ".lines");
  rates.interleaved = read_sweeps(table.table("interleaved"), name + ".interleaved");
  rates.primes = table.curve("primes");
  rates.real = table.curve("real");
  rates.twiddle = table.number("twiddle");
  rates.ragged = table.number("ragged", 1.);
  return rates;
}

/// Both engines of one precision. Without a table of its own, the rates of kernels are the others.
void read_engines(const toml::table& from, const std::string& name, FftRates& fftw,
                  FftRates& kernels) {
  Table table(from, name);
  fftw = read_rates(table, name);
  kernels = fftw;
  if (table.find("kernels") != nullptr) {
    Table inner(table.table("kernels"), name + ".kernels");
    kernels = read_rates(inner, name + ".kernels");
    inner.done();
  }
  table.done();
}

Speed read_speed(const toml::table& from) {
  Table table(from, "speed");
  Speed speed;
  speed.active = table.count("active", 1);
  speed.copy = table.curve("copy");
  speed.joined = table.number("joined", 1.);
  speed.in_plan = table.curve("in_plan");
  read_engines(table.table("f32"), "speed.f32", speed.f32, speed.kernels_f32);
  read_engines(table.table("f64"), "speed.f64", speed.f64, speed.kernels_f64);
  table.done();
  return speed;
}

std::vector<Speed> read_speeds(const toml::node* node) {
  std::vector<Speed> speeds;
  if (node == nullptr || !node->is_array_of_tables()) refuse("it has no [[speed]]");
  for (const toml::node& entry : *node->as_array()) {
    speeds.push_back(read_speed(*entry.as_table()));
    if (speeds.size() > 1 && speeds[speeds.size() - 2].active >= speeds.back().active) {
      refuse("speed.active does not grow from one [[speed]] to the next");
    }
  }
  if (speeds.empty()) refuse("it has no [[speed]]");
  return speeds;
}

Fits read_fits(const toml::table& from, const std::string& name) {
  Table table(from, name);
  Fits fits;
  fits.alpha = table.number("alpha");
  fits.beta = table.number("beta");
  fits.datum_gap = table.number("datum_gap");
  fits.datum_bytes = table.number("datum_bytes");
  if (fits.datum_bytes < 1.) refuse(name + ".datum_bytes is less than 1");
  fits.bsp_gap = table.number("bsp_gap");
  fits.bsp_sync = table.number("bsp_sync");
  table.done();
  return fits;
}

Link read_link(const toml::table& from, const char* name) {
  Table table(from, name);
  Link link;
  link.latency = table.number("latency");
  link.overhead = table.number("overhead");
  link.gap = table.number("gap");
  link.per_byte = table.curve("per_byte");
  link.node_per_byte = table.number("node_per_byte", 0.);
  link.busy = table.number("busy", 1.);
  link.assumed = table.word("assumed", "");
  link.fits = read_fits(table.table("fits"), std::string(name) + ".fits");
  table.done();
  return link;
}

Sharing read_shared_memory(const toml::table& from) {
  Table table(from, "shared_memory");
  Sharing shared_memory;
  shared_memory.available = table.flag("available", true);
  shared_memory.barrier = table.curve("barrier");
  shared_memory.in_plan = table.curve("in_plan");
  table.done();
  return shared_memory;
}

Topology read_topology(const toml::table& from) {
  Table table(from, "topology");
  Topology topology;
  const std::string wiring = table.word("wiring");
  bool known = false;
  for (const auto& [kind, name] : wirings) {
    if (wiring != name) continue;
    topology.wiring = kind;
    known = true;
  }
  if (!known) refuse("topology.wiring is none of full, fat-tree, torus, dragonfly");
  topology.taper = table.number("taper", 1.);
  if (topology.taper < 1.) refuse("topology.taper is less than 1");
  topology.dimensions = table.count("dimensions", 1, 3);
  topology.groups = table.count("groups", 2, 2);
  topology.nodes = table.count("nodes", 0, 0);
  table.done();
  return topology;
}

Node read_node(const toml::table& from) {
  Table table(from, "node");
  Node node;
  node.cores = table.count("cores", 1);
  node.ranks = table.count("ranks", 1);
  node.memory = table.number("memory", 0.);
  node.overlaps = table.flag("overlaps", false);
  node.accelerators = table.flag("accelerators", false);
  table.done();
  return node;
}

Accuracy read_accuracy(const toml::table& from) {
  Table table(from, "accuracy");
  Accuracy accuracy;
  accuracy.sweeps = table.number("sweeps");
  accuracy.exchanges = table.number("exchanges");
  table.done();
  return accuracy;
}

std::map<std::string, std::string> read_sources(const toml::table& from) {
  std::map<std::string, std::string> sources;
  for (const auto& [key, node] : from) {
    if (!node.is_string()) refuse("a source is not a text");
    sources.emplace(key.str(), node.as_string()->get());
  }
  return sources;
}

/// The code point that begins `rest`, which loses its bytes; U+FFFD for what is not UTF-8.
std::uint32_t take_code_point(std::string_view& rest) {
  constexpr std::uint32_t replacement = 0xFFFD;
  const auto first = static_cast<unsigned char>(rest.front());
  rest.remove_prefix(1);
  if (first < 0x80) return first;
  const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || rest.size() < more) return replacement;
  std::uint32_t point = first & (0x3FU >> more);
  for (std::size_t i = 0; i < more; ++i) {
    const auto next = static_cast<unsigned char>(rest[i]);
    if ((next & 0xC0U) != 0x80U) return replacement;
    point = (point << 6U) | (next & 0x3FU);
  }
  rest.remove_prefix(more);
  constexpr std::array<std::uint32_t, 4> least = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return point < least[more] || point > 0x10FFFF || surrogate ? replacement : point;
}

/// In ASCII; see require_ascii().
std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::uint32_t point = take_code_point(text);
    if (point == '"' || point == '\\') {
      result += {'\\', static_cast<char>(point)};
    } else if (point >= 0x20 && point < 0x7F) {
      result += static_cast<char>(point);
    } else {
      result += point <= 0xFFFF ? fmt::format("\\u{:04X}", point) : fmt::format("\\U{:08X}", point);
    }
  }
  return result + "\"";
}

/// toml++ 3.3 does what is undefined with some letters that are not ASCII, such as U+00A7 (its
/// issues 190 and 295).
void require_ascii(std::string_view text) {
  const auto other = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  const auto* const found = std::find_if(text.begin(), text.end(), other);
  if (found == text.end()) return;
  refuse(fmt::format("line {}: it has a character that is not ASCII, which texts write as \\u00E9",
                     1 + std::count(text.begin(), found, '\n')));
}

/// toml++ 3.3 calls itself for each part of a dotted key, however many there are.
void require_small(std::string_view text) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  constexpr std::ptrdiff_t most_dots = 200;
  if (text.size() > most_bytes) refuse("it has more than 2^20 bytes");
  Index number = 0;
  for (const std::string& line : text::split(text, '\n')) {
    ++number;
    if (std::count(line.begin(), line.end(), '.') <= most_dots) continue;
    refuse(fmt::format("line {}: it has more than {} dots, so break it", number, most_dots));
  }
}

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const bool whole = text.find_first_of(".en") == std::string::npos;
  return whole ? text + ".0" : text;
}

std::string curve_text(const char* key, const Curve& curve, const char* unit) {
  std::string text = fmt::format("# {}\n{} = [", unit, key);
  std::size_t column = 0;
  for (const auto& [argument, value] : curve.points()) {
    const std::string point = fmt::format("[{}, {}], ", number_text(argument), number_text(value));
    constexpr std::size_t width = 96;
    if (column + point.size() > width) {
      text += "\n  ";
      column = 0;
    }
    text += point;
    column += point.size();
  }
  return text + "]\n";
}

std::string sweeps_text(const std::string& name, const char* what, const SweepRates& rates) {
  return fmt::format(
      "\n[{}]  # {}\n{}{}{}", name, what,
      curve_text("in_cache", rates.in_cache, "seconds per element, over the length of a line"),
      curve_text("beyond", rates.beyond,
                 "seconds per byte in addition, over the bytes of all arrays"),
      curve_text("reach", rates.reach, "times that, over the length of a line"));
}

/// Nothing where rows take as long wherever they begin.
std::string ragged_text(double ragged) {
  if (ragged == 1.) return {};
  return fmt::format("ragged = {}  # times sweeps across rows that do not begin on cache lines\n",
                     number_text(ragged));
}

std::string rates_text(const std::string& name, const FftRates& rates) {
  return fmt::format(
      "\n[{}]\n{}{}"
      "twiddle = {}  # seconds per element of an axis that is split\n"
      "{}{}{}",
      name,
      curve_text(
          "primes", rates.primes,
          "times what sweeps take in cache, over a prime of the length, for its part of log n"),
      curve_text("real", rates.real,
                 "a real element's time over a complex one's, over the length of a line"),
      number_text(rates.twiddle), ragged_text(rates.ragged),
      sweeps_text(name + ".lines", "along memory", rates.lines),
      sweeps_text(name + ".interleaved", "across memory", rates.interleaved));
}

/// FFTW's, and those of kernels where these are others.
std::string engines_text(const std::string& name, const FftRates& fftw, const FftRates& kernels) {
  const std::string text = rates_text(name, fftw);
  return kernels == fftw ? text : text + rates_text(name + ".kernels", kernels);
}

std::string speed_text(const Speed& speed) {
  return fmt::format(
      "\n[[speed]]\nactive = {}  # ranks at work on a node\njoined = {}  # two sweeps in one pass, "
      "over both by themselves\n{}{}{}{}",
      speed.active, number_text(speed.joined),
      curve_text("copy", speed.copy, "seconds per byte copied, over the bytes of all arrays"),
      curve_text("in_plan", speed.in_plan, "times all that, of sweeps in a plan"),
      engines_text("speed.f32", speed.f32, speed.kernels_f32),
      engines_text("speed.f64", speed.f64, speed.kernels_f64));
}

std::string fits_text(const char* name, const Fits& fits) {
  return fmt::format(
      "\n[{}.fits]  # by models that know less\nalpha = {}  # seconds per message\nbeta = {}  # "
      "seconds per byte\ndatum_gap = {}  # LogP's g, seconds\ndatum_bytes = {}\nbsp_gap = {}  # "
      "seconds per byte\nbsp_sync = {}  # seconds\n",
      name, number_text(fits.alpha), number_text(fits.beta), number_text(fits.datum_gap),
      number_text(fits.datum_bytes), number_text(fits.bsp_gap), number_text(fits.bsp_sync));
}

/// Nothing where all of the time keeps a core busy, as is assumed where nobody says otherwise.
std::string busy_text(double busy) {
  if (busy == 1.) return {};
  return fmt::format("busy = {}  # part of the time of bytes that keeps a core busy\n",
                     number_text(busy));
}

std::string link_text(const char* name, const Link& link) {
  return fmt::format(
             "\n[{}]\nlatency = {}  # L, seconds\noverhead = {}  # o, seconds\ngap = {}  # g, "
             "seconds\n"
             "{}node_per_byte = {}  # seconds per byte that all ranks of a node send together\n"
             "{}{}",
             name, number_text(link.latency), number_text(link.overhead), number_text(link.gap),
             curve_text("per_byte", link.per_byte,
                        "G: seconds per byte, over the bytes of a message"),
             number_text(link.node_per_byte), busy_text(link.busy),
             link.assumed.empty() ? std::string()
                                  : fmt::format("assumed = {}  # not measured: what such links "
                                                "commonly have\n",
                                                quoted(link.assumed))) +
         fits_text(name, link.fits);
}

std::string wiring_name(Wiring wiring) {
  for (const auto& [kind, name] : wirings) {
    if (kind == wiring) return name;
  }
  throw InternalError("a wiring without a name");
}

}  // namespace

Machine Machine::parse(std::string_view toml) {
  require_ascii(toml);
  require_small(toml);
  try {
    const toml::table root = toml::parse(toml);
    Table table(root, "");
    const std::string found = table.word("schema");
    if (found != schema && found != schema_of_fftw) {
      refuse("its schema is '" + found + "', not '" + schema + "'");
    }
    MachineFigures machine;
    machine.name = table.word("name");
    machine.about = table.word("about", "");
    machine.made = table.word("made", "");
    machine.node = read_node(table.table("node"));
    machine.speeds = read_speeds(table.find("speed"));
    machine.shared_memory = read_shared_memory(table.table("shared_memory"));
    machine.in_node = read_link(table.table("in_node"), "in_node");
    machine.between_nodes = read_link(table.table("between_nodes"), "between_nodes");
    machine.topology = read_topology(table.table("topology"));
    machine.accuracy = read_accuracy(table.table("accuracy"));
    machine.sources = read_sources(table.table("sources"));
    table.done();
    if (found == schema_of_fftw) assume_kernels(machine);
    return machine;
  } catch (const toml::parse_error& error) {
    refuse(fmt::format("line {}: {}", error.source().begin.line, error.description()));
  }
}

std::string Machine::to_text() const {
  std::string text = fmt::format(
      "# A machine as `kallima calibrate` measures it, or as it was published. Times are in "
      "seconds,\n# sizes in bytes. [sources] says where figures come from.\n"
      "schema = \"{}\"\nname = {}\nabout = {}\nmade = {}\n",
      schema, quoted(figures_->name), quoted(figures_->about), quoted(figures_->made));
  text += fmt::format(
      "\n[node]\ncores = {}  # ranks that work without taking turns\nranks = {}  # a "
      "node, where "
      "nobody says otherwise\nmemory = {}  # bytes; 0: not known\noverlaps = {}  # computes while "
      "memory moves\n",
      figures_->node.cores, figures_->node.ranks, number_text(figures_->node.memory),
      figures_->node.overlaps);
  if (figures_->node.accelerators) text += "accelerators = true  # ranks are GPUs or the like\n";
  for (const Speed& speed : figures_->speeds) text += speed_text(speed);
  text += fmt::format("\n[shared_memory]\navailable = {}\n{}{}", figures_->shared_memory.available,
                      curve_text("barrier", figures_->shared_memory.barrier,
                                 "seconds a barrier takes, over their number"),
                      curve_text("in_plan", figures_->shared_memory.in_plan,
                                 "times what sweeps take by themselves, in a plan"));
  text +=
      link_text("in_node", figures_->in_node) + link_text("between_nodes", figures_->between_nodes);
  text += fmt::format(
      "\n[topology]\nwiring = \"{}\"\ntaper = {}\ndimensions = {}  # of a torus\ngroups = {}  # of "
      "a dragonfly\nnodes = {}  # 0: as many as "
      "asked "
      "for\n",
      wiring_name(figures_->topology.wiring), number_text(figures_->topology.taper),
      figures_->topology.dimensions, figures_->topology.groups, figures_->topology.nodes);
  text += fmt::format("\n[accuracy]\nsweeps = {}\nexchanges = {}\n\n[sources]\n",
                      number_text(figures_->accuracy.sweeps),
                      number_text(figures_->accuracy.exchanges));
  for (const auto& [figure, source] : figures_->sources) {
    text += fmt::format("{} = {}\n", quoted(figure), quoted(source));
  }
  return text;
}

Machine::Machine() : Machine(built_in_machine()) {}

Machine::Machine(MachineFigures figures)
    : figures_(std::make_shared<const MachineFigures>(std::move(figures))) {}

const std::string& Machine::name() const { return figures_->name; }

const std::string& Machine::about() const { return figures_->about; }

Index Machine::ranks_per_node() const { return figures_->node.ranks; }

bool Machine::operator==(const Machine& other) const { return *figures_ == *other.figures_; }

std::uint64_t Machine::hash() const { return text::hash(to_text()); }

}  // namespace kallima
