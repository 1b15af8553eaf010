! SPDX-License-Identifier: BSD-3-Clause
!
! What is wrong with arguments is told by stat and errmsg, alike on all ranks, and the next call
! works.
program errors_test
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use kallima
  implicit none
  integer, parameter :: shape(3) = [6, 5, 8]
  type(kallima_transform) :: fft, copied, nothing
  type(kallima_bound) :: bound, unbound
  type(kallima_halo) :: halo
  type(kallima_options) :: options
  complex(real64), allocatable, target :: u(:), v(:), wide(:, :)
  complex(real32), allocatable, target :: single(:)
  real(real64), allocatable, target :: reals(:)
  integer, allocatable, target :: integers(:)
  character(400) :: words
  integer(int64) :: n_in, n_out
  integer :: stat, failed, rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  failed = 0
  if (.not. kallima_options_bytes()) call fail('options are declared otherwise than in C')

  ! Planning.
  call kallima_create(fft, MPI_COMM_WORLD, [4, 0, 4], stat=stat, errmsg=words)
  call refused('an extent of 0', 1)
  call kallima_create(fft, MPI_COMM_WORLD, [integer ::], stat=stat, errmsg=words)
  call refused('no axes', 1)
  call kallima_create(fft, MPI_COMM_WORLD, [2, 2, 2, 2, 2, 2, 2], stat=stat, errmsg=words)
  call refused('seven axes', 1)
  options%kind = 7
  call plan('a kind that there is not', 4)
  options%precision = 3
  call plan('a precision that there is not', 4)
  options%scaling = -1
  call plan('a scaling that there is not', 4)
  options%threads = -2
  call plan('negative threads', 4)
  options%in_layout = 'nonsense'
  call plan('a layout that is none', 9)
  options%in_layout = 'z:block/999 y:all x:all'
  call plan('more ranks than there are', 3)
  options%kind = kallima_r2c
  options%r2c_axis = 4
  call plan('a real axis beyond the last', 4)
  options%kind = kallima_r2c
  options%r2c_axis = 0
  call plan('real axis 0', 4)
  options%kind = kallima_r2r
  call plan('reals without kinds', 4)
  options%axes = [kallima_fourier, 99, kallima_fourier]
  call plan('an axis of an unknown kind', 4)
  options%chunks = -1
  call plan('negative chunks', 4)
  options%planning_seconds = -1
  options%plan_effort = kallima_measure
  call plan('negative seconds', 4)
  options%lengths = [1._real64, -1._real64, 1._real64]
  call plan('a negative length', 4)
  options%plan = '{}'
  call plan('a plan that is none', 9)
  options%machine = '/nowhere/machine.toml'
  call plan('a machine file that is not there', 12)
  options%in_lower = [integer(int64) :: 1, 1, 1]
  options%in_upper = [integer(int64) :: 6, 5, 7]
  if (rank > 0) options%in_upper = options%in_lower - 1
  call plan('own boxes that leave a gap', 2)
  call kallima_create(fft, MPI_COMM_NULL, shape, stat=stat, errmsg=words)
  call refused('no communicator', 4)

  ! Handles that stand for nothing.
  allocate (u(1), v(1))
  call kallima_forward(nothing, u, v, stat, words)
  call refused('a transform that was not created', 4)
  call kallima_run(unbound, stat=stat, errmsg=words)
  call refused('a transform that was not bound', 4)
  call kallima_exchange(halo, u, stat, words)
  call refused('a halo that was not created', 4)
  deallocate (u, v)

  ! Arrays.
  call kallima_create(fft, MPI_COMM_WORLD, shape)
  call kallima_allocated_size(fft, kallima_input, n_in)
  call kallima_allocated_size(fft, kallima_output, n_out)
  allocate (u(n_in), v(n_out), single(n_in), integers(n_in), reals(n_in), wide(2, n_in))
  u = 1
  if (n_in > 1) call apart('a short array', u(:n_in - 1), v)
  call apart('an array of another precision', single, v)
  call apart('integers', integers, v)
  call apart('reals', reals, v)
  call apart('a section with strides', wide(1, :), v)
  call kallima_bind_backward(bound, fft, v, wide(2, :), stat, words)
  if (n_in > 1) call refused('a section with strides, bound', 5)
  call kallima_bind_forward(bound, fft, u, v, stat, words)
  if (stat /= 0) call fail('arrays that do: ' // trim(words))
  call kallima_run(bound, 77, stat, words)
  call refused('another scaling that there is not', 4)
  call kallima_run(bound)
  if (n_out > 0 .and. rank == 0 .and. abs(sum(abs(v)) - product(shape)) > 1e-9 .and. ranks == 1) &
    call fail('the run after all these')

  ! A rank that holds nothing may have any array, and does not leave the others waiting.
  deallocate (u, v)
  options%in_layout = 'z:all y:all x:all'
  options%out_layout = 'z:all y:all x:all'
  call kallima_create(fft, MPI_COMM_WORLD, shape, options)
  options = kallima_options()
  call kallima_allocated_size(fft, kallima_input, n_in)
  allocate (u(n_in), v(n_in), source=(1._real64, 0._real64))
  if (n_in > 0) then
    call kallima_forward(fft, u, v, stat, words)
  else
    call kallima_forward(fft, single, wide(1, :), stat, words)
  end if
  if (stat /= 0) call fail('an array of a rank that holds nothing: ' // trim(words))

  ! Redistributions and halos.
  call kallima_create_redistribution(copied, MPI_COMM_WORLD, shape, 8, kallima_options(), stat, &
                                     words)
  call refused('a redistribution without layouts', 4)
  call kallima_create_halo(halo, MPI_COMM_WORLD, shape, 'z:all~9 y:all x:all x:all', 8, stat=stat, &
                           errmsg=words)
  call refused('a halo of a layout that is none', 9)
  call kallima_create_halo(halo, MPI_COMM_WORLD, shape, 'z:all~1 y:all x:all', 0, stat=stat, &
                           errmsg=words)
  call refused('elements of no bytes', 4)

  call MPI_Allreduce(MPI_IN_PLACE, failed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a)', 'errors: ', failed, ' failed'
  call MPI_Finalize()
  if (failed > 0) error stop 1

contains

  subroutine fail(what)
    character(*), intent(in) :: what
    failed = failed + 1
    print '(a, i0, 2a)', 'FAILED on rank ', rank, ': ', what
  end subroutine fail

  subroutine refused(what, code)
    character(*), intent(in) :: what
    integer, intent(in) :: code
    if (stat /= code) then
      call fail(what // ': ' // trim(words))
      print *, 'stat', stat, 'and not', code
    else if (len_trim(words) < 10) then
      call fail(what // ' is not explained')
    end if
    words = ''
  end subroutine refused

  subroutine plan(what, code)
    character(*), intent(in) :: what
    integer, intent(in) :: code
    call kallima_create(fft, MPI_COMM_WORLD%mpi_val, shape, options, stat, words)
    call refused(what, code)
    options = kallima_options()
  end subroutine plan

  subroutine apart(what, in, out)
    character(*), intent(in) :: what
    type(*), dimension(..), intent(in) :: in
    complex(real64), intent(inout) :: out(:)
    call kallima_forward(fft, in, out, stat, words)
    call refused(what, 5)
  end subroutine apart
end program errors_test
