# SPDX-License-Identifier: BSD-3-Clause
"""DistArray and newDistArray, with the arguments and layouts of mpi4py-fft."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Optional, Sequence

import numpy as np
from mpi4py import MPI

from ..transform import Redistribute
from .pencil import ALONE, Pencil, Subcomm


class DistArray(np.ndarray):
    """This rank's part of an array that is distributed over a process grid.

    Parameters
    ----------
    global_shape : sequence of int
        Extents of the whole array, with those of a tensor's components in front.
    subcomm : Subcomm or sequence of int
        The grid; default: all axes but the aligned one.
    val : number
        What it is filled with.
    dtype : dtype
        Of elements.
    buffer : array
        Memory to use.
    alignment : int
        An axis that ranks hold whole; default: the last.
    rank : int
        How many axes in front are a tensor's: 0 of a scalar, 1 of a vector.
    """

    _p0: Optional[Pencil]
    _rank: int

    def __new__(
        cls, global_shape: Sequence[int], subcomm: Any = None, val: Any = None, dtype: Any = float, buffer: Any = None,
        strides: Any = None, alignment: Optional[int] = None, rank: int = 0,
    ) -> DistArray:
        extents = tuple(int(n) for n in global_shape[rank:])
        if not isinstance(subcomm, Subcomm):
            if subcomm is None:
                aligned = len(extents) - 1 if alignment is None else alignment
                subcomm = [1 if axis == aligned else 0 for axis in range(len(extents))]
            subcomm = Subcomm(MPI.COMM_WORLD, subcomm)
        if alignment is None:
            alignment = max(axis for axis, along in enumerate(subcomm) if along.size == 1)
        pencil = Pencil(subcomm, extents, int(alignment))
        made = super().__new__(cls, tuple(global_shape[:rank]) + pencil.subshape, dtype=dtype, buffer=buffer)
        if buffer is None and val is not None:
            made.fill(val)
        made._p0 = pencil
        made._rank = rank
        return made

    def __array_finalize__(self, source: Any) -> None:
        self._p0 = getattr(source, "_p0", None)
        self._rank = getattr(source, "_rank", 0)

    @property
    def pencil(self) -> Pencil:
        """What this rank holds of the axes that are distributed."""
        assert self._p0 is not None
        return self._p0

    @property
    def alignment(self) -> int:
        """The axis that ranks hold whole, not counting those of a tensor."""
        return self.pencil.axis

    @property
    def rank(self) -> int:
        """How many axes in front are a tensor's."""
        return self._rank

    @property
    def dimensions(self) -> int:
        """Number of the others."""
        return len(self.pencil.shape)

    @property
    def global_shape(self) -> tuple[int, ...]:
        """Extents of the whole array."""
        return self.shape[: self.rank] + self.pencil.shape

    @property
    def substart(self) -> tuple[int, ...]:
        """First index of this rank's part."""
        return (0,) * self.rank + self.pencil.substart

    @property
    def subcomm(self) -> tuple:
        """This rank's place along each axis."""
        return (ALONE,) * self.rank + tuple(self.pencil.subcomm)

    @property
    def commsizes(self) -> list[int]:
        """How many ranks share each axis."""
        return [along.size for along in self.subcomm]

    @property
    def v(self) -> np.ndarray:
        """This rank's part as a plain array."""
        return self.view(np.ndarray)

    def __getitem__(self, index: Any) -> Any:
        """A tensor's component is a DistArray; anything else is a plain array or number."""
        taken = index if isinstance(index, tuple) else (index,)
        whole = all(isinstance(one, (Integral, slice)) for one in taken) and len(taken) <= self.rank
        if not whole:
            return self.v[index]
        part = super().__getitem__(index)
        part._rank = self.rank - (self.ndim - part.ndim)
        return part

    def local_slice(self) -> tuple[slice, ...]:
        """This rank's part of the whole array."""
        return tuple(slice(0, n) for n in self.shape[: self.rank]) + self.pencil.local_slice

    def get(self, gslice: Sequence[Any]) -> Optional[np.ndarray]:
        """A part of the whole array, by integers and ``slice(None)``, on rank 0; None on others. Collective."""
        mine = self.local_slice()
        kept = [axis for axis, wanted in enumerate(gslice) if isinstance(wanted, slice)]
        part = np.zeros([self.global_shape[axis] for axis in kept], self.dtype)
        here: list[Any] = []
        held = True
        for wanted, along in zip(gslice, mine):
            if isinstance(wanted, slice):
                here.append(slice(None))
                continue
            held = held and along.start <= wanted < along.stop
            here.append(wanted - along.start)
        if held:
            part[tuple(mine[axis] for axis in kept)] = self.v[tuple(here)]
        comm = self.pencil.subcomm.comm
        whole = np.zeros_like(part) if comm.Get_rank() == 0 else None
        comm.Reduce(part, whole, MPI.SUM, 0)
        return whole

    def redistribute(self, axis: Optional[int] = None, out: Optional[DistArray] = None) -> DistArray:
        """The same array with another axis held whole. Collective."""
        if axis is None:
            if out is None:
                raise ValueError("say which axis ranks shall hold whole, or give out")
            axis = out.alignment
        if out is None:
            if self.pencil.subcomm[axis].size == 1:
                self._p0 = Pencil(self.pencil.subcomm, self.pencil.shape, axis)
                return self
            target = self.pencil.pencil(axis)
            out = DistArray(self.global_shape, target.subcomm, None, self.dtype, None, None, axis, self.rank)
        components = int(np.prod(self.shape[: self.rank]))
        source = np.ascontiguousarray(self.v).reshape(components, *self.pencil.subshape)
        result = out.v.reshape(components, *out.pencil.subshape)
        with Redistribute(
            self.pencil.subcomm.comm, self.pencil.shape, self.pencil.local_slice, out.pencil.local_slice, self.dtype
        ) as move:
            for one in range(components):
                move.forward(source[one], result[one])
        if not np.shares_memory(result, out.v):
            out.v[...] = result.reshape(out.shape)
        return out

    def write(self, filename: str, name: str = "darray", step: int = 0) -> None:
        """Write the whole array to an HDF5 file, as the dataset NAME/nD/STEP, as mpi4py-fft names it. Collective."""
        from .._hdf5 import write_part

        path = f"{name}/{self.dimensions}D/{step}"
        write_part(self.pencil.subcomm.comm, filename, path, self.v, self.global_shape, self.local_slice())

    def read(self, filename: str, name: str = "darray", step: int = 0) -> None:
        """Read it back. Collective."""
        from .._hdf5 import read_part

        path = f"{name}/{self.dimensions}D/{step}"
        read_part(self.pencil.subcomm.comm, filename, path, self.v, self.global_shape, self.local_slice())


def newDistArray(pfft: Any, forward_output: bool = True, val: Any = 0, rank: int = 0, view: bool = False) -> Any:
    """An array of a transform's output, or of its input.

    Parameters
    ----------
    pfft : PFFT
        The transform.
    forward_output : bool
        Which of both.
    val : number
        What it is filled with.
    rank : int
        0 of a scalar, 1 of a vector, 2 of a matrix.
    view : bool
        Whether to return a plain array.
    """
    pencil = pfft.pencil[bool(forward_output)]
    shape = (len(pencil.shape),) * rank + pencil.shape
    made = DistArray(shape, pencil.subcomm, val, pfft.dtype(forward_output), None, None, pencil.axis, rank)
    return made.v if view else made


def Function(*args: Any, **options: Any) -> Any:
    """``newDistArray`` by its former name."""
    if options.pop("tensor", False):
        options["rank"] = 1
    return newDistArray(*args, **options)


__all__ = ["DistArray", "Function", "newDistArray"]
