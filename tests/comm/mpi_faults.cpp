// SPDX-License-Identifier: BSD-3-Clause
//
// A send that is held back is a persistent request that is not started yet: MPI takes it for
// inactive, and whoever tests it is told that it is not through.
#include "comm/mpi_faults.hpp"

#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

namespace kallima::test {

namespace {

using Clock = std::chrono::steady_clock;

struct Held {
  MPI_Request request = MPI_REQUEST_NULL;
  Clock::time_point due;
};

Faults of_environment() {
  Faults result;
  const char* const text = std::getenv("KALLIMA_TEST_FAULTS");
  std::istringstream words(text == nullptr ? "" : text);
  std::string word;
  double value = 0.0;
  while (words >> word >> value) {
    const auto time = std::chrono::microseconds(static_cast<long>(value));
    if (word == "late") result.late_sends = time;
    if (word == "delay") result.delay = time;
    if (word == "share") result.share = value;
  }
  return result;
}

std::mutex mutex;  // over everything below
Faults faults = of_environment();
std::mt19937 chance(static_cast<unsigned>(getpid()));  // ranks differ
long calls = 0;
std::vector<Held> held;
std::set<MPI_Request> sends;      // persistent ones
std::set<MPI_Request> immediate;  // persistent ones that stand for MPI_Isend

/// True where the next send is to leave late. Behind one that is held back all are: MPI keeps the
/// order of messages. Under the lock.
bool next_is_late() {
  if (faults.late_sends.count() == 0) return false;
  if (!held.empty()) return true;
  return faults.share >= 1.0 || std::uniform_real_distribution<double>()(chance) < faults.share;
}

bool is_held(MPI_Request request) {
  for (const Held& one : held) {
    if (one.request == request) return true;
  }
  return false;
}

/// Starts what is due. Under the lock.
int release(bool all = false) {
  const auto now = Clock::now();
  for (std::size_t i = 0; i < held.size();) {
    if (!all && held[i].due > now) {
      ++i;
      continue;
    }
    MPI_Request request = held[i].request;
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
    const int code = PMPI_Start(&request);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

/// Of a request that is through: gives back what stood for MPI_Isend.
void retire(MPI_Request* request) {
  if (*request == MPI_REQUEST_NULL || immediate.erase(*request) == 0) return;
  PMPI_Request_free(request);
  *request = MPI_REQUEST_NULL;
}

}  // namespace

void set_faults(const Faults& next) {
  const std::lock_guard lock(mutex);
  release(true);
  faults = next;
  chance.seed(next.seed);
  calls = 0;
}

bool has_failed() {
  const std::lock_guard lock(mutex);
  return faults.failing_number > 0 && calls >= faults.failing_number;
}

int fault(const char* call) {
  std::chrono::microseconds pause{0};
  std::function<void(const char*)> at_call;
  {
    const std::lock_guard lock(mutex);
    at_call = faults.at_call;
    if (faults.failing_number > 0 && faults.failing_call == call) {
      if (++calls == faults.failing_number) return MPI_ERR_OTHER;
    }
    if (faults.delay.count() > 0) {
      // Most calls are quick; few are very slow.
      std::uniform_real_distribution<double> part(0.0, 1.0);
      const double share = part(chance);
      if (share < 0.1)
        pause = std::chrono::microseconds(
            static_cast<long>(part(chance) * static_cast<double>(faults.delay.count())));
    }
  }
  if (at_call) at_call(call);
  if (pause.count() > 0) std::this_thread::sleep_for(pause);
  return MPI_SUCCESS;
}

bool holds_back() {
  const std::lock_guard lock(mutex);
  return !held.empty() || !immediate.empty() || faults.late_sends.count() > 0;
}

int make_persistent_send(const void* data, int count, MPI_Datatype type, int peer, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  const int code = PMPI_Send_init(data, count, type, peer, tag, comm, request);
  const std::lock_guard lock(mutex);
  if (code == MPI_SUCCESS) sends.insert(*request);
  return code;
}

int start_send(const void* data, MPI_Count count, MPI_Datatype type, int peer, int tag,
               MPI_Comm comm, MPI_Request* request) {
  const std::lock_guard lock(mutex);
  if (count > std::numeric_limits<int>::max() || !next_is_late()) {
#if MPI_VERSION >= 4
    return PMPI_Isend_c(data, count, type, peer, tag, comm, request);
#else
    return PMPI_Isend(data, static_cast<int>(count), type, peer, tag, comm, request);
#endif
  }
  const int code = PMPI_Send_init(data, static_cast<int>(count), type, peer, tag, comm, request);
  if (code != MPI_SUCCESS) return code;
  immediate.insert(*request);
  held.push_back({*request, Clock::now() + faults.late_sends});
  return code;
}

int start(MPI_Request* request) {
  const std::lock_guard lock(mutex);
  if (sends.count(*request) == 0 || !next_is_late()) return PMPI_Start(request);
  held.push_back({*request, Clock::now() + faults.late_sends});
  return MPI_SUCCESS;
}

int test(MPI_Request* request, int* done, MPI_Status* status) {
  const std::lock_guard lock(mutex);
  const int released = release();
  if (released != MPI_SUCCESS) return released;
  if (is_held(*request)) {
    *done = 0;
    int found = 0;  // MPI may make progress in any call
    return PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  }
  const int code = PMPI_Test(request, done, status);
  if (code == MPI_SUCCESS && *done != 0) retire(request);
  return code;
}

int test_some(int count, MPI_Request requests[], int* out, int indices[], MPI_Status statuses[]) {
  const std::lock_guard lock(mutex);
  const int released = release();
  if (released != MPI_SUCCESS) return released;
  const int code = PMPI_Testsome(count, requests, out, indices, statuses);
  if (code != MPI_SUCCESS) return code;
  // Requests that are held back are inactive: where there are no others, MPI says so.
  if (*out == MPI_UNDEFINED) {
    for (int i = 0; i < count; ++i) {
      if (is_held(requests[i])) *out = 0;
    }
    return code;
  }
  for (int i = 0; i < *out; ++i) retire(&requests[indices[i]]);
  return code;
}

int test_all(int count, MPI_Request requests[], int* done, MPI_Status statuses[]) {
  *done = 1;
  for (int i = 0; i < count; ++i) {
    int one = 0;
    const int code = test(&requests[i], &one,
                          statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i);
    if (code != MPI_SUCCESS) return code;
    if (one == 0) *done = 0;
  }
  return MPI_SUCCESS;
}

int free_request(MPI_Request* request) {
  const std::lock_guard lock(mutex);
  sends.erase(*request);
  return PMPI_Request_free(request);
}

}  // namespace kallima::test
