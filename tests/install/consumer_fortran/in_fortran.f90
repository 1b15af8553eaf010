! SPDX-License-Identifier: BSD-3-Clause
!
! A constant, there and back.
program in_fortran
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use kallima
  implicit none
  type(kallima_transform) :: fft
  type(kallima_options) :: options
  real(real64), allocatable :: u(:)
  complex(real64), allocatable :: u_k(:)
  integer(int64) :: n

  call MPI_Init()
  options%kind = kallima_r2c
  call kallima_create(fft, MPI_COMM_WORLD, [16, 8, 12], options)
  call kallima_allocated_size(fft, kallima_input, n)
  allocate (u(n), source=3._real64)
  call kallima_allocated_size(fft, kallima_output, n)
  allocate (u_k(n))
  call kallima_forward(fft, u, u_k)
  call kallima_backward(fft, u_k, u)
  if (any(abs(u - 3) > 1e-13_real64)) error stop 'not what it was'
  print '(a)', 'there and back'
  call MPI_Finalize()
end program in_fortran
