#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks what the compiler cannot: that includes follow the picture of tools/modules.txt, and who owns what.

- a file of module X, which is the folder src/X or X, and a public header of X, includes only X and what X may use;
- every public header is mapped to a module, every folder of src/ is a module;
- mpi.h is included only where tools/modules.txt says so, and handles of MPI are made and freed only there;
- what we ship reads and writes files by base/file.hpp, not by streams;
- libraries that users should not need are not included by public headers;
- every source file carries the SPDX line.

Linking alone does not catch these: static modules that include each other's headers link well as
long as somebody brings the symbols.
"""

import argparse
import os
import re
import sys

PRIVATE_LIBRARIES = re.compile(r"^(fmt|CLI|nlohmann|toml\+\+)/|^(toml|CLI11)\.hpp$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Calls that make a handle which somebody has to free, and those that free one. Calls that make requests are
# not among them: these are written into owners.
HANDLES = re.compile(
    r"\bMPI_(Comm_(i?dup|split|split_type|create\w*|group|free|free_keyval)|Intercomm_\w+|Cart_\w+|Request_free"
    r"|Type_(contiguous|vector|indexed|hvector|hindexed|create\w*|dup|free)|Group_\w+|Info_(create|dup|free)"
    r"|Win_(create|allocate|free)\w*|Op_(create|free))\s*\(")
SHIPPED = ("src/", "apps/", "bindings/", "include/", "calibration/", "extras/", "theory/")
SPDX = "SPDX-License-Identifier: BSD-3-Clause"
CPP = (".cpp", ".hpp", ".h", ".cc")
SPDX_ENDINGS = CPP + (".py", ".sh", ".cmake", ".f90")


class Modules:
    """What tools/modules.txt says; `problems` is what is wrong with the file itself."""

    def __init__(self, path):
        self.deps = {}
        self.header_module = {}
        self.mpi_paths = []
        self.handle_paths = []
        self.problems = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                self._read(line.split("#")[0].split(), f"tools/modules.txt:{number}")

    def _read(self, words, where):
        if not words:
            return
        if words[0].endswith(":"):
            module = words[0][:-1]
            if module in self.deps:
                self.problems.append(f"{where}: module {module} is listed twice")
            for dep in words[1:]:
                if dep not in self.deps:
                    self.problems.append(f"{where}: {module} needs {dep}, which is not listed above it")
            self.deps[module] = words[1:]
        elif words[0] == "library" and len(words) == 3:
            if words[2] not in self.deps:
                self.problems.append(f"{where}: library {words[1]} needs {words[2]}, which is not listed above it")
        elif words[0] == "header" and len(words) == 3:
            if words[1] in self.header_module:
                self.problems.append(f"{where}: header {words[1]} is listed twice")
            if words[2] not in self.deps:
                self.problems.append(f"{where}: {words[2]} is not a module")
            self.header_module[words[1]] = words[2]
        elif words[0] == "mpi" and len(words) == 2:
            self.mpi_paths.append(words[1])
        elif words[0] == "handles" and len(words) == 2:
            self.handle_paths.append(words[1])
        else:
            self.problems.append(f"{where}: cannot read '{' '.join(words)}'")

    def allowed(self, module):
        """The module and all it may use, directly or through others."""
        result, pending = set(), [module]
        while pending:
            name = pending.pop()
            if name not in result:
                result.add(name)
                pending += self.deps.get(name, [])
        return result

    def allows_mpi(self, path):
        return any(path == allowed or path.startswith(allowed + "/") for allowed in self.mpi_paths)


def source_files(root):
    """Paths relative to root, with '/'; a build tree is not a source."""
    for folder, subfolders, names in os.walk(root):
        here = os.path.relpath(folder, root).replace(os.sep, "/")
        subfolders[:] = sorted(
            name for name in subfolders
            if (not name.startswith(".") or name == ".ci")
            and not name.startswith("build") and name != "__pycache__"
            and not os.path.exists(os.path.join(folder, name, "CMakeCache.txt")))
        for name in sorted(names):
            yield name if here == "." else f"{here}/{name}"


def module_of(path, modules):
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[0] in modules.deps and len(parts) > 1:
        return parts[0]
    if parts[0] == "include":
        return modules.header_module.get(path[len("include/"):])
    return None


def included_path(root, path, quote, target, modules):
    """Where an include leads, relative to root; None when it is not ours."""
    if quote == '"':
        beside = os.path.normpath(os.path.join(os.path.dirname(path), target)).replace(os.sep, "/")
        if os.path.exists(os.path.join(root, beside)):
            return beside
    if target.startswith("kallima/"):
        return "include/" + target
    if target.split("/")[0] in modules.deps and "/" in target:
        return target if os.path.exists(os.path.join(root, target)) else "src/" + target
    return None


def check_includes_of(root, path, text, modules):
    module = module_of(path, modules)
    allowed = modules.allowed(module) if module in modules.deps else None
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, target = match.groups()
        where = f"{path}:{number}"
        if target == "mpi.h" and not modules.allows_mpi(path):
            yield f"{where}: includes mpi.h; only these may: {', '.join(modules.mpi_paths)}"
        if target == "fstream" and path.startswith(SHIPPED):
            yield f"{where}: includes fstream; read and write files by base/file.hpp"
        if path.startswith("include/") and PRIVATE_LIBRARIES.match(target):
            yield f"{where}: a public header includes {target}, which users need not have"
        leads_to = included_path(root, path, quote, target, modules)
        if leads_to is None:
            continue
        if path.startswith("include/") and not leads_to.startswith("include/"):
            yield f"{where}: a public header includes {target}, which is not installed"
        other = module_of(leads_to, modules)
        if other is None and leads_to.startswith("include/"):
            yield f"{where}: includes {target}, which tools/modules.txt gives to no module"
        if allowed is not None and other is not None and other not in allowed:
            others = sorted(allowed - {module})
            may = f"it may use {', '.join(others)}" if others else "it may use no other module"
            yield f"{where}: module {module} includes {target} of module {other}; {may} (tools/modules.txt)"


def check_handles_of(path, text, modules):
    if not path.startswith(SHIPPED) or path in modules.handle_paths:
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = HANDLES.search(line.split("//")[0])
        if match:
            yield (f"{path}:{number}: calls {match.group(0).rstrip(' (')}; handles of MPI have owners "
                   f"(docs/decisions/0029), and only these make and free them: {', '.join(modules.handle_paths)}")


def check(root):
    modules = Modules(os.path.join(root, "tools", "modules.txt"))
    yield from modules.problems
    for path in source_files(root):
        name = path.rsplit("/", 1)[-1]
        is_cpp = name.endswith(CPP)
        needs_spdx = name.endswith(SPDX_ENDINGS) or name == "CMakeLists.txt" or path == ".ci/run"
        if not needs_spdx:
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        if SPDX not in "\n".join(text.splitlines()[:5]):
            yield f"{path}: none of the first five lines is '{SPDX}'"
        if not is_cpp:
            continue
        if path.startswith("include/") and path[len("include/"):] not in modules.header_module:
            yield (f"{path}: public header of no module; "
                   f"add 'header {path[len('include/'):]} MODULE' to tools/modules.txt")
        if path.startswith("src/") and module_of(path, modules) not in modules.deps:
            yield f"{path}: lies in no module of tools/modules.txt"
        yield from check_includes_of(root, path, text, modules)
        yield from check_handles_of(path, text, modules)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), ".."))
    root = os.path.abspath(parser.parse_args().root)
    problems = list(check(root))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
