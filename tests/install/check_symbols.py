# SPDX-License-Identifier: BSD-3-Clause
"""What a shared library exports: what the public headers mark KALLIMA_API, all of it, and nothing
else. Weak symbols of the C++ standard library are let pass: its namespace is exported by itself."""
import os
import re
import subprocess
import sys

# What stands before the first name of a mangled one: vtables and the like, what is local to a
# function, const.
BEFORE = r"_Z(?:T[VTIS]|GV|Z)*N?[VrK]*[RO]?"


def headers(folder):
    """Name and text of each public header; folders below are of other interfaces."""
    for entry in sorted(os.scandir(os.path.join(folder, "kallima")), key=lambda entry: entry.name):
        if entry.is_file():
            with open(entry.path, encoding="utf-8") as file:
                yield entry.name, file.read()


def marked(folder):
    """Names of functions and of types that headers mark."""
    functions, types = set(), set()
    for _, whole in headers(folder):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", whole, flags=re.S)
        types.update(re.findall(r"(?:class|struct) KALLIMA_API (\w+)", text))
        types.update(re.findall(r"\bX\(\d+, \w+, \w+, (\w+),", text))  # exceptions, in their table
        for declaration in re.findall(r"^(?:\[\[\w+\]\] )?KALLIMA_API ([^;{]*)", text, flags=re.M):
            functions.add(re.search(r"(\w+)\s*\(", declaration).group(1))
    return functions, types


def unmarked(folder):
    """Functions that headers declare at the top level, neither defined there nor marked."""
    found = []
    for name, whole in headers(folder):
        text = re.sub(r"/\*.*?\*/|//[^\n]*|^#(?:[^\n]*\\\n)*[^\n]*$", "", whole, flags=re.S | re.M)
        for declaration in re.findall(r"^(?!KALLIMA_API|extern|using|typedef|friend|class|struct|enum|namespace|\s|})"
                                      r"[^;{}]*?\)(?: noexcept)?;", text, flags=re.M):
            if "KALLIMA_API" not in declaration:
                found.append(f"{name}: {' '.join(declaration.split())}")
    return found


def first_names(mangled):
    """["kallima", "Layout"] of _ZN7kallima6Layout5parse..."""
    names, rest = [], re.sub("^" + BEFORE, "", mangled)
    while len(names) < 2 and (number := re.match(r"\d+", rest)):
        end = number.end() + int(number.group())
        names.append(rest[number.end():end])
        rest = rest[end:]
    return names


def check(nm, library, include):
    if found := unmarked(include):
        sys.exit("public headers declare what no library exports; mark it KALLIMA_API:\n" + "\n".join(found))
    functions, types = marked(include)
    exported, strange = set(), []
    lines = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    for line in lines:
        kind, symbol = line.split()[-2:]
        symbol = symbol.split("@")[0]
        names = first_names(symbol)
        if not symbol.startswith("_Z") and symbol in functions:
            exported.add(symbol)
        elif len(names) == 2 and names[0] == "kallima" and names[1] in functions | types:
            exported.add(names[1])
        elif kind not in "WVu" or not re.match(BEFORE + r"(S[tabsiod]|9__gnu_cxx)", symbol):
            strange.append(symbol)
    if strange:
        words = subprocess.run(["c++filt"], input="\n".join(strange), capture_output=True,
                               text=True, check=True).stdout
        sys.exit(f"{library} exports what no public header marks KALLIMA_API:\n{words}")
    if functions - exported or not functions or not types:
        sys.exit(f"{library} lacks {sorted(functions - exported)}")
    return (f"{len(lines)} symbols exported: {len(functions)} functions, "
            f"{len(exported & types)} types, the standard library's")


if __name__ == "__main__":
    print(check("nm", *sys.argv[1:]))
