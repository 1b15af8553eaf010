#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables and plots of what bench/hiding.sh measured.

    bench/hiding.py RESULTS     prints Markdown, writes RESULTS/hiding.md and .svg

Efficiency of hiding: (Tc + Tn - T) / min(Tc, Tn), with Tc the sweeps alone and Tn the exchanges alone.
"""
import json
import pathlib
import sys

from tables import read, table


def milli(seconds):
    return f"{1e3 * seconds:.1f}"


def short(problem):
    return problem.replace(":f64", "").replace("256x256x256", "256^3").replace("4194304", "2^22")


def points(results):
    found = []
    for path in sorted(results.glob("[0-9]*-[0-9]*.jsonl")):
        hosts, ratio = path.stem.split("-")
        for row in read(path):
            times = row["times"]
            sweeps = times["sweeps"]["median_s"]
            exchanges = times["exchanges"]["median_s"]
            chunks = {int(name): one for name, one in times.items() if name.isdigit()}
            best = min(chunks, key=lambda n: chunks[n]["odd_s"])
            taken = times["taken"]["median_s"]
            found.append({
                "hosts": int(hosts), "aim": ratio, "problem": short(row["problem"]), "sweeps": sweeps,
                "exchanges": exchanges, "ratio": exchanges / sweeps, "taken": taken,
                "bulk": chunks[1]["median_s"], "spread": (times["taken"]["low_s"], times["taken"]["high_s"]),
                "busy": row["exchange_cpu_s"] / exchanges, "best": best,
                "regret": times["taken"]["even_s"] / chunks[best]["even_s"],
                "priced": times["taken"]["priced_s"],
                "eta": (sweeps + exchanges - taken) / min(sweeps, exchanges),
                "eta_best": (sweeps + exchanges - chunks[best]["median_s"]) / min(sweeps, exchanges),
                "chunks": next((line.split("messages, ")[1] for line in row["taken"].splitlines()
                                if "by point-to-point, " in line), "1 chunk")})
    found.sort(key=lambda p: (p["hosts"], p["problem"], p["ratio"]))
    return found


def hiding_table(found):
    rows = [["hosts", "problem", "Tn / Tc", "Tc, ms", "Tn, ms", "one piece, ms", "taken, ms", "spread", "efficiency",
             "cores busy, of Tn", "over one piece", "over best", "best chunks", "priced / taken"]]
    for p in found:
        rows.append([str(p["hosts"]), p["problem"], f"{p['ratio']:.2f}", milli(p["sweeps"]), milli(p["exchanges"]),
                     milli(p["bulk"]), milli(p["taken"]), f"{milli(p['spread'][0])} to {milli(p['spread'][1])}",
                     f"{p['eta']:.2f}", f"{100 * p['busy']:.0f} %", f"{p['taken'] / p['bulk']:.2f}",
                     f"{p['regret']:.2f}", str(p["best"]), f"{p['priced'] / p['taken']:.2f}"])
    return table(rows)


def rival_table(results, found):
    ratios = {(p["hosts"], p["problem"], p["aim"]): p["ratio"] for p in found}
    rows = [["hosts", "problem", "Tn / Tc", "layout", "Kallima, ms", "FFTW-MPI, ms", "ratio"]]
    for path in sorted(results.glob("*-*-*.json")):
        hosts, ratio, problem, layout = path.stem.split("-")
        report = json.loads(path.read_text())
        ours = next(r for r in report["results"] if r["name"] == "kallima")
        rivals = [r for r in report["results"] if r["name"].startswith("fftw-mpi") and r.get("median_s")]
        if layout != "any":
            rivals = [r for r in rivals if r["layout_in"] == r["layout_out"]]
        if not rivals:
            continue
        best = min(rivals, key=lambda r: r["median_s"])
        rows.append([hosts, "c2c:" + problem, f"{ratios.get((int(hosts), 'c2c:' + problem, ratio), 0):.2f}", layout,
                     milli(ours["median_s"]), f"{milli(best['median_s'])} ({best['name'].split('/')[1]})",
                     f"{ours['median_s'] / best['median_s']:.2f}"])
    rows[1:] = sorted(rows[1:], key=lambda r: (r[0], r[1], r[3], float(r[2])))
    return table(rows)


COLOURS = {2: "#0b6fa4", 4: "#c4501b"}


def plot(found):
    """Two panels over Tn / Tc: T / (Tc + Tn), with the least that can be, and the efficiency."""
    import math
    width, height, left, top, gap = 430, 300, 70, 50, 90
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width + left + gap + 40}" height="{height + 160}" '
           'font-family="sans-serif" font-size="13">', '<rect width="100%" height="100%" fill="white"/>']

    def across(ratio, panel):
        low, high = math.log(0.2), math.log(6)
        return left + panel * (width + gap) + (math.log(ratio) - low) / (high - low) * width

    def panel(number, title, low, high, steps, value, least):
        def up(y):
            return top + height - (min(max(y, low), high) - low) / (high - low) * height

        x0 = left + number * (width + gap)
        out.append(f'<text x="{x0}" y="{top - 16}" font-size="15">{title}</text>')
        for i in range(steps + 1):
            y = low + (high - low) * i / steps
            out.append(f'<line x1="{x0}" y1="{up(y):.1f}" x2="{x0 + width}" y2="{up(y):.1f}" stroke="#dddddd"/>')
            out.append(f'<text x="{x0 - 8}" y="{up(y) + 4:.1f}" text-anchor="end">{y:.1f}</text>')
        for ratio in (0.25, 0.5, 1, 2, 4):
            x = across(ratio, number)
            out.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{top + height}" stroke="#eeeeee"/>')
            out.append(f'<text x="{x:.1f}" y="{top + height + 18}" text-anchor="middle">{ratio:g}</text>')
        out.append(f'<text x="{x0 + width / 2}" y="{top + height + 40}" text-anchor="middle">'
                   'network time over compute time, Tn / Tc</text>')
        ratios = [math.exp(math.log(0.2) + (math.log(6) - math.log(0.2)) * i / 80) for i in range(81)]
        path = " ".join(f"{across(r, number):.1f},{up(least(r)):.1f}" for r in ratios)
        out.append(f'<polyline points="{path}" fill="none" stroke="#888888" stroke-dasharray="5 4"/>')
        for hosts, colour in COLOURS.items():
            for problem, dash in (("c2c:256^3", ""), ("c2c:2^22", ' stroke-dasharray="2 3"')):
                mine = [p for p in found if p["hosts"] == hosts and p["problem"] == problem]
                if not mine:
                    continue
                path = " ".join(f"{across(p['ratio'], number):.1f},{up(value(p)):.1f}" for p in mine)
                out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>')
                for p in mine:
                    hollow = "white" if p["busy"] > 0.3 else colour
                    out.append(f'<circle cx="{across(p["ratio"], number):.1f}" cy="{up(value(p)):.1f}" r="4.5" '
                               f'fill="{hollow}" stroke="{colour}"/>')

    panel(0, "T / (Tc + Tn): the dashed line hides all", 0.4, 1.2, 4,
          lambda p: p["taken"] / (p["sweeps"] + p["exchanges"]), lambda r: max(1, r) / (1 + r))
    panel(1, "efficiency (Tc + Tn - T) / min(Tc, Tn)", 0, 1.2, 6, lambda p: p["eta"], lambda r: 1)
    x, y = left, top + height + 66
    for hosts, colour in COLOURS.items():
        for problem, dash in (("256^3", ""), ("2^22", ' stroke-dasharray="2 3"')):
            out.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 30}" y2="{y - 4}" stroke="{colour}" stroke-width="1.5"{dash}/>')
            out.append(f'<text x="{x + 36}" y="{y}">{problem}, {hosts} hosts</text>')
            x += 160
    out.append(f'<text x="{left}" y="{y + 26}">hollow: moving the bytes alone keeps a core busy for more than 30 % of Tn; '
               'on the frame: beyond it'
               '</text></svg>')
    return "\n".join(out) + "\n"


def main():
    results = pathlib.Path(sys.argv[1])
    found = points(results)
    text = hiding_table(found) + "\n\n" + rival_table(results, found) + "\n"
    (results / "hiding.md").write_text(text)
    (results / "hiding.svg").write_text(plot(found))
    print(text)


if __name__ == "__main__":
    main()
