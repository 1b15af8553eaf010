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

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  to_one(count, datatype, dest, comm);
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  to_one(count, datatype, dest, comm);
  return PMPI_Isend(buf, count, datatype, dest, tag, comm, request);
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status* status) {
  to_one(sendcount, sendtype, dest, comm);
  return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                       source, recvtag, comm, status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  to_one(count, datatype, dest, comm);
  return PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  to_all_alike(comm, recvcount, recvtype);
  return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  to_all_alike(comm, recvcount, recvtype);
  return PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
}

// Received and sent bytes are the same in sum; in place only what is received is told.
int MPI_Alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls,
                  MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* rdispls,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  to_all_by(comm, recvcounts, recvtype);
  return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                        recvtype, comm);
}

int MPI_Ialltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls,
                   MPI_Datatype sendtype, void* recvbuf, const int* recvcounts, const int* rdispls,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  to_all_by(comm, recvcounts, recvtype);
  return PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                         recvtype, comm, request);
}

int MPI_Alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls,
                  const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                  const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  to_all(
      comm, [=](int r) { return kallima::Index{recvcounts[r]}; },
      [=](int r) { return recvtypes[r]; });
  return PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                        recvtypes, comm);
}

int MPI_Ialltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls,
                   const MPI_Datatype* sendtypes, void* recvbuf, const int* recvcounts,
                   const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
                   MPI_Request* request) {
  to_all(
      comm, [=](int r) { return kallima::Index{recvcounts[r]}; },
      [=](int r) { return recvtypes[r]; });
  return PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                         recvtypes, comm, request);
}
