# SPDX-License-Identifier: BSD-3-Clause
"""Names of serial transforms, for the argument ``transforms`` of PFFT. They say what is wanted; plans do it."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from .. import _core
from ..layout import aligned as _aligned

__all__ = ["fftn", "ifftn", "rfftn", "irfftn", "dctn", "idctn", "dstn", "idstn", "aligned", "aligned_like", "get_fftw_lib"]


def _only_named(*_: Any, **__: Any) -> Any:
    raise _core.InvalidOption("this names a transform, to be given to PFFT(transforms=...); kallima.fft has functions")


def fftn(*args: Any, **options: Any) -> Any:
    """Complex to complex."""
    return _only_named()


def ifftn(*args: Any, **options: Any) -> Any:
    """Its inverse."""
    return _only_named()


def rfftn(*args: Any, **options: Any) -> Any:
    """Real to complex."""
    return _only_named()


def irfftn(*args: Any, **options: Any) -> Any:
    """Its inverse."""
    return _only_named()


def dctn(*args: Any, type: int = 2, **options: Any) -> Any:
    """Cosine transform; ``functools.partial(dctn, type=3)`` is one of type 3."""
    return _only_named()


def idctn(*args: Any, type: int = 2, **options: Any) -> Any:
    """Its inverse."""
    return _only_named()


def dstn(*args: Any, type: int = 2, **options: Any) -> Any:
    """Sine transform."""
    return _only_named()


def idstn(*args: Any, type: int = 2, **options: Any) -> Any:
    """Its inverse."""
    return _only_named()


def kinds_of(transform: Any, axes: tuple[int, ...]) -> dict[int, str]:
    """What a serial transform does along its axes: the last one differs where real data go in."""
    kind = 2
    if isinstance(transform, partial):
        kind = int(transform.keywords.get("type", 2))
        transform = transform.func
    name = getattr(transform, "__name__", "")
    if name in ("dctn", "dstn"):
        return {axis: f"{'cosine' if name == 'dctn' else 'sine'}-{kind}" for axis in axes}
    if name == "rfftn":
        return {**{axis: "fourier" for axis in axes}, axes[-1]: "real"}
    if name == "fftn":
        return {axis: "fourier" for axis in axes}
    raise _core.InvalidOption(f"transforms can be fftn, rfftn, dctn and dstn of kallima.mpi4py_fft.fftw, not {transform!r}")


def aligned(shape: Any, n: int = 64, dtype: Any = np.double, fill: Any = None) -> np.ndarray:
    """An array whose memory begins at a cache line."""
    dtype = np.dtype(dtype)
    extents = [int(extent) for extent in ([shape] if isinstance(shape, (int, np.integer)) else shape)]
    made = _aligned(math.prod(extents) * dtype.itemsize).view(dtype).reshape(extents)
    if fill is not None:
        made.fill(fill)
    return made


def aligned_like(like: np.ndarray, fill: Any = None) -> np.ndarray:
    """The same, of another array's shape and type."""
    return aligned(like.shape, dtype=like.dtype, fill=fill)


def get_fftw_lib(dtype: Any) -> Any:
    """What computes in this precision, or None: there is no long double."""
    return _core if np.dtype(dtype).char.lower() in "fd" else None
