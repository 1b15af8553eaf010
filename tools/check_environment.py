#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""docs/guide/environment.md names every environment variable that the sources read, and no other."""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join("docs", "guide", "environment.md")
NAME = r"\"([A-Z][A-Z0-9_]+)\""


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def read_by_sources():
    """Names in calls of getenv, and in lists that a loop hands to it."""
    names = {}
    for folder in "src", "apps", "bindings", "bench", "examples", "tests", "fuzz":
        for path in glob.glob(os.path.join(folder, "**", "*.[ch]*"), root_dir=ROOT, recursive=True):
            text = text_of(path)
            if "getenv" not in text:
                continue
            for name in re.findall(r"getenv\(\s*" + NAME, text):
                names[name] = path
            for block in re.findall(r"[={:]\s*\{([^{}]*)\}", text):
                for name in re.findall(NAME, block):
                    names[name] = path
    return names


def main():
    read = read_by_sources()
    rows = [line.split("|")[1] for line in text_of(PAGE).splitlines() if line.startswith("| `")]
    told = {name for row in rows for name in re.findall(r"`([A-Z0-9_]+)`", row)}
    complaints = [f"{PAGE} does not name {name}, which {path} reads" for name, path in sorted(read.items())
                  if name not in told]
    complaints += [f"{PAGE} names {name}, which nobody reads" for name in sorted(told - set(read))]
    print("\n".join(complaints) or f"{len(told)} variables")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
