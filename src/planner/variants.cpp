// SPDX-License-Identifier: BSD-3-Clause
#include "planner/variants.hpp"

#include <algorithm>

#include "cost/price.hpp"
#include "exchange/method.hpp"
#include "machine/figures.hpp"
#include "planner/engines.hpp"
#include "planner/pipeline.hpp"

namespace kallima {

namespace {

/// By what two variants differ.
struct Manners {
  std::vector<ExchangeMethod> methods;  ///< of the exchanges
  std::vector<LineEngine> engines;      ///< of the sweeps
  Index parts = 1;                      ///< of a message, at most
};

Manners manners_of(const Plan& plan) {
  Manners result;
  for (const Step& step : plan.steps()) {
    if (const auto* const sweep = std::get_if<Sweep>(&step)) {
      result.engines.push_back(sweep->engine);
    }
    const auto* const exchange = std::get_if<Exchange>(&step);
    if (exchange == nullptr) continue;
    result.methods.push_back(exchange->method);
    result.parts = std::max(result.parts, exchange->chunks.parts());
  }
  return result;
}

/// True where one need not be tried beside the other: by the same methods and engines, and both in
/// one piece or in about as many parts.
bool nearly_alike(const Plan& a, const Plan& b) {
  const Manners mine = manners_of(a);
  const Manners theirs = manners_of(b);
  if (mine.methods != theirs.methods || mine.engines != theirs.engines) return false;
  const auto [fewer, more] = std::minmax(mine.parts, theirs.parts);
  return fewer == more || (fewer > 1 && more <= 2 * fewer);
}

bool has_chunks(const Plan& plan) { return manners_of(plan).parts > 1; }

/// Methods that a request leaves open, but for those that take long to list.
std::vector<ExchangeMethod> methods_for(const PlanRequest& request) {
  if (request.method != ExchangeMethod::any) return {request.method};
  std::vector<ExchangeMethod> result;
  for (const MethodRow& row : method_rows()) {
    const bool by_messages =
        row.rules.holding() == Holding::buffers && row.rules.least_radix() == 0;
    if (by_messages || row.rules.considered(request.ranks, request.placement, *request.machine)) {
      result.push_back(row.method);
    }
  }
  return result;
}

/// Numbers of chunks that a request leaves open, from 2 on.
std::vector<Index> chunks_for(const PlanRequest& request) {
  if (request.chunks > 0)
    return request.chunks > 1 ? std::vector{request.chunks} : std::vector<Index>();
  std::vector<Index> result;
  for (Index chunks = 2; chunks <= most_chunks; chunks *= 2) result.push_back(chunks);
  return result;
}

class Variants {
 public:
  Variants(const NamedPlan& plan, const PlanRequest& request) : first_(plan), request_(request) {
    for (const ExchangeMethod method : methods_for(request)) {
      if (method_of(method).least_radix() > 0) continue;  // the planner has chosen the radix
      const Plan whole = plan.plan.with_method(method);
      if (request.chunks <= 1) add(whole);
      if (!method_of(method).chunks()) continue;
      for (const Index chunks : chunks_for(request)) {
        if (const auto cut = pipelined(whole, *request.machine, chunks, divisions_)) add(*cut);
      }
    }
    std::stable_sort(plans_.begin(), plans_.end(), [](const NamedPlan& a, const NamedPlan& b) {
      return a.cost.total.total() < b.cost.total.total();
    });
  }

  [[nodiscard]] std::vector<NamedPlan>& plans() { return plans_; }

 private:
  void add(const Plan& plan) {
    const auto same = [&](const NamedPlan& other) { return other.plan == plan; };
    if (plan == first_.plan || std::any_of(plans_.begin(), plans_.end(), same)) return;
    plans_.push_back({first_.decomposition, first_.imbalance, plan,
                      price(plan, *request_.machine, {}, divisions_)});
  }

  NamedPlan first_;
  const PlanRequest& request_;
  Divisions divisions_;
  std::vector<NamedPlan> plans_;
};

/// Takes those that are unlike all that are there, in their order.
template <class Wanted>
void take(const std::vector<NamedPlan>& from, std::size_t most, Wanted wanted,
          std::vector<NamedPlan>& result) {
  for (const NamedPlan& each : from) {
    if (result.size() >= most) return;
    const auto like = [&](const NamedPlan& other) {
      return other.plan == each.plan ||
             (other.plan.states() == each.plan.states() && nearly_alike(other.plan, each.plan));
    };
    if (wanted(each) && std::none_of(result.begin(), result.end(), like)) result.push_back(each);
  }
}

/// The plan with kernels in all sweeps that can have them, and with none, where that is another
/// one.
std::vector<NamedPlan> by_other_engines(const NamedPlan& plan, const PlanRequest& request) {
  std::vector<NamedPlan> result;
  if (request.engine != LineEngine::any) return result;
  for (const LineEngine engine : {LineEngine::kernels, LineEngine::fftw}) {
    const Plan other = by_engine(plan.plan, engine);
    if (other == plan.plan) continue;
    result.push_back({plan.decomposition, plan.imbalance, other, price(other, *request.machine)});
  }
  return result;
}

}  // namespace

std::vector<Plan> variants_of(const Plan& plan, const PlanRequest& request, std::size_t most) {
  std::vector<NamedPlan> taken = {{Decomposition::any, 0, plan, {}}};
  Variants variants(taken.front(), request);
  take(
      variants.plans(), most, [](const NamedPlan&) { return true; }, taken);
  std::vector<Plan> result;
  for (NamedPlan& each : taken) result.push_back(std::move(each.plan));
  return result;
}

std::vector<NamedPlan> plans_to_time(const PlanRequest& request, double within, std::size_t most) {
  const std::vector<NamedPlan> compared = compared_plans(request);
  const NamedPlan& choice = compared.front();
  const double limit = choice.cost.total.total() * (1. + within);
  Variants variants(choice, request);
  std::vector<NamedPlan> result = {choice};
  const auto take_one = [&](bool chunks) {
    const auto other = [&](const NamedPlan& each) { return has_chunks(each.plan) == chunks; };
    take(variants.plans(), std::min(most, result.size() + 1), other, result);
  };
  take_one(!has_chunks(choice.plan));
  const auto near = [&](const NamedPlan& each) { return each.cost.total.total() <= limit; };
  take(by_other_engines(choice, request), most, near, result);
  take(compared, std::min(most, result.size() + 1), near, result);
  take(variants.plans(), most, near, result);
  take(compared, most, near, result);
  return result;
}

}  // namespace kallima
