# SPDX-License-Identifier: BSD-3-Clause
"""kallima.fft and DistArray against NumPy on the whole array."""

import numpy as np
import pytest

import kallima
from reference import matrix

COMM = kallima.world()
RANKS, RANK = COMM.size, COMM.rank
SHAPE = (11, 8, 6)


def whole(dtype=float, seed=3):
    random = np.random.default_rng(seed)
    made = random.standard_normal(SHAPE)
    return (made + 1j * random.standard_normal(SHAPE)).astype(dtype) if np.dtype(dtype).kind == "c" else made.astype(dtype)


def mine(array):
    return np.ascontiguousarray(array[kallima.Layout.slab(array.shape, RANKS, 0, RANK).local_slice])


@pytest.mark.parametrize("dtype", ["complex128", "complex64", "float64"])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_fftn(dtype, norm):
    u = whole(dtype)
    close = {"rtol": 0, "atol": 1e-3 if dtype == "complex64" else 1e-11}
    assert np.allclose(kallima.fft.fftn(mine(u), norm=norm), mine(np.fft.fftn(u, norm=norm)), **close)
    assert np.allclose(kallima.fft.ifftn(mine(u), norm=norm), mine(np.fft.ifftn(u, norm=norm)), **close)
    assert np.allclose(kallima.fft.fftn(mine(u), axes=(0, 2)), mine(np.fft.fftn(u, axes=(0, 2))), **close)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_rfftn(norm):
    u = whole()
    u_k = kallima.fft.rfftn(mine(u), norm=norm)
    assert np.allclose(u_k, mine(np.fft.rfftn(u, norm=norm)))
    assert np.allclose(kallima.fft.irfftn(u_k, norm=norm), mine(u))
    odd = u[..., :5]
    assert np.allclose(kallima.fft.irfftn(kallima.fft.rfftn(mine(odd)), s=odd.shape), mine(odd))
    assert np.allclose(kallima.fft.rfftn(mine(u), axes=(2, 0)), mine(np.fft.rfftn(u, axes=(2, 0))))


@pytest.mark.parametrize("name", ["cosine", "sine"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_trigonometric(name, kind):
    u = whole()
    forward, backward = (kallima.fft.dctn, kallima.fft.idctn) if name == "cosine" else (kallima.fft.dstn, kallima.fft.idstn)
    expected = u
    for axis, n in enumerate(SHAPE):
        expected = np.moveaxis(np.tensordot(matrix(f"{name}-{kind}", n), expected, (1, axis)), 0, axis)
    assert np.allclose(forward(mine(u), kind), mine(expected))
    assert np.allclose(backward(mine(expected), kind), mine(u))
    ortho = forward(mine(u), kind, norm="ortho")
    # Orthogonal: lengths stay, and the inverse is what it should be.
    assert np.isclose(COMM.sum((ortho**2).sum()), COMM.sum((mine(u) ** 2).sum()))
    assert np.allclose(backward(ortho, kind, norm="ortho"), mine(u))
    both = mine(u) + 2j * mine(u)
    assert np.allclose(forward(both, kind), mine(expected) * (1 + 2j))


def test_other_layouts():
    u = whole(complex)
    layout = kallima.Layout.pencil(SHAPE, RANKS, 0, RANK)
    part = np.ascontiguousarray(u[layout.local_slice])
    assert np.allclose(kallima.fft.fftn(part, SHAPE, layout=layout), np.fft.fftn(u)[layout.local_slice])


def test_plans_are_kept_and_freed():
    kallima.fft.clear(COMM)
    number = kallima._core.freed_number(COMM.py2f())
    kallima.fft.fftn(mine(whole(complex)))
    kallima.fft.fftn(mine(whole(complex)))
    kept = kallima.fft._kept
    assert sum(len(plans) for plans in kept.values()) == 1
    kallima.fft.clear(COMM)
    assert not any(kept.get(key) for key in kept) and number >= 0


def test_one_rank_calls_otherwise():
    if RANKS == 1:
        return
    with pytest.raises(kallima.MismatchedArguments):
        kallima.fft.fftn(mine(whole(complex)), axes=(0,) if RANK == 0 else (1,))
    with pytest.raises(kallima.InvalidOption):
        kallima.fft.fftn(mine(whole(complex)), SHAPE if RANK else SHAPE[1:])


def test_distarray():
    u = kallima.DistArray.from_global(COMM, whole())
    assert np.array_equal(u, mine(whole())) and u.global_shape == SHAPE
    assert u.get((3, 2, 1)) == whole()[3, 2, 1]
    assert (u + 1).layout == u.layout and (u[:1] if u.shape[0] > 1 else u[..., :1]).layout is None
    columns = u.redistribute(kallima.Layout.slab(SHAPE, min(RANKS, 6), 2))
    assert np.array_equal(columns, whole()[columns.local_slice])
    gathered = u.gather()
    assert (gathered is None) == (RANK != 0)
    if gathered is not None:
        assert np.array_equal(gathered, whole())
    part = u.local(slice(2, 5), 0)
    first = u.local_slice[0]
    rows = [i for i in range(2, 5) if first.start <= i < first.stop]
    assert np.array_equal(part[:, 0], whole()[rows, 0])


def test_files(tmp_path_factory):
    pytest.importorskip("h5py")
    folder = f"/tmp/kallima_python_{kallima._core.broadcast(COMM.py2f(), str(tmp_path_factory.getbasetemp().name).encode().ljust(40)[:40], 0).decode().strip()}.{RANKS}.h5"
    u = kallima.DistArray.from_global(COMM, whole())
    u.write(folder, "u")
    u.write(folder, "u")  # again, in its place
    again = kallima.DistArray.read(COMM, folder, "u", kallima.Layout.slab(SHAPE, min(RANKS, 8), 1))
    assert np.array_equal(again, whole()[again.local_slice])
    with pytest.raises(kallima.FileError, match="no dataset 'v'"):
        kallima.DistArray.read(COMM, folder, "v")
    COMM.barrier()
    if RANK == 0:
        import os

        os.remove(folder)
