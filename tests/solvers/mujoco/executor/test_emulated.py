"""Emulated GPU kernels: a sample of ``conformance.emulate``, with bounds, barriers and races checked, in a process of its own."""

import json
import subprocess
import sys

import pytest

from conformance import emulate
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
SOFT = ("soft: cloth", "soft: rod", "soft: block", "soft: distance field", "soft: picture")


def emulated(name: str) -> dict:
    """The row of a case."""
    if not emulate.available():
        pytest.skip("no C++ compiler")
    done = subprocess.run([sys.executable, "-c", CODE, name], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_a_gpu_step_has_no_races_and_does_what_the_cpu_does():
    row = emulated("equality_weld")
    assert row["sound"], row
    assert row["kernels"] >= 4 and row["bits_follow_worlds"]


@pytest.mark.parametrize("name", SOFT)
def test_soft_bodies_fields_and_pictures_have_no_races_and_are_those_of_the_cpu(name):
    row = emulated(name)
    assert row["sound"], row
    assert row["kernels"] >= 1
