#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the bed itself: are hosts seen as nodes, do links limit, do beds disturb each other, is all gone afterwards?

A case is a function case_NAME; ctest knows it as netbed_NAME. Rates are compared with each other, never with a clock.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
INSIDE = re.compile(r"(^|\.)(h\d+|switch)(\.|$)")


class Failed(Exception):
    """What a bed did otherwise than it should."""


class Bed:
    """One call of netbed. What it starts carries a mark in its environment, by which it is found again."""

    def __init__(self, arguments, options, command):
        self.mark = f"NETBED_MARK={uuid.uuid4()}"
        environment = dict(os.environ, NETBED_MARK=self.mark.partition("=")[2])
        line = [os.path.join(HERE, "netbed"), "--mpiexec", arguments.mpiexec, *options, "--", arguments.probe, *command]
        self.process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        """Waits, and gives the exit code and what was printed."""
        try:
            output, errors = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            raise Failed(f"does not end, or leaves processes: {self.processes()}") from None
        if self.process.returncode == SKIPPED:
            print(errors, end="", file=sys.stderr)
            sys.exit(SKIPPED)
        return self.process.returncode, output, errors

    def wait_until_ready(self):
        line = self.process.stdout.readline()
        if line != "ready\n":
            code, _, errors = self.end()
            raise Failed(f"not ready but ended with {code}: {line}{errors}")

    def processes(self):
        """Those that are left of it."""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/environ", "rb") as file:
                    if self.mark.encode() in file.read().split(b"\0"):
                        found.append(number)
            except OSError:
                pass  # ended meanwhile
        return found

    def expect_gone(self):
        """The kernel ends the processes of a bed that was killed; it is given a moment."""
        deadline = time.monotonic() + 20
        while self.processes():
            if time.monotonic() > deadline:
                raise Failed(f"processes are left: {self.processes()}")
            time.sleep(0.05)


def expect(condition, complaint):
    if not condition:
        raise Failed(complaint)


def succeeded(bed):
    code, output, errors = bed.end()
    expect(code == 0, f"ended with {code}: {output}{errors}")
    expect(errors == "", f"said: {errors}")
    return output


def stream(arguments, options, size):
    return Bed(arguments, options, ["stream", str(size)])


def near(ratio, expected):
    return expected / 2 < ratio < expected * 2


def outside():
    """What the machine itself has under names that are used inside a bed, and its names of hosts."""
    found = []
    for place in ("/run/netns", "/sys/class/net", "/dev/shm"):
        names = os.listdir(place) if os.path.isdir(place) else []
        found += sorted(os.path.join(place, name) for name in names if INSIDE.search(name))
    with open("/etc/hosts", encoding="utf-8") as file:
        return found, file.read()


def case_nodes(arguments):
    for hosts, ranks in ((1, 1), (2, 1), (4, 1), (2, 2), (3, 2)):
        options = ["--hosts", str(hosts), "--ranks-per-host", str(ranks)]
        output = succeeded(Bed(arguments, options, ["nodes"]))
        expected = f"{hosts} {ranks} {ranks} {hosts}\n"
        expect(output == expected, f"{hosts} x {ranks}: nodes, ranks of one, names are {output}, not {expected}")


def case_rate(arguments):
    size = 8 * 2**20
    slow = float(succeeded(stream(arguments, ["--rate", "100mbit"], size)))
    fast = float(succeeded(stream(arguments, ["--rate", "500mbit"], size)))
    unlimited = float(succeeded(stream(arguments, ["--rate", "none"], size)))
    # Three hosts send to one: it is the link of that one that limits.
    many = float(succeeded(stream(arguments, ["--rate", "100mbit", "--hosts", "4"], size // 3)))
    print(f"100mbit {slow:.3g} bytes/s, 500mbit {fast:.3g}, none {unlimited:.3g}; 100mbit from three {many:.3g}")
    expect(near(fast / slow, 5), f"a link of five times the rate is {fast / slow} times as fast")
    expect(unlimited > 1.2 * fast, f"without a limit it is {unlimited / fast} times as fast as with 500mbit")
    expect(near(many / slow, 1), f"from three hosts comes {many / slow} times as much as from one")


def case_two_at_once(arguments):
    waiting = Bed(arguments, ["--ranks-per-host", "2"], ["wait"])
    waiting.wait_until_ready()
    size = 4 * 2**20
    both = [stream(arguments, ["--rate", rate], size) for rate in ("50mbit", "200mbit")]
    slow, fast = (float(succeeded(bed)) for bed in both)
    print(f"at once: 50mbit {slow:.3g} bytes/s, 200mbit {fast:.3g}")
    expect(near(fast / slow, 4), f"a link of four times the rate is {fast / slow} times as fast")
    expect(waiting.process.poll() is None, "a bed was ended by the end of another")
    waiting.process.terminate()
    waiting.end()
    waiting.expect_gone()


def case_ends(arguments):
    """However the program or the bed ends, the code says so and nothing is left."""
    before = outside()
    for command, code in ((["nodes"], 0), (["exit", "3"], 3), (["kill"], 128 + signal.SIGKILL)):
        bed = Bed(arguments, ["--ranks-per-host", "2"], command)
        is_code, output, errors = bed.end()
        expect(is_code == code, f"{command} ends with {is_code}, not {code}: {output}{errors}")
        expect(not bed.processes(), f"{command}: processes are left: {bed.processes()}")
    for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)):
        bed = Bed(arguments, ["--ranks-per-host", "2"], ["wait"])
        bed.wait_until_ready()
        expect(len(bed.processes()) > 4, "the mark finds no processes while they run")
        bed.process.send_signal(number)
        is_code, output, errors = bed.end()
        expect(is_code == code, f"signal {number}: ends with {is_code}, not {code}: {output}{errors}")
        bed.expect_gone()
    expect(outside() == before, f"outside there is {outside()}, and was {before}")


def case_wrong_calls(arguments):
    for options in (["--hosts", "0"], ["--hosts", "x"], ["--ranks-per-host", "0"], ["--hots", "2"]):
        code, output, errors = Bed(arguments, options, ["nodes"]).end()
        expect(code == 2 and output == "" and errors.count("\n") == 1, f"{options}: {code} {output}{errors}")
    code, output, errors = Bed(arguments, ["--rate", "fast"], ["nodes"]).end()
    expect(code not in (0, SKIPPED) and "fast" in errors, f"--rate fast: {code} {output}{errors}")


def main():
    cases = {name[len("case_"):]: case for name, case in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probe", required=True)
    parser.add_argument("--mpiexec", default="mpirun.openmpi")
    parser.add_argument("case", choices=sorted(cases))
    arguments = parser.parse_args()
    try:
        cases[arguments.case](arguments)
    except Failed as failure:
        print(f"FAILED {arguments.case}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
