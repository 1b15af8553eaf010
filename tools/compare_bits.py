#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the results of two builds, bit by bit, on one machine.

    tools/compare_bits.py OLD_BUILD NEW_BUILD [--cases N] [--mpiexec 'mpiexec --oversubscribe']

Both builds' property tests run the same configurations by every exchange method, forward and back, and
print a digest of each one's results. A build is a folder with tests/MODULE/property_test in it. Ends
with 1 where digests differ. Digests depend on the processor and on FFTW, so none are kept.
"""

import argparse
import glob
import os
import shlex
import subprocess
import sys

# ranks, arguments
RUNS = [
    (1, []),
    (2, []),
    (3, []),
    (4, []),
    (6, []),
    (2, ["--real"]),
    (4, ["--real"]),
    (4, ["--per-node", "2"]),
    (6, ["--per-node", "3"]),
    (2, ["--large"]),
]


def digests(build, mpiexec, ranks, arguments, cases):
    programs = glob.glob(os.path.join(glob.escape(build), "tests", "*", "property_test"))
    if len(programs) != 1:
        sys.exit(f"{build}: build target property_test there")
    program = programs[0]
    command = mpiexec + ["-n", str(ranks), program, "--seed", str(1000 + ranks), "--cases", str(cases), "--bits"]
    done = subprocess.run(command + arguments, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command + arguments)}\n{done.stdout}ended with {done.returncode}")
    return [line for line in done.stdout.splitlines() if line.startswith("case ")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--cases", type=int, default=100, help="configurations of each run (default: 100)")
    parser.add_argument("--mpiexec", default="mpiexec", help="how to launch, without the number of ranks")
    arguments = parser.parse_args()
    mpiexec = shlex.split(arguments.mpiexec)
    compared = different = 0
    for ranks, extra in RUNS:
        old, new = (digests(b, mpiexec, ranks, extra, arguments.cases) for b in (arguments.old, arguments.new))
        unlike = [(a, b) for a, b in zip(old, new) if a != b]
        compared += len(old)
        different += len(unlike) + abs(len(old) - len(new))
        print(f"{ranks} ranks {' '.join(extra):<14} {len(old)} configurations, {len(unlike)} differ", flush=True)
        for a, b in unlike[:3]:
            print(f"  old {a}\n  new {b}")
    print(f"{compared} configurations compared, {different} differ")
    return 1 if different or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
