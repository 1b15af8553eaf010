// SPDX-License-Identifier: BSD-3-Clause
//
// What all judges say.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "judge.hpp"

namespace kallima::cli::doctor {

inline Check good(std::string name, std::string found) {
  return {std::move(name), Verdict::good, std::move(found), {}};
}

inline Check hurts(std::string name, std::string found, std::string fix) {
  return {std::move(name), Verdict::hurts, std::move(found), std::move(fix)};
}

inline Check fails(std::string name, std::string found, std::string fix) {
  return {std::move(name), Verdict::fails, std::move(found), std::move(fix)};
}

inline Check cannot_tell(std::string name, std::string found) {
  return {std::move(name), Verdict::cannot_tell, std::move(found), {}};
}

/// The fix of the MPI at hand.
inline std::string by_family(Family family, const std::string& open_mpi, const std::string& mpich,
                             const std::string& other) {
  return family == Family::open_mpi ? open_mpi : family == Family::mpich ? mpich : other;
}

/// " on HOST" where there are several.
inline std::string on_host(const Facts& facts, const NodeFacts& node) {
  return facts.nodes.size() > 1 ? " on " + node.host : std::string();
}

/// The first node of which something is true, or null.
template <class Predicate>
const NodeFacts* first_node(const Facts& facts, Predicate predicate) {
  const auto found = std::find_if(facts.nodes.begin(), facts.nodes.end(), predicate);
  return found == facts.nodes.end() ? nullptr : &*found;
}

}  // namespace kallima::cli::doctor
