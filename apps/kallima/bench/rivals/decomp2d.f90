! SPDX-License-Identifier: BSD-3-Clause
!
! What decomp2d.cpp calls of 2DECOMP&FFT, with C's names and types. Its state is the module's: one
! grid of ranks and one shape at a time, so those who use it at once must agree on them.
module kallima_2decomp

   use, intrinsic :: iso_c_binding
   use mpi, only: MPI_DOUBLE_COMPLEX
   use decomp_2d_constants, only: complex_type, PHYSICAL_IN_X, DECOMP_2D_FFT_FORWARD, &
                                  DECOMP_2D_FFT_BACKWARD, D2D_LOG_QUIET
   use decomp_2d, only: decomp_2d_init, decomp_2d_finalize, decomp_log, &
                        xstart, xsize, ystart, ysize, zstart, zsize
   use decomp_2d_fft, only: decomp_2d_fft_engine

   implicit none
   private

   ! Does not compile where the library was built for single precision or for another MPI, which
   ! linking would not notice.
   integer, parameter, public :: kallima_2decomp_same_mpi = 1/merge(1, 0, complex_type == MPI_DOUBLE_COMPLEX)

   integer :: users = 0

contains

   subroutine kallima_2decomp_open(comm, extents, rows, columns) bind(C)
      integer(c_int), value :: comm, rows, columns
      integer(c_int), intent(in) :: extents(3)
      integer :: p_row, p_col

      users = users + 1
      if (users > 1) return
      p_row = rows
      p_col = columns
      ! It would write a file into the current folder.
      decomp_log = D2D_LOG_QUIET
      ! Its buffers are made for real numbers unless told otherwise, too small for c2c.
      call decomp_2d_init(extents(1), extents(2), extents(3), p_row, p_col, &
                          comm=comm, complex_pool=.true.)
   end subroutine kallima_2decomp_open

   subroutine kallima_2decomp_close() bind(C)
      users = users - 1
      if (users == 0) call decomp_2d_finalize()
   end subroutine kallima_2decomp_close

   ! First index, counted from 0, and extent of what this rank holds in pencils along `axis` 1, 2, 3.
   subroutine kallima_2decomp_box(axis, first, extents) bind(C)
      integer(c_int), value :: axis
      integer(c_int), intent(out) :: first(3), extents(3)

      select case (axis)
      case (1)
         first = xstart - 1
         extents = xsize
      case (2)
         first = ystart - 1
         extents = ysize
      case default
         first = zstart - 1
         extents = zsize
      end select
   end subroutine kallima_2decomp_box

   function kallima_2decomp_plan(extents, overwrites) result(handle) bind(C)
      integer(c_int), intent(in) :: extents(3)
      integer(c_int), value :: overwrites
      type(c_ptr) :: handle
      type(decomp_2d_fft_engine), pointer :: engine

      allocate (engine)
      call engine%init(PHYSICAL_IN_X, extents(1), extents(2), extents(3), &
                       opt_inplace=(overwrites /= 0))
      handle = c_loc(engine)
   end function kallima_2decomp_plan

   subroutine kallima_2decomp_run(handle, source, target, forward) bind(C)
      type(c_ptr), value :: handle, source, target
      integer(c_int), value :: forward
      type(decomp_2d_fft_engine), pointer :: engine
      complex(c_double_complex), pointer, contiguous :: from(:, :, :), to(:, :, :)

      call c_f_pointer(handle, engine)
      if (forward /= 0) then
         call c_f_pointer(source, from, xsize)
         call c_f_pointer(target, to, zsize)
         call engine%fft(from, to, DECOMP_2D_FFT_FORWARD)
      else
         call c_f_pointer(source, from, zsize)
         call c_f_pointer(target, to, xsize)
         call engine%fft(from, to, DECOMP_2D_FFT_BACKWARD)
      end if
   end subroutine kallima_2decomp_run

   subroutine kallima_2decomp_free(handle) bind(C)
      type(c_ptr), value :: handle
      type(decomp_2d_fft_engine), pointer :: engine

      call c_f_pointer(handle, engine)
      call engine%fin()
      deallocate (engine)
   end subroutine kallima_2decomp_free

end module kallima_2decomp
