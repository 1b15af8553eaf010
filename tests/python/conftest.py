# SPDX-License-Identifier: BSD-3-Clause
"""Tests run on all ranks at once; where one fails, it ends the others, which may wait for it."""

import os
import sys

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")
sys.path.insert(0, os.path.dirname(__file__))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.failed and int(os.environ.get("OMPI_COMM_WORLD_SIZE", os.environ.get("PMI_SIZE", "1"))) > 1:
        print(f"FAILED {item.nodeid}\n{report.longreprtext}", flush=True)
        os._exit(1)
