// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/transform.hpp"

#include "kallima/ntt.hpp"
#include "kallima/price.hpp"
#include "kallima/sort.hpp"
#include "kallima/walsh_hadamard.hpp"
#include "transform/core.hpp"
#include "transform/explain.hpp"

namespace kallima {

std::optional<Layout> LayoutChoice::for_shape(const Shape& shape) const {
  return text_ ? Layout::parse(*text_, shape) : layout_;
}

const Layout& LayoutChoice::operator*() const {
  if (!layout_) {
    throw InvalidOption("this choice of a layout is no Layout: ask for_shape(), which reads text");
  }
  return *layout_;
}

template <class T>
void Bound<T>::run() {
  core_->run(direction_, static_cast<const exec::Number<T>*>(in_),
             static_cast<exec::Number<T>*>(out_));
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
  return steps.to_text() + "\n" + explained(on, price(steps, on, options), took);
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
Moved Planned<T>::moved() const {
  return core_->moved();
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

template <class T>
Transform<T>::Transform(MPI_Comm comm, const Shape& shape, const Options& options)
    : Transform(with(comm, [&] {
        return Arguments{shape, options};
      })) {}

template <class T>
Transform<T> Transform<T>::with(MPI_Comm comm, const std::function<Arguments()>& arguments) {
  return Transform(TransformCore<T>::make(comm, Kind::c2c, [&] {
    return Asked<T>{arguments(), {}};
  }));
}

template <class T>
Array<T> Transform<T>::make_input() const {
  return core_->template make_array<std::complex<T>>(this->input_layout(), "input array");
}

template <class T>
Array<T> Transform<T>::make_output() const {
  return core_->template make_array<std::complex<T>>(this->output_layout(), "output array");
}

template <class T>
View<T> Transform<T>::view_input(std::span<std::complex<T>> data) const {
  return {data, this->input_layout(), this->rank(), core_->spectrum()};
}

template <class T>
View<T> Transform<T>::view_output(std::span<std::complex<T>> data) const {
  return {data, this->output_layout(), this->rank(), core_->spectrum()};
}

template <class T>
Bound<T> Transform<T>::bind(Direction direction, std::span<const std::complex<T>> in,
                            std::span<std::complex<T>> out) const {
  return this->bind_memory(direction, in.data(), in.size(), out.data(), out.size());
}

template <class T>
Bound<T> Transform<T>::bind(Direction direction, const View<T>& in, const View<T>& out) const {
  return this->bind_memory(direction, in.data(), in.size(), in.layout(), out.data(), out.size(),
                           out.layout());
}

template <class T>
void Transform<T>::forward(std::span<const std::complex<T>> in,
                           std::span<std::complex<T>> out) const {
  bind(Direction::forward, in, out).run();
}

template <class T>
void Transform<T>::forward(const View<T>& in, const View<T>& out) const {
  bind(Direction::forward, in, out).run();
}

template <class T>
void Transform<T>::backward(const View<T>& in, const View<T>& out) const {
  bind(Direction::backward, in, out).run();
}

template <class T>
void Transform<T>::backward(std::span<const std::complex<T>> in,
                            std::span<std::complex<T>> out) const {
  bind(Direction::backward, in, out).run();
}

template <class T>
RealTransform<T>::RealTransform(MPI_Comm comm, const Shape& shape, const Options& options)
    : RealTransform(with(comm, [&] {
        return Arguments{shape, options};
      })) {}

template <class T>
RealTransform<T> RealTransform<T>::with(MPI_Comm comm,
                                        const std::function<Arguments()>& arguments) {
  return RealTransform(TransformCore<T>::make(comm, Kind::r2c, [&] {
    return Asked<T>{arguments(), {}};
  }));
}

template <class T>
RealArray<T> RealTransform<T>::make_input() const {
  return core_->template make_array<T>(this->input_layout(), "input array");
}

template <class T>
Array<T> RealTransform<T>::make_output() const {
  return core_->template make_array<std::complex<T>>(this->output_layout(), "output array");
}

template <class T>
RealView<T> RealTransform<T>::view_input(std::span<T> data) const {
  return {data, this->input_layout(), this->rank(), core_->spectrum()};
}

template <class T>
View<T> RealTransform<T>::view_output(std::span<std::complex<T>> data) const {
  return {data, this->output_layout(), this->rank(), core_->spectrum()};
}

template <class T>
Bound<T> RealTransform<T>::bind_forward(std::span<const T> in,
                                        std::span<std::complex<T>> out) const {
  return this->bind_memory(Direction::forward, in.data(), in.size(), out.data(), out.size());
}

template <class T>
Bound<T> RealTransform<T>::bind_backward(std::span<const std::complex<T>> in,
                                         std::span<T> out) const {
  return this->bind_memory(Direction::backward, in.data(), in.size(), out.data(), out.size());
}

template <class T>
Bound<T> RealTransform<T>::bind_forward(const RealView<T>& in, const View<T>& out) const {
  return this->bind_memory(Direction::forward, in.data(), in.size(), in.layout(), out.data(),
                           out.size(), out.layout());
}

template <class T>
Bound<T> RealTransform<T>::bind_backward(const View<T>& in, const RealView<T>& out) const {
  return this->bind_memory(Direction::backward, in.data(), in.size(), in.layout(), out.data(),
                           out.size(), out.layout());
}

template <class T>
void RealTransform<T>::forward(const RealView<T>& in, const View<T>& out) const {
  bind_forward(in, out).run();
}

template <class T>
void RealTransform<T>::backward(const View<T>& in, const RealView<T>& out) const {
  bind_backward(in, out).run();
}

template <class T>
void RealTransform<T>::forward(std::span<const T> in, std::span<std::complex<T>> out) const {
  bind_forward(in, out).run();
}

template <class T>
void RealTransform<T>::backward(std::span<const std::complex<T>> in, std::span<T> out) const {
  bind_backward(in, out).run();
}

#define KALLIMA_INSTANTIATE(T) \
  template class Bound<T>;     \
  template class Planned<T>;
KALLIMA_FOR_EACH_OPERATION(KALLIMA_INSTANTIATE)
#undef KALLIMA_INSTANTIATE
template class Transform<float>;
template class Transform<double>;
template class RealTransform<float>;
template class RealTransform<double>;

}  // namespace kallima
