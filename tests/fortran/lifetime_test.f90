! SPDX-License-Identifier: BSD-3-Clause
!
! Handles are freed with the last that stands for them, in any order, also after MPI_Finalize; and a
! thousand transforms leave no memory behind.
module holders
  use kallima
  implicit none
  type :: solver
    type(kallima_transform) :: fft
    type(kallima_bound) :: there
  end type solver
end module holders

program lifetime_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  use kallima
  use holders
  implicit none
  type(kallima_transform) :: late
  integer :: i, rank, ierr
  integer(int64) :: before, after

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do i = 1, 200
    call cycle()
  end do
  before = pages()
  do i = 1, 1000
    call cycle()
  end do
  after = pages()
  call kallima_create(late, MPI_COMM_WORLD, [4, 4])
  call MPI_Finalize(ierr)
  call kallima_destroy(late)
  if (rank == 0) print '(a, i0)', 'pages that 1,000 transforms left: ', after - before
  ! A transform of this has 5 and more.
  if (after - before > 500) error stop 'memory was lost'

contains

  ! Copies outlive what they were copied from, a bound transform the transform.
  subroutine cycle()
    type(kallima_transform), allocatable :: first
    type(kallima_transform) :: second, several(2)
    type(kallima_bound) :: bound
    type(solver) :: one, other
    complex(real64), allocatable, target :: u(:)
    integer(int64) :: n
    allocate (first)
    call kallima_create(first, MPI_COMM_WORLD, [8, 6])
    second = first
    second = second
    several = second
    deallocate (first)
    call kallima_allocated_size(second, kallima_input, n)
    allocate (u(max(n, 48_int64)))
    u = 1
    call kallima_bind_forward(bound, second, u, u)
    one%fft = second
    one%there = bound
    other = one
    call kallima_destroy(second)
    call kallima_destroy(several(1))
    call kallima_run(other%there)
    call kallima_destroy(one%fft)
    call kallima_run(bound)
  end subroutine cycle

  ! Resident pages of this process.
  integer(int64) function pages()
    integer(int64) :: total
    integer :: unit
    open (newunit=unit, file='/proc/self/statm', action='read')
    read (unit, *) total, pages
    close (unit)
  end function pages
end program lifetime_test
