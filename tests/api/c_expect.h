/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tests in C share: the ranks, what was found wrong, and the end of a test.
 */
#ifndef KALLIMA_TESTS_C_EXPECT_H
#define KALLIMA_TESTS_C_EXPECT_H

#include <mpi.h>
#include <stdio.h>

static int wrong = 0;
static int rank = 0;
static int ranks = 1;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++wrong;
  fprintf(stderr, "rank %d: %s\n", rank, what);
}

static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* The exit status, the same on all ranks. */
static int end(void) {
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}

#endif
