// SPDX-License-Identifier: BSD-3-Clause
#include "machine/link_models.hpp"

#include "machine/figures.hpp"
#include "machine/messages.hpp"

namespace kallima {

namespace {

models::Network network_of(const Link& link, double message_bytes) {
  models::Network network;
  network.loggp = {link.latency, link.overhead, link.gap, link.per_byte.at(message_bytes)};
  network.alpha_beta = {link.fits.alpha, link.fits.beta};
  network.logp = {link.latency, link.overhead, link.fits.datum_gap, link.fits.datum_bytes};
  network.bsp = {link.fits.bsp_gap, link.fits.bsp_sync};
  return network;
}

}  // namespace

double exchange_seconds(Model model, const Link& link, Index messages, Index bytes) {
  if (messages == 0) return 0.;
  const double each = static_cast<double>(bytes) / static_cast<double>(messages);
  return models::exchange_seconds(model, network_of(link, each),
                                  {messages, messages, bytes, bytes});
}

double latency_seconds(Model model, const Link& link, Index messages) {
  if (messages == 0) return 0.;
  return models::exchange_seconds(model, network_of(link, 1.), {messages, messages, 0, 0});
}

double large_per_byte(const Link& link) {
  return link.per_byte.points().empty() ? 0. : link.per_byte.points().back().second;
}

}  // namespace kallima
