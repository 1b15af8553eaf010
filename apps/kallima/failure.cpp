// SPDX-License-Identifier: BSD-3-Clause
#include "failure.hpp"

#include <fmt/format.h>

#include "kallima/error.hpp"

namespace kallima::cli {

namespace {

ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_shape:
    case ErrorCode::invalid_layout:
    case ErrorCode::too_few_ranks:
    case ErrorCode::invalid_option:
    case ErrorCode::mismatched_arguments:
    case ErrorCode::overflow:
    case ErrorCode::parse_error:
      return ExitCode::bad_usage;
    default:
      return ExitCode::machine_failed;
  }
}

/// The library throws these on the rank they happen on; all others it throws alike on all ranks.
bool lonely(ErrorCode code) {
  return code == ErrorCode::mpi_failure || code == ErrorCode::internal_error;
}

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const Error& error) {
    return {exit_code(error.code()), fmt::format("kallima: {}\n", error.what()),
            !lonely(error.code())};
  } catch (const std::bad_alloc&) {
    return {ExitCode::machine_failed, "kallima: no memory left; use more ranks or fewer a node\n",
            false};
  } catch (const std::exception& error) {
    return {ExitCode::machine_failed, fmt::format("kallima: {}\n", error.what()), false};
  }
}

}  // namespace kallima::cli
