# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of all docstrings of the package, on all ranks."""

import doctest
import importlib
import pkgutil
import sys

import kallima

failed = 0
for found in pkgutil.walk_packages(kallima.__path__, "kallima."):
    if found.name.endswith("_core") or (found.name.startswith("kallima.mpi4py_fft") and kallima._mpi.MPI_FAMILY != "Open MPI"):
        continue
    failed += doctest.testmod(importlib.import_module(found.name)).failed
failed += doctest.testmod(kallima).failed
sys.exit(failed != 0)
