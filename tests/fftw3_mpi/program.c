/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program of FFTW-MPI as its manual shows one, compiled against FFTW's own fftw3-mpi.h. It runs
 * with libkallima_fftw3_mpi linked instead of libfftw3_mpi, and with it loaded before (LD_PRELOAD).
 * It knows nothing of Kallima but the count of plans that were forwarded, which it looks up.
 *
 *     mpirun -n P program [--halfcomplex]     with FFTW's library behind: a plan that only that has
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong = 0;
static int rank = 0;

static void expect(int good, const char* what) {
  int all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all) return;
  ++wrong;
  if (rank == 0) printf("FAILED: %s\n", what);
}

static int64_t forwarded(void) {
  int64_t (*count)(void) = NULL;
  *(void**)&count = dlsym(RTLD_DEFAULT, "kallima_fftw3_mpi_forwarded");
  return count == NULL ? -1 : count();
}

/* There and back of reals in padded rows, transposed, with new arrays. */
static void reals(unsigned effort) {
  const ptrdiff_t n0 = 12, n1 = 10, n2 = 9, half = 9 / 2 + 1;
  ptrdiff_t local_n0, start0, local_n1, start1;
  const ptrdiff_t size = fftw_mpi_local_size_3d_transposed(n0, n1, half, MPI_COMM_WORLD, &local_n0,
                                                           &start0, &local_n1, &start1);
  double* u = fftw_alloc_real((size_t)(2 * size));
  double* other = fftw_alloc_real((size_t)(2 * size));
  fftw_complex* u_k = fftw_alloc_complex((size_t)size);
  fftw_plan there = fftw_mpi_plan_dft_r2c_3d(n0, n1, n2, u, u_k, MPI_COMM_WORLD,
                                             effort | FFTW_MPI_TRANSPOSED_OUT);
  fftw_plan back =
      fftw_mpi_plan_dft_c2r_3d(n0, n1, n2, u_k, u, MPI_COMM_WORLD, effort | FFTW_MPI_TRANSPOSED_IN);
  expect(there != NULL && back != NULL, "plans of reals");
  for (ptrdiff_t i = 0; i < local_n0; ++i)
    for (ptrdiff_t j = 0; j < n1; ++j)
      for (ptrdiff_t k = 0; k < n2; ++k)
        u[(i * n1 + j) * 2 * half + k] = sin((double)((start0 + i) * 7 + j * 3 + k));
  fftw_execute(there);
  double sum = 0.0, mean = 0.0;
  for (ptrdiff_t i = 0; i < local_n0; ++i)
    for (ptrdiff_t j = 0; j < n1; ++j)
      for (ptrdiff_t k = 0; k < n2; ++k) sum += sin((double)((start0 + i) * 7 + j * 3 + k));
  MPI_Allreduce(&sum, &mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect(local_n1 == 0 || start1 > 0 || fabs(u_k[0][0] - mean) < 1e-10, "frequency 0 is the sum");
  fftw_mpi_execute_dft_c2r(back, u_k, other);
  int good = 1;
  for (ptrdiff_t i = 0; i < local_n0; ++i)
    for (ptrdiff_t j = 0; j < n1; ++j)
      for (ptrdiff_t k = 0; k < n2; ++k)
        if (fabs(other[(i * n1 + j) * 2 * half + k] / (double)(n0 * n1 * n2) -
                 sin((double)((start0 + i) * 7 + j * 3 + k))) > 1e-13)
          good = 0;
  expect(good, "reals come back");
  double add = 0, mul = 0, fma = 0;
  fftw_flops(there, &add, &mul, &fma);
  expect(add >= 0 && fftw_cost(there) >= 0, "operations and cost");
  char* text = fftw_sprint_plan(there);
  expect(text != NULL && strlen(text) > 10, "the plan as text");
  free(text);
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  fftw_free(u);
  fftw_free(other);
  fftw_free(u_k);
}

/* Plans of serial FFTW go on to FFTW. */
static void serial(void) {
  fftw_complex* line = fftw_alloc_complex(16);
  fftw_plan there = fftw_plan_dft_1d(16, line, line, FFTW_FORWARD, FFTW_ESTIMATE);
  for (int i = 0; i < 16; ++i) line[i][0] = 1.0, line[i][1] = 0.0;
  fftw_execute(there);
  expect(fabs(line[0][0] - 16.0) < 1e-14 && fabs(line[1][0]) < 1e-14, "a serial plan");
  fftw_destroy_plan(there);
  fftw_free(line);
}

static void complex_in_place(ptrdiff_t n, int cleanup) {
  ptrdiff_t local_n0, start0;
  const ptrdiff_t size = fftw_mpi_local_size_2d(n, n, MPI_COMM_WORLD, &local_n0, &start0);
  fftw_complex* u = fftw_alloc_complex((size_t)size);
  fftw_plan there = fftw_mpi_plan_dft_2d(n, n, u, u, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  expect(there != NULL, "a plan in place");
  for (ptrdiff_t i = 0; i < local_n0 * n; ++i) u[i][0] = 1.0, u[i][1] = 0.0;
  if (cleanup) {
    fftw_cleanup();
    serial();
  }
  fftw_execute(there);
  expect(start0 > 0 || local_n0 == 0 || fabs(u[0][0] - (double)(n * n)) < 1e-9,
         "frequency 0 of ones");
  fftw_destroy_plan(there);
  fftw_free(u);
}

static void errors(void) {
  fftw_complex u[4];
  expect(fftw_mpi_plan_many_dft(2, (const ptrdiff_t[]){64, 64}, 1, 1, 1, u, u, MPI_COMM_WORLD,
                                FFTW_FORWARD, FFTW_ESTIMATE) == NULL,
         "64 rows in blocks of one");
  ptrdiff_t local_n0, start0;
  const ptrdiff_t size = fftw_mpi_local_size_2d(14, 22, MPI_COMM_WORLD, &local_n0, &start0);
  fftw_complex* v = fftw_alloc_complex((size_t)size);
  expect(fftw_mpi_plan_dft_2d(14, 22, v, v, MPI_COMM_WORLD, FFTW_FORWARD,
                              FFTW_MEASURE | FFTW_WISDOM_ONLY) == NULL,
         "no wisdom yet");
  fftw_plan measured =
      fftw_mpi_plan_dft_2d(14, 22, v, v, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_MEASURE);
  expect(measured != NULL, "a plan that is measured");
  fftw_plan again = fftw_mpi_plan_dft_2d(14, 22, v, v, MPI_COMM_WORLD, FFTW_FORWARD,
                                         FFTW_MEASURE | FFTW_WISDOM_ONLY);
  expect(again != NULL, "the same by wisdom");
  if (again != NULL) fftw_destroy_plan(again);
  if (measured != NULL) fftw_destroy_plan(measured);
  fftw_free(v);
}

static void many_plans(void) {
  for (int i = 0; i < 300; ++i) complex_in_place(6, 0);
}

static void halfcomplex(void) {
  ptrdiff_t local_n0, start0;
  const ptrdiff_t size = fftw_mpi_local_size_2d(8, 8, MPI_COMM_WORLD, &local_n0, &start0);
  double* u = fftw_alloc_real((size_t)size);
  fftw_plan hartley =
      fftw_mpi_plan_r2r_2d(8, 8, u, u, MPI_COMM_WORLD, FFTW_DHT, FFTW_R2HC, FFTW_ESTIMATE);
  expect(hartley != NULL, "a plan that only FFTW has");
  for (ptrdiff_t i = 0; i < local_n0 * 8; ++i) u[i] = 1.0;
  if (hartley != NULL) {
    fftw_execute(hartley);
    fftw_mpi_execute_r2r(hartley, u, u);
    fftw_destroy_plan(hartley);
  }
  expect(start0 > 0 || local_n0 == 0 || fabs(u[0] - 64.0) < 1e-9,
         "of ones a peak of 64, of that 64 again");
  fftw_free(u);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) {
    halfcomplex();
    expect(forwarded() == 1, "one plan was forwarded");
  } else {
    reals(FFTW_ESTIMATE);
    reals(FFTW_MEASURE);
    serial();
    complex_in_place(20, 0);
    complex_in_place(20, 1);
    errors();
    many_plans();
    fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
    fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
    expect(forwarded() == 0, "no plan was forwarded");
  }
  fftw_mpi_cleanup();
  MPI_Finalize();
  if (rank == 0 && wrong == 0) printf("all good\n");
  return wrong == 0 ? 0 : 1;
}
