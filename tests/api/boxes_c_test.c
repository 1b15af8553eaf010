/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes that only their own rank knows, from C: transforms between them, and the same words on all
 * ranks where they do not make up the array.
 */
#include <kallima/kallima.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_expect.h"

static const int64_t shape[2] = {12, 10};

/* Rows of this rank: rank 0 has two boxes of half a row each, the last rank what is left. */
static kallima_boxes mine(int64_t bounds[8], int two) {
  kallima_boxes boxes;
  const int64_t first = rank;
  const int64_t behind = rank == ranks - 1 ? shape[0] : rank + 1;
  memset(&boxes, 0, sizeof boxes);
  boxes.size = sizeof boxes;
  boxes.bounds = bounds;
  boxes.count = rank == 0 && two ? 2 : 1;
  bounds[0] = first;
  bounds[1] = 0;
  bounds[2] = behind;
  bounds[3] = boxes.count == 2 ? 4 : shape[1];
  bounds[4] = first;
  bounds[5] = 4;
  bounds[6] = behind;
  bounds[7] = shape[1];
  return boxes;
}

static void transforms(int two) {
  int64_t bounds[8], n_in = 0, n_out = 0, i;
  const kallima_boxes boxes = mine(bounds, two);
  kallima_options options;
  kallima_transform* fft = NULL;
  kallima_error error;
  double* u;
  double* u_k;
  double sum = 0.0;
  kallima_options_init(&options, sizeof options);
  options.in_boxes = &boxes;
  options.out_boxes = two ? NULL : &boxes;
  if (kallima_create(MPI_COMM_WORLD, 2, shape, &options, &fft, &error) != KALLIMA_OK) {
    expect(0, error.text);
    return;
  }
  kallima_allocated_size(fft, KALLIMA_INPUT, &n_in);
  kallima_allocated_size(fft, KALLIMA_OUTPUT, &n_out);
  expect(n_in == (bounds[2] - bounds[0]) * shape[1], "another number of elements");
  u = malloc(sizeof(double) * (size_t)(2 * n_in + 1));
  u_k = malloc(sizeof(double) * (size_t)(2 * n_out + 1));
  for (i = 0; i < n_in; ++i) {
    u[2 * i] = 1.0 + rank;
    u[2 * i + 1] = (double)i;
  }
  expect(kallima_forward(fft, u, n_in, u_k, n_out, &error) == KALLIMA_OK, error.text);
  memset(u, 0, sizeof(double) * (size_t)(2 * n_in));
  expect(kallima_backward(fft, u_k, n_out, u, n_in, &error) == KALLIMA_OK, error.text);
  for (i = 0; i < n_in; ++i) sum += fabs(u[2 * i] - 1.0 - rank) + fabs(u[2 * i + 1] - (double)i);
  expect(sum < 1e-10, "there and back is not the same");
  free(u);
  free(u_k);
  kallima_destroy(fft);
}

/* What the last rank changes. */
static void refuses(void (*change)(kallima_options*, kallima_boxes*), int code) {
  int64_t bounds[8];
  kallima_boxes boxes = mine(bounds, 0);
  kallima_options options;
  kallima_transform* fft = NULL;
  kallima_error error;
  char of_first[sizeof error.text];
  kallima_options_init(&options, sizeof options);
  options.in_boxes = &boxes;
  if (rank == ranks - 1) change(&options, &boxes);
  expect(kallima_create(MPI_COMM_WORLD, 2, shape, &options, &fft, &error) == code, error.text);
  memcpy(of_first, error.text, sizeof of_first);
  MPI_Bcast(of_first, sizeof of_first, MPI_CHAR, 0, MPI_COMM_WORLD);
  expect(strcmp(of_first, error.text) == 0, "ranks have other words");
  kallima_destroy(fft);
}

static void no_size(kallima_options* options, kallima_boxes* boxes) {
  (void)options;
  boxes->size = 3;
}
static void fewer_than_none(kallima_options* options, kallima_boxes* boxes) {
  (void)options;
  boxes->count = -1;
}
static void no_bounds(kallima_options* options, kallima_boxes* boxes) {
  (void)options;
  boxes->bounds = NULL;
}
static void a_gap(kallima_options* options, kallima_boxes* boxes) {
  (void)options;
  boxes->count = 0;
}
static void a_layout_too(kallima_options* options, kallima_boxes* boxes) {
  (void)boxes;
  options->in_layout = "y:all x:all";
}
static void an_order_that_is_none(kallima_options* options, kallima_boxes* boxes) {
  static const int order[2] = {1, 1};
  (void)options;
  boxes->order = order;
}
static void a_margin_below_none(kallima_options* options, kallima_boxes* boxes) {
  static const int64_t margins[4] = {0, 0, -1, 0};
  (void)options;
  boxes->margins = margins;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  transforms(0);
  transforms(1);
  refuses(no_size, KALLIMA_INVALID_OPTION);
  refuses(fewer_than_none, KALLIMA_INVALID_OPTION);
  refuses(no_bounds, KALLIMA_INVALID_OPTION);
  refuses(a_gap, KALLIMA_INVALID_LAYOUT);
  refuses(a_layout_too, KALLIMA_INVALID_OPTION);
  refuses(an_order_that_is_none, KALLIMA_INVALID_LAYOUT);
  refuses(a_margin_below_none, KALLIMA_INVALID_LAYOUT);
  return end();
}
