#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long `kallima plan` takes, how much memory, and whether plans are as cheap as another build's.

    bench/planning.py build/release/apps/kallima/kallima
    bench/planning.py NEW --against OLD --most-ranks 2000

The first form times problems that were slow once, then random ones: 1 to 4 axes, extents that are
powers of two, smooth or neither, complex and real, layouts any, slab, pencil and brick, 1 to 2^20
ranks, 1 to 128 of them a node. Seconds are those of the processor, which other programs disturb
less than the clock; both are printed. The second form prices random problems by both builds, leaves
out those for which the old one takes longer than --limit, and prints ratios of prices.
"""
import argparse
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

ONCE_SLOW = [
    "c2c:1000x900x700 -n 1001", "c2c:1000x900x700 -n 1000", "r2c:4096^3 -n 4096",
    "r2c:4096^3 -n 12288", "r2c:1536^3 -n 1536", "c2c:1536^3 -n 4608", "c2c:512^3 -n 768",
    "c2c:4096^3 -n 4096", "c2c:65536x65536 -n 65536", "c2c:65536x65536 -n 65536 --chunks 1",
    "c2c:65536x65536 -n 4096", "r2c:8192x16384x16384 -n 18387", "c2c:4096x4096x2048 -n 5316",
    "r2c:256x256x180 -n 262144", "r2c:256x512x128x256 -n 1048576",
    "c2c:512x442x512 -n 48 --ranks-per-node 2",
]
MOST_EXTENT = {1: 2**30, 2: 2**17, 3: 2**14, 4: 2**10}  # by axes
MOST_RANKS = 2**20
RANKS_A_NODE = [1, 2, 4, 8, 16, 32, 48, 56, 64, 96, 128]


@dataclass
class Run:
    """One `kallima plan`."""

    arguments: list
    cpu: float
    wall: float
    megabytes: float
    status: int
    output: str

    def line(self):
        what = " ".join(a if len(a) < 80 else a[:40] + "..." for a in self.arguments)
        bad = f"  status {self.status}" if self.status else ""
        return f"{self.cpu:8.3f} {self.wall:8.3f} {self.megabytes:6.0f}  {what}{bad}"


def plan(program, arguments, limit):
    """Runs `program plan`, for at most so many seconds of the processor."""

    def limited():
        seconds = math.ceil(limit)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        child = subprocess.Popen([program, "plan", *arguments], stdout=output,
                                 stderr=subprocess.STDOUT, preexec_fn=limited)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status  # it has been waited for
        wall = time.monotonic() - start
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Run(arguments, usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, status,
               text)


def some_number(rng, most):
    """A power of two, a product of small primes, or anything; evenly in its logarithm."""
    kind = rng.random()
    if kind < 0.35:
        return 2 ** rng.randint(0, int(math.log2(most)))
    number = round(2 ** rng.uniform(0, math.log2(most)))
    if kind >= 0.7:
        return max(1, number)
    smooth = 1
    while True:
        factor = rng.choice([2, 2, 2, 3, 5, 7])
        if smooth * factor > number:
            return smooth
        smooth *= factor


def random_problem(rng, most_ranks):
    """Arguments of `kallima plan`."""
    axes = rng.choice([1, 2, 3, 3, 3, 4])
    shape = [some_number(rng, MOST_EXTENT[axes]) for _ in range(axes)]
    if axes > 1 and rng.random() < 0.3:
        shape = [shape[0]] * axes
    problem = rng.choice(["c2c", "r2c"]) + ":" + "x".join(map(str, shape))
    arguments = [problem, "-n", str(some_number(rng, most_ranks))]
    for flag in ("--in", "--out"):
        layout = rng.choice(["any", "any", "slab", "brick"] + (["pencil"] if axes >= 3 else []))
        if layout != "any":
            arguments += [flag, layout]
    if rng.random() < 0.7:
        arguments += ["--ranks-per-node", str(rng.choice(RANKS_A_NODE + [rng.randint(1, 128)]))]
    return arguments


def boxes_of_pencils(extent, side):
    """The pencils of a cube over a square of ranks, as boxes."""

    def cut(part):
        return part * (extent // side) + min(part, extent % side)

    boxes = [f"{cut(i)}:{cut(i + 1)} {cut(j)}:{cut(j + 1)} 0:{extent}" for i in range(side)
             for j in range(side)]
    return "boxes z y x | " + " | ".join(boxes)


def at(part, numbers):
    return sorted(numbers)[min(len(numbers) - 1, int(part * len(numbers)))]


def measure(options):
    rng = random.Random(options.seed)
    known = [line.split() for line in ONCE_SLOW]
    known.append(["c2c:512^3", "-n", "4096", "--in", boxes_of_pencils(512, 64)])
    print("     cpu     wall     MB  problem")
    for arguments in known:
        print(plan(options.program, arguments, options.limit).line(), flush=True)
    runs = [plan(options.program, random_problem(rng, options.most_ranks), options.limit)
            for _ in range(options.problems)]
    print(f"\n{len(runs)} random problems; those that took longest:")
    for run in sorted(runs, key=lambda run: -run.cpu)[:10]:
        print(run.line())
    for name, seconds in (("cpu", [run.cpu for run in runs]), ("wall", [run.wall for run in runs])):
        print(f"{name}: median {at(0.5, seconds):.3f} s, 90 % {at(0.9, seconds):.3f}, "
              f"99 % {at(0.99, seconds):.3f}, most {max(seconds):.3f}; "
              f"{sum(s > 1 for s in seconds)} over 1 s")
    print(f"memory: at most {max(run.megabytes for run in runs):.0f} MB")
    failed = [run for run in runs if run.status]
    for run in failed:
        print(f"failed: {run.line()}")
    return 1 if failed else 0


def compare(options):
    rng = random.Random(options.seed)
    ratios = []
    skipped = 0
    for _ in range(options.problems):
        arguments = random_problem(rng, options.most_ranks) + ["--json"]
        old = plan(options.against, arguments, options.limit)
        if old.status:
            skipped += 1
            continue
        new = plan(options.program, arguments, options.limit)
        seconds = [json.loads(run.output)["price"]["seconds"] for run in (old, new)]
        ratios.append(seconds[1] / seconds[0] if seconds[0] > 0 else 1.0)
        if abs(ratios[-1] - 1) > 1e-9:
            print(f"{ratios[-1]:.4f}  {' '.join(arguments)}", flush=True)
    print(f"{len(ratios)} prices, new over old: at most {max(ratios):.6f}, at least "
          f"{min(ratios):.6f}; {sum(r > 1 + 1e-9 for r in ratios)} dearer, "
          f"{sum(r < 1 - 1e-9 for r in ratios)} cheaper; {skipped} left out")
    return 1 if max(ratios) > 1.01 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the command line, kallima")
    parser.add_argument("--against", help="another build, to compare prices with")
    parser.add_argument("--problems", type=int, default=300, help="random ones (default: 300)")
    parser.add_argument("--most-ranks", type=int, default=MOST_RANKS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20,
                        help="seconds after which a plan is given up (default: 20)")
    options = parser.parse_args()
    return compare(options) if options.against else measure(options)


if __name__ == "__main__":
    sys.exit(main())
