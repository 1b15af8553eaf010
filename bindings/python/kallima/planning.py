# SPDX-License-Identifier: BSD-3-Clause
"""Plans, prices and advice without MPI: what ``kallima plan``, ``predict`` and ``advise`` say, as plain data."""

from __future__ import annotations

import json
import tomllib
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _core
from .layout import Layout

__all__ = ["plan", "predict", "advise", "machines"]

LayoutText = Union[str, Layout, None]
RankRange = Union[int, str, Sequence[int]]


def plan(
    problem: str, ranks: int, *, layout: LayoutText = None, out: LayoutText = None, machine: Optional[str] = None,
    method: Optional[str] = None, chunks: Optional[int] = None, ranks_per_node: Optional[int] = None,
) -> dict:
    """What would be done on so many ranks, which need not be there.

    Parameters
    ----------
    problem : str
        ``"c2c:512^3"``, ``"r2c:256x256x100:f32"``, ``"c2r:..."`` for the way back, as on the command line.
    ranks : int
        How many.
    layout, out : str or Layout
        Of the input and of the output: "slab", "pencil", a layout's text; default: the planner's choice.
    machine : str
        A name of ``machines()``, or a file of ``kallima calibrate``. Default: a common cluster.
    method : str
        How ranks exchange; default: what is cheapest.
    chunks : int
        In so many pieces are messages sent.
    ranks_per_node : int
        How many ranks share a node; default: as the machine has it.

    Returns
    -------
    dict
        Schema kallima.plan/2: steps, layouts, bytes, messages, price.

    Examples
    --------
    >>> import kallima
    >>> plan = kallima.plan("c2c:128^3", 16, machine="lumi-c")
    >>> plan["exchanges"], [step["kind"] for step in plan["steps"]][0]
    (1, 'sweep')
    """
    words = ["plan", problem, "-n", str(int(ranks))]
    return _answer(words, layout=layout, out=out, machine=machine, method=method, chunks=chunks,
                   ranks_per_node=ranks_per_node)


def predict(
    problem: str, ranks: RankRange = "1..1024", *, layout: LayoutText = None, out: LayoutText = None,
    machine: Optional[str] = None, ranks_per_node: Optional[int] = None, model: Optional[str] = None,
) -> dict:
    """What a transform costs on any number of ranks, on this machine or on one that is not here.

    Parameters
    ----------
    problem, layout, out, machine, ranks_per_node
        As for ``plan``.
    ranks : int, str, or sequence of int
        ``"1..4096"`` are the powers of two between, and the ends.
    model : {"loggp", "alpha-beta", "logp", "bsp"}
        How exchanges are priced.

    Returns
    -------
    dict
        Schema kallima.predict/2. ``["points"]`` is a dict of columns, which ``pandas.DataFrame`` takes: ranks, seconds,
        spread (relative, of both sides), bytes, messages, binds, ...

    Examples
    --------
    >>> import kallima
    >>> points = kallima.predict("r2c:1024^3", "64..1024", machine="lumi-c")["points"]
    >>> points["ranks"].tolist()
    [64, 128, 256, 512, 1024]
    >>> bool((points["seconds"] > 0).all())
    True
    """
    several = [ranks] if isinstance(ranks, (int, str, np.integer)) else list(ranks)
    if not several:
        raise _core.InvalidOption("no number of ranks was given")
    answers = [
        _answer(["predict", problem, "-n", str(which)], layout=layout, out=out, machine=machine,
                ranks_per_node=ranks_per_node, model=model)
        for which in several
    ]
    answers[0]["points"] = _columns([point for answer in answers for point in answer["points"]])
    return answers[0]


def advise(
    problem: str, ranks: Union[int, str, None] = None, *, machine: Optional[str] = None, layout: LayoutText = None,
    out: LayoutText = None, ranks_per_node: Optional[int] = None,
) -> dict:
    """Which numbers of ranks are worth asking for, and which sizes nearby are cheaper.

    Parameters
    ----------
    problem, machine, layout, out, ranks_per_node
        As for ``plan``.
    ranks : int or str
        A range, ``"1..512"``, or a number to have its neighbours judged. Default: up to 16 nodes.

    Returns
    -------
    dict
        Schema kallima.advise/3; ``["offers"]`` and ``["better_sizes"]`` are dicts of columns.

    Examples
    --------
    >>> import kallima
    >>> offers = kallima.advise("c2c:100^3", "1..64")["offers"]
    >>> int(offers["ranks"][offers["seconds"].argmin()]) > 1
    True
    """
    words = ["advise", problem] + ([] if ranks is None else ["-n", str(ranks)])
    answer = _answer(words, layout=layout, out=out, machine=machine, ranks_per_node=ranks_per_node)
    for name in ("offers", "better_sizes"):
        answer[name] = _columns(answer[name])
    return answer


def machines() -> dict[str, dict]:
    """Machines that are known by name, each as its file has it: speeds, links, networks, sources.

    Examples
    --------
    >>> import kallima
    >>> kallima.machines()["frontier"]["node"]["ranks"]
    8
    """
    return {name: machine(name) for name in _core.machine_names()}


def machine(name_or_path: str = "") -> dict:
    """One machine by its name, or of a file that ``kallima calibrate`` made; without a name the default one."""
    return tomllib.loads(_core.machine_text(name_or_path))


def _answer(words: list[str], **options: Any) -> dict:
    flags = {"layout": "--in"}
    for name, value in options.items():
        if value is not None:
            text = value.text if isinstance(value, Layout) else str(value)
            words += [flags.get(name, "--" + name.replace("_", "-")), text]
    return json.loads(_core.report([*words, "--json"]))


def _columns(rows: list[dict]) -> dict[str, np.ndarray]:
    """Rows of the same keys as arrays: of numbers where all are, else of objects."""
    columns: dict[str, np.ndarray] = {}
    for key in rows[0] if rows else ():
        values = [row[key] for row in rows]
        if all(isinstance(value, (int, float)) for value in values):
            columns[key] = np.asarray(values)
        else:
            columns[key] = np.empty(len(values), object)
            columns[key][:] = values
    return columns
