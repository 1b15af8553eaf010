// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "api/core.hpp"
#include "api/explain.hpp"
#include "kallima/price.hpp"
#include "kallima/transform.hpp"

namespace kallima {

template <class T>
void Bound<T>::run() {
  run_scaled({});
}

template <class T>
void Bound<T>::run(Scaling scaling) {
  run_scaled(scaling);
}

template <class T>
void Bound<T>::run_scaled(std::optional<Scaling> scaling) {
  if (fields_) return core_->run_fields(direction_, fields_->in, fields_->out, scaling);
  core_->run(direction_, static_cast<const exec::Number<T>*>(in_),
             static_cast<exec::Number<T>*>(out_), scaling);
}

template <class T>
Bound<T> Planned<T>::bind_fields_memory(Direction direction,
                                        const std::function<FieldMemory()>& fields) const {
  return Bound<T>(core_, direction, core_->bound_fields(direction, fields));
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
void Planned<T>::apply_memory(const void* in, std::size_t in_elements, const void* second,
                              std::size_t second_elements, void* out, std::size_t out_elements,
                              const RowPairWork& work) const {
  core_->apply({in, in_elements}, {second, second_elements}, {out, out_elements}, work);
}

template <class T>
Bound<T> Planned<T>::bind_memory(Direction direction, const void* in, std::size_t in_elements,
                                 void* out, std::size_t out_elements) const {
  core_->require_fitting(direction, {in, in_elements}, {out, out_elements});
  return Bound<T>(core_, direction, in, out);
}

template <class T>
Bound<T> Planned<T>::bind_memory(Direction direction,
                                 const std::function<ArrayMemory()>& memory) const {
  ArrayMemory arrays;
  core_->require_fitting(direction, [&]() -> typename TransformCore<T>::BothGiven {
    arrays = memory();
    return {{arrays.in, arrays.in_elements}, {arrays.out, arrays.out_elements}};
  });
  return Bound<T>(core_, direction, arrays.in, arrays.out);
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
std::string explanation(const TransformCore<T>& core, Direction direction) {
  const Timings took = core.timings(direction);
  const Plan& steps = core.plan(direction);
  const Machine on = core.machine();
  PriceOptions options;
  options.in_place = took.in_place;
  options.ranks_per_node = core.communicator().ranks_on_node;
  return steps.summary() + "\n" + explained(on, price(steps, on, options), took) +
         core.learned(direction);
}

template <class T>
std::string Planned<T>::explain(Direction direction) const {
  std::string text = explanation(*core_, direction);
  if (direction == Direction::backward || core_->turning() == nullptr) return text;
  return text + "\napply(): " + explanation(*core_->turning(), Direction::forward);
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
