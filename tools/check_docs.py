#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs what README.md and docs/**/*.md show, so that they cannot go stale.

A fenced block is run when the words after its language say so:

  ```sh ci              bash runs it from the repository root and stops at the first line that fails
  ```cpp ci             must compile; with a main, it must link too
  ```cpp ci run=N       and must run with N ranks
  ```fortran ci         must compile with the Fortran module, where the tree has it
  ```python ci run=N    must run with N ranks (1 by default), where the tree has the package of Python
  ```text ci=COMMAND    is exactly what COMMAND prints to standard output; COMMAND is the rest of the
                        line; `text exit=2 ci=COMMAND` when it should end with another status than 0

In sh and text blocks $BUILD is the build tree, `kallima` its program, and mpicxx and mpiexec those of
the MPI it was built with. Blocks run in the order in which they stand, README.md first; nothing but
files passes from one to the next. --update writes what is printed into the documents instead of comparing.
"""

import argparse
import concurrent.futures
import difflib
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$")


class Block:
    def __init__(self, path, line, info, text):
        self.where = f"{path}:{line}"
        self.path = path
        self.line = line
        self.text = text
        words = info.split()
        self.language = words[0] if words else ""
        self.command = None
        rest = info[len(self.language):]
        found = re.search(r"(?:^|\s)ci=(.*)$", rest)
        if found:
            self.command = found.group(1).strip()
            if len(self.command) > 1 and self.command[0] == self.command[-1] and self.command[0] in "\"'":
                self.command = self.command[1:-1]
            rest = rest[:found.start()]
        tags = rest.split()
        self.checked = "ci" in tags or self.command is not None
        self.options = dict(tag.split("=", 1) for tag in tags if "=" in tag)


def blocks_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    opening = None
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if opening is None:
            if fence:
                opening, start, body = fence, number, []
            continue
        indent, marks, info = opening.groups()
        if fence and not fence.group(3) and fence.group(2).startswith(marks):
            yield Block(path, start, info, "".join(text + "\n" for text in body))
            opening = None
        else:
            body.append(line[len(indent):] if line.startswith(indent) else line.lstrip())
    if opening is not None:
        raise SystemExit(f"{path}:{start}: this block is never closed")


class Runner:
    def __init__(self, root, arguments, scratch):
        self.root = root
        self.arguments = arguments
        self.scratch = scratch
        self.updates = arguments.update
        self.moved = {}  # lines that documents have become longer, by path
        self.programs = {}  # that blocks of C++ became, by where they are
        self.compiled = {}  # what the compiler said of them
        self.environment = dict(os.environ, BUILD=arguments.build)
        # The wrapper's own compiler need not be the one the library was built with.
        self.environment.update(OMPI_CXX=arguments.cxx, MPICH_CXX=arguments.cxx)
        tools = os.path.join(scratch, "bin")
        os.mkdir(tools)
        self.mpiexec = [arguments.mpiexec, *arguments.mpiexec_flag]
        self._shim(os.path.join(tools, "mpicxx"), [arguments.mpicxx])
        for name in ("mpiexec", "mpirun"):
            self._shim(os.path.join(tools, name), self.mpiexec)
        self.environment["PATH"] = os.pathsep.join([tools, *arguments.path, os.environ["PATH"]])

    @staticmethod
    def _shim(path, command):
        # A script, not a link: some MPI wrappers look at the name they are called by.
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        os.chmod(path, 0o755)

    def _call(self, command, **options):
        return subprocess.run(command, cwd=self.root, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False, **options)

    def run(self, block):
        """What is wrong with the block, or None."""
        if block.language == "text" and block.command:
            return self._text(block)
        if block.command is None and block.language in ("sh", "bash"):
            return self._sh(block)
        if block.command is None and block.language in ("cpp", "c++"):
            return self._cpp(block)
        if block.command is None and block.language == "fortran":
            return self._fortran(block)
        if block.command is None and block.language == "python":
            return self._python(block)
        return f"do not know how to check a '{block.language}' block tagged like this"

    def _write(self, block, printed):
        path = os.path.join(self.root, block.path)
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        first = block.line + self.moved.get(block.path, 0)
        count = len(block.text.splitlines())
        new = printed.splitlines(keepends=True)
        lines[first:first + count] = new
        self.moved[block.path] = self.moved.get(block.path, 0) + len(new) - count
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)

    def _sh(self, block):
        trap = f"trap 'echo \"failed at line $((LINENO + {block.line} - 1)) of the document\" >&2' ERR\n"
        script = "set -eE -o pipefail; " + trap + block.text
        done = self._call(["bash", "-c", script], stderr=subprocess.STDOUT)
        return f"ended with status {done.returncode}:\n{done.stdout}" if done.returncode else None

    def _text(self, block):
        expected_status = int(block.options.get("exit", 0))
        done = self._call(["bash", "-c", block.command], stderr=subprocess.PIPE)
        if done.returncode != expected_status:
            return (f"'{block.command}' ended with status {done.returncode}, not {expected_status}:\n"
                    f"{done.stdout}{done.stderr}")
        printed = done.stdout if done.stdout.endswith("\n") or not done.stdout else done.stdout + "\n"
        if printed == block.text:
            return None
        if self.updates:
            self._write(block, printed)
            return None
        difference = difflib.unified_diff(block.text.splitlines(), printed.splitlines(),
                                          "in the document", "printed", lineterm="")
        return f"'{block.command}' prints something else:\n" + "\n".join(difference)

    def compile(self, number, block):
        """What the compiler says against the block, or None. Several may run at once."""
        program = os.path.join(self.scratch, f"block{number}")
        source = program + ".cpp"
        self.programs[block.where] = program
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'#line {block.line + 1} "{block.where.rsplit(":", 1)[0]}"\n{block.text}')
        is_program = re.search(r"\bint\s+main\s*\(", block.text)
        command = [self.arguments.mpicxx, "-std=c++20", "-Wall", "-Wextra", "-Werror",
                   "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", *self.arguments.flag]
        command += [f"-I{path}" for path in self.arguments.include]
        if is_program:
            command += [source, "-o", program, *self.arguments.lib]
            command += [f"-Wl,-rpath,{os.path.dirname(lib)}" for lib in self.arguments.lib if ".so" in lib]
        else:
            command += ["-c", source, "-o", program + ".o"]
        done = self._call(command, stderr=subprocess.STDOUT)
        if done.returncode:
            return f"does not compile:\n{done.stdout}"
        return "is to be run but has no main" if "run" in block.options and not is_program else None

    def _fortran(self, block):
        modules = os.path.join(self.arguments.build, "bindings", "fortran", "modules")
        if not os.path.exists(os.path.join(modules, "kallima.mod")):
            return None
        source = os.path.join(self.scratch, f"block_at_{block.line}.f90")
        with open(source, "w", encoding="utf-8") as file:
            file.write(block.text)
        mpifort = re.sub(r"mpi(cxx|c\+\+)([^/]*)$", r"mpifort\2", self.arguments.mpicxx)
        done = self._call([mpifort, "-std=f2018", "-Wall", "-Werror", "-I", modules, "-fsyntax-only", source],
                          stderr=subprocess.STDOUT)
        return f"does not compile:\n{done.stdout}" if done.returncode else None

    def _python(self, block):
        package = os.path.join(self.arguments.build, "python")
        if not os.path.exists(os.path.join(package, "kallima", "_built_for.py")):
            return None
        source = os.path.join(self.scratch, f"block_at_{block.line}.py")
        with open(source, "w", encoding="utf-8") as file:
            file.write(block.text)
        environment = {**self.environment, "PYTHONPATH": package, "MPLBACKEND": "Agg"}
        done = subprocess.run([*self.mpiexec, "-n", block.options.get("run", "1"), sys.executable, source], cwd=self.scratch,
                              env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return f"ends with status {done.returncode}:\n{done.stdout}" if done.returncode else None

    def _cpp(self, block):
        problem = self.compiled[block.where].result()
        if problem or "run" not in block.options:
            return problem
        done = self._call([*self.mpiexec, "-n", block.options["run"], self.programs[block.where]],
                          stderr=subprocess.STDOUT)
        return f"ended with status {done.returncode}:\n{done.stdout}" if done.returncode else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), ".."))
    parser.add_argument("--build", required=True, help="the build tree")
    parser.add_argument("--include", action="append", default=[], help="folder of headers")
    parser.add_argument("--lib", action="append", default=[], help="library to link, in order")
    parser.add_argument("--flag", action="append", default=[], help="flag for the compiler")
    parser.add_argument("--path", action="append", default=[], help="folder of programs")
    parser.add_argument("--cxx", required=True, help="compiler the library was built with")
    parser.add_argument("--mpicxx", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--mpiexec-flag", action="append", default=[])
    parser.add_argument("--update", action="store_true", help="write what is printed into the documents")
    arguments = parser.parse_args()
    root = os.path.abspath(arguments.root)

    documents = [path for path in ["README.md"] if os.path.exists(os.path.join(root, path))]
    documents += sorted(os.path.relpath(path, root)
                        for path in glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True))
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        runner = Runner(root, arguments, scratch)
        blocks = [block for path in documents for block in blocks_of(root, path) if block.checked]
        programs = [block for block in blocks if block.command is None and block.language in ("cpp", "c++")]
        pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        for number, block in enumerate(programs):
            runner.compiled[block.where] = pool.submit(runner.compile, number, block)
        concurrent.futures.wait(runner.compiled.values())  # ranks that compilers disturb wait for each other
        for block in blocks:
            problem = runner.run(block)
            print(f"{block.where}: {'FAILED' if problem else 'ok'} ({block.language})", flush=True)
            if problem:
                failures += 1
                print(problem, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
