#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What Python adds to a transform, and mpi4py-fft in turns with it where that is installed.

    PYTHONPATH=BUILD/python mpirun -n 2 python3 bench/python.py [ROUNDS]

Both loops in one process, in turns: medians, and the quartiles of their ratios.
"""

import resource
import sys
import time
from statistics import median, quantiles

import numpy as np
from mpi4py import MPI

import kallima

try:
    from mpi4py_fft import PFFT, newDistArray
except ImportError:
    PFFT = None

COMM = MPI.COMM_WORLD


def seconds(call) -> float:
    COMM.Barrier()
    start = time.perf_counter()
    call()
    return COMM.allreduce(time.perf_counter() - start, MPI.MAX)


def in_turns(ours, theirs, rounds):
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(rounds + 1)][1:]
    ratios = [a / b for a, b in pairs]
    low, middle, high = quantiles(ratios, n=4)
    return median(a for a, _ in pairs), median(b for _, b in pairs), middle, low, high


def python_and_cpp(n: int, rounds: int) -> None:
    fft = kallima.Transform(COMM, (n, n, n), complex)
    u, u_k = fft.empty_input(), fft.empty_output()
    u[...] = 1.0
    bound = fft.bind(u, u_k)
    runs = max(4, 4_000_000 // n**3)

    def loop():
        for _ in range(runs):
            bound()

    loop()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours, theirs, ratio, low, high = in_turns(loop, lambda: bound.repeat(runs), rounds)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    if COMM.rank == 0:
        print(f"c2c:{n}^3{'':6} Python {1e6 * ours / runs:10.1f} us, C++ {1e6 * theirs / runs:10.1f} us, ratio {ratio:.3f} "
              f"({low:.3f} to {high:.3f}), {grown} KiB more in memory, arrays {u.nbytes // 1024} KiB each", flush=True)


def against_mpi4py_fft(n: int, dtype: str, rounds: int) -> None:
    theirs = PFFT(COMM, (n, n, n), dtype=dtype, grid=(-1,))
    v = newDistArray(theirs, False, view=True)
    v[...] = 1.0
    v_k = newDistArray(theirs, True, view=True)
    layout, out = theirs.local_slice(False), theirs.local_slice(True)
    fft = kallima.Transform(COMM, (n, n, n), dtype, layout=layout, out=out, norm="forward")
    u, u_k = fft.empty_input(), fft.empty_output()
    u[...] = 1.0
    forward, backward = fft.bind(u, u_k), fft.bind(u_k, u, "backward")

    def our_pair():
        forward()
        backward()

    def their_pair():
        theirs.forward(v, v_k)
        theirs.backward(v_k, v)

    our_pair()
    their_pair()
    same = COMM.allreduce(bool(np.allclose(u_k, v_k)), MPI.LAND)
    mine, other, ratio, low, high = in_turns(our_pair, their_pair, rounds)
    if COMM.rank == 0:
        print(f"{'c2c' if dtype == 'D' else 'r2c'}:{n}^3{'':6} Kallima {1e3 * mine:8.2f} ms, mpi4py-fft {1e3 * other:8.2f} ms, "
              f"ratio {ratio:.2f} ({low:.2f} to {high:.2f}), same results: {'yes' if same else 'NO'}", flush=True)
    theirs.destroy()


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    for n in (32, 128):
        python_and_cpp(n, rounds)
    if PFFT is None:
        print("mpi4py-fft is not installed (python3-mpi4py-fft)")
        return
    for n in (64, 128, 256):
        for dtype in "Dd":
            against_mpi4py_fft(n, dtype, rounds)


if __name__ == "__main__":
    main()
