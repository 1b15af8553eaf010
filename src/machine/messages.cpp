// SPDX-License-Identifier: BSD-3-Clause
#include "machine/messages.hpp"

#include <algorithm>
#include <cmath>

#include "kallima/error.hpp"

namespace kallima::models {

namespace {

double real(Index count) { return static_cast<double>(count); }

/// Data for messages of `bytes` in all; an empty message is a datum too.
double data_of(const LogP& model, Index messages, double bytes) {
  if (messages == 0) return 0;
  const double each = std::ceil(bytes / real(messages) / model.datum_bytes);
  return real(messages) * std::max(1.0, each);
}

/// Seconds from one of a row of messages to the next, bytes aside: the gap, or where that is
/// longer the overheads that a processor pays meanwhile. Of a pure sender that is max(g, o); with
/// as many received as sent max(g, 2o), which is why Sahay 1993, section 2,
/// has g >= 2o.
double interval(double gap, double overhead, double sent, double received) {
  return std::max(gap, overhead * (sent + received) / std::max(sent, received));
}

/// o + L + o for the last of a row, and an interval for each before it.
template <class Model>
double row_seconds(const Model& model, double sent, double received) {
  const double most = std::max(sent, received);
  if (most == 0) return 0;
  return (most - 1) * interval(model.gap, model.overhead, sent, received) + 2 * model.overhead +
         model.latency;
}

Load one_way(const Train& train) {
  return {.messages_sent = train.messages, .messages_received = 0};
}

Load both_ways(const Train& train) {
  return {.messages_sent = train.messages, .messages_received = train.messages};
}

double logp_seconds(const LogP& model, const Load& load, double bytes_sent, double bytes_received) {
  return row_seconds(model, data_of(model, load.messages_sent, bytes_sent),
                     data_of(model, load.messages_received, bytes_received));
}

/// The first byte of each message goes with the message, the others take G each.
double loggp_seconds(const LogGp& model, const Load& load, double bytes_sent,
                     double bytes_received) {
  const double sent = real(load.messages_sent);
  const double received = real(load.messages_received);
  const double bytes = std::max({bytes_sent - sent, bytes_received - received, 0.0});
  return row_seconds(model, sent, received) + bytes * model.gap_per_byte;
}

double total_bytes(const Train& train) { return real(train.messages) * train.bytes; }

}  // namespace

// Solomonik 2015: T = alpha + s beta.
double message_seconds(const AlphaBeta& model, double bytes) {
  return model.alpha + bytes * model.beta;
}

// Solomonik 2015, slide "The LogP model": T = 2o + L + (s - 1) g for s data, with g >= o.
double message_seconds(const LogP& model, double bytes) {
  return train_seconds(model, {.messages = 1, .bytes = bytes});
}

// Solomonik 2015, slide "The LogGP model": o + (s - 1) G + L + o.
double message_seconds(const LogGp& model, double bytes) {
  return train_seconds(model, {.messages = 1, .bytes = bytes});
}

double train_seconds(const AlphaBeta& model, const Train& train) {
  return real(train.messages) * message_seconds(model, train.bytes);
}

double train_seconds(const LogP& model, const Train& train) {
  return logp_seconds(model, one_way(train), total_bytes(train), 0);
}

// Same slide: g is between the bytes of two messages, so it starts with the last byte of one. The
// overhead of the next is not hidden behind those bytes.
double train_seconds(const LogGp& model, const Train& train) {
  return loggp_seconds(model, one_way(train), total_bytes(train), 0);
}

double relation_seconds(const AlphaBeta& model, const Train& train) {
  return train_seconds(model, train);
}

double relation_seconds(const LogP& model, const Train& train) {
  return logp_seconds(model, both_ways(train), total_bytes(train), total_bytes(train));
}

double relation_seconds(const LogGp& model, const Train& train) {
  return loggp_seconds(model, both_ways(train), total_bytes(train), total_bytes(train));
}

double relation_seconds(const Bsp& model, const Train& train) {
  return superstep_seconds(model, {.work_seconds = 0, .bytes = total_bytes(train)});
}

double capacity(const LogP& model) { return std::ceil(model.latency / model.gap); }

double superstep_seconds(const Bsp& model, const Superstep& step) {
  return step.work_seconds + model.gap_per_byte * step.bytes + model.synchronisation;
}

// Solomonik 2015: a processor can send and/or receive one message at a time.
double exchange_seconds(const AlphaBeta& model, const Load& load) {
  return model.alpha * real(std::max(load.messages_sent, load.messages_received)) +
         model.beta * real(std::max(load.bytes_sent, load.bytes_received));
}

double exchange_seconds(const LogP& model, const Load& load) {
  return logp_seconds(model, load, real(load.bytes_sent), real(load.bytes_received));
}

double exchange_seconds(const LogGp& model, const Load& load) {
  return loggp_seconds(model, load, real(load.bytes_sent), real(load.bytes_received));
}

double exchange_seconds(const Bsp& model, const Load& load) {
  const double bytes = real(std::max(load.bytes_sent, load.bytes_received));
  return superstep_seconds(model, {.work_seconds = 0, .bytes = bytes});
}

double exchange_seconds(Model model, const Network& network, const Load& load) {
  switch (model) {
    case Model::bsp:
      return exchange_seconds(network.bsp, load);
    case Model::logp:
      return exchange_seconds(network.logp, load);
    case Model::loggp:
      return exchange_seconds(network.loggp, load);
    case Model::alpha_beta:
      return exchange_seconds(network.alpha_beta, load);
  }
  throw InternalError("a model of messages without a price; report this");
}

}  // namespace kallima::models
