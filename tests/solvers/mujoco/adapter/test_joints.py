"""Rows N-001 to N-009: Newton's joints as MuJoCo's."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.enums import JointTargetMode as Mode
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtJoint
from newtonlite.solvers import SolverBase, SolverMuJoCo
from tests.harness.engine_scenes import TILT, X, Y, Z, builder, pose, random_state, run, turned
from tests.tolerance import assert_close, assert_same


def link(b, **settings) -> int:
    """A link with a box."""
    body = b.add_link(**settings)
    b.add_shape_box(body, hx=0.1, hy=0.2, hz=0.15)
    return body


def single(add: str, device, *args, **settings):
    """Solver of one link on one joint of a type."""
    b = builder()
    body = link(b, label="part")
    b.add_articulation([getattr(b, add)(-1, body, *args, label="joint", **settings)])
    return SolverMuJoCo(b.finalize(device=device))


def test_n_001_the_solver_stands_behind_the_standard_interface(device):
    solver = single("add_joint_revolute", device, axis=Y)
    assert isinstance(solver, SolverBase) and newton.solvers.SolverMuJoCo is SolverMuJoCo
    for name in ("step", "reset", "notify_model_changed", "update_contacts", "observables", "get_max_contact_count"):
        assert callable(getattr(solver, name)), name
    m, d = solver.mj_model, solver.mjw_data
    for name in ("qpos0", "body_mass", "jnt_range", "geom_size", "dof_armature", "actuator_gainprm", "opt"):
        assert hasattr(m, name), name
    assert d.qpos.shape == (1, m.nq) and d.ctrl.shape == (1, m.nu) and d.mocap_pos.shape == (1, m.nmocap)


def test_n_002_a_free_joint_starts_at_body_q(device):
    b = builder()
    body = b.add_body(xform=pose(1, 2, 3, TILT))
    b.add_shape_box(body, hx=0.1, hy=0.2, hz=0.15)
    solver = SolverMuJoCo(b.finalize(device=device))
    m = solver.mj_model
    assert (m.jnt_type.tolist(), m.nq, m.nv) == ([MjtJoint.FREE], 7, 6)
    assert_close(m.qpos0[None], [[1, 2, 3, TILT[3], TILT[0], TILT[1], TILT[2]]], "authored")


def test_n_002_quaternions_and_velocity_frames_are_converted(device):
    """Newton: xyzw and the velocity of the centre of mass; MuJoCo: wxyz, that of the origin, angular in the body's
    frame.
    """
    b = builder(gravity=(0, 0, 0))
    body = b.add_body(xform=pose(1, 2, 3, TILT))
    b.add_shape_box(body, xform=pose(0.3, 0.1, -0.2), hx=0.1, hy=0.2, hz=0.15)
    model = b.finalize(device=device)
    solver, state = SolverMuJoCo(model, integrator="euler"), model.state()
    v, omega = np.array([0.1, -0.2, 0.3]), np.array([1.0, 2.0, -1.0])
    state.joint_qd.assign([*v, *omega])
    dt = 1e-6
    run(solver, state, dt=dt)
    qpos, qvel = solver.mjw_data.qpos.numpy()[0], solver.mjw_data.qvel.numpy()[0, :6]
    q = np.array(TILT)
    assert_close(qpos[None, 3:], [q[[3, 0, 1, 2]]], "kinematics")
    arm = turned(q, model.body_com.numpy()[0])
    assert_close(qvel[None, :3], [v - np.cross(omega, arm)], "velocity")
    assert_close(qvel[None, 3:], [turned(q * [-1, -1, -1, 1], omega)], "velocity")


def test_n_003_a_ball_joint_has_four_coordinates_and_an_actuator_per_axis(device):
    b = builder()
    b.add_articulation([b.add_joint_ball(-1, link(b), actuator_mode=Mode.POSITION)])
    model = b.finalize(device=device)
    model.joint_target_ke.assign([1.0, 2.0, 3.0])
    m = SolverMuJoCo(model).mj_model
    assert (m.jnt_type.tolist(), m.nq, m.nv, m.nu) == ([MjtJoint.BALL], 4, 3, 3)
    assert m.actuator_gear.tolist() == np.eye(6)[:3].tolist()
    assert m.actuator_gainprm[:, 0].tolist() == [1.0, 2.0, 3.0]


def test_n_004_a_revolute_joint_is_a_hinge(device):
    m = single("add_joint_revolute", device, axis=(0.0, 3.0, 4.0), child_xform=pose(0.1, 0.2, 0.3)).mj_model
    assert (m.jnt_type.tolist(), m.names_joint) == ([MjtJoint.HINGE], ["joint"])
    assert_close(m.jnt_axis, [[0.0, 0.6, 0.8]], "authored")
    assert_close(m.jnt_pos, [[0.1, 0.2, 0.3]], "authored")


def test_n_005_a_prismatic_joint_is_a_slide(device):
    m = single("add_joint_prismatic", device, axis=Z, limit_lower=-0.5, limit_upper=2.0).mj_model
    assert (m.jnt_type.tolist(), m.jnt_limited.tolist()) == ([MjtJoint.SLIDE], [1])
    assert_close(m.jnt_range, [[-0.5, 2.0]], "authored")


def test_n_006_a_d6_joint_is_slides_then_hinges_with_suffixes(device):
    axis = newton.ModelBuilder.JointDofConfig
    cases = {
        ((X,), ()): ["joint_lin"],
        ((), (Y,)): ["joint_ang"],
        ((X,), (Y,)): ["joint_lin", "joint_ang"],
        ((X, Y), (Z,)): ["joint_lin0", "joint_lin1", "joint_ang"],
        ((X, Y, Z), (X, Y, Z)): [f"joint_{kind}{k}" for kind in ("lin", "ang") for k in range(3)],
    }
    for (linear, angular), names in cases.items():
        axes = {"linear_axes": [axis(axis=a) for a in linear], "angular_axes": [axis(axis=a) for a in angular]}
        m = single("add_joint_d6", device, **axes).mj_model
        assert m.names_joint == names
        assert m.jnt_type.tolist() == [MjtJoint.SLIDE] * len(linear) + [MjtJoint.HINGE] * len(angular)
        assert_close(m.jnt_axis, np.array(linear + angular), "authored")
        assert m.newton_dof.tolist() == list(range(m.nv))


def test_n_007_a_fixed_joint_nests_its_child_and_at_the_world_makes_a_mocap_body(device):
    b = builder()
    base, part = link(b, label="base"), link(b, label="part")
    joints = [
        b.add_joint_fixed(-1, base, parent_xform=pose(1, 2, 3)),
        b.add_joint_fixed(base, part, parent_xform=pose(0, 0, 1)),
    ]
    b.add_articulation(joints)
    solver = SolverMuJoCo(b.finalize(device=device))
    m = solver.mj_model
    assert (m.njnt, m.body_parentid.tolist(), m.body_mocapid.tolist()) == (0, [0, 0, 1], [-1, 0, -1])
    assert_close(solver.mjw_data.mocap_pos.numpy()[0], [[1, 2, 3]], "kinematics")
    after = run(solver, solver.model.state())
    assert_close(after.body_q.numpy()[:, :3], [[1, 2, 3], [1, 2, 4]], "kinematics")


def test_n_008_a_distance_joint_floats_without_its_constraint(device):
    b = builder()
    body = link(b, xform=pose(0, 0, 1))
    b.add_articulation([b.add_joint_distance(-1, body, min_distance=0.0, max_distance=0.1)])
    solver = SolverMuJoCo(b.finalize(device=device))
    assert solver.mj_model.jnt_type.tolist() == [MjtJoint.FREE]
    after = run(solver, solver.model.state(), steps=100, dt=0.01)
    assert after.body_q.numpy()[0, 2] < -3.0  # it falls as if nothing held it


def test_n_009_a_cable_joint_is_not_forwarded(device):
    b = builder()
    body = link(b)
    with pytest.raises(ModelError, match="elastic rods are not supported"):
        b.add_joint_rod(-1, body)
    b.add_articulation([b.add_joint_free(body)])
    model = b.finalize(device=device)
    model.joint_type.assign([newton.JointType.ROD])
    with pytest.raises(ModelError, match="SolverMuJoCo has no ROD joint"):
        SolverMuJoCo(model)


@pytest.mark.parametrize("frame", [wp.quat_identity(), TILT], ids=["straight", "turned"])
def test_n_006_a_d6_joint_moves_as_its_chain_of_axes(device, frame):
    """One step at rest: body poses are those of Newton's own forward kinematics."""
    axis = newton.ModelBuilder.JointDofConfig
    b = builder(gravity=(0, 0, 0))
    body = link(b)
    frames = {"parent_xform": pose(0.1, 0.2, 0.3, frame), "child_xform": pose(0.3, -0.1, 0.2, frame)}
    axes = {"linear_axes": [axis(axis=X), axis(axis=Z)], "angular_axes": [axis(axis=a) for a in (Z, X, Y)]}
    b.add_articulation([b.add_joint_d6(-1, body, **axes, **frames)])
    model = b.finalize(device=device)
    state, fk = random_state(model, speed=0.0), model.state()
    newton.eval_fk(model, state.joint_q, state.joint_qd, fk)
    after = run(SolverMuJoCo(model, disable_contacts=True), state)
    got, want = after.body_q.numpy(), fk.body_q.numpy()
    assert_close(got[:, :3], want[:, :3], "kinematics")
    assert_close(np.abs((got[:, 3:] * want[:, 3:]).sum(1)), [1.0], "kinematics")
    assert_same(after.joint_qd.numpy(), np.zeros(5, np.float32))
