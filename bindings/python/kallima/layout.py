# SPDX-License-Identifier: BSD-3-Clause
"""Which rank holds which part of an array."""

from __future__ import annotations

import math
from typing import Any, Sequence, Union

import numpy as np

from . import _core

#: What a layout may be given as: a name ("slab", "pencil", "any"), the text of one, a Layout, or what this rank alone
#: holds (a tuple of slices; a list of such tuples where it holds several boxes).
LayoutLike = Union[str, "Layout", tuple, list, None]


class Layout:
    """Which rank holds which element of an array, and in what order it lies in memory.

    Equal on all ranks, but for ``rank``, whose part the properties tell. Made without MPI.

    Parameters
    ----------
    text : str
        Axes from slowest to fastest in memory, x the last of the array: ``"z:block/4 y:all x:all"``.
    shape : sequence of int
        Extents of the whole array.
    rank : int
        Whose part the properties tell.

    Examples
    --------
    >>> import kallima
    >>> layout = kallima.Layout("y:block/2 x:all", (6, 4), rank=1)
    >>> layout.local_slice
    (slice(3, 6, None), slice(0, 4, None))
    >>> layout.owner((5, 0))
    1
    """

    __slots__ = ("_core", "rank")

    def __init__(self, text: str, shape: Sequence[int], rank: int = 0) -> None:
        self._core = _core.Layout.parse(text, [int(n) for n in shape])
        self.rank = int(rank)

    @classmethod
    def _of(cls, core: Any, rank: int) -> Layout:
        made = cls.__new__(cls)
        made._core = core
        made.rank = rank
        return made

    @classmethod
    def slab(cls, shape: Sequence[int], ranks: int, axis: int = 0, rank: int = 0) -> Layout:
        """One axis in blocks over so many ranks, the others whole."""
        return cls._of(_core.Layout.slab(list(shape), ranks, axis % len(shape)), rank)

    @classmethod
    def block(cls, shape: Sequence[int], ranks: Sequence[int], rank: int = 0) -> Layout:
        """Every axis in blocks, over so many ranks each."""
        return cls._of(_core.Layout.block(list(shape), list(ranks)), rank)

    @classmethod
    def pencil(cls, shape: Sequence[int], ranks: int, whole: int = -1, rank: int = 0) -> Layout:
        """Two axes in blocks, over a grid of ranks that is as square as it can be, the others whole."""
        whole = whole % len(shape)
        rows = max(d for d in range(1, math.isqrt(ranks) + 1) if ranks % d == 0)
        over = [rows, ranks // rows]
        procs = [1 if a == whole or not over else over.pop(0) for a in range(len(shape))]
        return cls.block(shape, procs, rank)

    @classmethod
    def cyclic(cls, shape: Sequence[int], ranks: Sequence[int], rank: int = 0) -> Layout:
        """Every axis distributed cyclically, over so many ranks each."""
        return cls._of(_core.Layout.cyclic(list(shape), list(ranks)), rank)

    def at(self, rank: int) -> Layout:
        """The same layout, telling of another rank."""
        return self._of(self._core, rank)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the whole array."""
        return self._core.shape()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def ranks(self) -> int:
        """How many ranks it names; higher ones hold nothing."""
        return self._core.ranks()

    @property
    def order(self) -> tuple[int, ...]:
        """Axes from slowest to fastest in memory."""
        return self._core.order()

    @property
    def text(self) -> str:
        """The text that makes an equal layout, with the shape."""
        return self._core.to_text()

    @property
    def several_boxes(self) -> bool:
        """True where a rank may hold several boxes; arrays have one axis then, box behind box."""
        return self._core.several_boxes()

    @property
    def local_shape(self) -> tuple[int, ...]:
        """Extents of this rank's part."""
        if self.several_boxes:
            return (self.local_size,)
        return tuple(count for _, _, count in self._core.local_indices(self.rank))

    @property
    def local_slice(self) -> tuple[slice, ...]:
        """This rank's part of the whole array: ``whole[layout.local_slice]``."""
        if self.several_boxes:
            raise _core.InvalidLayout("several boxes are no slice; boxes tells each")
        return tuple(_slice(*along) for along in self._core.local_indices(self.rank))

    @property
    def boxes(self) -> list[tuple[slice, ...]]:
        """Slices of each of this rank's parts."""
        return [tuple(_slice(*along) for along in indices) for indices, _, _ in self._core.parts(self.rank)]

    @property
    def local_size(self) -> int:
        """Number of elements of this rank's part."""
        return self._core.local_size(self.rank)

    @property
    def allocated_size(self) -> int:
        """Elements of memory that this rank's part takes, margins and padding included."""
        return self._core.allocated_size(self.rank)

    @property
    def strides(self) -> tuple[int, ...]:
        """Distances in memory of neighbours along each axis, in elements."""
        if self.several_boxes:
            return (1,)
        return self._core.local_strides(self.rank)

    def owner(self, index: Sequence[int]) -> int:
        """Rank that holds an element."""
        index = [int(i) for i in index]
        if len(index) != self.ndim or not all(0 <= i < n for i, n in zip(index, self.shape)):
            raise IndexError(f"index {tuple(index)} is outside of an array of shape {self.shape}")
        return self._core.owner(index)

    def picture(self) -> str:
        """A map of the owners, of two axes."""
        return self._core.picture()

    def empty(self, dtype: Any = float) -> np.ndarray:
        """Memory of this rank's part, not set, as an array that has its shape and strides."""
        dtype = np.dtype(dtype)
        memory = aligned(self.allocated_size * dtype.itemsize)
        return self.view(memory, dtype)

    def view(self, memory: np.ndarray, dtype: Any) -> np.ndarray:
        """This rank's part in memory that has its margins and padding: an array of bytes."""
        dtype = np.dtype(dtype)
        first = 0 if self.several_boxes or self.local_size == 0 else self._core.first_offset(self.rank)
        strides = tuple(step * dtype.itemsize for step in self.strides)
        return np.ndarray(self.local_shape, dtype, memory, first * dtype.itemsize, strides)

    def arranged(self, array: np.ndarray) -> np.ndarray:
        """This rank's part as an array that lies in memory as the layout says: itself, or a copy. Local."""
        steps = (step * array.itemsize for step in self.strides)
        if array.size == 0 or all(n < 2 or have == step for n, have, step in zip(array.shape, array.strides, steps)):
            return array
        copy = self.empty(array.dtype)
        copy[...] = array
        return copy

    def local_indices(self) -> tuple[range, ...]:
        """Indices of the whole array that this rank has, along each axis."""
        return tuple(range(along.start, along.stop, along.step or 1) for along in self.local_slice)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._core == other._core

    def __hash__(self) -> int:
        return hash((self.text, self.shape))

    def __str__(self) -> str:
        return self._core.summary()

    def __repr__(self) -> str:
        return f"Layout({self._core.summary()!r}, {self.shape}, rank={self.rank})"


def _slice(first: int, step: int, count: int) -> slice:
    if step == 1 or count < 2:
        return slice(first, first + count)
    return slice(first, first + (count - 1) * step + 1, step)


def aligned(size: int) -> np.ndarray:
    """So many bytes that begin at a cache line."""
    memory = np.empty(size + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin : begin + size]


def own_boxes(given: Any, shape: Sequence[int]) -> dict:
    """What a rank says of its own part: a tuple of slices, or a list of such."""
    boxes = []
    for box in [given] if isinstance(given, tuple) else given:
        bounds = []
        for along, extent in zip(box, shape):
            first, end, step = along.indices(extent)
            if step != 1:
                raise _core.InvalidLayout(f"a box is given by slices of step 1, not {along}; give the layout's text")
            bounds.append((first, max(first, end)))
        if len(bounds) != len(shape) or len(box) != len(shape):
            raise _core.InvalidLayout(f"a box of {len(box)} slices in an array of {len(shape)} axes; give one for each")
        boxes.append(bounds)
    return {"boxes": boxes, "order": [], "margins": []}


def layout_of(given: LayoutLike, shape: Sequence[int], ranks: int, batch: bool) -> Any:
    """What the compiled part takes for a layout: text, its own Layout, own boxes, or None for its choice."""
    if given is None or given == "any":
        return None
    if isinstance(given, Layout):
        return given._core
    if isinstance(given, (tuple, list)):
        return own_boxes(given, shape)
    if not isinstance(given, str):
        raise TypeError(f"a layout can not be given as {type(given).__name__}; give its text, a Layout, or slices")
    first = 1 if batch else 0
    if given == "slab" or (given == "pencil" and len(shape) - first < 3):
        axis = min(first, len(shape) - 1)
        return _core.Layout.slab(list(shape), min(ranks, shape[axis]), axis)
    if given == "pencil":
        pencil = Layout.pencil(shape[first:], ranks)
        text = pencil.text
        if batch:
            text = f"{_axis_name(len(shape) - 1)}:all " + text
        return text
    return given


def _axis_name(from_last: int) -> str:
    return "xyzwvu"[from_last]
