"""Emulated GPU kernels: samples of ``conformance.emulate``, with bounds, barriers and races checked, in a process of its own."""

import json
import subprocess
import sys

import pytest

from conformance import emulate, emulate_soft
from tests.oracle import ROOT

CODE = """
import json, sys
from conformance import emulate
emulate.prepare()
case = emulate.cases()[sys.argv[1]]
reference = case("cpu", 1)  # by the kernels of everything, which other tests compile too
from newtonlite.solvers.mujoco.executor import specialize
specialize.enabled = True
row = emulate.emulate(case, 32, reference)
print(json.dumps({**row, "sound": emulate.sound(row)}))
"""


QUICK = {"program: cameras": 2, "program: near parts of flexes": 1, "program: sparse factor of flexes": 1}
WHOLE = (
    "cloth of edges on a plane",
    "Neo-Hookean solid",
    "passive cells on a sphere and a plane",
    "cloths kept apart",
    "sleep of an elastic block",
    "distance fields of rigid bodies",
    "tactile sensor on a cloth and a box",
    "coupled rows by Newton",
    "cloth on hills",
    "rod on a plane",
    "quadratic cells on an arm",
    "speculative ball beside a cloth",
    "fingers with soft pads under discrete",
)
"""Scenes whose whole steps run by kernels of their own features."""
SLOW = {"equality_weld": 4} | dict.fromkeys(emulate_soft.PARTS, 1) | {f"soft: {name}": 6 for name in WHOLE}
"""Cases, and the kernels that they have at least."""


@pytest.mark.parametrize(
    "name, kernels", [*QUICK.items(), *(pytest.param(*case, marks=pytest.mark.nightly) for case in SLOW.items())]
)
def test_gpu_kernels_have_no_races_and_do_what_the_cpu_does(name, kernels):
    if not emulate.available():
        pytest.skip("no C++ compiler")
    done = subprocess.run([sys.executable, "-c", CODE, name], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    row = json.loads(done.stdout.strip().splitlines()[-1])
    assert row["sound"], row
    assert row["kernels"] >= kernels and row.get("bits_follow_worlds", True)
