! SPDX-License-Identifier: BSD-3-Clause
!
! Incompressible turbulence in a periodic box, pseudo-spectrally:
!
!     du/dt = P(u x curl u) + nu laplace(u),    div u = 0
!
! with products in space, derivatives and the projection P in frequencies, the 2/3 rule against
! aliasing, and Heun's method with viscosity exactly. The three components are one transform, so they
! share messages.
!
! It starts from an ABC flow in a wind. The curl of an ABC flow is itself, so it decays by exp(-nu t)
! while the wind carries it away: what is left in the end is known.
!
!     mpirun -n 4 example_turbulence [N [STEPS]]
program turbulence
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use kallima
  implicit none
  integer, parameter :: dp = real64
  real(dp), parameter :: viscosity = 0.05_dp, dt = 0.02_dp, wind(3) = [1._dp, 0.5_dp, -0.25_dp]
  complex(dp), parameter :: im = (0._dp, 1._dp)
  type(kallima_transform) :: fft
  type(kallima_bound) :: velocity_to_space, curl_to_space, product_to_frequencies
  type(kallima_options) :: options
  real(dp), allocatable, target :: u(:, :, :, :), w(:, :, :, :)                 ! in space
  complex(dp), allocatable, target :: u_k(:, :, :, :), w_k(:, :, :, :), n_k(:, :, :, :)
  complex(dp), allocatable :: start(:, :, :, :), slope(:, :, :, :), second(:, :, :, :)
  real(dp), allocatable :: kx(:), ky(:), kz(:)
  integer(int64) :: first, m(4)
  integer :: n, steps, step, rank, ranks
  real(dp) :: error
  character(16) :: word

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  n = 32
  steps = 50
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) n
  end if
  if (command_argument_count() > 1) then
    call get_command_argument(2, word)
    read (word, *) steps
  end if

  ! Slabs of z; x is halved in frequencies; the fourth axis counts the components.
  write (word, '(i0)') ranks
  options%kind = kallima_r2c
  options%axes = [kallima_real, kallima_fourier, kallima_fourier, kallima_batch]
  options%in_layout = 'w:all z:block/' // trim(word) // ' y:all x:all'
  options%out_layout = 'w:all z:all y:block/' // trim(word) // ' x:all'
  call kallima_create(fft, MPI_COMM_WORLD, [n, n, n, 3], options)
  call kallima_local_shape(fft, kallima_input, m)
  allocate (u(m(1), m(2), m(3), m(4)), w(m(1), m(2), m(3), m(4)))
  call kallima_local_shape(fft, kallima_output, m)
  allocate (u_k(m(1), m(2), m(3), m(4)), w_k(m(1), m(2), m(3), m(4)), n_k(m(1), m(2), m(3), m(4)))
  allocate (start, slope, second, mold=u_k)
  call kallima_wavenumbers(fft, 1, kx)
  call kallima_wavenumbers(fft, 2, ky)
  call kallima_wavenumbers(fft, 3, kz)
  call kallima_bind_backward(velocity_to_space, fft, u_k, u)
  call kallima_bind_backward(curl_to_space, fft, w_k, w)
  call kallima_bind_forward(product_to_frequencies, fft, u, n_k)

  call kallima_local_axis(fft, kallima_input, 3, first, m(3))
  call exact(u, 0._dp)
  call kallima_forward(fft, u, u_k)
  u_k = u_k / real(n, dp)**3                       ! u_k are amplitudes from here on

  do step = 1, steps
    call nonlinear(slope)
    start = u_k
    call advance(start, slope, dt)
    call nonlinear(second)                         ! of the first guess
    call advance(start, slope, dt / 2)
    u_k = u_k + dt / 2 * second
  end do

  call kallima_run(velocity_to_space, kallima_scale_none)
  call exact(w, steps * dt)
  error = maxval([0._dp, maxval(abs(u - w))])
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(2(a, i0), a, es9.2)', 'turbulence: ', n, '^3, ', steps, &
    ' steps, largest error of the velocity ', error
  call MPI_Finalize()
  if (error > 2e-4_dp) error stop 'the flow is wrong'

contains

  ! Frequencies of P(u x curl u), without those that alias. Overwrites u, w, w_k and n_k.
  subroutine nonlinear(result)
    complex(dp), intent(inout) :: result(:, :, :, :)
    complex(dp) :: a(3)
    real(dp) :: kk(3), b(3), c(3), most
    integer :: i, j, k
    !$omp parallel do private(a, kk, i, j)
    do k = 1, size(w_k, 3)
      do j = 1, size(w_k, 2)
        do i = 1, size(w_k, 1)
          kk = [kx(i), ky(j), kz(k)]
          a = u_k(i, j, k, :)
          w_k(i, j, k, :) = im * cross(cmplx(kk, kind=dp), a)
        end do
      end do
    end do
    ! Scaled by 1/N on the way back; amplitudes want none.
    call kallima_run(curl_to_space, kallima_scale_none)
    call kallima_run(velocity_to_space, kallima_scale_none)
    !$omp parallel do private(b, c, i, j)
    do k = 1, size(u, 3)
      do j = 1, size(u, 2)
        do i = 1, size(u, 1)
          b = u(i, j, k, :)
          c = w(i, j, k, :)
          u(i, j, k, :) = [b(2) * c(3) - b(3) * c(2), b(3) * c(1) - b(1) * c(3), &
                           b(1) * c(2) - b(2) * c(1)]
        end do
      end do
    end do
    call kallima_run(product_to_frequencies)
    most = n / 3._dp
    !$omp parallel do private(a, kk, i, j)
    do k = 1, size(n_k, 3)
      do j = 1, size(n_k, 2)
        do i = 1, size(n_k, 1)
          kk = [kx(i), ky(j), kz(k)]
          if (any(abs(kk) >= most) .or. all(abs(kk) < 0.5_dp)) then
            result(i, j, k, :) = 0
          else
            a = n_k(i, j, k, :) / real(n, dp)**3
            result(i, j, k, :) = a - kk * sum(kk * a) / sum(kk**2)
          end if
        end do
      end do
    end do
  end subroutine nonlinear

  ! u_k = what it was at the start of the step and the slope over some time, after viscosity over
  ! all of the step.
  subroutine advance(from, slope, over)
    complex(dp), intent(in) :: from(:, :, :, :), slope(:, :, :, :)
    real(dp), intent(in) :: over
    integer :: i, j, k
    !$omp parallel do private(i, j)
    do k = 1, size(u_k, 3)
      do j = 1, size(u_k, 2)
        do i = 1, size(u_k, 1)
          u_k(i, j, k, :) = (from(i, j, k, :) + over * slope(i, j, k, :)) * &
                            exp(-viscosity * dt * (kx(i)**2 + ky(j)**2 + kz(k)**2))
        end do
      end do
    end do
  end subroutine advance

  pure function cross(a, b) result(c)
    complex(dp), intent(in) :: a(3), b(3)
    complex(dp) :: c(3)
    c = [a(2) * b(3) - a(3) * b(2), a(3) * b(1) - a(1) * b(3), a(1) * b(2) - a(2) * b(1)]
  end function cross

  ! The flow at a time.
  subroutine exact(u, time)
    real(dp), intent(out) :: u(:, :, :, :)
    real(dp), intent(in) :: time
    real(dp) :: x, y, z, h, decay
    integer :: i, j, k
    h = 8 * atan(1._dp) / n
    decay = exp(-viscosity * time)
    do k = 1, size(u, 3)
      z = h * (first + k - 2) - wind(3) * time
      do j = 1, n
        y = h * (j - 1) - wind(2) * time
        do i = 1, n
          x = h * (i - 1) - wind(1) * time
          u(i, j, k, :) = wind + decay * [sin(z) + cos(y), sin(x) + cos(z), sin(y) + cos(x)]
        end do
      end do
    end do
  end subroutine exact
end program turbulence
