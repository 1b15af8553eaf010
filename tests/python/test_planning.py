# SPDX-License-Identifier: BSD-3-Clause
"""What needs no MPI: plans, predictions, advice, machines, pictures."""

import json

import alone
import numpy as np
import pytest

import kallima
import kallima.plot


def test_plan():
    plan = kallima.plan("c2c:128^3", 16, machine="lumi-c", layout="slab", out="same")
    assert plan["ranks"] == 16 and plan["schema"].startswith("kallima.plan/")
    assert plan["layout_in"] == plan["layout_out"]
    slab = kallima.Layout.slab((128, 128, 128), 16)
    assert kallima.plan("c2c:128^3", 16, layout=slab)["layout_in"] == slab.text


def test_predict():
    one = kallima.predict("r2c:4096^3", "1024..4096", machine="frontier")
    assert one["points"]["ranks"].tolist() == [1024, 2048, 4096]
    assert one["points"]["seconds"].dtype == float
    several = kallima.predict("r2c:4096^3", [1024, 4096], machine="frontier")
    assert np.array_equal(several["points"]["seconds"], one["points"]["seconds"][[0, 2]])


def test_advise():
    offers = kallima.advise("c2c:100^3", "1..16")["offers"]
    assert set(offers["ranks"]) >= {1, 16} and len(offers["seconds"]) == len(offers["ranks"])


def test_machines():
    known = kallima.machines()
    assert known["frontier"]["node"]["ranks"] == 8 and "lumi-c" in known


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: kallima.plan("c2c:12q", 4), "12q"),
        (lambda: kallima.plan("c2c:12", -4), "-4"),
        (lambda: kallima.predict("c2c:12", machine="nowhere"), "nowhere"),
        (lambda: kallima.predict("c2c:12", []), "no number"),
        (lambda: kallima.predict("c2c:12", "4", model="guess"), "guess"),
    ],
)
def test_wrong(call, words):
    with pytest.raises(kallima.Error, match=words):
        call()


def test_needs_no_mpi():
    program = "import kallima, sys; kallima.plan('c2c:8^3', 4); print(kallima._core.mpi_started())"
    done = alone.run(program)
    assert done.stdout.strip() == "False", done.stderr


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    kallima.plot.prediction([kallima.predict("c2c:256^3", "1..64", machine=name) for name in ("lumi-c", "frontier")])
    axes = kallima.plot.layout(kallima.Layout.cyclic((8, 8), (2, 2)))
    axes.figure.savefig(tmp_path / "layout.png")
    kallima.plot.calibration()
    plan = kallima.Transform(kallima._core.self_handle() if kallima.world() else None, (8, 8), complex, trace="-")
    plan.forward(plan.empty_input())
    recorded = plan.trace()
    assert kallima.plot.trace(recorded).get_xlabel() == "milliseconds"
    assert json.loads(recorded)["traceEvents"]
