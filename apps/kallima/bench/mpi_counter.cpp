// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_counter.hpp"

#include <mpi.h>

namespace kallima::cli {

namespace {

Index counted = 0;

Index size_of(MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return size;
}

void to_one(Index count, MPI_Datatype type, int rank, MPI_Comm comm) {
  int own = 0;
  PMPI_Comm_rank(comm, &own);
  if (rank != own && rank != MPI_PROC_NULL) counted += count * size_of(type);
}

/// count(rank) and type(rank) for every rank.
template <class Count, class Type>
void to_all(MPI_Comm comm, const Count& count, const Type& type) {
  int own = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm, &own);
  PMPI_Comm_size(comm, &ranks);
  for (int r = 0; r < ranks; ++r) {
    if (r != own) counted += count(r) * size_of(type(r));
  }
}

void to_all_alike(MPI_Comm comm, Index count, MPI_Datatype type) {
  to_all(
      comm, [=](int) { return count; }, [=](int) { return type; });
}

void to_all_by(MPI_Comm comm, const int* counts, MPI_Datatype type) {
  to_all(
      comm, [=](int r) { return Index{counts[r]}; }, [=](int) { return type; });
}

}  // namespace

Index bytes_given_to_mpi() { return counted; }

}  // namespace kallima::cli

using namespace kallima::cli;  // NOLINT: what follows are MPI's names

int MPI_Send(const void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  to_one(count, type, rank, comm);
  return PMPI_Send(data, count, type, rank, tag, comm);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request* request) {
  to_one(count, type, rank, comm);
  return PMPI_Isend(data, count, type, rank, tag, comm, request);
}

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int rank, int tag, void* into,
                 int into_count, MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm,
                 MPI_Status* status) {
  to_one(count, type, rank, comm);
  return PMPI_Sendrecv(data, count, type, rank, tag, into, into_count, into_type, from, from_tag,
                       comm, status);
}

int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int rank, int tag, int from,
                         int from_tag, MPI_Comm comm, MPI_Status* status) {
  to_one(count, type, rank, comm);
  return PMPI_Sendrecv_replace(data, count, type, rank, tag, from, from_tag, comm, status);
}

int MPI_Alltoall(const void* data, int count, MPI_Datatype type, void* into, int into_count,
                 MPI_Datatype into_type, MPI_Comm comm) {
  to_all_alike(comm, into_count, into_type);
  return PMPI_Alltoall(data, count, type, into, into_count, into_type, comm);
}

int MPI_Ialltoall(const void* data, int count, MPI_Datatype type, void* into, int into_count,
                  MPI_Datatype into_type, MPI_Comm comm, MPI_Request* request) {
  to_all_alike(comm, into_count, into_type);
  return PMPI_Ialltoall(data, count, type, into, into_count, into_type, comm, request);
}

// Received and sent bytes are the same in sum; in place only what is received is told.
int MPI_Alltoallv(const void* data, const int* counts, const int* places, MPI_Datatype type,
                  void* into, const int* into_counts, const int* into_places,
                  MPI_Datatype into_type, MPI_Comm comm) {
  to_all_by(comm, into_counts, into_type);
  return PMPI_Alltoallv(data, counts, places, type, into, into_counts, into_places, into_type,
                        comm);
}

int MPI_Ialltoallv(const void* data, const int* counts, const int* places, MPI_Datatype type,
                   void* into, const int* into_counts, const int* into_places,
                   MPI_Datatype into_type, MPI_Comm comm, MPI_Request* request) {
  to_all_by(comm, into_counts, into_type);
  return PMPI_Ialltoallv(data, counts, places, type, into, into_counts, into_places, into_type,
                         comm, request);
}

int MPI_Alltoallw(const void* data, const int* counts, const int* places, const MPI_Datatype* types,
                  void* into, const int* into_counts, const int* into_places,
                  const MPI_Datatype* into_types, MPI_Comm comm) {
  to_all(
      comm, [=](int r) { return kallima::Index{into_counts[r]}; },
      [=](int r) { return into_types[r]; });
  return PMPI_Alltoallw(data, counts, places, types, into, into_counts, into_places, into_types,
                        comm);
}

int MPI_Ialltoallw(const void* data, const int* counts, const int* places,
                   const MPI_Datatype* types, void* into, const int* into_counts,
                   const int* into_places, const MPI_Datatype* into_types, MPI_Comm comm,
                   MPI_Request* request) {
  to_all(
      comm, [=](int r) { return kallima::Index{into_counts[r]}; },
      [=](int r) { return into_types[r]; });
  return PMPI_Ialltoallw(data, counts, places, types, into, into_counts, into_places, into_types,
                         comm, request);
}
