#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables and the scatter plot of what bench/prediction.sh measured.

    bench/prediction.py RESULTS     prints Markdown, writes RESULTS/prediction.md and .svg
"""
import json
import pathlib
import statistics
import sys


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def error(row):
    return abs(row["predicted_s"] / row["measured_s"] - 1)


def classes(results):
    """Rows of predictions by class."""
    found = {}
    for path in sorted(results.glob("*.jsonl")):
        if path.stem == "regret":
            continue
        for row in read(path):
            if path.stem == "node":
                name = f"node, {row['ranks']} rank{'s' if row['ranks'] > 1 else ''}"
            elif path.stem == "crowded":
                name = "node, 4 ranks on 2 cores"
            else:
                _, hosts, rate = path.stem.split("-")
                name = f"{hosts} hosts, {rate}"
            found.setdefault(name, []).append(row)
    return found


def table(rows):
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def prediction_table(groups):
    rows = [["class", "transforms", "median", "90th percentile", "predicted / measured"]]

    def add(name, members):
        errors = [error(row) for row in members]
        ratios = [row["predicted_s"] / row["measured_s"] for row in members]
        rows.append([name, str(len(members)), f"{100 * statistics.median(errors):.1f} %",
                     f"{100 * quantile(errors, 0.9):.1f} %",
                     f"{min(ratios):.2f} to {max(ratios):.2f}"])

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
    spreads = [row["most_s"] / row["least_s"] - 1 for members in groups.values() for row in members]
    return (f"Between the fastest and the slowest burst of one transform there are {100 * statistics.median(spreads):.0f} % "
            f"(median), {100 * quantile(spreads, 0.9):.0f} % (90th percentile).")


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


def plot(groups, path):
    try:
        import matplotlib
    except ImportError:
        print("no plot: matplotlib is missing", file=sys.stderr)
        return
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7.5, 6.5))
    everything = [row for members in groups.values() for row in members]
    low = min(row["measured_s"] for row in everything) / 1.5
    high = max(row["measured_s"] for row in everything) * 1.5
    axes.fill_between([low, high], [0.75 * low, 0.75 * high], [1.25 * low, 1.25 * high], color="#dddddd", label="25 %")
    axes.fill_between([low, high], [0.9 * low, 0.9 * high], [1.1 * low, 1.1 * high], color="#bbbbbb", label="10 %")
    colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b", "#7f7f7f"]
    for i, (name, members) in enumerate(groups.items()):
        axes.scatter([row["measured_s"] for row in members], [row["predicted_s"] for row in members],
                     s=18, color=colors[i % len(colors)], label=name, zorder=3)
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), xlabel="measured, seconds",
             ylabel="predicted, seconds", title="Predicted and measured")
    axes.grid(True, which="major", color="#eeeeee", zorder=0)
    axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(path)


def main():
    results = pathlib.Path(sys.argv[1])
    groups = classes(results)
    text = prediction_table(groups) + "\n\n" + noise_line(groups) + "\n"
    if (results / "regret.jsonl").exists():
        text += "\n" + regret_text(results / "regret.jsonl") + "\n"
    (results / "prediction.md").write_text(text)
    plot(groups, results / "prediction.svg")
    print(text)


main()
