# SPDX-License-Identifier: BSD-3-Clause
"""PFFT, with the arguments and layouts of mpi4py-fft."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from .. import _core
from ..transform import Redistribute, Transform
from . import fftw
from .pencil import Pencil, Subcomm


class _Stage:
    """Axes that are transformed while ranks hold them whole."""

    def __init__(self, axes: tuple[int, ...], kinds: dict[int, str], pencil: Pencil, dtype: np.dtype, padding: float) -> None:
        self.axes = axes
        self.kinds = kinds
        self.padding = padding
        self.pencil_in = pencil
        self.dtype_in = dtype
        real = "real" in kinds.values()
        self.dtype_out = np.result_type(dtype, np.complex64) if real else dtype
        shape = list(pencil.shape)
        axis = axes[-1]
        self.kept = round(shape[axis] / padding)  # indices, before n // 2 + 1 of them are kept of real data
        shape[axis] = self.kept // 2 + 1 if real else self.kept
        self.pencil_out = Pencil(pencil.subcomm, shape, axis)
        self._plan: Optional[Transform] = None

    def run(self, direction: str, given: np.ndarray, norm: str) -> np.ndarray:
        """One side to the other, on this rank alone."""
        if self._plan is None and 0 not in self.pencil_in.subshape:
            every = ["none"] * len(self.pencil_in.shape)
            for axis, kind in self.kinds.items():
                every[axis] = kind
            self._plan = Transform(_core.self_handle(), self.pencil_in.subshape, self.dtype_in, kinds=every, norm="forward")
        if self._plan is None:
            pencil, dtype = (
                (self.pencil_out, self.dtype_out) if direction == "forward" else (self.pencil_in, self.dtype_in)
            )
            return np.empty(pencil.subshape, dtype)
        if direction == "forward":
            return self._truncated(self._plan.forward(np.ascontiguousarray(given), norm=norm))
        return self._plan.backward(self._padded(given), norm=norm)

    def _truncated(self, whole: np.ndarray) -> np.ndarray:
        """The lowest wavenumbers; of an even number the highest one is the sum of both that alias."""
        if self.padding <= 1.0 + 1e-8:
            return whole
        axis = self.axes[-1]
        n = self.pencil_out.shape[axis]
        lines = np.moveaxis(whole, axis, 0)
        if self.kinds[axis] == "real":
            kept = lines[:n].copy()
            if self.kept % 2 == 0:
                kept[n - 1] = 2 * kept[n - 1].real
        else:
            kept = np.zeros((n, *lines.shape[1:]), whole.dtype)
            kept[: n // 2 + 1] = lines[: n // 2 + 1]
            kept[-(n // 2) :] += lines[-(n // 2) :]
        return np.ascontiguousarray(np.moveaxis(kept, 0, axis))

    def _padded(self, kept: np.ndarray) -> np.ndarray:
        if self.padding <= 1.0 + 1e-8:
            return np.ascontiguousarray(kept)
        axis = self.axes[-1]
        n = self.pencil_out.shape[axis]
        assert self._plan is not None
        whole = np.zeros(self._plan.layout_out.local_shape, kept.dtype)
        lines, low = np.moveaxis(whole, axis, 0), np.moveaxis(kept, axis, 0)
        if self.kinds[axis] == "real":
            lines[:n] = low
            if self.kept % 2 == 0:
                lines[n - 1] = 0.5 * lines[n - 1].real
        else:
            lines[: n // 2 + 1] = low[: n // 2 + 1]
            lines[-(n // 2) :] = low[-(n // 2) :]
            if n % 2 == 0:
                lines[n // 2] *= 0.5
                lines[-(n // 2)] *= 0.5
        return whole

    def close(self) -> None:
        if self._plan is not None:
            self._plan.close()


class _Direction:
    """``fft.forward`` or ``fft.backward``: called, it transforms."""

    def __init__(self, owner: PFFT, name: str) -> None:
        self._owner = owner
        self._name = name
        self._from, self._to = (0, 1) if name == "forward" else (1, 0)
        self.input_pencil, self._dtype_in = owner._ends[self._from]
        self.output_pencil, self._dtype_out = owner._ends[self._to]

    @property
    def input_array(self) -> np.ndarray:
        """What is read where no input is given; the other direction's output."""
        return self._owner._array(self._from)

    @property
    def output_array(self) -> np.ndarray:
        """What is written where no output is given; the next call writes it again."""
        return self._owner._array(self._to)

    def __call__(self, input_array: Any = None, output_array: Any = None, *, normalize: Optional[bool] = None) -> np.ndarray:
        """Transform. Collective.

        Parameters
        ----------
        input_array, output_array : ndarray
            Default: ``self.input_array`` and ``self.output_array``.
        normalize : bool
            Whether this direction is scaled by 1/N; default: forward is.

        Returns
        -------
        ndarray
            The output.
        """
        source = self.input_array if input_array is None else np.asarray(input_array)
        if source.dtype != self._dtype_in or not source.flags.c_contiguous:
            if source is not self.input_array:
                self.input_array[...] = source
            source = self.input_array
        forward = self._name == "forward"
        scaled = forward if normalize is None else normalize
        norm = "none" if not scaled else "forward" if forward else "backward"
        target = self.output_array if output_array is None else np.asarray(output_array)
        fits = target.dtype == self._dtype_out and target.flags.c_contiguous and not np.shares_memory(source, target)
        if not fits:
            target = self.output_array
        self._owner._run(self._name, source, target, norm)
        if output_array is None:
            return target
        if not fits:
            output_array[...] = target
        return output_array


class PFFT:
    """A transform of an array that is distributed over a process grid. Collective.

    Parameters
    ----------
    comm : communicator or Subcomm
        mpi4py's.
    shape : sequence of int
        Extents of the whole array.
    axes : int, sequence of int, or sequence of sequences
        Those that are transformed, the last first; groups are held whole together.
    dtype : dtype
        Of the input.
    grid : sequence of int
        Ranks along each axis; values below 1: as many as remain.
    padding : False, or sequence of float
        The input has so many times the indices of the wavenumbers that are kept.
    collapse : bool
        Whether neighbouring axes that are whole are transformed together; plans do so anyway.
    backend : str
        Ignored: plans are Kallima's.
    transforms : dict
        From axes to a pair of ``kallima.mpi4py_fft.fftw``'s names: forward, backward.
    darray : DistArray
        Whose shape, type and grid to take.

    Examples
    --------
    >>> import numpy as np
    >>> from mpi4py import MPI
    >>> from kallima.mpi4py_fft import PFFT, newDistArray
    >>> fft = PFFT(MPI.COMM_WORLD, [12, 14, 15])
    >>> u = newDistArray(fft, False)
    >>> u[:] = np.random.random(u.shape)
    >>> u_hat = fft.forward(u)
    >>> uj = fft.backward(u_hat, np.zeros_like(u))
    >>> bool(np.allclose(uj, u))
    True
    """

    def __init__(
        self,
        comm: Any,
        shape: Optional[Sequence[int]] = None,
        axes: Any = None,
        dtype: Any = float,
        grid: Optional[Sequence[int]] = None,
        padding: Any = False,
        collapse: bool = False,
        backend: str = "fftw",
        transforms: Optional[dict] = None,
        darray: Any = None,
        **options: Any,
    ) -> None:
        extents = [int(n) for n in (shape if shape is not None else darray.pencil.shape)]
        ndim = len(extents)
        groups = self._groups(axes, ndim, darray)
        factors = [1.0] * ndim
        if padding is not False and darray is None:
            given = [padding] * ndim if np.ndim(padding) == 0 else list(padding)
            for group in groups:
                if len(group) == 1 and given[group[0]] > 1.0 + 1e-6:
                    axis = group[0]
                    padded = int(np.floor(extents[axis] * given[axis]))
                    factors[axis] = padded / extents[axis]
                    extents[axis] = padded
        if darray is not None:
            dtype = darray.dtype
            self.subcomm: Subcomm = darray.pencil.subcomm
        elif isinstance(comm, Subcomm):
            self.subcomm = comm
        elif grid is not None:
            self.subcomm = Subcomm(comm, list(grid) + [1] * (ndim - len(grid)))
        else:
            self.subcomm = Subcomm(comm, [1 if axis in groups[-1] else 0 for axis in range(ndim)])
        self.collapse = collapse
        if collapse:
            groups = self._collapsed(groups)
        self.axes = tuple(groups)
        self._plan: Optional[Transform] = None
        self._stages: list[_Stage] = []
        current = np.dtype(dtype)
        pencil = Pencil(self.subcomm, extents, self.axes[-1][-1])
        self._moves: list[tuple[Pencil, Pencil, np.dtype]] = []
        for group in reversed(self.axes):
            if self._stages:
                turned = pencil.pencil(group[-1])
                self._moves.append((pencil, turned, current))
                pencil = turned
            serial = (transforms or {}).get(group)
            kinds = fftw.kinds_of(serial[0] if serial else fftw.rfftn if current.kind == "f" else fftw.fftn, group)
            stage = _Stage(group, kinds, pencil, current, factors[group[-1]] if len(group) == 1 else 1.0)
            self._stages.append(stage)
            pencil, current = stage.pencil_out, stage.dtype_out
        first = self._stages[0]
        self._ends = ((first.pencil_in, first.dtype_in), (pencil, current))
        self.pencil = (first.pencil_in, pencil)
        #: One entry for each time that axes are transformed, and for each exchange between.
        self.xfftn = tuple(self._stages)
        self.transfer: tuple = tuple(self._moves)
        self._padded = any(stage.padding > 1.0 + 1e-8 for stage in self._stages)
        if self._padded:
            self.transfer = tuple(
                Redistribute(self.subcomm.comm, a.shape, a.local_slice, b.local_slice, kind) for a, b, kind in self._moves
            )
        else:
            every = ["none"] * ndim
            for stage in self._stages:
                for axis, kind in stage.kinds.items():
                    every[axis] = kind
            self._plan = Transform(
                self.subcomm.comm, extents, dtype, kinds=every, layout=self.pencil[0].local_slice,
                out=self.pencil[1].local_slice, norm="forward", **options,
            )
        self._arrays: dict[int, np.ndarray] = {}
        self.forward = _Direction(self, "forward")
        self.backward = _Direction(self, "backward")

    def _array(self, end: int) -> np.ndarray:
        """The array of one end, which both directions share."""
        if end not in self._arrays:
            pencil, dtype = self._ends[end]
            self._arrays[end] = fftw.aligned(pencil.subshape, dtype=dtype, fill=0)
        return self._arrays[end]

    @staticmethod
    def _groups(axes: Any, ndim: int, darray: Any) -> list[tuple[int, ...]]:
        if axes is None:
            axes = list(range(ndim))
            if darray is not None:  # what the array holds whole comes first
                axes = list(np.roll(axes, ndim - 1 - darray.alignment))
        elif isinstance(axes, (int, np.integer)):
            axes = [axes]
        groups = [(group,) if isinstance(group, (int, np.integer)) else tuple(group) for group in axes]
        for group in groups:
            if not group or not all(-ndim <= axis < ndim for axis in group):
                raise ValueError(f"axes {axes} are not those of an array of {ndim} axes")
        return [tuple(int(axis) % ndim for axis in group) for group in groups]

    def _collapsed(self, groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Groups that no rank shares are one; what is transformed first stays last."""
        result: list[list[int]] = [[]]
        for group in reversed(groups):
            if all(self.subcomm[axis].size == 1 for axis in group):
                result[0][:0] = list(group)
            else:
                result.insert(0, list(group))
        return [tuple(group) for group in result if group]

    def _run(self, direction: str, source: np.ndarray, target: np.ndarray, norm: str) -> None:
        if self._plan is not None:
            getattr(self._plan, direction)(source, target, norm=norm)
            return
        forward = direction == "forward"
        stages = self._stages if forward else self._stages[::-1]
        moves = self.transfer if forward else self.transfer[::-1]
        current = source
        for i, stage in enumerate(stages):
            current = stage.run(direction, current, norm)
            if i < len(moves):
                current = getattr(moves[i], direction)(current)
        target[...] = current

    def destroy(self) -> None:
        """Free the plans. Local."""
        if self._plan is not None:
            self._plan.close()
        for stage in self._stages:
            stage.close()
        for move in self.transfer:
            if isinstance(move, Redistribute):
                move.close()

    def shape(self, forward_output: bool = True) -> tuple[int, ...]:
        """Extents of this rank's part of the output, or of the input."""
        return self.pencil[bool(forward_output)].subshape

    def local_slice(self, forward_output: bool = True) -> tuple[slice, ...]:
        """This rank's part of the whole output, or of the input."""
        return self.pencil[bool(forward_output)].local_slice

    def global_shape(self, forward_output: bool = False) -> tuple[int, ...]:
        """Extents of the whole output, or of the input."""
        return self.pencil[bool(forward_output)].shape

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.pencil[0].shape)

    def dtype(self, forward_output: bool = False) -> np.dtype:
        """Type of the output, or of the input."""
        return self._ends[bool(forward_output)][1]
