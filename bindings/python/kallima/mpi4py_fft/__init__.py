# SPDX-License-Identifier: BSD-3-Clause
"""The interface of mpi4py-fft, for programs that change one import:

``from kallima.mpi4py_fft import PFFT, newDistArray``

Layouts are those of mpi4py-fft. A transform is one plan of Kallima; with ``padding`` it is a plan per axis. Needs mpi4py.
"""

from . import distarray, fftw, mpifft, pencil
from .distarray import DistArray, Function, newDistArray
from .mpifft import PFFT
from .pencil import Pencil, Subcomm

__all__ = ["DistArray", "Function", "PFFT", "Pencil", "Subcomm", "distarray", "fftw", "mpifft", "newDistArray", "pencil"]
