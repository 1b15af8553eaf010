// SPDX-License-Identifier: BSD-3-Clause
//
// What `bench` found out, for people and for programs. The first row is Kallima's, to which the
// others are compared.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "result.hpp"

namespace kallima::cli {

/// Whether errors are within what the library promises, twice that for there and back.
bool within(const Errors& errors, double limit);

/// "error 2e-16 of 1e-15 allowed, ..."
std::string errors_text(const Errors& errors, double limit);

/// Schema kallima.bench/3.
nlohmann::ordered_json bench_json(const Session& session, const Task& task,
                                  const std::vector<Result>& rows);

/// Where and how it was measured, a table of figures, and a list of layouts and errors.
std::string bench_text(const Session& session, const Task& task, const std::vector<Result>& rows,
                       Index warm_up);

/// The row of a copy of each rank's share, null where there is none.
const Result* copy_row(const std::vector<Result>& rows);

}  // namespace kallima::cli
