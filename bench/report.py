#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables and a plot of what bench/on_node.sh left in a folder.

usage: report.py FOLDER > report.md    (writes FOLDER/report.svg too)
"""
import collections
import glob
import json
import os
import statistics
import sys

# What is hoped for: problem, whose row or best row, at most so much of its time.
TARGETS = [
    ("c2c_256", "fftw-mpi", 0.40), ("c2c_256", "bare/sum", 0.70), ("c2c_256", "copy", 3.40),
    ("c2c_512", "fftw-mpi", 0.42), ("c2c_512", "bare/sum", 0.75),
    ("c2c_128", "fftw-mpi", 0.60), ("c2c_128", "bare/sum", 0.75),
    ("c2c_128_same", "fftw-mpi/same", 0.45), ("c2c_256_same", "fftw-mpi/same", 0.45),
    ("c2c_64", "fftw-mpi", 0.85), ("c2c_48", "fftw-mpi", 0.85), ("c2c_32", "fftw-mpi", 0.85),
    ("r2c_256", "fftw-mpi", 0.45), ("r2c_128", "fftw-mpi", 0.65),
    ("c2c_2^20", "fftw-mpi/ordered", 0.32), ("c2c_2^20", "bare/sum", 1.00), ("c2c_2^20", "fftw-threads", 0.80),
    ("c2c_2^22", "fftw-mpi/ordered", 0.32), ("c2c_2^22", "bare/sum", 1.00), ("c2c_2^22", "fftw-threads", 0.80),
    ("c2c_2^24", "fftw-mpi/ordered", 0.32), ("c2c_2^24", "bare/sum", 1.00), ("c2c_2^24", "fftw-threads", 0.80),
    ("c2c_2^22_block", "fftw-mpi/ordered", 0.60), ("c2c_2^24_block", "fftw-mpi/ordered", 0.60),
    ("c2c_125", "fftw-mpi", 0.65), ("c2c_243x250x256", "fftw-mpi", 0.65), ("c2c_257", "fftw-mpi", 0.75),
    ("c2c_256_f32", "fftw-mpi", 0.45), ("c2c_256_alone", "fftw-threads", 0.75),
    ("c2c_256_messages", "fftw-mpi", 0.55), ("c2c_128_crowded", "fftw-mpi", 0.75),
]  # fmt: skip


def rank_of(name):
    """Problems of one axis last, and by size."""
    size = name.split("_")[1]
    return ("^" in size, float(size.replace("2^", "").split("x")[0]), name)


def loaded(folder):
    runs = collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        name = os.path.basename(path).rsplit(".", 2)[0]
        with open(path, encoding="utf-8") as file:
            runs[name].append(json.load(file))
    return {name: runs[name] for name in sorted(runs, key=rank_of)}


def rivals_best(report, rival):
    """The fastest row of a rival, or of those of its rows whose names begin so."""
    rows = [row for row in report["results"] if row["name"] == rival or row["name"].startswith(rival + "/")
            or row["name"] == rival + "-inplace"]
    return min(rows, key=lambda row: row["median_s"]) if rows else None


def time_text(seconds):
    return f"{1e3 * seconds:.3g} ms"


def bytes_text(count):
    if count is None:
        return "?"
    return f"{count / 2**20:.3g} MiB" if count >= 2**20 else f"{count / 2**10:.3g} KiB"


def problem_table(name, reports):
    first = reports[0]
    lines = [f"### {first['problem']} on {first['ranks']} ranks" + ("" if name.count("_") < 2 else f" ({name})"), "",
             f"{first['runs']} runs each, in turns; medians of {len(reports)} launches.", "",
             "| | median | min | p90 | x kallima | quartiles of paired ratios | exchanges | moved | memory |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for row in first["results"]:
        same = [r for report in reports for r in report["results"] if r["name"] == row["name"]]
        middle = {key: statistics.median(r[key] for r in same)
                  for key in ("median_s", "min_s", "p90_s", "ratio", "ratio_p25", "ratio_p75")}
        lines.append(
            f"| {row['name']} | {time_text(middle['median_s'])} | {time_text(middle['min_s'])} | "
            f"{time_text(middle['p90_s'])} | {middle['ratio']:.2f} | {middle['ratio_p25']:.2f} - "
            f"{middle['ratio_p75']:.2f} | {row['exchanges']} | {bytes_text(row['bytes_sent'])} | "
            f"{bytes_text(row['memory_bytes'])} |")
    return lines + [""]


def target_table(runs):
    lines = ["| problem | against | each launch | median | hoped for |", "| --- | --- | --- | ---: | ---: |"]
    for name, rival, most in TARGETS:
        ratios = []
        for report in runs.get(name, []):
            row = rivals_best(report, rival)
            if row is not None:
                ratios.append(report["results"][0]["median_s"] / row["median_s"])
        if not ratios:
            continue
        middle = statistics.median(ratios)
        mark = "" if middle <= most else " (missed)"
        each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        lines.append(f"| {name} | {rival} | {each} | {middle:.2f}{mark} | {most:.2f} |")
    return lines if len(lines) > 2 else []


def thread_table(runs):
    lines = ["| problem | 1 rank with threads, in units of as many ranks | median |", "| --- | --- | ---: |"]
    for name, reports in runs.items():
        pairs = list(zip(reports, runs.get(name.replace("_threads", "_ranks"), [])))
        if not name.endswith("_threads") or not pairs:
            continue
        ratios = [one["results"][0]["median_s"] / many["results"][0]["median_s"] for one, many in pairs]
        lines.append(f"| {reports[0]['problem']} | {', '.join(f'{ratio:.2f}' for ratio in ratios)} | "
                     f"{statistics.median(ratios):.2f} |")
    return lines if len(lines) > 2 else []


def real_table(runs):
    """Reals in units of as many complex numbers, where both were launched in turns."""
    lines = ["| problem | in units of complex data | median | hoped for |", "| --- | --- | ---: | ---: |"]
    for name, reports in runs.items():
        pairs = list(zip(reports, runs.get(name.replace("r2c", "c2c", 1).replace("_real", "_complex"), [])))
        if not name.endswith("_real") or not pairs:
            continue
        ratios = [half["results"][0]["median_s"] / whole["results"][0]["median_s"] for half, whole in pairs]
        hoped = "0.60" if "^" in name else ""
        lines.append(f"| {reports[0]['problem']} | {', '.join(f'{ratio:.2f}' for ratio in ratios)} | "
                     f"{statistics.median(ratios):.2f} | {hoped} |")
    return lines if len(lines) > 2 else []


def memory_table(runs):
    """What Kallima takes beyond input and output, in units of the local input."""
    lines = ["| problem | workspace | in units of the local data |", "| --- | ---: | ---: |"]
    for name, reports in runs.items():
        if name.endswith(("_ranks", "_threads", "_real", "_complex")):
            continue
        first = reports[0]
        row = first["results"][0]
        shape = first["problem"].split(":")[1].split("x")
        elements = 1
        for extent in shape:
            elements *= int(extent)
        local = (8 if first["problem"].startswith("r2c") else 16) * elements / first["ranks"]
        lines.append(f"| {name} | {bytes_text(row['workspace_bytes'])} | {row['workspace_bytes'] / local:.2f} |")
    return lines


# Rivals of the plot: what they are called there, and in which colour.
DRAWN = {"fftw-mpi": ("FFTW-MPI", "#c44e52"), "heffte": ("heFFTe", "#55a868"), "2decomp": ("2DECOMP&amp;FFT", "#4c9db5"),
         "spfft": ("SpFFT", "#937860"), "fftw-threads": ("FFTW, threads, no MPI", "#8172b2"),
         "bare/sum": ("FFT engine + MPI_Alltoall alone", "#8c8c8c")}


def title_of(name):
    """Of a problem, "c2c_128_same": "c2c 128^3 same"."""
    kind, size, *rest = name.split("_")
    return " ".join([kind, size + "^3" if size.isdigit() else size, *rest])


def plot(runs, path):
    """Bars: the time of each rival's fastest row, in units of Kallima's."""
    groups = []
    for name, reports in runs.items():
        bars = []
        for rival in DRAWN:
            # Who wants the layout back is compared with those who give it back.
            rows = rival + "/same" if rival == "fftw-mpi" and "_same" in name else rival
            if rivals_best(reports[0], rows):
                bars.append((rival, statistics.median(
                    rivals_best(r, rows)["median_s"] / r["results"][0]["median_s"] for r in reports)))
        groups.append((name, bars))
    height = 66 + sum(16 * len(bars) + 18 for _, bars in groups)
    longest = max((value for _, bars in groups for _, value in bars), default=1.0)
    left = 290
    scale = 340 / max(longest, 1.0)
    one = left + scale
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{height}" font-family="sans-serif" '
           'font-size="12"><!-- SPDX-License-Identifier: BSD-3-Clause -->',
           f'<rect width="680" height="{height}" rx="6" fill="white"/>',
           '<text x="10" y="20" font-size="14">Time in units of Kallima\'s: longer is slower</text>',
           f'<line x1="{one:.1f}" y1="48" x2="{one:.1f}" y2="{height - 22}" stroke="black" stroke-dasharray="3,3"/>',
           f'<text x="{one:.1f}" y="42" text-anchor="middle" font-weight="bold">Kallima</text>']
    y = 56
    for name, bars in groups:
        out.append(f'<text x="10" y="{y + 11}" font-weight="bold">{title_of(name)}</text>')
        for rival, value in bars:
            label, colour = DRAWN[rival]
            out.append(f'<rect x="{left}" y="{y}" width="{scale * value:.1f}" height="12" fill="{colour}"/>')
            out.append(f'<text x="{left + 5 + scale * value:.1f}" y="{y + 11}" stroke="white" stroke-width="4" '
                       f'paint-order="stroke">{value:.2f}</text>')
            out.append(f'<text x="{left - 8}" y="{y + 11}" text-anchor="end">{label}</text>')
            y += 16
        y += 18
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


def main():
    folder = sys.argv[1]
    runs = loaded(folder)
    for lines in (target_table(runs), thread_table(runs), real_table(runs), memory_table(runs)):
        if lines:
            print("\n".join(lines) + "\n")
    against = {name: reports for name, reports in runs.items() if len(reports[0]["results"]) > 1}
    for name, reports in against.items():
        print("\n".join(problem_table(name, reports)))
    plot(against, os.path.join(folder, "report.svg"))


if __name__ == "__main__":
    main()
