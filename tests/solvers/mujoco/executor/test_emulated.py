"""Emulated GPU kernels: a sample of ``conformance.emulate``, with bounds, barriers and races checked, in a process of its own."""

import json
import subprocess
import sys

import pytest

from conformance import emulate
from tests.oracle import ROOT

CODE = """
import json
from conformance import emulate
emulate.prepare()
case = emulate.cases()["equality_weld"]
reference = case("cpu", 1)  # by the kernels of everything, which other tests compile too
from newtonlite.solvers.mujoco.executor import specialize
specialize.enabled = True
row = emulate.emulate(case, 32, reference)
print(json.dumps({**row, "sound": emulate.sound(row)}))
"""


def test_a_gpu_step_has_no_races_and_does_what_the_cpu_does():
    if not emulate.available():
        pytest.skip("no C++ compiler")
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    row = json.loads(done.stdout.strip().splitlines()[-1])
    assert row["sound"], row
    assert row["kernels"] >= 4 and row["bits_follow_worlds"]
