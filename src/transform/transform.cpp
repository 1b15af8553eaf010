// SPDX-License-Identifier: BSD-3-Clause
#include "kallima/transform.hpp"

#include "plan/schedule.hpp"
#include "transform/core.hpp"

namespace kallima {

template <class T>
void Bound<T>::run() {
  core_->run(direction_, in_, out_);
}

template <class T>
Transform<T>::Transform(MPI_Comm comm, const Shape& shape, const Options& options)
    : Transform(with(comm, [&] {
        return Arguments{shape, options};
      })) {}

template <class T>
Transform<T> Transform<T>::with(MPI_Comm comm, const std::function<Arguments()>& arguments) {
  return Transform(std::make_shared<TransformCore<T>>(comm, arguments));
}

template <class T>
Array<T> Transform<T>::make_input() const {
  return core_->make_array(input_layout(), "input array");
}

template <class T>
Array<T> Transform<T>::make_output() const {
  return core_->make_array(output_layout(), "output array");
}

template <class T>
View<T> Transform<T>::view_input(std::span<std::complex<T>> data) const {
  return {data, input_layout(), rank(), core_->options().lengths};
}

template <class T>
View<T> Transform<T>::view_output(std::span<std::complex<T>> data) const {
  return {data, output_layout(), rank(), core_->options().lengths};
}

template <class T>
Bound<T> Transform<T>::bind(Direction direction, std::span<const std::complex<T>> in,
                            std::span<std::complex<T>> out) const {
  core_->communicator().require_alive();
  agree(core_->communicator(),
        transport::Verdict::of([&] { core_->validate_buffers(direction, in, out); }));
  return Bound<T>(core_, direction, in.data(), out.data());
}

template <class T>
void Transform<T>::forward(std::span<const std::complex<T>> in,
                           std::span<std::complex<T>> out) const {
  bind(Direction::forward, in, out).run();
}

template <class T>
void Transform<T>::backward(std::span<const std::complex<T>> in,
                            std::span<std::complex<T>> out) const {
  bind(Direction::backward, in, out).run();
}

template <class T>
const Layout& Transform<T>::input_layout() const {
  return plan().input();
}

template <class T>
const Layout& Transform<T>::output_layout() const {
  return plan().output();
}

template <class T>
const Plan& Transform<T>::plan(Direction direction) const {
  return core_->plan(direction);
}

template <class T>
std::string Transform<T>::explain() const {
  return plan().to_text();
}

template <class T>
Index Transform<T>::workspace_bytes() const {
  return core_->workspace_bytes();
}

template <class T>
Index Transform<T>::in_place_size() const {
  return output_capacity(plan(), true, rank());
}

template <class T>
Moved Transform<T>::moved() const {
  const transport::Counters& counters = core_->counters();
  return {counters.bytes_sent, counters.bytes_received, counters.messages_sent,
          counters.messages_received, counters.exchanges};
}

template <class T>
int Transform<T>::rank() const {
  return core_->communicator().rank;
}

template class Bound<float>;
template class Bound<double>;
template class Transform<float>;
template class Transform<double>;

}  // namespace kallima
