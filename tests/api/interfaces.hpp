// SPDX-License-Identifier: BSD-3-Clause
//
// The C++ and the C interface behind one, so that a test is written once and goes through both.
// What C returns as a code and a text is thrown as the exception that belongs to the code: then
// either way a test sees exceptions, and can demand that they are equal.
#pragma once

#include <mpi.h>

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kallima/kallima.h"
#include "kallima/transform.hpp"

namespace kallima::test {

using In = std::span<const std::complex<double>>;
using Out = std::span<std::complex<double>>;

/// What a transform is planned from, but its communicator.
struct Ask {
  Shape shape;
  Options options;
  bool single = false;
  Kind kind = Kind::c2c;
  std::optional<std::string> in_text = {};   ///< read as options.in, inside the collective call
  std::optional<std::string> out_text = {};  ///< likewise
  /// Changes the arguments inside the collective call. Not for C.
  std::function<void(Arguments&)> make = {};
};

/// False where C has no words for it: there 0 is the default size of tiles, there is one length per
/// axis, and a layout is read for the shape that is transformed.
bool can_be_said_in_c(const Ask& ask);

/// A transform, of complex numbers and doubles unless it was asked for as single, or as reals,
/// which is then good for nothing.
class Planned {
 public:
  Planned() = default;
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;
  virtual ~Planned() = default;

  [[nodiscard]] virtual std::size_t in_size() const = 0;
  [[nodiscard]] virtual std::size_t out_size() const = 0;
  /// Returns what runs it.
  [[nodiscard]] virtual std::function<void()> bind(Direction direction, In in, Out out) const = 0;
  virtual void forward(In in, Out out) const = 0;
  virtual void backward(In in, Out out) const = 0;
  /// Makes an array of the input, or of the output. Not in C.
  virtual void make_array(bool input) const = 0;
};

class Interface {
 public:
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  virtual ~Interface() = default;

  [[nodiscard]] virtual std::unique_ptr<Planned> plan(MPI_Comm comm, const Ask& ask) const = 0;
};

const Interface& through_cpp();
const Interface& through_c();

/// Throws what a call of the C interface returned, unless that is success. A kallima_error that
/// does not fit the code is a std::logic_error.
void require_ok(int code, const kallima_error& error);

/// An error text as far as a kallima_error holds it.
std::string cut_for_c(const std::string& text);

/// What a failing call must overwrite.
template <class Handle>
Handle* no_handle() {
  static char nothing = 0;
  return reinterpret_cast<Handle*>(&nothing);
}

}  // namespace kallima::test
