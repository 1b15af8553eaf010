// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/transform.hpp"

#include "api/core.hpp"
#include "kallima/error.hpp"

namespace kallima {

std::optional<Layout> LayoutChoice::for_shape(const Shape& shape) const {
  if (own_) {
    throw InvalidOption("boxes of one rank are no layout yet: those of all ranks make one");
  }
  return text_ ? Layout::parse(*text_, shape) : layout_;
}

const Layout& LayoutChoice::operator*() const {
  if (!layout_) {
    throw InvalidOption("this choice of a layout is no Layout: ask for_shape(), which reads text");
  }
  return *layout_;
}

template <class T>
Transform<T>::Transform(MPI_Comm comm, const Shape& shape, const Options& options)
    : Transform(with(comm, [&] {
        return Arguments{shape, options};
      })) {}

template <class T>
Transform<T> Transform<T>::with(MPI_Comm comm, const std::function<Arguments()>& arguments) {
  return Transform(TransformCore<T>::make(comm, Kind::c2c, [&] {
    return AskedTransform<T>{arguments(), {}};
  }));
}

template <class T>
R2RTransform<T>::R2RTransform(MPI_Comm comm, const Shape& shape, const Options& options)
    : R2RTransform(with(comm, [&] {
        return Arguments{shape, options};
      })) {}

template <class T>
R2RTransform<T> R2RTransform<T>::with(MPI_Comm comm, const std::function<Arguments()>& arguments) {
  return R2RTransform(TransformCore<T>::make(comm, Kind::r2r, [&] {
    return AskedTransform<T>{arguments(), {}};
  }));
}

template <class T, class E>
BasicArray<E> SameElementTransform<T, E>::make_input() const {
  return core_->template make_array<E>(this->input_layout(), "input array");
}

template <class T, class E>
BasicArray<E> SameElementTransform<T, E>::make_output() const {
  return core_->template make_array<E>(this->output_layout(), "output array");
}

template <class T, class E>
BasicView<E> SameElementTransform<T, E>::view_input(std::span<E> data) const {
  return {data, this->input_layout(), this->rank(), core_->spectrum()};
}

template <class T, class E>
BasicView<E> SameElementTransform<T, E>::view_output(std::span<E> data) const {
  return {data, this->output_layout(), this->rank(), core_->spectrum()};
}

template <class T, class E>
Bound<T> SameElementTransform<T, E>::bind(Direction direction, std::span<const E> in,
                                          std::span<E> out) const {
  return this->bind_memory(direction, in.data(), in.size(), out.data(), out.size());
}

template <class T, class E>
Bound<T> SameElementTransform<T, E>::bind(Direction direction, const BasicView<E>& in,
                                          const BasicView<E>& out) const {
  return this->bind_memory(direction, in.data(), in.size(), in.layout(), out.data(), out.size(),
                           out.layout());
}

template <class T, class E>
void SameElementTransform<T, E>::run(Direction direction, std::span<const E> in, std::span<E> out,
                                     std::optional<Scaling> scaling) const {
  this->run_memory(direction, in.data(), in.size(), out.data(), out.size(), scaling);
}

template <class T, class E>
void SameElementTransform<T, E>::forward(std::span<const E> in, std::span<E> out) const {
  bind(Direction::forward, in, out).run();
}

template <class T, class E>
void SameElementTransform<T, E>::forward(const BasicView<E>& in, const BasicView<E>& out) const {
  bind(Direction::forward, in, out).run();
}

template <class T, class E>
void SameElementTransform<T, E>::backward(const BasicView<E>& in, const BasicView<E>& out) const {
  bind(Direction::backward, in, out).run();
}

template <class T, class E>
void SameElementTransform<T, E>::backward(std::span<const E> in, std::span<E> out) const {
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
    return AskedTransform<T>{arguments(), {}};
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
void RealTransform<T>::run_forward(std::span<const T> in, std::span<std::complex<T>> out,
                                   std::optional<Scaling> scaling) const {
  this->run_memory(Direction::forward, in.data(), in.size(), out.data(), out.size(), scaling);
}

template <class T>
void RealTransform<T>::run_backward(std::span<const std::complex<T>> in, std::span<T> out,
                                    std::optional<Scaling> scaling) const {
  this->run_memory(Direction::backward, in.data(), in.size(), out.data(), out.size(), scaling);
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

template class SameElementTransform<float, std::complex<float>>;
template class SameElementTransform<double, std::complex<double>>;
template class SameElementTransform<float, float>;
template class SameElementTransform<double, double>;
template class Transform<float>;
template class Transform<double>;
template class R2RTransform<float>;
template class R2RTransform<double>;
template class RealTransform<float>;
template class RealTransform<double>;

}  // namespace kallima
