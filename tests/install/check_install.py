# SPDX-License-Identifier: BSD-3-Clause
"""Installs the library, moves what was installed, and builds users' projects against it: by
find_package, by pkg-config, by add_subdirectory (as a shared library) and by FetchContent."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile


def run(*command, **more):
    print("+", " ".join(command), flush=True)
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr + f"failed: {' '.join(command)}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--mpicxx", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--mpiexec-flag", action="append", default=[])
    parser.add_argument("--cmake-arg", action="append", default=[])
    parser.add_argument("--ways", default="package,pkg-config,subdirectory,fetch")
    arguments = parser.parse_args()
    consumer = os.path.join(arguments.source, "tests", "install", "consumer")

    def start(program, **more):
        print(run(arguments.mpiexec, *arguments.mpiexec_flag, "-n", "2", program, **more))

    with tempfile.TemporaryDirectory() as scratch:
        first = os.path.join(scratch, "first")
        prefix = os.path.join(scratch, "moved", "kallima")
        run("cmake", "--install", arguments.build, "--prefix", first)
        os.makedirs(os.path.dirname(prefix))
        shutil.move(first, prefix)
        for way in arguments.ways.split(","):
            tree = os.path.join(scratch, way)
            if way == "pkg-config":
                os.makedirs(tree)
                folders = [os.path.join(base) for base, _, files in os.walk(prefix)
                           if "kallima.pc" in files]
                environment = dict(os.environ, PKG_CONFIG_PATH=folders[0])
                flags = run("pkg-config", "--static", "--cflags", "--libs", "kallima",
                            env=environment).split()
                run(arguments.mpicxx, "-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
                    os.path.join(consumer, "in_cpp.cpp"), "-o", os.path.join(tree, "in_cpp"), *flags)
                start(os.path.join(tree, "in_cpp"))
                continue
            run("cmake", "-S", consumer, "-B", tree, "-G", "Ninja", f"-DKALLIMA_FROM={way}",
                f"-DKALLIMA_SOURCE={arguments.source}", f"-DCMAKE_PREFIX_PATH={prefix}",
                f"-DBUILD_SHARED_LIBS={'ON' if way == 'subdirectory' else 'OFF'}",
                *arguments.cmake_arg)
            run("cmake", "--build", tree)
            start(os.path.join(tree, "in_cpp"))
            start(os.path.join(tree, "in_c"))
    print("installed, moved, found and used")


if __name__ == "__main__":
    main()
