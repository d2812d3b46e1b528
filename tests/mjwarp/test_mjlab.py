"""mjlab's own tasks on this engine: made, stepped, reset and randomised; runs where mjlab is installed."""

import json
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from tests.house.project import ROOT
from tests.tolerance import assert_close, tolerance

pytestmark = pytest.mark.skipif(find_spec("mjlab") is None, reason="needs mjlab (make mjlab)")
SCRIPT, HARNESS = ROOT / "benchmarks" / "mjlab_tasks.py", ROOT / "tests" / "harness"
RUNNING = """Cartpole-Balance Cartpole-Swingup Velocity-Flat-Unitree-Go1 Velocity-Flat-Unitree-G1 Velocity-Rough-Unitree-Go1
    Velocity-Rough-Unitree-G1 Tracking-Flat-Unitree-G1 Tracking-Flat-Unitree-G1-No-State-Estimation Lift-Cube-Yam
    Lift-Cube-Yam-Depth Lift-Cube-Yam-Rgb Multi-Cube-Seg-Yam""".split()
RANDOMISED = {
    "Velocity-Flat-Unitree-Go1": {"geom_friction", "body_ipos"},
    "Velocity-Flat-Unitree-G1": {"geom_friction", "body_ipos"},
    "Tracking-Flat-Unitree-G1": {"geom_friction", "body_ipos"},
}


def run(*words, script=SCRIPT, check: bool = True) -> subprocess.CompletedProcess:
    """A script of mjlab on this engine, in a process of its own."""
    command = [sys.executable, "-m", "newtonlite.mjwarp", str(script), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=900)
    assert not check or not done.returncode, done.stderr
    return done


@pytest.mark.parametrize("task", RUNNING)
def test_a_task_is_made_stepped_and_reset(task, tmp_path):
    out = tmp_path / "seen.npz"
    said = json.loads(run("record", f"Mjlab-{task}", "--worlds", 3, "--steps", 5, "--out", out).stdout.splitlines()[-1])
    assert "newtonlite" in said["engine"] and said["finite"]
    rows = np.load(out)
    for name in (name for name in rows if name.startswith("seen_")):
        assert rows[name].shape[:2] == (5, 3) and np.isfinite(rows[name]).all(), name
        assert (rows[name][0] != rows[name][-1]).any(), name


@pytest.mark.parametrize("task", RANDOMISED)
def test_randomised_fields_have_a_row_per_world_that_differ(task):
    said = json.loads(run("randomised", f"Mjlab-{task}", "--worlds", 4).stdout.splitlines()[-1])
    assert RANDOMISED[task] <= said.keys()
    assert {name: said[name] for name in RANDOMISED[task]} == {name: [4, True] for name in RANDOMISED[task]}
    assert all(rows == 4 for rows, _ in (said[name] for name in said if name != "engine"))


def test_everything_that_can_be_randomised_acts_as_in_mujoco_with_these_values():
    said = json.loads(run(script=HARNESS / "mjlab_randomised.py").stdout.splitlines()[-1])
    assert said["contacts"] >= 4 and said["fields"] > 30
    assert set(said["same"]) <= {"jnt_actfrcrange", "tendon_actfrcrange", "tendon_invweight0", "tendon_length0"}
    assert max(said["apart"]) < tolerance("randomised")


def test_variants_of_an_entity_act_as_in_mujoco_with_each_worlds_meshes():
    """Three variants in five worlds, the third of two meshes: all have come to rest on the ground."""
    said = json.loads(run(script=HARNESS / "mjlab_variants.py").stdout.splitlines()[-1])
    assert said["own"] == said["contacts"] and min(said["contacts"]) >= 3
    assert_close(said["masses"], said["wanted"], "authored")
    assert max(said["apart"]) < tolerance("randomised")
