# SPDX-License-Identifier: BSD-3-Clause
"""Parallel files of distributed arrays, by h5py."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import h5py
import numpy as np

from . import _core
from ._mpi import MPI_FAMILY, _family_of, handle_of


def _parallel(handle: int) -> Any:
    """The communicator as mpi4py has it, where h5py can use that; else None."""
    if not h5py.get_config().mpi:
        return None
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    if _family_of(MPI.Get_library_version()) != MPI_FAMILY:
        return None
    return MPI.Comm.f2py(handle)


def in_turn(handle: int, body: Callable[[int], None]) -> None:
    """Rank after rank; what one raises, all raise. Collective."""
    wrong = b""
    for rank in range(_core.comm_size(handle)):
        if rank == _core.comm_rank(handle):
            try:
                body(rank)
            except (OSError, ValueError, _core.Error) as raised:
                wrong = str(raised).encode()[:400]
        wrong = _core.broadcast(handle, wrong.ljust(400, b"\0"), rank).rstrip(b"\0")
        if wrong:
            raise _core.FileError(wrong.decode(errors="replace"))


def _dataset(file: Any, name: str, shape: Sequence[int], dtype: np.dtype) -> Any:
    if name in file:
        del file[name]
    return file.create_dataset(name, tuple(shape), dtype)


def write_part(comm: Any, path: str, name: str, part: np.ndarray, shape: Sequence[int], where: tuple[slice, ...]) -> None:
    """Write a part that each rank has of an array. At once where h5py has MPI, else rank after rank. Collective."""
    handle = handle_of(comm)
    parallel = _parallel(handle)
    if parallel is not None:
        with h5py.File(path, "a", driver="mpio", comm=parallel) as file:
            dataset = _dataset(file, name, shape, part.dtype)
            if part.size:
                dataset[where] = part
        return

    def one(rank: int) -> None:
        with h5py.File(path, "a") as file:
            if rank == 0:
                _dataset(file, name, shape, part.dtype)
            if part.size:
                file[name][where] = part

    in_turn(handle, one)


def _found(file: Any, path: str, name: str) -> Any:
    """The dataset, or an error that says what there is."""
    if name not in file:
        raise OSError(f"{path} has no dataset '{name}'; it has {', '.join(file) or 'none'}")
    return file[name]


def extents(comm: Any, path: str, name: str) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of a dataset. Collective."""
    found: list = []

    def one(_: int) -> None:
        with h5py.File(path, "r") as file:
            dataset = _found(file, path, name)
            found.append((tuple(dataset.shape), dataset.dtype))

    in_turn(handle_of(comm), one)
    return found[0]


def read_part(comm: Any, path: str, name: str, part: np.ndarray, shape: Sequence[int], where: tuple[slice, ...]) -> None:
    """Read each rank's part of an array. Collective."""

    def one(_: int) -> None:
        with h5py.File(path, "r") as file:
            dataset = _found(file, path, name)
            if tuple(dataset.shape) != tuple(shape):
                raise OSError(f"'{name}' in {path} has shape {dataset.shape}, and the array {tuple(shape)}")
            if part.size:
                part[...] = dataset[where]

    in_turn(handle_of(comm), one)
