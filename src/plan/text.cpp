// SPDX-License-Identifier: BSD-3-Clause
//
// The text form of a plan. Lines that begin with a keyword are the plan; lines indented deeper are
// remarks that follow from it. Reading a plan computes the remarks anew and compares the whole
// text, so a text that was damaged anywhere is refused.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "exchange/method.hpp"
#include "kallima/error.hpp"
#include "kallima/plan.hpp"
#include "plan/flaw.hpp"
#include "plan/text.hpp"
#include "schedule/schedule.hpp"
#include "steps/digits.hpp"

namespace kallima {

namespace {

/// More than any machine has, and few enough to go through.
constexpr Index most_ranks = Index{1} << 26;

/// Far more chunks than any plan has, and few enough to multiply.
constexpr Index most_chunks_read = Index{1} << 16;

constexpr const char* remark = "            ";

std::string direction_text(const Plan& plan) {
  if (plan.round_trip()) return "there-and-back";
  return plan.direction() == Direction::forward ? "forward" : "backward";
}

/// "1280 indices of z over 96 ranks: 32 ranks hold 14, 64 hold 13; 80 or 128 ranks divide it",
/// where an axis is uneven. More than twice the ranks are no advice, and looking for them would
/// take as long as n is.
std::string uneven_remark(const Axis& axis, const std::string& name) {
  std::map<Index, Index, std::greater<>> holders;
  for (Index coord = 0; coord < axis.procs; ++coord) ++holders[axis.size(coord)];
  std::vector<std::string> sizes;
  for (const auto& [size, count] : holders) {
    const std::string who = sizes.empty() ? text::plural(count, "rank") : text::grouped(count);
    sizes.push_back(fmt::format("{} {} {}", who, count == 1 ? "holds" : "hold", size));
  }
  Index below = axis.procs;
  while (axis.n % below != 0) --below;
  Index above = axis.procs;
  while (above < 2 * axis.procs && axis.n % above != 0) ++above;
  std::string divisors = fmt::format("{} ranks divide it", below);
  if (axis.n % above == 0) {
    divisors = fmt::format("{} or {} ranks divide it", below, above);
  } else if (below == 1) {
    divisors = "only 1 rank divides it";
  }
  return fmt::format("{}{} indices of {} over {} ranks: {}; {}\n", remark, axis.n, name, axis.procs,
                     fmt::join(sizes, ", "), divisors);
}

std::string balance_remarks(const State& state, Index ranks) {
  const Layout& layout = state.layout;
  std::string result;
  const Index active = layout.active_ranks();
  if (active < ranks) {
    result += fmt::format("{}{} of {} ranks hold data\n", remark, text::grouped(active),
                          text::grouped(ranks));
  }
  if (!layout.is_grid()) return result;
  const std::vector<std::string> names = state.names();
  for (std::size_t a = 0; a < layout.axes(); ++a) {
    // How many frequencies of an r2c digit there are nobody chooses.
    const bool half = state.digits[a].whole > 0;
    if (!layout.axis(a).even() && !half) result += uneven_remark(layout.axis(a), names[a]);
  }
  return result;
}

/// "1,638,400", or Overflow.
std::string grouped_bytes(Index elements, Index bytes) {
  return text::grouped(checked_mul(elements, bytes, "bytes of a plan"));
}

std::string traffic_remark(const Exchange& exchange, Index bytes) {
  const Traffic moved = exchange.message_traffic();
  if (moved.elements == 0) return fmt::format("{}no data leaves its rank\n", remark);
  if (moved.messages == 0) {
    return fmt::format(
        "{0}{1} bytes change owner by shared memory: read in place, no messages\n"
        "{0}busiest rank gives {2} bytes, takes {3} bytes\n",
        remark, grouped_bytes(moved.elements, bytes), grouped_bytes(moved.most_sent, bytes),
        grouped_bytes(moved.most_received, bytes));
  }
  return fmt::format(
      "{0}{1} bytes in {2}\n"
      "{0}busiest rank sends {3} bytes in {4}, receives {5} bytes in {6}\n",
      remark, grouped_bytes(moved.elements, bytes), text::plural(moved.messages, "message"),
      grouped_bytes(moved.most_sent, bytes), text::plural(moved.most_messages_sent, "message"),
      grouped_bytes(moved.most_received, bytes),
      text::plural(moved.most_messages_received, "message"));
}

constexpr std::array kernels = {
    Kernel::fourier,  Kernel::real,   Kernel::cosine_1,  Kernel::cosine_2, Kernel::cosine_3,
    Kernel::cosine_4, Kernel::sine_1, Kernel::sine_2,    Kernel::sine_3,   Kernel::sine_4,
    Kernel::compare,  Kernel::chirp,  Kernel::real_chirp};

/// " keeping 171 of 256", where a sweep is along a truncated axis.
std::string keeping_text(const Sweep& sweep, const State& before) {
  const auto at = static_cast<std::size_t>(sweep.digit);
  const Digit& digit = before.digits[at];
  return digit.kept == 0 ? "" : fmt::format(" keeping {} of {}", digit.kept, radix_of(before, at));
}

constexpr const char* with_kernels = " with kernels";

std::string sweep_text(const Sweep& sweep, const State& before) {
  if (sweep.kernel == Kernel::none) return "copy";
  const std::string name = before.names()[static_cast<std::size_t>(sweep.digit)];
  if (is_chirp(sweep.kernel)) {
    return fmt::format("{} by {} {} {} points", name, name_of(sweep.kernel),
                       sweep.points > 0 ? "to" : "from",
                       sweep.points > 0 ? sweep.points : before.layout.shape()[0]);
  }
  return fmt::format("{} by {}{}{}, {} {} {} a tile{}{}", name, name_of(sweep.kernel),
                     keeping_text(sweep, before),
                     sweep.engine == LineEngine::kernels ? with_kernels : "", sweep.lines,
                     sweep.form == TileForm::interleaved ? "interleaved" : "contiguous",
                     sweep.lines == 1 ? "line" : "lines", sweep.joined ? ", in the same pass" : "",
                     sweep.turns ? ", and back" : "");
}

/// "x = 8 x1 + x0, ky = 4 ky1 + ky0" for the axes that are split.
std::string digits_text(const State& state) {
  const std::vector<std::string> names = state.names();
  std::vector<std::string> formulas;
  for (std::size_t first = 0; first < names.size(); ++first) {
    const int axis = state.digits[first].axis;
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (state.digits[i].axis == axis) members.push_back(i);
    }
    if (members.size() == 1 || members.front() != first) continue;
    std::sort(members.begin(), members.end(), [&](std::size_t i, std::size_t j) {
      return state.digits[i].weight > state.digits[j].weight;
    });
    std::vector<std::string> terms;
    for (const std::size_t i : members) {
      const Index weight = state.digits[i].weight;
      terms.push_back(weight == 1 ? names[i] : fmt::format("{} {}", weight, names[i]));
    }
    std::string whole = names[first];
    whole.pop_back();
    formulas.push_back(fmt::format("{} = {}", whole, fmt::join(terms, " + ")));
  }
  return fmt::format("{}", fmt::join(formulas, ", "));
}

/// ", k with 16 - k", and how the axis is split behind it.
std::string hermitian_text(const Exchange& exchange, const State& after) {
  if (!exchange.hermitian()) return {};
  const std::string digits = digits_text(after);
  Index n = after.digits[0].whole;
  if (!digits.empty()) n *= after.layout.shape()[1];
  return fmt::format(", k with {} - k{}{}", n, digits.empty() ? "" : " where ", digits);
}

/// ", 8 chunks of z sent, 8 of ky taken", where it goes in chunks.
std::string chunks_text(const Exchange& exchange, const State& before) {
  if (!exchange.pipelined()) return {};
  const Chunks& chunks = exchange.chunks;
  const std::vector<std::string> names = before.names();
  return fmt::format(", {} chunks of {} sent, {} of {} taken", chunks.sent,
                     names[static_cast<std::size_t>(chunks.sent_digit)], chunks.taken,
                     names[static_cast<std::size_t>(chunks.taken_digit)]);
}

/// ", radix 4", where the method has one.
std::string radix_text(const Exchange& exchange) {
  return exchange.radix > 0 ? fmt::format(", radix {}", exchange.radix) : "";
}

/// What a sweep multiplies by, for people.
std::string twiddle_remark(const Plan& plan, std::size_t step) {
  const auto& sweep = std::get<Sweep>(plan.steps()[step]);
  const State& before = plan.states()[step];
  const State& after = plan.states()[step + 1];
  const Kind kind = plan.problem().kind;
  if (sweep.kernel == Kernel::none || kind == Kind::walsh || kind == Kind::sort) return {};
  const State& position = before.twiddle_modulus(sweep.digit) > 0 ? before : after;
  const Index modulus = position.twiddle_modulus(sweep.digit);
  if (modulus == 0) return {};
  const auto at = static_cast<std::size_t>(sweep.digit);
  const bool forward = after.digits[at].kind == DigitKind::frequency;
  const std::vector<std::string> names = before.names();
  std::vector<std::string> terms;
  for (const int i : position.twiddle_digits(sweep.digit)) {
    const Digit& digit = position.digits[static_cast<std::size_t>(i)];
    const std::string& name = names[static_cast<std::size_t>(i)];
    terms.push_back(digit.weight == 1 ? name : fmt::format("{} {}", digit.weight, name));
  }
  const std::string j = terms.size() == 1 ? terms[0] : fmt::format("({})", fmt::join(terms, " + "));
  const std::string k = (forward ? after : before).names()[at];
  const char* const when = forward ? "then" : "first";
  if (kind == Kind::ntt) {
    return fmt::format("{}{} multiplied by w^({}{} {}), w^{} = 1\n", remark, when,
                       forward ? "" : "-", j, k, modulus);
  }
  return fmt::format("{}{} multiplied by exp({} 2 pi i {} {} / {})\n", remark, when,
                     forward ? "-" : "+", j, k, modulus);
}

/// What a convolution multiplies by, for people.
std::string chirp_remark(const Plan& plan, std::size_t step) {
  const auto& sweep = std::get<Sweep>(plan.steps()[step]);
  if (sweep.turns && plan.convolves()) {
    return fmt::format("{}multiplied by the frequencies of the chirp in between\n", remark);
  }
  if (!is_chirp(sweep.kernel)) return {};
  const bool to = sweep.points > 0;
  const State& axis = plan.states()[to ? step : step + 1];
  const std::string name = axis.names()[0];
  return fmt::format("{}{} multiplied by exp({} pi i {} {} / {})\n", remark, to ? "first" : "then",
                     plan.direction() == Direction::forward ? "-" : "+", name, name,
                     plan.states()[to ? step + 1 : step].digits[0].chirped);
}

std::string memory_line(const Plan& plan, bool in_place) {
  const Schedule stages = schedule(plan, in_place);
  const Workspace need = largest_workspace(plan, stages);
  const Index bytes = Element{true, plan.problem().precision}.bytes();
  const Index local = std::max<Index>(1, plan.largest_local_size());
  std::string line = fmt::format(
      "{:<13} {} pass{} over memory, workspace {} bytes ({:.2f} of the largest local array), "
      "tile {} bytes",
      in_place ? "in place:" : "out of place:", stages.passes(), stages.passes() == 1 ? "" : "es",
      grouped_bytes(need.arrays(), bytes),
      static_cast<double>(need.arrays()) / static_cast<double>(local),
      grouped_bytes(need.tile, bytes));
  if (need.roots > 0) {
    line += fmt::format(", roots of unity {} bytes", grouped_bytes(need.roots, bytes));
  }
  if (need.filter > 0) {
    line += fmt::format(", the chirp's frequencies {} bytes", grouped_bytes(need.filter, bytes));
  }
  return line + "\n";
}

/// The text up to the line with its hash; for people in short.
std::string body(const Plan& plan, bool in_short = false) {
  const auto state_text = [&](const State& state) {
    return in_short ? state.summary() : state.to_text();
  };
  std::string out = fmt::format("plan {} {} on {}", plan.problem().to_text(), direction_text(plan),
                                text::plural(plan.ranks(), "rank"));
  if (plan.placement().ranks_per_node > 0) {
    out += fmt::format(", {} a node", plan.placement().ranks_per_node);
  }
  out += fmt::format("\n  start     {}\n", state_text(plan.states().front()));
  out += balance_remarks(plan.states().front(), plan.ranks());
  for (std::size_t i = 0; i < plan.steps().size(); ++i) {
    if (const auto* const sweep = std::get_if<Sweep>(&plan.steps()[i])) {
      out += fmt::format("  sweep     {}\n", sweep_text(*sweep, plan.states()[i]));
      out += twiddle_remark(plan, i);
      out += chirp_remark(plan, i);
      continue;
    }
    if (std::holds_alternative<Regroup>(plan.steps()[i])) {
      const std::string digits = digits_text(plan.states()[i + 1]);
      out += fmt::format("  regroup   {}{}{}\n", state_text(plan.states()[i + 1]),
                         digits.empty() ? "" : " where ", digits);
      continue;
    }
    const auto& exchange = std::get<Exchange>(plan.steps()[i]);
    out += fmt::format("  exchange  {} by {}{}{}{}\n", state_text(plan.states()[i + 1]),
                       name_of(exchange.method), hermitian_text(exchange, plan.states()[i + 1]),
                       chunks_text(exchange, plan.states()[i]), radix_text(exchange));
    out += traffic_remark(exchange, plan.states()[i].element.bytes());
    out += balance_remarks(plan.states()[i + 1], plan.ranks());
  }
  out += fmt::format("  end       {}\n", state_text(plan.states().back()));
  out += memory_line(plan, false);
  out += memory_line(plan, true);
  return out;
}

std::string hash_line(std::string_view body) {
  return fmt::format("hash {}\n", text::hex(text::hash(body)));
}

[[noreturn]] void damaged(std::string_view line) {
  throw ParseError(fmt::format("plan text is damaged at '{}'; make the plan anew", line));
}

Index count_in(const std::string& word) {
  std::string digits = word;
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  return text::parse_count(digits, "plan text");
}

Sweep parse_sweep(std::vector<std::string> words, const State& before, std::string_view line) {
  // sweep x by fourier[ keeping 171 of 256][ with kernels], 16 interleaved lines a tile
  Sweep sweep;
  if (words.size() == 2 && words[1] == "copy") return sweep;
  if (words.size() == 7 && words[6] == "points") {
    sweep.kernel = words[3] == name_of(Kernel::chirp) ? Kernel::chirp : Kernel::real_chirp;
    sweep.points = words[4] == "to" ? count_in(words[5]) : 0;  // the rest is compared
    return sweep;
  }
  if (words.size() > 8 && words[4] == "keeping") {
    // How many are kept follows from the problem, and is compared with it.
    if (words[7].ends_with(',')) words[3] += ',';
    words.erase(words.begin() + 4, words.begin() + 8);
  }
  if (words.size() > 6 && words[4] == "with" && words[5] == "kernels,") {
    words[3] += ',';
    words.erase(words.begin() + 4, words.begin() + 6);
    sweep.engine = LineEngine::kernels;
  }
  if (words.size() != 9 && words.size() != 11 && words.size() != 13) damaged(line);
  const std::vector<std::string> names = before.names();
  const auto at = std::find(names.begin(), names.end(), words[1]);
  const auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](Kernel known) {
    return words[3] == std::string(name_of(known)) + ",";
  });
  if (at == names.end() || kernel == kernels.end()) damaged(line);
  sweep.kernel = *kernel;
  sweep.digit = static_cast<int>(at - names.begin());
  sweep.lines = count_in(words[4]);
  sweep.form = words[5] == "interleaved" ? TileForm::interleaved : TileForm::lines;
  sweep.joined = words.size() == 13;
  sweep.turns = words.size() == 11;
  if (sweep.turns && (words[9] != "and" || words[10] != "back")) damaged(line);
  return sweep;
}

/// The digits that a regrouping's formulas name, in the order of the layout text's axes.
Regroup parse_regroup(std::string_view rest, const State& before) {
  Shape shape;  // of the axes, whatever digits they are in now
  for (std::size_t i = 0; i < before.digits.size(); ++i) {
    const auto axis = static_cast<std::size_t>(before.digits[i].axis);
    if (axis >= shape.size()) shape.resize(axis + 1, 1);
    shape[axis] *= before.layout.shape()[i];
  }
  const std::size_t where = rest.find(" where ");
  State after{before.element, {}, {}};
  Shape radices;
  std::map<std::string, std::vector<std::pair<std::string, Index>>> formulas;
  if (where != std::string_view::npos) {
    for (const std::string& formula : text::split(rest.substr(where + 7), ',')) {
      const std::vector<std::string> words = text::words(formula);
      if (words.size() < 3 || words[1] != "=") damaged(formula);
      Index weight = 1;
      for (std::size_t i = 2; i < words.size(); ++i) {
        if (words[i] == "+") continue;
        if (words[i].find_first_not_of("0123456789") == std::string::npos) {
          weight = count_in(words[i]);
          continue;
        }
        formulas[words[0]].emplace_back(words[i], weight);
        weight = 1;
      }
    }
  }
  std::vector<std::string> names;
  const std::vector<std::string> axes = axis_names(shape.size());
  const Index chirped = before.digits[0].chirped;  // there is one axis then
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const bool frequency : {false, true}) {
      const auto found = formulas.find(frequency ? "k" + axes[a] : axes[a]);
      if (found == formulas.end()) continue;
      // States list an axis' digits heaviest position first, which is lightest frequency first.
      const auto first = static_cast<std::ptrdiff_t>(after.digits.size());
      Index above = shape[a];
      for (const auto& [name, weight] : found->second) {
        if (weight < 1 || above % weight != 0) damaged(name);
        Digit digit{static_cast<int>(a), weight,
                    frequency ? DigitKind::frequency : DigitKind::position};
        digit.chirped = chirped;
        const auto at = frequency ? first : static_cast<std::ptrdiff_t>(after.digits.size());
        after.digits.insert(after.digits.begin() + at, digit);
        radices.insert(radices.begin() + at, above / weight);
        names.insert(names.begin() + at, name);
        above = weight;
      }
    }
    if (!after.digits.empty() && after.digits.back().axis == static_cast<int>(a)) continue;
    const auto same_axis = [&](const Digit& digit) { return digit.axis == static_cast<int>(a); };
    const auto old = std::find_if(before.digits.begin(), before.digits.end(), same_axis);
    after.digits.push_back({static_cast<int>(a), 1, old->kind, old->whole, old->kept, chirped});
    radices.push_back(shape[a]);
    names.push_back((old->kind == DigitKind::frequency ? "k" : "") + axes[a]);
  }
  return {after.digits, Layout::parse(rest.substr(0, where), radices, names)};
}

/// point-to-point, 8 chunks of z sent, 8 of ky taken
Chunks parse_chunks(const std::vector<std::string>& words, const State& before,
                    std::string_view line) {
  const std::vector<std::string> names = before.names();
  const auto digit = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) damaged(line);
    return static_cast<int>(at - names.begin());
  };
  return {digit(words[4]), count_in(words[1]), digit(words[8]), count_in(words[6])};
}

ExchangeMethod parse_method(std::string_view word, std::string_view line) {
  if (word.ends_with(',')) word.remove_suffix(1);
  const std::optional<ExchangeMethod> method = find_method(word);
  if (!method) damaged(line);
  return *method;
}

/// exchange LAYOUT by METHOD[, k with N - k[ where kx = A kx1 + kx0]], or in chunks, or with a
/// radix
Exchange parse_exchange(std::string_view rest, const State& before, std::string_view line) {
  const std::size_t by = rest.rfind(" by ");
  if (by == std::string_view::npos) damaged(line);
  Exchange exchange;
  const std::string_view to = rest.substr(0, by);
  const std::vector<std::string> words = text::words(rest.substr(by + 4));
  if (words.empty()) damaged(line);
  exchange.method = parse_method(words[0], line);
  if (words.size() == 1) {
    exchange.to = Layout::parse(to, before.layout.shape(), before.names());
    return exchange;
  }
  if (words.size() == 10 && words[2] == "chunks") {
    exchange.to = Layout::parse(to, before.layout.shape(), before.names());
    exchange.chunks = parse_chunks(words, before, line);
    if (exchange.chunks.sent < 1 || exchange.chunks.taken < 1 ||
        exchange.chunks.sent > most_chunks_read || exchange.chunks.taken > most_chunks_read ||
        !exchange.pipelined()) {
      damaged(line);
    }
    return exchange;
  }
  if (words.size() == 3 && words[1] == "radix") {
    exchange.to = Layout::parse(to, before.layout.shape(), before.names());
    exchange.radix = count_in(words[2]);
    return exchange;
  }
  const bool whole = words.size() == 6;
  if ((!whole && words.size() < 10) || words[1] != "k") damaged(line);
  const Index n = count_in(words[3]);
  State after{before.element, {}, {}};
  Shape radices = {half_extent(n)};
  if (whole) {
    after.digits = {{0, 1, DigitKind::frequency, n}};
  } else {
    const Index row = count_in(words[9]);
    if (row < 1) damaged(line);
    after.digits = {{0, 1, DigitKind::frequency, row}, {0, row, DigitKind::frequency, 0}};
    radices = {half_extent(row), n / row};
  }
  exchange.to = Layout::parse(to, radices, after.names());
  exchange.digits = std::move(after.digits);
  return exchange;
}

}  // namespace

std::string Plan::to_text() const {
  const std::string text = body(*this);
  return text + hash_line(text);
}

std::string Plan::summary() const { return body(*this, true) + hash_line(body(*this)); }

std::uint64_t Plan::hash() const { return text::hash(body(*this)); }

Plan read_plan(std::string_view text) {
  try {
    Plan plan;
    bool started = false;
    bool ended = false;
    for (const std::string& line : text::split(text, '\n')) {
      if (line.starts_with(remark)) continue;
      const std::vector<std::string> words = text::words(line);
      if (words.empty()) continue;
      const std::string_view rest =
          text::trim(std::string_view(text::trim(line)).substr(words[0].size()));
      const std::string& keyword = words[0];
      if (keyword == "out" || keyword == "in" || keyword == "hash") continue;
      if (ended || (keyword == "plan") != plan.problem_.shape.empty()) damaged(line);
      if (keyword == "plan") {
        // plan PROBLEM forward on 4 ranks, 2 a node
        if (words.size() != 6 && words.size() != 9) damaged(line);
        plan.problem_ = Problem::parse(words[1]);
        plan.direction_ = words[2] == "backward" ? Direction::backward : Direction::forward;
        plan.ranks_ = count_in(words[4]);
        // To count their traffic may take as long as there are ranks.
        if (plan.ranks_ > most_ranks) damaged(line);
        if (words.size() == 9) plan.placement_.ranks_per_node = count_in(words[6]);
        continue;
      }
      if ((keyword == "start") == started) damaged(line);
      const State& before = plan.states_.back();
      if (keyword == "start") {
        State named;  // only for the names that the first state's digits have
        named.digits = start_digits(plan.problem_, plan.direction_);
        const bool forward = plan.direction_ == Direction::forward;
        const Layout start = Layout::parse(
            rest, forward ? plan.problem_.shape : plan.problem_.frequency_shape(), named.names());
        plan = Plan(plan.problem_, plan.direction_, plan.ranks_, plan.placement_, start, {});
        started = true;
      } else if (keyword == "sweep") {
        plan.append(parse_sweep(words, before, line));
      } else if (keyword == "regroup") {
        plan.append(parse_regroup(rest, before));
      } else if (keyword == "exchange") {
        plan.append(parse_exchange(rest, before, line));
      } else if (keyword == "end") {
        // A sweep back to reals does not say how its rows lie; where it ends, this does.
        Layout& last = plan.states_.back().layout;
        const Layout stated = Layout::parse(rest, last.shape(), before.names());
        if (stated.dense() != last.dense()) damaged(line);
        last = stated;
        ended = true;
      } else {
        damaged(line);
      }
    }
    if (!ended) damaged(text.substr(0, text.find('\n')));
    const std::string flaw = flaw_of(plan);
    if (flaw.empty()) return plan;
    throw ParseError(fmt::format("the plan cannot be run: {}; make the plan anew", flaw));
  } catch (const ParseError&) {
    throw;
  } catch (const Error& error) {
    damaged(error.what());
  }
}

Plan Plan::parse(std::string_view text) {
  // The hash first: what is damaged is not worth interpreting.
  const std::size_t end = std::min(text.rfind("hash "), text.size());
  if (text.substr(end) != hash_line(text.substr(0, end))) {
    damaged(text.substr(0, text.find('\n')));
  }
  Plan plan = read_plan(text);
  const auto restores = [&] {
    try {
      return plan.to_text() == text;
    } catch (const Overflow& error) {  // of figures
      damaged(error.what());
    }
  };
  if (!restores()) damaged("a line whose figures do not follow from its steps");
  return plan;
}

}  // namespace kallima
