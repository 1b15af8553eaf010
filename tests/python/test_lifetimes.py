# SPDX-License-Identifier: BSD-3-Clause
"""Objects may be dropped in any order, on any rank, before and after MPI ends; nothing leaks."""

import gc
import os
import random

import alone
import numpy as np
import pytest

import kallima

COMM = kallima.world()


def pages() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1])


def files() -> int:
    return len(os.listdir("/proc/self/fd"))


def next_communicator() -> int:
    """Number of the communicator that MPI makes next: those that are not freed keep theirs. 0 without mpi4py."""
    if kallima._mpi.MPI_FAMILY != "Open MPI":
        return 0
    MPI = pytest.importorskip("mpi4py.MPI")
    made = MPI.COMM_WORLD.Dup()
    number = made.py2f()
    made.Free()
    return number


CYCLES = int(os.environ.get("KALLIMA_TEST_CYCLES", "2000"))


def cycle(order: random.Random, kept: list) -> None:
    plan = kallima.Transform(COMM, (8, 6), [complex, float][len(kept) % 2])
    u, u_k = plan.empty_input(), plan.empty_output()
    bound = plan.bind(u, u_k)
    bound()
    some = [plan, bound, u, u_k]
    order.shuffle(some)
    kept += some
    del plan, bound, u, u_k, some
    while len(kept) > 8:
        kept.pop(order.randrange(len(kept)))


def test_nothing_leaks():
    order = random.Random(COMM.rank)  # another order on every rank
    kept: list = []
    for _ in range(CYCLES // 4):
        cycle(order, kept)
    gc.collect()
    before, opened, number = pages(), files(), next_communicator()
    for _ in range(3 * CYCLES // 4):
        cycle(order, kept)
    kept.clear()
    gc.collect()
    grown = pages() - before
    assert grown <= 256, f"{grown} pages more after {3 * CYCLES // 4} cycles"
    assert files() <= opened + 8
    assert next_communicator() <= number + 8


def test_one_rank_drops_its_object():
    plan = kallima.Transform(COMM, (8, 6), complex)
    if COMM.rank == 0:
        del plan
        gc.collect()
    other = kallima.Transform(COMM, (4, 6), complex)
    u = other.empty_input()
    u[...] = 1.0
    assert np.allclose(other.backward(other.forward(u)), u)


def test_cycles_of_references():
    for _ in range(20):
        plan = kallima.Transform(COMM, (8, 6), complex)
        holder = {"plan": plan, "bound": plan.bind(plan.empty_input(), plan.empty_output())}
        holder["self"] = holder
        del plan, holder
    gc.collect()


EXITS = {
    "at_exit": "kept = plan",
    "in_a_cycle": "kept = [plan]; kept.append(kept)",
    "in_another_module": "import builtins; builtins.kept = (plan, bound)",
    "mpi_ended_before": "import atexit; kallima._core.end_mpi()",
    "cached": "kallima.fft.fftn(np.ones((4, 4), complex), comm=comm)",
    "cached_then_ended": "kallima.fft.fftn(np.ones((4, 4), complex), comm=comm); kallima._core.end_mpi()",
}


@pytest.mark.parametrize("which", sorted(EXITS))
def test_exit(which):
    program = f"""
import numpy as np
import kallima
comm = kallima.world()
plan = kallima.Transform(comm, (8, 6), complex)
bound = plan.bind(plan.empty_input(), plan.empty_output())
bound()
{EXITS[which]}
"""
    if COMM.rank:  # processes of their own, of one rank
        return
    done = alone.run(program)
    assert done.returncode == 0, done.stderr
    assert "rror" not in done.stderr, done.stderr


def test_after_mpi_ended():
    if COMM.rank:
        return
    program = """
import kallima
comm = kallima.world()
plan = kallima.Transform(comm, (8, 6), complex)
u = plan.empty_input()
kallima._core.end_mpi()
try:
    kallima.Transform(comm, (8, 6), complex)
except kallima.Error as error:
    print("refused", error)
"""
    done = alone.run(program)
    assert done.stdout.startswith("refused"), done.stderr
