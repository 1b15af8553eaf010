# SPDX-License-Identifier: BSD-3-Clause
"""Pictures with matplotlib, which is loaded when one is drawn. Each function takes axes to draw into, or makes some."""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _core
from .layout import Layout
from .planning import machine as machine_of

__all__ = ["prediction", "layout", "trace", "calibration"]

# Colours that stay apart for those who see few, by Okabe and Ito.
_COLOURS = {"compute": "#009E73", "wait": "#BBBBBB", "send": "#0072B2", "receive": "#E69F00"}


def _axes(axes: Any, width: float = 6.4, height: float = 4.2) -> Any:
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def prediction(predicted: Union[dict, Sequence[dict]], axes: Any = None) -> Any:
    """Time over ranks, with the band that the time is expected in, and what ideal scaling would be.

    Parameters
    ----------
    predicted : dict or sequence of dict
        What ``kallima.predict`` returns; of several, one line each.
    axes : matplotlib.axes.Axes
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        With the picture.

    Examples
    --------
    >>> import kallima.plot
    >>> axes = kallima.plot.prediction(kallima.predict("c2c:512^3", "1..64", machine="lumi-c"))
    >>> axes.get_xlabel()
    'ranks'
    """
    axes = _axes(axes)
    several = [predicted] if isinstance(predicted, dict) else list(predicted)
    for one in several:
        points = one["points"]
        ranks, seconds = points["ranks"], points["seconds"]
        label = one["machine"] if len(several) > 1 else "predicted"
        line = axes.plot(ranks, seconds, marker="o", markersize=3, label=label)[0]
        band = seconds * points["spread"]
        axes.fill_between(ranks, seconds - band, seconds + band, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.plot(ranks, seconds[0] * ranks[0] / ranks, linestyle=":", color=line.get_color(), linewidth=1)
    axes.set(xscale="log", yscale="log", xlabel="ranks", ylabel="seconds", title=f"{several[0]['problem']}")
    axes.plot([], [], linestyle=":", color="black", linewidth=1, label="ideal")
    axes.legend(frameon=False)
    return axes


def layout(layout: Layout, axes: Any = None, *, show: tuple[int, int] = (-2, -1), at: Optional[Sequence[int]] = None) -> Any:
    """Who holds what: a map of two axes of an array, a colour for each rank.

    Parameters
    ----------
    layout : Layout
        Of the array.
    axes : matplotlib.axes.Axes
        Where to draw.
    show : pair of int
        Axes of the array, downwards and to the right.
    at : sequence of int
        Index of the others; default: 0.

    Examples
    --------
    >>> import kallima.plot
    >>> axes = kallima.plot.layout(kallima.Layout.pencil((8, 8, 8), 4), show=(0, 1))
    """
    if layout.ndim == 1:
        rows, columns = 1, layout.shape[0]
        down, right = -1, 0
    else:
        down, right = (axis % layout.ndim for axis in show)
        rows, columns = layout.shape[down], layout.shape[right]
    most = 256
    picked_rows = np.unique(np.linspace(0, rows - 1, min(rows, most)).astype(int))
    picked_columns = np.unique(np.linspace(0, columns - 1, min(columns, most)).astype(int))
    index = [0] * layout.ndim if at is None else list(at)
    owners = np.empty((len(picked_rows), len(picked_columns)), int)
    for i, row in enumerate(picked_rows):
        for j, column in enumerate(picked_columns):
            if down >= 0:
                index[down] = int(row)
            index[right] = int(column)
            owners[i, j] = layout.owner(index)
    axes = _axes(axes, 4.4, 4.2)
    axes.imshow(owners, cmap="tab20" if layout.ranks <= 20 else "nipy_spectral", extent=(0, columns, rows, 0),
                interpolation="nearest", aspect="auto", vmin=0, vmax=max(layout.ranks - 1, 1))
    for rank in np.unique(owners)[:64]:
        at_rows, at_columns = np.nonzero(owners == rank)
        axes.text(_middle(picked_columns, at_columns), _middle(picked_rows, at_rows), str(rank), ha="center", va="center", fontsize=9,
                  bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.7})
    axes.set(xlabel=f"axis {right}", ylabel=f"axis {down}" if down >= 0 else "", title=str(layout))
    return axes


def _middle(picked: np.ndarray, places: np.ndarray) -> float:
    """Of the first run of places that follow each other: cyclic layouts have many."""
    each = np.unique(places)
    run = each[: int(np.argmax(np.append(np.diff(each), 2) > 1)) + 1]
    return float(picked[run[0]] + picked[run[-1]] + 1) / 2


def trace(recorded: Union[str, dict], axes: Any = None) -> Any:
    """What ranks did when: a bar for each, a colour for each thing that it did.

    Parameters
    ----------
    recorded : str or dict
        The file of a traced run, its text, or what ``json.loads`` makes of it. ``Transform.trace()`` gives this rank's.
    axes : matplotlib.axes.Axes
        Where to draw.
    """
    if isinstance(recorded, str):
        if os.path.exists(recorded):
            with open(recorded, encoding="utf-8") as file:
                recorded = file.read()
        recorded = json.loads(recorded)
    assert isinstance(recorded, dict)
    bars: dict[str, dict[int, list[tuple[float, float]]]] = {}
    ranks = set()
    for event in recorded.get("traceEvents", ()):
        if event.get("ph") != "X":
            continue
        kind = str(event.get("cat", ""))
        ranks.add(int(event["pid"]))
        bars.setdefault(kind, {}).setdefault(int(event["pid"]), []).append((event["ts"] * 1e-3, event["dur"] * 1e-3))
    if not ranks:
        raise _core.ParseError("this is no trace of Kallima: it has no events")
    axes = _axes(axes, 8.0, 1.2 + 0.35 * len(ranks))
    for kind, rows in sorted(bars.items()):
        for which, (rank, intervals) in enumerate(sorted(rows.items())):
            axes.broken_barh(intervals, (rank - 0.4, 0.8), facecolor=_COLOURS.get(kind, "#CC79A7"), edgecolor="white", linewidth=0.5,
                             label=kind if which == 0 else None)
    axes.set(xlabel="milliseconds", ylabel="rank", yticks=sorted(ranks)[:: max(1, len(ranks) // 16)])
    axes.invert_yaxis()
    axes.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return axes


def calibration(machine: Union[str, dict] = "", axes: Any = None) -> Any:
    """What a machine's messages take: time over their size, for each kind of link.

    Parameters
    ----------
    machine : str or dict
        A name, a file of ``kallima calibrate``, or what ``kallima.machines()`` has; default: the default machine.
    axes : matplotlib.axes.Axes
        Where to draw.

    Examples
    --------
    >>> import kallima.plot
    >>> axes = kallima.plot.calibration("lumi-c")
    >>> axes.get_ylabel()
    'seconds'
    """
    figures = machine_of(machine) if isinstance(machine, str) else machine
    axes = _axes(axes)
    for name, title in (("in_node", "within a node"), ("between_nodes", "between nodes")):
        sizes, seconds = _message_times(figures[name])
        axes.plot(sizes, seconds, label=title)
    axes.set(xscale="log", yscale="log", xlabel="bytes of a message", ylabel="seconds", title=str(figures.get("name", "")))
    axes.legend(frameon=False)
    return axes


def _message_times(link: dict) -> tuple[np.ndarray, np.ndarray]:
    """Bytes and seconds, by LogGP: L + 2 o + G times the bytes (Alexandrov et al. 1995, equation 1)."""
    sizes = np.logspace(0, 8, 65)
    table = np.asarray(link["per_byte"])
    per_byte = np.exp(np.interp(np.log(sizes), np.log(table[:, 0]), np.log(table[:, 1])))
    return sizes, link["latency"] + 2 * link["overhead"] + sizes * per_byte
