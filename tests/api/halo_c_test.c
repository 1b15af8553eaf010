/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A halo exchange from C: every place of every rank's array is looked at, and what is wrong with
 * the arguments is refused alike on all ranks.
 */
#include <kallima/kallima.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_expect.h"

/* Margins of 2 around a slab, of which 1 below and 2 above are filled; y is not periodic. */
static void fills_margins(void) {
  const int64_t shape[2] = {7, 5};
  const int64_t widths[4] = {1, 2, 1, 2};
  const int periodic[2] = {1, 0};
  const double mark = -1;
  char layout[64];
  kallima_halo* halo = NULL;
  kallima_error error;
  kallima_statistics moved;
  int64_t n = -1, bytes = -1, offset = -1, first[2], count[2], stride[2];
  int a, repeat;
  snprintf(layout, sizeof layout, "y:block/%d~2 x:all~2", ranks);
  if (kallima_halo_create(MPI_COMM_WORLD, 2, shape, layout, widths, periodic, sizeof(double), &halo,
                          &error) != KALLIMA_OK) {
    expect(0, error.text);
    return;
  }
  expect(kallima_halo_allocated_size(halo, &n) == KALLIMA_OK && n > 0, "no size");
  expect(kallima_halo_first_offset(halo, &offset) == KALLIMA_OK && offset == 2 * 9 + 2,
         "a wrong first place");
  expect(kallima_halo_workspace_bytes(halo, &bytes) == KALLIMA_OK && (bytes > 0) == (ranks > 1),
         "other bytes of workspace than for messages");
  for (a = 0; a < 2; ++a) {
    expect(kallima_halo_local_axis(halo, a, &first[a], &count[a], &stride[a]) == KALLIMA_OK,
           "no axis");
  }
  expect(kallima_halo_local_axis(halo, 0, NULL, NULL, NULL) == KALLIMA_OK,
         "refuses to say nothing");
  expect(n == (count[0] + 4) * (count[1] + 4), "a wrong size");
  for (repeat = 0; repeat < 2; ++repeat) {
    int64_t y, x;
    double* const u = malloc((size_t)n * sizeof(double));
    for (y = 0; y < n; ++y) u[y] = mark;
    for (y = 0; y < count[0]; ++y) {
      for (x = 0; x < count[1]; ++x) {
        u[offset + y * stride[0] + x * stride[1]] =
            (double)((first[0] + y) * 5 + first[1] + x + repeat);
      }
    }
    expect(kallima_halo_run(halo, u, n, &error) == KALLIMA_OK, "fails");
    for (y = -2; y < count[0] + 2; ++y) {
      for (x = -2; x < count[1] + 2; ++x) {
        const int asked = y >= -1 && x >= 0 && x < 5;
        const double want = asked ? (double)((first[0] + y + 7) % 7 * 5 + x + repeat) : mark;
        expect(u[offset + y * stride[0] + x * stride[1]] == want, "an element is wrong");
      }
    }
    free(u);
  }
  memset(&moved, 0, sizeof moved);
  moved.size = sizeof moved;
  expect(kallima_halo_get_statistics(halo, &moved) == KALLIMA_OK && moved.exchanges == 2,
         "other statistics");
  expect((ranks > 1) == (moved.bytes_sent > 0), "other bytes than were sent");
  kallima_halo_destroy(halo);
}

/* All of the margins, all axes periodic, elements of three bytes. */
static void has_defaults(void) {
  const int64_t shape[1] = {12};
  unsigned char u[3 * 20];
  char layout[32];
  kallima_halo* halo = NULL;
  int64_t n = 0, first = 0, count = 0, i;
  snprintf(layout, sizeof layout, "x:block/%d~3~1", ranks);
  expect(kallima_halo_create(MPI_COMM_WORLD, 1, shape, layout, NULL, NULL, 3, &halo, NULL) ==
             KALLIMA_OK,
         "defaults are refused");
  kallima_halo_allocated_size(halo, &n);
  kallima_halo_local_axis(halo, 0, &first, &count, NULL);
  memset(u, 0xff, sizeof u);
  for (i = 0; i < count; ++i) memset(u + 3 * (3 + i), (int)(first + i), 3);
  expect(kallima_halo_run(halo, u, n, NULL) == KALLIMA_OK, "defaults fail");
  for (i = 0; i < 3 * n; ++i) expect(u[i] == (first + i / 3 - 3 + 12) % 12, "a byte is wrong");
  kallima_halo_destroy(halo);
}

/* One rank's mistake is every rank's error. */
static void refuses(void) {
  const int64_t shape[2] = {8, 6};
  kallima_halo* halo = NULL;
  kallima_error error;
  const int last = rank == ranks - 1;
  expect(kallima_halo_create(MPI_COMM_WORLD, 2, shape, last ? "y:blocks~1 x:all" : "y:all~1 x:all",
                             NULL, NULL, 8, &halo, &error) == KALLIMA_PARSE_ERROR,
         "a text that is none is not refused");
  expect(halo == NULL && error.code == KALLIMA_PARSE_ERROR && strlen(error.text) > 20,
         "has no words");
}

/* A short array breaks the exchange on all ranks; it refuses to run again. */
static void breaks(void) {
  const int64_t shape[1] = {12};
  double u[32] = {0};
  char layout[32];
  kallima_halo* halo = NULL;
  kallima_error error;
  snprintf(layout, sizeof layout, "x:block/%d~1", ranks);
  kallima_halo_create(MPI_COMM_WORLD, 1, shape, layout, NULL, NULL, sizeof(double), &halo, NULL);
  /* A rank that is still in the call before would hear of it there. */
  MPI_Barrier(MPI_COMM_WORLD);
  expect(kallima_halo_run(halo, u, -1, &error) == KALLIMA_INVALID_BUFFER,
         "a negative length is not refused");
  expect(strlen(error.text) > 20, "has no words for it");
  expect(kallima_halo_run(halo, u, 32, &error) != KALLIMA_OK, "runs although it is broken");
  kallima_halo_destroy(halo);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  fills_margins();
  has_defaults();
  refuses();
  breaks();
  return end();
}
