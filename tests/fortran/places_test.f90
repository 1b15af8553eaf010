! SPDX-License-Identifier: BSD-3-Clause
!
! What is where: orders in memory, texts of layouts and plans, and margins that a halo fills.
program places_test
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use kallima
  implicit none
  integer, parameter :: n(2) = [5, 12]
  type(kallima_transform) :: fft, again
  type(kallima_options) :: options
  type(kallima_halo) :: halo
  character(:), allocatable :: text
  character(8) :: parts
  real(real64), allocatable :: u(:, :)
  integer(int64) :: first, count, elements, bytes
  integer :: order(2), rank, ranks, failed, i, j

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  failed = 0
  write (parts, '(i0)') ranks

  options%in_layout = 'y:all x:block/' // trim(parts)
  options%out_layout = 'x:all y:block/' // trim(parts)
  call kallima_create(fft, MPI_COMM_WORLD, n, options)
  call kallima_memory_order(fft, kallima_input, order)
  call expect(all(order == [1, 2]), 'x is the fastest axis of the input')
  call kallima_memory_order(fft, kallima_output, order)
  call expect(all(order == [2, 1]), 'y is the fastest axis of the output')
  call kallima_layout_text(fft, kallima_output, text)
  call expect(index(text, 'x:all y:') == 1, 'the text of the output''s layout: ' // text)
  call kallima_workspace_bytes(fft, bytes)
  call expect(bytes >= 0, 'bytes of the workspace')

  ! A plan's text makes the same plan.
  call kallima_plan_text(fft, text)
  options = kallima_options()
  options%plan = text
  call kallima_create(again, MPI_COMM_WORLD, n, options)
  call kallima_plan_text(again, text)
  call expect(text == options%plan, 'a plan from its text')
  call kallima_plan_text(fft, text, backward=.true.)
  call expect(len(text) > 0 .and. text /= options%plan, 'the plan backward')

  ! Ghost cells: x is whole and has none, y is periodic.
  call kallima_create_halo(halo, MPI_COMM_WORLD, n, 'y:block/' // trim(parts) // '~2 x:all', 8)
  call kallima_local_axis(halo, 2, first, count)
  call kallima_allocated_size(halo, elements)
  call expect(elements == n(1) * (count + 4), 'elements with margins')
  allocate (u(n(1), count + 4), source=-1._real64)
  do j = 1, int(count)
    u(:, j + 2) = [(value_at(i, int(first) + j - 1), i=1, n(1))]
  end do
  call kallima_exchange(halo, u)
  do j = 1, int(count) + 4
    do i = 1, n(1)
      call expect(abs(u(i, j) - value_at(i, int(first) + j - 3)) < 1e-12_real64, 'a ghost cell')
    end do
  end do

  call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (failed > 0) error stop 1

contains

  real(real64) function value_at(x, y)
    integer, intent(in) :: x, y
    value_at = 100 * modulo(y - 1, n(2)) + x
  end function value_at

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    failed = failed + 1
    print '(a, i0, 2a)', 'FAILED on rank ', rank, ': ', what
  end subroutine expect
end program places_test
