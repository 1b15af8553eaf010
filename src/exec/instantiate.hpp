// SPDX-License-Identifier: BSD-3-Clause
//
// The bodies of the templates over operations, for the files that instantiate them: one for each
// operation, in the library that has it.
#pragma once

#include "exec/chirp_impl.hpp"
#include "exec/copies_impl.hpp"
#include "exec/executor_impl.hpp"
#include "exec/planes_impl.hpp"
#include "exec/sweep_tiles_impl.hpp"

#define KALLIMA_INSTANTIATE_EXECUTION(T)        \
  template class ::kallima::exec::EngineSet<T>; \
  template class ::kallima::exec::Executor<T>
