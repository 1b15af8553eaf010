/* SPDX-License-Identifier: BSD-3-Clause */
#include <kallima/kallima.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const int64_t shape[1] = {64};
  double u[2 * 64], u_k[2 * 64];
  int64_t n_in = 0, n_out = 0;
  int wrong = 0;
  kallima_error error;
  kallima_options options;
  kallima_transform* fft = NULL;
  MPI_Init(&argc, &argv);
  kallima_options_init(&options, sizeof options);
  options.in_layout = "x:everywhere";
  if (kallima_create(MPI_COMM_WORLD, 1, shape, &options, &fft, &error) != KALLIMA_PARSE_ERROR) ++wrong;
  printf("as it should: %s\n", error.text);
  if (kallima_create(MPI_COMM_WORLD, 1, shape, NULL, &fft, &error) != KALLIMA_OK) return 1;
  kallima_allocated_size(fft, KALLIMA_INPUT, &n_in);
  kallima_allocated_size(fft, KALLIMA_OUTPUT, &n_out);
  for (int64_t i = 0; i < n_in; ++i) {
    u[2 * i] = 1.0;
    u[2 * i + 1] = 0.0;
  }
  if (kallima_forward(fft, u, n_in, u_k, n_out, &error) != KALLIMA_OK) ++wrong;
  if (kallima_backward(fft, u_k, n_out, u, n_in, &error) != KALLIMA_OK) ++wrong;
  for (int64_t i = 0; i < n_in; ++i) {
    if (fabs(u[2 * i] - 1.0) > 1e-14) ++wrong;
  }
  kallima_destroy(fft);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
