// SPDX-License-Identifier: BSD-3-Clause
//
// The choice among plans: of all that the ways lead to, the cheapest on the machine.
//
// Balance comes first, in powers of two: a plan that needs twice the memory of another is not taken
// for its speed, since memory is what a job's size is chosen by. Within a class of balance the
// price decides, then exchanges, bytes, and who was found first.
#include "kallima/planner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "cost/price.hpp"
#include "exchange/method.hpp"
#include "kallima/error.hpp"
#include "machine/rate_interpolation.hpp"
#include "planner/bitonic.hpp"
#include "planner/engines.hpp"
#include "planner/pipeline.hpp"
#include "planner/radix.hpp"
#include "planner/writer.hpp"

namespace kallima {

namespace {

/// `real` where the elements are: only they can be padded.
void validate_layout(const Layout& layout, const PlanRequest& request, const Shape& shape,
                     bool real, const char* which) {
  if (layout.shape() != shape) {
    throw InvalidLayout(
        fmt::format("the {} layout '{}' is for another shape than {}; make it for {}", which,
                    layout.summary(), request.problem.to_text(), fmt::join(shape, "x")));
  }
  if (layout.padding() > 0 && layout.has_margins()) {
    throw InvalidLayout(fmt::format(
        "the {} layout '{}' has padding and margins; make both margins: ~{} instead of "
        "+{} along the last",
        which, layout.summary(), fmt::format("{}~{}", 0, layout.padding()), layout.padding()));
  }
  if (layout.padding() > 0 && !real) {
    throw InvalidLayout(
        fmt::format("the {} layout '{}' is padded; only an array of reals can be: leave +{} out",
                    which, layout.summary(), layout.padding()));
  }
  if (layout.ranks() > request.ranks) {
    throw TooFewRanks(fmt::format(
        "the {} layout needs {}, there are {}; use a layout over fewer ranks or start more", which,
        text::plural(layout.ranks(), "rank"), text::grouped(request.ranks)));
  }
}

/// Rows that are padded lie along the r2c axis.
void validate_rows(const Layout& layout, std::size_t r2c_axis) {
  if (!layout.whole(r2c_axis)) {
    throw InvalidOption(
        fmt::format("padded rows lie along axis {}, the r2c axis, so it must be whole on every "
                    "rank; in '{}' it "
                    "is not",
                    axis_names(layout.axes())[r2c_axis], layout.summary()));
  }
  if (layout.has_margins()) {
    throw InvalidOption(
        fmt::format("padded rows, and margins in '{}'; leave `padded` out and make the margin "
                    "along axis {} wider",
                    layout.summary(), axis_names(layout.axes())[r2c_axis]));
  }
}

}  // namespace

std::vector<bool> finished_axes(const PlanRequest& request, const Standing& at) {
  std::vector<bool> finished = at.done;
  for (std::size_t a = 0; a < finished.size(); ++a) {
    if (request.problem.idle(a)) finished[a] = true;
  }
  return finished;
}

void validate(const PlanRequest& request) {
  request.problem.validate();
  checked_mul(request.problem.elements(), Element{true, request.problem.precision}.bytes(),
              "bytes of the array");
  if (request.ranks < 1) {
    throw InvalidOption(fmt::format("{} ranks; a plan needs at least 1", request.ranks));
  }
  if (request.ranks > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidOption(fmt::format("{} ranks are more than MPI can number", request.ranks));
  }
  if (request.tile_bytes < 1) {
    throw InvalidOption(fmt::format("tiles of {} bytes; give at least 1", request.tile_bytes));
  }
  if (request.chunks < 0 || request.chunks > most_chunks) {
    throw InvalidOption(fmt::format("{} chunks; give 1 to {}, or 0 for what is cheapest",
                                    request.chunks, most_chunks));
  }
  if (request.placement.ranks_per_node < 0) {
    throw InvalidOption(fmt::format("{} ranks a node; give at least 1, or 0 for not known",
                                    request.placement.ranks_per_node));
  }
  if (!has_engine(request.engine)) {
    throw InvalidOption(fmt::format(
        "engine is {}, without which this Kallima was built; leave engine as it is, or build "
        "Kallima with -DKALLIMA_FFTW=ON",
        name_of(request.engine)));
  }
  const Problem& problem = request.problem;
  if (problem.kind == Kind::sort &&
      (request.in || request.out || request.decomposition != Decomposition::any)) {
    throw InvalidOption(
        "keys are sorted in blocks, in one decomposition; leave layouts and ways out");
  }
  if (request.padded && !problem.real()) {
    throw InvalidOption("padded rows are for real data; leave `padded` out");
  }
  if (request.in) {
    validate_layout(*request.in, request, problem.shape, problem.real(), "input");
    if (request.padded) validate_rows(*request.in, problem.r2c_axis_index());
  }
  if (request.out) {
    validate_layout(*request.out, request, problem.frequency_shape(), false, "output");
  }
}

namespace {

/// To list what goes by Bruck's algorithm takes as long as there are pieces: beyond so many ranks
/// too long for all plans that are compared.
constexpr Index most_ranks_by_bruck = 256;

/// Methods that a request leaves open.
std::vector<ExchangeMethod> methods_of(const PlanRequest& request, const Machine& machine) {
  if (request.method != ExchangeMethod::any) return {request.method};
  std::vector<ExchangeMethod> result;
  for (const MethodRow& row : method_rows()) {
    if (row.rules.considered(request.ranks, request.placement, machine)) {
      result.push_back(row.method);
    }
  }
  return result;
}

/// All plans of one request's decomposition, and which class of balance they are of.
class Collector {
 public:
  Collector(const PlanRequest& request, const Machine& machine)
      : request_(request), machine_(machine) {}

  void collect(Decomposition decomposition) {
    PlanRequest only = request_;
    only.decomposition = decomposition;
    // Margins matter to the first sweep and the last alone.
    if (only.in) only.in = only.in->with_margins(0);
    if (only.out) only.out = only.out->with_margins(0);
    for (const ExchangeMethod method : methods_of(request_, machine_)) collect(only, method);
  }

  std::vector<NamedPlan> sorted() && {
    sort();
    add_forwarded();
    sort();
    return std::move(plans_);
  }

 private:
  static constexpr Index ranks_to_count = Index{1} << 18;
  static constexpr Index most_plans = 24;
  static constexpr int most_to_forward = 3;
  static constexpr Index most_uneven_ranks_to_list = 16;
  static constexpr int most_uneven_plans_to_list = 8;
  static constexpr Index most_ranks_to_vary = Index{1} << 10;

  /// A plan that was written point-to-point by another method. Not all can, or are worth the time
  /// to find out: where ranks hold unequal parts, the cheapest few; but what is asked for is.
  [[nodiscard]] Plan by(ExchangeMethod method, const Plan& plan) {
    const Method& rules = method_of(method);
    if (rules.sends_pieces()) return plan;
    if (rules.least_radix() > 0) return forwarded(plan, machine_, true, divisions_).value_or(plan);
    const bool slow = request_.method == ExchangeMethod::any &&
                      plan.ranks() > most_uneven_ranks_to_list && !uniform(plan);
    return slow && ++listed_[method] > most_uneven_plans_to_list ? plan : plan.with_method(method);
  }

  /// Between the arrays that the request has.
  [[nodiscard]] Plan with_margins(const Plan& plan) const {
    const auto dressed = [](const Layout& layout, const std::optional<Layout>& asked) {
      return asked && asked->has_margins() ? *asked : layout;
    };
    return plan.between(dressed(plan.input(), request_.in), dressed(plan.output(), request_.out));
  }

  /// Manners of a method; what is joined matters little where messages are many.
  [[nodiscard]] std::vector<Manner> manners(ExchangeMethod method) const {
    const Method& rules = method_of(method);
    const auto several = [](const std::optional<Layout>& layout) {
      return layout && layout->several_boxes();
    };
    const bool boxes = several(request_.in) || several(request_.out);
    if (!rules.sends_pieces() || (boxes && rules.holding() != Holding::buffers)) {
      method = fallback_method;
    }
    std::vector<Manner> result = {{method, true}};
    if (request_.ranks <= most_ranks_to_vary) result.push_back({method, false});
    return result;
  }

  void collect(const PlanRequest& only, ExchangeMethod method) {
    bool known = false;
    for (const Manner& manner : manners(method)) {
      for (const auto plan_line : {plan_alone, plan_real_line}) {
        const std::optional<Plan> plan = plan_line(only, manner);
        if (plan) add(only.decomposition, 0, by(method, with_margins(*plan)));
        known = known || plan;
      }
    }
    constexpr int worst = 63;
    if (only.decomposition == Decomposition::convolution) {
      // Of the class of what it is compared with.
      PlanRequest others = only;
      others.decomposition = Decomposition::any;
      int limit = 0;
      while (limit < worst && find_paths(others, machine_, method, limit).empty()) ++limit;
      return convolve(only, method, limit);
    }
    for (int limit = 0; limit <= worst && !known; ++limit) {
      std::vector<Path> paths = find_paths(only, machine_, method, limit);
      known = !paths.empty();
      // To count the traffic of an exchange may take as long as there are ranks.
      const Index most = std::clamp<Index>(ranks_to_count / request_.ranks, 3, most_plans);
      if (static_cast<Index>(paths.size()) > most) paths.resize(static_cast<std::size_t>(most));
      for (const Path& path : paths) {
        for (const Manner& manner : manners(method)) {
          add(only.decomposition, limit, by(method, with_margins(plan_along(only, path, manner))));
        }
      }
      // Where half of the ranks or more would be idle; then the price decides.
      if (known && limit > 0) convolve(only, method, limit);
    }
  }

  void convolve(const PlanRequest& only, ExchangeMethod method, int imbalance) {
    for (const Index procs : convolution_procs(only)) {
      const Manner manner = manners(method).front();
      const std::optional<Plan> plan = plan_convolution(only, manner, procs);
      if (!plan) continue;
      // That there are twice as many points is no imbalance.
      const Index elements = volume(only.problem.shape);
      const Index share = ceil_div(elements, only.ranks);
      const auto ratio = static_cast<std::uint64_t>(plan->largest_local_size() / (2 * share));
      const int own = static_cast<int>(std::bit_width(std::max<std::uint64_t>(1, ratio))) - 1;
      add(Decomposition::convolution, std::max(imbalance, own), by(method, with_margins(*plan)));
    }
  }

  void sort() {
    std::stable_sort(plans_.begin(), plans_.end(), [](const NamedPlan& a, const NamedPlan& b) {
      if (a.imbalance != b.imbalance) return a.imbalance < b.imbalance;
      return a.cost.total.total() < b.cost.total.total();
    });
  }

  /// The cheapest plans of each number of exchanges, if some of these are cheaper by Bruck's
  /// algorithm: what saves starts among few ranks is not what saves bytes.
  void add_forwarded() {
    if (request_.method != ExchangeMethod::any || request_.chunks > 1) return;
    if (request_.ranks > most_ranks_by_bruck) return;
    std::map<Index, int> seen;  // by exchanges
    const std::size_t count = plans_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (++seen[plans_[i].plan.exchanges()] > most_to_forward) continue;
      const std::optional<Plan> plan = forwarded(plans_[i].plan, machine_, false, divisions_);
      if (!plan) continue;
      plans_.push_back({plans_[i].decomposition, plans_[i].imbalance, *plan, priced(*plan)});
    }
  }

  void add(Decomposition decomposition, int imbalance, const Plan& found) {
    const Plan plan =
        request_.engine == LineEngine::any ? by_cheaper_engines(found, machine_) : found;
    const auto same = [&](const NamedPlan& other) { return other.plan == plan; };
    if (std::any_of(plans_.begin(), plans_.end(), same)) return;
    const std::optional<Plan> in_chunks = pipelined(plan, machine_, request_.chunks, divisions_);
    if (!in_chunks || request_.chunks == 0) {
      plans_.push_back({decomposition, imbalance, plan, priced(plan)});
    }
    if (in_chunks) plans_.push_back({decomposition, imbalance, *in_chunks, priced(*in_chunks)});
  }

  [[nodiscard]] PlanCost priced(const Plan& plan) { return price(plan, machine_, {}, divisions_); }

  const PlanRequest& request_;
  const Machine& machine_;
  Divisions divisions_;
  std::map<ExchangeMethod, int> listed_;  // plans of unequal parts
  std::vector<NamedPlan> plans_;
};

const Machine& machine_of(const PlanRequest& request) {
  return request.machine ? *request.machine : built_in_machine();
}

/// A sort has one plan.
std::vector<NamedPlan> sorting_plans(const PlanRequest& request) {
  const Plan plan = bitonic_plan(request);
  return {{Decomposition::any, 0, plan, price(plan, machine_of(request))}};
}

}  // namespace

Plan make_plan(const PlanRequest& request) {
  return std::move(compared_plans(request).front().plan);
}

std::vector<NamedPlan> compared_plans(const PlanRequest& request) {
  validate(request);
  if (request.problem.kind == Kind::sort) return sorting_plans(request);
  Collector collector(request, machine_of(request));
  collector.collect(request.decomposition);
  std::vector<NamedPlan> plans = std::move(collector).sorted();
  if (!plans.empty()) return plans;
  throw InvalidOption(fmt::format(
      "the {} way does not lead from the input layout to the output layout of {}; leave it open",
      name_of(request.decomposition), request.problem.to_text()));
}

std::vector<NamedPlan> all_plans(const PlanRequest& request) {
  validate(request);
  if (request.problem.kind == Kind::sort) return sorting_plans(request);
  Collector collector(request, machine_of(request));
  if (request.decomposition == Decomposition::any) {
    for (const Decomposition decomposition :
         {Decomposition::slab, Decomposition::pencil, Decomposition::cyclic, Decomposition::gather,
          Decomposition::convolution})
      collector.collect(decomposition);
  }
  collector.collect(request.decomposition);
  return std::move(collector).sorted();
}

std::string_view name_of(Decomposition decomposition) {
  switch (decomposition) {
    case Decomposition::any:
      return "mixed";
    case Decomposition::slab:
      return "slab";
    case Decomposition::pencil:
      return "pencil";
    case Decomposition::cyclic:
      return "cyclic";
    case Decomposition::gather:
      return "gather";
    case Decomposition::convolution:
      return "convolution";
  }
  return "unknown";
}

}  // namespace kallima
