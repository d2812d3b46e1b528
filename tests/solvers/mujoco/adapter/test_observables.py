"""Rows N-093 and N-095: what a step shows beyond the state, asked for by observables or by extended attributes."""

import numpy as np
import pytest

from newtonlite.core.enums import JointTargetMode as Mode
from newtonlite.core.errors import ModelError, StateError
from newtonlite.solvers import SolverMuJoCo
from tests.harness.engine_scenes import builder, every_joint, pose, random_state
from tests.harness.newton_scenes import arm, solver, step, weight
from tests.tolerance import assert_close


@pytest.mark.filterwarnings("ignore:.*is deprecated .by Newton")
def test_n_093_body_accelerations_are_the_rates_of_body_velocities(device):
    """Euler without damping: body_qd changes by dt times body_qdd, but for terms of dt squared."""
    model = every_joint().finalize(device=device)
    model.request_state_attributes("body_qdd")
    s = solver(model, integrator="euler", disable_contacts=True)
    dt, first, second = 1e-4, random_state(model), model.state()
    s.step(first, second, None, None, dt)
    start, end = second.body_qd.numpy(), model.state()
    s.step(second, end, None, None, dt)
    rate = (end.body_qd.numpy() - start) / dt
    assert_close(end.body_qdd.numpy(), rate, "difference", floor=10.0)


@pytest.mark.filterwarnings("ignore:.*is deprecated .by Newton")
def test_n_093_a_parent_carries_what_hangs_from_it(device):
    """Two boxes in a row, welded to a mocap root: each joint carries the weight of all below it, with its torque."""
    b = builder()
    links = [b.add_link(label=f"link{k}") for k in range(3)]
    for link in links:
        b.add_shape_box(link, hx=0.1, hy=0.1, hz=0.1)
    joints = [b.add_joint_fixed(-1, links[0]), b.add_joint_fixed(links[0], links[1], parent_xform=pose(1, 0, 0))]
    joints.append(b.add_joint_revolute(links[1], links[2], axis=(1, 0, 0), parent_xform=pose(0, 0, -1)))
    b.add_articulation(joints)
    model = b.finalize(device=device)
    model.request_state_attributes("body_parent_f", "body_qdd")
    s = solver(model, disable_contacts=True)
    state = step(s, model.state())
    box = weight(model) / 3
    want = np.zeros((3, 6))
    want[:, 2] = [3 * box, 2 * box, box]
    want[0, 4] = -2 * box * 1.0  # the two others hang a metre along x
    assert_close(state.body_parent_f.numpy(), want, "force", floor=box)
    assert_close(state.body_qdd.numpy(), np.zeros((3, 6)), "force", floor=9.81)


def test_n_095_forces_on_joints_are_observed_in_the_scenes_frames(device):
    """Bias balances gravity at rest; actuator and friction forces are those of the joint."""
    b = arm(gravity=(0, 0, -9.81), target_ke=30.0, actuator_mode=Mode.POSITION, friction=0.2)
    b.add_shape_sphere(b.add_body(xform=pose(2, 0, 3)), radius=0.1)
    model = b.finalize(device=device)
    s, control = solver(model), model.control()
    control.joint_target_q.assign([0.5] + [0.0] * (model.joint_coord_count - 1))
    state = model.state()
    state.joint_qd.assign([1.0, 0, 0, 0, 0, 0, 0])
    seen = s.observables(["qfrc_actuator", "qfrc_bias", "qfrc_constraint", "qfrc_frictionloss"])
    step(s, state, control, observables=seen)
    ball = float(model.body_mass.numpy()[1]) * 9.81
    assert_close(seen.qfrc_actuator.numpy()[:1], [15.0], "force")
    assert_close([seen.qfrc_bias.numpy()[1:]], [[0, 0, ball, 0, 0, 0]], "force")
    assert_close(seen.qfrc_frictionloss.numpy()[:1], [-0.2], "force")
    assert_close(seen.qfrc_constraint.numpy()[:1], [-0.2], "force")


def test_n_095_observables_of_bodies_may_be_asked_for_later(device):
    model = arm(gravity=(0, 0, -9.81)).finalize(device=device)
    model.joint_q.assign([1.0])
    s = solver(model)
    step(s, model.state())
    seen = s.observables(["body_qdd", "body_parent_f"])
    step(s, model.state(), observables=seen)
    assert np.abs(seen.body_qdd.numpy()).max() > 1.0
    assert set(s.supported_observables) == set(SolverMuJoCo.SUPPORTED_OBSERVABLES)


@pytest.mark.filterwarnings("ignore:.*is deprecated .by Newton")
def test_n_095_actuator_forces_may_be_part_of_the_state(device):
    model = arm(target_ke=30.0, actuator_mode=Mode.POSITION).finalize(device=device)
    model.request_state_attributes("mujoco:qfrc_actuator")
    control = model.control()
    control.joint_target_q.assign([0.5])
    state = step(solver(model), model.state(), control)
    assert_close(state.mujoco.qfrc_actuator.numpy(), [15.0], "force")
    with pytest.raises(StateError, match="'body_colour': cannot be requested"):
        model.request_state_attributes("body_colour")
    with pytest.raises(ModelError, match="'taste': cannot be requested"):
        model.request_contact_attributes("taste")
