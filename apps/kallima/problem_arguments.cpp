// SPDX-License-Identifier: BSD-3-Clause
#include "problem_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/text.hpp"
#include "kallima/error.hpp"
#include "options.hpp"
#include "planner/decompositions.hpp"

namespace kallima::cli {

namespace {

constexpr const char* layout_help = R"(LAYOUT:
  any                       whatever is best
  slab                      the first axis in blocks over all ranks
  pencil, pencil:4x2        the first two axes in blocks, over a grid of 4 x 2 ranks
  brick, brick:2x2x2        every axis in blocks
  cyclic, cyclic:2x2x1      every axis distributed cyclically
  same                      for --out: the layout of the input (of reals, with a whole r2c axis)
  "z:block/4 y:all x:cyclic/2"
                            axis by axis, slowest in memory first; x is the last axis, then y, z,
                            w, v, u; block/4:ceil is FFTW's rule for uneven blocks)";

constexpr const char* families_help = R"(
FAMILY:
  any                       whatever is cheapest
  slab, pencil              one axis over all ranks at a time; two or more over grids of ranks
  cyclic                    axes distributed cyclically
  gather                    everything on one rank
  convolution               one axis of any length, as a convolution (Bluestein)
)";

}  // namespace

std::string problem_help() {
  std::string methods =
      "METHOD:\n  any                       whatever is cheapest of those that can be had\n";
#define KALLIMA_METHOD(number, name, NAME, text, meaning) \
  methods += fmt::format("  {:<24}  {}\n", text, meaning);
  KALLIMA_METHOD_TABLE(KALLIMA_METHOD)
#undef KALLIMA_METHOD
  return std::string(layout_help) + "\n\n" + methods + families_help;
}

namespace {

constexpr std::string_view known_layouts =
    "any, slab, pencil, pencil:4x2, brick:2x2x2, cyclic:2x2x1, same (for --out), or axis by axis "
    "as in 'z:block/4 y:all x:all'";

std::vector<std::size_t> first_axes(std::size_t count) {
  std::vector<std::size_t> axes(count);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

/// The numbers of "4x2"; a grid distributed over the first `cut` axes where the text is empty.
std::vector<Index> grid_of(const std::string& text, const Shape& shape, std::size_t cut,
                           Index ranks) {
  if (text.empty()) {
    std::vector<Index> procs = process_grid(shape, first_axes(std::min(cut, shape.size())), ranks);
    procs.resize(cut, 1);
    return procs;
  }
  std::vector<Index> procs;
  for (const std::string& word : text::split(text, 'x')) {
    procs.push_back(text::parse_count(word, fmt::format("grid '{}'", text)));
  }
  return procs;
}

Layout pencil(const std::string& grid, const Shape& shape, Index ranks) {
  const std::vector<Index> procs = grid_of(grid, shape, 2, ranks);
  if (procs.size() != 2) {
    throw ParseError(
        fmt::format("pencils have a grid of two numbers, as in pencil:4x2, not '{}'", grid));
  }
  return Layout::pencil(shape, shape.size() - 1, procs[0], procs[1]);
}

/// The same distribution where the r2c axis and truncated ones have other extents.
Layout with_extents(Layout layout, const Problem& problem, const Shape& shape) {
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (!problem.shrinks(a)) continue;
    if (!layout.whole(a)) {
      throw InvalidLayout(
          fmt::format("'same' needs axis {}, {}, to be whole on every rank; name the "
                      "layout of --out",
                      axis_names(shape.size())[a],
                      problem.truncated(a) ? "which is truncated" : "the r2c axis"));
    }
    layout = layout.with_extent(a, shape[a]);
  }
  return layout;
}

}  // namespace

Index count_of(const std::string& text, const std::string& what) {
  if (!text.starts_with("2^")) return text::parse_count(text, what);
  const Index power = text::parse_count(std::string_view(text).substr(2), what);
  if (power > 62) throw ParseError(fmt::format("{}: {} does not fit 64 bits", what, text));
  return Index{1} << power;
}

std::optional<Layout> layout_of(const std::string& text, const Shape& shape, Index ranks) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string grid = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (text == "any") return std::nullopt;
  if (text == "slab") return Layout::slab(shape, std::min(ranks, shape.front()));
  if (kind == "pencil") return pencil(grid, shape, ranks);
  if (kind == "brick") return Layout::block(shape, grid_of(grid, shape, shape.size(), ranks));
  if (kind == "cyclic") return Layout::cyclic(shape, grid_of(grid, shape, shape.size(), ranks));
  if (colon == std::string::npos && !text.starts_with("boxes")) {
    throw ParseError(fmt::format("layout '{}' is not known; use {}", text, known_layouts));
  }
  return Layout::parse(text, shape);
}

void ProblemArguments::add_to(Command command, bool required) {
  Option option = command.add_option(
      "PROBLEM", problem, "As in c2c:512x512x512, c2c:2^30:f32, r2c:512^3 or, back, c2r:512^3");
  option.type_name("");
  if (required) option.required();
  command.add_option("--in", in, "Layout of the input (default: any)").type_name("LAYOUT");
  command.add_option("--out", out, "Layout of the output (default: any)").type_name("LAYOUT");
  Choices<ExchangeMethod> methods = {{"any", ExchangeMethod::any}};
#define KALLIMA_METHOD(number, name, NAME, text, meaning) \
  methods.emplace_back(text, ExchangeMethod::name);
  KALLIMA_METHOD_TABLE(KALLIMA_METHOD)
#undef KALLIMA_METHOD
  command
      .add_choice<ExchangeMethod>("--method", method, methods, "How pieces travel",
                                  Listing::elsewhere)
      .type_name("METHOD");
  command
      .add_option("--chunks", chunks,
                  "Chunks of sweeps, so that messages travel meanwhile (default: cheapest)")
      .type_name("N");
  command
      .add_choice<Decomposition>("--decomposition", decomposition,
                                 {{"any", Decomposition::any},
                                  {"slab", Decomposition::slab},
                                  {"pencil", Decomposition::pencil},
                                  {"cyclic", Decomposition::cyclic},
                                  {"gather", Decomposition::gather},
                                  {"convolution", Decomposition::convolution}},
                                 "Which family of plans", Listing::elsewhere)
      .type_name("FAMILY");
  command.add_flag("--padded", padded, "Pad rows of reals to the length of their frequencies");
}

PlanRequest ProblemArguments::request(Index ranks, std::shared_ptr<const Machine> machine) const {
  PlanRequest request;
  request.machine = std::move(machine);
  request.problem = Problem::parse(is_way_back() ? "r2c" + problem.substr(3) : problem);
  if (request.problem.of_words() || request.problem.precision == Precision::u8) {
    throw ParseError(
        fmt::format("problem '{}': only c2c, r2c and r2r of f32 and f64 are planned "
                    "and run here; use the library for others",
                    problem));
  }
  request.ranks = ranks;
  request.method = method;
  request.chunks = chunks;
  request.decomposition = decomposition;
  request.padded = padded;
  if (in == "same") throw ParseError("layout 'same' is for --out; the input has none to be like");
  const std::string& position = is_way_back() ? out : in;
  const std::string& frequency = is_way_back() ? in : out;
  if (position != "same") request.in = layout_of(position, request.problem.shape, ranks);
  if (frequency != "same") {
    request.out = layout_of(frequency, request.problem.frequency_shape(), ranks);
  }
  if (out == "same" && is_way_back()) {
    if (!request.out) request.out = make_plan(request).output();
    request.in = with_extents(*request.out, request.problem, request.problem.shape);
  } else if (out == "same") {
    if (!request.in) request.in = make_plan(request).input();
    request.out = with_extents(*request.in, request.problem, request.problem.frequency_shape());
  }
  validate(request);
  return request;
}

}  // namespace kallima::cli
