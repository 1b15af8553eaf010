/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms through PETSc's MATFFTW: MatCreateFFT, MatMult, MatMultTranspose, vectors scattered to
 * and from the matrix's own. Prints, per shape, a number that all frequencies go into, how far
 * there-and-back is from the input, and seconds.
 *
 *     mpirun -n P petsc_fft [ROUNDS]
 */
#include <petscmat.h>
#include <stdio.h>

#define CALL(call)                                          \
  do {                                                      \
    if ((call) != 0) MPI_Abort(PETSC_COMM_WORLD, __LINE__); \
  } while (0)

static void measure(int axes, const PetscInt* n, int rounds) {
  Mat matrix;
  Vec x, y, z, given, back;
  PetscInt volume = 1, low, high, i;
  PetscReal norm, scale, sum = 0., all;
  PetscScalar* values;
  double seconds;
  int rank, a;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  for (a = 0; a < axes; ++a) volume *= n[a];
  scale = 1. / (PetscReal)volume;
  CALL(MatCreateFFT(PETSC_COMM_WORLD, axes, n, MATFFTW, &matrix));
  CALL(MatCreateVecsFFTW(matrix, &x, &y, &z));
  CALL(VecCreate(PETSC_COMM_WORLD, &given));
  CALL(VecSetSizes(given, PETSC_DECIDE, volume));
  CALL(VecSetFromOptions(given));
  CALL(VecDuplicate(given, &back));
  CALL(VecGetOwnershipRange(given, &low, &high));
  CALL(VecGetArray(given, &values));
  for (i = low; i < high; ++i) values[i - low] = PetscSinReal(0.3 * i) + 0.01 * (i % 17);
  CALL(VecRestoreArray(given, &values));
  CALL(VecScatterPetscToFFTW(matrix, given, x));
  CALL(MatMult(matrix, x, y));
  CALL(VecNorm(y, NORM_2, &norm));
  CALL(VecGetOwnershipRange(y, &low, &high));
  CALL(VecGetArray(y, &values));
  for (i = low; i < high; ++i) sum += PetscRealPart(values[i - low]) * PetscCosReal(0.1 * i);
  CALL(VecRestoreArray(y, &values));
  MPI_Allreduce(&sum, &all, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD);
  CALL(MatMultTranspose(matrix, y, z));
  CALL(VecScatterFFTWToPetsc(matrix, z, back));
  CALL(VecScale(back, scale));
  CALL(VecAXPY(back, -1., given));
  CALL(VecNorm(back, NORM_INFINITY, &norm));
  MPI_Barrier(PETSC_COMM_WORLD);
  seconds = MPI_Wtime();
  for (i = 0; i < rounds; ++i) {
    CALL(MatMult(matrix, x, y));
    CALL(MatMultTranspose(matrix, y, z));
  }
  MPI_Barrier(PETSC_COMM_WORLD);
  seconds = (MPI_Wtime() - seconds) / rounds;
  if (rank == 0) {
    for (a = 0; a < axes; ++a) printf("%s%d", a > 0 ? "x" : "", (int)n[a]);
    printf(" %.10e %.1e %.6e\n", (double)all, (double)norm, seconds);
  }
  CALL(VecDestroy(&x));
  CALL(VecDestroy(&y));
  CALL(VecDestroy(&z));
  CALL(VecDestroy(&given));
  CALL(VecDestroy(&back));
  CALL(MatDestroy(&matrix));
}

int main(int argc, char** argv) {
  const PetscInt shapes[4][3] = {{100, 90, 0}, {30, 25, 20}, {64, 64, 64}, {128, 128, 128}};
  const int axes[4] = {2, 3, 3, 3};
  int i, ranks;
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  CALL(PetscInitialize(&argc, &argv, NULL, NULL));
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  for (i = 0; i < 4; ++i) {
#ifndef PETSC_USE_COMPLEX
    if (ranks > 1 && axes[i] == 3) continue; /* PETSc has no scatter of these */
#endif
    measure(axes[i], shapes[i], rounds);
  }
  CALL(PetscFinalize());
  return 0;
}
