// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/text.hpp"
#include "comm/owned_comm.hpp"
#include "failure.hpp"

namespace kallima::cli {

namespace {

/// Where launchers write a process' rank: Open MPI, PMIx, MPICH and Slurm's PMI, MVAPICH, HPE PALS,
/// Flux.
constexpr std::array rank_variables = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
                                       "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "FLUX_TASK_RANK"};

std::optional<int> rank_in_environment() {
  for (const char* const name : rank_variables) {
    if (const char* const value = std::getenv(name)) return std::atoi(value);
  }
  return std::nullopt;
}

// Looked up before MPI_Init, which sets the same variables where there is no launcher.
const std::optional<int> given_rank = rank_in_environment();

int count_nodes(MPI_Comm comm) {
  auto node = comm::OwnedComm::of_node(comm);
  int rank = 0;
  MPI_Comm_rank(node.get(), &rank);
  node.free();
  const int first = rank == 0 ? 1 : 0;
  int nodes = 0;
  MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, comm);
  return nodes;
}

Session started() {
  int provided = MPI_THREAD_SINGLE;  // less than asked for is no error
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  Session session;
  MPI_Comm_rank(session.comm, &session.rank);
  MPI_Comm_size(session.comm, &session.size);
  session.nodes = count_nodes(session.comm);
  return session;
}

/// True where all ranks were started alike. Otherwise some would wait for calls of others that
/// never come.
bool same_everywhere(const Session& session, const Arguments& arguments) {
  std::uint64_t mine = text::hash("");
  for (const std::string& word : arguments) mine = text::hash(word + '\0', mine);
  // The smallest and, by its complement, the largest.
  const std::array<std::uint64_t, 2> own = {mine, ~mine};
  std::array<std::uint64_t, 2> least{};
  MPI_Allreduce(own.data(), least.data(), 2, MPI_UINT64_T, MPI_MIN, session.comm);
  return least[0] == ~least[1];
}

void say(const Session& session, const std::string& text) {
  if (!session.speaks()) return;
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

ExitCode run_body(const Session& session, const std::function<ExitCode(const Session&)>& body) {
  try {
    return body(session);
  } catch (...) {
    const Failure failure = current_failure();
    if (!failure.everywhere) {
      std::fputs(failure.text.c_str(), stderr);
      std::fflush(stderr);
      MPI_Abort(session.comm, static_cast<int>(failure.code));
    }
    say(session, failure.text);
    return failure.code;
  }
}

}  // namespace

bool launched() { return given_rank.has_value(); }

int launched_rank() { return given_rank.value_or(0); }

ExitCode under_mpi(const Arguments& arguments,
                   const std::function<ExitCode(const Session&)>& body) {
  const Session session = started();
  ExitCode code = ExitCode::bad_usage;
  if (same_everywhere(session, arguments)) {
    code = run_body(session, body);
  } else {
    say(session, "kallima: ranks have different arguments; start all with the same command line\n");
  }
  std::fflush(stdout);
  MPI_Finalize();
  return code;
}

ExitCode fail_everywhere(const Arguments& arguments, ExitCode code, const std::string& text) {
  if (launched()) {
    return under_mpi(arguments, [&](const Session& session) {
      say(session, text);
      return code;
    });
  }
  std::fputs(text.c_str(), stderr);
  return code;
}

}  // namespace kallima::cli
