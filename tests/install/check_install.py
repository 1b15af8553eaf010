# SPDX-License-Identifier: BSD-3-Clause
"""Builds users' projects, in C++ and in C, against the library, each way that one comes by it:

    installed    what the tree has made, static or shared, installed, moved, then used by
                 find_package, component by component, and by pkg-config; of a shared one also what it
                 exports. The command
                 line and a shared library must find the machines that were moved with them, and a
                 project in C needs no C++
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


def ended(*command, **more):
    print("+", " ".join(command), flush=True)
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def run(*command, **more):
    done = ended(*command, **more)
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
        self.moved = os.path.join(scratch, "moved")

    def start(self, program, shared_in=None, libraries=("libkallima.so",), mpi=True):
        """Runs a program; it must use these shared libraries in that folder, or none, and MPI or not."""
        linked = run("ldd", program)
        used = [line for line in linked.splitlines() if "libkallima" in line]
        wanted = libraries if shared_in else ()
        right = len(used) == len(wanted) and all(
            any(name in line and shared_in in line for line in used) for name in wanted)
        if not right:
            sys.exit(f"{program} should use {wanted or 'no shared library'} of {shared_in}, and uses {used}")
        if ("libmpi" in linked) != mpi:
            sys.exit(f"{program} should be linked with{'' if mpi else 'out'} MPI:\n{linked}")
        more = ["frontier"] if shared_in and shared_in.startswith(self.moved) else []
        ranks = [self.arguments.mpiexec, *self.arguments.mpiexec_flag, "-n", "2"] if mpi else []
        print(run(*ranks, program, *more))

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
        self.start(os.path.join(tree, "extras"), shared_in and shared_in(tree),
                   ("libkallima_extras.so",))
        self.start(os.path.join(tree, "planning"), shared_in and shared_in(tree),
                   ("libkallima_planning.so",), mpi=False)
        return tree

    def installed(self, build, name):
        """Installs a build tree, and returns where what was installed has been moved to."""
        first = os.path.join(self.scratch, name)
        prefix = os.path.join(self.moved, name)
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
        self.project_in_c(prefix, folder if shared else None)
        self.by_pkg_config(prefix, folder if shared else None)

    def project_in_c(self, prefix, shared_in):
        """By find_package in a project that enables C and no C++."""
        source = os.path.join(self.arguments.source, "tests", "install", "consumer_c")
        tree = os.path.join(self.scratch, "tree-c")
        options = ["-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}"]
        for argument in self.arguments.cmake_arg:
            if argument.startswith("-DCMAKE_C_COMPILER="):
                options.append(argument)
        if os.path.exists(self.arguments.mpicc):
            options.append(f"-DMPI_C_COMPILER={self.arguments.mpicc}")
        run("cmake", "-S", source, "-B", tree, "-DC_LANGUAGE=C", *options)
        run("cmake", "--build", tree)
        self.start(os.path.join(tree, "in_c"), shared_in)
        refused = ended("cmake", "-S", source, "-B", tree + "-none", "-DC_LANGUAGE=NONE", *options)
        if refused.returncode == 0 or "enable_language(C)" not in refused.stderr:
            sys.exit(f"a project without a language is not told to enable one:\n{refused.stderr}")

    def by_pkg_config(self, prefix, shared_in):
        """Plain, and with --static, which asks for what a static library would need."""
        description, = files_below(prefix, "kallima.pc")
        environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(description))
        for static in ([], ["--static"]):
            flags = run("pkg-config", *static, "--cflags", "--libs", "kallima", env=environment).split()
            for flag in flags:
                if "/gcc/" in flag:
                    sys.exit(f"pkg-config names the folder of one version of a compiler: {flag}")
            for compiler, standard, source in ((self.arguments.mpicxx, "-std=c++20", "in_cpp.cpp"),
                                               (self.arguments.mpicc, "-std=c99", "in_c.c")):
                if not os.path.exists(compiler):
                    continue
                program = os.path.join(self.scratch, source + ".".join(["", *static]))
                run(compiler, standard, "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
                    os.path.join(self.consumer, source), "-o", program, *flags,
                    *([f"-Wl,-rpath,{shared_in}"] if shared_in else []))
                self.start(program, shared_in)

    def in_place_of_fftw_mpi(self, prefix):
        """A program of FFTW-MPI, by our header and library."""
        if not files_below(prefix, "libkallima_fftw3_mpi.so") or not os.path.exists(self.arguments.mpicc):
            return
        description, = files_below(prefix, "kallima_fftw3_mpi.pc")
        environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(description))
        flags = run("pkg-config", "--cflags", "--libs", "kallima_fftw3_mpi", env=environment).split()
        library, = files_below(prefix, "libkallima_fftw3_mpi.so")
        program = os.path.join(self.scratch, "fftw3_mpi_program")
        run(self.arguments.mpicc, "-std=gnu11", os.path.join(self.arguments.source, "tests", "fftw3_mpi", "program.c"),
            "-o", program, *flags, "-lm", "-ldl", f"-Wl,-rpath,{os.path.dirname(library)}")
        print(run(self.arguments.mpiexec, *self.arguments.mpiexec_flag, "-n", "2", program))

    def in_place_of_heffte(self, prefix):
        """A program of heFFTe, by find_package(Heffte), in C++11."""
        config, = files_below(prefix, "HeffteConfig.cmake")
        tree = os.path.join(self.scratch, "tree-heffte")
        run("cmake", "-S", os.path.join(self.arguments.source, "tests", "install", "consumer_heffte"), "-B", tree,
            "-G", "Ninja", f"-DHeffte_DIR={os.path.dirname(config)}", *self.arguments.cmake_arg)
        run("cmake", "--build", tree)
        print(run(self.arguments.mpiexec, *self.arguments.mpiexec_flag, "-n", "2", os.path.join(tree, "program")))

    def in_fortran(self, prefix):
        """A program of Fortran, by find_package and by pkg-config."""
        if not files_below(prefix, "kallima.mod"):
            return
        source = os.path.join(self.arguments.source, "tests", "install", "consumer_fortran")
        tree = os.path.join(self.scratch, "tree-fortran")
        mpifort = self.arguments.mpicc.replace("mpicc", "mpifort")
        run("cmake", "-S", source, "-B", tree, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DMPI_Fortran_COMPILER={mpifort}", f"-DMPI_C_COMPILER={self.arguments.mpicc}")
        run("cmake", "--build", tree)
        description, = files_below(prefix, "kallima_fortran.pc")
        environment = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(description))
        flags = run("pkg-config", "--cflags", "--libs", "kallima_fortran", env=environment).split()
        plain = os.path.join(self.scratch, "in_fortran")
        library = os.path.dirname(os.path.dirname(description))
        run(mpifort, os.path.join(source, "in_fortran.f90"), "-o", plain, *flags, f"-Wl,-rpath,{library}")
        for program in (os.path.join(tree, "in_fortran"), plain):
            print(run(self.arguments.mpiexec, *self.arguments.mpiexec_flag, "-n", "2", program))

    def installed_and_used(self):
        prefix = self.installed(self.arguments.build, "here")
        if self.arguments.shared:
            library, = files_below(prefix, "libkallima.so")
            print(check_symbols.check(self.arguments.nm, library, os.path.join(prefix, "include")))
        program = os.path.join(prefix, "bin", "kallima")
        if os.path.exists(program):
            self.find_machines(program)
        self.use(prefix, self.arguments.shared)
        self.in_place_of_fftw_mpi(prefix)
        self.in_place_of_heffte(prefix)
        self.in_fortran(prefix)

    def find_machines(self, program):
        """By a program that was moved: called by its path, found in PATH, and by a link to it."""
        linked = os.path.join(self.scratch, "linked")
        os.symlink(program, linked)
        path = os.pathsep.join([os.path.dirname(program), os.environ["PATH"]])
        for called in (program, "kallima", linked):
            told = run(called, "predict", "c2c:512^3", "-n", "64", "--machine", "frontier",
                       cwd=self.scratch, env=dict(os.environ, PATH=path))
            if "frontier" not in told:
                sys.exit(f"{called} does not say that it prices on frontier:\n{told}")

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
