"""Warnings of what works, and perhaps not as intended."""

import warnings

import pytest

from newtonlite.core.errors import NewtonWarning
from newtonlite.solvers import SolverMuJoCo
from tests.harness.engine_scenes import builder


def scene(joint: str = ""):
    b = builder()
    b.add_mjcf(f'<mujoco><worldbody><body><joint name="j" {joint}/><geom size=".1"/></body></worldbody></mujoco>')
    return b


def test_runge_kutta_keeps_the_callers_contacts():
    model = scene().finalize(device="cpu")
    with pytest.warns(NewtonWarning, match="RK4 keeps the caller's contacts in its intermediate stages"):
        SolverMuJoCo(model, integrator="rk4", use_mujoco_contacts=False)


def test_limits_whose_reference_has_mixed_signs():
    with pytest.warns(NewtonWarning, match='<joint name="j"> solreflimit: invalid solreflimit -1 1'):
        scene('solreflimit="-1 1"')


def test_actuators_of_no_world_are_left_out_with_a_warning(device):
    one, b = builder(), builder()
    one.add_mjcf(
        '<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody><actuator><motor joint="a"/></actuator></mujoco>'
    )
    b.replicate(one, 2)
    rows = {k: a.default for k, a in b.custom_attributes.items() if a.frequency == "mujoco:actuator"}
    b.add_custom_values(**(rows | {"mujoco:actuator_target_label": "/missing", "mujoco:actuator_world": -1}))
    with pytest.warns(NewtonWarning, match=r"unresolved target '/missing'.*belong to no world"):
        s = SolverMuJoCo(b.finalize(device=device))
    assert s.mj_model.nu == 1


MOCAP = '<body name="hand" mocap="true" pos="0 0 1"><geom size=".1"/></body>'
FIXED = '<body name="hand" pos="0 0 1"><geom size=".1"/></body>'
HINGED = '<body name="hand" pos="0 0 1"><joint axis="0 1 0"/><geom size=".1"/></body>'


@pytest.mark.parametrize("body", [MOCAP, FIXED, HINGED], ids=["mocap", "fixed", "hinged"])
def test_a_pose_written_into_a_state_that_no_step_reads_is_named(body, device):
    b = builder()
    b.add_mjcf(f"<mujoco><worldbody>{body}<body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    model = b.finalize(device=device)
    state, poses = model.state(), model.body_q.numpy().copy()
    hand = next(k for k, label in enumerate(model.body_label) if label.endswith("hand"))
    poses[hand, 0] += 0.3
    state.body_q.assign(poses)
    with pytest.warns(NewtonWarning, match=r"state.body_q: poses were written for '[^']*hand', which has no effect"):
        SolverMuJoCo(model).step(state, model.state(), model.control(), None, 0.01)


def test_poses_that_follow_from_coordinates_are_not_named(device):
    b = builder()
    b.add_mjcf(f"<mujoco><worldbody>{MOCAP}{HINGED.replace('hand', 'arm')}</worldbody></mujoco>")
    model = b.finalize(device=device)
    state, other = model.state(), model.state()
    state.joint_q.assign(model.joint_q.numpy() + 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NewtonWarning)
        SolverMuJoCo(model).step(state, other, model.control(), None, 0.01)
