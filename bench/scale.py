#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables and pictures of what bench/scale.sh simulated, and the model carried on to 2^20 ranks.

    bench/scale.py RESULTS [KALLIMA]     prints Markdown, writes RESULTS/scale.md, scale.svg and scale-model.svg

Without KALLIMA, the command line's program, the model is left out.
"""
import json
import math
import pathlib
import statistics
import subprocess
import sys

from tables import table

NETWORKS = ["fat-tree", "torus", "dragonfly"]
PLANS = {"one-exchange": "#b3382c", "pencil": "#1f5fa8", "group-cyclic": "#3c8031"}
PARTS = {"latency": "#b3382c", "bandwidth": "#1f5fa8", "memory": "#8a6d1a", "compute": "#3c8031"}
MODEL_RANKS = [2 ** power for power in range(6, 21)]


def micro(seconds):
    return f"{1e6 * seconds:.0f}"


def points(results):
    found = []
    for path in results.glob("*.json"):
        name = path.stem
        network = next(n for n in NETWORKS if name.startswith(n + "-"))
        ranks, series, plan = name[len(network) + 1:].split("-", 2)
        row = json.loads(path.read_text())
        row.update(network=network, series=series, plan=plan, ranks=int(ranks))
        row["ratio"] = row["predicted_exchange_s"] / row["simulated_exchange_s"]
        row["total_ratio"] = row["predicted_s"] / row["simulated_s"]
        found.append(row)
    order = list(PLANS)
    found.sort(key=lambda p: (p["series"], NETWORKS.index(p["network"]), p["ranks"], order.index(p["plan"])))
    return found


def runs_table(found):
    rows = [["series", "network", "ranks", "problem", "plan", "exchanges", "predicted, us", "simulated, us",
             "ratio", "with sweeps, us", "simulated", "ratio", "error / promised"]]
    for p in found:
        error = f"{p['error'] / p['promised_error']:.2f}" if "error" in p else "-"
        rows.append([p["series"], p["network"], str(p["ranks"]), p["problem"], p["plan"], str(p["exchanges"]),
                     micro(p["predicted_exchange_s"]), micro(p["simulated_exchange_s"]), f"{p['ratio']:.2f}",
                     micro(p["predicted_s"]), micro(p["simulated_s"]), f"{p['total_ratio']:.2f}", error])
    return table(rows)


def errors_table(found):
    rows = [["of", "runs", "median error of exchanges", "largest", "median error of totals", "largest"]]
    kinds = [("all", lambda p: True)]
    kinds += [(n, lambda p, n=n: p["network"] == n) for n in NETWORKS]
    kinds += [(n, lambda p, n=n: p["plan"] == n) for n in PLANS]
    kinds += [(f"{r} ranks", lambda p, r=r: p["ranks"] == r) for r in sorted({p["ranks"] for p in found})]
    for name, of in kinds:
        exchanges = [abs(1 - p["ratio"]) for p in found if of(p)]
        totals = [abs(1 - p["total_ratio"]) for p in found if of(p)]
        if exchanges:
            rows.append([name, str(len(exchanges))] +
                        [f"{100 * f(v):.0f} %" for v in (exchanges, totals) for f in (statistics.median, max)])
    return table(rows)


def crossing(found, network, key):
    """Ranks where one exchange and pencils take as long: a straight line in logarithms between two numbers of
    ranks; with these."""
    at = {plan: {p["ranks"]: p[key] for p in found if p["network"] == network and p["series"] == "strong"
                 and p["plan"] == plan} for plan in ("one-exchange", "pencil")}
    both = sorted(set(at["one-exchange"]) & set(at["pencil"]))
    for low, high in zip(both, both[1:]):
        a = math.log(at["one-exchange"][low] / at["pencil"][low])
        b = math.log(at["one-exchange"][high] / at["pencil"][high])
        if a <= 0 < b:
            return low * (high / low) ** (-a / (b - a)), low, high
    if both and at["one-exchange"][both[0]] > at["pencil"][both[0]]:
        return f"below {both[0]}"
    return f"above {both[-1]}" if both else "-"


def crossing_table(found):
    rows = [["network", "exchanges, predicted", "simulated", "with sweeps, predicted", "simulated"]]
    for network in NETWORKS:
        cells = []
        for key in ("predicted_exchange_s", "simulated_exchange_s", "predicted_s", "simulated_s"):
            at = crossing(found, network, key)
            cells.append(at if isinstance(at, str) else f"{at[0]:.0f} ({at[1]} to {at[2]})")
        rows.append([network] + cells)
    return table(rows)


class Picture:
    """Panels side by side, both axes logarithmic."""

    def __init__(self, panels, width=300, height=270, bottom=70):
        self.width, self.height, self.panels = width, height, panels
        full = 70 + panels * (width + 60)
        self.out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{full}" height="{height + 60 + bottom}" '
                    'font-family="sans-serif" font-size="13">', '<rect width="100%" height="100%" fill="white"/>']

    def panel(self, number, title, xs, ys, x_label, y_label, x_names, y_names):
        self.left = 70 + number * (self.width + 60)
        self.xs, self.ys = [math.log(v) for v in xs], [math.log(v) for v in ys]
        self.out.append(f'<text x="{self.left}" y="30" font-size="15">{title}</text>')
        for value, name in y_names:
            y = self.y(value)
            self.out.append(f'<line x1="{self.left}" y1="{y:.1f}" x2="{self.left + self.width}" y2="{y:.1f}" '
                            'stroke="#dddddd"/>')
            self.out.append(f'<text x="{self.left - 7}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
        for value, name in x_names:
            x = self.x(value)
            self.out.append(f'<line x1="{x:.1f}" y1="45" x2="{x:.1f}" y2="{45 + self.height}" stroke="#eeeeee"/>')
            self.out.append(f'<text x="{x:.1f}" y="{62 + self.height}" text-anchor="middle">{name}</text>')
        self.out.append(f'<text x="{self.left + self.width / 2}" y="{80 + self.height}" '
                        f'text-anchor="middle">{x_label}</text>')
        if number == 0:
            y = 45 + self.height / 2
            self.out.append(f'<text x="16" y="{y}" text-anchor="middle" transform="rotate(-90 16 {y})">{y_label}</text>')

    def x(self, value):
        return self.left + self.width * (math.log(value) - self.xs[0]) / (self.xs[1] - self.xs[0])

    def y(self, value):
        return 45 + self.height * (1 - (math.log(value) - self.ys[0]) / (self.ys[1] - self.ys[0]))

    def line(self, values, colour, dash=""):
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in values)
        self.out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" {dash}/>')

    def dots(self, values, colour):
        for x, y in values:
            self.out.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="5" fill="white" '
                            f'stroke="{colour}" stroke-width="2"/>')

    def legend(self, entries):
        x, y = 70, self.height + 108
        for name, colour, kind in entries:
            if kind == "line":
                self.out.append(f'<line x1="{x}" y1="{y - 4}" x2="{x + 26}" y2="{y - 4}" stroke="{colour}" '
                                'stroke-width="2"/>')
            else:
                self.out.append(f'<circle cx="{x + 13}" cy="{y - 4}" r="5" fill="white" stroke="{colour}" '
                                'stroke-width="2"/>')
            self.out.append(f'<text x="{x + 34}" y="{y}">{name}</text>')
            x += 34 + 8 * len(name) + 22

    def text(self):
        return "\n".join(self.out + ["</svg>", ""])


def strong_picture(found):
    strong = [p for p in found if p["series"] == "strong"]
    ranks = sorted({p["ranks"] for p in strong})
    times = [p[key] for p in strong for key in ("predicted_s", "simulated_s")]
    low, high = 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times)))
    y_names = [(v, f"{1e6 * v:,.0f}") for v in
               (m * 10 ** e for e in range(-6, 0) for m in (1, 2, 5)) if low <= v * 1.001 and v <= high * 1.001]
    low, high = min(times) / 1.2, max(times) * 1.2
    y_names = [entry for entry in y_names if low <= entry[0] <= high]
    picture = Picture(3)
    for number, network in enumerate(NETWORKS):
        picture.panel(number, f"{network}, 256^3 in single precision", (ranks[0] / 1.2, ranks[-1] * 1.2), (low, high),
                      "ranks", "microseconds", [(r, str(r)) for r in ranks], y_names)
        for plan, colour in PLANS.items():
            here = [p for p in strong if p["network"] == network and p["plan"] == plan]
            picture.line([(p["ranks"], p["predicted_s"]) for p in here], colour)
            picture.dots([(p["ranks"], p["simulated_s"]) for p in here], colour)
    picture.legend([(plan, colour, "line") for plan, colour in PLANS.items()] +
                   [("simulated", "#444444", "dot"), ("predicted", "#444444", "line")])
    return picture.text()


def shape_of(power):
    sides = [(power + i) // 3 for i in range(3)]
    return "x".join(str(2 ** side) for side in sorted(sides, reverse=True))


def carried_on(results, kallima):
    """The model, weak: 2^22 elements a rank in double precision."""
    base = pathlib.Path("bench/scale.toml").read_text()
    found = {}
    for network in NETWORKS:
        machine = results / f"machine-{network}.toml"
        machine.write_text(base.replace('wiring = "fat-tree"', f'wiring = "{network}"'))
        for ranks in MODEL_RANKS:
            problem = f"c2c:{shape_of(22 + int(math.log2(ranks)))}"
            out = subprocess.run([kallima, "predict", problem, "-n", str(ranks), "--machine", str(machine), "--chunks", "1",
                                  "--json"], check=True, capture_output=True, text=True).stdout
            found[network, ranks] = dict(json.loads(out)["points"][0], problem=problem)
    return found


def model_picture(model):
    picture = Picture(3)
    x_names = [(2 ** p, f"2^{p}") for p in (7, 10, 13, 17, 20)]
    for number, network in enumerate(NETWORKS):
        picture.panel(number, f"{network}, 2^22 elements a rank", (50, 2 ** 20 * 1.3), (3e-6, 1),
                      "ranks", "seconds", x_names, [(10 ** e, f"10^{e}" if e else "1") for e in range(-5, 1)])
        for part, colour in PARTS.items():
            picture.line([(r, max(3e-6, model[network, r]["parts"][part + "_s"])) for r in MODEL_RANKS], colour)
        picture.line([(r, model[network, r]["seconds"]) for r in MODEL_RANKS], "black", 'stroke-dasharray="6 4"')
    picture.legend([("total (dashed)", "black", "line")] + [(part, colour, "line") for part, colour in PARTS.items()])
    return picture.text()


def decades_table(model):
    rows = [["ranks", "elements", "network", "time, ms", "of it sweeps", "exchanges", "binds",
             "bandwidth has to be", "start-up at most, us"]]
    for ranks in (2 ** 7, 2 ** 10, 2 ** 13, 2 ** 17, 2 ** 20):
        for network in NETWORKS:
            p = model[network, ranks]
            parts = p["parts"]
            sweeps = parts["memory_s"] + parts["compute_s"]
            factor = parts["bandwidth_s"] / sweeps
            # Starts hide behind bytes while they are shorter; beyond that bytes no longer bind.
            start = 1e6 * 1e-6 * sweeps / max(parts["latency_s"], 1e-12)
            rows.append([f"2^{int(math.log2(ranks))}", f"2^{22 + int(math.log2(ranks))}", network,
                         f"{1e3 * p['seconds']:.2f}", f"{1e3 * sweeps:.2f}", str(p["exchanges"]), p["binds"],
                         f"{factor:.1f} times" if factor > 1 else "as it is",
                         f"{start:.2f}" if start < 1 else "as it is"])
    return table(rows)


def main():
    results = pathlib.Path(sys.argv[1])
    found = points(results)
    parts = ["## Error", "", errors_table(found), "", "## Crossing, strong", "", crossing_table(found), "", "## Runs", "",
             runs_table(found), ""]
    (results / "scale.svg").write_text(strong_picture(found))
    if len(sys.argv) > 2:
        model = carried_on(results, sys.argv[2])
        parts += ["## Decades", "", decades_table(model), ""]
        (results / "scale-model.svg").write_text(model_picture(model))
    text = "\n".join(parts)
    (results / "scale.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
