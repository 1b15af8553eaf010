/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C interface: transforms a plane wave, finds its one wavenumber, and transforms it back.
 *
 *     mpirun -n 3 example_wave
 */
#include <kallima/kallima.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rank = 0;

/* Collective calls fail alike on all ranks, so all of them leave here together. */
static void require(int code, const kallima_error* error) {
  if (code == KALLIMA_OK) return;
  if (rank == 0) fprintf(stderr, "%s: %s\n", kallima_code_name(code), error->text);
  MPI_Finalize();
  exit(1);
}

int main(int argc, char** argv) {
  const int64_t shape[2] = {24, 18};
  const int64_t wave[2] = {5, 7};
  const double pi = acos(-1.0);
  kallima_error error;
  kallima_transform* fft = NULL;
  int64_t n_in = 0, n_out = 0, first[2], step[2], count[2], stride[2];
  int wrong = 0, all_wrong = 0;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  require(kallima_create(MPI_COMM_WORLD, 2, shape, NULL, &fft, &error), &error);
  kallima_allocated_size(fft, KALLIMA_INPUT, &n_in);
  kallima_allocated_size(fft, KALLIMA_OUTPUT, &n_out);
  double* u = malloc((size_t)(n_in + 1) * 2 * sizeof *u); /* + 1: never of size 0 */
  double* u_k = malloc((size_t)(n_out + 1) * 2 * sizeof *u_k);

  for (int a = 0; a < 2; ++a) {
    kallima_local_axis(fft, KALLIMA_INPUT, a, &first[a], &step[a], &count[a], &stride[a]);
  }
  for (int64_t i = 0; i < count[0]; ++i) {
    for (int64_t j = 0; j < count[1]; ++j) {
      const double phase = 2.0 * pi *
                           ((double)(wave[0] * (first[0] + i * step[0])) / (double)shape[0] +
                            (double)(wave[1] * (first[1] + j * step[1])) / (double)shape[1]);
      double* value = u + 2 * (i * stride[0] + j * stride[1]);
      value[0] = cos(phase);
      value[1] = sin(phase);
    }
  }
  require(kallima_forward(fft, u, n_in, u_k, n_out, &error), &error);

  for (int a = 0; a < 2; ++a) {
    kallima_local_axis(fft, KALLIMA_OUTPUT, a, &first[a], &step[a], &count[a], &stride[a]);
  }
  for (int64_t i = 0; i < count[0]; ++i) {
    for (int64_t j = 0; j < count[1]; ++j) {
      const int here = first[0] + i * step[0] == wave[0] && first[1] + j * step[1] == wave[1];
      const double* value = u_k + 2 * (i * stride[0] + j * stride[1]);
      const double want = here ? (double)(shape[0] * shape[1]) : 0.0;
      if (hypot(value[0] - want, value[1]) > 1e-11) ++wrong;
      if (here) printf("rank %d holds k = (%d, %d): %.1f\n", rank, (int)wave[0], (int)wave[1], value[0]);
    }
  }
  require(kallima_backward(fft, u_k, n_out, u, n_in, &error), &error);
  for (int64_t i = 0; i < n_in; ++i) {
    if (fabs(hypot(u[2 * i], u[2 * i + 1]) - 1.0) > 1e-13) ++wrong;
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

  free(u);
  free(u_k);
  kallima_destroy(fft);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
