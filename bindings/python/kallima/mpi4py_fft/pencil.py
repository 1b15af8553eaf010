# SPDX-License-Identifier: BSD-3-Clause
"""Process grids and the parts of an array that their ranks hold. Nothing here is freed: no communicator is made."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Union

from mpi4py import MPI


class Along(NamedTuple):
    """This rank among those that share an axis."""

    rank: int
    size: int

    def Get_size(self) -> int:
        """How many there are."""
        return self.size

    def Get_rank(self) -> int:
        """Which one this is."""
        return self.rank


ALONE = Along(0, 1)


class Subcomm(tuple):
    """A process grid: for each axis, which rank this is and among how many.

    Parameters
    ----------
    comm : communicator
        Of mpi4py; one with a Cartesian topology brings its grid.
    dims : int or sequence of int
        Ranks along each axis; 0: as many as remain, shared evenly.
    """

    comm: Any
    coordinates: tuple[int, ...]

    def __new__(cls, comm: Any, dims: Union[int, Sequence[int], None] = None, reorder: bool = True) -> Subcomm:
        if comm.Get_topology() == MPI.CART:
            sizes, mine = comm.dims, comm.coords
        else:
            wanted = [0] if dims is None else [0] * dims if isinstance(dims, int) else [max(0, int(d)) for d in dims]
            sizes = MPI.Compute_dims(comm.Get_size(), wanted)
            mine = []
            rest = comm.Get_rank()
            for size in reversed(sizes):
                mine.insert(0, rest % size)
                rest //= size
        along = [Along(rank, size) for rank, size in zip(mine, sizes)]
        made = super().__new__(cls, along)  # type: ignore[arg-type]
        made.comm = comm
        return made

    def swapped(self, a: int, b: int) -> Subcomm:
        """The same ranks with two axes' places exchanged."""
        order = list(self)
        order[a], order[b] = order[b], order[a]
        made = tuple.__new__(type(self), order)
        made.comm = self.comm
        return made

    def destroy(self) -> None:
        """Nothing: there for programs that call it."""


class Pencil:
    """The part of an array that a rank of a process grid holds."""

    def __init__(self, subcomm: Subcomm, shape: Sequence[int], axis: int = -1) -> None:
        self.subcomm = subcomm
        self.shape = tuple(int(n) for n in shape)
        self.axis = axis % len(self.shape)
        if subcomm[self.axis].size != 1:
            raise ValueError(f"axis {axis} is to be held whole, and {subcomm[self.axis].size} ranks share it")
        parts = [_block(n, along) for n, along in zip(self.shape, subcomm)]
        self.subshape = tuple(count for count, _ in parts)
        self.substart = tuple(start for _, start in parts)

    @property
    def local_slice(self) -> tuple[slice, ...]:
        """This rank's part of the array."""
        return tuple(slice(start, start + count) for start, count in zip(self.substart, self.subshape))

    def pencil(self, axis: int) -> Pencil:
        """The same array with another axis held whole: both exchange their ranks."""
        axis %= len(self.shape)
        return Pencil(self.subcomm.swapped(self.axis, axis), self.shape, axis)


def _block(extent: int, along: Along) -> tuple[int, int]:
    """How many indices are this rank's, and the first: they differ by at most one between ranks."""
    least, more = divmod(extent, along.size)
    return least + (along.rank < more), along.rank * least + min(along.rank, more)


def own(pencil: Optional[Pencil]) -> Any:
    """A pencil as Kallima takes a layout."""
    return None if pencil is None else pencil.local_slice
