# SPDX-License-Identifier: BSD-3-Clause
"""Builds users' projects, in C++ and in C, against the library, each way that one comes by it:

    installed    what the tree has made, static or shared, installed, moved, then used by
                 find_package and by pkg-config; of a shared one also what it exports
    subdirectory add_subdirectory, configured, and its first module compiled
    fetch        FetchContent, likewise
    whole        FetchContent, all of it compiled and run: a minute, and so nothing that CI does"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import check_symbols


def run(*command, **more):
    print("+", " ".join(command), flush=True)
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr + f"failed: {' '.join(command)}")
    return done.stdout


def files_below(folder, *endings):
    return [os.path.join(base, name) for base, _, names in os.walk(folder) for name in names
            if name.endswith(endings)]


class Check:
    def __init__(self, arguments, scratch):
        self.arguments = arguments
        self.scratch = scratch
        self.consumer = os.path.join(arguments.source, "tests", "install", "consumer")

    def start(self, program, shared_in=None):
        """Runs a program; it must use the shared library in that folder, or none."""
        used = [line for line in run("ldd", program).splitlines() if "libkallima" in line]
        right = len(used) == 1 and shared_in in used[0] if shared_in else not used
        if not right:
            sys.exit(f"{program} should use {shared_in or 'no shared library'}, and uses {used}")
        print(run(self.arguments.mpiexec, *self.arguments.mpiexec_flag, "-n", "2", program))

    def configured(self, how, *options):
        tree = os.path.join(self.scratch, "tree-" + how)
        shutil.rmtree(tree, ignore_errors=True)
        run("cmake", "-S", self.consumer, "-B", tree, "-G", "Ninja", f"-DKALLIMA_FROM={how}",
            f"-DKALLIMA_SOURCE={self.arguments.source}", *self.arguments.cmake_arg, *options)
        return tree

    def project(self, how, *options, shared_in=None):
        """Builds and runs the consumer project; returns its tree."""
        tree = self.configured(how, *options)
        run("cmake", "--build", tree)
        for program in ("in_cpp", "in_c"):
            self.start(os.path.join(tree, program), shared_in and shared_in(tree))
        return tree

    def installed(self, build, name):
        """Installs a build tree, and returns where what was installed has been moved to."""
        first = os.path.join(self.scratch, name)
        prefix = os.path.join(self.scratch, "moved", name)
        run("cmake", "--install", build, "--prefix", first)
        os.makedirs(os.path.dirname(prefix), exist_ok=True)
        shutil.move(first, prefix)
        for path in files_below(prefix, ".cmake", ".pc"):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for place in (first, build, self.arguments.source):
                if place + os.sep in text:
                    sys.exit(f"{path} names {place}, and so cannot be moved")
        return prefix

    def use(self, prefix, shared):
        """Uses an installed copy by find_package and by pkg-config."""
        library, = files_below(prefix, "libkallima.so" if shared else "libkallima.a")
        folder = os.path.dirname(library)
        self.project("package", f"-DCMAKE_PREFIX_PATH={prefix}",
                     shared_in=(lambda tree: folder) if shared else None)
        for compiler, standard, source in ((self.arguments.mpicxx, "-std=c++20", "in_cpp.cpp"),
                                           (self.arguments.mpicc, "-std=c99", "in_c.c")):
            if not os.path.exists(compiler):
                continue
            program = os.path.join(self.scratch, source + (".shared" if shared else ".static"))
            description, = files_below(prefix, "kallima.pc")
            flags = run("pkg-config", *([] if shared else ["--static"]), "--cflags", "--libs",
                        "kallima",
                        env=dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(description)))
            run(compiler, standard, "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
                os.path.join(self.consumer, source), "-o", program, *flags.split(), "-lm",
                *([f"-Wl,-rpath,{folder}"] if shared else []))
            self.start(program, folder if shared else None)

    def installed_and_used(self):
        prefix = self.installed(self.arguments.build, "here")
        if self.arguments.shared:
            library, = files_below(prefix, "libkallima.so")
            print(check_symbols.check(self.arguments.nm, library, os.path.join(prefix, "include")))
        self.use(prefix, self.arguments.shared)

    def first_module(self, how):
        run("cmake", "--build", self.configured(how), "--target", "kallima_base")

    def whole(self):
        # Nothing of it depends on how fast the code is.
        self.project("fetch", "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_BUILD_TYPE=Debug",
                     "-DCMAKE_CXX_FLAGS_DEBUG=-O0", shared_in=lambda tree: tree)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--mpicxx", required=True)
    parser.add_argument("--mpicc", required=True, help="C is built by pkg-config where it exists")
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--mpiexec-flag", action="append", default=[])
    parser.add_argument("--cmake-arg", action="append", default=[])
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--shared", action="store_true", help="what the tree has made is")
    parser.add_argument("--ways", default="installed,subdirectory,fetch")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        check = Check(arguments, os.path.realpath(scratch))
        ways = {"installed": check.installed_and_used,
                "subdirectory": lambda: check.first_module("subdirectory"),
                "fetch": lambda: check.first_module("fetch"), "whole": check.whole}
        for way in arguments.ways.split(","):
            ways[way]()
    print("installed, moved, found and used")


if __name__ == "__main__":
    main()
