# SPDX-License-Identifier: BSD-3-Clause
"""Planned transforms, redistributions and halo exchanges."""

from __future__ import annotations

import html
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._mpi import handle_of
from .layout import Layout, LayoutLike, aligned, layout_of

#: A transform that is bound to arrays: calling it runs it.
Bound = _core.Bound

Kinds = Union[None, str, Sequence[str], Mapping[int, str]]

_DTYPES = {
    "complex128": ("c2c", "f64"),
    "complex64": ("c2c", "f32"),
    "float64": ("r2c", "f64"),
    "float32": ("r2c", "f32"),
}


class Explanation(str):
    """Text that a notebook shows as it is."""

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"


class _Writable:
    """An array of NumPy that may be written: it marks what came by ``__dlpack__``, which does not tell, as read-only."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        lent = array.__array_interface__
        self.__array_interface__ = {**lent, "data": (lent["data"][0], False)}


def memory_of(array: Any, written: bool = False) -> Any:
    """What lends the memory of an array: itself, or what NumPy makes of its ``__dlpack__``."""
    try:
        memoryview(array)
    except TypeError:
        if hasattr(array, "__dlpack__"):
            lent = np.from_dlpack(array)
            return np.asarray(_Writable(lent)) if written else lent
    return array


class _Planned:
    """What has an input, an output, and runs from one to the other and back."""

    _core: Any
    _comm: int
    dtype_in: np.dtype
    dtype_out: np.dtype

    def _finish(self) -> None:
        rank = self._core.rank()
        self._layouts = tuple(Layout._of(self._core.layout(output), rank) for output in (False, True))

    @property
    def layout_in(self) -> Layout:
        """Layout of what ``forward`` reads."""
        return self._layouts[0]

    @property
    def layout_out(self) -> Layout:
        """Layout of what ``forward`` writes."""
        return self._layouts[1]

    def empty_input(self) -> np.ndarray:
        """Memory for this rank's part of the input, not set. Local."""
        return self.layout_in.empty(self.dtype_in)

    def empty_output(self) -> np.ndarray:
        """Memory for this rank's part of the output, not set. Local."""
        return self.layout_out.empty(self.dtype_out)

    def empty_in_place(self) -> tuple[np.ndarray, np.ndarray]:
        """One memory as the input and as the output, for transforms in place. Local."""
        memory = aligned(self._core.in_place_bytes())
        return self.layout_in.view(memory, self.dtype_in), self.layout_out.view(memory, self.dtype_out)

    def bind(self, source: Any, target: Any, direction: str = "forward") -> Bound:
        """Check two arrays once, to run many times. Collective.

        Parameters
        ----------
        source, target : array
            Read and written: anything that lends its memory, of this rank's shape, with the strides of the layout.
            The same memory is in place; then it is of ``empty_in_place()``.
        direction : {"forward", "backward"}
            Backward, ``source`` is of the output's layout.

        Returns
        -------
        Bound
            Calling it runs the transform: collective, agrees on nothing, allocates nothing. It keeps both arrays.

        Raises
        ------
        kallima.InvalidBuffer
            On all ranks, where an array on one of them does not do.
        """
        return self._core.bind(direction, lambda: (memory_of(source), memory_of(target, True)))

    def _run(self, direction: str, source: Any, out: Any, empty: Callable[[], np.ndarray], norm: Optional[str]) -> Any:
        def arrays() -> tuple:
            _core.check_norm(norm)
            return memory_of(source), empty() if out is None else memory_of(out, True)

        bound = self._core.bind(direction, arrays)
        bound(norm)
        return bound.arrays[1] if out is None else out

    def explain(self, direction: str = "forward") -> Explanation:
        """The steps of a direction, what each was priced at, and how long it took on this rank. Local."""
        return Explanation(self._core.explain(direction))

    def plan_text(self, direction: str = "forward") -> Explanation:
        """The text of a direction's plan, which ``plan=`` takes. Local."""
        return Explanation(self._core.plan_text(direction))

    def statistics(self) -> dict:
        """What was moved between this rank and others so far. Local."""
        return self._core.statistics()

    @property
    def workspace_bytes(self) -> int:
        """Bytes of this rank's workspace."""
        return self._core.workspace_bytes()

    def close(self) -> None:
        """Free the plan and its workspace. Local; what is bound keeps them until it goes, too."""
        self._core = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class Transform(_Planned):
    """A Fourier transform, planned for one shape and one layout. Collective.

    Parameters
    ----------
    comm : communicator
        mpi4py's, a Fortran handle, or ``kallima.world()``; None for the last.
    shape : sequence of int
        Extents of the whole array.
    dtype : dtype
        Of the input: complex64 and complex128 are transformed to complex data; float32 and float64 to complex data too,
        of which one axis has n // 2 + 1, or where all ``kinds`` are cosines, sines or none, to real data.
    kinds : str, sequence of str, or dict from axis to str
        What is done along each axis: "fourier" (default), "real" (the axis of n // 2 + 1 frequencies; default: the last
        of ``axes``, or of those that are Fourier axes), "cosine-1" to "cosine-4", "sine-1" to "sine-4", "none".
    axes : sequence of int
        Those that are transformed; default: all.
    layout : str, Layout, or slices
        Of the input: "slab", "pencil", "any" (the planner's choice), a layout's text, a Layout, or what this rank holds
        of the array, a tuple of slices (a list of such: several boxes).
    out : "same", or as layout
        Of the output. "any" saves an exchange. Default: "same", or "any" where ``layout`` is "any".
    norm : {"backward", "ortho", "forward", "none"}
        Which direction is scaled, as in numpy.fft; "none": neither.
    batch : int
        So many arrays are transformed at once; they make a leading axis.
    threads : int
        Of each rank.
    effort : {"estimate", "measure"}
        "measure" times plans, for 2 seconds at most.
    **options
        Others of ``kallima::Options`` by their names, among them ``lengths`` (extents of the box, for wavenumbers),
        ``machine``, ``method``, ``deadline``, ``plan``, ``plan_wisdom``, ``adaptive``, ``keep``.

    Raises
    ------
    kallima.Error
        One of its classes, on all ranks, where an argument on one of them does not do.

    Examples
    --------
    >>> import numpy as np
    >>> import kallima
    >>> with kallima.Transform(None, (8, 6), dtype=complex) as fft:
    ...     u = fft.empty_input()
    ...     u[...] = 1.0
    ...     u_k = fft.forward(u, norm="forward")  # of ones, all is in frequency 0, 0, on rank 0
    >>> complex(u_k[0, 0]) if kallima.world().rank == 0 else 1 + 0j
    (1+0j)
    """

    def __init__(
        self,
        comm: Any,
        shape: Sequence[int],
        dtype: Any = complex,
        *,
        kinds: Kinds = None,
        axes: Optional[Sequence[int]] = None,
        layout: LayoutLike = "slab",
        out: LayoutLike = None,
        norm: Optional[str] = "backward",
        batch: Optional[int] = None,
        threads: int = 1,
        effort: str = "estimate",
        **options: Any,
    ) -> None:
        self._comm = handle_of(comm)
        ranks = _core.comm_size(self._comm)

        def arguments() -> dict:
            extents = [int(n) for n in shape]
            if np.dtype(dtype).name not in _DTYPES:
                raise _core.InvalidOption(f"dtype {np.dtype(dtype)} can not be transformed; use {', '.join(_DTYPES)}")
            _core.check_shape(extents)
            names = _names_of_kinds(len(extents), kinds, axes, kind == "r2c")
            if batch is not None:
                extents.insert(0, int(batch))
                names.insert(0, "batch")
            r2c_axis = _r2c_axis(names) if kind == "r2c" else -1
            wanted = layout_of(layout, extents, ranks, batch is not None)
            target = "same" if out is None and wanted is not None else out
            keep = options.get("keep")
            return {
                **options,
                "shape": extents,
                "kinds": ["fourier" if name == "real" else name for name in names],
                "r2c_axis": r2c_axis,
                "input": wanted,
                "output": _output(target, wanted, extents, kind == "r2c", r2c_axis, keep, ranks, batch is not None),
                "norm": norm or "backward",
                "threads": threads,
                "effort": effort,
            }

        kind, precision = _kind(dtype, kinds, shape, axes)
        self._core = _core.Transform(self._comm, kind, precision, arguments)
        self._finish()
        self._kind = kind
        self._batch = batch is not None
        self._remake: Callable[[], Transform] = lambda: Transform(
            comm, shape, dtype, kinds=kinds, axes=axes, layout=layout, out="any", norm=norm, batch=batch,
            threads=threads, effort=effort, **options,
        )
        self._inside: Optional[Transform] = None
        follows = layout if out is None else out
        self._out_is_free = follows is None or (isinstance(follows, str) and follows == "any")
        self.norm = norm or "backward"
        self.dtype_in = np.dtype(dtype)
        self.dtype_out = np.result_type(dtype, np.complex64) if kind == "r2c" else self.dtype_in

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the whole input, with the axis of a batch."""
        return self.layout_in.shape

    def forward(self, source: Any, out: Any = None, *, norm: Optional[str] = None) -> Any:
        """Position to frequency. Collective; one agreement, which ``bind`` saves.

        Parameters
        ----------
        source : array
            This rank's part of the input.
        out : array
            Gets this rank's part of the output; None: a new one.
        norm : str
            Instead of the transform's.

        Returns
        -------
        array
            ``out``, or the new one.
        """
        return self._run("forward", source, out, self.empty_output, norm)

    def backward(self, source: Any, out: Any = None, *, norm: Optional[str] = None) -> Any:
        """Frequency to position. Collective. As ``forward``."""
        return self._run("backward", source, out, self.empty_input, norm)

    def apply(self, source: Any, function: Callable[..., Any], out: Any = None) -> Any:
        """Forward, a function of the frequencies, backward. Collective.

        Frequencies are in the layout that is cheapest, which is not ``layout_out``.

        Parameters
        ----------
        source : array
            This rank's part of the input.
        function : callable
            Takes this rank's frequencies and their wavenumbers, as ``wavenumbers()`` gives them. It changes the
            frequencies, or returns others. What it raises on one rank is raised on all.
        out : array
            Gets the result, which has the layout of the input.

        Examples
        --------
        >>> import numpy as np
        >>> import kallima
        >>> fft = kallima.Transform(None, (16, 16), dtype=float, lengths=[2 * np.pi] * 2)
        >>> u = fft.empty_input()
        >>> u[...] = np.sin(2 * np.pi * np.arange(16) / 16)
        >>> slope = fft.apply(u, lambda u_k, k: 1j * k[1] * u_k)
        >>> bool(np.allclose(slope, np.cos(2 * np.pi * np.arange(16) / 16)))
        True
        """
        inside = self
        if not self._out_is_free:
            if self._inside is None:
                self._inside = self._remake()
            inside = self._inside
        u_k = inside.forward(source)

        def arrays() -> tuple:
            result = function(u_k, inside.wavenumbers())
            if result is None:
                result = u_k
            elif result is not u_k:
                u_k[...] = result
            return u_k, inside.empty_input() if out is None else memory_of(out, True)

        bound = inside._core.bind("backward", arrays)
        bound(None)
        return bound.arrays[1] if out is None else out

    def wavenumbers(self) -> tuple[np.ndarray, ...]:
        """Wavenumbers of this rank's frequencies: an array per axis, shaped to broadcast, without that of a batch.

        2 pi k / length where ``lengths`` were given, else k, in the order of numpy.fft.fftfreq; of cosines and sines
        pi k / length. Local.
        """
        return tuple(self._along(axis, 1, float) for axis in self._transformed())

    def modes(self) -> tuple[np.ndarray, ...]:
        """The same as integers k."""
        return tuple(self._along(axis, 0, np.int64) for axis in self._transformed())

    @property
    def weights(self) -> np.ndarray:
        """How many frequencies of the whole spectrum each one stands for: 2 where its conjugate is not kept.

        Shaped to broadcast. Sums over a spectrum are sums of what is kept times this. Local.
        """
        result = np.ones((1,) * len(self.layout_out.shape))
        for axis in range(len(self.layout_out.shape)):
            result = result * self._along(axis, 2, float)
        return result

    def predict(self, direction: str = "forward") -> dict:
        """What the plan was priced at, on the machine that it was priced on, in seconds and bytes. Local."""
        return self._core.predict(direction)

    def trace(self) -> str:
        """What this rank did, where the option ``trace`` was given ("-": kept, not written). Local."""
        return self._core.trace()

    def close(self) -> None:
        """Free the plan and its workspace. Local; what is bound keeps them until it goes, too."""
        if self._inside is not None:
            self._inside.close()
            self._inside = None
        super().close()

    def _transformed(self) -> range:
        return range(1 if self._batch else 0, len(self.layout_out.shape))

    def _along(self, axis: int, which: int, dtype: Any) -> np.ndarray:
        values = np.asarray(self._core.wavenumbers(axis)[which], dtype)
        return values.reshape([-1 if a == axis else 1 for a in range(len(self.layout_out.shape))])


class Redistribute(_Planned):
    """Arrays that go from one layout to another. Collective.

    Parameters
    ----------
    comm : communicator
        As for Transform.
    shape : sequence of int
        Extents of the whole array.
    source, target : str or Layout
        ``forward`` goes from the first to the second.
    dtype : dtype
        Of elements; any that is copied by its bytes.
    **options
        As for Transform.

    Examples
    --------
    >>> import numpy as np
    >>> import kallima
    >>> turn = kallima.Redistribute(None, (6, 4), "slab", "y:all x:block/1", dtype=np.int32)
    >>> rows = turn.empty_input()
    >>> rows[...] = 7
    >>> columns = turn.forward(rows)
    >>> bool((columns == 7).all())
    True
    """

    def __init__(
        self, comm: Any, shape: Sequence[int], source: LayoutLike, target: LayoutLike, dtype: Any = float, **options: Any
    ) -> None:
        self._comm = handle_of(comm)
        ranks = _core.comm_size(self._comm)

        def arguments() -> dict:
            extents = [int(n) for n in shape]
            _core.check_shape(extents)
            if np.dtype(dtype).hasobject:
                raise _core.InvalidOption("Python's objects can not be sent; use a dtype of numbers")
            return {
                **options,
                "shape": extents,
                "input": layout_of(source, extents, ranks, False),
                "output": layout_of(target, extents, ranks, False),
            }

        self._core = _core.redistribution(self._comm, np.dtype(dtype).itemsize, arguments)
        self._finish()
        self.dtype_in = self.dtype_out = np.dtype(dtype)

    def forward(self, source: Any, out: Any = None) -> Any:
        """From the first layout to the second. Collective."""
        return self._run("forward", source, out, self.empty_output, None)

    def backward(self, source: Any, out: Any = None) -> Any:
        """From the second layout to the first. Collective."""
        return self._run("backward", source, out, self.empty_input, None)


class Halo:
    """Ghost cells: margins of a rank's array that hold copies of what neighbours have. Collective.

    Parameters
    ----------
    comm : communicator
        As for Transform.
    layout : Layout
        With margins: ``"z:block/4~2 y:all~2 x:all~2"``.
    dtype : dtype
        Of elements.
    widths : sequence of (below, above)
        What is filled of the margins, per axis; default: all.
    periodic : bool or sequence of bool
        Whether what lies beyond one end is what lies at the other, per axis.

    Examples
    --------
    >>> import numpy as np
    >>> import kallima
    >>> ranks = kallima.world().size
    >>> halo = kallima.Halo(None, kallima.Layout(f"y:block/{ranks}~1 x:all", (4 * ranks, 3)))
    >>> u, around = halo.empty()
    >>> u[...] = 1.0
    >>> halo.run(u)
    >>> bool((around == 1.0).all())
    True
    """

    def __init__(
        self,
        comm: Any,
        layout: Layout,
        dtype: Any = float,
        *,
        widths: Optional[Sequence[tuple[int, int]]] = None,
        periodic: Union[bool, Sequence[bool]] = True,
    ) -> None:
        self.dtype = np.dtype(dtype)

        def arguments() -> dict:
            axes = layout.ndim
            each = [periodic] * axes if isinstance(periodic, (bool, np.bool_)) else list(periodic)
            return {
                "layout": layout._core,
                "widths": layout._core.margins() if widths is None else [(below, above) for below, above in widths],
                "periodic": [bool(it) for it in each],
            }

        self._core = _core.Halo(handle_of(comm), self.dtype.itemsize, arguments)
        self.layout = Layout._of(self._core.layout(), self._core.rank())

    def empty(self) -> tuple[np.ndarray, np.ndarray]:
        """Memory, not set: this rank's own part, and all of it with the margins. Local."""
        memory = aligned(self.layout.allocated_size * self.dtype.itemsize)
        own = self.layout.view(memory, self.dtype)
        below_above = self.layout._core.margins()
        whole = tuple(n + below + above for n, (below, above) in zip(own.shape, below_above))
        if own.size == 0:
            return own, own
        strides = tuple(step * self.dtype.itemsize for step in self.layout.strides)
        return own, np.ndarray(whole, self.dtype, memory, 0, strides)

    def run(self, array: Any) -> None:
        """Fill the margins around an array, this rank's own part. Collective; agrees on nothing.

        An array that does not do ends the exchange on all ranks.
        """
        self._core.run(memory_of(array, True))

    __call__ = run


def _names_of_kinds(axes: int, kinds: Kinds, transformed: Optional[Sequence[int]], real: bool) -> list[str]:
    """One kind for each axis; of real data the last in ``transformed`` is halved, as in numpy.fft."""
    if kinds is None:
        names = ["fourier"] * axes
    elif isinstance(kinds, str):
        names = [kinds] * axes
    elif isinstance(kinds, Mapping):
        names = ["fourier"] * axes
        for axis, name in kinds.items():
            names[_axis(axis, axes)] = name
    else:
        names = list(kinds)
    if len(names) != axes:
        raise _core.InvalidOption(f"{len(names)} kinds for {axes} axes; give one for each")
    if transformed is not None:
        wanted = [_axis(axis, axes) for axis in transformed]
        names = [name if axis in wanted else "none" for axis, name in enumerate(names)]
        if real and wanted and "real" not in names and names[wanted[-1]] == "fourier":
            names[wanted[-1]] = "real"
    return names


def _axis(axis: int, axes: int) -> int:
    if not -axes <= axis < axes:
        raise _core.InvalidOption(f"there is no axis {axis}: the array has {axes}")
    return axis % axes


def _kind(dtype: Any, kinds: Kinds, shape: Any, axes: Any) -> tuple[str, str]:
    """What decides which code runs. What is wrong is said by the arguments, on all ranks."""
    try:
        kind, precision = _DTYPES[np.dtype(dtype).name]
        if kind == "r2c":
            names = _names_of_kinds(len(shape), kinds, axes, False)
            if not any(name in ("fourier", "real") for name in names):
                kind = "r2r"
    except (KeyError, TypeError, IndexError, ValueError, _core.Error):
        return "c2c", "f64"
    return kind, precision


def _r2c_axis(names: list[str]) -> int:
    for name in ("real", "fourier"):
        if name in names:
            return len(names) - 1 - names[::-1].index(name)
    raise _core.InvalidOption("of real data, one axis is a Fourier axis, or all are cosines, sines or none")


def _output(
    out: LayoutLike, source: Any, shape: list[int], real: bool, r2c_axis: int, keep: Any, ranks: int, batch: bool
) -> Any:
    """The output's layout as the compiled part takes it; "same" is the distribution of the input."""
    extents = list(_core.frequency_shape(shape, real, r2c_axis, list(keep or [])))
    if not (isinstance(out, str) and out == "same"):
        return layout_of(out, extents, ranks, batch)
    if source is None:
        raise _core.InvalidOption('out="same" needs a layout of the input; give one, or out="any"')
    if isinstance(source, dict) or (not isinstance(source, str) and not source.is_grid()):
        if extents != shape:
            raise _core.InvalidOption('boxes of frequencies are other boxes; give out="any", or a layout')
        return source
    text = source if isinstance(source, str) else source.dense().to_text()
    parsed = _core.Layout.parse(text, shape).dense()
    return _core.Layout.parse(parsed.to_text(), extents)
