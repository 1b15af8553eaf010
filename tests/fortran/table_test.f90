! SPDX-License-Identifier: BSD-3-Clause
!
! Random transforms by the Fortran module, against FFTW on the whole array: all kinds and both
! precisions, one to three axes and a batch, arrays of rank 1 to 4, layouts of all sorts, out of
! place and in place, there and back.
!
!     mpirun -n P fortran_table CASES
program table_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use kallima
  implicit none
  include 'fftw3.f03'
  type :: one_case
    integer :: kind = kallima_c2c, precision = kallima_f64, scaling = kallima_scale_n
    integer, allocatable :: n(:), kinds(:)
    logical :: batch = .false., in_place = .false., padded = .false., bound = .false.
    character(:), allocatable :: in_layout, out_layout
  end type one_case
  integer, parameter :: fftw_kinds(2:9) = [FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11, &
                                           FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11]
  integer :: rank, ranks, cases, i, failed
  integer(int64) :: seed
  character(32) :: word
  character(:), allocatable :: wrong
  type(one_case) :: test

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  cases = 75
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) cases
  end if
  seed = 1000 + ranks
  failed = 0
  do i = 1, cases
    test = random_case()
    call run(test, wrong)
    if (wrong == '') cycle
    failed = failed + 1
    if (rank == 0) print '(a, i0, 4a)', 'FAILED case ', i, ': ', text_of(test), ': ', wrong
  end do
  if (rank == 0) print '(i0, a, i0, a)', cases, ' configurations, ', failed, ' failed'
  call MPI_Finalize()
  if (failed > 0) error stop 1

contains

  integer function up_to(most)
    integer, intent(in) :: most
    seed = modulo(seed * 48271_int64, 2147483647_int64)
    up_to = int(modulo(seed / 7, int(most, int64)))
  end function up_to

  real(real64) function value_of(number)
    integer, intent(in) :: number
    value_of = sin(12.9898_real64 * number) * 43758.5453_real64
    value_of = value_of - floor(value_of) - 0.5_real64
    value_of = real(real(value_of, real32), real64)  ! the same in both precisions
  end function value_of

  function text_of(test) result(text)
    type(one_case), intent(in) :: test
    character(:), allocatable :: text
    character(200) :: line
    write (line, '(a, i0, a, i0, a, 4l2, a, 4i4)') 'kind ', test%kind, ' precision ', &
      test%precision, ' batch, in place, padded, bound', test%batch, test%in_place, test%padded, &
      test%bound, ' shape ', test%n
    text = trim(line) // ' in "' // test%in_layout // '" out "' // test%out_layout // '"'
  end function text_of

  ! A layout of so many axes; of the r2c axis, x, whole where it is padded. Empty: any.
  function random_layout(axes, batch, whole_x) result(text)
    integer, intent(in) :: axes
    logical, intent(in) :: batch, whole_x
    character(:), allocatable :: text
    character(*), parameter :: names = 'xyzw'
    integer :: a, last, cut, parts
    character(8) :: number
    text = ''
    if (up_to(4) == 0) return
    last = axes
    if (batch) last = axes - 1
    cut = 1 + up_to(last)
    if (whole_x) cut = min(2, last)
    parts = 1 + up_to(ranks)
    if (whole_x .and. last == 1) parts = 1
    write (number, '(i0)') parts
    do a = axes, 1, -1
      if (a /= cut) then
        text = text // names(a:a) // ':all '
      else if (up_to(4) == 0) then
        text = text // names(a:a) // ':cyclic/' // trim(number) // ' '
      else
        text = text // names(a:a) // ':block/' // trim(number) // ' '
      end if
    end do
    if (up_to(4) == 0 .and. .not. whole_x) then  ! another order in memory
      a = index(text, ' ')
      text = text(a + 1:) // text(:a)
    end if
    text = trim(text)
  end function random_layout

  function random_case() result(test)
    type(one_case) :: test
    integer :: axes, a
    test%kind = up_to(3)
    test%precision = merge(kallima_f32, kallima_f64, up_to(3) == 0)
    test%scaling = up_to(3)
    axes = 1 + up_to(3)
    test%batch = up_to(3) == 0
    if (test%batch) axes = axes + 1
    allocate (test%n(axes), test%kinds(axes))
    do a = 1, axes
      test%n(a) = 2 + up_to(merge(200, 15, axes == 1))
    end do
    test%kinds = kallima_fourier
    if (test%kind == kallima_r2c) test%kinds(1) = kallima_real
    if (test%kind == kallima_r2r) then
      do a = 1, axes
        test%kinds(a) = kallima_cosine_1 + up_to(8)
      end do
    end if
    if (test%batch) then
      test%kinds(axes) = kallima_batch
      test%n(axes) = 1 + up_to(4)
    end if
    test%in_place = up_to(3) == 0
    test%bound = up_to(2) == 0
    test%padded = test%kind == kallima_r2c .and. up_to(2) == 0
    test%in_layout = random_layout(axes, test%batch, test%padded)
    if (test%padded .and. test%in_layout == '') test%padded = .false.
    test%out_layout = random_layout(axes, test%batch, .false.)
  end function random_case

  ! The whole transform, by FFTW, field after field: numbers of all frequencies.
  subroutine transformed(test, whole, frequencies)
    type(one_case), intent(in) :: test
    complex(c_double_complex), intent(in) :: whole(:)
    complex(c_double_complex), allocatable, intent(out) :: frequencies(:)
    integer(c_int), allocatable :: n(:)
    integer(c_int), allocatable :: kinds(:)
    complex(c_double_complex), allocatable :: field(:)
    real(c_double), allocatable :: reals(:)
    type(c_ptr) :: plan
    integer :: axes, fields, f, volume
    axes = size(test%n)
    fields = 1
    if (test%batch) then
      fields = test%n(axes)
      axes = axes - 1
    end if
    n = test%n(axes:1:-1)
    volume = product(test%n(:axes))
    allocate (frequencies(size(whole)))
    do f = 1, fields
      field = whole((f - 1) * volume + 1:f * volume)
      if (test%kind == kallima_r2r) then
        kinds = fftw_kinds(test%kinds(axes:1:-1))
        reals = real(field)
        plan = fftw_plan_r2r(int(axes, c_int), n, reals, reals, kinds, FFTW_ESTIMATE)
        call fftw_execute_r2r(plan, reals, reals)
        field = reals
      else
        plan = fftw_plan_dft(int(axes, c_int), n, field, field, FFTW_FORWARD, FFTW_ESTIMATE)
        call fftw_execute_dft(plan, field, field)
      end if
      call fftw_destroy_plan(plan)
      frequencies((f - 1) * volume + 1:f * volume) = field
    end do
  end subroutine transformed

  ! Visits this rank's elements on a side: place(:) in its memory, number(:) in the whole array.
  subroutine places(fft, side, n, place, number)
    type(kallima_transform), intent(in) :: fft
    integer, intent(in) :: side, n(:)
    integer, allocatable, intent(out) :: place(:), number(:)
    integer(int64) :: first(4), count(4), step(4), stride(4), at(4)
    integer :: a, axes, i, rest
    axes = size(n)
    count = 1
    first = 1
    step = 1
    stride = 0
    do a = 1, axes
      call kallima_local_axis(fft, side, a, first(a), count(a), step(a), stride(a))
    end do
    allocate (place(product(count)), number(product(count)))
    do i = 1, size(place)
      rest = i - 1
      place(i) = 1
      do a = 1, axes
        at(a) = mod(int(rest, int64), count(a))
        rest = int(rest / count(a))
        place(i) = place(i) + int(at(a) * stride(a))
      end do
      number(i) = 0
      do a = axes, 1, -1
        number(i) = number(i) * n(a) + int(first(a) - 1 + at(a) * step(a))
      end do
      number(i) = number(i) + 1
    end do
  end subroutine places

  ! Calls with arrays of rank 1 to 4, of reals or of complex numbers.
  subroutine call_there(test, fft, backward, in, out, wrong)
    type(one_case), intent(in) :: test
    type(kallima_transform), intent(in) :: fft
    logical, intent(in) :: backward
    type(*), dimension(..), intent(in), target :: in, out
    character(:), allocatable, intent(inout) :: wrong
    type(kallima_bound) :: bound
    character(300) :: words
    integer :: stat
    words = ''
    if (test%bound) then
      if (backward) then
        call kallima_bind_backward(bound, fft, in, out, stat, words)
      else
        call kallima_bind_forward(bound, fft, in, out, stat, words)
      end if
      if (stat == 0) call kallima_run(bound, stat=stat, errmsg=words)
    else if (backward) then
      call kallima_backward(fft, in, out, stat, words)
    else
      call kallima_forward(fft, in, out, stat, words)
    end if
    if (stat /= 0) wrong = trim(words)
  end subroutine call_there

  subroutine run(test, wrong)
    type(one_case), intent(in) :: test
    character(:), allocatable, intent(out) :: wrong
    type(kallima_options) :: options
    type(kallima_transform) :: fft
    complex(c_double_complex), allocatable :: whole(:), frequencies(:)
    complex(real64), allocatable, target :: d_in(:), d_out(:)
    complex(real32), allocatable, target :: s_in(:), s_out(:)
    complex(real64), pointer :: d2(:, :), d3(:, :, :), d4(:, :, :, :)
    real(real64), pointer :: dr_in(:), dr_out(:)
    real(real32), pointer :: sr_in(:), sr_out(:)
    integer, allocatable :: in_place(:), in_number(:), out_place(:), out_number(:), half(:)
    integer(int64) :: n_in, n_out, room
    integer :: i, stat, volume
    real(real64) :: factor, eps, limit, there(2), back(2), logical_size
    character(300) :: words
    logical :: real_in, real_out, is_double

    wrong = ''
    options%kind = test%kind
    options%precision = test%precision
    options%scaling = test%scaling
    options%axes = test%kinds
    options%padded = test%padded
    if (test%in_layout /= '') options%in_layout = test%in_layout
    if (test%out_layout /= '') options%out_layout = test%out_layout
    if (test%bound) then
      call kallima_create(fft, MPI_COMM_WORLD, test%n, options, stat, words)
    else
      call kallima_create(fft, MPI_COMM_WORLD%mpi_val, int(test%n, int64), options, stat, words)
    end if
    if (stat /= 0) then
      wrong = trim(words)
      return
    end if
    volume = product(test%n)
    real_in = test%kind /= kallima_c2c
    real_out = test%kind == kallima_r2r
    is_double = test%precision == kallima_f64
    allocate (whole(volume))
    do i = 1, volume
      whole(i) = cmplx(value_of(2 * i), merge(0._real64, value_of(2 * i + 1), real_in), real64)
    end do
    call transformed(test, whole, frequencies)
    call places(fft, kallima_input, test%n, in_place, in_number)
    half = test%n
    if (test%kind == kallima_r2c) half(1) = half(1) / 2 + 1
    call places(fft, kallima_output, half, out_place, out_number)
    call kallima_allocated_size(fft, kallima_input, n_in)
    call kallima_allocated_size(fft, kallima_output, n_out)

    ! Storage of complex numbers, in which reals lie as they do in Fortran.
    room = max(n_in, n_out, 1_int64)
    allocate (d_in(room), d_out(room), s_in(room), s_out(room))
    d_in = 7
    s_in = 7
    d_out = 9
    s_out = 9
    call c_f_pointer(c_loc(d_in), dr_in, [2 * room])
    call c_f_pointer(c_loc(d_out), dr_out, [2 * room])
    call c_f_pointer(c_loc(s_in), sr_in, [2 * room])
    call c_f_pointer(c_loc(s_out), sr_out, [2 * room])
    do i = 1, size(in_place)
      if (real_in) then
        dr_in(in_place(i)) = real(whole(in_number(i)))
        sr_in(in_place(i)) = real(whole(in_number(i)), real32)
      else
        d_in(in_place(i)) = whole(in_number(i))
        s_in(in_place(i)) = cmplx(whole(in_number(i)), kind=real32)
      end if
    end do

    if (test%in_place) then
      if (is_double) then
        call kallima_forward_in_place(fft, d_in, stat, words)
        d_out = d_in
      else
        call kallima_forward_in_place(fft, s_in, stat, words)
        s_out = s_in
      end if
      if (stat /= 0) wrong = trim(words)
    else if (is_double) then
      if (real_out) then
        call call_there(test, fft, .false., dr_in(:n_in), dr_out(:n_out), wrong)
      else if (real_in) then
        call call_there(test, fft, .false., dr_in(:n_in), d_out(:n_out), wrong)
      else
        ! The same memory as arrays of other ranks.
        d2(1:n_in, 1:1) => d_in
        d3(1:1, 1:n_out, 1:1) => d_out
        d4(1:n_out, 1:1, 1:1, 1:1) => d_out
        if (test%bound) then
          call call_there(test, fft, .false., d2, d3, wrong)
        else
          call call_there(test, fft, .false., d2, d4, wrong)
        end if
      end if
    else if (real_out) then
      call call_there(test, fft, .false., sr_in(:n_in), sr_out(:n_out), wrong)
    else if (real_in) then
      call call_there(test, fft, .false., sr_in(:n_in), s_out(:n_out), wrong)
    else
      call call_there(test, fft, .false., s_in(:n_in), s_out(:n_out), wrong)
    end if
    if (wrong /= '') return

    logical_size = 1
    do i = 1, size(test%n)
      select case (test%kinds(i))
      case (kallima_batch)
        continue
      case (kallima_fourier, kallima_real)
        logical_size = logical_size * test%n(i)
      case (kallima_cosine_1)
        logical_size = logical_size * 2 * (test%n(i) - 1)
      case (kallima_sine_1)
        logical_size = logical_size * 2 * (test%n(i) + 1)
      case default
        logical_size = logical_size * 2 * test%n(i)
      end select
    end do
    factor = 1
    if (test%scaling == kallima_scale_sqrt_n) factor = 1 / sqrt(logical_size)
    eps = merge(epsilon(1._real64), real(epsilon(1._real32), real64), is_double)
    limit = 2 * max(eps, 1.5_real64 * eps * sqrt(log(max(2._real64, logical_size)) / log(2._real64)))
    there = 0
    do i = 1, size(out_place)
      there = there + difference(out_place(i), &
                                 factor * frequencies(whole_number(out_number(i), half, test%n)), &
                                 real_out, d_out, s_out, dr_out, sr_out)
    end do

    ! And back.
    if (test%in_place) then
      if (is_double) then
        call kallima_backward_in_place(fft, d_in, stat, words)
      else
        call kallima_backward_in_place(fft, s_in, stat, words)
      end if
      if (stat /= 0) wrong = trim(words)
    else if (is_double) then
      if (real_out) then
        call call_there(test, fft, .true., dr_out(:n_out), dr_in(:n_in), wrong)
      else if (real_in) then
        call call_there(test, fft, .true., d_out(:n_out), dr_in(:n_in), wrong)
      else
        call call_there(test, fft, .true., d_out(:n_out), d_in(:n_in), wrong)
      end if
    else if (real_out) then
      call call_there(test, fft, .true., sr_out(:n_out), sr_in(:n_in), wrong)
    else if (real_in) then
      call call_there(test, fft, .true., s_out(:n_out), sr_in(:n_in), wrong)
    else
      call call_there(test, fft, .true., s_out(:n_out), s_in(:n_in), wrong)
    end if
    if (wrong /= '') return
    factor = 1
    if (test%scaling == kallima_scale_none) factor = logical_size
    back = 0
    do i = 1, size(in_place)
      back = back + difference(in_place(i), factor * whole(in_number(i)), real_in, d_in, s_in, &
                               dr_in, sr_in)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, there, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, back, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    write (words, '(a, f0.2, a, f0.2, a)') 'forward ', sqrt(there(1) / there(2)) / eps, &
      ' eps, and back ', sqrt(back(1) / back(2)) / eps, ' eps'
    if (sqrt(there(1)) > limit * sqrt(there(2)) .or. sqrt(back(1)) > 2 * limit * sqrt(back(2))) then
      wrong = trim(words)
    end if
  end subroutine run

  ! Number among all frequencies of one among those that are kept.
  pure integer function whole_number(number, half, n)
    integer, intent(in) :: number, half(:), n(:)
    integer :: rest
    rest = (number - 1) / half(1)
    whole_number = rest * n(1) + mod(number - 1, half(1)) + 1
  end function whole_number

  ! Squares of how far an element is from what is expected, and of that.
  function difference(place, expected, is_real, double, single, double_reals, single_reals) &
      result(squares)
    integer, intent(in) :: place
    complex(real64), intent(in) :: expected
    logical, intent(in) :: is_real
    complex(real64), intent(in) :: double(:)
    complex(real32), intent(in) :: single(:)
    real(real64), intent(in) :: double_reals(:)
    real(real32), intent(in) :: single_reals(:)
    real(real64) :: squares(2)
    complex(real64) :: is
    if (test%precision == kallima_f64) then
      if (is_real) then
        is = double_reals(place)
      else
        is = double(place)
      end if
    else if (is_real) then
      is = real(single_reals(place), real64)
    else
      is = cmplx(single(place), kind=real64)
    end if
    squares = [abs(is - expected)**2, abs(expected)**2]
  end function difference
end program table_test
