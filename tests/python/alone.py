# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run by themselves, on one rank, although tests run on several."""

import os
import subprocess
import sys

LAUNCHERS = ("OMPI_", "PMI", "PMIX", "HYDI", "MPI")


def run(program: str) -> subprocess.CompletedProcess:
    """Runs a text of Python without the environment of the launcher."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(LAUNCHERS)}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
