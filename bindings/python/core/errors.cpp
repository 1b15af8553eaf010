// SPDX-License-Identifier: BSD-3-Clause
//
// Each error class of C++ is a class of Python, and kallima.Error is the base of all.
#include "common.hpp"

namespace kallima::python {

void add_errors(py::module_& module) {
  const auto& base = py::register_exception<Error>(module, "Error");
  base.attr("code") = static_cast<int>(ErrorCode::internal_error);
#define KALLIMA_PYTHON_TYPE(number, name, upper, type, meaning)             \
  {                                                                         \
    const auto& raised = py::register_exception<type>(module, #type, base); \
    raised.attr("code") = number;                                           \
    raised.attr("__doc__") = meaning;                                       \
  }
  KALLIMA_ERROR_TABLE(KALLIMA_PYTHON_TYPE)
#undef KALLIMA_PYTHON_TYPE
}

void throw_as_error(const py::error_already_set& raised) {
  const std::string text = py::str(raised.value());
  if (raised.matches(PyExc_MemoryError)) throw OutOfMemory(text);
  if (py::hasattr(raised.type(), "code")) {
    throw_error(static_cast<ErrorCode>(py::cast<int>(raised.type().attr("code"))), text);
  }
  throw InvalidOption(py::cast<std::string>(raised.type().attr("__name__")) + ": " + text);
}

}  // namespace kallima::python
