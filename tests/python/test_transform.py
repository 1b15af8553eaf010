# SPDX-License-Identifier: BSD-3-Clause
"""Random transforms, redistributions and batches against the whole array."""

import os

import numpy as np
import pytest

import kallima
from reference import logical, transformed

COMM = kallima.world()
CASES = int(os.environ.get("KALLIMA_TEST_CASES", "300"))


def tolerance(dtype) -> float:
    return 2e-5 if np.dtype(dtype) in (np.float32, np.complex64) else 5e-14


def some_layout(random, shape, batch):
    """A name, a text, a grid of blocks, a cyclic one, or this rank's slices."""
    ranks = COMM.size
    pick = random.integers(6)
    if pick == 0:
        return "slab"
    if pick == 1:
        return "pencil"
    if pick == 2:
        return "any"
    axis = int(random.integers(1 if batch else 0, len(shape)))
    if pick == 3:
        return kallima.Layout.slab(shape, min(ranks, shape[axis]), axis)
    grid = [1] * len(shape)
    left = ranks
    for a in range(1 if batch else 0, len(shape)):
        divisors = [d for d in range(1, left + 1) if left % d == 0 and d <= shape[a]]
        grid[a] = int(random.choice(divisors))
        left //= grid[a]
    if pick == 4:
        return kallima.Layout.cyclic(shape, grid)
    block = kallima.Layout.block(shape, grid, COMM.rank)
    if COMM.rank >= block.ranks:
        return tuple(slice(0, 0) for _ in shape)
    return block.local_slice


def case(seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(2, 14, random.integers(1, 5)))
    dtype = np.dtype(random.choice(["complex128", "complex64", "float64", "float32"]))
    batch = int(random.integers(2, 4)) if random.random() < 0.2 else None
    norm = str(random.choice(["backward", "ortho", "forward", "none"]))
    full = shape if batch is None else (batch, *shape)
    kinds = ["fourier"] * len(shape)
    for axis in range(len(shape)):
        if random.random() < 0.25:
            kinds[axis] = str(random.choice(["none", *(f"{name}-{i}" for name in ("cosine", "sine") for i in (1, 2, 3, 4))]))
    if dtype.kind == "c" and all(kind == "none" for kind in kinds):
        kinds[0] = "fourier"
    layout = some_layout(random, full, batch is not None)
    out = "same" if not isinstance(layout, str) or layout != "any" else None
    if random.random() < 0.5 or isinstance(layout, tuple):
        out = "any"
    expected_kinds = list(kinds)
    fourier = [axis for axis, kind in enumerate(kinds) if kind == "fourier"]
    if dtype.kind == "f" and fourier:
        expected_kinds[fourier[-1]] = "real"
    try:
        plan = kallima.Transform(COMM, shape, dtype, kinds=kinds, layout=layout, out=out, norm=norm, batch=batch)
    except kallima.InvalidLayout:
        assert isinstance(layout, tuple)  # of a rank that holds nothing, say
        return
    except kallima.TooFewRanks:
        return
    whole = random.standard_normal(full).astype(dtype)
    if dtype.kind == "c":
        whole = (whole + 1j * random.standard_normal(full)).astype(dtype)
    expected_kinds = (["none"] if batch else []) + expected_kinds
    expected = transformed(whole, expected_kinds)
    size = np.prod([logical(kind, n) for kind, n in zip(expected_kinds, full)], dtype=float)
    expected = expected / {"forward": size, "ortho": np.sqrt(size)}.get(norm, 1.0)
    if plan.layout_in.several_boxes or plan.layout_out.several_boxes:
        return
    source = plan.empty_input()
    source[...] = whole[plan.layout_in.local_slice]
    kept = source.copy()
    in_place = dtype.kind == "c" and random.random() < 0.3
    if in_place:
        given, target = plan.empty_in_place()
        given[...] = source
        bound = plan.bind(given, target)
        bound()
        result = target
    elif random.random() < 0.5:
        result = plan.forward(source)
    else:
        result = plan.empty_output()
        assert plan.forward(source, result) is result
    scale = max(np.abs(expected).max(), 1e-30)
    assert plan.layout_out.shape == expected.shape
    assert np.abs(result - expected[plan.layout_out.local_slice]).max(initial=0) <= tolerance(dtype) * scale * 20
    assert np.array_equal(source, kept)
    back = plan.backward(np.array(result, order="K") if result.flags.c_contiguous else result)
    factor = size if norm == "none" else 1.0
    assert np.abs(back - kept * factor).max(initial=0) <= tolerance(dtype) * factor * 40 * max(np.abs(whole).max(), 1)
    plan.close()


@pytest.mark.parametrize("part", range(10))
def test_random(part):
    for seed in range(part, CASES, 10):
        try:
            case(seed)
        except Exception as raised:
            raise AssertionError(f"case {seed} on {COMM.size} ranks: {raised!r}") from raised


@pytest.mark.parametrize("dtype", ["complex128", "float32"])
def test_wavenumbers_and_weights(dtype):
    shape, lengths = (8, 6, 10), [2 * np.pi, np.pi, 1.0]
    plan = kallima.Transform(COMM, shape, dtype, lengths=lengths, out="any")
    k = plan.wavenumbers()
    where = plan.layout_out.local_slice
    for axis in range(3):
        whole = np.fft.fftfreq(shape[axis], lengths[axis] / shape[axis] / (2 * np.pi))
        if dtype == "float32" and axis == 2:
            whole = np.abs(np.fft.rfftfreq(shape[axis], lengths[axis] / shape[axis] / (2 * np.pi)))
        assert k[axis].shape[axis] == plan.layout_out.local_shape[axis]
        assert np.allclose(np.abs(k[axis].ravel()), np.abs(whole[where[axis]]))
    u = plan.empty_input()
    random = np.random.default_rng(COMM.rank)
    u[...] = random.standard_normal(u.shape)
    u_k = plan.forward(u, norm="ortho")
    there, here = (COMM.sum(part) for part in ((np.abs(u_k) ** 2 * plan.weights).sum(), (np.abs(u) ** 2).sum()))
    assert abs(there - here) <= 1e-5 * here


@pytest.mark.parametrize("out", ["same", "any", None])
def test_apply_takes_a_function_of_frequencies(out):
    shape = (12, 10, 8)
    plan = kallima.Transform(COMM, shape, float, lengths=[2 * np.pi] * 3, out=out)
    grid = [2 * np.pi * np.arange(n) / n for n in shape]
    x, y, z = np.meshgrid(*grid, indexing="ij", sparse=True)
    whole = np.sin(x) * np.cos(2 * y) + np.sin(3 * z)
    where = plan.layout_in.local_slice
    u = plan.empty_input()
    u[...] = whole[where]
    slope = plan.apply(u, lambda u_k, k: 1j * k[1] * u_k)
    assert (plan._inside is None) == (out == "any")  # then it has the layout that is cheapest
    expected = np.broadcast_to(-2 * np.sin(x) * np.sin(2 * y), shape)
    assert np.allclose(slope, expected[where], atol=1e-12)

    def halve(u_k, k):
        u_k *= 0.5

    out = plan.empty_input()
    assert plan.apply(u, halve, out) is out
    assert np.allclose(out, 0.5 * u)


def test_what_apply_raises_on_one_rank_all_raise():
    plan = kallima.Transform(COMM, (8, 8), float)
    u = plan.empty_input()
    u[...] = 1.0

    def fail(u_k, k):
        if COMM.rank == COMM.size - 1:
            raise ValueError("not today")

    with pytest.raises(kallima.Error, match="not today"):
        plan.apply(u, fail)
    assert np.allclose(plan.backward(plan.forward(u)), u)


def test_bound_runs_again_and_again():
    plan = kallima.Transform(COMM, (10, 9, 8), complex)
    u, u_k = plan.empty_input(), plan.empty_output()
    forward = plan.bind(u, u_k)
    backward = plan.bind(u_k, u, "backward")
    random = np.random.default_rng(COMM.rank)
    u[...] = random.standard_normal(u.shape)
    before = u.copy()
    plan.close()  # what is bound keeps the plan
    for _ in range(20):
        forward()
        backward()
    assert np.allclose(u, before)
    forward("none")
    backward("none")
    assert np.allclose(u, before * 720)


def test_redistribute_any_type():
    shape = (7, 6, 5)
    whole = np.arange(210, dtype=np.int32).reshape(shape)
    turn = kallima.Redistribute(COMM, shape, "slab", kallima.Layout.slab(shape, min(COMM.size, 5), 2), np.int32)
    rows = turn.empty_input()
    rows[...] = whole[turn.layout_in.local_slice]
    columns = turn.forward(rows)
    assert np.array_equal(columns, whole[turn.layout_out.local_slice])
    assert np.array_equal(turn.backward(columns), rows)
    record = np.dtype([("a", "f8"), ("b", "i4")])
    turn = kallima.Redistribute(COMM, (6, 4), "slab", kallima.Layout.slab((6, 4), min(COMM.size, 4), 1), record)
    rows = turn.empty_input()
    rows["a"], rows["b"] = COMM.rank + 0.5, COMM.rank
    there = turn.forward(rows)
    assert np.array_equal(turn.backward(there), rows)


def test_halo_fills_margins():
    ranks = COMM.size
    shape = (5 * ranks, 6)
    layout = kallima.Layout(f"y:block/{ranks}~2 x:all~1", shape)
    halo = kallima.Halo(COMM, layout, periodic=(True, False))
    u, around = halo.empty()
    whole = np.arange(30.0 * ranks).reshape(shape)
    around[...] = -1.0
    u[...] = whole[halo.layout.local_slice]
    halo.run(u)
    first = halo.layout.local_slice[0].start
    rows = np.arange(first - 2, first + 7) % shape[0]
    assert np.array_equal(around[:, 1:-1], whole[rows])
    assert (around[:, 0] == -1.0).all() and (around[:, -1] == -1.0).all()


def test_texts():
    plan = kallima.Transform(COMM, (16, 16, 16), complex, machine="lumi-c")
    assert "c2c:16x16x16" in plan.explain().replace("16^3", "16x16x16")
    assert plan.explain()._repr_html_().startswith("<pre>")
    priced = plan.predict()
    assert priced["seconds"] > 0 and priced["machine"] == "lumi-c"
    again = kallima.Transform(COMM, (16, 16, 16), complex, plan=plan.plan_text())
    assert again.plan_text() == plan.plan_text()
    assert plan.workspace_bytes >= 0
    plan.forward(plan.empty_input())
    assert plan.statistics()["exchanges"] >= 0


def test_dlpack_and_buffers():
    plan = kallima.Transform(COMM, (8, 6), complex)

    class Lends:
        """Memory that is known by ``__dlpack__`` alone, as of another library."""

        def __init__(self, array):
            self._array = array

        def __dlpack__(self, **options):
            return self._array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self._array.__dlpack_device__()

    u, u_k = plan.empty_input(), plan.empty_output()
    u[...] = 1 + COMM.rank
    plan.forward(Lends(u), Lends(u_k))
    assert np.allclose(u_k, plan.forward(u))
    assert np.allclose(plan.backward(memoryview(u_k)), u)
