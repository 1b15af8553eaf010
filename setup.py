# SPDX-License-Identifier: BSD-3-Clause
"""Builds the compiled part of the package with CMake. What is said of the package is in pyproject.toml.

CMAKE_ARGS: options of CMake, such as -DKALLIMA_MPI=mpich.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()


class Build(build_ext):
    def build_extension(self, ext: Extension) -> None:
        tree = Path(self.build_temp).resolve() / "cmake"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DKALLIMA_PYTHON=ON", "-DKALLIMA_APPS=OFF", "-DKALLIMA_TESTS=OFF",
                   "-DKALLIMA_EXAMPLES=OFF", "-DKALLIMA_BENCH=OFF"]
        options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(tree), *generator, *options], check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        subprocess.run(["cmake", "--build", str(tree), "--target", "kallima_python", "--parallel", jobs], check=True)
        target = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        target.mkdir(parents=True, exist_ok=True)
        for built in [*(tree / "python/kallima").glob("_core*.so"), tree / "python/kallima/_built_for.py"]:
            shutil.copy2(built, target)


version = re.search(r'define KALLIMA_VERSION "(.*)"', (ROOT / "include/kallima/version.h").read_text())
assert version is not None
setup(
    version=version[1],
    ext_modules=[Extension("kallima._core", sources=[])],
    cmdclass={"build_ext": Build},
    data_files=[("share/kallima/machines", [str(path.relative_to(ROOT)) for path in sorted((ROOT / "machines").glob("*.toml"))])],
)
