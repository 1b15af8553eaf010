#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command in a control group with a limit of memory.

  control_group.py BYTES COMMAND...

The group is made within that of the caller, limited, and gone afterwards. The command runs in a
group within it that has no limit of its own, as a step of a batch job does. Needs the right to make
groups of version 1 (root on the host, mostly); where it is missing, or there are only groups of version
2, which do not take a group beside processes, it says so and ends with 77.
"""
import os
import subprocess
import sys
import time

SKIPPED = 77


def own_group():
    """The folder of this process's group of the controller of memory."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        fields = [line.rstrip("\n").split(":", 2) for line in file]
    paths = [path for _, controllers, path in fields if "memory" in controllers.split(",")]
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            before, _, behind = line.rstrip("\n").partition(" - ")
            root, folder = before.split(" ")[3:5]
            kind, _, options = behind.split(" ")
            if paths and kind == "cgroup" and root == "/" and "memory" in options.split(","):
                return folder + paths[0].rstrip("/")
    return None


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def remove(folder):
    """Removes a group; the system takes a moment to see that its processes have ended."""
    for _ in range(100):
        try:
            os.rmdir(folder)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.05)
    print(f"control_group.py: cannot remove {folder}", file=sys.stderr)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    limit, command = sys.argv[1], sys.argv[2:]
    own = own_group()
    if own is None:
        print("skipped: memory has no control groups of version 1 here")
        return SKIPPED
    group = f"{own}/kallima-test-{os.getpid()}"
    step = group + "/step"
    try:
        try:
            os.mkdir(group)
            write(group + "/memory.limit_in_bytes", limit)
            os.mkdir(step)
        except OSError as error:
            print(f"skipped: control groups cannot be made here: {error}")
            return SKIPPED
        return subprocess.run(
            command, preexec_fn=lambda: write(step + "/cgroup.procs", str(os.getpid())), check=False
        ).returncode
    finally:
        remove(step)
        remove(group)


sys.exit(main())
