"""SolverMuJoCo on imported files against MuJoCo C: one step from the same states, seen through State and Control."""

import numpy as np
import pytest

from benchmarks.lockstep import walk
from newtonlite.solvers.mujoco.compile.actuators import Source
from tests.oracle import MODELS, States, model_names, rollout_states, step
from tests.solvers.mujoco.beside import load, to_scene, write_activations, write_controls
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
    assert (solver.mj_model.ctrl_from != Source.CTRL).any()
    check(oracle, solver)


@pytest.mark.parametrize(
    "name",
    ["mjwarp_bench/humanoid/humanoid", "mujoco_mjx/constraints", "myo_sim/elbow/myoelbow_2dof6muscles", "unitree_go1_mjlab/go1"],
)
def test_many_steps_of_real_models(name, assets, device):
    """A part of what `make lockstep` goes through."""
    row = walk(assets / "mjcf" / f"{name}.xml", steps=60, worlds=2, device=device)
    assert max(row["joint_q"], row["joint_qd"]) <= tolerance("lockstep"), row
