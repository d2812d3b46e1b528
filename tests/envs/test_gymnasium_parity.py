"""Packaged tasks against gymnasium's MuJoCo tasks of the same name, transition by transition, and their models field by
field.
"""

import re
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the tasks compared are those of the extra envs")
pytest.importorskip("imageio", reason="gymnasium's MuJoCo environments need it")

from benchmarks.gymnasium_parity import FORCES, TASKS, collect, error, error_of_largest, replay
from newtonlite import models
from tests import oracle
from tests.tolerance import tolerance

TRANSITIONS = 150
THEIRS = {"pusher": "pusher_v5", "walker2d": "walker2d_v5", "humanoid_standup": "humanoidstandup"}
FIELDS = r"(body|jnt|dof|geom|site|actuator|tendon|wrap|qpos|eq|pair|exclude)(_|0)"
LOOKS = "name|rgba|matid|user|bvh|plugin|group|sameframe"


@pytest.mark.parametrize("name", TASKS)
def test_models_have_the_physics_of_gymnasiums(name):
    folder = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    ours, theirs = (
        oracle.mujoco.MjModel.from_xml_path(str(p))
        for p in (models.path(f"gymnasium/{name}"), folder / f"{THEIRS.get(name, name)}.xml")
    )
    fields = [
        f
        for f in dir(ours)
        if re.match(FIELDS, f) and not re.search(LOOKS, f) and isinstance(getattr(ours, f), np.ndarray)
    ]
    assert len(fields) > 100
    for field in fields:
        np.testing.assert_allclose(
            getattr(ours, field),
            getattr(theirs, field),
            rtol=tolerance("compiled"),
            atol=tolerance("compiled"),
            err_msg=field,
        )
    for option in (
        "timestep",
        "integrator",
        "solver",
        "iterations",
        "gravity",
        "density",
        "viscosity",
        "cone",
        "impratio",
    ):
        assert np.array_equal(getattr(ours.opt, option), getattr(theirs.opt, option)), option


@pytest.mark.parametrize("name", TASKS)
def test_transitions_are_gymnasiums(name):
    given = collect(name, TRANSITIONS)
    observed, reward, terminated = replay(name, given)
    bar = tolerance("transition_env")
    forces = FORCES.get(name, 0)
    off = np.maximum(error_of_largest(observed, given["observation"], forces), error(reward, given["reward"]))
    shaken = np.maximum(
        error_of_largest(given["shaken"], given["observation"], forces), error(given["shaken_reward"], given["reward"])
    )
    assert np.mean(off <= bar) >= min(1.0, np.mean(shaken <= bar)) - tolerance("transition_ties")
    assert np.array_equal(terminated, given["terminated"])
