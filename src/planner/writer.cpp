// SPDX-License-Identifier: BSD-3-Clause
#include "planner/writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/checked.hpp"
#include "exchange/hermitian.hpp"
#include "planner/cyclic_steps.hpp"
#include "planner/fits.hpp"
#include "planner/sweep.hpp"
#include "steps/digits.hpp"
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
        if (request.problem.shrinks(sweeps[donor][i])) continue;
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
      digits[static_cast<std::size_t>(digit.axis)] = {digit.axis,  1, digit.kind,
                                                      digit.whole, 0, digit.chirped};
    }
    regroup(std::move(digits), layout);
  }

  /// To the points of a convolution, and back to the axis for 0 of them. Unpacks, and packs.
  void chirp(Index points) {
    Sweep sweep;
    sweep.kernel = request_.problem.real() ? Kernel::real_chirp : Kernel::chirp;
    sweep.points = points;
    take(sweep);
  }

  /// The sweeps and exchanges of a convolution, there and back over the same layouts.
  void convolve(const CyclicSteps& steps) {
    const std::size_t last = steps.layouts.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      if (i > 0) exchange(steps.layouts[i]);
      sweep_digits(steps.sweeps[i], i == last);
    }
    way_ = Direction::backward;
    for (std::size_t i = last; i-- > 0;) {
      exchange(steps.layouts[i]);
      sweep_digits(steps.sweeps[i], false);
    }
    way_ = Direction::forward;
  }

  std::vector<Step> finish() {
    unpack();
    return std::move(steps_);
  }

 private:
  void sweep_digits(const std::vector<int>& digits, bool turns) {
    for (const int digit : digits) {
      Sweep sweep =
          line_sweep(request_, Kernel::fourier, now_.layout, static_cast<std::size_t>(digit));
      sweep.turns = turns;
      take(sweep);
    }
  }

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
    const bool twiddles = now_.twiddle_modulus(sweep.digit) > 0 ||
                          now_.digits[digit].axis == now_.digits[other].axis ||
                          now_.twiddle_modulus(last->digit) > 0;
    if (twiddles) return;
    // The last one is behind its sweep, this one still before it: of a truncated axis tiles have
    // whole lines, and no more of them than are kept.
    const auto whole = [&](const Sweep& its) {
      return line_frequencies(request_.problem, now_, static_cast<std::size_t>(its.digit));
    };
    const auto kept = [&](const Sweep& its) {
      const Index number = now_.digits[static_cast<std::size_t>(its.digit)].kept;
      return number > 0 ? number : whole(its);
    };
    Sweep& fast = strides[digit] == 1 ? sweep : *last;
    Sweep& slow = strides[digit] == 1 ? *last : sweep;
    const Index rows = whole(slow);
    const Index columns = whole(fast);
    const Index element = now_.element.bytes();
    const Index most = checked_mul(planes, request_.tile_bytes, "bytes of a plane");
    if (rows > most / element / columns || rows * padded_row(columns, element) * element > most) {
      return;
    }
    fast.lines = std::min(kept(slow), chunk_lines(element));
    slow.lines = std::min(kept(fast), chunk_lines(element));
    fast.form = TileForm::lines;
    slow.form = TileForm::interleaved;
    sweep.joined = true;
  }

  void take(Step step) {
    now_ = behind(now_, step, way_);
    steps_.push_back(std::move(step));
  }

  const PlanRequest& request_;
  const Manner& manner_;
  State now_;
  Direction way_ = Direction::forward;  // backward behind the turn of a convolution
  std::vector<Step> steps_;
};

/// The digits that cyclic steps start with, as they are now: what was swept is a frequency.
std::vector<Digit> as_now(const std::vector<Digit>& digits, const State& now) {
  std::vector<Digit> result = digits;
  for (Digit& digit : result) {
    digit.kind = now.digits[static_cast<std::size_t>(digit.axis)].kind;
    digit.whole = now.digits[static_cast<std::size_t>(digit.axis)].whole;
    digit.chirped = now.digits[static_cast<std::size_t>(digit.axis)].chirped;
  }
  return result;
}

/// Where a path starts: the user's layout, or the first stop's with all its extents.
Layout start_of(const PlanRequest& request, const Layout& first) {
  Layout start = request.in ? *request.in : with_shape(first, request.problem.shape);
  return request.padded ? with_padded_rows(start, request.problem) : start;
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

namespace {

constexpr std::array<Index, 4> small_primes = {2, 3, 5, 7};

bool is_smooth(Index n) {
  for (const Index prime : small_primes) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}

/// The least number with no prime factor above that of `small_primes[prime]` which is a multiple of
/// `factor` and at least n.
Index smooth_from(Index n, std::size_t prime = small_primes.size() - 1, Index factor = 1) {
  if (factor >= n) return factor;
  if (prime == 0) {
    while (factor < n) factor = checked_mul(factor, 2, "points of a convolution");
    return factor;
  }
  Index best = smooth_from(n, prime - 1, factor);
  while (factor < n) {
    factor = checked_mul(factor, small_primes[prime], "points of a convolution");
    best = std::min(best, smooth_from(n, prime - 1, factor));
  }
  return best;
}

/// The least length that the cyclic FFT can transform on so many processors with one exchange, and
/// that a convolution of n positions fits into.
Index points_over(Index n, bool real, Index procs) {
  const Index square = checked_mul(procs, procs, "points of a convolution");
  return checked_mul(square, smooth_from(ceil_div(least_points(n, real), square)),
                     "points of a convolution");
}

/// True where an axis may be convolved at all.
bool can_convolve(const PlanRequest& request) {
  const Problem& problem = request.problem;
  return problem.shape.size() == 1 && problem.shape[0] > 1 && !request.padded &&
         !problem.truncated() && (problem.kind == Kind::c2c || problem.real()) &&
         (problem.real() || problem.axis_kind(0) == AxisKind::fourier) &&
         open_to(request, Decomposition::convolution);
}

}  // namespace

std::vector<Index> convolution_procs(const PlanRequest& request) {
  if (!can_convolve(request)) return {};
  const bool real = request.problem.real();
  const Index least = least_points(request.problem.shape[0], real);
  // On more processors than its root each has less of the axis than there are processors.
  const auto root = static_cast<Index>(std::sqrt(static_cast<double>(least)));
  const Index most = std::min({request.ranks, half_extent(request.problem.shape[0]), root});
  std::vector<Index> result;
  const auto add = [&](Index procs) {
    const bool known = std::find(result.begin(), result.end(), procs) != result.end();
    if (procs >= 1 && procs <= most && !known) result.push_back(procs);
  };
  if (request.in && request.in->is_grid() &&
      *request.in == Layout::cyclic(request.problem.shape, {request.in->ranks()})) {
    add(request.in->ranks());
  }
  add(most);
  Index smooth = most;
  while (smooth > 1 && !is_smooth(smooth)) --smooth;
  add(smooth);
  Index power = 1;
  while (power <= most / 2) power *= 2;
  add(power);
  return result;
}

std::optional<Plan> plan_convolution(const PlanRequest& request, const Manner& manner,
                                     Index procs) {
  const Shape& shape = request.problem.shape;
  const bool real = request.problem.real();
  const Layout wanted = Layout::cyclic(shape, {procs});
  const Index points = points_over(shape[0], real, procs);
  const std::optional<CyclicSteps> cyclic =
      find_cyclic_steps(request.problem, Layout::cyclic({points}, {procs}), {false});
  if (!cyclic) return std::nullopt;
  const Layout start = request.in.value_or(wanted);
  Writer writer(request, manner, start);
  if (start != wanted) writer.exchange(wanted);
  writer.chirp(points);
  if (cyclic->digits.size() > 1) {
    writer.regroup(as_now(cyclic->digits, writer.now()), cyclic->layouts.front());
  }
  writer.convolve(*cyclic);
  writer.join(Layout::cyclic({points}, {procs}));
  writer.chirp(0);
  if (request.out && *request.out != writer.now().layout) writer.exchange(*request.out);
  return Plan(request.problem, Direction::forward, request.ranks, request.placement, start,
              writer.finish());
}

}  // namespace kallima
