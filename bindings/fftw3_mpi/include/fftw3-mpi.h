/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of FFTW-MPI as its manual documents it (FFTW 3.3, chapter 6), for programs that are
 * compiled where FFTW's own fftw3-mpi.h is not installed. libkallima_fftw3_mpi and
 * libkallima_fftw3f_mpi define these functions. docs/guide/from_fftw_mpi.md says what they do
 * otherwise than FFTW's.
 */
#ifndef FFTW3_MPI_H
#define FFTW3_MPI_H

#include <fftw3.h>
#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FFTW_MPI_DEFAULT_BLOCK (0)
#define FFTW_MPI_SCRAMBLED_IN (1U << 27)
#define FFTW_MPI_SCRAMBLED_OUT (1U << 28)
#define FFTW_MPI_TRANSPOSED_IN (1U << 29)
#define FFTW_MPI_TRANSPOSED_OUT (1U << 30)

/* P is fftw_ or fftwf_, Real and Complex what that computes with. */
#define KALLIMA_FFTW_MPI_SIZES(P)                                                                \
  ptrdiff_t P##mpi_local_size_many_transposed(int rnk, const ptrdiff_t* n, ptrdiff_t howmany,    \
                                              ptrdiff_t block0, ptrdiff_t block1, MPI_Comm comm, \
                                              ptrdiff_t* local_n0, ptrdiff_t* local_0_start,     \
                                              ptrdiff_t* local_n1, ptrdiff_t* local_1_start);    \
  ptrdiff_t P##mpi_local_size_many(int rnk, const ptrdiff_t* n, ptrdiff_t howmany,               \
                                   ptrdiff_t block0, MPI_Comm comm, ptrdiff_t* local_n0,         \
                                   ptrdiff_t* local_0_start);                                    \
  ptrdiff_t P##mpi_local_size_transposed(int rnk, const ptrdiff_t* n, MPI_Comm comm,             \
                                         ptrdiff_t* local_n0, ptrdiff_t* local_0_start,          \
                                         ptrdiff_t* local_n1, ptrdiff_t* local_1_start);         \
  ptrdiff_t P##mpi_local_size(int rnk, const ptrdiff_t* n, MPI_Comm comm, ptrdiff_t* local_n0,   \
                              ptrdiff_t* local_0_start);                                         \
  ptrdiff_t P##mpi_local_size_many_1d(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm comm, int sign,  \
                                      unsigned flags, ptrdiff_t* local_ni,                       \
                                      ptrdiff_t* local_i_start, ptrdiff_t* local_no,             \
                                      ptrdiff_t* local_o_start);                                 \
  ptrdiff_t P##mpi_local_size_1d(ptrdiff_t n0, MPI_Comm comm, int sign, unsigned flags,          \
                                 ptrdiff_t* local_ni, ptrdiff_t* local_i_start,                  \
                                 ptrdiff_t* local_no, ptrdiff_t* local_o_start);                 \
  ptrdiff_t P##mpi_local_size_2d(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm, ptrdiff_t* local_n0, \
                                 ptrdiff_t* local_0_start);                                      \
  ptrdiff_t P##mpi_local_size_2d_transposed(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm comm,           \
                                            ptrdiff_t* local_n0, ptrdiff_t* local_0_start,       \
                                            ptrdiff_t* local_n1, ptrdiff_t* local_1_start);      \
  ptrdiff_t P##mpi_local_size_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm,        \
                                 ptrdiff_t* local_n0, ptrdiff_t* local_0_start);                 \
  ptrdiff_t P##mpi_local_size_3d_transposed(                                                     \
      ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm comm, ptrdiff_t* local_n0,              \
      ptrdiff_t* local_0_start, ptrdiff_t* local_n1, ptrdiff_t* local_1_start);

#define KALLIMA_FFTW_MPI_PLANS(P, Real, Complex)                                                   \
  P##plan P##mpi_plan_many_transpose(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany,                \
                                     ptrdiff_t block0, ptrdiff_t block1, Real* in, Real* out,      \
                                     MPI_Comm comm, unsigned flags);                               \
  P##plan P##mpi_plan_transpose(ptrdiff_t n0, ptrdiff_t n1, Real* in, Real* out, MPI_Comm comm,    \
                                unsigned flags);                                                   \
  P##plan P##mpi_plan_many_dft(int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock,   \
                               ptrdiff_t oblock, Complex* in, Complex* out, MPI_Comm comm,         \
                               int sign, unsigned flags);                                          \
  P##plan P##mpi_plan_dft(int rnk, const ptrdiff_t* n, Complex* in, Complex* out, MPI_Comm comm,   \
                          int sign, unsigned flags);                                               \
  P##plan P##mpi_plan_dft_1d(ptrdiff_t n0, Complex* in, Complex* out, MPI_Comm comm, int sign,     \
                             unsigned flags);                                                      \
  P##plan P##mpi_plan_dft_2d(ptrdiff_t n0, ptrdiff_t n1, Complex* in, Complex* out, MPI_Comm comm, \
                             int sign, unsigned flags);                                            \
  P##plan P##mpi_plan_dft_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, Complex* in, Complex* out,  \
                             MPI_Comm comm, int sign, unsigned flags);                             \
  P##plan P##mpi_plan_many_r2r(int rnk, const ptrdiff_t* n, ptrdiff_t howmany, ptrdiff_t iblock,   \
                               ptrdiff_t oblock, Real* in, Real* out, MPI_Comm comm,               \
                               const P##r2r_kind* kind, unsigned flags);                           \
  P##plan P##mpi_plan_r2r(int rnk, const ptrdiff_t* n, Real* in, Real* out, MPI_Comm comm,         \
                          const P##r2r_kind* kind, unsigned flags);                                \
  P##plan P##mpi_plan_r2r_2d(ptrdiff_t n0, ptrdiff_t n1, Real* in, Real* out, MPI_Comm comm,       \
                             P##r2r_kind kind0, P##r2r_kind kind1, unsigned flags);                \
  P##plan P##mpi_plan_r2r_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, Real* in, Real* out,        \
                             MPI_Comm comm, P##r2r_kind kind0, P##r2r_kind kind1,                  \
                             P##r2r_kind kind2, unsigned flags);                                   \
  P##plan P##mpi_plan_many_dft_r2c(int rnk, const ptrdiff_t* n, ptrdiff_t howmany,                 \
                                   ptrdiff_t iblock, ptrdiff_t oblock, Real* in, Complex* out,     \
                                   MPI_Comm comm, unsigned flags);                                 \
  P##plan P##mpi_plan_dft_r2c(int rnk, const ptrdiff_t* n, Real* in, Complex* out, MPI_Comm comm,  \
                              unsigned flags);                                                     \
  P##plan P##mpi_plan_dft_r2c_2d(ptrdiff_t n0, ptrdiff_t n1, Real* in, Complex* out,               \
                                 MPI_Comm comm, unsigned flags);                                   \
  P##plan P##mpi_plan_dft_r2c_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, Real* in, Complex* out, \
                                 MPI_Comm comm, unsigned flags);                                   \
  P##plan P##mpi_plan_many_dft_c2r(int rnk, const ptrdiff_t* n, ptrdiff_t howmany,                 \
                                   ptrdiff_t iblock, ptrdiff_t oblock, Complex* in, Real* out,     \
                                   MPI_Comm comm, unsigned flags);                                 \
  P##plan P##mpi_plan_dft_c2r(int rnk, const ptrdiff_t* n, Complex* in, Real* out, MPI_Comm comm,  \
                              unsigned flags);                                                     \
  P##plan P##mpi_plan_dft_c2r_2d(ptrdiff_t n0, ptrdiff_t n1, Complex* in, Real* out,               \
                                 MPI_Comm comm, unsigned flags);                                   \
  P##plan P##mpi_plan_dft_c2r_3d(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, Complex* in, Real* out, \
                                 MPI_Comm comm, unsigned flags);

#define KALLIMA_FFTW_MPI_CALLS(P, Real, Complex)                     \
  void P##mpi_init(void);                                            \
  void P##mpi_cleanup(void);                                         \
  void P##mpi_gather_wisdom(MPI_Comm comm);                          \
  void P##mpi_broadcast_wisdom(MPI_Comm comm);                       \
  void P##mpi_execute_dft(P##plan plan, Complex* in, Complex* out);  \
  void P##mpi_execute_dft_r2c(P##plan plan, Real* in, Complex* out); \
  void P##mpi_execute_dft_c2r(P##plan plan, Complex* in, Real* out); \
  void P##mpi_execute_r2r(P##plan plan, Real* in, Real* out);

KALLIMA_FFTW_MPI_SIZES(fftw_)
KALLIMA_FFTW_MPI_PLANS(fftw_, double, fftw_complex)
KALLIMA_FFTW_MPI_CALLS(fftw_, double, fftw_complex)
KALLIMA_FFTW_MPI_SIZES(fftwf_)
KALLIMA_FFTW_MPI_PLANS(fftwf_, float, fftwf_complex)
KALLIMA_FFTW_MPI_CALLS(fftwf_, float, fftwf_complex)

#ifdef __cplusplus
}
#endif

#endif
