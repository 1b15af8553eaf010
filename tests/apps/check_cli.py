#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program as a user does and looks at what it prints and how it ends.

A case is a function case_NAME; ctest knows it as cli_NAME. What `plan` and `trace` print for people is compared
with golden/*.txt; `check_cli.py --program=... --update golden` writes these anew, to be read in the
diff before they are committed.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TRACE = os.path.join(HERE, "traces", "two_ranks.json")

GOLDEN = {
    "plan_pencil_to_slab.txt": ["plan", "c2c:12x10x9", "-n", "6", "--in", "pencil:3x2", "--out", "slab"],
    "plan_reals.txt": ["plan", "r2c:64x48x20", "-n", "6"],
    "plan_back_to_padded_reals.txt": ["plan", "c2r:12x10x9:f32", "-n", "3", "--padded", "--in", "slab"],
    "plan_one_axis_of_reals.txt": ["plan", "r2c:2^12", "-n", "4", "--ranks-per-node", "4"],
    "plan_cyclic_there_and_back.txt": ["plan", "c2c:1000x99:f32", "-n", "4", "--in", "cyclic:2x2", "--out", "same"],
    "trace_two_ranks.txt": ["trace", TRACE],
    "simulate_butterfly.txt": ["simulate", "butterfly", "-n", "256", "-P", "4", "-g", "9", "-L", "20", "--schedule", "all"],
}

# What is planned, run and verified on 1, 2 and 3 ranks: every kind of shape, each option once.
BENCHED = [
    ["c2c:4096"],
    ["c2c:20011"],  # prime
    ["c2c:97:f32", "--backward"],
    ["c2c:64x48"],
    ["c2c:31x37:f32", "--in", "slab", "--out", "same"],
    ["c2c:20x18x15", "--in-place"],
    ["c2c:70000", "--threads", "2"],  # long enough to be split on one rank
    ["c2c:12x20x16:f32", "--threads", "3", "--out", "same", "--in", "slab"],
    ["c2c:16x16x16:f32", "--method", "alltoallv", "--in-place", "--backward"],
    ["c2c:7x6x5x4"],
    ["c2c:2x1x3", "--engine-effort", "measure"],  # fewer elements along each axis than ranks
    ["c2c:9x8x7", "--in", "z:all y:all x:all"],
    ["r2c:20x18x15"],
    ["r2c/z:12x10x8:f32", "--in-place", "--in", "slab", "--out", "slab"],
    ["r2c:16x12x10", "--in-place", "--padded"],
    ["c2r:31x37", "--padded", "--threads", "2"],
    ["r2c/k=4:20x18x15"],
    ["r2c/k=4:20x18x15:f32", "--backward"],
    ["c2c/ky=3,kx=5:12x16", "--in-place"],
    ["c2r:24x16x9:f32", "--in", "slab", "--out", "same", "--in-place"],
    ["r2c:3600"],
    ["c2r:4096:f32", "--in", "x:block/1", "--method", "point-to-point"],
    ["r2c:70000", "--in-place"],
]

RESULT_KEYS = ["name", "group", "median_s", "min_s", "p90_s", "mean_rank_median_s", "ratio", "ratio_p25", "ratio_p75",
               "plan_s", "error", "error_returned", "layout_in", "layout_out", "out_as_asked", "method", "exchanges", "bytes_sent",
               "passes", "copies", "workspace_bytes", "memory_bytes"]
PLAN_KEYS = ["schema", "problem", "direction", "ranks", "ranks_per_node", "steps", "layout_in", "layout_out",
             "exchanges", "bytes", "messages", "passes", "workspace_bytes", "price", "hash"]


class Failed(Exception):
    pass


def expect(good, otherwise):
    if not good:
        raise Failed(otherwise)


def expect_equal(got, want, what):
    expect(got == want, f"{what}: {got!r}, should be {want!r}")


class Ended:
    """A finished run."""

    def __init__(self, command, done):
        self.command = " ".join(command)
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def expect_code(self, code):
        expect(self.code == code,
               f"{self.command}\nended with {self.code}, should with {code}\n{self.out}{self.err}")
        return self

    def json(self):
        self.expect_code(0)
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise Failed(f"{self.command}\nprinted no JSON ({error}):\n{self.out}") from error


class Cli:
    def __init__(self, options):
        self.options = options
        # Tests may themselves run under a launcher, and users set what they like.
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("NO_COLOR", "CLICOLOR_FORCE")}

    def start(self, command, **more):
        environment = dict(self.environment, **more)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              env=environment, timeout=300)
        return Ended(command, done)

    def run(self, *arguments, **more):
        return self.start([self.options.program, *arguments], **more)

    def launch(self, ranks, *arguments, **more):
        return self.start([self.options.mpiexec, *self.options.mpiexec_flag, "-n", str(ranks),
                           self.options.program, *arguments], **more)


def texts_of_pdf(data):
    """Texts that pages show. Fonts of Latin letters have them as they are, in compressed streams."""
    texts = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            page = zlib.decompress(stream)
        except zlib.error:
            continue
        for shown in re.findall(rb"(\[.*?\]\s*TJ|\((?:\\.|[^\\()])*\)\s*Tj)", page):
            parts = re.findall(rb"\(((?:\\.|[^\\()])*)\)", shown)
            texts.append(re.sub(rb"\\(.)", rb"\1", b"".join(parts)).decode("latin-1"))
    return texts


def texts_of_svg(data):
    return [element.text for element in xml.etree.ElementTree.fromstring(data).iter() if element.text]


def expect_pictures(cli, words, *arguments):
    """`arguments --plot FILE` draws each form of picture, with `words` in those that have text as text."""
    with tempfile.TemporaryDirectory() as folder:
        for ending, magic, texts_of in ((".svg", b"<svg", texts_of_svg), (".pdf", b"%PDF-", texts_of_pdf),
                                        (".png", b"\x89PNG\r\n", None)):
            path = os.path.join(folder, "plot" + ending)
            ended = cli.run(*arguments, "--plot", path)
            if ending != ".svg" and not cli.options.cairo:
                expect("libcairo2-dev" in ended.expect_code(2).err, f"it does not say what is missing: {ended.err}")
                continue
            ended.expect_code(0)
            with open(path, "rb") as file:
                data = file.read()
            expect(data.startswith(magic), f"{ended.command}\nwrote no {ending}")
            texts = texts_of(data) if texts_of else words
            for word in words:
                expect(word in texts, f"{ended.command}\n'{word}' is not in {texts}")
        ended = cli.run(*arguments, "--plot", os.path.join(folder, "plot.gif")).expect_code(2)
        expect(".svg, .png or .pdf" in ended.err, f"it does not say which endings there are: {ended.err}")
        cli.run(*arguments, "--plot", os.path.join(folder, "none", "plot.svg")).expect_code(3)


def case_golden(cli):
    for name, arguments in GOLDEN.items():
        got = cli.run(*arguments).expect_code(0).out
        path = os.path.join(HERE, "golden", name)
        if cli.options.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(got)
            continue
        with open(path, encoding="utf-8") as file:
            want = file.read()
        expect(got == want, f"kallima {' '.join(arguments)} prints\n{got}\nand golden/{name} is\n{want}")


# Of the time of FFTW-MPI's fastest variant, at most so much; wide of what bench/on_node.sh measures.
NO_SLOWER = {"c2c:64^3": 1.5, "c2c:128^3": 1.0}


def case_speed(cli):
    """Loose: the best of a few launches counts, so that noise does not fail it."""
    for problem, most in NO_SLOWER.items():
        ratios = []
        for _ in range(4):
            report = cli.launch(2, "bench", problem, "--against", "fftw-mpi", "--engine-effort", "estimate", "-i", "9",
                                "--json").json()
            best = report["best"]["fftw-mpi"]
            rows = {row["name"]: row for row in report["results"]}
            ratios.append(min(rows["kallima"]["median_s"], rows["kallima/again"]["median_s"])
                          / rows[best]["median_s"])
            print(f"{problem}: {ratios[-1]:.2f} of the time of {best}, {most} allowed", flush=True)
            if ratios[-1] <= most:
                break
        expect(min(ratios) <= most, f"{problem} takes {min(ratios):.2f} of FFTW-MPI's time, {most} allowed")


def case_plan_json(cli):
    plan = cli.run("plan", "c2c:1280x64x64", "-n", "96", "--in", "slab", "--ranks-per-node", "48",
                   "--json").json()
    expect_equal(list(plan), PLAN_KEYS, "keys of a plan")
    expect_equal(plan["schema"], "kallima.plan/2", "schema")
    expect_equal(plan["problem"], "c2c:1280x64x64:f64", "problem")
    expect_equal((plan["ranks"], plan["ranks_per_node"]), (96, 48), "ranks, and those of a node")
    expect_equal(plan["layout_in"], "z:block/96 y:all x:all", "layout of the input")
    steps = plan["steps"]
    sweeps = [step for step in steps if step["kind"] == "sweep"]
    exchanges = [step for step in steps if step["kind"] == "exchange"]
    expect_equal(len(sweeps) + len(exchanges), len(steps), "steps that are sweeps or exchanges")
    expect_equal(sorted(step["digit"] for step in sweeps if step["kernel"] == "fourier"), ["x", "y", "z"],
                 "digits that are transformed")
    expect_equal(plan["exchanges"], len(exchanges), "exchanges")
    for total in "bytes", "messages":
        expect_equal(plan[total], sum(step[total] for step in exchanges), total)
    for exchange in exchanges:
        expect_equal(exchange["method"], "point-to-point", "method")
        expect(0 < exchange["most_bytes_sent"] <= exchange["bytes"], "the busiest sender is out of range")
    passes = sum(not step.get("joined") for step in steps)
    for how in "out_of_place", "in_place":
        expect(plan["passes"][how] >= passes, f"fewer passes {how} than steps")
        expect(plan["workspace_bytes"][how] > 0, f"no workspace {how}")

    # What is priced is what is planned.
    priced = plan["price"]
    for total in "bytes", "messages":
        expect_equal(sum(step[total] for step in priced["steps"]), plan[total], f"priced {total}")
    expect(abs(sum(step["seconds"] for step in priced["steps"]) - priced["seconds"]) < 1e-9 * priced["seconds"],
           "the price is not the sum of its steps")

    # The hash is that of the text, and the whole text is at the beginning of what people read.
    lines = cli.run("plan", "c2c:1280x64x64", "-n", "96", "--in", "slab", "--ranks-per-node", "48")
    expect("hash " + plan["hash"] in lines.expect_code(0).out.splitlines(), "text and JSON differ in the hash")

    # Exact where it is small enough for the fingers: 4 x 4 on 2 ranks, half of each half moves.
    small = cli.run("plan", "c2c:4x4", "-n", "2", "--json").json()
    expect_equal((small["exchanges"], small["bytes"], small["messages"]), (1, 8 * 16, 2), "traffic of 4 x 4")
    alone = cli.run("plan", "c2c:4x4:f32", "-n", "1", "--json", "--method", "alltoallv").json()
    expect_equal((alone["exchanges"], alone["bytes"], alone["messages"]), (0, 0, 0), "traffic of one rank")
    expect_equal(alone["ranks_per_node"], None, "ranks of a node, not given")


def case_layouts(cli):
    def layout(problem, ranks, text, end="in"):
        plan = cli.run("plan", problem, "-n", str(ranks), f"--{end}", text, "--json").json()
        return plan[f"layout_{end}"]

    cube = "c2c:16x16x16"
    for text, want in {
            "slab": "z:block/8 y:all x:all",
            "pencil:4x2": "z:block/4 y:block/2 x:all",
            "brick:2x2x2": "z:block/2 y:block/2 x:block/2",
            "brick": "z:block/2 y:block/2 x:block/2",
            "cyclic:2x2x1": "z:cyclic/2 y:cyclic/2 x:all",
            "x:block/4:ceil y:all z:cyclic/2": "x:block/4:ceil y:all z:cyclic/2",
            "z:block/2@1 y:block/2@2 x:all": "z:block/2@1 y:block/2@2 x:all"}.items():
        for end in "in", "out":
            expect_equal(layout(cube, 8, text, end), want, f"--{end} {text}")
    expect(layout(cube, 8, "pencil") in ("z:block/4 y:block/2 x:all", "z:block/2 y:block/4 x:all"),
           "--in pencil is no pencil of 8 ranks")
    expect_equal(layout("c2c:4x9", 8, "slab"), "y:block/4 x:all", "a slab has no more ranks than planes")
    boxes = "boxes y x | 0:4 0:5 | 0:4 5:9"
    expect_equal(layout("c2c:4x9", 2, boxes), boxes, "boxes")

    same = cli.run("plan", cube, "-n", "8", "--out", "same", "--json").json()
    expect_equal(same["layout_out"], same["layout_in"], "--out same without --in")


def case_usage(cli):
    wrong = {
        ("plan",): "PROBLEM is required",
        ("plan", "c2c:8x8"): "--ranks is required",
        ("frobnicate",): "there is no subcommand 'frobnicate'; use one of calibrate, plan, predict, advise, bench, doctor, trace, export, simulate",
        ("plan", "c2c:8x8", "-n", "2", "--frob"): "--frob",
        ("plan", "c2c:8x8", "-n", "two"): "number of ranks",
        ("plan", "c2c:8x8", "-n", "0"): "0 ranks",
        ("plan", "c2c:8x8", "-n", "2^99"): "2^99",
        ("plan", "c2c:8x8", "-n", "2", "--ranks-per-node", "0"): "at least 1",
        ("plan", "c2c:8x8", "-n", "2", "--method", "pigeon"): "use one of any, shared-memory, point-to-point, alltoallv, node-aggregated, bruck",
        ("plan", "d2d:8x8", "-n", "2"): "problem 'd2d:8x8'",
        ("plan", "c2c:8xeight", "-n", "2"): "eight",
        ("plan", "c2c:8x0", "-n", "2"): "at least 1",
        ("plan", "c2c:2^62x2^62", "-n", "2"): "smaller",
        ("plan", "walsh:8x8", "-n", "2"): "only c2c, r2c and r2r of f32 and f64 are planned and run here",
        ("plan", "c2c:8x8", "-n", "2", "--in", "slabs"): "layout 'slabs' is not known; use any, slab",
        ("plan", "c2c:8x8", "-n", "2", "--in", "same"): "--out",
        ("plan", "c2c:8x8", "-n", "2", "--in", "y:block/2"): "x",
        ("plan", "c2c:8x8", "-n", "2", "--in", "y:block/2,x:all"): "separate axes by blanks",
        ("plan", "c2c:8x8", "-n", "2", "--in", "boxes y x | 0:8,0:8"): "separate axes by blanks",
        ("plan", "c2c:512,512,512", "-n", "2"): "use x between extents, as in c2c:512x512x512",
        ("plan", "c2c:512,512", "-n", "2"): "use x between extents",
        ("bench", "r2c:512 512", "-i", "1"): "use x between extents, as in r2c:512x512x512",
        ("plan", "c2c:8x8", "-n", "2", "--in", "y:block x:all"): "block/4",
        ("plan", "c2c:8x8", "-n", "2", "--in", "brick:2x2x2"): "needs 2 numbers",
        ("plan", "c2c:8x8x8", "-n", "8", "--in", "pencil:8"): "pencil:4x2",
        ("plan", "c2c:8x8x8", "-n", "4", "--in", "brick:2x2x2"): "needs 8 ranks, there are 4",
        ("plan", "c2c:4x9", "-n", "2", "--in", "boxes y x | 0:4 0:5 | 0:4 4:9"): "overlap",
        ("simulate",): "PROBLEM is missing",
        ("simulate", "collective", "gossip"): "there is no collective 'gossip'; use some of allgather",
        ("simulate", "collective", "scan", "-P", "6"): "power of two",
        ("simulate", "butterfly", "-n", "100"): "power of two",
        ("simulate", "butterfly", "-n", "64", "-P", "16"): "at most the root",
        ("simulate", "butterfly", "-g", "0"): "at least 1",
        ("simulate", "butterfly", "--schedule", "random"): "there is no schedule 'random'; use some of output",
        ("bench", "c2c:8x8", "-i", "0"): "at least 1",
        ("bench", "c2c:8x8", "-x", "-1"): "at least 0",
        ("bench", "c2c:8x8", "--engine-effort", "heroic"): "use one of estimate, measure, patient",
        ("bench", "c2c:8x8", "--against", "bare,fftx"): "there is no rival 'fftx'; use some of bare",
    }
    for arguments, part in wrong.items():
        ended = cli.run(*arguments).expect_code(2)
        expect_equal(ended.out, "", f"standard output of {ended.command}")
        expect(part in ended.err, f"{ended.command}\nsays '{ended.err}', should speak of '{part}'")
        expect(ended.err.startswith("kallima: "), f"{ended.command}\ndoes not say who speaks: {ended.err}")
    usage = cli.run().expect_code(2)
    expect("SUBCOMMAND" in usage.err and "Examples:" in usage.err, "without arguments there is no help")


def case_help(cli):
    for arguments in [], ["plan"], ["bench"], ["doctor"], ["trace"], ["simulate"], ["simulate", "butterfly"], [
            "simulate", "collective"]:
        text = cli.run(*arguments, "--help").expect_code(0).out
        expect("Examples:" in text and "Usage: kallima" in text, f"help of {arguments} lacks usage or examples")
        expect(max(map(len, text.splitlines())) <= 110, f"help of {arguments} is too wide")
    version = cli.run("--version").expect_code(0).out
    expect(version.startswith("kallima ") and version.count("\n") == 1, f"version '{version}'")
    expect("\033" not in cli.run("plan", "c2c:8x8", "-n", "2").out, "colours without a terminal")


def case_predict(cli):
    found = cli.run("predict", "c2c:64^3", "-n", "1..96", "--json").json()
    expect_equal(found["schema"], "kallima.predict/2", "schema")
    expect_equal(found["machine"], "built-in", "machine")
    expect_equal([point["ranks"] for point in found["points"]], [1, 2, 4, 8, 16, 32, 64, 96], "ranks")
    for point in found["points"]:
        plan = cli.run("plan", "c2c:64^3", "-n", str(point["ranks"]), "--ranks-per-node",
                       str(min(64, point["ranks"])), "--json").json()
        expect_equal((point["plan"], point["bytes"], point["messages"]),
                     (plan["hash"], plan["bytes"], plan["messages"]), "predicted plan, bytes and messages")
        expect(abs(point["seconds"] / plan["price"]["seconds"] - 1) < 1e-9, "predict and plan differ in the price")
        expect(abs(sum(point["parts"].values()) - 2 * point["parts"]["hidden_s"] - point["seconds"]) <
               1e-9 * point["seconds"], "parts are not the whole")
    first, last = found["points"][0], found["points"][-1]
    expect(last["seconds"] < first["seconds"] and last["memory_bytes"] < first["memory_bytes"], "ranks do not help")
    text = cli.run("predict", "c2c:64^3", "-n", "1..96").expect_code(0).out
    expect("built-in machine, which nobody measured" in text, "it is not said that nothing was measured")
    models = {model: cli.run("predict", "c2c:64^3", "-n", "96", "--method", "point-to-point", "--model", model,
                             "--json").json()["points"][0]["seconds"]
              for model in ("loggp", "alpha-beta", "logp", "bsp")}
    expect(len(set(models.values())) > 1, f"all models say the same: {models}")
    expect_pictures(cli, ["c2c:64x64x64:f64 on built-in", "Speed-up", "ranks", "predicted", "memory"],
                    "predict", "c2c:64^3", "-n", "1..64")
    wrong = cli.run("predict", "c2c:64^3", "-n", "64..1").expect_code(2)
    expect("1..1024" in wrong.err, f"no fix: {wrong.err}")
    check_accelerators(cli)
    none = cli.run("predict", "c2c:64^3", "-n", "2", "--machine", "nowhere").expect_code(3)
    expect("built-in" in none.err, f"machines that are known are not named: {none.err}")


def check_accelerators(cli):
    """Of machines whose ranks are GPUs it is said that nothing runs there, and which figures are assumed."""
    machines = os.path.join(HERE, "..", "..", "machines")
    for name, gpus in ("frontier", True), ("summit", True), ("czechowski-2020-gpu", True), ("fugaku", False), (
            "lumi-c", False):
        arguments = ["c2c:64^3", "-n", "16", "--machine", os.path.join(machines, name + ".toml")]
        for command in "predict", "plan", "advise":
            told = cli.run(command, *arguments).expect_code(0).out
            expect_equal("Kallima itself runs on CPUs" in told, gpus, f"whether {command} speaks of GPUs on {name}")
        found = cli.run("predict", *arguments, "--json").json()
        expect_equal(found["accelerators"], gpus, f"accelerators of {name}")
        expect("speed.f64.real" in found["assumed"], f"assumed of {name}: {found['assumed']}")
    told = cli.run("predict", "c2c:64^3", "-n", "16", "--machine", os.path.join(machines, "frontier.toml")).out
    expect("Assumed, not published: between_nodes (gap, overhead), in_node (gap, " in told and "in_cache" in told,
           f"it is not said what is assumed: {told}")


def case_simulate_butterfly(cli):
    found = cli.run("simulate", "butterfly", "-n", "4096", "-P", "16", "-g", "8", "-L", "20", "--schedule", "all",
                    "--json").json()
    expect_equal(found["schema"], "kallima.simulate-butterfly/1", "schema")
    results = {result["schedule"]: result for result in found["results"]}
    ideal = found["ideal"]
    expect_equal((ideal, found["capacity"]), (256 * 12, 3), "m log n, and ceil(L / g)")
    for name, result in results.items():
        expect(abs(result["speed_up"] - 16 * ideal / result["completion"]) < 1e-9, f"speed-up of {name}")
        expect(abs(result["idle"] - (result["completion"] - ideal)) < 1e-9, f"idle time of {name}")
        expect(result["most_in_flight_of_one"] <= 3, f"{name} exceeds the capacity")
        if result["theorem"]:
            expect_equal(result["completion"], result["theorem"]["corrected"], f"the theorem on {name}")
        if result["theorem_last_sent"]:
            expect_equal(result["last_sent"], result["theorem_last_sent"]["corrected"], f"theorem 4.1 on {name}")
    expect_equal(results["output"]["completion"], ideal, "all is hidden")
    expect(results["output-to-0"]["stalled"] > 0 and results["output"]["stalled"] == 0, "who stalls")
    # Where the printed theorem is wrong.
    small = cli.run("simulate", "butterfly", "-n", "16", "-P", "4", "-g", "3", "-L", "1", "--json").json()["results"][0]
    expect_equal((small["completion"], small["theorem"]["printed"], small["theorem"]["corrected"]), (16, 18, 16),
                 "theorem 5.1")
    paid = cli.run("simulate", "butterfly", "-o", "1", "--json").json()["results"][0]["completion"]
    expect(paid > ideal, "overheads cost nothing")
    early = [cli.run("simulate", "butterfly", "-n", "256", "-g", "9", "--early", seed, "--json").out for seed in "112"]
    expect(early[0] == early[1] and early[0] != early[2], "a seed does not decide")
    expect_pictures(cli, ["phase I", "phase II", "waiting", "sending", "processor 3", "steps"],
                    "simulate", "butterfly", "-n", "256", "-P", "4", "--schedule", "output,column")
    begin = time.monotonic()
    cli.run("simulate", "butterfly", "-n", "65536", "-P", "256").expect_code(0)
    expect(time.monotonic() - begin < 60, "2^16 inputs on 256 processors take more than seconds")


def case_simulate_collective(cli):
    def results(*arguments):
        found = cli.run("simulate", "collective", *arguments, "--json").json()
        expect_equal(found["schema"], "kallima.simulate-collective/1", "schema")
        return found, {result["name"]: result for result in found["results"]}

    found, by_name = results("all", "-P", "16", "--bytes", "4096", "--alpha", "8", "--beta", "2", "--work", "0.5")
    # log P alpha + s (1 - 1/P) beta, and 3 times the work of a reduction for a scan
    expect_equal(by_name["allgather"]["seconds"], 4 * 8 + 3840 * 2, "allgather")
    expect_equal(by_name["scan"]["seconds"], 2 * (4 * 8 + 3840 * 2) + 3 * 3840 * 0.5, "scan")
    expect_equal(by_name["all-to-all, direct"]["messages"], 16 * 15, "messages of a direct all-to-all")
    expect_equal(found["all_to_all_radix"], 16, "long blocks go straight")
    for name, result in by_name.items():
        exact = "tree" not in name
        expect(not exact or result["seconds"] == result["formula_s"], f"{name} differs from its formula: {result}")
        expect(result["seconds"] <= result["formula_s"], f"{name} takes more than its formula: {result}")
    expect_equal(results("all-to-all", "-P", "16", "--bytes", "16", "--alpha", "80", "--beta", "2")[0]["all_to_all_radix"], 2,
                 "short blocks go by digits")
    for model in "logp", "loggp":
        _, others = results("allreduce", "broadcast", "--model", model)
        expect("allreduce" in others and len(others) == 5, f"collectives in {model}: {list(others)}")
    _, odd = results("all", "-P", "15")
    expect("allgather" not in odd and "broadcast, binomial" in odd, f"what 15 processors can do: {list(odd)}")
    expect_pictures(cli, ["sending", "receiving", "processor 6", "microseconds"],
                    "simulate", "collective", "broadcast", "-P", "7")


def case_export(cli):
    selene = os.path.join(HERE, "..", "..", "machines", "selene.toml")
    with tempfile.TemporaryDirectory() as folder:
        def exported(name, *arguments):
            path = os.path.join(folder, name + ".xml")
            text = cli.run("export", "simgrid", selene, "-o", path, *arguments).expect_code(0).out
            cluster = xml.etree.ElementTree.parse(path).getroot().find("cluster")
            with open(os.path.join(folder, name + ".hosts"), encoding="utf-8") as file:
                return text, cluster.attrib, file.read().splitlines(), path

        text, cluster, hosts, tree = exported("tree", "--nodes", "64", "--ranks-per-node", "2", "--topology", "fat-tree")
        expect_equal(cluster["topology"], "FAT_TREE", "topology")
        expect_equal(cluster["radical"], "0-63", "nodes")
        expect_equal(hosts, [f"node{rank // 2}" for rank in range(128)], "hosts, ranks of a node in a row")
        expect("64 nodes of machine" in text, f"what was written: {text}")
        _, cluster, _, _ = exported("torus", "--nodes", "2^6", "--topology", "torus", "--dimensions", "3")
        expect_equal(cluster["topo_parameters"], "4,4,4", "a torus of 64 nodes")
        # The machine beside it is the one that was built.
        machine = os.path.join(folder, "tree.toml")
        expect("nodes = 64" in open(machine, encoding="utf-8").read(), "the machine has other nodes")
        cli.run("predict", "c2c:64^3", "-n", "64", "--machine", machine).expect_code(0)
        refused = cli.run("export", "simgrid", selene, "--nodes", "10", "--topology", "dragonfly", "--groups", "4",
                          "-o", tree).expect_code(2)
        expect("16 nodes" in refused.err, f"no fix: {refused.err}")

        simulate = ["simulate", "c2c:64^3", "-n", "64"]
        lost = cli.run(*simulate, "--platform", os.path.join(folder, "none.xml")).expect_code(3)
        expect("kallima export simgrid" in lost.err, f"no fix: {lost.err}")
        absent = cli.run(*simulate, "--platform", tree, "--program", os.path.join(folder, "none")).expect_code(3)
        expect("KALLIMA_MPI=simgrid" in absent.err, f"no fix: {absent.err}")
        many = cli.run("simulate", "c2c:64^3", "-n", "256", "--platform", tree).expect_code(2)
        expect("more nodes" in many.err, f"no fix: {many.err}")
        hidden = cli.run(*simulate, "--platform", tree, "--chunks", "4").expect_code(2)
        expect("--chunks" in hidden.err, f"no fix: {hidden.err}")


def check_uneven(cli, machine, folder):
    """Ranks that hold unequal parts, or none."""
    within = 1.2

    def simulated(ranks, network, problem, decomposition):
        platform = os.path.join(folder, f"{network}-{ranks}-{decomposition}.xml")
        cli.run("export", "simgrid", machine, "--nodes", str(ranks), "--topology", network, "--groups", "6", "-o",
                platform).expect_code(0)
        found = cli.run("simulate", problem, "--decomposition", decomposition, "-n", str(ranks), "--platform", platform,
                        "--json").json()
        ratio = found["predicted_exchange_s"] / found["simulated_exchange_s"]
        return ratio, f"{problem} by {decomposition} on {ranks} ranks of a {network}: predicted over simulated is {ratio:.2f}"

    runs = itertools.product((48, 60, 96), ("fat-tree", "torus", "dragonfly"))
    problems = ("c2c:70x90x100", "pencil"), ("r2c:100x128x96", "slab")
    # A simulation has one thread, whatever the ranks.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        started = [pool.submit(simulated, *run, *problem) for run in runs for problem in problems]
        for ratio, what in (run.result() for run in started):
            print(what)
            expect(1 / within < ratio < within, what)


def case_simulated(cli):
    """Wants SimGrid's smpirun and KALLIMA_SIMULATED, the program that it runs."""
    machine = os.path.join(HERE, "..", "..", "bench", "scale.toml")
    with tempfile.TemporaryDirectory() as folder:
        for network in "fat-tree", "torus", "dragonfly":
            platform = os.path.join(folder, network + ".xml")
            cli.run("export", "simgrid", machine, "--nodes", "16", "--topology", network, "--groups", "4", "-o",
                    platform).expect_code(0)
            for arguments in (["c2c:64^3", "--decomposition", "cyclic"], ["c2c:64^3:f32", "--decomposition", "pencil"], ["r2c:48^3"],
                              ["c2c:2^12", "--method", "bruck"]):
                found = cli.run("simulate", *arguments, "-n", "16", "--platform", platform, "--verify", "4",
                                "--json").json()
                what = f"{arguments} on a {network}"
                expect_equal(found["schema"], "kallima.simulate/2", "schema")
                expect(found["error"] <= found["promised_error"], f"{what}: wrong, error {found['error']}")
                for counted in "bytes", "messages":
                    expect_equal(found[counted + "_sent"], found[counted], f"{counted} of {what}")
                ratio = found["predicted_exchange_s"] / found["simulated_exchange_s"]
                print(f"{what}: {found['messages']} messages, predicted over simulated {ratio:.2f}")
                # The model counts what the busiest link carries; docs/studies/scale.md.
                expect(0.7 < ratio < 1.3, f"{what}: predicted over simulated is {ratio:.2f}")
        check_uneven(cli, machine, folder)
        text = cli.run("simulate", "c2c:32^3", "-n", "16", "--platform", platform, "--verify", "4").expect_code(0).out
        for part in "16 simulated ranks", "predicted", "as priced", "right":
            expect(part in text, f"the table lacks '{part}': {text}")


def check_reasons(offers):
    """Reasons name the part of the price that grows most over that of the fewer ranks which they name."""
    of = {offer["ranks"]: offer["price"] for offer in offers}
    for offer in offers:
        if offer["why_slow"] is None:
            continue
        named = re.fullmatch(r"no faster than ([0-9,]+): (.*) grows by .*", offer["why_slow"])
        expect(named, f"a reason without a part of the price: {offer['why_slow']}")
        fewer = of[int(named[1].replace(",", ""))]
        growth = {part: offer["price"][part] - fewer[part] for part in fewer}
        growth["what is not hidden"] = -growth.pop("hidden")
        expect_equal(named[2], max(growth, key=growth.get), f"the reason on {offer['ranks']} ranks: {growth}")


def case_advise(cli):
    found = cli.run("advise", "c2c:1280x1280x1280", "-n", "90..130", "--json").json()
    expect_equal(found["schema"], "kallima.advise/3", "schema")
    ranks = [offer["ranks"] for offer in found["offers"]]
    expect({90, 128, 130} <= set(ranks), f"ranks that were asked for are missing: {ranks}")
    seconds = {offer["ranks"]: offer["seconds"] for offer in found["offers"]}
    for offer in found["offers"]:
        faster = [r for r in ranks if r < offer["ranks"] and seconds[r] <= offer["seconds"]]
        expect(bool(faster) == (offer["why_slow"] is not None), f"a slow count at {offer['ranks']}: {offer['why_slow']}, {faster}")
    for problem, more in ("c2c:1280^3", ["-n", "90..130"]), ("r2c:4096^3", ["-n", "4096..8192", "--machine", "frontier"]), (
            "c2c:1000x900x700", ["-n", "900..1100"]), ("r2c:96x96x96:f32", ["-n", "1..2048", "--machine", "frontier"]):
        check_reasons(cli.run("advise", problem, *more, "--json").json()["offers"])
    # A prime length is slow, and one that is longer by a little is faster.
    better = cli.run("advise", "c2c:1021x1021", "-n", "1..4", "--json").json()["better_sizes"]
    expect([1024, 1024] in [size["shape"] for size in better], f"1024 is not better than 1021: {better}")
    text = cli.run("advise", "c2c:1021x1021", "-n", "1..4").expect_code(0).out
    expect("1024x1024" in text and "Better sizes" in text, text)


def rank_traces(folder, trace):
    """A file for each rank, as KALLIMA_TRACE has them written."""
    paths = []
    for rank in range(trace["otherData"]["ranks"]):
        paths.append(os.path.join(folder, f"rank,{rank}.json"))
        own = [event for event in trace["traceEvents"] if event["pid"] == rank]
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump(dict(trace, traceEvents=own), file)
    return paths


def check_trace_figures(cli):
    found = cli.run("trace", TRACE, "--json").json()
    expect_equal(list(found), ["schema", "problem", "plan", "ranks", "ranks_found", "runs", "run", "seconds", "bytes_sent",
                               "messages_sent", "mean", "by_rank", "beside"], "keys")
    expect_equal((found["schema"], found["problem"]), ("kallima.trace-summary/1", "c2c:64x64x64:f64"), "schema, problem")
    expect_equal((found["ranks"], found["ranks_found"], found["runs"], found["run"], found["beside"]),
                 (2, 2, 2, 1, None), "ranks and runs")
    # By hand, in microseconds: from first to last, computing, waiting, in flight, hidden.
    for row, want in zip(found["by_rank"], [[2010, 1460, 550, 950, 400], [1950, 1600, 350, 950, 600]]):
        got = [round(row[key] * 1e6, 6) for key in ("seconds", "computing_s", "waiting_s", "in_flight_s", "hidden_s")]
        expect_equal(got, want, f"times of rank {row['rank']}")
        expect_equal((row["bytes_sent"], row["messages_sent"]), (2 << 20, 2), f"sent by rank {row['rank']}")
    expect_equal((found["bytes_sent"], found["messages_sent"]), (4 << 20, 4), "sent by all")
    first = cli.run("trace", TRACE, "--run", "0", "--json").json()
    expect_equal((first["run"], first["mean"]["hidden_s"], first["messages_sent"]), (0, 0, 2), "the first run")


def case_trace(cli):
    check_trace_figures(cli)
    with open(TRACE, encoding="utf-8") as file:
        trace = json.load(file)
    whole = cli.run("trace", TRACE, "--json").json()
    with tempfile.TemporaryDirectory() as folder:
        def refused(code, part, *arguments):
            ended = cli.run("trace", *arguments).expect_code(code)
            expect_equal(ended.out, "", f"standard output of {ended.command}")
            expect(part in ended.err, f"{ended.command}\nsays '{ended.err}', should speak of '{part}'")

        def written(name, text):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path

        ranks = rank_traces(folder, trace)
        expect_equal(cli.run("trace", *reversed(ranks), "--json").json(), whole, "files of ranks")
        alone = cli.run("trace", ranks[1]).expect_code(0).out
        expect("Only 1 of the ranks" in alone, f"it does not say that a rank is missing:\n{alone}")
        both = cli.run("trace", TRACE, "--beside", ranks[0], "--beside", ranks[1], "--json").json()
        expect_equal(dict(both["beside"], schema=whole["schema"], beside=None), whole, "the one beside")

        for more in [], ["--beside", ranks[0]]:
            expect_pictures(cli, ["sweep x, y", "waiting", "rank 1", "c2c:64x64x64:f64 on 2 ranks", "milliseconds"],
                            "trace", TRACE, *more)
        cli.run("trace", TRACE, "--plot", os.path.join(folder, "plot.svg"), "--beside", ranks[0]).expect_code(0)
        with open(os.path.join(folder, "plot.svg"), encoding="utf-8") as file:
            words = texts_of_svg(file.read())
        for word, times in {"sweep x, y": 1, "waiting": 1, "rank 0": 2, "rank 1": 1, "c2c:64x64x64:f64 on 2 ranks": 2}.items():
            expect_equal(words.count(word), times, f"'{word}' in the picture")

        refused(3, "its folder exists", TRACE, "--plot", os.path.join(folder, "none", "plot.svg"))
        refused(3, "name a file that exists", os.path.join(folder, "none.json"))
        refused(3, "name a file that exists", folder)
        refused(2, "FILE is required")
        refused(2, "--run a number from 0 to 1", TRACE, "--run", "2")
        refused(2, "at least 0", TRACE, "--run", "-1")
        refused(2, "rank 1 is in more than one of the traces; give each file once", *ranks, ranks[1])
        refused(2, "it is not JSON", written("half.json", json.dumps(trace)[:-50]))
        refused(2, "it is not JSON", written("empty.json", ""))
        refused(2, "there is no otherData", written("other.json", '{"traceEvents": []}'))
        refused(2, "let at least one transform run", written("none.json", json.dumps(dict(trace, traceEvents=[]))))
        refused(2, "event 2: ", written("odd.json", json.dumps(trace).replace('"dur": 500.0', '"dur": -500.0')))
        other = json.dumps(dict(trace, traceEvents=[])).replace("c2c:64x64x64:f64", "c2c:8x8:f64")
        refused(2, "behind --beside", TRACE, written("problem.json", other))


def case_calibrate(cli):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "here.toml")
        arguments = ["calibrate", "--rounds", "1", "--arrays", "4", "--name", "test", "-o", path]
        refused = cli.launch(cli.options.ranks, *arguments, "--plot", os.path.join(folder, "here.gif")).expect_code(2)
        expect(".svg, .png or .pdf" in refused.err, f"no fix: {refused.err}")
        expect(not os.path.exists(path), "it measures before it looks at the name of the picture")
        picture = os.path.join(folder, "here.svg")
        ended = cli.launch(cli.options.ranks, *arguments, "--plot", picture).expect_code(0)
        with open(picture, encoding="utf-8") as file:
            words = texts_of_svg(file.read())
        expect("Sweeps in cache, double precision" in words, f"the picture has {words}")
        links = "Links were not measured" not in ended.out
        expect_equal(links, cli.options.ranks > 1, "links were measured")
        for word in "lines of 64", "copy of", "Written to":
            expect(word in ended.out, f"no '{word}' in\n{ended.out}")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        expect("kallima.machine/3" in text and 'name = "test"' in text, text[:400])
        found = cli.run("predict", "c2c:64^3", "-n", "1..2", "--machine", path, "--json").json()
        expect_equal(found["machine"], "test", "machine")
        expect(all(0 < point["seconds"] < 10 for point in found["points"]), f"absurd: {found}")
        bench = cli.launch(cli.options.ranks, "bench", "c2c:32x30x28", "-i", "3", "--explain", "--machine", path)
        expect("priced on machine test" in bench.expect_code(0).out, bench.out)
        header = next(line for line in bench.out.splitlines() if line.startswith("step "))
        expect("copies" in header, f"steps are not compared with a copy: {header}")
        expect(" copies for " in bench.out and "a copy is by " in bench.out, f"nothing is said of copies:\n{bench.out}")
        nowhere = cli.launch(cli.options.ranks, "calibrate", "--rounds", "1", "--arrays", "1", "-o",
                             os.path.join(folder, "no", "such", "folder.toml"))
        expect(nowhere.code != 0 and "folder exists" in nowhere.err, f"{nowhere.code}: {nowhere.err}")


def case_million_ranks(cli):
    start = time.monotonic()
    plan = cli.run("plan", "c2c:32768^3", "-n", "1048576", "--in", "pencil:1024x1024",
                   "--chunks", "1", "--json").json()
    seconds = time.monotonic() - start
    # Nothing else was run by this process, so the largest child is the plan.
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"planned for {plan['ranks']} ranks in {seconds:.2f} s and {megabytes:.0f} MB")
    expect(megabytes < 200, f"planning took {megabytes:.0f} MB, should less than 200")
    expect_equal(plan["ranks"], 2**20, "ranks")
    expect_equal(plan["exchanges"], 2, "exchanges")
    # Every exchange leaves each rank 1/1024 of what it holds: rows of 1024 ranks.
    expect_equal(plan["bytes"], 2 * 16 * (2**45 - 2**35), "bytes")
    expect_equal(plan["messages"], 2 * 2**20 * 1023, "messages")


def case_usage_under_mpi(cli):
    for arguments, part in {
            ("bench", "c2x:8"): "problem 'c2x:8'",
            ("bench", "c2c:8x8", "--frob"): "--frob",
            ("bench", "c2c:8x8", "--in", "slabs"): "layout 'slabs'",
            ("bench", "c2c:8x8", "--in", "brick:4x4"): "needs 16 ranks, there are 3",
            ("plan", "c2x:8", "-n", "2"): "problem 'c2x:8'"}.items():
        ended = cli.launch(3, *arguments).expect_code(2)
        expect_equal(ended.err.count(part), 1, f"{ended.command}\n{ended.err}\nhow often it says '{part}'")
    for arguments, part in {("plan", "c2c:8x8", "-n", "2"): "plan c2c:8x8:f64", ("--version",): "kallima "}.items():
        ended = cli.launch(3, *arguments).expect_code(0)
        expect_equal(ended.out.count(part), 1, f"{ended.command}\n{ended.out}\nhow often it says '{part}'")
    program, launcher = cli.options.program, [cli.options.mpiexec, *cli.options.mpiexec_flag]
    mixed = cli.start([*launcher, "-n", "1", program, "bench", "c2c:8", ":", "-n", "1", program, "bench", "c2c:9"])
    mixed.expect_code(2)
    expect_equal(mixed.err.count("different arguments"), 1, "how often mixed arguments are refused")


def check_result(result, plan, arguments):
    backward = "--backward" in arguments
    expect_equal(list(result), RESULT_KEYS, "keys of a result")
    expect_equal(result["name"], "kallima", "name")
    expect(0 < result["min_s"] <= result["median_s"] <= result["p90_s"], "times out of order")
    expect(result["plan_s"] > 0, "no planning time")
    expect(0 <= result["error"] < (1e-5 if "f32" in arguments[0] else 1e-13), f"error {result['error']}")
    ends = ("layout_out", "layout_in") if backward else ("layout_in", "layout_out")
    expect_equal([result["layout_in"], result["layout_out"]], [plan[end] for end in ends], "layouts")
    # Planned is what really moved.
    expect_equal(result["exchanges"], plan["exchanges"], "exchanges")
    expect_equal(result["bytes_sent"], plan["bytes"], "bytes")
    if not backward:
        expect_equal(result["passes"], plan["passes"]["in_place" if "--in-place" in arguments else "out_of_place"],
                     "passes")
    expect(result["workspace_bytes"] >= 0, "negative workspace")


def case_bench(cli):
    ranks = cli.options.ranks
    for arguments in BENCHED:
        report = cli.launch(ranks, "bench", *arguments, "-i", "3", "-x", "1", "--verify", "--json").json()
        expect_equal(list(report), ["schema", "problem", "direction", "ranks", "nodes", "threads", "runs", "results",
                                    "best", "assumed_links", "calibration_gain"],
                     "keys of a report")
        expect_equal(report["schema"], "kallima.bench/3", "schema")
        expect_equal((report["ranks"], report["nodes"]), (ranks, 1), "ranks and nodes")
        expect_equal(len(report["results"]), 1, "results")
        planned = [word for word in arguments if word not in ("--backward", "--in-place", "--engine-effort", "measure")]
        if "--threads" in planned:
            at = planned.index("--threads")
            del planned[at:at + 2]
        if report["results"][0]["method"] and "--method" not in planned:
            planned += ["--method", report["results"][0]["method"]]
        plan = cli.run("plan", *planned, "-n", str(ranks), "--json").json()
        expect_equal(report["problem"], plan["problem"], "problem")
        try:
            check_result(report["results"][0], plan, arguments)
        except Failed as error:
            raise Failed(f"bench {' '.join(arguments)} on {ranks} ranks: {error}\n{report}") from error
    quick = cli.launch(ranks, "bench", "c2c:8x8", "-i", "1", "-x", "0", "--json").json()
    expect_equal(quick["results"][0]["error"], None, "error without --verify")
    for shared, method in ("on", "shared-memory"), ("off", "point-to-point"):
        report = cli.launch(ranks, "bench", "c2c:8x8x8", "-i", "1", "--json", KALLIMA_SHARED=shared).json()
        expect_equal(report["results"][0]["method"], method if ranks > 1 else None, f"method with KALLIMA_SHARED={shared}")
    text = cli.launch(ranks, "bench", "c2c:8x8", "-i", "1", "--verify").expect_code(0).out
    for part in "c2c:8x8:f64", f"{ranks} rank", "MPI", "host ", "median", "verified":
        expect(part in text, f"the table does not say '{part}':\n{text}")
    for way in "convolution", "gather":
        text = cli.launch(ranks, "bench", "r2c:1009", "--decomposition", way, "-i", "1", "--verify", "--explain").expect_code(0).out
        expect(("chirp x" in text) == (way == "convolution"), f"a plan by {way}:\n{text}")
    check_bench_traces(cli)
    check_bytes_agree(cli)


def check_bytes_agree(cli):
    """plan, bench and trace name the same bytes of an exchange, by shared memory too, where there are no messages."""
    ranks = cli.options.ranks
    shared = "by shared memory: read in place, no messages"
    for method in "shared-memory", "point-to-point", "alltoallv":
        problem = ["c2c:12x10x8", "--method", method]
        planning = ["plan", *problem, "-n", str(ranks), "--ranks-per-node", str(ranks)]
        benching = ["bench", *problem, "-i", "1", "-x", "0"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            result = cli.launch(ranks, *benching, "--json", "--trace", path).json()["results"][0]
            traced = cli.run("trace", path, "--json").json()
        plan = cli.run(*planning, "--json").json()
        expect_equal(result["bytes_sent"], plan["bytes"], f"bytes of bench and plan by {method}")
        expect_equal((traced["bytes_sent"], traced["messages_sent"]), (plan["bytes"], plan["messages"]),
                     f"bytes and messages of trace and plan by {method}")
        expect_equal(sum(rank["bytes_sent"] for rank in traced["by_rank"]), plan["bytes"], f"bytes of ranks by {method}")
        expect_equal(plan["price"]["steps"][-2]["messages"] if ranks > 1 else 0, plan["messages"], "messages of the price")
        expect_equal(plan["messages"] == 0, ranks == 1 or method == "shared-memory", f"no messages by {method}")
        expect_equal(plan["bytes"] == 0, ranks == 1, f"no bytes by {method}")
        told = [cli.run(*planning).expect_code(0).out, cli.launch(ranks, *benching).expect_code(0).out]
        expect_equal([shared in text for text in told], 2 * [ranks > 1 and method == "shared-memory"],
                     f"whether plan and bench say that nothing is sent by {method}")


def check_bench_traces(cli):
    """What bench and a rank's own file record, in chunks and in one piece, `kallima trace` reads and counts."""
    ranks = cli.options.ranks
    problem = ["c2c:32x32x32", "--method", "point-to-point", "-i", "2", "-x", "1"]
    with tempfile.TemporaryDirectory() as folder:
        for chunks in "1", "4":
            plan = cli.run("plan", *problem[:3], "--chunks", chunks, "-n", str(ranks), "--json").json()
            path = os.path.join(folder, f"trace{chunks}.json")
            cli.launch(ranks, "bench", *problem, "--chunks", chunks, "--trace", path).expect_code(0)
            found = cli.run("trace", path, "--json", "--plot", os.path.join(folder, "trace.svg")).json()
            expect_equal(found["messages_sent"], plan["messages"], f"messages of a trace in {chunks} chunks")
            expect(all(rank["computing_s"] > 0 for rank in found["by_rank"]), f"nothing computed: {found}")
        cli.launch(ranks, "bench", *problem, KALLIMA_TRACE=os.path.join(folder, "own.json")).expect_code(0)
        own = [name for name in os.listdir(folder) if name.startswith("own.")]
        expect_equal(len(own), ranks, "files of ranks")
        cli.run("trace", *(os.path.join(folder, name) for name in own)).expect_code(0)


def check_rivals(report, ranks, elements):
    rows = {row["name"]: row for row in report["results"]}
    expect_equal(list(rows)[:3], ["kallima", "kallima/again", "kallima/estimate"], "the first rows")
    expect_equal(rows["kallima"]["ratio"], 1.0, "the ratio of kallima to itself")
    for name, row in rows.items():
        expect(0 < row["min_s"] <= row["median_s"] <= row["p90_s"], f"{name}: times out of order: {row}")
        expect(0 < row["mean_rank_median_s"] <= row["p90_s"], f"{name}: a mean beyond the slowest: {row}")
        expect(0 < row["ratio_p25"] <= row["ratio_p75"], f"{name}: quartiles out of order: {row}")
        expect(abs(row["ratio"] - row["median_s"] / rows["kallima"]["median_s"]) < 1e-9, f"{name}: ratio: {row}")
        if name.startswith(("bare", "copy")):
            expect_equal(row["error"], None, f"error of {name}")
            continue
        expect(row["error_returned"] < 1e-14, f"{name}: there and back: {row}")
        expect(row["error"] is None if "scrambled" in name else row["error"] < 1e-14, f"{name}: error: {row}")
        if name.startswith("kallima"):
            continue
        # Where the ranks divide the axes, an exchange of theirs moves all but what stays.
        moved = row["exchanges"] * elements * 16 * (ranks - 1) // ranks
        expect_equal(row["bytes_sent"], moved, f"bytes that {name} sent")
    return rows


def check_output_as_asked(cli, ranks):
    """A rival that leaves its output turned is told so, and is not the best of those that do what was asked."""
    arguments = ["--against", "fftw-mpi", "-i", "1", "-x", "0", "--engine-effort", "estimate"]
    for problem in ["c2c:24x12x20", "--out", "same"], ["r2c:24x12x20", "--in", "slab", "--out", "same"], [
            "c2r:13x7x11", "--in", "slab", "--out", "same"], ["c2c:5184", "--in", "slab", "--out", "same"]:
        report = cli.launch(ranks, "bench", *problem, *arguments, "--json").json()
        for row in report["results"]:
            turned = "transposed" in row["name"] or "scrambled" in row["name"]
            expect_equal(row["out_as_asked"], not turned, f"{problem}: whether {row['name']} does what was asked")
        best = report["best"]["fftw-mpi"]
        expect(best.split("/")[1].split("-")[0] in ("same", "ordered"), f"{problem}: best of fftw-mpi is {best}")
    text = cli.launch(ranks, "bench", "c2c:24x12x20", "--out", "same", *arguments).expect_code(0).out
    expect_equal(text.count("(not as asked)"), 2, "rows that are marked")
    # Turned is what is asked for: then those that turn are the ones that do the same.
    turned = cli.launch(ranks, "bench", "c2c:24x12x20", "--in", "slab", "--out", f"y:block/{ranks} z:all x:all", *arguments,
                        "--json").json()
    expect(turned["best"]["fftw-mpi"].startswith("fftw-mpi/transposed"), f"the best that turns: {turned['best']}")
    cyclic = ["c2c:24x12x20", "--out", "z:all y:all x:cyclic/2"]
    if ranks > 1:
        none = cli.launch(ranks, "bench", *cyclic, *arguments, "--json").json()
        expect_equal(none["best"], {"fftw-mpi": None}, "the best of those that all do something else")
        text = cli.launch(ranks, "bench", *cyclic, *arguments).expect_code(0).out
        expect("best of fftw-mpi: none" in text, f"it is not said that none is: {text}")


def case_rivals(cli):
    ranks = cli.options.ranks
    told = cli.run("bench", "--help").expect_code(0).out
    known = told.split("LIST: some of ")[1].splitlines()[0].split(", ")
    expect("bare" in known and "copy" in known, f"bare and copy are always there: {known}")
    arguments = ["--against", ",".join(known), "-i", "3", "-x", "1", "--verify", "--json"]
    rows = check_rivals(cli.launch(ranks, "bench", "c2c:24x12x20", *arguments).json(), ranks, 24 * 12 * 20)
    flat = check_rivals(cli.launch(ranks, "bench", "c2c:5184", *arguments).json(), ranks, 5184)
    cli.launch(ranks, "bench", "c2c:13x7x11:f32", *arguments, "--backward").json()
    reals = ["--against", ",".join(name for name in known if name in ("bare", "fftw-mpi")), *arguments[2:]]
    for problem in "r2c:24x12x20", "c2r:13x7x11:f32":
        half = {row["name"]: row for row in cli.launch(ranks, "bench", problem, *reals).json()["results"]}
        expect("bare/sum" in half, f"{problem}: no sum of the bare parts")
        expect("fftw-mpi" not in known or "fftw-mpi/same-inplace" in half, f"{problem}: variants of FFTW's are missing")
        for name, row in half.items():
            expect(row["error"] is None or row["error"] < 1e-5, f"{problem}: {name} is wrong: {row}")
    cli.launch(ranks, "bench", "r2c:64", "--against", "fftw-mpi,bare", "-i", "1").expect_code(2)
    expect("bare/sum" in rows and "bare/sum" in flat, "no sum of the bare parts")
    for row in rows.values():
        expect(abs(row["copies"] - row["median_s"] / rows["copy"]["median_s"]) < 1e-9, f"copies: {row}")
    expect(rows["copy"]["bytes_sent"] == 0 and rows["copy"]["passes"] == 1, f"a copy: {rows['copy']}")
    if "fftw-mpi" in known:
        expect("fftw-mpi/transposed-inplace" in rows and "fftw-mpi/ordered" in flat, "variants of FFTW's are missing")
        check_output_as_asked(cli, ranks)
    if "spfft" in known:
        expect("spfft" in rows and "spfft" not in flat, "SpFFT is for three axes")
    with tempfile.TemporaryDirectory() as folder:
        wisdom = os.path.join(folder, "wisdom")
        for _ in range(2):
            ended = cli.launch(ranks, "bench", "c2c:8x8x8", "--against", "bare", "--wisdom", wisdom, "-i", "1")
            text = ended.expect_code(0).out
            expect_equal(ended.err, "", "what is said of the wisdom")
        expect(os.path.getsize(wisdom) > 0, "no wisdom was kept")
        cli.launch(ranks, "bench", "c2c:8", "-i", "1", "--wisdom", f"{folder}/none/w").expect_code(3)
    for part in "x kallima", "quartiles", "bare/sum", "in turns":
        expect(part in text, f"the table does not say '{part}':\n{text}")


def case_wrong_engine(cli):
    arguments = ["bench", "c2c:17x19", "-i", "1", "--verify"]
    cli.run(*arguments).expect_code(0)
    for more in [], ["--json"]:
        ended = cli.run(*arguments, *more, LD_PRELOAD=cli.options.preload).expect_code(1)
        expect("kallima is wrong: error" in ended.err, f"it does not say what is wrong: {ended.err}")
    expect(json.loads(ended.out)["results"][0]["error"] > 1e-12, "the error is small")


def case_tune(cli):
    problem = ["bench", "c2c:32x24x16", "-i", "1"]
    with tempfile.TemporaryDirectory() as folder:
        plans = os.path.join(folder, "plans.json")
        ended = cli.launch(2, *problem, "--plans", plans).expect_code(0)
        expect("does not exist" in ended.err and "--tune-into" in ended.err and "remove" not in ended.err,
               f"it does not say that there is no file, and how to make it: {ended.err}")
        ended = cli.launch(2, *problem, "--tune-into", plans, "--verify").expect_code(0)
        for part in "exchanges", "input layout", "priced", "measured", "fastest", plans, "verified":
            expect(part in ended.out, f"the table does not say '{part}':\n{ended.out}")
        expect_equal(ended.err, "", "what is said while tuning")
        with open(plans, encoding="utf-8") as file:
            kept = json.load(file)
        expect_equal((kept["schema"], len(kept["plans"])), ("kallima.wisdom/3", 1), "what is kept")
        entry = kept["plans"][0]
        expect_equal((entry["problem"], entry["ranks"]), ("c2c:32x24x16:f64", 2), "what it is for")
        ended = cli.launch(2, *problem, "--plans", plans, "--json").expect_code(0)
        expect_equal(ended.err, "", "what is said of the plans")
        layout = next(line for line in entry["plan"].splitlines() if line.startswith("  start"))
        expect_equal(layout.split(None, 1)[1], json.loads(ended.out)["results"][0]["layout_in"], "layout of the input")
        report = cli.launch(2, *problem, "--tune-into", plans, "--json").json()
        expect_equal(report["schema"], "kallima.bench/3", "schema")
        ended = cli.launch(2, "bench", "c2c:8x8", "-i", "1", "--plans", plans).expect_code(0)
        expect("no plan for this" in ended.err, f"it does not say that it has none: {ended.err}")
        with open(plans, "r+", encoding="utf-8") as file:
            file.truncate(100)
        ended = cli.launch(2, *problem, "--plans", plans).expect_code(0)
        expect("ignored" in ended.err, f"it does not say that the file is damaged: {ended.err}")
        cli.launch(2, *problem, "--tune-into", f"{folder}/none/plans.json").expect_code(3)
        cli.launch(2, *problem, "--tune-into", plans, "--plans", plans).expect_code(2)


DOCTOR = ["launcher", "binding", "oversubscription", "shared memory", "/dev/shm", "huge pages", "huge pages, shared memory",
          "large counts", "progress", "all-to-all", "FFT engine", "clock", "memory", "threads", "figures"]


def case_doctor(cli):
    ranks = cli.options.ranks
    cores = len(os.sched_getaffinity(0))

    def checks_of(strict=False, **more):
        begun = time.monotonic()
        ended = cli.launch(ranks, "doctor", "--json", *(["--strict"] if strict else []), **more)
        took = time.monotonic() - begun
        expect(took < 30, f"the doctor took {took:.1f} s")  # 10 s, and slack for a busy machine
        expect(ended.code in (0, 1), f"{ended.command} ended with {ended.code}\n{ended.out}{ended.err}")
        report = json.loads(ended.out)
        expect_equal(list(report), ["schema", "mpi", "ranks", "nodes", "fails", "hurts", "checks", "progress", "all_to_all"],
                     "keys of the report")
        expect_equal((report["schema"], report["ranks"], report["nodes"]), ("kallima.doctor/3", ranks, 1), "the head")
        expect_equal([check["name"] for check in report["checks"]], DOCTOR, "checks")
        hurting = [check for check in report["checks"] if check["verdict"] == "hurts"]
        expect_equal(report["hurts"], len(hurting), "how many hurt")
        expect_equal(report["fails"], 0, "how many fail")
        expect_equal(ended.code, 1 if strict and hurting else 0, "how it ended")
        for check in report["checks"]:
            expect(check["verdict"] in ("good", "hurts", "cannot tell"), f"verdict of {check}")
            expect((check["fix"] is not None) == (check["verdict"] == "hurts"), f"fix of {check}")
        return report, {check["name"]: check for check in report["checks"]}

    report, checks = checks_of()
    expect_equal(checks["launcher"]["verdict"], "good", "the launcher")
    checks_of(strict=True)
    if ranks > cores:
        expect_equal(checks["oversubscription"]["verdict"], "hurts", f"{ranks} ranks on {cores} cores")
        expect(f"{ranks} ranks on" in checks["oversubscription"]["found"], f"{checks['oversubscription']}")
        expect_equal((report["progress"], report["all_to_all"]), ([], []), "measured without cores")
    elif ranks > 1 and report["all_to_all"]:
        for size in report["all_to_all"]:
            expect(size["mpi_s"] > 0 and size["own_s"] > 0, f"no time: {size}")
        expect(all(0 <= pair["moved"] <= 1 for pair in report["progress"]), f"shares: {report['progress']}")
    if ranks > 1:
        expect_equal(checks["shared memory"]["verdict"], "good", "shared memory")
        _, off = checks_of(KALLIMA_SHARED="off")
        expect_equal(off["shared memory"]["verdict"], "hurts", "shared memory that is switched off")
    text = cli.launch(ranks, "doctor")
    expect_equal(text.out.count("looked at: "), 1, "how often the report is printed")
    for name in DOCTOR:
        expect(any(line.startswith(name + " ") for line in text.out.splitlines()), f"no line on {name}:\n{text.out}")
    expect(max(map(len, text.out.splitlines()[-20:])) <= 200, "a fix is not wrapped")


CASES = {name[len("case_"):]: case for name, case in list(globals().items()) if name.startswith("case_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", choices=sorted(CASES))
    parser.add_argument("--program", required=True, help="the executable")
    parser.add_argument("--mpiexec", help="what starts ranks")
    parser.add_argument("--mpiexec-flag", action="append", default=[], help="an argument for it")
    parser.add_argument("--ranks", type=int, default=2, help="for the case bench")
    parser.add_argument("--cairo", action="store_true", help="the program was built with cairo")
    parser.add_argument("--preload", help="library for the case wrong_engine")
    parser.add_argument("--update", action="store_true", help="write what the case golden compares with")
    options = parser.parse_args()
    try:
        CASES[options.case](Cli(options))
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
