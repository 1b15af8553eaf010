// SPDX-License-Identifier: BSD-3-Clause
//
// Cases that all ranks run together. Each rank notes what it finds wrong and goes on; at the end of
// a case all ranks agree whether it failed. So a failure on one rank is printed and fails the test,
// and does not hang it. What hangs in spite of that is ended by an alarm that names the case.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include "kallima/error.hpp"

namespace kallima::test {

/// What is wrong on this rank; the first complaint is kept.
class Complaints {
 public:
  void expect(bool good, const std::string& otherwise) {
    if (!good && first_.empty()) first_ = otherwise;
  }
  template <class A, class B>
  void equal(const A& is, const B& should, const std::string& what) {
    expect(is == should,
           what + " is " + std::to_string(is) + " and should be " + std::to_string(should));
  }
  [[nodiscard]] const std::string& first() const { return first_; }

 private:
  std::string first_;
};

/// Runs cases and counts them. Made between MPI_Init and MPI_Finalize, on all ranks.
class Together {
 public:
  /// No case may take longer than `seconds`.
  explicit Together(double seconds = 60.0);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  /// Collective. An exception that leaves `body` is a failure.
  void run(const std::string& name, const std::function<void(Complaints&)>& body);

  /// Prints how many cases ran and failed, and the slowest. Returns the exit status.
  [[nodiscard]] int finish(const std::string& what) const;

 private:
  double limit_;
  int rank_ = 0;
  int ranks_ = 1;
  long cases_ = 0;
  long failures_ = 0;
  double slowest_ = 0.0;
  std::string slowest_case_;
};

/// What a body throws, as "code: text", or nothing.
template <class Body>
std::string thrown_by(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return std::string(name_of(error.code())) + ": " + error.what();
  }
  return {};
}

inline bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// Is it true, or the same, on all ranks, or true on any? Collective.
bool all_of_us(bool mine);
bool any_of_us(bool mine);
bool same_everywhere(const std::string& mine);

/// A case in which `body` throws this code on all ranks, with the same words. Collective.
template <class Body>
void expect_refused(Together& all, const std::string& name, const std::string& code, Body body) {
  all.run(name, [&](Complaints& complaints) {
    const std::string text = thrown_by(body);
    complaints.expect(begins_with(text, code), "thrown is '" + text + "'");
    complaints.expect(same_everywhere(text), "ranks differ: " + text);
  });
}

/// Runs a program of such cases between MPI_Init and MPI_Finalize; returns its exit status.
inline int under_mpi(int argc, char** argv, int (*run)()) {
  MPI_Init(&argc, &argv);
  const int status = run();
  MPI_Finalize();
  return status;
}

}  // namespace kallima::test
