// SPDX-License-Identifier: BSD-3-Clause
#include "common.hpp"
#include "kallima/version.h"

PYBIND11_MODULE(_core, module) {
  using namespace kallima::python;
  module.doc() = "The compiled part of kallima; use the package kallima.";
  module.attr("version") = KALLIMA_VERSION;
  add_errors(module);
  add_communicators(module);
  add_layouts(module);
  add_transforms(module);
  add_planning(module);
}
