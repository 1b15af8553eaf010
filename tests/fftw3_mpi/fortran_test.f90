! SPDX-License-Identifier: BSD-3-Clause
!
! FFTW's Fortran interface, fftw3-mpi.f03, whose functions with a communicator have names that end in _f03: there and
! back of a transposed complex array and of reals.
program fortran_test
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  include 'fftw3-mpi.f03'

  integer :: error, rank
  logical :: good

  call mpi_init(error)
  call fftw_mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank, error)
  good = complex_transposed() .and. reals()
  call mpi_allreduce(mpi_in_place, good, 1, mpi_logical, mpi_land, mpi_comm_world, error)
  call fftw_mpi_cleanup()
  call mpi_finalize(error)
  if (.not. good) error stop 1
  if (rank == 0) print '(a)', 'all good'

contains

  logical function complex_transposed() result(good)
    integer(c_intptr_t), parameter :: l = 14, m = 10
    integer(c_intptr_t) :: size, local_m, start_m, local_l, start_l, i, j
    complex(c_double_complex), pointer :: u(:)
    type(c_ptr) :: memory, there, back

    size = fftw_mpi_local_size_2d_transposed(m, l, mpi_comm_world, local_m, start_m, local_l, start_l)
    memory = fftw_alloc_complex(int(size, c_size_t))
    call c_f_pointer(memory, u, [size])
    there = fftw_mpi_plan_dft_2d(m, l, u, u, mpi_comm_world, fftw_forward, ior(fftw_estimate, fftw_mpi_transposed_out))
    back = fftw_mpi_plan_dft_2d(m, l, u, u, mpi_comm_world, fftw_backward, ior(fftw_estimate, fftw_mpi_transposed_in))
    good = c_associated(there) .and. c_associated(back)
    if (.not. good) return
    do j = 1, local_m
      do i = 1, l
        u((j - 1) * l + i) = value(start_m + j, i)
      end do
    end do
    call fftw_mpi_execute_dft(there, u, u)
    call fftw_mpi_execute_dft(back, u, u)
    do j = 1, local_m
      do i = 1, l
        good = good .and. abs(u((j - 1) * l + i) / (l * m) - value(start_m + j, i)) < 1d-13
      end do
    end do
    call fftw_destroy_plan(there)
    call fftw_destroy_plan(back)
    call fftw_free(memory)
  end function complex_transposed

  logical function reals() result(good)
    integer(c_intptr_t), parameter :: l = 12, m = 9, n = 7
    integer(c_intptr_t) :: size, local_n, start_n, i, j, k
    real(c_double), pointer :: u(:, :, :)
    complex(c_double_complex), pointer :: u_k(:)
    type(c_ptr) :: memory, there, back

    size = fftw_mpi_local_size_3d(n, m, l / 2 + 1, mpi_comm_world, local_n, start_n)
    memory = fftw_alloc_complex(int(size, c_size_t))
    call c_f_pointer(memory, u, [2 * (l / 2 + 1), m, local_n])
    call c_f_pointer(memory, u_k, [size])
    there = fftw_mpi_plan_dft_r2c_3d(n, m, l, u, u_k, mpi_comm_world, fftw_estimate)
    back = fftw_mpi_plan_dft_c2r_3d(n, m, l, u_k, u, mpi_comm_world, fftw_estimate)
    good = c_associated(there) .and. c_associated(back)
    if (.not. good) return
    do k = 1, local_n
      do j = 1, m
        do i = 1, l
          u(i, j, k) = real(value(start_n + k, i * j), c_double)
        end do
      end do
    end do
    call fftw_mpi_execute_dft_r2c(there, u, u_k)
    call fftw_mpi_execute_dft_c2r(back, u_k, u)
    do k = 1, local_n
      do j = 1, m
        do i = 1, l
          good = good .and. abs(u(i, j, k) / (l * m * n) - real(value(start_n + k, i * j), c_double)) < 1d-13
        end do
      end do
    end do
    call fftw_destroy_plan(there)
    call fftw_destroy_plan(back)
    call fftw_free(memory)
  end function reals

  complex(c_double_complex) function value(i, j)
    integer(c_intptr_t), intent(in) :: i, j
    value = cmplx(sin(real(i, c_double) * 0.7d0 + real(j, c_double)), cos(real(i * j, c_double)), c_double)
  end function value

end program fortran_test
