#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What users get who choose nothing, over the best plan there is, on links that really limit.

    bench/defaults.py [--build BUILD] [--results RESULTS] [--hosts 2,4] [--rates 200mbit,...] [--hours 2]

Hosts are those of the test bed (tests/netbed, needs root), one rank each; `--hosts 1` is one node without
a bed, 2 and 4 ranks. Every point is a file in RESULTS: what is there is not measured again, so that the
script goes on where it was stopped. It starts no point after HOURS. Prints Markdown at the end;
`--only-print` prints what is there. Nothing else should run meanwhile.

A point is measured by kallima_defaults (see there) in one launch, and against FFTW-MPI by
`kallima bench`. The best plan is the variant with the least median over odd rounds; ratios are of
medians over even rounds. Noise is the default plan over itself.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from tables import table

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROBLEMS = [("c2c:256^3", "slab"), ("c2c:256^3", "pencil"), ("c2c:128^3", "slab"), ("c2c:128^3", "pencil"),
            ("r2c:256^3", "slab"), ("r2c:256^3", "pencil"), ("c2c:2^22", "any")]
ON_NODE = [("c2c:64^3", "slab"), ("c2c:64^3", "pencil"), ("c2c:128^3", "slab"), ("c2c:128^3", "any"), ("r2c:128^3", "slab"),
           ("r2c:128^3", "any"), ("c2c:100x90x70", "slab"), ("c2c:2^20", "any"), ("c2c:2048^2", "any"), ("r2c:1000^2", "any")]
RATES = ["200mbit", "1gbit", "2gbit", "5gbit", "none"]
ENDS = {"slab": ["--in", "slab", "--out", "same"], "any": ["--out", "any"]}


def launch(options, hosts, ranks, rate, words):
    if hosts == 1:
        return ["mpiexec.openmpi", "--oversubscribe", "-n", str(ranks)] + words
    return [str(ROOT / "tests/netbed/netbed"), "--hosts", str(hosts), "--ranks-per-host", "1", "--rate", rate, "--"] + words


def measured(options, command, seconds=1800):
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    for name in "KALLIMA_MACHINE", "KALLIMA_MACHINES":
        environment.pop(name, None)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment)
    if ended.returncode == 77:
        sys.exit("hosts of the test bed need root")
    if ended.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def points(options):
    for hosts in options.hosts:
        if hosts == 1:
            for problem, ends in ON_NODE:
                for ranks in 2, 4:
                    yield 1, ranks, "none", problem, ends
            continue
        for rate in options.rates:
            for problem, ends in PROBLEMS:
                yield hosts, hosts, rate, problem, ends


def measure(options):
    begun = time.monotonic()
    for hosts, ranks, rate, problem, ends in points(options):
        name = f"{hosts}x{ranks}-{rate}-{problem.replace(':', '_').replace('^', '_')}-{ends}.json"
        path = options.results / name
        if path.exists():
            continue
        if time.monotonic() - begun > 3600 * options.hours:
            print(f"no more time: {name} and what follows are left for the next call", file=sys.stderr)
            return
        print(f"== {name}", file=sys.stderr, flush=True)
        program = str(options.build / "bench/kallima_defaults")
        out = measured(options, launch(options, hosts, ranks, rate,
                                       [program, problem, ends, str(options.rounds), str(options.seconds)]))
        found = next(json.loads(line) for line in out.splitlines() if line.startswith("{"))
        found.update({"hosts": hosts, "rate": rate})
        if hosts > 1 and ends in ENDS:
            found["rivals"] = {effort: against(options, hosts, ranks, rate, problem, ends, effort)
                               for effort in ("estimate", "measure")}
        part = path.with_suffix(".part")
        part.write_text(json.dumps(found))
        part.rename(path)


def against(options, hosts, ranks, rate, problem, ends, effort):
    """Medians of the library and of FFTW-MPI, in turns in one launch."""
    words = [str(options.build / "apps/kallima/kallima"), "bench", problem, *ENDS[ends], "--against", "fftw-mpi",
             "--engine-effort", effort, "--plan-effort", effort, "--wisdom", str(options.results / f"wisdom-{hosts}"), "--json"]
    words += ["-i", "2", "-x", "1"] if rate == "200mbit" else ["-i", "5"]
    report = json.loads(measured(options, launch(options, hosts, ranks, rate, words)))
    ours = next(row["median_s"] for row in report["results"] if row["name"] == "kallima")
    rivals = [row["median_s"] for row in report["results"] if row["name"].startswith("fftw-mpi") and row.get("out_as_asked", True)]
    return {"kallima_s": ours, "fftw_mpi_s": min(rivals) if rivals else None}


def middle(values):
    return statistics.median(values)


def figures(point):
    rows = {row["name"]: row for row in point["contenders"] if not row["variant"]}
    variants = [row for row in point["contenders"] if row["variant"]]
    odd = lambda row: middle(row["took_s"][1::2])
    even = lambda row: middle(row["took_s"][0::2])
    best = min(variants, key=odd)
    result = {name: even(rows[name]) / even(best) for name in ("default", "measure", "adaptive")}
    result["noise"] = even(rows["default again"]) / even(rows["default"])
    took = sorted(rows["default"]["took_s"])
    result.update({"best": best["manner"], "taken": rows["default"]["manner"], "seconds": middle(took),
                   "spread": (took[0], took[-1]), "planning": rows["default"]["planning_s"],
                   "measuring": rows["measure"]["planning_s"]})
    for effort, row in point.get("rivals", {}).items():
        if row["fftw_mpi_s"]:
            result[f"fftw {effort}"] = row["kallima_s"] / row["fftw_mpi_s"]
    return result


def cell(found, key):
    return f"{found[key]:.2f}" if key in found else "-"


def report(options):
    paths = sorted(options.results.glob("*.json"))
    order = {rate: i for i, rate in enumerate(RATES)}
    found = [json.loads(path.read_text()) for path in paths]
    found.sort(key=lambda p: (p["hosts"], p["ranks"], order.get(p["rate"], 9), p["problem"], p["ends"]))
    groups = {}
    for point in found:
        groups.setdefault((point["hosts"], point["ranks"]), []).append((point, figures(point)))
    for (hosts, ranks), members in sorted(groups.items()):
        rows = [["rate", "problem", "ends", "default, ms", "spread", "default / best", "measure / best", "adaptive / best", "noise",
                 "/ FFTW-MPI, estimate", "/ FFTW-MPI, measure"]]
        for point, its in members:
            rows.append([point["rate"], point["problem"].replace(":f64", ""), point["ends"],
                         f"{1e3 * its['seconds']:.1f}", f"{1e3 * its['spread'][0]:.1f} to {1e3 * its['spread'][1]:.1f}",
                         cell(its, "default"), cell(its, "measure"), cell(its, "adaptive"), cell(its, "noise"),
                         cell(its, "fftw estimate"), cell(its, "fftw measure")])
        if hosts == 1:
            rows = [row[1:9] for row in rows]
        elif all(row[9] == row[10] == "-" for row in rows[1:]):
            rows = [row[:9] for row in rows]
        print(f"{'One node' if hosts == 1 else f'{hosts} hosts'}, {ranks} ranks:\n\n{table(rows)}\n")
    summary = [["hosts", "ranks", "points", "default: median, worst", "measure: median, worst", "adaptive: median, worst",
                "noise: least, most", "/ FFTW-MPI, estimate: median", "/ FFTW-MPI, measure: median",
                "planning, s: most", "measuring, s: most"]]
    for (hosts, ranks), members in sorted(groups.items()):
        its = [figure for _, figure in members]
        both = lambda key: f"{middle([p[key] for p in its]):.2f}, {max(p[key] for p in its):.2f}"
        fftw = {effort: [p[f"fftw {effort}"] for p in its if f"fftw {effort}" in p] for effort in ("estimate", "measure")}
        summary.append([str(hosts), str(ranks), str(len(its)), both("default"), both("measure"), both("adaptive"),
                        f"{min(p['noise'] for p in its):.2f}, {max(p['noise'] for p in its):.2f}",
                        *(f"{middle(fftw[effort]):.2f}" if fftw[effort] else "-" for effort in ("estimate", "measure")),
                        f"{max(p['planning'] for p in its):.2f}", f"{max(p['measuring'] for p in its):.2f}"])
    print(table(summary))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/bench/defaults")
    parser.add_argument("--hosts", default="1,2,4", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--rates", default=",".join(RATES), type=lambda text: text.split(","))
    parser.add_argument("--rounds", type=int, default=10, help="at most")
    parser.add_argument("--seconds", type=float, default=30, help="of all rounds of a point, but two at least")
    parser.add_argument("--hours", type=float, default=2)
    parser.add_argument("--only-print", action="store_true")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    if not options.only_print:
        measure(options)
    report(options)


if __name__ == "__main__":
    main()
