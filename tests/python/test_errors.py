# SPDX-License-Identifier: BSD-3-Clause
"""Wrong arguments are the same exception with the same text on all ranks."""

import zlib

import numpy as np
import pytest

import kallima

COMM = kallima.world()
LAST = COMM.size - 1


def same_everywhere(raised) -> None:
    checksum = zlib.crc32(f"{type(raised.value).__name__}: {raised.value}".encode())
    total, least = kallima._core.combined(COMM.py2f(), [checksum, -checksum])
    assert least[0] == -least[1] == checksum, str(raised.value)


WRONG = {
    "shape": (kallima.InvalidShape, lambda: kallima.Transform(COMM, (0, 4), complex)),
    "shape_of_one": (kallima.Error, lambda: kallima.Transform(COMM, (8, 8 + (COMM.rank == LAST and LAST > 0)), complex)),
    "dtype": (kallima.InvalidOption, lambda: kallima.Transform(COMM, (8, 8), int)),
    "dtype_of_one": (kallima.Error, lambda: kallima.Transform(COMM, (8, 8), int if COMM.rank == LAST else complex)),
    "dtypes": (kallima.Error, lambda: kallima.Transform(COMM, (8, 8), "f4" if COMM.rank == LAST and LAST else int)),
    "option": (kallima.InvalidOption, lambda: kallima.Transform(COMM, (8, 8), complex, thread=2)),
    "option_of_one": (
        kallima.Error, lambda: kallima.Transform(COMM, (8, 8), complex, threads="two" if COMM.rank == LAST else 2)
    ),
    "norm": (kallima.InvalidOption, lambda: kallima.Transform(COMM, (8, 8), complex, norm="unit")),
    "kinds": (kallima.InvalidOption, lambda: kallima.Transform(COMM, (8, 8), complex, kinds=["fourier", "cosine"])),
    "kinds_count": (kallima.InvalidOption, lambda: kallima.Transform(COMM, (8, 8), complex, kinds=["fourier"])),
    "axis": (kallima.InvalidOption, lambda: kallima.Transform(COMM, (8, 8), complex, axes=[2])),
    "layout": (kallima.Error, lambda: kallima.Transform(COMM, (8, 8), complex, layout="y:blocks/2 x:all")),
    "layout_of_more": (
        kallima.Error, lambda: kallima.Transform(COMM, (64, 64), complex, layout=f"y:block/{COMM.size + 1} x:all")
    ),
    "boxes": (
        kallima.Error, lambda: kallima.Transform(COMM, (8, 8), complex, layout=(slice(0, 7), slice(0, 8)), out="any")
    ),
    "machine": (kallima.FileError, lambda: kallima.Transform(COMM, (8, 8), complex, machine="nowhere")),
    "effort": (kallima.InvalidOption, lambda: kallima.Transform(COMM, (8, 8), complex, effort="more")),
    "type": (kallima.Error, lambda: kallima.Transform(COMM, 8, complex)),
    "redistribute": (kallima.InvalidOption, lambda: kallima.Redistribute(COMM, (8, 8), "slab", "any", object)),
    "halo": (kallima.Error, lambda: kallima.Halo(COMM, kallima.Layout("x:all", (8,)), widths=[(1, 1)])),
}


@pytest.mark.parametrize("which", sorted(WRONG))
def test_arguments(which):
    expected, call = WRONG[which]
    if which == "shape_of_one" and COMM.size == 1:
        pytest.skip("one rank agrees with itself")
    with pytest.raises(expected) as raised:
        call()
    same_everywhere(raised)


def wrong_arrays(plan):
    """What does not do, on the last rank alone."""
    good = np.zeros_like(plan.empty_input())
    shape = good.shape
    yield "type", good.astype(np.complex64)
    yield "shape", np.zeros((shape[0] + 1, *shape[1:]), complex)
    yield "strides", np.zeros(shape[::-1], complex).T
    yield "gaps", np.zeros((*shape[:-1], 2 * shape[-1]), complex)[..., ::2]
    yield "nothing", None
    yield "list", [1.0, 2.0]


@pytest.mark.parametrize("number", range(6))
def test_arrays(number):
    plan = kallima.Transform(COMM, (8, 6, 4), complex)
    name, wrong = list(wrong_arrays(plan))[number]
    if name in ("gaps", "strides") and plan.empty_input().size == 0:
        wrong = None
    given = wrong if COMM.rank == LAST else plan.empty_input()
    with pytest.raises(kallima.InvalidBuffer) as raised:
        plan.forward(given)
    same_everywhere(raised)
    assert f"rank {LAST}" in str(raised.value)
    u = plan.empty_input()
    u[...] = 1.0
    assert np.allclose(plan.backward(plan.forward(u)), u)


def test_read_only_output():
    plan = kallima.Transform(COMM, (8, 6), complex)
    out = plan.empty_output()
    out.flags.writeable = False
    with pytest.raises(kallima.InvalidBuffer) as raised:
        plan.forward(plan.empty_input(), out)
    same_everywhere(raised)


def test_every_class_of_c_is_one_of_python():
    assert issubclass(kallima.InvalidLayout, kallima.Error)
    codes = {getattr(kallima, name).code for name in kallima.__all__ if name[0].isupper()
             and isinstance(getattr(kallima, name), type) and issubclass(getattr(kallima, name), kallima.Error)}
    assert len(codes) >= 17


def test_communicators():
    with pytest.raises(kallima.InvalidOption, match="no communicator"):
        kallima.Transform("world", (8, 8), complex)
    assert kallima.Transform(COMM.py2f(), (8, 8), complex).shape == (8, 8)
