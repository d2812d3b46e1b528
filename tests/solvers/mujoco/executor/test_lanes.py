"""A team of 32 lanes and a single lane come to the same result, but for the order of sums: one model, and at night many."""

import subprocess
import sys

import numpy as np
import pytest

from tests.harness import team_of_lanes
from tests.oracle import ROOT
from tests.tolerance import assert_close

QUICK = "slide_friction_loss"


def results(folder, device, *models: str) -> dict:
    """Results by teams of all models, or of some, by the kernels of their features."""
    if device != "cpu":
        pytest.skip("a GPU always steps in teams")
    output = folder / "results.npz"
    command = [sys.executable, "-m", "tests.harness.team_of_lanes", str(output), *models]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(np.load(output))


@pytest.fixture(scope="module")
def by_team(tmp_path_factory, device) -> dict:
    return results(tmp_path_factory.mktemp("lanes"), device)


STIFF = ("equality_with_contacts", "tendon_limits_and_friction", "sensors_of_contact", "gauss_seidel_elliptic")
STIFF += ("cloth by gradients",)
"""Their solver ends within its tolerance, not within rounding, or bodies at rest leave a small difference of large
forces.
"""


def test_a_team_of_32_lanes_steps_a_small_model_as_one_lane_does(tmp_path, device):
    compare(QUICK, results(tmp_path, device, QUICK))


@pytest.mark.nightly
@pytest.mark.parametrize("name", team_of_lanes.MODELS)
def test_a_team_of_32_lanes_steps_as_one_lane_does(name, by_team):
    compare(name, by_team)


def compare(name: str, by_team: dict) -> None:
    """Compare a step by teams with that by one lane."""
    alone = team_of_lanes.step(name, 1)
    for field in ("ncon", "nefc"):
        np.testing.assert_array_equal(by_team[f"{name}/{field}"], alone[f"{name}/{field}"])
    rows = alone[f"{name}/nefc"].min()
    for field in ("efc_pos", "efc_vel", "efc_aref"):
        assert_close(by_team[f"{name}/{field}"][:, :rows], alone[f"{name}/{field}"][:, :rows], "lanes", 1.0, what=field)
    for field in ("qfrc_smooth",) if name in STIFF else ("qfrc_smooth", "qacc", "qpos", "qvel"):
        assert_close(by_team[f"{name}/{field}"], alone[f"{name}/{field}"], "lanes", what=field)
    assert_close(by_team[f"{name}/sensordata"], alone[f"{name}/sensordata"], "lanes", floor=1.0, what="sensordata")


@pytest.mark.nightly
def test_a_team_of_32_lanes_wakes_and_sleeps_as_one_lane_does(by_team):
    alone = team_of_lanes.doze(1)
    for field in ("tree_asleep", "ncon", "nefc"):
        np.testing.assert_array_equal(by_team[f"dozing/{field}"], alone[f"dozing/{field}"])
    assert (alone["dozing/tree_asleep"][0][:3] == [1, 0, 2]).all() and (alone["dozing/tree_asleep"][0][3:] < 0).all()
    for field in ("qpos", "qvel"):
        assert_close(by_team[f"dozing/{field}"], alone[f"dozing/{field}"], "lanes", what=field)
