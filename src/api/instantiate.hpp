// SPDX-License-Identifier: BSD-3-Clause
//
// The bodies of what a transform is made of, for the files that instantiate them: one for each
// operation, in the library that has it.
#pragma once

#include "api/core_impl.hpp"
#include "api/driver_impl.hpp"
#include "api/planned_impl.hpp"

#define KALLIMA_INSTANTIATE_TRANSFORM(T)      \
  template class ::kallima::Driver<T>;        \
  template class ::kallima::TransformCore<T>; \
  template class ::kallima::Bound<T>;         \
  template class ::kallima::Planned<T>
