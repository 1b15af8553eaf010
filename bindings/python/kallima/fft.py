# SPDX-License-Identifier: BSD-3-Clause
"""Functions on distributed arrays, with the names and arguments of numpy.fft and scipy.fft.

Each takes this rank's part of an array and returns this rank's part of the result, in the same layout. All are
collective. Plans are kept, per communicator, and freed with it.

>>> import numpy as np
>>> import kallima
>>> u = np.ones((4, 6))                      # this rank's rows of an array of 4 * ranks rows
>>> u_k = kallima.fft.rfftn(u)
>>> bool(np.allclose(kallima.fft.irfftn(u_k, s=(4 * kallima.world().size, 6)), u))
True
"""

from __future__ import annotations

import math
import zlib
from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._mpi import handle_of
from .layout import Layout, LayoutLike
from .transform import Transform

__all__ = ["fftn", "ifftn", "rfftn", "irfftn", "dctn", "idctn", "dstn", "idstn", "clear"]

# By number of the communicator: plans by their arguments.
_kept: dict[int, dict[tuple, Transform]] = {}


def fftn(
    a: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None, norm: Optional[str] = None,
    *, comm: Any = None, layout: LayoutLike = "slab",
) -> np.ndarray:
    """Fourier transform of a distributed array. Collective.

    Parameters
    ----------
    a : array
        This rank's part. Real data are transformed as complex.
    s : sequence of int
        Extents of the whole array; needed where ``layout`` is not "slab", which adds up the rows of all ranks.
    axes : sequence of int
        Those that are transformed; default: all.
    norm : {"backward", "ortho", "forward"}
        Which direction is scaled.
    comm, layout
        As for ``kallima.Transform``.

    Returns
    -------
    ndarray
        This rank's part of the result, in the layout of ``a``.
    """
    return _run("forward", a, s, axes, norm, comm, layout, "complex")


def ifftn(
    a: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None, norm: Optional[str] = None,
    *, comm: Any = None, layout: LayoutLike = "slab",
) -> np.ndarray:
    """Inverse of ``fftn``. Collective."""
    return _run("backward", a, s, axes, norm, comm, layout, "complex")


def rfftn(
    a: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None, norm: Optional[str] = None,
    *, comm: Any = None, layout: LayoutLike = "slab",
) -> np.ndarray:
    """Fourier transform of real data: of the last of ``axes``, n // 2 + 1 frequencies are kept. Collective."""
    return _run("forward", a, s, axes, norm, comm, layout, "real")


def irfftn(
    a: Any, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None, norm: Optional[str] = None,
    *, comm: Any = None, layout: LayoutLike = "slab",
) -> np.ndarray:
    """Inverse of ``rfftn``. Collective.

    ``s`` are the extents of the result; without it, its last axis is even, as in numpy.fft.
    """
    return _run("backward", a, s, axes, norm, comm, layout, "real")


def dctn(
    a: Any, type: int = 2, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None, *, comm: Any = None, layout: LayoutLike = "slab",
) -> np.ndarray:
    """Cosine transform of type 1 to 4, as scipy.fft.dctn. Collective.

    With ``norm="ortho"`` it is orthogonal: types 1 to 3 scale the elements at the ends, as scipy.fft does.
    """
    return _trigonometric("forward", a, "cosine", type, s, axes, norm, comm, layout)


def idctn(
    a: Any, type: int = 2, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None, *, comm: Any = None, layout: LayoutLike = "slab",
) -> np.ndarray:
    """Inverse of ``dctn`` of this type. Collective."""
    return _trigonometric("backward", a, "cosine", type, s, axes, norm, comm, layout)


def dstn(
    a: Any, type: int = 2, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None, *, comm: Any = None, layout: LayoutLike = "slab",
) -> np.ndarray:
    """Sine transform of type 1 to 4, as scipy.fft.dstn. Collective."""
    return _trigonometric("forward", a, "sine", type, s, axes, norm, comm, layout)


def idstn(
    a: Any, type: int = 2, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None,
    norm: Optional[str] = None, *, comm: Any = None, layout: LayoutLike = "slab",
) -> np.ndarray:
    """Inverse of ``dstn`` of this type. Collective."""
    return _trigonometric("backward", a, "sine", type, s, axes, norm, comm, layout)


def clear(comm: Any = None) -> None:
    """Free the plans that are kept for a communicator. Local; all ranks call it, or none."""
    _kept.pop(_core.freed_number(handle_of(comm)), None)


def _plans_of(handle: int) -> dict[tuple, Transform]:
    """Those of a communicator, which go when it is freed."""
    number = _core.freed_number(handle)
    if number == 0:
        holder: list[int] = []
        number = _core.call_when_freed(handle, lambda: _kept.pop(holder[0], None))
        holder.append(number)
    return _kept.setdefault(number, {})


def _planned(
    handle: int, direction: str, array: np.ndarray, s: Optional[Sequence[int]], axes: Optional[Sequence[int]],
    layout: LayoutLike, dtype: np.dtype, kinds: Any,
) -> Transform:
    """The kept plan of these arguments. Collective: two reductions, so that all ranks plan or none does."""
    wrong = ""
    shape: list[int] = []
    rows = array.shape[0] if array.ndim else 0
    real = kinds is None and dtype.kind == "f"
    if s is not None:
        shape = [int(n) for n in s]
        if len(shape) != array.ndim:
            wrong = f"s has {len(shape)} extents, and the array {array.ndim} axes; s is the shape of the whole array"
    elif layout != "slab":
        wrong = "s is missing: give the shape of the whole array where the layout is not 'slab'"
    else:
        shape = list(array.shape)
        if real and direction == "backward" and shape:
            last = (list(axes)[-1] if axes is not None else -1) % len(shape)
            shape[last] = 2 * (shape[last] - 1)
    key_axes = None if axes is None else tuple(int(axis) for axis in axes)
    layout_key = layout.text if isinstance(layout, Layout) else layout if isinstance(layout, (str, type(None))) else repr(layout)
    spoken = (tuple(shape[1:]), s is None, key_axes, layout_key if not isinstance(layout, (tuple, list)) else "", dtype.str,
              repr(kinds))
    checksum = zlib.crc32(repr(spoken).encode())
    (all_rows, _, _, sum_wrong), (_, least, most, _) = _core.combined(handle, [rows, checksum, -checksum, bool(wrong)])
    if sum_wrong:
        raise _core.InvalidOption(wrong or "s does not fit the array on another rank; it is the shape of the whole array")
    if least != -most:
        raise _core.MismatchedArguments(
            "ranks call kallima.fft with other axes, types, layouts or extents behind the first; make them alike"
        )
    if s is None and shape:
        shape[0] = all_rows
        if real and direction == "backward" and len(shape) == 1:
            shape[0] = 2 * (all_rows - 1)
    plans = _plans_of(handle)
    key = (tuple(shape), key_axes, layout_key, dtype.str, repr(kinds))
    if key not in plans:
        plans[key] = Transform(handle, shape, dtype, kinds=kinds, axes=axes, layout=layout, out="same")
    return plans[key]


def _run(
    direction: str, a: Any, s: Optional[Sequence[int]], axes: Optional[Sequence[int]], norm: Optional[str], comm: Any,
    layout: LayoutLike, kind: str,
) -> np.ndarray:
    array = np.asarray(a)
    single = array.dtype in (np.float32, np.complex64, np.float16)
    complex_type, real_type = (np.complex64, np.float32) if single else (np.complex128, np.float64)
    dtype = np.dtype(real_type if kind == "real" else complex_type)
    plan = _planned(handle_of(comm), direction, array, s, axes, layout, dtype, None)
    given = real_type if kind == "real" and direction == "forward" else complex_type
    return _through(plan, direction, array, given, norm)


def _through(plan: Transform, direction: str, array: np.ndarray, dtype: Any, norm: Optional[str]) -> np.ndarray:
    source = _converted(array, dtype, plan.layout_in if direction == "forward" else plan.layout_out)
    return getattr(plan, direction)(source, norm=norm or "backward")


def _converted(array: np.ndarray, dtype: Any, layout: Layout) -> np.ndarray:
    """The array, or where its type or order differs, a copy, as numpy.fft makes one."""
    if array.shape != layout.local_shape:
        return array  # binding says so on all ranks
    return layout.arranged(array.astype(dtype, copy=False))


def _trigonometric(
    direction: str, a: Any, name: str, type: int, s: Optional[Sequence[int]], axes: Optional[Sequence[int]],
    norm: Optional[str], comm: Any, layout: LayoutLike,
) -> np.ndarray:
    array = np.asarray(a)
    if array.dtype.kind == "c":
        parts = [
            _trigonometric(direction, part, name, type, s, axes, norm, comm, layout) for part in (array.real, array.imag)
        ]
        return parts[0] + 1j * parts[1]
    dtype = np.dtype(np.float32 if array.dtype in (np.float32, np.float16) else np.float64)
    plan = _planned(handle_of(comm), direction, array, s, axes, layout, dtype, f"{name}-{type}")
    source = _converted(array, dtype, plan.layout_in)
    if norm == "ortho":
        # What comes out of the inverse of type 2 is what goes into type 3, and the other way round.
        kind = {2: 3, 3: 2}.get(type, type) if direction == "backward" else type
        before, after = _ends(name, kind)
        transformed = range(array.ndim) if axes is None else [axis % array.ndim for axis in axes]
        if before:
            source = source.copy()
        _scale(source, plan.layout_in, before, transformed, math.sqrt(2.0))
        result = getattr(plan, direction)(source, norm="ortho")
        _scale(result, plan.layout_out, after, transformed, 1.0 / math.sqrt(2.0))
        return result
    return getattr(plan, direction)(source, norm=norm or "backward")


def _ends(name: str, kind: int) -> tuple[list[int], list[int]]:
    """Elements along an axis that are multiplied by sqrt 2 before and divided by it behind, to be orthogonal."""
    ends: dict[tuple[str, int], tuple[list[int], list[int]]] = {
        ("cosine", 1): ([0, -1], [0, -1]), ("cosine", 2): ([], [0]), ("cosine", 3): ([0], []),
        ("sine", 2): ([], [-1]), ("sine", 3): ([-1], []),
    }
    return ends.get((name, kind), ([], []))


def _scale(array: np.ndarray, layout: Layout, ends: list[int], axes: Any, factor: float) -> None:
    for axis in axes:
        held = layout.local_indices()[axis]
        for end in ends:
            index = end % layout.shape[axis]
            if index in held and array.size:
                array[(slice(None),) * axis + (held.index(index),)] *= factor
