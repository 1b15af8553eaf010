# SPDX-License-Identifier: BSD-3-Clause
"""The interface of mpi4py-fft, against numpy.fft of the whole array."""

import functools

import numpy as np
import pytest

import kallima

MPI = pytest.importorskip("mpi4py.MPI") if kallima._mpi.MPI_FAMILY == "Open MPI" else None
if MPI is None:
    pytest.skip("Debian's mpi4py is of Open MPI", allow_module_level=True)

from kallima.mpi4py_fft import PFFT, DistArray, Subcomm, fftw, newDistArray  # noqa: E402

COMM = MPI.COMM_WORLD


def whole_of(part, where, shape):
    """The whole array on all ranks."""
    mine = np.zeros(shape, part.dtype)
    mine[where] = part
    result = np.zeros_like(mine)
    COMM.Allreduce(mine, result)
    return result


@pytest.mark.parametrize("dtype", ["d", "f", "D"])
@pytest.mark.parametrize("axes", [None, (0, 2, 1), ((0,), (1, 2)), (1,)])
@pytest.mark.parametrize("collapse", [True, False])
@pytest.mark.parametrize("grid", [None, "slab"])
def test_is_numpys(dtype, axes, collapse, grid):
    shape = (8, 9, 10)
    last = 2 if axes is None else axes[-1] if isinstance(axes[-1], int) else axes[-1][-1]
    if grid == "slab":
        grid = [1] * ((last + 1) % 3) + [0]
    fft = PFFT(COMM, shape, axes=axes, dtype=dtype, collapse=collapse, grid=grid)
    flat = [0, 1, 2] if axes is None else [a for group in axes for a in ((group,) if isinstance(group, int) else group)]
    random = np.random.default_rng(1)
    whole = random.standard_normal(shape).astype(dtype)
    u = newDistArray(fft, False)
    assert u.shape == fft.forward.input_array.shape and u.dtype == np.dtype(dtype)
    u[...] = whole[fft.local_slice(False)]
    u_hat = fft.forward(u, newDistArray(fft))
    numpys = np.fft.fftn if dtype == "D" else np.fft.rfftn
    expected = numpys(whole, axes=flat, norm="forward")
    assert fft.global_shape(True) == expected.shape
    close = {"rtol": 0, "atol": 1e-5 if dtype == "f" else 1e-13}
    assert np.allclose(u_hat, expected[fft.local_slice()], **close)
    assert np.allclose(fft.backward(u_hat, np.zeros_like(u)), u, **{**close, "atol": close["atol"] * 50})
    # Without arguments, each direction works on the other's arrays.
    fft.forward.input_array[...] = u
    fft.forward()
    fft.backward()
    assert np.allclose(fft.backward.output_array, u, **{**close, "atol": close["atol"] * 50})
    unscaled = fft.forward(u, normalize=False)
    assert np.allclose(unscaled, numpys(whole, axes=flat)[fft.local_slice()], **{**close, "atol": close["atol"] * 1e3})
    fft.destroy()


def test_padding_keeps_what_is_not_aliased():
    shape = (8, 9, 10)
    fft = PFFT(COMM, shape, padding=[1.5, 1.5, 1.5], dtype=complex)
    plain = PFFT(COMM, shape, dtype=complex)
    random = np.random.default_rng(2)
    u_hat = plain.forward(random.standard_normal(plain.shape(False)) + 0j).copy()
    assert fft.global_shape(True) == shape and fft.global_shape(False) == (12, 13, 15)
    padded = fft.backward(u_hat)
    assert np.allclose(fft.forward(padded), u_hat)
    # A product of what fits twice is that of the functions, without aliases.
    whole = np.zeros(shape, complex)
    whole[1, 0, 0] = 1.0
    once = fft.backward(whole[fft.local_slice()])
    square = fft.forward(once * once)
    expected = np.zeros(shape, complex)
    expected[2, 0, 0] = 1.0
    assert np.allclose(square, expected[fft.local_slice()])


def test_cosines_and_sines():
    shape = (5, 6, 7, 8, 9)
    dct = functools.partial(fftw.dctn, type=3)
    idct = functools.partial(fftw.idctn, type=3)
    dst = functools.partial(fftw.dstn, type=3)
    idst = functools.partial(fftw.idstn, type=3)
    fft = PFFT(COMM, shape, axes=((0,), (1, 2), (3, 4)), grid=(-1,), transforms={(1, 2): (dct, idct), (3, 4): (dst, idst)})
    u = newDistArray(fft, False)
    u[:] = np.random.default_rng(COMM.rank).standard_normal(u.shape)
    assert np.allclose(fft.backward(fft.forward(u)), u)


def test_distarray_turns():
    z = DistArray((6, 7, 8), dtype=int, alignment=0)
    whole = np.arange(336).reshape(6, 7, 8)
    z[:] = whole[z.local_slice()]
    turned = z.redistribute(2)
    assert np.array_equal(turned, whole[turned.local_slice()]) and turned.alignment == 2
    back = turned.redistribute(out=z)
    assert back is z and np.array_equal(z, whole[z.local_slice()])
    line = z.get((3, slice(None), 2))
    assert (line is None) == (COMM.rank != 0)
    if line is not None:
        assert np.array_equal(line, whole[3, :, 2])
    tensor = DistArray((3, 6, 7, 8), rank=1, val=2.0)
    assert tensor[0].rank == 0 and tensor.global_shape == (3, 6, 7, 8)
    assert np.array_equal(tensor.redistribute(0), np.full(tensor.redistribute(0).shape, 2.0))


def test_subcomm_of_a_grid():
    grid = COMM.Create_cart(MPI.Compute_dims(COMM.size, [0, 0]))
    sizes = [along.Get_size() for along in Subcomm(grid)]
    assert sizes == list(grid.dims)
    grid.Free()


def test_communicators_of_mpi4py():
    half = COMM.Split(COMM.rank % 2)
    plan = kallima.Transform(half, (8, 6), complex)
    u = plan.empty_input()
    u[...] = 1.0
    assert np.allclose(plan.backward(plan.forward(u)), u)
    kallima.fft.fftn(np.ones((2, 4)), comm=half)
    kept = len(kallima.fft._kept)
    del plan
    half.Free()
    assert len(kallima.fft._kept) == kept - 1
