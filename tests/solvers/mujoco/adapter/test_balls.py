"""Ball joints whose frames are turned in both bodies: rests of springs and velocity targets, against the joint's own
coordinates.
"""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from tests.harness.engine_scenes import builder
from tests.tolerance import assert_close

TURN = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), 0.7)
REST = wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 0.2, 0.0)), 0.5)


@pytest.fixture
def ball(device):
    """A function: the solver and states of a ball joint with these options, turned by ``REST`` at the start."""

    def made(**options):
        b = builder()
        b.gravity = (0, 0, 0)
        link = b.add_link(mass=1.0, inertia=np.diag([0.1, 0.2, 0.3]), lock_inertia=True)
        frame = wp.transform(wp.vec3(0.0), TURN)
        b.add_articulation([b.add_joint_ball(-1, link, parent_xform=frame, child_xform=frame, **options)])
        b.joint_q[:] = b.joint_rest_q[:] = list(REST)
        model = b.finalize(device=device)
        return newton.solvers.SolverMuJoCo(model), model

    return made


def test_a_spring_rests_where_joint_rest_q_says(ball):
    """No torque at the rest, before and after the child's frame turns; and one elsewhere."""
    solver, model = ball(stiffness=3.0)
    for turn in (TURN, wp.quat_identity(), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), -0.4)):
        model.joint_X_c.assign([wp.transform(wp.vec3(0.0), turn)])
        solver.notify_model_changed(newton.ModelFlags.JOINT_PROPERTIES)
        state, out = model.state(), model.state()
        solver.step(state, out, model.control(), None, 1e-3)
        assert_close(out.joint_qd.numpy()[None], np.zeros((1, 3)), "parameter", floor=1.0)
    state.joint_q.assign([0, 0, 0, 1])
    solver.step(state, out, model.control(), None, 1e-3)
    assert np.linalg.norm(out.joint_qd.numpy()) > 1e-3


def test_velocity_targets_are_in_the_parents_frame(ball):
    """A strong damper brings the joint's velocity to its target, whatever frames and pose."""
    solver, model = ball(actuator_mode=newton.JointTargetMode.VELOCITY)
    model.joint_target_kd.fill_(1e4)
    solver.notify_model_changed(newton.ModelFlags.JOINT_DOF_PROPERTIES)
    control, state, out = model.control(), model.state(), model.state()
    target = [0.3, -0.2, 0.5]
    control.joint_target_qd.assign(target)
    for _ in range(20):
        solver.step(state, out, control, None, 1e-3)
        state, out = out, state
    assert_close(state.joint_qd.numpy()[None], np.array([target]), "law")
