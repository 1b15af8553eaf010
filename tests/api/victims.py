#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills and stops ranks, and looks at what becomes of the others.

  victims.py [--cases N] --family openmpi|mpich PROGRAM MPIEXEC FLAG...

Each case starts PROGRAM (victims_test) on four ranks, so that the others live on when one dies. One rank
kills or stops itself at a place of planning, making memory, binding or running, or is hit at any moment.
Then on every other rank a call has to throw, at most two seconds behind its deadline, with an error that
tells where; ranks that were stopped are continued, and have to end as well; nothing may be left in
/dev/shm. Places come from a rehearsal by each method in which nobody is hit. --cases takes so many of all
cases, spread over them.
"""
import argparse
import concurrent.futures
import dataclasses
import glob
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 4
GRACE = 2.0  # seconds behind the deadline
METHODS = [("shared-memory", "1"), ("point-to-point", "1"), ("point-to-point", "4"), ("point-to-point", "4m"), ("alltoallv", "1"),
          ("node-aggregated", "1"), ("node-aggregated", "4"), ("bruck", "1")]
# How survivors are kept alive: flags of mpiexec, and what starts the program. Hydra (MPICH 4) kills all ranks
# when one is ended by a signal, whatever its flags say. So it starts shells, which end in peace. It tells the
# other ranks by SIGUSR1 that one is gone.
SHELL = """trap '' USR1; "$@"; exit 0"""
KEEP_ALIVE = {"openmpi": (["--mca", "orte_enable_recovery", "1"], []),
              "mpich": (["-disable-auto-cleanup"], ["sh", "-c", SHELL, "sh"])}
# Files in /dev/shm that are not ours: MPI's, and those of LLVM's OpenMP, which a process leaves there that is
# killed or ends by _exit().
OPENMP = "/dev/shm/__KMP_REGISTERED_LIB_{}_*"
THEIRS = re.compile(r"vader_segment|mpich|psm|sem\.|__KMP_REGISTERED_LIB_|osc_|cuda")
PLACE = re.compile(r"rank \d+(, step \d+)? \([^()]+\) of (planning|make memory|bind|run)\b")


@dataclasses.dataclass(frozen=True)
class Case:
    method: str
    chunks: str
    rank: int
    signal: str
    phase: str
    event: int
    name: str = ""
    deadline: float = 1.5
    late: float = 0.0

    def text(self):
        late = f", begun {self.late} s late" if self.late else ""
        return (f"{self.method}/{self.chunks}: {self.signal} rank {self.rank} at {self.phase} {self.event} "
                f"{self.name}{late}")


class Job:
    """One run of the program."""

    def __init__(self, options, case):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="victims."))
        environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
        if options.family == "mpich":
            # UCX aborts where a rank dies whose memory it reads (cma), or whose connection it has (tcp).
            environment["UCX_TLS"] = "self,posix,sysv"
        if case.method in ("node-aggregated", "bruck"):
            environment["KALLIMA_RANKS_PER_NODE"] = "2"
        flags, starter = KEEP_ALIVE[options.family]
        words = [options.mpiexec, *options.flags, *flags, "-n", RANKS, *starter, options.program, self.folder,
                 case.rank, case.signal, case.phase, case.event, case.method, case.chunks, case.deadline, case.late]
        with open(self.folder / "output", "wb") as output:
            self.mpiexec = subprocess.Popen([str(word) for word in words], env=environment, stdout=output,
                                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def lines(self, rank):
        try:
            return (self.folder / f"rank{rank}").read_text().splitlines()
        except FileNotFoundError:
            return []

    def line(self, rank, *beginnings):
        return next((line for line in self.lines(rank) if line.startswith(beginnings)), None)

    def wait(self, seconds, done):
        """Until done() or so many seconds have passed, or the job has ended; returns done()."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.mpiexec.poll() is None and not done():
            time.sleep(0.02)
        return done()

    def wait_for(self, seconds, ranks, *beginnings):
        return self.wait(seconds, lambda: all(self.line(rank, *beginnings) for rank in ranks))

    def send(self, rank, number):
        os.kill(int(self.line(rank, "pid ").split()[1]), number)

    def finish(self):
        """True where the job ends by itself. Nothing is left of it in any case."""
        (self.folder / "end").touch()
        try:
            self.mpiexec.wait(20)
            return True
        except subprocess.TimeoutExpired:
            return False
        finally:
            for rank in range(RANKS):
                self.kill(rank)
            self.mpiexec.kill()
            self.mpiexec.wait()

    def kill(self, rank):
        """Unless it is gone, and its number somebody else's."""
        line = self.line(rank, "pid ")
        if line is None:
            return
        number = int(line.split()[1])
        try:
            if str(self.folder) in pathlib.Path(f"/proc/{number}/cmdline").read_text():
                os.kill(number, signal.SIGKILL)
        except OSError:
            pass
        for name in glob.glob(OPENMP.format(number)):
            pathlib.Path(name).unlink(missing_ok=True)


def play(options, case):
    """What is wrong, and how much behind its deadline the last rank threw; None where nobody was hit."""
    job = Job(options, case)
    survivors = [rank for rank in range(RANKS) if rank != case.rank]
    try:
        wrong, latest, hit = judged(job, case, survivors)
        if not job.finish():
            wrong.append("the job does not end")
        if not hit:
            return None
        ending = survivors if case.signal == "kill" else range(RANKS)
        wrong += [f"rank {rank} crashed" for rank in ending if not job.line(rank, "over")]
        if wrong:
            wrong += [f"rank {rank}: {line}" for rank in range(RANKS) for line in job.lines(rank)]
            wrong.append((job.folder / "output").read_text(errors="replace"))
        return wrong, latest
    finally:
        job.finish()
        shutil.rmtree(job.folder, ignore_errors=True)


def judged(job, case, survivors):
    verdicts = ("threw ", "done", "failed")
    limit = 20 + case.late + 3 * (case.deadline + GRACE)
    hit = False
    if case.phase == "any":
        hit = job.wait_for(limit, range(RANKS), "ready")
        if hit:
            time.sleep(random.random() * 0.05)
            job.send(case.rank, signal.SIGKILL if case.signal == "kill" else signal.SIGSTOP)
    job.wait_for(limit, survivors, *verdicts)
    hit = hit or job.line(case.rank, "hit ") is not None
    wrong = []
    latest = 0.0
    for rank in survivors:
        line = job.line(rank, *verdicts)
        if line is None or not line.startswith("threw "):
            wrong.append(f"rank {rank} does not throw: {line}")
            continue
        _, took, text = line.split(" ", 2)
        latest = max(latest, float(took) - case.deadline)
        if "deadline_exceeded" not in text and "mpi_failure" not in text:
            wrong.append(f"rank {rank} throws another error")
        if not PLACE.search(text):
            wrong.append(f"rank {rank} does not tell where")
    if latest > GRACE:
        wrong.append(f"{latest:.2f} s behind the deadline")
    if hit and case.signal == "stop":
        job.send(case.rank, signal.SIGCONT)
        if not job.wait_for(case.deadline + GRACE + 10, [case.rank], "threw ", "done"):
            wrong.append("the rank that was continued does not end")
    return wrong, latest, hit


def rehearse(options, method, chunks):
    """For each rank its events, as [phase][event] -> name."""
    job = Job(options, Case(method, chunks, 0, "none", "none", 0, deadline=60.0))
    try:
        if not job.wait_for(60, range(RANKS), "done"):
            raise SystemExit(f"the rehearsal of {method}/{chunks} fails: {(job.folder / 'output').read_text()}")
        events = []
        for rank in range(RANKS):
            mine = {}
            for line in job.lines(rank):
                if line.startswith("event "):
                    _, phase, _, name = line.split(" ")
                    mine.setdefault(phase, []).append(name)
            events.append(mine)
        return events
    finally:
        job.finish()
        shutil.rmtree(job.folder, ignore_errors=True)


def spread(items, count):
    """So many of a list, from its beginning to its end."""
    if count >= len(items):
        return list(items)
    return [items[(i * (len(items) - 1)) // max(1, count - 1)] for i in range(count)]


def cases_of(method, chunks, events):
    """Each rank and signal: some places of planning, others for others; one of making memory and of binding;
    all steps of a run; and any moment."""
    turn = 0
    for rank in range(RANKS):
        for name in ("kill", "stop"):
            make = lambda phase, event: Case(method, chunks, rank, name, phase, event, events[rank][phase][event])
            for phase, count in (("planning", 2), ("memory", 1), ("bind", 1)):
                all_of = len(events[rank][phase])
                for i in range(count):
                    yield make(phase, (turn + i * all_of // count) % all_of)
            for event in spread(range(len(events[rank]["run"])), 7):
                yield make("run", event)
            yield Case(method, chunks, rank, name, "any", 0)
            turn += 1


def all_cases(options, pool):
    rehearsals = list(pool.map(lambda one: rehearse(options, *one), METHODS))
    # First, so that it is always taken: the deadline of planning counts from its beginning, whatever has
    # taken its time before. The victim comes late, and is killed when the others have nearly done.
    method, chunks = METHODS[0]
    last = len(rehearsals[0][1]["planning"]) - 2
    cases = [Case(method, chunks, 1, "kill", "planning", last, deadline=4.0, late=3.5)]
    for (method, chunks), events in zip(METHODS, rehearsals):
        cases += cases_of(method, chunks, events)
    return cases


def played(options, case):
    """A machine that is slow may make ranks throw before the victim is hit."""
    result = play(options, case)
    for _ in range(2):
        if result is not None:
            break
        case = dataclasses.replace(case, deadline=2 * case.deadline)
        result = play(options, case)
    return result


def shared_memory():
    return {name for name in os.listdir("/dev/shm") if not THEIRS.search(name)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=sys.maxsize)
    parser.add_argument("--only", default="", help="cases whose text this expression matches")
    parser.add_argument("--jobs", type=int, default=3, help="cases at once; they mostly sleep")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--family", choices=sorted(KEEP_ALIVE), required=True)
    parser.add_argument("program")
    parser.add_argument("mpiexec")
    parser.add_argument("flags", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    before = shared_memory()
    begin = time.monotonic()
    failures = missed = 0
    latest = 0.0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        cases = [case for case in all_cases(options, pool) if re.search(options.only, case.text())]
        cases = spread(cases, options.cases)
        for case, result in zip(cases, pool.map(lambda one: played(options, one), cases)):
            if result is None:
                missed += 1
                print(f"not reached: {case.text()}", flush=True)
                continue
            wrong, late = result
            latest = max(latest, late)
            if wrong:
                failures += 1
                print("\n  ".join([f"FAILED {case.text()}", *wrong]), flush=True)
            elif options.verbose:
                print(f"{case.text()}: {late:.2f} s behind the deadline", flush=True)
    left = shared_memory() - before
    if left:
        failures += 1
        print(f"FAILED: left in /dev/shm: {sorted(left)}")
    print(f"{len(cases) - missed} cases, {missed} not reached, {failures} failed; the latest throws {latest:.2f} s "
          f"behind its deadline; {time.monotonic() - begin:.0f} s")
    # What is not reached depends on chance; most has to be.
    return 1 if failures or missed > len(cases) // 10 else 0


if __name__ == "__main__":
    sys.exit(main())
