// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "api/core.hpp"
#include "api/explain.hpp"
#include "kallima/price.hpp"
#include "kallima/transform.hpp"

namespace kallima {

template <class T>
void Bound<T>::run() {
  core_->run(direction_, static_cast<const exec::Number<T>*>(in_),
             static_cast<exec::Number<T>*>(out_));
}

template <class T>
void Bound<T>::run(Scaling scaling) {
  core_->run(direction_, static_cast<const exec::Number<T>*>(in_),
             static_cast<exec::Number<T>*>(out_), scaling);
}

template <class T>
void Planned<T>::run_memory(Direction direction, const void* in, std::size_t in_elements, void* out,
                            std::size_t out_elements, std::optional<Scaling> scaling) const {
  core_->run_unbound(direction, {in, in_elements}, {out, out_elements}, scaling);
}

template <class T>
void Planned<T>::apply_memory(const void* in, std::size_t in_elements, void* out,
                              std::size_t out_elements, const RowWork& work) const {
  core_->apply({in, in_elements}, {out, out_elements}, work);
}

template <class T>
Bound<T> Planned<T>::bind_memory(Direction direction, const void* in, std::size_t in_elements,
                                 void* out, std::size_t out_elements) const {
  core_->require_fitting(direction, {in, in_elements}, {out, out_elements});
  return Bound<T>(core_, direction, in, out);
}

template <class T>
Bound<T> Planned<T>::bind_memory(Direction direction, const void* in, std::size_t in_elements,
                                 const Layout& in_layout, void* out, std::size_t out_elements,
                                 const Layout& out_layout) const {
  core_->require_fitting(direction, {in, in_elements, &in_layout},
                         {out, out_elements, &out_layout});
  return Bound<T>(core_, direction, in, out);
}

template <class T>
const Layout& Planned<T>::input_layout() const {
  return plan().input();
}

template <class T>
const Layout& Planned<T>::output_layout() const {
  return plan().output();
}

template <class T>
const Spectrum& Planned<T>::spectrum() const {
  return core_->spectrum();
}

template <class T>
const Plan& Planned<T>::plan(Direction direction) const {
  return core_->plan(direction);
}

template <class T>
std::string Planned<T>::explain(Direction direction) const {
  const Timings took = timings(direction);
  const Plan& steps = plan(direction);
  const Machine on = machine();
  PriceOptions options;
  options.in_place = took.in_place;
  options.ranks_per_node = core_->communicator().ranks_on_node;
  return steps.summary() + "\n" + explained(on, price(steps, on, options), took) +
         core_->learned(direction);
}

template <class T>
std::string Planned<T>::learned(Direction direction) const {
  return core_->learned(direction);
}

template <class T>
Machine Planned<T>::machine() const {
  return core_->machine();
}

template <class T>
Index Planned<T>::workspace_bytes() const {
  return core_->workspace_bytes();
}

template <class T>
Index Planned<T>::in_place_size() const {
  return core_->in_place_size();
}

template <class T>
CommStatistics Planned<T>::statistics() const {
  return core_->statistics();
}

template <class T>
Timings Planned<T>::timings(Direction direction) const {
  return core_->timings(direction);
}

template <class T>
std::string Planned<T>::trace() const {
  return core_->trace();
}

template <class T>
int Planned<T>::rank() const {
  return core_->communicator().rank;
}

}  // namespace kallima
