#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do the tests see faults? Makes faults of one line each, one at a time, and runs tests until one fails.

  tools/mutate.py                      20 faults in each of layout, plan, exchange, exec and comm
  tools/mutate.py --folders exec       some of them; several trees may share a file of results
  tools/mutate.py --again              those that survived, once more, with more tests and as they are now
  tools/mutate.py --report             what the file of results says, without running anything

Faults are picked by a seed, so the same sources have the same faults. They are made in a work tree of
the current commit beside the results; what is not committed is not seen. Only what a test needs is built,
and only once no test before it has failed: unit tests of the folder come first, then what runs plans in
one process, then tests under MPI. A run that is interrupted goes on where it was: each fault is one line
of JSON in the file of results, written when it is known what became of it.

A fault that does not compile is replaced by the next one. A test that hangs has failed. Tests that
depend on time have to fail twice, as machines are busy.

Left out: comments, includes, texts, what throws, assertions, declarations, constants with a name (these
are tuned, not right or wrong), and what stands between #if and #endif.
"""

import argparse
import collections
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time

FOLDERS = ["layout", "plan", "exchange", "exec", "comm"]

# Quickest first; with a filter of GoogleTest's behind a blank.
LONG = "Real.every_axis*:Cyclic.one_axis_takes*:Bruck.give_the_same_bits*:Mutations.*:Planner.2decomp_fft_431*"
FIRST = {
    "layout": ["layout_test", "plan_test", "property_progress.n2", "butterflies.n3", "exec_test -" + LONG],
    "plan": ["plan_test", "property_progress.n2", "butterflies.n3", "property_nodes.n4", "exec_test -" + LONG],
    "exec": ["butterfly_order_test", "property_progress.n2", "butterflies.n3", "property_nodes.n4",
             "property_real.n3", "exec_test -" + LONG],
    "exchange": ["exchange_test", "plan_test", "property_progress.n2", "property_nodes.n4", "exec_test -" + LONG],
    "comm": ["comm_test", "channel.n2", "agreement.n2", "agreement.n3", "communicator.n2", "owners.n2",
             "shared_segments.n2", "finalize.n2", "pipelined_exchange.n2", "channel.n3", "communicator.n3", "shared_segments.n3", "shared_segments.n4", "pipelined_exchange.n3",
             "property_progress.n2", "faults.n4", "property_nodes.n4", "error.n2"],
}
# For those that survived these.
THEN = ["planning_work_test", "tune.n2", "verify.n3", "channel.n4", "reported_bugs.n3", "allocation.n2", "error.n2",
        "property_real.n3", "property_nodes.n6", "faults.n4", "leak.n2", "pipelined_exchange.n4", "property.n3", "failures.n2",
        "planner_test -" + LONG, "exec_test " + LONG, "cli_golden", "cli_layouts", "cli_plan_json", "cli_trace",
        "cli_bench.n2"]


def tests_of(folder, again):
    return FIRST[folder] + ([test for test in THEN if test not in FIRST[folder]] if again else [])


# ---------------------------------------------------------------- faults

Fault = collections.namedtuple("Fault", "folder file line kind before after")

CALL = r"[^\s(=]+\(.*\);"
ASSIGNMENT = r"[^\s=(]+(?:\([^\s()]*\)[^\s=(]*)* (?:[-+*/%|&^]|<<|>>)?= .*;"
STATEMENT = re.compile(rf"(?!return\b|throw\b|case\b|.* = default;)(?:{CALL}|{ASSIGNMENT}|\+\+\S+;|--\S+;)$")
DECLARES = re.compile(r"\s*(?:static_assert|assert|using|typedef|template|friend|namespace|enum|struct|"
                      r"class|extern|(?:static |inline )*constexpr|public:|private:|case\b|KALLIMA_)")
SWAPS = [("comparison", r" (<=|>=|<|>|==|!=) ",
          {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}),
         ("arithmetic", r" ([-+*/%]) ", {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/"}),
         ("compound", r" ([-+*])= ", {"+": "-", "-": "+", "*": "/"}),
         ("logic", r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
         ("least or most", r"std::(min|max)\b", {"min": "max", "max": "min"}),
         ("leave", r"\b(break|continue);", {"break": "continue", "continue": "break"}),
         ("answer", r"return (true|false);", {"true": "false", "false": "true"})]
LITERAL = re.compile(r"(?<![\w.<'])(\d+)(?![\w.'>])")
TWO = re.compile(r"\b(?!min|max|swap|gcd)(\w+)\(([\w.\[\]]+(?:->\w+)?), ([\w.\[\]]+(?:->\w+)?)\)")


def masked(lines):
    """The lines with blanks for all that is to stay as it is."""
    result = []
    in_throw = in_if = in_macro = False
    for line in lines:
        code = re.sub(r"'(?:\\.|[^'\\])'", lambda m: "`" * len(m.group()), line)
        code = re.sub(r'"(?:\\.|[^"\\])*"', lambda m: "`" * len(m.group()), code)
        code = re.sub(r"/\*.*?\*/", lambda m: " " * len(m.group()), code)
        code = re.sub(r"//.*", "", code)
        directive = re.match(r"\s*#\s*(\w+)", code)
        if directive and directive.group(1).startswith("if"):
            in_if = True
        if in_if or directive or in_macro or DECLARES.match(code):
            if directive and directive.group(1) == "endif":
                in_if = False
            in_macro = bool(directive or in_macro) and line.endswith("\\")
            result.append("")
            continue
        if in_throw:
            in_throw = not code.rstrip().endswith(";")
            result.append("")
            continue
        found = re.search(r"\bthrow\b", code)
        if found:
            in_throw = not code.rstrip().endswith(";")
            code = code[:found.start()]
        result.append(code)
    return result


def closing(text, opening):
    """Where the bracket that opens at `opening` closes, or -1."""
    depth = 0
    for i in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return -1


def faults_of_line(line, code, before, is_header):
    """Pairs of a kind and the line with a fault; `before` is the code of the line before."""
    for kind, pattern, swaps in SWAPS:
        for found in re.finditer(pattern, code):
            new = swaps[found.group(1)]
            yield kind, line[:found.start(1)] + new + line[found.end(1):]
    plain_member = is_header and re.match(r"\s*(?:static )?[\w:<>, ]+ \w+ = \w+;$", code.rstrip())
    for found in re.finditer(LITERAL, code):
        if plain_member or re.search(r"\w \w+ = $", code[:found.start()]) and code[found.end():][:1] in ",)":
            continue  # a declaration
        value = int(found.group())
        for new in {value + 1, max(value - 1, 0)} - {value}:
            yield "constant", line[:found.start()] + str(new) + line[found.end():]
    for found in re.finditer(r"\b(?:if|while) (\()", code):
        end = closing(code, found.start(1))
        begin = found.start(1) + 1
        if end < 0:
            continue
        begin += code[begin:end].rfind("; ") + 2 if "; " in code[begin:end] else 0
        yield "condition", line[:begin] + "!(" + line[begin:end] + ")" + line[end:]
    for found in re.finditer(TWO, code):
        if found.group(2) != found.group(3):
            yield "arguments", (line[:found.start(2)] + line[found.start(3):found.end(3)] + ", " +
                                line[found.start(2):found.end(2)] + line[found.end(3):])
    statement = code.strip()
    indent = code[:len(code) - len(code.lstrip())]
    if STATEMENT.match(statement) and (not before.strip() or before.rstrip()[-1] in ";{}:"):
        yield "removed", indent + ";"
    found = re.match(r"(?:if|for) \(", statement)
    if found:
        end = closing(statement, found.end() - 1)
        if end > 0 and STATEMENT.match(statement[end + 1:].strip()):
            yield "removed", line[:len(indent) + end + 1] + " {}"


def faults(root, folder, seed):
    """All faults of a folder in the order of the seed, one of a line."""
    found = []
    base = os.path.join(root, "src", folder)
    for name in sorted(os.listdir(base)):
        if not name.endswith((".cpp", ".hpp")):
            continue
        with open(os.path.join(base, name), encoding="utf-8") as file:
            lines = file.read().split("\n")
        codes = masked(lines)
        for i, (line, code) in enumerate(zip(lines, codes)):
            for kind, after in faults_of_line(line, code, codes[i - 1] if i else "", name.endswith("hpp")):
                found.append(Fault(folder, f"src/{folder}/{name}", i + 1, kind, line, after))
    random.Random(f"{seed} {folder}").shuffle(found)
    lines_seen = set()
    for fault in found:
        if (fault.file, fault.line) not in lines_seen:
            lines_seen.add((fault.file, fault.line))
            yield fault


# ---------------------------------------------------------------- building and running


def no_larger():
    """What a wrong program may not take from the machine."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


class Tree:
    """A work tree with a build of its own, in which faults are made."""

    def __init__(self, root, path, commit, jobs):
        self.path = path
        self.build = os.path.join(path, "build")
        self.jobs = jobs
        self.limits = {}  # seconds, by test
        commit = subprocess.check_output(["git", "-C", root, "rev-parse", commit], text=True).strip()
        if not os.path.isdir(path):
            subprocess.check_call(["git", "-C", root, "worktree", "add", "--detach", path, commit])
        subprocess.check_call(["git", "-C", path, "checkout", "--quiet", "--force", "--detach", commit])
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            self._configure()
        self._list_tests()

    def _list_tests(self):
        """What ctest knows; not of programs that have never been built."""
        listed = json.loads(subprocess.check_output(["ctest", "--show-only=json-v1"], cwd=self.build))
        self.tests = {test["name"]: test for test in listed["tests"] if "command" in test}

    def _configure(self):
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if os.environ.get("CCACHE_DIR") else []
        subprocess.check_call(["cmake", "-G", "Ninja", "-S", self.path, "-B", self.build,
                               "-DKALLIMA_MPI=openmpi", "-DCMAKE_CXX_COMPILER=g++",
                               "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1", "-DKALLIMA_TESTS=ON",
                               "-DKALLIMA_QUICK=ON", "-DKALLIMA_EXAMPLES=OFF", "-DKALLIMA_BENCH=OFF"] + launcher,
                              stdout=subprocess.DEVNULL)

    def make(self, test):
        """Builds what a test runs; what the compiler says where it cannot."""
        parts = " ".join(self.tests[test]["command"])
        targets = re.findall(re.escape(self.build) + r"/(\S+)", parts)
        done = subprocess.run(["ninja", "-C", self.build, "-j", str(self.jobs)] + targets,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode == 0:
            return None
        if done.returncode != 1:
            sys.exit("the build was interrupted")
        errors = [line for line in done.stdout.split("\n") if "error" in line]
        return (errors or done.stdout.split("\n")[-5:])[0]

    def run(self, test, limit):
        """Runs a test as ctest would: "" where it passes, else what is wrong."""
        name, _, only = test.partition(" ")
        properties = {p["name"]: p["value"] for p in self.tests[name].get("properties", [])}
        env = dict(os.environ, GTEST_FAIL_FAST="1")
        env.update(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        if only:
            env["GTEST_FILTER"] = only
        process = subprocess.Popen(self.tests[name]["command"], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", env=env,
                                   cwd=properties.get("WORKING_DIRECTORY", self.build),
                                   start_new_session=True, preexec_fn=no_larger)
        try:
            out, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
            return f"hangs for {limit:.0f} s"
        if process.returncode in (0, properties.get("SKIP_RETURN_CODE", 0)):
            return ""
        failed = re.search(r"\[  FAILED  \] ([\w./]+)", out)
        words = [line for line in out.split("\n") if re.search(r"\w", line) and "mpirun" not in line]
        return failed.group(1) if failed else (words or [f"ends with {process.returncode}"])[-1][:120]

    def apply(self, fault):
        """Makes a fault; returns what undoes it."""
        path = os.path.join(self.path, fault.file)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        at = fault.line - 1
        if at >= len(lines) or lines[at] != fault.before:  # sources have changed since
            if lines.count(fault.before) != 1:
                sys.exit(f"{fault.file}:{fault.line} no longer reads '{fault.before}'")
            at = lines.index(fault.before)
        lines[at] = fault.after
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))

        def undo():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return undo

    def outcome(self, fault, again):
        """What becomes of a fault: (result, test, detail)."""
        undo = self.apply(fault)
        try:
            for test in tests_of(fault.folder, again):
                name, limit = test.split()[0], self.limits[test]
                wrong = self.make(name)
                if wrong:
                    return "not compiled", name, wrong
                wrong = self.run(test, limit)
                repeats = "." in name or wrong.startswith("hangs")
                if wrong and repeats:
                    wrong = self.run(test, limit)
                if wrong:
                    return "caught", name, wrong
            return "survived", "", ""
        finally:
            undo()

    def prepare(self, folders, again):
        """Runs every test once without a fault, to know that it passes, and after how long it hangs."""
        names = {test.split()[0] for folder in folders for test in tests_of(folder, again)}
        if not names <= self.tests.keys():
            subprocess.check_call(["ninja", "-C", self.build, "-j", str(self.jobs)], stdout=subprocess.DEVNULL)
            self._list_tests()
        path = os.path.join(self.build, "seconds.json")
        took = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                took = json.load(file)
        for test in [test for folder in folders for test in tests_of(folder, again)]:
            if test in took:
                continue
            wrong = self.make(test.split()[0])
            begin = time.time()
            wrong = wrong or self.run(test, 900)
            if wrong:
                sys.exit(f"{test} fails without a fault: {wrong}")
            took[test] = round(time.time() - begin, 1)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(took, file)
        self.limits = {test: 40 + 8 * seconds for test, seconds in took.items()}


# ---------------------------------------------------------------- results


def read_results(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def add_result(path, fault, outcome, seconds):
    record = dict(fault._asdict(), result=outcome[0], test=outcome[1], detail=outcome[2],
                  seconds=round(seconds, 1))
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    print(f"{fault.file}:{fault.line} {fault.kind}: {outcome[0]} {outcome[1]} {outcome[2]} "
          f"({seconds:.0f} s)", flush=True)


def fault_of(record):
    return Fault(*(record[field] for field in Fault._fields))


def report(results):
    first, last = {}, {}
    for record in results:
        first.setdefault(fault_of(record), record)
        last[fault_of(record)] = record
    for folder in FOLDERS:
        counts = [collections.Counter(r["result"] for r in records.values() if r["folder"] == folder)
                  for records in (first, last)]
        total = counts[1]["caught"] + counts[1]["survived"]
        print(f"{folder:10} {total:3} faults, {counts[0]['caught']:3} caught at first, "
              f"{counts[1]['caught']:3} now; {counts[1]['not compiled']} did not compile")
    print("\ncaught by")
    by = collections.Counter(r["test"] for r in last.values() if r["result"] == "caught")
    for test, count in by.most_common():
        print(f"{count:5} {test}")
    for fault, record in last.items():
        if record["result"] == "survived":
            print(f"\nsurvived: {fault.file}:{fault.line} ({fault.kind})\n- {fault.before}\n+ {fault.after}")


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folders", nargs="+", choices=FOLDERS, default=FOLDERS)
    parser.add_argument("--each", type=int, default=20, help="faults of a folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", default=os.path.join(root, "build/mutate/results.jsonl"))
    parser.add_argument("--tree", default=os.path.join(root, "build/mutate/tree"))
    parser.add_argument("--commit", default="HEAD", help="whose sources and tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true", help="those that survived, once more")
    parser.add_argument("--only", nargs="+", metavar="FILE:LINE", help="of these")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--list", action="store_true", help="show the faults; run nothing")
    args = parser.parse_args()
    if args.list:
        for folder in args.folders:
            for fault, _ in zip(faults(root, folder, args.seed), range(args.each)):
                print(f"{fault.file}:{fault.line} ({fault.kind})\n- {fault.before}\n+ {fault.after}")
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # and undo what was made
    if not args.report:
        os.makedirs(os.path.dirname(args.results), exist_ok=True)
        tree = Tree(root, os.path.abspath(args.tree), args.commit, args.jobs)
        tree.prepare(args.folders, args.again)
        for folder in args.folders:
            known = {fault_of(r): r["result"] for r in read_results(args.results) if r["folder"] == folder}
            if args.again:
                picked = [fault for fault, result in known.items() if result == "survived"]
            else:
                picked = faults(tree.path, folder, args.seed)
            counted = 0
            for fault in picked:
                if not args.again and counted == args.each:
                    break
                if args.only and f"{fault.file}:{fault.line}" not in args.only:
                    continue
                result = known.get(fault)
                if args.again or result is None:
                    begin = time.time()
                    outcome = tree.outcome(fault, args.again)
                    add_result(args.results, fault, outcome, time.time() - begin)
                    result = outcome[0]
                counted += result != "not compiled"
    report(read_results(args.results))


if __name__ == "__main__":
    main()
