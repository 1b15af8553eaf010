#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables and the scatter plot of what bench/prediction.sh measured.

    bench/prediction.py RESULTS     prints Markdown, writes RESULTS/prediction.md and .svg
"""
import math
import pathlib
import re
import statistics
import sys
import tomllib

from tables import read, table


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def error(row):
    return abs(row["predicted_s"] / row["measured_s"] - 1)


def over_cycles(rows):
    """One row a problem: the median of what was predicted over the cycles, and the least that was measured."""
    problems = {}
    for row in rows:
        problems.setdefault((row["problem"], row["ranks"]), []).append(row)
    merged = []
    for cycles in problems.values():
        row = dict(cycles[0])
        row["predicted_s"] = statistics.median(one["predicted_s"] for one in cycles)
        row["measured_s"] = min(one["measured_s"] for one in cycles)
        row["median_s"] = statistics.median(one["median_s"] for one in cycles)
        row["each"] = [error(one) for one in cycles]
        merged.append(row)
    return merged


def classes(results):
    """Rows of predictions by class."""
    found = {}
    for path in sorted(results.glob("*.jsonl")):
        if path.stem == "regret":
            continue
        for row in read(path):
            if path.stem == "node":
                name = f"node, {row['ranks']} rank{'s' if row['ranks'] > 1 else ''}"
            elif path.stem in ("quick", "full"):
                name = f"{path.stem} calibration, {row['ranks']} rank{'s' if row['ranks'] > 1 else ''}"
            elif path.stem == "crowded":
                name = "node, 4 ranks on 2 cores"
            else:
                _, hosts, rate = path.stem.split("-")
                name = f"{hosts} hosts, {rate}"
            found.setdefault(name, []).append(row)
    return {name: over_cycles(rows) for name, rows in found.items()}


def prediction_table(groups):
    rows = [["class", "transforms", "median", "90th percentile", "predicted / measured", "one cycle alone"]]

    def add(name, members):
        errors = [error(row) for row in members]
        ratios = [row["predicted_s"] / row["measured_s"] for row in members]
        each = [one for row in members for one in row["each"]]
        rows.append([name, str(len(members)), f"{100 * statistics.median(errors):.1f} %",
                     f"{100 * quantile(errors, 0.9):.1f} %",
                     f"{min(ratios):.2f} to {max(ratios):.2f}",
                     f"{100 * statistics.median(each):.1f} %, {100 * quantile(each, 0.9):.1f} %"])

    everything = [row for members in groups.values() for row in members]
    for name, members in groups.items():
        add(name, members)
    for axes in (1, 2, 3):
        members = [row for row in everything if row["axes"] == axes]
        if members:
            add(f"{axes}-D", members)
    for label, low, high in (("up to 2^18 elements", 0, 2**18), ("2^18 to 2^22", 2**18 + 1, 2**22),
                             ("above 2^22", 2**22 + 1, 2**62)):
        members = [row for row in everything if low <= row["elements"] <= high]
        if members:
            add(label, members)
    uncrowded = [row for name, members in groups.items() if "on 2 cores" not in name for row in members]
    add("all but 4 ranks on 2 cores", uncrowded)
    add("all", everything)
    return table(rows)


def noise_line(groups):
    everything = [row for members in groups.values() for row in members]
    longer = [row["median_s"] / row["measured_s"] - 1 for row in everything]
    against = [abs(row["predicted_s"] / row["median_s"] - 1) for row in everything]
    return (f"The median burst of a transform takes {100 * statistics.median(longer):.0f} % longer than its least (median; "
            f"90th percentile {100 * quantile(longer, 0.9):.0f} %): that is what neighbours take. Held against median bursts, "
            f"predictions are off by {100 * statistics.median(against):.1f} % (median), {100 * quantile(against, 0.9):.1f} % "
            "(90th percentile).")


def regret_text(path):
    rows = read(path)
    regrets = [row["regret"] for row in rows]
    noise = [abs(row["noise"] - 1) for row in rows]
    text = (f"Regret over {len(rows)} problems: median {statistics.median(regrets):.3f}, worst {max(regrets):.3f}; "
            f"the taken plan against itself differs by {100 * statistics.median(noise):.1f} % (median), "
            f"{100 * max(noise):.1f} % (most).\n\n")
    worst = sorted(rows, key=lambda row: -row["regret"])[:6]
    out = [["problem", "ranks", "plans", "regret", "the same plan twice", "inside the noise"]]
    for row in worst:
        inside = row["regret"] - 1 <= abs(row["noise"] - 1)
        out.append([row["problem"], str(row["ranks"]), str(row["plans"]), f"{row['regret']:.3f}",
                    f"{row['noise']:.3f}", "yes" if inside else "no"])
    return text + table(out)


def figures(machine):
    """Some of every kind, as in the table that `kallima calibrate` prints."""
    def at(points, argument):
        below = [p for p in points if p[0] <= argument] or points[:1]
        above = [p for p in points if p[0] >= argument] or points[-1:]
        (x0, y0), (x1, y1) = below[-1], above[0]
        return y0 if x0 == x1 else y0 + (y1 - y0) * math.log(argument / x0) / math.log(x1 / x0)

    found = {}
    for speed in machine["speed"]:
        active = f"{speed['active']} active"
        for precision in ("f32", "f64"):
            for form in ("lines", "interleaved"):
                rates = speed[precision][form]
                for length in (64, 1024):
                    found[f"{precision}, {form} of {length} in cache, {active}"] = at(rates["in_cache"], length)
                found[f"{precision}, {form} beyond cache at 128 MiB, {active}"] = at(rates["beyond"], 2**27)
        found[f"copy of 128 MiB, {active}"] = at(speed["copy"], 2**27)
        found[f"sweeps in a plan, {active}"] = speed["in_plan"][0][1]
    for link in ("in_node", "between_nodes"):
        if machine["sources"].get(link) == "measured":
            for key in ("latency", "overhead", "gap"):
                found[f"{link}: {key}"] = machine[link][key]
            for size in (2**14, 2**20):
                found[f"{link}: a byte in messages of {size}"] = at(machine[link]["per_byte"], size)
    return found


def stability_text(results):
    """How far calibrations lie apart, of those that were repeated."""
    text = ""
    names = sorted({re.sub(r"-\d+$", "", path.stem) for path in results.glob("*-*.toml")})
    for name in names:
        all_of = [figures(tomllib.loads(path.read_text())) for path in sorted(results.glob(f"{name}-?.toml"))]
        if len(all_of) < 2:
            continue
        rows = [["not within 15 % of the median", "least", "median", "most", "middle half within"]]
        for figure in all_of[0]:
            values = sorted(one[figure] for one in all_of)
            middle = statistics.median(values)
            apart = max(values[-1] / middle - 1, 1 - values[0] / middle) if middle > 0 else 0
            if apart > 0.15:
                inner = sorted(abs(v / middle - 1) for v in values)[len(values) // 2]
                rows.append([figure, f"{values[0]:.3g}", f"{middle:.3g}", f"{values[-1]:.3g}", f"{100 * inner:.0f} %"])
        text += (f"\n{len(all_of)} calibrations of {name}: {len(all_of[0]) - len(rows) + 1} of {len(all_of[0])} figures "
                 "lie within 15 % of their median each time.\n")
        if len(rows) > 1:
            text += "\n" + table(rows) + "\n"
    return text


COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b", "#7f7f7f"]


def plot(groups, path):
    """Predicted over measured time, with bands of 10 and 25 %."""
    width, height, left, top, side = 760, 600, 80, 50, 480
    everything = [row for members in groups.values() for row in members]
    times = [row[key] for row in everything for key in ("measured_s", "predicted_s")]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def place(seconds):
        return side * (math.log10(seconds) - low) / (high - low)

    def x(seconds):
        return left + place(seconds)

    def y(seconds):
        return top + side - place(seconds)

    def text(at, down, what, anchor="middle", size=13, more=""):
        return (f'<text x="{at:.1f}" y="{down:.1f}" text-anchor="{anchor}" font-size="{size}" {more}>{what}</text>')

    first, last = 10.0**low, 10.0**high
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           'font-family="sans-serif" fill="#222222">',
           "<!-- SPDX-License-Identifier: BSD-3-Clause -->",
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
           text(left, 28, "Predicted and measured, a dot a transform", "start", 16, 'font-weight="bold"'),
           f'<clipPath id="area"><rect x="{left}" y="{top}" width="{side}" height="{side}"/></clipPath>']
    for part, color in ((0.25, "#e8e8e8"), (0.10, "#cccccc")):
        corners = [(first, first * (1 - part)), (last, last * (1 - part)), (last, last * (1 + part)),
                   (first, first * (1 + part))]
        points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in corners)
        out.append(f'<polygon clip-path="url(#area)" points="{points}" fill="{color}"/>')
    for power in range(low, high + 1):
        at = 10.0**power
        out.append(f'<path d="M{x(at):.1f} {top}V{top + side}M{left} {y(at):.1f}H{left + side}" stroke="#dddddd"/>')
        label = f'10<tspan dy="-6" font-size="9">{power}</tspan>'
        out.append(text(x(at), top + side + 20, label))
        out.append(text(left - 8, y(at) + 4, label, "end"))
    out.append(f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" stroke="#444444"/>')
    out.append(text(left + side / 2, top + side + 45, "measured, seconds"))
    out.append(text(0, 0, "predicted, seconds", more=f'transform="translate(28 {top + side / 2}) rotate(-90)"'))
    legend = left + side + 18
    for i, (name, members) in enumerate(groups.items()):
        color = COLORS[i % len(COLORS)]
        for row in members:
            out.append(f'<circle cx="{x(row["measured_s"]):.1f}" cy="{y(row["predicted_s"]):.1f}" r="3.2" '
                       f'fill="{color}" fill-opacity="0.75"/>')
        out.append(f'<circle cx="{legend}" cy="{top + 10 + 20 * i}" r="4" fill="{color}"/>')
        out.append(text(legend + 10, top + 14 + 20 * i, name, "start", 12))
    for i, (part, color) in enumerate((("10 %", "#cccccc"), ("25 %", "#e8e8e8"))):
        down = top + 30 + 20 * (len(groups) + i)
        out.append(f'<rect x="{legend - 6}" y="{down - 10}" width="12" height="12" fill="{color}"/>')
        out.append(text(legend + 10, down, f"within {part}", "start", 12))
    path.write_text("\n".join(out + ["</svg>", ""]))


def main():
    results = pathlib.Path(sys.argv[1])
    groups = classes(results)
    text = prediction_table(groups) + "\n\n" + noise_line(groups) + "\n"
    if (results / "regret.jsonl").exists():
        text += "\n" + regret_text(results / "regret.jsonl") + "\n"
    text += stability_text(results)
    (results / "prediction.md").write_text(text)
    plot(groups, results / "prediction.svg")
    print(text)


main()
