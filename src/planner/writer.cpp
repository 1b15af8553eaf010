// SPDX-License-Identifier: BSD-3-Clause
#include "planner/writer.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "exchange/hermitian.hpp"
#include "planner/cyclic_steps.hpp"
#include "planner/fits.hpp"
#include "planner/sweep.hpp"
#include "steps/tile.hpp"

namespace kallima {

namespace {

/// Which whole axes are transformed at which stop: each where it is first whole, but moved to a
/// later stop that would otherwise only copy. At a stop, fastest in memory first. What cyclic steps
/// transform is not listed.
std::vector<std::vector<std::size_t>> assign_sweeps(const PlanRequest& request, const Path& path) {
  std::vector<std::vector<std::size_t>> sweeps(path.size());
  std::vector<bool> done(request.problem.shape.size(), false);
  for (std::size_t s = 0; s < path.size(); ++s) {
    if (path[s].by_cyclic_steps) break;
    const Layout& layout = path[s].at.layout;
    const std::vector<int>& order = layout.order();
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto a = static_cast<std::size_t>(order[i]);
      const bool halves = request.problem.real() && a == request.problem.r2c_axis_index();
      const bool nothing_to_do = request.problem.idle(a) && !halves;
      if (done[a] || nothing_to_do || !path[s].at.done[a]) continue;
      done[a] = true;
      sweeps[s].insert(halves ? sweeps[s].begin() : sweeps[s].end(), a);
    }
  }
  for (std::size_t s = 1; s < path.size(); ++s) {
    const bool by_cyclic_steps =
        path[s].by_cyclic_steps || (s + 1 < path.size() && path[s + 1].by_cyclic_steps);
    if (!sweeps[s].empty() || by_cyclic_steps) continue;
    for (std::size_t donor = 0; donor < s && sweeps[s].empty(); ++donor) {
      for (std::size_t i = sweeps[donor].size(); i-- > 0 && sweeps[donor].size() > 1;) {
        if (!path[s].at.layout.whole(sweeps[donor][i])) continue;
        // What loses elements does so before they are exchanged.
        const AxisKind kind = request.problem.axis_kind(sweeps[donor][i]);
        if (kind == AxisKind::real || request.problem.truncated(sweeps[donor][i])) continue;
        sweeps[s].push_back(sweeps[donor][i]);
        sweeps[donor].erase(sweeps[donor].begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    }
  }
  return sweeps;
}

/// A plane may be so many times as large as a tile. What of it leaves the second cache comes back
/// from the third one, which is cheaper than a pass over memory.
constexpr Index planes = 4;

/// Writes down the steps of a path. Messages are packed and unpacked by sweeps; where nothing is
/// computed between an exchange and its neighbour, a sweep that copies is put there.
class Writer {
 public:
  Writer(const PlanRequest& request, const Manner& manner, const Layout& start)
      : request_(request),
        manner_(manner),
        now_(whole_axes(request.problem, Direction::forward, start)) {}

  [[nodiscard]] const State& now() const { return now_; }
  /// True between the regrouping into digits and the one back.
  [[nodiscard]] bool in_digits() const {
    return now_.digits.size() > request_.problem.shape.size();
  }

  void sweep_digit(int digit) {
    const int axis = now_.digits[static_cast<std::size_t>(digit)].axis;
    Kernel kernel =
        kernel_of(request_.problem.axis_kind(static_cast<std::size_t>(axis)), Direction::forward);
    // Where the r2c axis is split, its other digits are of complex numbers.
    if (kernel == Kernel::real && now_.element.complex) kernel = Kernel::fourier;
    Sweep sweep = line_sweep(request_, kernel, now_.layout, static_cast<std::size_t>(digit));
    if (manner_.joins) join_to_last(sweep);
    take(sweep);
  }

  /// Along an axis that is one digit.
  void sweep_axis(std::size_t axis) {
    for (std::size_t i = 0; i < now_.digits.size(); ++i) {
      if (now_.digits[i].axis == static_cast<int>(axis)) return sweep_digit(static_cast<int>(i));
    }
  }

  void exchange(const Layout& to) {
    if (steps_.empty() || !std::holds_alternative<Sweep>(steps_.back())) take(Sweep{});
    take(Exchange{to, manner_.method, {}, {}});
  }

  /// From the digits of one axis of reals to its half spectrum, which is left in its place.
  void join_half() {
    const Layout half = HermitianExchange(now_).half_layout();
    const Index n = now_.digits[0].whole * now_.layout.shape()[1];
    take(Exchange{half, manner_.method, {}, {{0, 1, DigitKind::frequency, n}}});
    take(Sweep{});
  }

  /// An exchange behind join_half(): what is in its place is packed by a sweep of its own.
  void exchange_again(const Layout& to) {
    take(Sweep{});
    take(Exchange{to, manner_.method, {}, {}});
  }

  void regroup(std::vector<Digit> digits, const Layout& to) {
    unpack();
    take(Regroup{std::move(digits), to});
  }

  /// Axes are one digit each again.
  void join(const Layout& layout) {
    if (!in_digits()) return;
    std::vector<Digit> digits(layout.axes());
    for (const Digit& digit : now_.digits) {
      digits[static_cast<std::size_t>(digit.axis)] = {digit.axis, 1, digit.kind, digit.whole};
    }
    regroup(std::move(digits), layout);
  }

  std::vector<Step> finish() {
    unpack();
    return std::move(steps_);
  }

 private:
  void unpack() {
    if (!steps_.empty() && std::holds_alternative<Exchange>(steps_.back())) take(Sweep{});
  }

  /// Joins a sweep to the one before, where the plane of both digits fits the cache, its rows are
  /// contiguous, and nothing is multiplied in between.
  void join_to_last(Sweep& sweep) {
    auto* const last = steps_.empty() ? nullptr : std::get_if<Sweep>(&steps_.back());
    if (last == nullptr || last->kernel == Kernel::none || last->joined) return;
    if (is_trigonometric(last->kernel) || is_trigonometric(sweep.kernel)) return;
    const auto digit = static_cast<std::size_t>(sweep.digit);
    const auto other = static_cast<std::size_t>(last->digit);
    const std::vector<Index> strides = now_.layout.local_strides(0);
    if ((strides[digit] == 1) == (strides[other] == 1)) return;
    if (last->kernel == Kernel::real && strides[other] != 1) return;  // reals are rows of a plane
    const Digit& swept = now_.digits[digit];
    if (swept.kept > 0 || now_.digits[other].kept > 0) return;
    const bool twiddles = now_.twiddle_modulus(sweep.digit) > 0 ||
                          swept.axis == now_.digits[other].axis ||
                          now_.twiddle_modulus(last->digit) > 0;
    if (twiddles) return;
    const Shape& extents = now_.layout.shape();
    Sweep& fast = strides[digit] == 1 ? sweep : *last;
    Sweep& slow = strides[digit] == 1 ? *last : sweep;
    const Index rows = extents[static_cast<std::size_t>(slow.digit)];
    const Index columns = extents[static_cast<std::size_t>(fast.digit)];
    const Index element = now_.element.bytes();
    const Index most = checked_mul(planes, request_.tile_bytes, "bytes of a plane");
    if (rows > most / element / columns || rows * padded_row(columns, element) * element > most) {
      return;
    }
    fast.lines = std::min(rows, chunk_lines(element));
    slow.lines = std::min(columns, chunk_lines(element));
    fast.form = TileForm::lines;
    slow.form = TileForm::interleaved;
    sweep.joined = true;
  }

  void take(Step step) {
    now_ = behind(now_, step, Direction::forward);
    steps_.push_back(std::move(step));
  }

  const PlanRequest& request_;
  const Manner& manner_;
  State now_;
  std::vector<Step> steps_;
};

/// The digits that cyclic steps start with, as they are now: what was swept is a frequency.
std::vector<Digit> as_now(const std::vector<Digit>& digits, const State& now) {
  std::vector<Digit> result = digits;
  for (Digit& digit : result) {
    digit.kind = now.digits[static_cast<std::size_t>(digit.axis)].kind;
    digit.whole = now.digits[static_cast<std::size_t>(digit.axis)].whole;
  }
  return result;
}

/// Where a path starts: the user's layout, or the first stop's with all its extents.
Layout start_of(const PlanRequest& request, const Layout& first) {
  Layout start = request.in ? *request.in : with_shape(first, request.problem.shape);
  return request.padded ? start.with_padding(row_padding(request.problem)) : start;
}

}  // namespace

Plan plan_along(const PlanRequest& request, const Path& path, const Manner& manner) {
  const std::vector<std::vector<std::size_t>> sweeps = assign_sweeps(request, path);
  const Layout start = start_of(request, path.front().at.layout);
  Writer writer(request, manner, start);
  for (std::size_t s = 0; s < path.size(); ++s) {
    const Layout& layout = path[s].at.layout;
    const auto cyclic_from = [&](std::size_t stop) {
      return stop + 1 < path.size() && path[stop + 1].by_cyclic_steps;
    };
    if (s + 1 < path.size() && cyclic_from(s + 1) && !writer.in_digits() &&
        writer.now().element.complex) {
      // The exchange goes to where cyclic steps begin: in its digits already where this layout
      // allows.
      const std::optional<CyclicSteps> cyclic =
          find_cyclic_steps(request.problem, path[s + 1].at.layout, path[s + 1].at.done);
      const std::vector<Digit> digits = as_now(cyclic->digits, writer.now());
      if (const std::optional<Layout> same = split(layout, digits, cyclic->radices)) {
        writer.regroup(digits, *same);
      }
    }
    for (const std::size_t a : sweeps[s]) writer.sweep_axis(a);
    if (cyclic_from(s)) {
      const std::optional<CyclicSteps> cyclic =
          find_cyclic_steps(request.problem, layout, path[s].at.done);
      if (!writer.in_digits()) {
        writer.regroup(as_now(cyclic->digits, writer.now()), cyclic->layouts.front());
      }
      for (std::size_t i = 0; i < cyclic->layouts.size(); ++i) {
        if (i > 0) writer.exchange(cyclic->layouts[i]);
        for (const int digit : cyclic->sweeps[i]) writer.sweep_digit(digit);
      }
      continue;
    }
    if (s + 1 == path.size()) {
      writer.join(layout);
      break;
    }
    // In digits from before cyclic steps, or still in them behind, where the next layout allows it.
    const Layout& next = path[s + 1].at.layout;
    std::optional<Layout> same;
    if (writer.in_digits()) {
      same = split(next, writer.now().digits, writer.now().layout.shape());
      if (!same) writer.join(layout);
    }
    writer.exchange(same ? *same : with_shape(next, writer.now().layout.shape()));
  }
  return {request.problem, Direction::forward, request.ranks, request.placement,
          start,           writer.finish()};
}

std::optional<Plan> plan_alone(const PlanRequest& request, const Manner& manner) {
  const Shape& shape = request.problem.shape;
  if (request.problem.truncated()) return std::nullopt;
  if (request.ranks != 1 || shape.size() != 1 || !open_to(request, Decomposition::cyclic) ||
      request.problem.axis_kind(0) != AxisKind::fourier) {
    return std::nullopt;
  }
  const Layout layout = request.in.value_or(Layout::block(shape, {1}));
  if (!layout.is_grid() || (request.out && *request.out != layout)) return std::nullopt;
  if (cyclic_radices(shape[0], 1).size() < 2) return std::nullopt;
  return plan_along(request, {{{layout, {false}}, false}, {{layout, {true}}, true}}, manner);
}

namespace {

/// Whether the cyclic FFT can transform one axis of reals on so many processors: the digit of which
/// half is kept must be cyclic both by its frequencies and by those of the whole axis.
bool can_halve(Index n, Index procs) {
  const std::vector<Index> radices = cyclic_radices(n, procs);
  return radices.size() == 2 && radices[0] % procs == 0 && radices[1] % procs == 0;
}

}  // namespace

std::optional<Plan> plan_real_line(const PlanRequest& request, const Manner& manner) {
  const Shape& shape = request.problem.shape;
  if (!request.problem.real() || shape.size() != 1 || request.padded ||
      request.problem.truncated() || !open_to(request, Decomposition::cyclic)) {
    return std::nullopt;
  }
  const Index n = shape[0];
  const auto is_cyclic = [&](const Layout& layout) {
    return layout == Layout::cyclic(shape, {layout.ranks()}) && can_halve(n, layout.ranks());
  };
  Index procs = std::min(request.ranks, n);
  while (procs > 0 && !can_halve(n, procs)) --procs;
  if (procs == 0) return std::nullopt;
  // The user's own cyclic layout is as good where it leaves no more than half of the ranks idle.
  if (request.in && is_cyclic(*request.in) && 2 * request.in->ranks() > procs) {
    procs = request.in->ranks();
  }
  if (procs == 1 && request.ranks > 1) return std::nullopt;  // nothing but work for one
  const Layout wanted = Layout::cyclic(shape, {procs});
  const Layout start = request.in.value_or(wanted);
  const std::optional<CyclicSteps> cyclic = find_cyclic_steps(request.problem, wanted, {false});
  Writer writer(request, manner, start);
  if (start == wanted) {
    writer.regroup(cyclic->digits, cyclic->layouts.front());
  } else {
    const std::optional<Layout> same =
        start.padding() > 0 ? std::nullopt : split(start, cyclic->digits, cyclic->radices);
    if (same) writer.regroup(cyclic->digits, *same);
    writer.exchange(same ? cyclic->layouts.front() : wanted);
    if (!same) writer.regroup(cyclic->digits, cyclic->layouts.front());
  }
  writer.sweep_digit(0);
  const Axis half{half_extent(cyclic->radices[0]), procs, procs, 1, Rule::balanced};
  writer.exchange(Layout::grid({half, Axis{cyclic->radices[1]}}, {1, 0}));
  writer.sweep_digit(1);
  writer.join_half();
  if (request.out && *request.out != writer.now().layout) {
    writer.exchange_again(*request.out);
  }
  return Plan(request.problem, Direction::forward, request.ranks, request.placement, start,
              writer.finish());
}

}  // namespace kallima
