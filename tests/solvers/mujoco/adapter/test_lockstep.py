"""SolverMuJoCo on imported files against MuJoCo C: one step from the same states, seen through State and Control."""

import numpy as np
import pytest

from conformance import lockstep, lockstep_own
from conformance.lockstep import walk
from newtonlite.solvers.mujoco.compile.actuators import ControlSource
from tests.harness.beside import load, to_scene, write_activations, write_controls
from tests.oracle import MODELS, States, model_names, rollout_states, step
from tests.solvers.mujoco.compile.test_mjcf_parity import ASSETS
from tests.tolerance import assert_close, tolerance

COUNT = 40


def check(oracle, solver):
    states = rollout_states(oracle, solver.nworld)
    want = step(oracle, states)
    model, m = solver.model, solver.mj_model
    first, second, control = model.state(), model.state(), model.control()
    q, qd = to_scene(m, states)
    first.joint_q.assign(q.ravel().astype(np.float32))
    first.joint_qd.assign(qd.ravel().astype(np.float32))
    write_controls(m, control, states.ctrl)
    write_activations(solver.mjw_data, states)
    solver.step(first, second, control, None, float(oracle.opt.timestep))
    q, qd = to_scene(m, States(want.qpos, want.qvel, states.qacc_warmstart, states.ctrl))
    got_q, got_qd = (a.numpy().reshape(solver.nworld, -1) for a in (second.joint_q, second.joint_qd))
    assert_close(got_q, q, "next", floor=1.0, what="joint_q")
    assert_close(got_qd, qd, "next", floor=1.0, what="joint_qd")
    assert_close(solver.mjw_data.act.numpy(), want.act, "next", what="act")
    assert_close(solver.mjw_data.ncon.numpy(), want.ncon, "same", what="ncon")
    assert_close(solver.mjw_data.nefc.numpy(), want.nefc, "same", what="nefc")


@pytest.mark.parametrize("name", model_names())
def test_small_models(name, device):
    check(*load(MODELS / f"{name}.xml", device, COUNT))


@pytest.mark.parametrize("name", ASSETS)
def test_robots(name, assets, device):
    check(*load(assets / name, device, COUNT))


@pytest.mark.parametrize("name", ["arm_position_actuators", "implicitfast_damped_arm"])
def test_servos_follow_joint_targets(name, device):
    oracle, solver = load(MODELS / f"{name}.xml", device, COUNT, ctrl_direct=False)
    assert (solver.mj_model.ctrl_from != ControlSource.CTRL).any()
    check(oracle, solver)


@pytest.mark.parametrize(
    "name",
    [
        "mjwarp_bench/humanoid/humanoid",
        "mujoco_mjx/constraints",
        "myo_sim/elbow/myoelbow_2dof6muscles",
        "unitree_go1_mjlab/go1",
    ],
)
def test_many_steps_of_real_models(name, assets, device):
    """A part of what `make lockstep` goes through."""
    row = walk(assets / "mjcf" / f"{name}.xml", steps=60, worlds=2, device=device)
    assert max(row["joint_q"], row["joint_qd"]) <= tolerance("lockstep"), row


FLAT = 'vertex="-1 -1 -1 1 -1 -1 1 1 -1 1 1 1 1 -1 1 -1 1 -1 -1 1 1 -1 -1 1"'
BLOCKS = "".join(
    f'<body pos="{0.1 * i} {0.1 * j} .05"><freejoint/><geom type="mesh" mesh="block"/></body>'
    for i in range(4)
    for j in range(3)
)
SCENES = {
    "twelve blocks side by side": (
        84,
        f"""<asset><mesh name="block" {FLAT} scale=".052 .052 .052"/></asset>
        <worldbody><geom type="box" size=".5 .5 .1" pos="0 0 -.1"/>{BLOCKS}</worldbody>""",
    ),
    "a box and a block on a flat mesh": (
        4,
        f"""<asset><mesh name="plate" {FLAT} scale="1 1 .1"/><mesh name="block" {FLAT} scale=".3 .2 .1"/></asset>
        <worldbody><geom type="mesh" mesh="plate" pos="0 0 -.1" euler="3 7 30"/>
        <body pos="-.3 0 .12" euler="3 7 30"><freejoint/><geom type="mesh" mesh="block"/></body>
        <body pos=".4 0 .06" euler="3 7 80"><freejoint/><geom type="box" size=".3 .2 .1"/></body></worldbody>""",
    ),
    "a cylinder on a box": (
        3,
        """<worldbody><geom type="box" size="1 1 .3" pos="0 0 -.3"/>
        <body pos="0 0 .02"><freejoint/><geom type="cylinder" size=".4 .03"/></body></worldbody>""",
    ),
}
"""More contacts than these many, and what is in a model."""


@pytest.mark.parametrize("name", SCENES)
def test_many_steps_of_flat_things_in_touch(name, device, tmp_path):
    """A cylinder's cap on a face is at a tie in most steps, of which MuJoCo takes another one under a rounding; blocks
    need more capacity than is estimated.
    """
    path, (least, parts) = tmp_path / "scene.xml", SCENES[name]
    path.write_text(f'<mujoco><option><flag multiccd="enable"/></option>{parts}</mujoco>')
    row = walk(path, steps=12, worlds=2, device=device)
    assert row["verdict"] in ("equal", "as sensitive"), row
    assert row["contacts"] > least, row


def test_steps_apart_are_told_from_those_as_sensitive(tmp_path, device, monkeypatch):
    """Where MuJoCo has another gravity, its own moves explain nothing."""
    path = tmp_path / "scene.xml"
    path.write_text(f"<mujoco>{SCENES['a cylinder on a box'][1]}</mujoco>")
    monkeypatch.setattr(lockstep_own, "TRIALS", (0, 4))
    monkeypatch.setattr(lockstep, "load", lambda *args, **options: lighter(*load(*args, **options)))
    row = walk(path, steps=4, worlds=1, device=device)
    assert row["verdict"] == "different" and row["apart"] > row["sensitive"], row


def lighter(mj, solver):
    """MuJoCo where things fall upwards."""
    mj.opt.gravity[2] = 9.81
    return mj, solver
