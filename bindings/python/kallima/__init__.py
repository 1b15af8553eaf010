# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms of arrays that are distributed over the ranks of MPI.

>>> import numpy as np
>>> import kallima
>>> fft = kallima.Transform(None, (16, 12, 10), dtype=float)
>>> u = fft.empty_input()
>>> u[...] = 1.0
>>> u_k = fft.forward(u)
>>> bool(np.allclose(fft.backward(u_k), u))
True

Calls that all ranks make together say so; what is wrong on one rank is raised on all of them, as the same class with
the same text. ``kallima.Error`` is the base of all classes.
"""

from . import _mpi  # first: it looks whether the MPI of this process is the one of the module
from ._core import (
    BrokenTransform,
    ConcurrentUse,
    DeadlineExceeded,
    EngineFailure,
    Error,
    FileError,
    InternalError,
    InvalidBuffer,
    InvalidLayout,
    InvalidOption,
    InvalidShape,
    MismatchedArguments,
    MpiFailure,
    OutOfMemory,
    Overflow,
    ParseError,
    StaleCommunicator,
    TooFewRanks,
)
from ._core import version as __version__
from ._mpi import Communicator, world
from .array import DistArray
from .layout import Layout
from .transform import Bound, Halo, Redistribute, Transform
from . import fft
from .planning import advise, machines, plan, predict

__all__ = [
    "Bound",
    "BrokenTransform",
    "Communicator",
    "ConcurrentUse",
    "DeadlineExceeded",
    "DistArray",
    "EngineFailure",
    "Error",
    "FileError",
    "Halo",
    "InternalError",
    "InvalidBuffer",
    "InvalidLayout",
    "InvalidOption",
    "InvalidShape",
    "Layout",
    "MismatchedArguments",
    "MpiFailure",
    "OutOfMemory",
    "Overflow",
    "ParseError",
    "Redistribute",
    "StaleCommunicator",
    "TooFewRanks",
    "Transform",
    "__version__",
    "advise",
    "fft",
    "machines",
    "plan",
    "predict",
    "world",
]
