# SPDX-License-Identifier: BSD-3-Clause
"""Communicators: of mpi4py, as Fortran handles, or of this package."""

from __future__ import annotations

import atexit
import sys

from ._built_for import MPI_FAMILY


def _family_of(library_version: str) -> str:
    """The MPI whose ``MPI_Get_library_version`` this is."""
    for family in ("Open MPI", "MPICH", "Intel(R) MPI", "MVAPICH"):
        if family in library_version:
            return family
    return library_version.split("\n")[0].strip("\0 ")


def _refuse_other(theirs: str) -> str:
    return (
        f"mpi4py is of {theirs}, and this kallima was built for {MPI_FAMILY}: one process can not run both. "
        f"Install an mpi4py of {MPI_FAMILY}, or build kallima for {theirs} (CMake: KALLIMA_MPI)"
    )


# Libraries of two MPIs in one process take each other's functions, so this is asked before the module is loaded.
if "mpi4py.MPI" in sys.modules:
    _theirs = _family_of(sys.modules["mpi4py.MPI"].Get_library_version())
    if _theirs != MPI_FAMILY:
        raise ImportError(_refuse_other(_theirs))

from . import _core  # noqa: E402


class Communicator:
    """Ranks that transform together, where there is no mpi4py.

    Parameters
    ----------
    handle : int
        Fortran handle of the communicator, as ``MPI_Comm_c2f`` gives it. It is not freed.
    """

    __slots__ = ("_handle",)

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def py2f(self) -> int:
        """The Fortran handle, as mpi4py's method of this name gives it."""
        return self._handle

    @property
    def rank(self) -> int:
        """This process' number."""
        return _core.comm_rank(self._handle)

    @property
    def size(self) -> int:
        """How many there are."""
        return _core.comm_size(self._handle)

    def barrier(self) -> None:
        """Wait for all ranks. Collective."""
        _core.barrier(self._handle)

    def sum(self, value: float) -> float:
        """The sum of all ranks' numbers, on all of them. Collective."""
        return _core.sum(self._handle, float(value))

    def __repr__(self) -> str:
        return f"<rank {self.rank} of {self.size}>"


def _start() -> None:
    """Start MPI where nobody did, and end it with the interpreter."""
    if _core.start_mpi():
        atexit.register(_core.end_mpi)


def world() -> Communicator:
    """All ranks that were started together; one, where there was no ``mpirun``.

    Starts MPI where nobody did, with MPI_THREAD_MULTIPLE, and ends it when the interpreter ends.

    Examples
    --------
    >>> import kallima
    >>> kallima.world().size >= 1
    True
    """
    _start()
    return Communicator(_core.world_handle())


def handle_of(comm: object) -> int:
    """The Fortran handle of mpi4py's communicators, ours, or the handle itself; of None, that of ``world()``."""
    if comm is None:
        return world().py2f()
    _start()
    if isinstance(comm, int) and not isinstance(comm, bool):
        return comm
    if type(comm).__module__.split(".")[0] == "mpi4py":
        theirs = _family_of(sys.modules["mpi4py.MPI"].Get_library_version())
        if theirs != MPI_FAMILY:
            raise _core.InvalidOption(_refuse_other(theirs))
    try:
        return int(comm.py2f())  # type: ignore[attr-defined]
    except AttributeError:
        raise _core.InvalidOption(
            f"a {type(comm).__name__} is no communicator; give mpi4py's, a Fortran handle, or kallima.world()"
        ) from None
