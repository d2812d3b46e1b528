"""Rows N-110 to N-116: kinematic links and fixed roots."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.enums import BodyFlags, ModelFlags
from newtonlite.core.errors import ModelError
from tests.harness.contacts import found_contacts
from tests.harness.engine_scenes import TILT, X, Y, Z, builder, pose, random_state
from tests.harness.newton_scenes import arm, solver, step
from tests.oracle import States, compile_xml, roll
from tests.tolerance import assert_close, assert_same


def pusher(kinematic: bool = True, **joint):
    """A prescribed slide with a box, an arm that hangs from it, and a ball in its way."""
    b = builder(gravity=(0, 0, 0))
    box, link = b.add_link(label="pusher", is_kinematic=kinematic), b.add_link(label="arm")
    b.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    b.add_shape_box(link, xform=pose(0, 0, -0.5), hx=0.05, hy=0.05, hz=0.2)
    joints = [b.add_joint_prismatic(-1, box, axis=X, **joint), b.add_joint_revolute(box, link, axis=Y)]
    b.add_articulation(joints)
    ball = b.add_body(xform=pose(0.25, 0, 0), label="ball")
    b.add_shape_sphere(ball, radius=0.1)
    return b


def test_n_110_only_roots_are_kinematic(device):
    b = builder()
    links = [b.add_link(label="root"), b.add_link(label="tip", is_kinematic=True)]
    for link in links:
        b.add_shape_sphere(link, radius=0.1)
    b.add_articulation([b.add_joint_revolute(-1, links[0]), b.add_joint_revolute(links[0], links[1])])
    with pytest.raises(ModelError, match="body 'tip': only the root of an articulation can be kinematic"):
        solver(b.finalize(device=device))


def test_n_111_the_state_of_a_kinematic_root_passes_through(device):
    model = pusher().finalize(device=device)
    s, state = solver(model), random_state(model)
    after = step(s, state)
    assert_same(after.joint_q.numpy()[:1], state.joint_q.numpy()[:1])
    assert_same(after.joint_qd.numpy()[:1], state.joint_qd.numpy()[:1])
    assert after.joint_q.numpy()[1] != state.joint_q.numpy()[1]  # what hangs from it moves


@pytest.mark.parametrize("add", ["add_joint_ball", "add_joint_d6", "add_joint_free"])
def test_n_111_roots_of_every_type_pass_through_bit_for_bit(device, add):
    b = builder()
    body = b.add_link(is_kinematic=True)
    b.add_shape_box(body, xform=pose(0.1, 0.2, 0.3), hx=0.1, hy=0.1, hz=0.1)
    axis = b.JointDofConfig
    frames = {"parent_xform": pose(0.1, 0.2, 0.3, TILT), "child_xform": pose(0.3, 0, 0, TILT)}
    axes = (
        {"linear_axes": [axis(axis=X)], "angular_axes": [axis(axis=Y), axis(axis=Z)]} if add == "add_joint_d6" else {}
    )
    joint = b.add_joint_free(body) if add == "add_joint_free" else getattr(b, add)(-1, body, **frames, **axes)
    b.add_articulation([joint])
    model = b.finalize(device=device)
    state = random_state(model)
    after = step(solver(model), state, steps=3)
    assert_same(after.joint_q.numpy(), state.joint_q.numpy())
    assert_same(after.joint_qd.numpy(), state.joint_qd.numpy())


def test_n_112_forces_on_kinematic_bodies_are_ignored(device):
    """A force of 1e9 N on a prescribed body and its joint leaves all the scene as it is without."""
    model = pusher().finalize(device=device)
    quiet = step(solver(model), model.state(), model.control(), steps=5)
    state, control = model.state(), model.control()
    force = np.zeros((model.body_count, 6), np.float32)
    force[0] = 1e9
    control.joint_f.assign([1e9] + [0.0] * (model.joint_dof_count - 1))
    s, second = solver(model), model.state()
    for _ in range(5):
        state.body_f.assign(force)
        s.step(state, second, control, None, 0.002)
        state, second = second, state
    for name in ("joint_q", "joint_qd", "body_q"):
        assert_same(getattr(state, name).numpy(), getattr(quiet, name).numpy(), name)


def test_n_113_a_moving_kinematic_body_pushes_others(device):
    model = pusher().finalize(device=device)
    s, state = solver(model), model.state()
    for k in range(60):
        q, qd = state.joint_q.numpy(), state.joint_qd.numpy()
        q[0], qd[0] = 0.001 * k, 0.5
        state.joint_q.assign(q)
        state.joint_qd.assign(qd)
        s.step(state, state, None, None, 0.002)
    assert state.joint_qd.numpy()[2] > 0.3


def test_n_114_a_kinematic_root_is_the_same_joint_with_a_huge_armature(device):
    m = solver(pusher(armature=3.0).finalize(device=device)).mj_model
    assert m.jnt_type.tolist() == [2, 3, 0]
    assert m.dof_armature[0] == 1e10 and m.dof_armature[1] == 0.0
    assert m.stat.meaninertia < 100.0


@pytest.mark.parametrize("kinematic", [True, False])
def test_n_115_a_fixed_root_is_a_mocap_body(device, kinematic):
    b = builder()
    base = b.add_link(label="base", is_kinematic=kinematic)
    b.add_shape_box(base, hx=0.1, hy=0.1, hz=0.1)
    b.add_articulation([b.add_joint_fixed(-1, base, parent_xform=pose(1, 2, 3))])
    s = solver(b.finalize(device=device))
    assert s.mj_model.body_mocapid.tolist() == [-1, 0]
    assert_close(s.mjw_data.mocap_pos.numpy()[0], [[1, 2, 3]], "kinematics")


def test_kinematic_roots_are_held_by_welds_in_saved_files(device, tmp_path):
    """In MuJoCo a saved kinematic hinge stays where it was and a dynamic one falls."""
    b = builder(gravity=(0.0, -10.0, 0.0))
    for kinematic in (True, False):
        body = b.add_link(is_kinematic=kinematic)
        b.add_shape_box(body, xform=pose(1, 0, 0), hx=0.1, hy=0.1, hz=0.1)
        frame = pose(0, 0.5, 1, TILT) if kinematic else None
        b.add_articulation([b.add_joint_revolute(-1, body, parent_xform=frame, axis=(0, 0, 1))])
    solver(b.finalize(device=device), disable_contacts=True, save_to_mjcf=str(tmp_path / "k.xml"))
    model = compile_xml(tmp_path / "k.xml")
    still = np.zeros((1, model.nv))
    last = roll(model, States(model.qpos0[None], still, still, np.zeros((1, 0))), 100).qpos[0]
    assert model.neq == 1 and abs(last[1]) > 0.1
    assert_close(last[:1], [0.0], "contact_rest", floor=1.0)


def test_n_116_shapes_of_the_world_are_static_geoms(device):
    b = arm()
    b.add_shape_box(-1, xform=pose(5, 0, 0), hx=0.1, hy=0.1, hz=0.1)
    m = solver(b.finalize(device=device)).mj_model
    assert m.nmocap == 0 and sorted(m.geom_bodyid.tolist()) == [0, 1]


def test_n_114_a_root_may_become_kinematic_and_dynamic_again(device):
    model = pusher(kinematic=False).finalize(device=device)
    s, control = solver(model), model.control()
    control.joint_f.assign([1.0] + [0.0] * (model.joint_dof_count - 1))
    flags = model.body_flags.numpy()
    moved = []
    for kind in (BodyFlags.DYNAMIC, BodyFlags.KINEMATIC, BodyFlags.DYNAMIC):
        flags[0] = kind
        model.body_flags.assign(flags)
        s.notify_model_changed(ModelFlags.BODY_PROPERTIES)
        moved.append(abs(step(s, model.state(), control, steps=3).joint_qd.numpy()[0]) > 0.0)
    assert moved == [True, False, True]


@pytest.mark.parametrize("other, touches", [("kinematic", False), ("fixed", False), ("ground", False), ("free", True)])
def test_bodies_that_nothing_moves_do_not_touch_each_other(other, touches, device):
    """A kinematic plate in the way of something: contacts are listed where a force moves one of the two, whoever finds
    them."""
    b = builder()
    plate = b.add_body(is_kinematic=True)
    b.add_shape_box(plate, hx=0.5, hy=0.5, hz=0.1)
    body = -1
    if other in ("kinematic", "free"):
        body = b.add_body(xform=pose(0, 0, 0.15), is_kinematic=other == "kinematic")
    elif other == "fixed":
        body = b.add_link(xform=pose(0, 0, 0.15))
        b.add_articulation([b.add_joint_fixed(-1, body, parent_xform=pose(0, 0, 0.15))])
    b.add_shape_box(body, xform=pose(0, 0, 0.15) if body < 0 else pose(), hx=0.1, hy=0.1, hz=0.1)
    model = b.finalize(device=device)
    for own in (True, False):
        s = newton.solvers.SolverMuJoCo(model, use_mujoco_contacts=own)
        state, contacts = model.state(), None if own else found_contacts(model, model.state())
        s.step(state, model.state(), model.control(), contacts, 1e-3)
        assert bool(s.mjw_data.nacon.numpy()[0]) == touches
        assert own or contacts.rigid_contact_count.numpy()[0] > 0


def test_n_115_a_fixed_body_of_no_articulation_is_static(device):
    """What nothing moves and no articulation has is a part of the scene; a kinematic one stays a mocap body."""
    for kinematic, mocap in ((False, -1), (True, 0)):
        b = builder()
        base = b.add_link(label="base", is_kinematic=kinematic)
        b.add_shape_box(base, hx=0.1, hy=0.1, hz=0.1)
        b.add_joint_fixed(-1, base, parent_xform=pose(1, 2, 3))
        model = b.finalize(device=device)
        with pytest.warns(UserWarning, match="standalone world roots"):
            s = solver(model)
        assert s.mj_model.body_mocapid.tolist() == [-1, mocap]
        assert_close(s.mj_model.body_pos[1], [1, 2, 3], "kinematics")
