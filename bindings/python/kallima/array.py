# SPDX-License-Identifier: BSD-3-Clause
"""An array of NumPy that knows which part of a distributed one it is."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._mpi import handle_of
from .layout import Layout, LayoutLike, layout_of
from .transform import Redistribute


class DistArray(np.ndarray):
    """This rank's part of a distributed array: an ndarray with a layout.

    Results of ufuncs keep the layout where they keep the shape.

    Parameters
    ----------
    comm : communicator
        As for ``kallima.Transform``.
    shape : sequence of int
        Extents of the whole array.
    dtype : dtype
        Of elements.
    layout : str, Layout, or slices
        As for ``kallima.Transform``.

    Examples
    --------
    >>> import kallima
    >>> u = kallima.DistArray(None, (8, 6))
    >>> u[...] = kallima.world().rank
    >>> float(u.get((0, 0)))
    0.0
    """

    layout: Optional[Layout]
    comm: Any

    def __new__(cls, comm: Any, shape: Sequence[int], dtype: Any = float, layout: LayoutLike = "slab") -> DistArray:
        handle = handle_of(comm)
        rank = _core.comm_rank(handle)
        extents = [int(n) for n in shape]
        core = layout_of("slab" if layout in (None, "any") else layout, extents, _core.comm_size(handle), False)
        if isinstance(core, dict):
            raise _core.InvalidLayout("a DistArray takes a layout or its text")
        if isinstance(core, str):
            core = _core.Layout.parse(core, extents)
        return cls._of(handle, Layout._of(core, rank), dtype)

    @classmethod
    def _of(cls, comm: Any, layout: Layout, dtype: Any) -> DistArray:
        plain = layout.empty(dtype)
        plain[...] = np.zeros((), dtype)
        made = plain.view(cls)
        made.layout = layout
        made.comm = comm
        return made

    def __array_finalize__(self, source: Any) -> None:
        self.layout = None
        self.comm = getattr(source, "comm", None)
        layout = getattr(source, "layout", None)
        if layout is not None and self.shape == layout.local_shape:
            self.layout = layout

    @classmethod
    def from_global(cls, comm: Any, whole: Any, layout: LayoutLike = "slab") -> DistArray:
        """This rank's part of an array that every rank has."""
        whole = np.asarray(whole)
        made = cls(comm, whole.shape, whole.dtype, layout)
        made[...] = whole[made._placed().local_slice]
        return made

    def _placed(self) -> Layout:
        if self.layout is None:
            raise _core.InvalidLayout("this is a part of a DistArray, or a result of another shape; it has no layout")
        return self.layout

    @property
    def global_shape(self) -> tuple[int, ...]:
        """Extents of the whole array."""
        return self._placed().shape

    @property
    def local_slice(self) -> tuple[slice, ...]:
        """This rank's part of the whole array."""
        return self._placed().local_slice

    def local(self, *index: Any) -> np.ndarray:
        """What this rank has of a part of the whole array: ``u.local(slice(2, 5), 0)``. Local.

        Slices have step 1. Where this rank has nothing of it, the result is empty.
        """
        layout = self._placed()
        index = tuple(index) + (slice(None),) * (len(layout.shape) - len(index))
        picked: list[slice] = []
        for held, wanted, extent in zip(layout.local_indices(), index, layout.shape):
            if not isinstance(wanted, slice):
                wanted = slice(wanted % extent, wanted % extent + 1)
            first, end, step = wanted.indices(extent)
            if step != 1:
                raise _core.InvalidOption("parts of a distributed array are slices of step 1")
            inside = [i for i, at in enumerate(held) if first <= at < end]
            picked.append(slice(inside[0], inside[-1] + 1) if inside else slice(0, 0))
        return np.asarray(self)[tuple(picked)]

    def get(self, index: Sequence[int]) -> Any:
        """One element, on all ranks. Collective."""
        layout = self._placed()
        value = np.zeros(1, self.dtype)
        place = tuple(int(i) % n for i, n in zip(index, layout.shape))
        if layout.owner(place) == layout.rank:
            value[0] = np.asarray(self)[tuple(held.index(i) for held, i in zip(layout.local_indices(), place))]
        return _shared(self.comm, value, layout.owner(place))[0]

    def gather(self, root: Optional[int] = 0) -> Optional[np.ndarray]:
        """The whole array on one rank; None on the others. Collective. For arrays that fit in one memory."""
        layout = self._placed()
        names = "xyzwvu"[: len(layout.shape)][::-1]
        boxes = ["none"] * _core.comm_size(handle_of(self.comm))
        boxes[root or 0] = " ".join(f"0:{n}" for n in layout.shape)
        text = "boxes " + " ".join(names) + " | " + " | ".join(boxes)
        target = Layout._of(_core.Layout.parse(text, list(layout.shape)), layout.rank)
        with Redistribute(self.comm, layout.shape, layout, target, self.dtype) as turn:
            whole = turn.forward(self._in_layout())
        return whole if layout.rank == (root or 0) else None

    def redistribute(self, layout: LayoutLike) -> DistArray:
        """The same array in another layout. Collective; ``kallima.Redistribute`` plans once for many."""
        placed = self._placed()
        result = DistArray(self.comm, placed.shape, self.dtype, layout)
        with Redistribute(self.comm, placed.shape, placed, result._placed(), self.dtype) as turn:
            turn.forward(self._in_layout(), result)
        return result

    def _in_layout(self) -> np.ndarray:
        """This array in memory as its layout says: itself, but for results of computations, say."""
        return self._placed().arranged(np.asarray(self))

    def write(self, path: str, name: str = "array") -> None:
        """Write the whole array as a dataset of an HDF5 file, which is added to where there is one. Collective.

        Needs h5py. Where that has MPI, and mpi4py is of this MPI, ranks write at once; otherwise one after the other.
        """
        from ._hdf5 import write_part

        layout = self._placed()
        write_part(self.comm, path, name, np.asarray(self), layout.shape, layout.local_slice)

    @classmethod
    def read(cls, comm: Any, path: str, name: str = "array", layout: LayoutLike = "slab") -> DistArray:
        """Read a dataset of an HDF5 file; each rank its part. Collective. Needs h5py."""
        from ._hdf5 import extents, read_part

        shape, dtype = extents(comm, path, name)
        made = cls(comm, shape, dtype, layout)
        read_part(comm, path, name, np.asarray(made), shape, made.local_slice)
        return made


def _shared(comm: Any, value: np.ndarray, root: int) -> np.ndarray:
    """The bytes of one rank's array on all ranks. Collective."""
    handle = handle_of(comm)
    return np.frombuffer(_core.broadcast(handle, value.tobytes(), root), value.dtype)


__all__ = ["DistArray"]
