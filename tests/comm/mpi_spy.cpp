// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi_spy.hpp"

#include <sched.h>

#include <ctime>
#include <mutex>

#include "comm/mpi_faults.hpp"

namespace kallima::test {

namespace {

std::mutex mutex;  // over everything below: several threads may call
Handles alive;
Calls calls;
MPI_Comm forbidden = MPI_COMM_NULL;
const char* offender = nullptr;

/// A call that names a communicator.
void note(MPI_Comm comm, const char* name) {
  const std::lock_guard lock(mutex);
  ++calls.all;
  if (forbidden != MPI_COMM_NULL && comm == forbidden && offender == nullptr) offender = name;
}

/// A call that makes a handle, once it has returned.
template <class Handle>
int made(int code, const Handle* handle, Handle none, long& count) {
  const std::lock_guard lock(mutex);
  ++calls.all;
  if (code == MPI_SUCCESS && *handle != none) ++count;
  return code;
}

/// A call that gives one back.
int freed(int code, long& count) {
  const std::lock_guard lock(mutex);
  ++calls.all;
  if (code == MPI_SUCCESS) --count;
  return code;
}

void sent(long long bytes, long& count) {
  const std::lock_guard lock(mutex);
  ++count;
  if (calls.receives + calls.large_receives == 0) ++calls.sends_ahead;
  if (bytes > calls.largest_send) calls.largest_send = bytes;
}

/// A call that names no communicator.
void note() {
  const std::lock_guard lock(mutex);
  ++calls.all;
}

/// One of the calls that are counted by themselves.
void tally(long& one) {
  const std::lock_guard lock(mutex);
  ++one;
}

/// Requests that are no longer open.
void closed(int requests) {
  const std::lock_guard lock(mutex);
  alive.requests -= requests;
}

int open_requests(int count, const MPI_Request* requests) {
  int open = 0;
  for (int i = 0; i < count; ++i) open += requests[i] != MPI_REQUEST_NULL ? 1 : 0;
  return open;
}

int wait_politely(int count, MPI_Request* requests, MPI_Status* statuses) {
  // Beside a busy neighbour, who sleeps is woken sooner than who yields comes round.
  constexpr int patience = 50;
  for (int tries = 0;; ++tries) {
    int done = 0;
    const int code = holds_back() ? test_all(count, requests, &done, statuses)
                                  : PMPI_Testall(count, requests, &done, statuses);
    if (code != MPI_SUCCESS || done != 0) return code;
    const timespec moment{0, 20000};
    tries < patience ? sched_yield() : nanosleep(&moment, nullptr);
  }
}

#ifdef MPICH_VERSION
constexpr bool waits_politely = true;

/// Finishes what a non-blocking call has begun.
int finish(int code, MPI_Request request) {
  return code != MPI_SUCCESS ? code : wait_politely(1, &request, MPI_STATUSES_IGNORE);
}
#else
constexpr bool waits_politely = false;
#endif

}  // namespace

std::string Handles::to_text() const {
  return std::to_string(communicators) + " communicators, " + std::to_string(datatypes) +
         " datatypes, " + std::to_string(requests) + " requests, " + std::to_string(groups) +
         " groups, " + std::to_string(errhandlers) + " error handlers, " + std::to_string(keyvals) +
         " keys, " + std::to_string(windows) + " windows, " + std::to_string(infos) + " infos, " +
         std::to_string(operations) + " operations";
}

Handles handles_alive() {
  const std::lock_guard lock(mutex);
  return alive;
}

Calls calls_made() {
  const std::lock_guard lock(mutex);
  return calls;
}

void forget_calls() {
  const std::lock_guard lock(mutex);
  calls = {};
}

void forbid(MPI_Comm comm) { forbidden = comm; }

std::string forbidden_call() { return offender == nullptr ? std::string() : offender; }

}  // namespace kallima::test

using namespace kallima::test;  // NOLINT: what follows are MPI's names

/// First in a call: it may have to fail, or to take its time.
#define KALLIMA_FAULT() \
  if (const int failed = fault(__func__); failed != MPI_SUCCESS) return failed

// Communicators.

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* fresh) {
  note(comm, __func__);
  KALLIMA_FAULT();
  tally(calls.duplicates);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Comm_idup(comm, fresh, &request);
  return made(finish(code, request), fresh, MPI_COMM_NULL, alive.communicators);
#else
  return made(PMPI_Comm_dup(comm, fresh), fresh, MPI_COMM_NULL, alive.communicators);
#endif
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* fresh, MPI_Request* request) {
  note(comm, __func__);
  tally(calls.duplicates);
  KALLIMA_FAULT();
  const int code = PMPI_Comm_idup(comm, fresh, request);
  if (code == MPI_SUCCESS) tally(alive.communicators);
  return made(code, request, MPI_REQUEST_NULL, alive.requests);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* fresh) {
  note(comm, __func__);
  return made(PMPI_Comm_dup_with_info(comm, info, fresh), fresh, MPI_COMM_NULL,
              alive.communicators);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* fresh) {
  note(comm, __func__);
  return made(PMPI_Comm_create(comm, group, fresh), fresh, MPI_COMM_NULL, alive.communicators);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* fresh) {
  note(comm, __func__);
  return made(PMPI_Comm_create_group(comm, group, tag, fresh), fresh, MPI_COMM_NULL,
              alive.communicators);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* fresh) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return made(PMPI_Comm_split(comm, color, key, fresh), fresh, MPI_COMM_NULL, alive.communicators);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* fresh) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return made(PMPI_Comm_split_type(comm, type, key, info, fresh), fresh, MPI_COMM_NULL,
              alive.communicators);
}

int MPI_Cart_create(MPI_Comm comm, int dims, const int extents[], const int periods[], int reorder,
                    MPI_Comm* fresh) {
  note(comm, __func__);
  return made(PMPI_Cart_create(comm, dims, extents, periods, reorder, fresh), fresh, MPI_COMM_NULL,
              alive.communicators);
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* fresh) {
  note(comm, __func__);
  return made(PMPI_Cart_sub(comm, remain, fresh), fresh, MPI_COMM_NULL, alive.communicators);
}

int MPI_Intercomm_create(MPI_Comm comm, int leader, MPI_Comm peer, int remote, int tag,
                         MPI_Comm* fresh) {
  note(comm, __func__);
  return made(PMPI_Intercomm_create(comm, leader, peer, remote, tag, fresh), fresh, MPI_COMM_NULL,
              alive.communicators);
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm* fresh) {
  note(comm, __func__);
  return made(PMPI_Intercomm_merge(comm, high, fresh), fresh, MPI_COMM_NULL, alive.communicators);
}

int MPI_Comm_free(MPI_Comm* comm) {
  note(*comm, __func__);
  tally(calls.frees);
  return freed(PMPI_Comm_free(comm), alive.communicators);
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return PMPI_Comm_size(comm, size);
}

int MPI_Comm_test_inter(MPI_Comm comm, int* inter) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return PMPI_Comm_test_inter(comm, inter);
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return PMPI_Comm_get_attr(comm, key, value, found);
}

int MPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return PMPI_Comm_set_attr(comm, key, value);
}

int MPI_Comm_delete_attr(MPI_Comm comm, int key) {
  note(comm, __func__);
  return PMPI_Comm_delete_attr(comm, key);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return PMPI_Comm_set_errhandler(comm, handler);
}

int MPI_Comm_set_name(MPI_Comm comm, const char* name) {
  note(comm, __func__);
  return PMPI_Comm_set_name(comm, name);
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  note(comm, __func__);
  return PMPI_Comm_set_info(comm, info);
}

int MPI_Comm_call_errhandler(MPI_Comm comm, int code) {
  note(comm, __func__);
  return PMPI_Comm_call_errhandler(comm, code);
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  note(comm, __func__);
  return made(PMPI_Comm_group(comm, group), group, MPI_GROUP_NULL, alive.groups);
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* info) {
  note(comm, __func__);
  return made(PMPI_Comm_get_info(comm, info), info, MPI_INFO_NULL, alive.infos);
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  note(comm, __func__);
  return made(PMPI_Comm_get_errhandler(comm, handler), handler, MPI_ERRHANDLER_NULL,
              alive.errhandlers);
}

// Other handles.

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  return made(PMPI_Comm_create_errhandler(function, handler), handler, MPI_ERRHANDLER_NULL,
              alive.errhandlers);
}

int MPI_Errhandler_free(MPI_Errhandler* handler) {
  return freed(PMPI_Errhandler_free(handler), alive.errhandlers);
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                           int* key, void* extra) {
  return made(PMPI_Comm_create_keyval(copy, remove, key, extra), key, int{MPI_KEYVAL_INVALID},
              alive.keyvals);
}

int MPI_Comm_free_keyval(int* key) { return freed(PMPI_Comm_free_keyval(key), alive.keyvals); }

int MPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove,
                           int* key, void* extra) {
  return made(PMPI_Type_create_keyval(copy, remove, key, extra), key, int{MPI_KEYVAL_INVALID},
              alive.keyvals);
}

int MPI_Type_free_keyval(int* key) { return freed(PMPI_Type_free_keyval(key), alive.keyvals); }

int MPI_Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove,
                          int* key, void* extra) {
  return made(PMPI_Win_create_keyval(copy, remove, key, extra), key, int{MPI_KEYVAL_INVALID},
              alive.keyvals);
}

int MPI_Win_free_keyval(int* key) { return freed(PMPI_Win_free_keyval(key), alive.keyvals); }

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* fresh) {
  return made(PMPI_Group_incl(group, n, ranks, fresh), fresh, MPI_GROUP_NULL, alive.groups);
}

int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* fresh) {
  return made(PMPI_Group_excl(group, n, ranks, fresh), fresh, MPI_GROUP_NULL, alive.groups);
}

int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* fresh) {
  return made(PMPI_Group_range_incl(group, n, ranges, fresh), fresh, MPI_GROUP_NULL, alive.groups);
}

int MPI_Group_union(MPI_Group a, MPI_Group b, MPI_Group* fresh) {
  return made(PMPI_Group_union(a, b, fresh), fresh, MPI_GROUP_NULL, alive.groups);
}

int MPI_Group_intersection(MPI_Group a, MPI_Group b, MPI_Group* fresh) {
  return made(PMPI_Group_intersection(a, b, fresh), fresh, MPI_GROUP_NULL, alive.groups);
}

int MPI_Group_difference(MPI_Group a, MPI_Group b, MPI_Group* fresh) {
  return made(PMPI_Group_difference(a, b, fresh), fresh, MPI_GROUP_NULL, alive.groups);
}

int MPI_Group_free(MPI_Group* group) { return freed(PMPI_Group_free(group), alive.groups); }

int MPI_Info_create(MPI_Info* info) {
  return made(PMPI_Info_create(info), info, MPI_INFO_NULL, alive.infos);
}

int MPI_Info_dup(MPI_Info info, MPI_Info* fresh) {
  return made(PMPI_Info_dup(info, fresh), fresh, MPI_INFO_NULL, alive.infos);
}

int MPI_Info_free(MPI_Info* info) { return freed(PMPI_Info_free(info), alive.infos); }

int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* op) {
  return made(PMPI_Op_create(function, commutes, op), op, MPI_OP_NULL, alive.operations);
}

int MPI_Op_free(MPI_Op* op) { return freed(PMPI_Op_free(op), alive.operations); }

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype* fresh) {
  return made(PMPI_Type_contiguous(count, old, fresh), fresh, MPI_DATATYPE_NULL, alive.datatypes);
}

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype* fresh) {
  return made(PMPI_Type_vector(count, length, stride, old, fresh), fresh, MPI_DATATYPE_NULL,
              alive.datatypes);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype* fresh) {
  return made(PMPI_Type_create_hvector(count, length, stride, old, fresh), fresh, MPI_DATATYPE_NULL,
              alive.datatypes);
}

int MPI_Type_indexed(int count, const int lengths[], const int offsets[], MPI_Datatype old,
                     MPI_Datatype* fresh) {
  return made(PMPI_Type_indexed(count, lengths, offsets, old, fresh), fresh, MPI_DATATYPE_NULL,
              alive.datatypes);
}

int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint offsets[],
                             MPI_Datatype old, MPI_Datatype* fresh) {
  return made(PMPI_Type_create_hindexed(count, lengths, offsets, old, fresh), fresh,
              MPI_DATATYPE_NULL, alive.datatypes);
}

int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint offsets[],
                           const MPI_Datatype types[], MPI_Datatype* fresh) {
  return made(PMPI_Type_create_struct(count, lengths, offsets, types, fresh), fresh,
              MPI_DATATYPE_NULL, alive.datatypes);
}

int MPI_Type_create_subarray(int dims, const int sizes[], const int subsizes[], const int starts[],
                             int order, MPI_Datatype old, MPI_Datatype* fresh) {
  return made(PMPI_Type_create_subarray(dims, sizes, subsizes, starts, order, old, fresh), fresh,
              MPI_DATATYPE_NULL, alive.datatypes);
}

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent,
                            MPI_Datatype* fresh) {
  return made(PMPI_Type_create_resized(old, lower, extent, fresh), fresh, MPI_DATATYPE_NULL,
              alive.datatypes);
}

int MPI_Type_dup(MPI_Datatype old, MPI_Datatype* fresh) {
  return made(PMPI_Type_dup(old, fresh), fresh, MPI_DATATYPE_NULL, alive.datatypes);
}

int MPI_Type_free(MPI_Datatype* type) { return freed(PMPI_Type_free(type), alive.datatypes); }

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* win) {
  note(comm, __func__);
  return made(PMPI_Win_create(base, size, unit, info, comm, win), win, MPI_WIN_NULL, alive.windows);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                     MPI_Win* win) {
  note(comm, __func__);
  return made(PMPI_Win_allocate(size, unit, info, comm, base, win), win, MPI_WIN_NULL,
              alive.windows);
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base,
                            MPI_Win* win) {
  note(comm, __func__);
  return made(PMPI_Win_allocate_shared(size, unit, info, comm, base, win), win, MPI_WIN_NULL,
              alive.windows);
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  note(comm, __func__);
  return made(PMPI_Win_create_dynamic(info, comm, win), win, MPI_WIN_NULL, alive.windows);
}

int MPI_Win_free(MPI_Win* win) { return freed(PMPI_Win_free(win), alive.windows); }

// Messages.

int MPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  note(comm, __func__);
  sent(count, calls.sends);
  KALLIMA_FAULT();
  return made(start_send(data, count, type, peer, tag, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  note(comm, __func__);
  KALLIMA_FAULT();
  tally(calls.receives);
  return made(PMPI_Irecv(data, count, type, peer, tag, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

#if MPI_VERSION >= 4
int MPI_Isend_c(const void* data, MPI_Count count, MPI_Datatype type, int peer, int tag,
                MPI_Comm comm, MPI_Request* request) {
  note(comm, __func__);
  sent(count, calls.large_sends);
  KALLIMA_FAULT();
  return made(start_send(data, count, type, peer, tag, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

int MPI_Irecv_c(void* data, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                MPI_Request* request) {
  note(comm, __func__);
  KALLIMA_FAULT();
  tally(calls.large_receives);
  return made(PMPI_Irecv_c(data, count, type, peer, tag, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

#endif

int MPI_Issend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  note(comm, __func__);
  return made(PMPI_Issend(data, count, type, peer, tag, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

int MPI_Irsend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  note(comm, __func__);
  return made(PMPI_Irsend(data, count, type, peer, tag, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

int MPI_Ibsend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  note(comm, __func__);
  return made(PMPI_Ibsend(data, count, type, peer, tag, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return made(make_persistent_send(data, count, type, peer, tag, comm, request), request,
              MPI_REQUEST_NULL, alive.requests);
}

int MPI_Recv_init(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return made(PMPI_Recv_init(data, count, type, peer, tag, comm, request), request,
              MPI_REQUEST_NULL, alive.requests);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  note(comm, __func__);
  return made(PMPI_Ibarrier(comm, request), request, MPI_REQUEST_NULL, alive.requests);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return made(PMPI_Ibcast(data, count, type, root, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

int MPI_Iallreduce(const void* in, void* data, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return made(PMPI_Iallreduce(in, data, count, type, op, comm, request), request, MPI_REQUEST_NULL,
              alive.requests);
}

int MPI_Iallgather(const void* in, int in_count, MPI_Datatype in_type, void* data, int count,
                   MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return made(PMPI_Iallgather(in, in_count, in_type, data, count, type, comm, request), request,
              MPI_REQUEST_NULL, alive.requests);
}

int MPI_Ialltoallv(const void* in, const int in_counts[], const int in_offsets[],
                   MPI_Datatype in_type, void* data, const int counts[], const int offsets[],
                   MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  note(comm, __func__);
  tally(calls.alltoallvs);
  KALLIMA_FAULT();
  return made(PMPI_Ialltoallv(in, in_counts, in_offsets, in_type, data, counts, offsets, type, comm,
                              request),
              request, MPI_REQUEST_NULL, alive.requests);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  note(comm, __func__);
  return PMPI_Send(data, count, type, peer, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status* status) {
  note(comm, __func__);
  return PMPI_Recv(data, count, type, peer, tag, comm, status);
}

int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status* status) {
  note(comm, __func__);
  return PMPI_Probe(peer, tag, comm, status);
}

int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  note(comm, __func__);
  KALLIMA_FAULT();
  return PMPI_Iprobe(peer, tag, comm, found, status);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  note();
  KALLIMA_FAULT();
  const int before = open_requests(1, request);
  const int code =
      waits_politely || holds_back()
          ? wait_politely(1, request, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status)
          : PMPI_Wait(request, status);
  closed(before - open_requests(1, request));
  return code;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  note();
  KALLIMA_FAULT();
  const int before = open_requests(count, requests);
  const int code = waits_politely || holds_back() ? wait_politely(count, requests, statuses)
                                                  : PMPI_Waitall(count, requests, statuses);
  closed(before - open_requests(count, requests));
  return code;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  note();
  KALLIMA_FAULT();
  const int before = open_requests(1, request);
  const int code = test(request, done, status);
  closed(before - open_requests(1, request));
  return code;
}

int MPI_Testall(int count, MPI_Request requests[], int* done, MPI_Status statuses[]) {
  note();
  KALLIMA_FAULT();
  const int before = open_requests(count, requests);
  const int code = holds_back() ? test_all(count, requests, done, statuses)
                                : PMPI_Testall(count, requests, done, statuses);
  closed(before - open_requests(count, requests));
  return code;
}

int MPI_Testsome(int count, MPI_Request requests[], int* out, int indices[],
                 MPI_Status statuses[]) {
  note();
  KALLIMA_FAULT();
  const int before = open_requests(count, requests);
  const int code = test_some(count, requests, out, indices, statuses);
  closed(before - open_requests(count, requests));
  return code;
}

int MPI_Start(MPI_Request* request) {
  note();
  KALLIMA_FAULT();
  return start(request);
}

int MPI_Request_free(MPI_Request* request) { return freed(free_request(request), alive.requests); }

// Collective calls.

int MPI_Barrier(MPI_Comm comm) {
  note(comm, __func__);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Ibarrier(comm, &request);
  return finish(code, request);
#else
  return PMPI_Barrier(comm);
#endif
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  note(comm, __func__);
  KALLIMA_FAULT();
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Ibcast(data, count, type, root, comm, &request);
  return finish(code, request);
#else
  return PMPI_Bcast(data, count, type, root, comm);
#endif
}

int MPI_Allreduce(const void* in, void* data, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  note(comm, __func__);
  KALLIMA_FAULT();
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Iallreduce(in, data, count, type, op, comm, &request);
  return finish(code, request);
#else
  return PMPI_Allreduce(in, data, count, type, op, comm);
#endif
}

int MPI_Reduce(const void* in, void* data, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  note(comm, __func__);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Ireduce(in, data, count, type, op, root, comm, &request);
  return finish(code, request);
#else
  return PMPI_Reduce(in, data, count, type, op, root, comm);
#endif
}

int MPI_Allgather(const void* in, int in_count, MPI_Datatype in_type, void* data, int count,
                  MPI_Datatype type, MPI_Comm comm) {
  note(comm, __func__);
  KALLIMA_FAULT();
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Iallgather(in, in_count, in_type, data, count, type, comm, &request);
  return finish(code, request);
#else
  return PMPI_Allgather(in, in_count, in_type, data, count, type, comm);
#endif
}

int MPI_Alltoall(const void* in, int in_count, MPI_Datatype in_type, void* data, int count,
                 MPI_Datatype type, MPI_Comm comm) {
  note(comm, __func__);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Ialltoall(in, in_count, in_type, data, count, type, comm, &request);
  return finish(code, request);
#else
  return PMPI_Alltoall(in, in_count, in_type, data, count, type, comm);
#endif
}

int MPI_Gather(const void* in, int in_count, MPI_Datatype in_type, void* data, int count,
               MPI_Datatype type, int root, MPI_Comm comm) {
  note(comm, __func__);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Igather(in, in_count, in_type, data, count, type, root, comm, &request);
  return finish(code, request);
#else
  return PMPI_Gather(in, in_count, in_type, data, count, type, root, comm);
#endif
}

int MPI_Scatter(const void* in, int in_count, MPI_Datatype in_type, void* data, int count,
                MPI_Datatype type, int root, MPI_Comm comm) {
  note(comm, __func__);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Iscatter(in, in_count, in_type, data, count, type, root, comm, &request);
  return finish(code, request);
#else
  return PMPI_Scatter(in, in_count, in_type, data, count, type, root, comm);
#endif
}

int MPI_Allgatherv(const void* in, int in_count, MPI_Datatype in_type, void* data,
                   const int counts[], const int offsets[], MPI_Datatype type, MPI_Comm comm) {
  note(comm, __func__);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code =
      PMPI_Iallgatherv(in, in_count, in_type, data, counts, offsets, type, comm, &request);
  return finish(code, request);
#else
  return PMPI_Allgatherv(in, in_count, in_type, data, counts, offsets, type, comm);
#endif
}

int MPI_Alltoallv(const void* in, const int in_counts[], const int in_offsets[],
                  MPI_Datatype in_type, void* data, const int counts[], const int offsets[],
                  MPI_Datatype type, MPI_Comm comm) {
  note(comm, __func__);
  KALLIMA_FAULT();
  tally(calls.alltoallvs);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Ialltoallv(in, in_counts, in_offsets, in_type, data, counts, offsets, type,
                                   comm, &request);
  return finish(code, request);
#else
  return PMPI_Alltoallv(in, in_counts, in_offsets, in_type, data, counts, offsets, type, comm);
#endif
}

int MPI_Alltoallw(const void* in, const int in_counts[], const int in_offsets[],
                  const MPI_Datatype in_types[], void* data, const int counts[],
                  const int offsets[], const MPI_Datatype types[], MPI_Comm comm) {
  note(comm, __func__);
#ifdef MPICH_VERSION
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Ialltoallw(in, in_counts, in_offsets, in_types, data, counts, offsets,
                                   types, comm, &request);
  return finish(code, request);
#else
  return PMPI_Alltoallw(in, in_counts, in_offsets, in_types, data, counts, offsets, types, comm);
#endif
}
