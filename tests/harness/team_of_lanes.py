"""Run by test_engine_lanes in a process of its own: one step of some models by real teams of 32 lanes on the CPU.

Usage: python -m tests.harness.team_of_lanes OUTPUT.npz [MODEL ...]; models that are named step by the kernels of their features.
Warp decides at start-up whether CPU kernels run in blocks.
"""

import sys
from unittest.mock import patch

import numpy as np
import pytest
import warp as wp

import tests.conftest  # noqa: F401  the same kernel cache
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness import wide_scenes
from tests.harness.engine import Engine
from tests.harness.quick_kernels import fold_quickly

SHORT = {
    "heap_of_convex_shapes swept": {"broadphase": "sap"},
    "heap_of_convex_shapes short of room": {"broadphase": "sap", "nconmax": 7, "njmax": 20, "nbpmax": 30},
    "balls_and_pills_on_hills short of room": {"nconmax": 5, "njmax": 16},
}
"""Models that sweep and prune, or have too little capacity for pairs, contacts and rows."""

WIDE = {
    "cloth by Newton": lambda: wide_scenes.cloth(5, 'solver="Newton" cone="elliptic"'),
    "cloth by gradients": lambda: wide_scenes.cloth(5, 'solver="CG"'),
    "cloth of tendons": lambda: wide_scenes.cloth(7, 'solver="Newton"', "tendon", extra=wide_scenes.PLATE),
}
"""Models that are taken for wide ones."""

MODELS = [
    "humanoid",
    "many_small_trees",
    "elliptic_condim_1_3_4_6",
    "slide_friction_loss",
    "tendon_fixed_coupled",
    "ball_joint_limit",
    "every_pair_of_shapes",
    "implicitfast_damped_arm",
    "equality_connect",
    "equality_weld",
    "equality_with_contacts",
    "tendon_around_geoms",
    "tendon_limits_and_friction",
    "tendon_with_inertia",
    "spider_over_fifty_joints",
    "gravity_compensated_links",
    "heap_of_convex_shapes",
    "balls_and_pills_on_hills",
    "fluid_taken_implicitly",
    "implicit_coriolis",
    "load_on_light_links",
    "gauss_seidel_elliptic",
    "less_slip_on_a_slope",
    "sensors_of_motion",
    "sensors_of_contact",
    "rangefinders_and_zones",
    "distances_of_geoms",
    "forces_of_ties_on_bodies",
    *SHORT,
    *WIDE,
]
WORLDS = 6
RESULTS = (
    "qacc",
    "qpos",
    "qvel",
    "ncon",
    "nefc",
    "qfrc_constraint",
    "qfrc_smooth",
    "efc_pos",
    "efc_vel",
    "efc_aref",
    "sensordata",
)


def step(name: str, nlane: int) -> dict:
    """Results of one step of six worlds by teams of `nlane` lanes."""
    with patch.object(sparse, "WIDE_DOFS", 0 if name in WIDE else sparse.WIDE_DOFS):
        return _step(WIDE[name]() if name in WIDE else oracle.named_model(name.split()[0]), name, nlane)


def _step(mj, name: str, nlane: int) -> dict:
    engine = Engine(
        mj, oracle.rollout_states(mj, WORLDS, seed=11), "cpu", mode="staged", nlane=nlane, **SHORT.get(name, {})
    ).step()
    return {f"{name}/{field}": engine.read(field) for field in RESULTS}


DOZING = """<mujoco><option><flag sleep="enable"/></option><worldbody><geom type="plane" size="5 5 .1"/>
  <body pos="0 0 .0995" sleep="init"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos="0 0 .2985" sleep="init"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos="0 1 .1"><joint type="slide" axis="1 0 0" damping="9" frictionloss=".1"/><geom size=".1"/></body>
  <body pos="1 0 .0995" sleep="init"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos="1 0 .2985"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"""
"""Two boxes that start asleep, a slider that falls asleep, and a box that wakes another."""


def doze(nlane: int) -> dict:
    """What sleeps after twelve steps of a world by a team of `nlane` lanes, and where it is."""
    m = put_model(oracle.compile_xml(DOZING), 1, "cpu")
    d = make_data(m, 1, scratch="per_world")
    Schedule(m, d, mode="staged", nlane=nlane).step(12)
    return {f"dozing/{field}": getattr(d, field).numpy() for field in ("tree_asleep", "ncon", "nefc", "qpos", "qvel")}


if __name__ == "__main__":
    wp.config.enable_cpu_blocks = True
    named, results = sys.argv[2:], {}
    if named:
        fold_quickly(pytest.MonkeyPatch())
    for model in named or MODELS:
        results.update(step(model, 32))
    if not named:
        results.update(doze(32))
    np.savez(sys.argv[1], **results)
