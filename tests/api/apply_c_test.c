/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations on frequencies from C: an inverse Laplacian of waves, all frequencies and some of them
 * kept, and functions that fail or are none.
 */
#include <kallima/kallima.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_expect.h"

/* Divides by -k^2, and counts elements. */
static int inverse_laplacian(const kallima_row* row, void* context) {
  double across = 0.0;
  int a;
  int64_t i;
  for (a = 0; a < row->axes; ++a) {
    if (a != row->axis) across += row->component[a] * row->component[a];
  }
  for (i = 0; i < row->count; ++i) {
    const double k = row->component[row->axis] + (double)i * row->component_step;
    const double squared = across + k * k;
    double* const value = (double*)row->data + 2 * i * row->stride;
    value[0] = squared > 0.0 ? -value[0] / squared : 0.0;
    value[1] = squared > 0.0 ? -value[1] / squared : 0.0;
    /* Without box lengths a component is the wavenumber. */
    if (fabs(k - (double)(row->k[row->axis] + i * row->k_step)) > 0.0) return 1;
  }
  *(int64_t*)context += row->count;
  return 0;
}

static int fails(const kallima_row* row, void* context) {
  (void)row;
  (void)context;
  return 7;
}

static int does_nothing(const kallima_row* row, void* context) {
  (void)row;
  (void)context;
  return 0;
}

static double wave(int64_t k, int64_t index, int64_t n) {
  return sin(2.0 * acos(-1.0) * (double)k * (double)index / (double)n);
}

static kallima_transform* make(const int64_t* keep) {
  const int64_t shape[2] = {20, 24};
  kallima_options options;
  kallima_error error;
  kallima_transform* fft = NULL;
  char layout[64];
  kallima_options_init(&options, sizeof options);
  options.kind = KALLIMA_R2C;
  options.keep = keep;
  snprintf(layout, sizeof layout, "y:block/%d x:all", ranks);
  options.in_layout = layout;
  if (kallima_create(MPI_COMM_WORLD, 2, shape, &options, &fft, &error) != KALLIMA_OK) {
    expect(0, error.text);
  }
  return fft;
}

/* A wave of k = 3 and one of k = 9 along x; where no more than 5 are kept, the second is gone. */
static void solves(const int64_t* keep) {
  kallima_transform* const fft = make(keep);
  kallima_error error;
  int64_t n = 0, first = 0, count = 0, visited = 0, y, x;
  const int64_t modes = keep == NULL ? 20 * 13 : 9 * 6;
  double* u;
  double* v;
  if (fft == NULL) return;
  kallima_allocated_size(fft, KALLIMA_INPUT, &n);
  kallima_local_axis(fft, KALLIMA_INPUT, 0, &first, NULL, &count, NULL);
  u = malloc(sizeof(double) * (size_t)(n + 1));
  v = malloc(sizeof(double) * (size_t)(n + 1));
  for (y = 0; y < count; ++y) {
    for (x = 0; x < 24; ++x) u[24 * y + x] = wave(3, x, 24) + wave(9, x, 24);
  }
  expect(kallima_apply(fft, u, n, v, n, inverse_laplacian, &visited, &error) == KALLIMA_OK,
         error.text);
  for (y = 0; y < count; ++y) {
    for (x = 0; x < 24; ++x) {
      const double want = -wave(3, x, 24) / 9.0 - (keep == NULL ? wave(9, x, 24) / 81.0 : 0.0);
      expect(fabs(v[24 * y + x] - want) < 1e-13, "the solution is wrong");
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &visited, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  expect(visited == modes, "other frequencies than are kept were worked on");
  free(u);
  free(v);
  kallima_destroy(fft);
}

static int multiply(const kallima_row* row, const kallima_row* other, void* context) {
  int64_t i;
  for (i = 0; i < row->count; ++i) {
    double* const a = (double*)row->data + 2 * i * row->stride;
    const double* const b = (const double*)other->data + 2 * i * other->stride;
    const double re = a[0] * b[0] - a[1] * b[1];
    a[1] = a[0] * b[1] + a[1] * b[0];
    a[0] = re;
  }
  (void)context;
  return other->axis == row->axis && other->count == row->count ? 0 : 1;
}

/* Convolution with a point at x = 2 shifts by 2. */
static void convolves(void) {
  kallima_transform* const fft = make(NULL);
  kallima_error error;
  int64_t n = 0, first = 0, count = 0, y, x;
  double* u;
  double* point;
  if (fft == NULL) return;
  kallima_allocated_size(fft, KALLIMA_INPUT, &n);
  kallima_local_axis(fft, KALLIMA_INPUT, 0, &first, NULL, &count, NULL);
  u = malloc(sizeof(double) * (size_t)(n + 1));
  point = calloc((size_t)(n + 1), sizeof(double));
  if (first == 0 && count > 0) point[2] = 1.0;
  for (y = 0; y < count; ++y) {
    for (x = 0; x < 24; ++x) u[24 * y + x] = wave(3, x, 24) + (double)(first + y);
  }
  expect(kallima_apply_two(fft, u, n, point, n, u, n, multiply, NULL, &error) == KALLIMA_OK,
         error.text);
  for (y = 0; y < count; ++y) {
    for (x = 0; x < 24; ++x) {
      expect(fabs(u[24 * y + x] - wave(3, x - 2, 24) - (double)(first + y)) < 1e-12,
             "the convolution is wrong");
    }
  }
  expect(kallima_apply_two(fft, u, n, point, n, u, n, NULL, NULL, &error) == KALLIMA_INVALID_OPTION,
         "no function is taken");
  free(u);
  free(point);
  kallima_destroy(fft);
}

/* What the last rank passes: the same words on every rank, and the transform is broken. */
static void refuses(kallima_row_function function, const char* words) {
  kallima_transform* const fft = make(NULL);
  kallima_error error;
  char of_first[sizeof error.text];
  int64_t n = 0;
  double* u;
  int code;
  if (fft == NULL) return;
  kallima_allocated_size(fft, KALLIMA_INPUT, &n);
  u = calloc((size_t)(n + 1), sizeof(double));
  code = kallima_apply(fft, u, n, u, n, rank == ranks - 1 ? function : does_nothing, NULL, &error);
  expect(code != KALLIMA_OK && strstr(error.text, words) != NULL, error.text);
  memcpy(of_first, error.text, sizeof of_first);
  MPI_Bcast(of_first, sizeof of_first, MPI_CHAR, 0, MPI_COMM_WORLD);
  expect(strcmp(of_first, error.text) == 0, "ranks have other words");
  expect(kallima_forward(fft, NULL, 0, NULL, 0, &error) != KALLIMA_OK, "it is still usable");
  kallima_destroy(fft);
  free(u);
}

int main(int argc, char** argv) {
  const int64_t keep[2] = {4, 5};
  begin(&argc, &argv);
  solves(NULL);
  solves(keep);
  convolves();
  refuses(fails, "returned 7");
  refuses(NULL, "no function");
  return end();
}
