// SPDX-License-Identifier: BSD-3-Clause
#include "assumed_links.hpp"

#include <algorithm>

#include "api/probe.hpp"
#include "comm/agreement.hpp"
#include "machine/figures.hpp"

namespace kallima::cli {

namespace {

double expected_gain(const PlanRequest& request, const Machine& measured) {
  const double taken = price(make_plan(request), measured).total.total();
  PlanRequest informed = request;
  informed.machine = std::make_shared<const Machine>(measured);
  const double best = compared_plans(informed).front().cost.total.total();
  return taken > 0. ? std::max(0., 1. - best / taken) : 0.;
}

}  // namespace

std::optional<AssumedLinks> assumed_links(const Session& session,
                                          const std::function<PlanRequest()>& request) {
  const auto communicator = comm::Communicator::of(session.comm);
  PlanRequest asked;
  agree(*communicator, comm::Verdict::of([&] {
    if (session.speaks()) asked = request();
  }));
  const std::optional<double> per_byte = rate_of_assumed_links(*communicator, asked);
  if (!per_byte || !session.speaks()) return std::nullopt;
  return AssumedLinks{(*asked.machine)->between_nodes.assumed, 1. / *per_byte,
                      expected_gain(asked, with_rate(*asked.machine, *per_byte))};
}

}  // namespace kallima::cli
