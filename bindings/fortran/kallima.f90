! SPDX-License-Identifier: BSD-3-Clause
!
! Fourier transforms of arrays that are distributed over the ranks of a communicator, in Fortran.
!
!     type(kallima_transform) :: fft
!     type(kallima_options) :: options
!     options%kind = kallima_r2c
!     options%in_layout = 'z:block/4 y:all x:all'
!     call kallima_create(fft, MPI_COMM_WORLD, [nx, ny, nz], options)            ! plans; collective
!     call kallima_local_shape(fft, kallima_input, n);   allocate (u(n(1), n(2), n(3)))
!     call kallima_local_shape(fft, kallima_output, n);  allocate (u_k(n(1), n(2), n(3)))
!     call kallima_forward(fft, u, u_k)                                                  ! collective
!     call kallima_backward(fft, u_k, u)                                   ! 1/N on the way back
!
! Axes and indices are Fortran's: axis 1 is fastest in memory where nothing else is said, and is
! called x in texts of layouts; y and z follow. Indices begin at 1. Arrays are of any rank, of
! real or complex numbers of the transform's precision, and contiguous. Arrays that are bound should
! have the target attribute, and last until the last run.
!
! A handle (kallima_transform, kallima_bound, kallima_halo) may be assigned: both then are the same.
! What it stands for goes when the last of them does, in any order, also after MPI_Finalize.
!
! Calls that can fail take stat, which gets 0 or a number of kallima/error_table.h, and errmsg, which
! gets what is wrong. Without stat they print that and stop. Collective calls fail alike on all
! ranks.
module kallima
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use mpi_f08, only: MPI_Comm
  implicit none
  private

  public :: kallima_transform, kallima_bound, kallima_halo, kallima_options
  public :: kallima_create, kallima_create_redistribution, kallima_create_halo, kallima_destroy
  public :: kallima_forward, kallima_backward, kallima_forward_in_place, kallima_backward_in_place
  public :: kallima_bind_forward, kallima_bind_backward, kallima_run, kallima_exchange
  public :: kallima_local_axis, kallima_local_shape, kallima_memory_order, kallima_allocated_size
  public :: kallima_wavenumbers, kallima_workspace_bytes, kallima_layout_text, kallima_plan_text
  public :: kallima_options_bytes

  ! What is transformed.
  integer, parameter, public :: kallima_c2c = 0, kallima_r2c = 1, kallima_r2r = 2
  ! What is done along an axis.
  integer, parameter, public :: kallima_fourier = 0, kallima_real = 1, kallima_cosine_1 = 2, &
    kallima_cosine_2 = 3, kallima_cosine_3 = 4, kallima_cosine_4 = 5, kallima_sine_1 = 6, &
    kallima_sine_2 = 7, kallima_sine_3 = 8, kallima_sine_4 = 9, kallima_no_kind = 10, &
    kallima_batch = 11
  ! Precision of numbers.
  integer, parameter, public :: kallima_f32 = 0, kallima_f64 = 1
  ! By what results are multiplied: nothing, 1/N backward, 1/sqrt(N) both ways, 1/N forward.
  integer, parameter, public :: kallima_scale_none = 0, kallima_scale_n = 1, &
    kallima_scale_sqrt_n = 2, kallima_scale_n_forward = 3
  ! How hard plans and the FFT engine look for what is fast.
  integer, parameter, public :: kallima_estimate = 0, kallima_measure = 1, kallima_patient = 2
  ! Sides of a transform: what forward reads, what forward writes.
  integer, parameter, public :: kallima_input = 0, kallima_output = 1

  ! Choices of a transform, the same on every rank but for boxes; kallima/kallima.h says what they
  ! mean. Arrays have one entry per axis, axis 1 first.
  type :: kallima_options
    integer :: kind = kallima_c2c
    integer :: precision = kallima_f64
    integer :: scaling = kallima_scale_n
    character(:), allocatable :: in_layout, out_layout  ! texts; any where they are not given
    integer(int64), allocatable :: in_lower(:), in_upper(:)  ! instead: first and last index of
    integer(int64), allocatable :: out_lower(:), out_upper(:)  ! this rank's own box, along each axis
    integer(int64), allocatable :: in_margins(:, :), out_margins(:, :)  ! (2, axes): ghost cells
                                                        ! below and above that box
    integer, allocatable :: axes(:)                     ! kinds of axes; Fourier
    real(real64), allocatable :: lengths(:)             ! of the box, for wavenumbers
    integer(int64), allocatable :: keep(:)              ! largest |k| that is kept, or -1
    integer :: r2c_axis = 1                             ! axis of which half is kept
    logical :: padded = .false.                         ! rows of reals of 2 (n/2 + 1)
    integer :: threads = 1
    integer :: plan_effort = kallima_estimate
    integer :: engine_effort = kallima_estimate
    integer :: method = 0
    logical :: adaptive = .false.
    logical :: progress_thread = .false.
    logical :: large_counts = .true.
    integer(int64) :: chunks = 0
    integer(int64) :: tile_bytes = 0
    integer(int64) :: message_bytes = 0
    real(real64) :: planning_seconds = 2
    real(real64) :: deadline = 0
    character(:), allocatable :: machine, plan, plan_wisdom, trace
  end type kallima_options

  ! The structs of kallima/kallima.h.
  type, bind(c) :: c_error
    integer(c_int) :: code = 0
    character(c_char) :: text(508) = c_null_char
  end type c_error
  type, bind(c) :: c_boxes
    integer(c_size_t) :: size
    integer(c_int) :: count
    type(c_ptr) :: bounds, order, margins
  end type c_boxes
  type, bind(c) :: c_options
    integer(c_size_t) :: size
    integer(c_int) :: precision, scaling, engine_effort, method, large_counts, kind
    type(c_ptr) :: in_layout, out_layout, lengths
    integer(c_int64_t) :: tile_bytes, threads, message_bytes
    type(c_funptr) :: allocate, release
    type(c_ptr) :: memory_context
    integer(c_int) :: r2c_axis, padded
    type(c_ptr) :: machine, plan
    integer(c_int64_t) :: chunks
    integer(c_int) :: progress_thread
    type(c_ptr) :: trace
    real(c_double) :: deadline
    integer(c_int) :: plan_effort, adaptive
    real(c_double) :: planning_seconds
    type(c_ptr) :: plan_wisdom, axes, keep
    integer(c_int) :: separate_fields
    type(c_ptr) :: in_boxes, out_boxes
  end type c_options

  ! What handles share: a handle of the C interface, and how many stand for it.
  integer, parameter :: is_transform = 1, is_bound = 2, is_halo = 3
  type :: shared
    type(c_ptr) :: handle = c_null_ptr
    integer :: what = is_transform
    integer :: holders = 1
    integer :: axes = 0
    integer(c_int) :: in_element(2) = 0   ! bytes of an element, and of a real number in it
    integer(c_int) :: out_element(2) = 0
  end type shared
  ! gfortran 12 finalizes copies that it made bit by bit. They stand for nothing: a handle knows the
  ! place where it was made.
  type :: handle_base
    private
    type(shared), pointer :: its => null()
    integer(c_intptr_t) :: home = 0
  end type handle_base

  ! Assignment is bound to each of them, as gfortran 12 does not look for it in what a component's type
  ! extends.
  type, extends(handle_base) :: kallima_transform  ! a planned transform, or redistribution
  contains
    procedure, private :: share_transform
    generic :: assignment(=) => share_transform
    final :: let_go_transform
  end type kallima_transform
  type, extends(handle_base) :: kallima_bound      ! one that is bound to arrays
  contains
    procedure, private :: share_bound
    generic :: assignment(=) => share_bound
    final :: let_go_bound
  end type kallima_bound
  type, extends(handle_base) :: kallima_halo       ! an exchange of ghost cells
  contains
    procedure, private :: share_halo
    generic :: assignment(=) => share_halo
    final :: let_go_halo
  end type kallima_halo

  type :: c_text
    character(c_char), allocatable :: letters(:)
  end type c_text

  ! Plans. Collective.
  interface kallima_create
    module procedure create_f08, create_f08_64, create_f, create_f_64
  end interface
  ! Plans a redistribution of elements of so many bytes. Collective.
  interface kallima_create_redistribution
    module procedure redistribution_f08, redistribution_f
  end interface
  ! Plans an exchange of ghost cells between neighbours, corners included. Collective.
  interface kallima_create_halo
    module procedure halo_f08, halo_f
  end interface
  ! Wavenumbers of this rank's frequencies along an axis: integers, or in units of the box.
  interface kallima_wavenumbers
    module procedure wavenumber_integers, wavenumber_components
  end interface
  ! First index of this rank along an axis, and how many; of a transform's side, or of a halo.
  interface kallima_local_axis
    module procedure transform_axis, halo_axis
  end interface
  ! Elements that this rank's array takes; of a transform's side, or of a halo.
  interface kallima_allocated_size
    module procedure transform_size, halo_size
  end interface
  ! Runs what is bound. Collective; allocates nothing.
  interface kallima_run
    module procedure run_bound
  end interface

  interface
    integer(c_int) function c_options_init(options, bytes) bind(c, name='kallima_options_init')
      import
      type(c_options), intent(out) :: options
      integer(c_size_t), value :: bytes
    end function c_options_init
    integer(c_int) function c_create(comm, axes, shape, options, transform, error) &
        bind(c, name='kallima_fortran_create')
      import
      integer(c_int), value :: comm, axes
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_options), intent(in) :: options
      type(c_ptr), intent(out) :: transform
      type(c_error), intent(inout) :: error
    end function c_create
    integer(c_int) function c_create_redistribution(comm, axes, shape, element_bytes, options, &
        transform, error) bind(c, name='kallima_fortran_create_redistribution')
      import
      integer(c_int), value :: comm, axes
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int64_t), value :: element_bytes
      type(c_options), intent(in) :: options
      type(c_ptr), intent(out) :: transform
      type(c_error), intent(inout) :: error
    end function c_create_redistribution
    integer(c_int) function c_create_halo(comm, axes, shape, layout, widths, periodic, &
        element_bytes, halo, error) bind(c, name='kallima_fortran_create_halo')
      import
      integer(c_int), value :: comm, axes
      integer(c_int64_t), intent(in) :: shape(*)
      type(c_ptr), value :: layout, widths, periodic
      integer(c_int64_t), value :: element_bytes
      type(c_ptr), intent(out) :: halo
      type(c_error), intent(inout) :: error
    end function c_create_halo
    integer(c_int) function c_bind(transform, direction, in, out, in_element, out_element, bound, &
        error) bind(c, name='kallima_fortran_bind')
      import
      type(c_ptr), value :: transform
      integer(c_int), value :: direction
      type(*), dimension(..), intent(in) :: in, out
      integer(c_int), intent(in) :: in_element(2), out_element(2)
      type(c_ptr), intent(out) :: bound
      type(c_error), intent(inout) :: error
    end function c_bind
    integer(c_int) function c_run(bound, error) bind(c, name='kallima_run')
      import
      type(c_ptr), value :: bound
      type(c_error), intent(inout) :: error
    end function c_run
    integer(c_int) function c_run_scaled(bound, scaling, error) bind(c, name='kallima_run_scaled')
      import
      type(c_ptr), value :: bound
      integer(c_int), value :: scaling
      type(c_error), intent(inout) :: error
    end function c_run_scaled
    integer(c_int) function c_exchange(halo, array, element_bytes, error) &
        bind(c, name='kallima_fortran_exchange')
      import
      type(c_ptr), value :: halo
      type(*), dimension(..), intent(in) :: array
      integer(c_int64_t), value :: element_bytes
      type(c_error), intent(inout) :: error
    end function c_exchange
    integer(c_int) function c_local_axis(transform, side, axis, first, step, count, stride) &
        bind(c, name='kallima_local_axis')
      import
      type(c_ptr), value :: transform
      integer(c_int), value :: side, axis
      integer(c_int64_t), intent(out) :: first, step, count, stride
    end function c_local_axis
    integer(c_int) function c_memory_order(transform, side, order) &
        bind(c, name='kallima_memory_order')
      import
      type(c_ptr), value :: transform
      integer(c_int), value :: side
      integer(c_int), intent(out) :: order(*)
    end function c_memory_order
    integer(c_int) function c_wavenumbers(transform, axis, k, component) &
        bind(c, name='kallima_wavenumbers')
      import
      type(c_ptr), value :: transform
      integer(c_int), value :: axis
      integer(c_int64_t), intent(out) :: k(*)
      real(c_double), intent(out) :: component(*)
    end function c_wavenumbers
    integer(c_int) function c_allocated_size(transform, side, elements) &
        bind(c, name='kallima_allocated_size')
      import
      type(c_ptr), value :: transform
      integer(c_int), value :: side
      integer(c_int64_t), intent(out) :: elements
    end function c_allocated_size
    integer(c_int) function c_halo_local_axis(halo, axis, first, count, stride) &
        bind(c, name='kallima_halo_local_axis')
      import
      type(c_ptr), value :: halo
      integer(c_int), value :: axis
      integer(c_int64_t), intent(out) :: first, count, stride
    end function c_halo_local_axis
    integer(c_int) function c_halo_allocated_size(halo, elements) &
        bind(c, name='kallima_halo_allocated_size')
      import
      type(c_ptr), value :: halo
      integer(c_int64_t), intent(out) :: elements
    end function c_halo_allocated_size
    integer(c_int) function c_workspace_bytes(transform, bytes) &
        bind(c, name='kallima_workspace_bytes')
      import
      type(c_ptr), value :: transform
      integer(c_int64_t), intent(out) :: bytes
    end function c_workspace_bytes
    integer(c_size_t) function c_options_bytes() bind(c, name='kallima_fortran_options_bytes')
      import
    end function c_options_bytes
  end interface

  ! Functions of one form.
  abstract interface
    subroutine destroy_form(handle) bind(c)
      import
      type(c_ptr), value :: handle
    end subroutine destroy_form
    integer(c_int) function text_form(transform, which, text, capacity, needed) bind(c)
      import
      type(c_ptr), value :: transform
      integer(c_int), value :: which
      type(c_ptr), value :: text
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(inout) :: needed
    end function text_form
  end interface
  procedure(destroy_form), bind(c, name='kallima_destroy') :: c_destroy
  procedure(destroy_form), bind(c, name='kallima_bound_destroy') :: c_bound_destroy
  procedure(destroy_form), bind(c, name='kallima_halo_destroy') :: c_halo_destroy
  procedure(text_form), bind(c, name='kallima_layout_text') :: c_layout_text
  procedure(text_form), bind(c, name='kallima_plan_text') :: c_plan_text

  integer, parameter :: invalid_option = 4  ! of kallima/error_table.h

contains

  ! Handles.

  impure elemental subroutine share_transform(to, from)
    class(kallima_transform), intent(inout) :: to
    type(kallima_transform), intent(in) :: from
    call share(to, from)
  end subroutine share_transform

  impure elemental subroutine share_bound(to, from)
    class(kallima_bound), intent(inout) :: to
    type(kallima_bound), intent(in) :: from
    call share(to, from)
  end subroutine share_bound

  impure elemental subroutine share_halo(to, from)
    class(kallima_halo), intent(inout) :: to
    type(kallima_halo), intent(in) :: from
    call share(to, from)
  end subroutine share_halo

  impure elemental subroutine let_go_transform(handle)
    type(kallima_transform), intent(inout) :: handle
    call release(handle)
  end subroutine let_go_transform

  impure elemental subroutine let_go_bound(handle)
    type(kallima_bound), intent(inout) :: handle
    call release(handle)
  end subroutine let_go_bound

  impure elemental subroutine let_go_halo(handle)
    type(kallima_halo), intent(inout) :: handle
    call release(handle)
  end subroutine let_go_halo

  ! Frees what this stands for. Not collective; not needed before a handle goes out of scope.
  subroutine kallima_destroy(handle)
    class(handle_base), intent(inout) :: handle
    call release(handle)
  end subroutine kallima_destroy

  subroutine share(to, from)
    class(handle_base), intent(inout) :: to
    class(handle_base), intent(in) :: from
    type(shared), pointer :: its
    its => from%its
    if (associated(its)) its%holders = its%holders + 1
    call release(to)
    to%its => its
    to%home = place_of(to%home)
  end subroutine share

  integer(c_intptr_t) function place_of(home)
    integer(c_intptr_t), intent(in), target :: home
    place_of = transfer(c_loc(home), place_of)
  end function place_of

  subroutine release(handle)
    class(handle_base), intent(inout) :: handle
    type(shared), pointer :: its
    its => handle%its
    handle%its => null()
    if (.not. associated(its) .or. handle%home /= place_of(handle%home)) return
    its%holders = its%holders - 1
    if (its%holders > 0) return
    select case (its%what)
    case (is_transform)
      call c_destroy(its%handle)
    case (is_bound)
      call c_bound_destroy(its%handle)
    case default
      call c_halo_destroy(its%handle)
    end select
    deallocate (its)
  end subroutine release

  ! What a new handle is, where making it went well.
  subroutine hold(handle, code, made)
    class(handle_base), intent(inout) :: handle
    integer(c_int), intent(in) :: code
    type(shared), intent(in) :: made
    if (code /= 0) return
    call release(handle)
    allocate (handle%its)
    handle%its = made
    handle%its%holders = 1
    handle%home = place_of(handle%home)
  end subroutine hold

  ! Errors.

  subroutine settle(code, error, stat, errmsg)
    integer(c_int), intent(in) :: code
    type(c_error), intent(in) :: error
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: words
    integer :: i
    if (present(stat)) stat = code
    if (code == 0) return
    words = ''
    do i = 1, size(error%text)
      if (error%text(i) == c_null_char) exit
      words = words // error%text(i)
    end do
    if (present(errmsg)) errmsg = words
    if (present(stat)) return
    write (error_unit, '(2a)') 'kallima: ', words
    error stop 1
  end subroutine settle

  subroutine say(error, words)
    type(c_error), intent(inout) :: error
    character(*), intent(in) :: words
    integer :: i
    error%text = c_null_char
    do i = 1, min(len(words), size(error%text) - 1)
      error%text(i) = words(i:i)
    end do
  end subroutine say

  ! True where there is such a handle; false, and settled, where there is none.
  logical function exists(handle, stat, errmsg)
    class(handle_base), intent(in) :: handle
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_error) :: error
    exists = associated(handle%its)
    if (exists) return
    call say(error, 'a handle that nothing was created for: call kallima_create first')
    call settle(int(invalid_option, c_int), error, stat, errmsg)
  end function exists

  ! Options.

  ! Letters of a text for C; null where there is none.
  function pointer_to(text, letters) result(at)
    character(:), allocatable, intent(in) :: text
    type(c_text), intent(inout), target :: letters
    type(c_ptr) :: at
    integer :: i
    at = c_null_ptr
    if (.not. allocated(text)) return
    allocate (letters%letters(len(text) + 1))
    do i = 1, len(text)
      letters%letters(i) = text(i:i)
    end do
    letters%letters(len(text) + 1) = c_null_char
    at = c_loc(letters%letters)
  end function pointer_to

  ! Axis of C of an axis of Fortran.
  pure integer function c_axis(axes, axis)
    integer, intent(in) :: axes, axis
    c_axis = axes - axis
  end function c_axis

  integer(c_int) function flag(on)
    logical, intent(in) :: on
    flag = merge(1_c_int, 0_c_int, on)
  end function flag

  ! Bounds of a rank's own box, and margins, as C has them.
  subroutine write_box(lower, upper, margins, axes, boxes, bounds, c_margins, at)
    integer(int64), allocatable, intent(in) :: lower(:), upper(:), margins(:, :)
    integer, intent(in) :: axes
    type(c_boxes), intent(out), target :: boxes
    integer(c_int64_t), allocatable, intent(out), target :: bounds(:), c_margins(:)
    type(c_ptr), intent(out) :: at
    integer :: a, c
    at = c_null_ptr
    if (.not. allocated(lower) .or. .not. allocated(upper)) return
    allocate (bounds(2 * axes), source=0_c_int64_t)
    do a = 1, min(axes, size(lower), size(upper))
      c = c_axis(axes, a)
      bounds(c + 1) = lower(a) - 1
      bounds(axes + c + 1) = upper(a)
    end do
    boxes%size = c_sizeof(boxes)
    boxes%count = 1
    if (any(bounds(axes + 1:) <= bounds(:axes))) boxes%count = 0
    boxes%bounds = c_loc(bounds)
    boxes%order = c_null_ptr
    boxes%margins = c_null_ptr
    if (allocated(margins)) then
      allocate (c_margins(2 * axes), source=0_c_int64_t)
      do a = 1, min(axes, size(margins, 2))
        c_margins(2 * c_axis(axes, a) + 1:2 * c_axis(axes, a) + 2) = margins(1:2, a)
      end do
      boxes%margins = c_loc(c_margins)
    end if
    at = c_loc(boxes)
  end subroutine write_box

  ! Plans a transform, or a redistribution where elements have a size.
  subroutine create(transform, comm, shape, options, element_bytes, stat, errmsg)
    type(kallima_transform), intent(inout) :: transform
    integer, intent(in) :: comm
    integer(int64), intent(in) :: shape(:)
    type(kallima_options), intent(in), optional :: options
    integer(int64), intent(in) :: element_bytes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(kallima_options) :: chosen
    type(c_options) :: c
    type(c_text), target :: texts(6)
    type(c_boxes), target :: in_boxes, out_boxes
    integer(c_int64_t), allocatable, target :: in_bounds(:), in_margins(:), out_bounds(:), &
      out_margins(:), keep(:)
    integer(c_int), allocatable, target :: axes(:)
    real(c_double), allocatable, target :: lengths(:)
    type(c_error) :: error
    type(shared) :: made
    integer :: n
    integer(c_int) :: code, real_bytes

    if (present(options)) chosen = options
    n = size(shape)
    code = c_options_init(c, c_sizeof(c))
    c%kind = chosen%kind
    c%precision = chosen%precision
    c%scaling = chosen%scaling
    c%engine_effort = chosen%engine_effort
    c%plan_effort = chosen%plan_effort
    c%method = chosen%method
    c%threads = chosen%threads
    c%padded = flag(chosen%padded)
    c%adaptive = flag(chosen%adaptive)
    c%progress_thread = flag(chosen%progress_thread)
    c%large_counts = flag(chosen%large_counts)
    c%chunks = chosen%chunks
    c%tile_bytes = chosen%tile_bytes
    c%message_bytes = chosen%message_bytes
    c%planning_seconds = chosen%planning_seconds
    c%deadline = chosen%deadline
    c%r2c_axis = -1
    if (.not. allocated(chosen%axes) .and. chosen%kind == kallima_r2c) then
      c%r2c_axis = c_axis(n, chosen%r2c_axis)
      if (c%r2c_axis < 0) c%r2c_axis = 2147483647  ! an axis that there is not
    end if
    c%in_layout = pointer_to(chosen%in_layout, texts(1))
    c%out_layout = pointer_to(chosen%out_layout, texts(2))
    c%machine = pointer_to(chosen%machine, texts(3))
    c%plan = pointer_to(chosen%plan, texts(4))
    c%plan_wisdom = pointer_to(chosen%plan_wisdom, texts(5))
    c%trace = pointer_to(chosen%trace, texts(6))
    if (allocated(chosen%axes)) then
      axes = full(chosen%axes, n)
      c%axes = c_loc(axes)
    end if
    if (allocated(chosen%keep)) then
      allocate (keep(n), source=-1_c_int64_t)
      keep(n:max(1, n - size(chosen%keep) + 1):-1) = chosen%keep(:min(n, size(chosen%keep)))
      c%keep = c_loc(keep)
    end if
    if (allocated(chosen%lengths)) then
      allocate (lengths(n), source=0._c_double)
      lengths(n:max(1, n - size(chosen%lengths) + 1):-1) = &
        chosen%lengths(:min(n, size(chosen%lengths)))
      c%lengths = c_loc(lengths)
    end if
    call write_box(chosen%in_lower, chosen%in_upper, chosen%in_margins, n, in_boxes, in_bounds, &
                   in_margins, c%in_boxes)
    call write_box(chosen%out_lower, chosen%out_upper, chosen%out_margins, n, out_boxes, &
                   out_bounds, out_margins, c%out_boxes)

    made%what = is_transform
    made%axes = n
    if (element_bytes > 0) then
      code = c_create_redistribution(int(comm, c_int), int(n, c_int), shape(n:1:-1), &
                                     int(element_bytes, c_int64_t), c, made%handle, error)
      made%in_element = [int(element_bytes, c_int), 0_c_int]
      made%out_element = made%in_element
    else
      code = c_create(int(comm, c_int), int(n, c_int), shape(n:1:-1), c, made%handle, error)
      real_bytes = merge(4_c_int, 8_c_int, chosen%precision == kallima_f32)
      made%in_element = [merge(2_c_int, 1_c_int, chosen%kind == kallima_c2c), 1_c_int] * real_bytes
      made%out_element = [merge(1_c_int, 2_c_int, chosen%kind == kallima_r2r), 1_c_int] * real_bytes
    end if
    call hold(transform, code, made)
    call settle(code, error, stat, errmsg)
  end subroutine create

  ! Kinds in C's order; Fourier beyond what was given.
  function full(kinds, axes) result(all)
    integer, intent(in) :: kinds(:), axes
    integer(c_int), allocatable :: all(:)
    integer :: a
    allocate (all(axes), source=int(kallima_fourier, c_int))
    do a = 1, min(axes, size(kinds))
      all(c_axis(axes, a) + 1) = int(kinds(a), c_int)
    end do
  end function full

  subroutine create_f08(transform, comm, shape, options, stat, errmsg)
    type(kallima_transform), intent(inout) :: transform
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: shape(:)
    type(kallima_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call create(transform, comm%mpi_val, int(shape, int64), options, 0_int64, stat, errmsg)
  end subroutine create_f08

  subroutine create_f08_64(transform, comm, shape, options, stat, errmsg)
    type(kallima_transform), intent(inout) :: transform
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: shape(:)
    type(kallima_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call create(transform, comm%mpi_val, shape, options, 0_int64, stat, errmsg)
  end subroutine create_f08_64

  subroutine create_f(transform, comm, shape, options, stat, errmsg)
    type(kallima_transform), intent(inout) :: transform
    integer, intent(in) :: comm
    integer, intent(in) :: shape(:)
    type(kallima_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call create(transform, comm, int(shape, int64), options, 0_int64, stat, errmsg)
  end subroutine create_f

  subroutine create_f_64(transform, comm, shape, options, stat, errmsg)
    type(kallima_transform), intent(inout) :: transform
    integer, intent(in) :: comm
    integer(int64), intent(in) :: shape(:)
    type(kallima_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call create(transform, comm, shape, options, 0_int64, stat, errmsg)
  end subroutine create_f_64

  subroutine redistribution_f08(transform, comm, shape, element_bytes, options, stat, errmsg)
    type(kallima_transform), intent(inout) :: transform
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: shape(:), element_bytes
    type(kallima_options), intent(in) :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call redistribution_f(transform, comm%mpi_val, shape, element_bytes, options, stat, errmsg)
  end subroutine redistribution_f08

  subroutine redistribution_f(transform, comm, shape, element_bytes, options, stat, errmsg)
    type(kallima_transform), intent(inout) :: transform
    integer, intent(in) :: comm
    integer, intent(in) :: shape(:), element_bytes
    type(kallima_options), intent(in) :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call create(transform, comm, int(shape, int64), options, int(max(1, element_bytes), int64), &
                stat, errmsg)
  end subroutine redistribution_f

  ! Transforms.

  ! Position to frequency. Collective.
  subroutine kallima_forward(transform, in, out, stat, errmsg)
    type(kallima_transform), intent(in) :: transform
    type(*), dimension(..), intent(in), target :: in, out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run_once(transform, 0_c_int, in, out, stat, errmsg)
  end subroutine kallima_forward

  ! Frequency to position. Collective.
  subroutine kallima_backward(transform, in, out, stat, errmsg)
    type(kallima_transform), intent(in) :: transform
    type(*), dimension(..), intent(in), target :: in, out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run_once(transform, 1_c_int, in, out, stat, errmsg)
  end subroutine kallima_backward

  ! Position to frequency in the array itself, which holds the larger of both sides. Collective.
  subroutine kallima_forward_in_place(transform, array, stat, errmsg)
    type(kallima_transform), intent(in) :: transform
    type(*), dimension(..), intent(in), target :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run_once(transform, 0_c_int, array, array, stat, errmsg)
  end subroutine kallima_forward_in_place

  ! Frequency to position in the array itself. Collective.
  subroutine kallima_backward_in_place(transform, array, stat, errmsg)
    type(kallima_transform), intent(in) :: transform
    type(*), dimension(..), intent(in), target :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call run_once(transform, 1_c_int, array, array, stat, errmsg)
  end subroutine kallima_backward_in_place

  ! Checks arrays once, to run many times. Collective, one agreement.
  subroutine kallima_bind_forward(bound, transform, in, out, stat, errmsg)
    type(kallima_bound), intent(inout) :: bound
    type(kallima_transform), intent(in) :: transform
    type(*), dimension(..), intent(in), target :: in, out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call bind_arrays(bound, transform, 0_c_int, in, out, stat, errmsg)
  end subroutine kallima_bind_forward

  ! The same, frequency to position.
  subroutine kallima_bind_backward(bound, transform, in, out, stat, errmsg)
    type(kallima_bound), intent(inout) :: bound
    type(kallima_transform), intent(in) :: transform
    type(*), dimension(..), intent(in), target :: in, out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call bind_arrays(bound, transform, 1_c_int, in, out, stat, errmsg)
  end subroutine kallima_bind_backward

  subroutine bind_arrays(bound, transform, direction, in, out, stat, errmsg)
    type(kallima_bound), intent(inout) :: bound
    type(kallima_transform), intent(in) :: transform
    integer(c_int), intent(in) :: direction
    type(*), dimension(..), intent(in), target :: in, out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_error) :: error
    type(shared) :: made
    integer(c_int) :: code
    if (.not. exists(transform, stat, errmsg)) return
    made%what = is_bound
    if (direction == 0) then
      code = c_bind(transform%its%handle, direction, in, out, transform%its%in_element, &
                    transform%its%out_element, made%handle, error)
    else
      code = c_bind(transform%its%handle, direction, in, out, transform%its%out_element, &
                    transform%its%in_element, made%handle, error)
    end if
    call hold(bound, code, made)
    call settle(code, error, stat, errmsg)
  end subroutine bind_arrays

  subroutine run_once(transform, direction, in, out, stat, errmsg)
    type(kallima_transform), intent(in) :: transform
    integer(c_int), intent(in) :: direction
    type(*), dimension(..), intent(in), target :: in, out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(kallima_bound) :: bound
    integer :: failed
    call bind_arrays(bound, transform, direction, in, out, stat, errmsg)
    failed = 0
    if (present(stat)) failed = stat
    if (failed == 0) call run_bound(bound, stat=stat, errmsg=errmsg)
  end subroutine run_once

  subroutine run_bound(bound, scaling, stat, errmsg)
    type(kallima_bound), intent(in) :: bound
    integer, intent(in), optional :: scaling
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_error) :: error
    integer(c_int) :: code
    if (.not. exists(bound, stat, errmsg)) return
    if (present(scaling)) then
      code = c_run_scaled(bound%its%handle, int(scaling, c_int), error)
    else
      code = c_run(bound%its%handle, error)
    end if
    call settle(code, error, stat, errmsg)
  end subroutine run_bound

  ! What is where.

  subroutine transform_axis(transform, side, axis, first, count, step, stride)
    type(kallima_transform), intent(in) :: transform
    integer, intent(in) :: side, axis
    integer(int64), intent(out) :: first, count
    integer(int64), intent(out), optional :: step, stride
    integer(c_int64_t) :: its_step, its_stride
    integer(c_int) :: code
    if (.not. exists(transform)) return
    code = c_local_axis(transform%its%handle, int(side, c_int), &
                        int(c_axis(transform%its%axes, axis), c_int), first, its_step, count, &
                        its_stride)
    call refuse(code)
    first = first + 1
    if (present(step)) step = its_step
    if (present(stride)) stride = its_stride
  end subroutine transform_axis

  subroutine refuse(code)
    integer(c_int), intent(in) :: code
    type(c_error) :: error
    if (code == 0) return
    call say(error, 'there is no such side or axis, or a rank has several boxes')
    call settle(code, error)
  end subroutine refuse

  ! Extents of this rank's part along each axis, axis 1 first.
  subroutine kallima_local_shape(transform, side, extents)
    type(kallima_transform), intent(in) :: transform
    integer, intent(in) :: side
    integer(int64), intent(out) :: extents(:)
    integer(int64) :: first
    integer :: a
    do a = 1, size(extents)
      call transform_axis(transform, side, a, first, extents(a))
    end do
  end subroutine kallima_local_shape

  ! Axes from fastest to slowest in this side's memory: an array's first axis is order(1).
  subroutine kallima_memory_order(transform, side, order)
    type(kallima_transform), intent(in) :: transform
    integer, intent(in) :: side
    integer, intent(out) :: order(:)
    integer(c_int) :: c_order(32)
    integer :: n
    if (.not. exists(transform)) return
    n = transform%its%axes
    call refuse(c_memory_order(transform%its%handle, int(side, c_int), c_order))
    order(:n) = n - c_order(n:1:-1)
  end subroutine kallima_memory_order

  subroutine transform_size(transform, side, elements)
    type(kallima_transform), intent(in) :: transform
    integer, intent(in) :: side
    integer(int64), intent(out) :: elements
    if (.not. exists(transform)) return
    call refuse(c_allocated_size(transform%its%handle, int(side, c_int), elements))
  end subroutine transform_size

  ! Bytes of this rank's workspace.
  subroutine kallima_workspace_bytes(transform, bytes)
    type(kallima_transform), intent(in) :: transform
    integer(int64), intent(out) :: bytes
    if (.not. exists(transform)) return
    call refuse(c_workspace_bytes(transform%its%handle, bytes))
  end subroutine kallima_workspace_bytes

  subroutine wavenumber_integers(transform, axis, k)
    type(kallima_transform), intent(in) :: transform
    integer, intent(in) :: axis
    integer(int64), allocatable, intent(out) :: k(:)
    real(c_double), allocatable :: component(:)
    call all_wavenumbers(transform, axis, k, component)
  end subroutine wavenumber_integers

  subroutine wavenumber_components(transform, axis, k)
    type(kallima_transform), intent(in) :: transform
    integer, intent(in) :: axis
    real(real64), allocatable, intent(out) :: k(:)
    integer(c_int64_t), allocatable :: integers(:)
    call all_wavenumbers(transform, axis, integers, k)
  end subroutine wavenumber_components

  subroutine all_wavenumbers(transform, axis, k, component)
    type(kallima_transform), intent(in) :: transform
    integer, intent(in) :: axis
    integer(c_int64_t), allocatable, intent(out) :: k(:)
    real(c_double), allocatable, intent(out) :: component(:)
    integer(int64) :: first, count
    if (.not. exists(transform)) return
    call transform_axis(transform, kallima_output, axis, first, count)
    allocate (k(count), component(count))
    call refuse(c_wavenumbers(transform%its%handle, int(c_axis(transform%its%axes, axis), c_int), &
                              k, component))
  end subroutine all_wavenumbers

  ! Text of a side's layout.
  subroutine kallima_layout_text(transform, side, text)
    type(kallima_transform), intent(in) :: transform
    integer, intent(in) :: side
    character(:), allocatable, intent(out) :: text
    call read_text(c_layout_text, transform, int(side, c_int), text)
  end subroutine kallima_layout_text

  ! Text of the plan forward, or of the one backward, in JSON; kallima_options%plan reads it.
  subroutine kallima_plan_text(transform, text, backward)
    type(kallima_transform), intent(in) :: transform
    character(:), allocatable, intent(out) :: text
    logical, intent(in), optional :: backward
    integer(c_int) :: direction
    direction = 0
    if (present(backward)) direction = flag(backward)
    call read_text(c_plan_text, transform, direction, text)
  end subroutine kallima_plan_text

  subroutine read_text(write_text, transform, which, text)
    procedure(text_form) :: write_text
    type(kallima_transform), intent(in) :: transform
    integer(c_int), intent(in) :: which
    character(:), allocatable, intent(out) :: text
    character(c_char), allocatable, target :: letters(:)
    integer(c_size_t) :: needed
    integer :: i
    if (.not. exists(transform)) return
    needed = 1
    call refuse(write_text(transform%its%handle, which, c_null_ptr, 0_c_size_t, needed))
    allocate (letters(needed))
    call refuse(write_text(transform%its%handle, which, c_loc(letters), needed, needed))
    allocate (character(needed - 1) :: text)
    do i = 1, len(text)
      text(i:i) = letters(i)
    end do
  end subroutine read_text

  ! Ghost cells.

  subroutine halo_f08(halo, comm, shape, layout, element_bytes, widths, periodic, stat, errmsg)
    type(kallima_halo), intent(inout) :: halo
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: shape(:)
    character(*), intent(in) :: layout
    integer, intent(in) :: element_bytes
    integer, intent(in), optional :: widths(:, :)
    logical, intent(in), optional :: periodic(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call halo_f(halo, comm%mpi_val, shape, layout, element_bytes, widths, periodic, stat, errmsg)
  end subroutine halo_f08

  ! widths(2, axes): what is filled below and above; all margins where it is not given. periodic:
  ! per axis; all where it is not given.
  subroutine halo_f(halo, comm, shape, layout, element_bytes, widths, periodic, stat, errmsg)
    type(kallima_halo), intent(inout) :: halo
    integer, intent(in) :: comm
    integer, intent(in) :: shape(:)
    character(*), intent(in) :: layout
    integer, intent(in) :: element_bytes
    integer, intent(in), optional :: widths(:, :)
    logical, intent(in), optional :: periodic(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    type(c_text), target :: letters
    integer(c_int64_t), allocatable, target :: c_widths(:)
    integer(c_int), allocatable, target :: c_periodic(:)
    type(c_ptr) :: at_widths, at_periodic
    type(c_error) :: error
    type(shared) :: made
    integer(c_int) :: code
    integer :: a, n
    n = size(shape)
    at_widths = c_null_ptr
    if (present(widths)) then
      allocate (c_widths(2 * n), source=0_c_int64_t)
      do a = 1, min(n, size(widths, 2))
        c_widths(2 * c_axis(n, a) + 1:2 * c_axis(n, a) + 2) = widths(1:2, a)
      end do
      at_widths = c_loc(c_widths)
    end if
    at_periodic = c_null_ptr
    if (present(periodic)) then
      allocate (c_periodic(n), source=1_c_int)
      do a = 1, min(n, size(periodic))
        c_periodic(c_axis(n, a) + 1) = flag(periodic(a))
      end do
      at_periodic = c_loc(c_periodic)
    end if
    text = layout
    made%what = is_halo
    made%axes = n
    made%in_element(1) = int(element_bytes, c_int)
    code = c_create_halo(int(comm, c_int), int(n, c_int), int(shape(n:1:-1), c_int64_t), &
                         pointer_to(text, letters), at_widths, at_periodic, &
                         int(element_bytes, c_int64_t), made%handle, error)
    call hold(halo, code, made)
    call settle(code, error, stat, errmsg)
  end subroutine halo_f

  ! Fills the margins of an array. Collective; agrees on nothing, allocates nothing.
  subroutine kallima_exchange(halo, array, stat, errmsg)
    type(kallima_halo), intent(in) :: halo
    type(*), dimension(..), intent(in), target :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_error) :: error
    integer(c_int) :: code
    if (.not. exists(halo, stat, errmsg)) return
    code = c_exchange(halo%its%handle, array, int(halo%its%in_element(1), c_int64_t), error)
    call settle(code, error, stat, errmsg)
  end subroutine kallima_exchange

  subroutine halo_axis(halo, axis, first, count)
    type(kallima_halo), intent(in) :: halo
    integer, intent(in) :: axis
    integer(int64), intent(out) :: first, count
    integer(c_int64_t) :: stride
    if (.not. exists(halo)) return
    call refuse(c_halo_local_axis(halo%its%handle, int(c_axis(halo%its%axes, axis), c_int), first, &
                                  count, stride))
    first = first + 1
  end subroutine halo_axis

  subroutine halo_size(halo, elements)
    type(kallima_halo), intent(in) :: halo
    integer(int64), intent(out) :: elements
    if (.not. exists(halo)) return
    call refuse(c_halo_allocated_size(halo%its%handle, elements))
  end subroutine halo_size

  ! True where the options of the C interface are as this module declares them.
  logical function kallima_options_bytes()
    type(c_options) :: c
    kallima_options_bytes = c_options_bytes() == c_sizeof(c)
  end function kallima_options_bytes
end module kallima
