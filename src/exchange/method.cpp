// SPDX-License-Identifier: BSD-3-Clause
//
// What methods are by default: a message per piece, out of and into packed memory of the rank, in
// one round. And how they are found.
#include "exchange/method.hpp"

#include <algorithm>

#include "exchange/hermitian.hpp"
#include "kallima/error.hpp"
#include "layout/pieces.hpp"
#include "steps/digits.hpp"

namespace kallima {

namespace {

/// As much as the array.
class PackedSizes final : public BufferSizes {
 public:
  PackedSizes(const State& state, Index largest) : state_(state), largest_(largest) {}
  [[nodiscard]] BufferSpace of(Index rank) const override {
    return {in_complex(state_.layout.allocated_size(rank), state_.element), largest_};
  }

 private:
  const State& state_;
  Index largest_;
};

}  // namespace

bool Method::possible_in(const StepList& /*plan*/) const { return true; }

bool Method::possible(const Site& site) const {
  return site.exchange().radix == 0 && (!site.several_boxes() || holding() == Holding::buffers);
}

bool Method::fits(Index /*ranks*/, const Placement& /*planned*/, const NodesHere& /*here*/) const {
  return true;
}

bool Method::considered(Index /*ranks*/, const Placement& /*placement*/,
                        const Machine& /*machine*/) const {
  return false;
}

Traffic Method::traffic(const Site& site) const {
  return site.exchange().hermitian()
             ? HermitianExchange::between(site.before(), site.after()).traffic()
             : kallima::traffic(site.before().layout, site.exchange().to);
}

std::unique_ptr<BufferSizes> Method::sizes(const Site& site, bool sending) const {
  return std::make_unique<PackedSizes>(site.mine(sending), site.exchange().traffic.largest_message);
}

std::vector<StridedBlock> Method::written(const BlockPlacer& at, const Site& site,
                                          Access /*access*/, Area area) const {
  return at.packed(site, true, area).blocks;
}

std::vector<StridedBlock> Method::read(const BlockPlacer& at, const Site& site, Access /*access*/,
                                       Area area) const {
  return at.packed(site, false, area).blocks;
}

std::vector<Round> Method::rounds(const BlockPlacer& at, const Site& site, Area from,
                                  Area to) const {
  return {in_one_round(at.packed(site, true, from), at.packed(site, false, to), site, at.rank())};
}

Travel Method::travel(const Site& site, const Pricing& pricing) const {
  return travel_as(site, pricing, [&](const Setting& setting) {
    return division_by_ranks(site, pricing, setting);
  });
}

ExchangeCost Method::cost(const Site& site, const Pricing& pricing) const {
  ExchangeCost result = messages_cost(site, pricing, travel(site, pricing));
  if (!in_place(site.exchange())) {
    // What a rank keeps is copied.
    const State& before = site.before();
    const Index sent = in_complex(site.exchange().traffic.most_sent, before.element);
    const Index held = in_complex(before.layout.largest_allocated_size(), before.element);
    result.copied = std::max<Index>(0, held - sent);
  }
  return result;
}

double Method::estimate(const Setting& setting, const Layout& from, const Layout& to,
                        Index bytes) const {
  return messages_cost(setting, divided(setting, from, to, 4 * setting.per_node), bytes).total();
}

namespace {

/// The row of a method; null where there is none.
const MethodRow* row_of(ExchangeMethod method) {
  for (const MethodRow& row : method_rows()) {
    if (row.method == method) return &row;
  }
  return nullptr;
}

}  // namespace

const Method& method_of(ExchangeMethod method) {
  const MethodRow* const row = row_of(method);
  if (row == nullptr) throw InternalError("an exchange goes by no method");
  return row->rules;
}

bool is_method(ExchangeMethod method) {
  return method == ExchangeMethod::any || row_of(method) != nullptr;
}

std::string_view name_of(ExchangeMethod method) {
  if (method == ExchangeMethod::any) return "any";
  const MethodRow* const row = row_of(method);
  return row == nullptr ? "unknown" : row->name;
}

std::optional<ExchangeMethod> find_method(std::string_view name) {
  if (name == name_of(ExchangeMethod::any)) return ExchangeMethod::any;
  for (const MethodRow& row : method_rows()) {
    if (row.name == name) return row.method;
  }
  return std::nullopt;
}

Holding holding_of(const StepList& plan) {
  std::optional<Holding> all;
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Exchange* const exchange = plan.exchange_at(step);
    if (exchange == nullptr) continue;
    const Holding here = method_of(exchange->method).holding();
    if (all && *all != here) return Holding::buffers;
    all = here;
  }
  return all.value_or(Holding::buffers);
}

bool runs_on(const StepList& plan, const NodesHere& here) {
  for (std::size_t step = 0; step < plan.steps().size(); ++step) {
    const Exchange* const exchange = plan.exchange_at(step);
    if (exchange == nullptr) continue;
    if (!method_of(exchange->method).fits(plan.ranks(), plan.placement(), here)) return false;
  }
  return true;
}

bool uniform(const StepList& plan) {
  return std::all_of(plan.states().begin(), plan.states().end(), [&](const State& state) {
    const Layout& layout = state.layout;
    if (!layout.is_grid() || layout.ranks() != plan.ranks()) return false;
    for (std::size_t a = 0; a < layout.axes(); ++a) {
      if (!layout.axis(a).even()) return false;
    }
    return true;
  });
}

}  // namespace kallima
