"""Rows N-050 to N-071: equality constraints, mimic joints, loops, tendons and pairs."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError, NewtonWarning
from newtonlite.core.mujoco import MjtEq
from newtonlite.solvers.mujoco import (
    TendonWrapSite,
    add_contact_pair,
    add_equality_connect,
    add_equality_joint,
    add_equality_weld,
    add_tendon_fixed,
    add_tendon_spatial,
)
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.engine_scenes import X, Y, Z, builder, pose, turned
from tests.harness.newton_scenes import arm, solver, step
from tests.tolerance import assert_close

pytestmark = pytest.mark.filterwarnings("ignore:add_constraint_mimic")


def two_arms(gravity=(0, 0, -9.81), **joint):
    """Two links side by side, each on a hinge about y at the world."""
    b = builder(gravity=gravity)
    for k in range(2):
        link = b.add_link(label=f"link{k}")
        b.add_shape_box(link, xform=pose(0, 0, -0.2), hx=0.05, hy=0.05, hz=0.2, cfg=b.ShapeConfig(collision_group=0))
        frame = {"parent_xform": pose(0, 0.3 * k, 0), **joint}
        b.add_articulation([b.add_joint_revolute(-1, link, axis=Y, label=f"hinge{k}", **frame)])
    return b


def chain(add: str, device, **joint):
    """Two links on a revolute chain whose end a joint of another type ties to the world, at rest where it fits."""
    b = builder(gravity=(0.0, 0.0, -1.0))
    links = [b.add_link(label=f"link{k}") for k in range(2)]
    for link in links:
        b.add_shape_box(link, xform=pose(0.25, 0, 0), hx=0.25, hy=0.05, hz=0.05, cfg=b.ShapeConfig(collision_group=0))
    tree = [b.add_joint_ball(-1, links[0]), b.add_joint_ball(links[0], links[1], parent_xform=pose(0.5, 0, 0))]
    b.add_articulation(tree)
    frames = {"parent_xform": pose(1.0, 0, 0), "child_xform": pose(0.5, 0, 0), "label": "closer"} | joint
    getattr(b, add)(-1, links[1], **frames)
    return b


def test_n_050_connect_holds_a_point(device):
    b = builder()
    body = b.add_body()
    b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    add_equality_connect(b, body, anchor=(0.1, 0.0, 0.0))
    s = solver(b.finalize(device=device))
    assert s.mj_model.eq_type.tolist() == [MjtEq.CONNECT]
    assert_close(s.mj_model.eq_data[0, :3], [0.1, 0.0, 0.0], "authored", floor=1.0)
    after = step(s, s.model.state(), steps=200)
    q = after.body_q.numpy()[0]
    assert_close([q[:3] + turned(q[3:], [0.1, 0.0, 0.0])], [[0.1, 0.0, 0.0]], "contact_rest", floor=1.0)
    assert q[2] < -0.01  # it swings about the point


def test_n_051_weld_holds_a_pose_with_its_torque_scale(device):
    b = builder()
    body = b.add_body(xform=pose(0, 0, 1))
    b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    add_equality_weld(b, body, torquescale=0.7)
    s = solver(b.finalize(device=device))
    assert s.mj_model.eq_type.tolist() == [MjtEq.WELD]
    assert_close(s.mj_model.eq_data[0, 10:11], [0.7], "authored")
    after = step(s, s.model.state(), steps=300)
    assert_close(after.body_q.numpy()[0], [0, 0, 1, 0, 0, 0, 1], "contact_rest", floor=1.0)


def test_n_052_joint_follows_a_polynomial(device):
    b = two_arms(gravity=(0, 0, 0))
    add_equality_joint(b, 1, 0, polycoef=(0.1, 0.5, 0.2))
    model = b.finalize(device=device)
    s, control = solver(model), model.control()
    assert s.mj_model.eq_type.tolist() == [MjtEq.JOINT]
    assert_close(s.mj_model.eq_data[0, :5], [0.1, 0.5, 0.2, 0.0, 0.0], "authored")
    control.joint_f.assign([0.05, 0.0])
    q = step(s, model.state(), control, steps=300).joint_q.numpy()
    assert abs(q[0]) > 0.01
    assert_close(q[1:], [0.1 + 0.5 * q[0] + 0.2 * q[0] ** 2], "limit", floor=1.0)


@pytest.mark.parametrize("how", ["add_constraint_mimic", "set_joint_mimic"])
def test_n_053_a_mimic_is_a_joint_constraint(device, how):
    b = two_arms(gravity=(0, 0, 0))
    if how == "add_constraint_mimic":
        b.add_constraint_mimic(1, 0, coef0=0.1, coef1=-2.0, label="geared")
    else:
        b.set_joint_mimic(1, 0, coeffs=(0.1, -2.0))
    model = b.finalize(device=device, skip_validation_joints=how == "set_joint_mimic")  # two articulations
    s, control = solver(model), model.control()
    assert s.mj_model.eq_type.tolist() == [MjtEq.JOINT]
    control.joint_f.assign([0.05, 0.0])
    q = step(s, model.state(), control, steps=200).joint_q.numpy()
    assert_close(q[1:], [0.1 - 2.0 * q[0]], "limit", floor=1.0)


def test_n_052_a_dof_of_another_joint_is_refused(device):
    b = builder()
    b.add_mjcf(
        '<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body><body><joint name="b"/><geom size=".1"/></body>'
        '</worldbody><equality><joint joint1="a" joint2="b"/></equality></mujoco>',
        convert_mjc_equality_constraints=False,
    )
    b.custom_attributes["mujoco:equality_constraint_joint1_dof"].values[0] = 1
    with pytest.raises(ModelError, match="joint1_dof 1 does not belong to joint 'a'|does not belong to joint"):
        solver(b.finalize(device=device))


def test_n_053_only_single_axes_can_mimic(device):
    b = builder()
    for _ in range(2):
        link = b.add_link()
        b.add_shape_sphere(link, radius=0.1)
        b.add_articulation([b.add_joint_ball(-1, link)])
    b.add_constraint_mimic(0, 1, label="balls")
    with pytest.warns(NewtonWarning, match="balls"):
        assert compile_model(b.finalize(device=device)).neq == 0


def test_n_054_constraints_are_authored_by_custom_values_and_read_back(device):
    b = two_arms()
    kind, point = "mujoco:equality_constraint_type", "mujoco:equality_constraint_anchor"
    row = b.add_custom_values(
        **{kind: newton.EqType.CONNECT, point: (0.1, 0.2, 0.3), "mujoco:equality_constraint_body1": 0}
    )
    assert row[kind] == 0
    model = b.finalize(device=device)
    assert model.mujoco.equality_constraint_count == 1
    assert_close(model.mujoco.equality_constraint_anchor.numpy(), [[0.1, 0.2, 0.3]], "authored")
    assert_close(compile_model(model).eq_data[0, :3], [0.1, 0.2, 0.3], "authored")


def test_n_060_fixed_closes_all_six(device):
    m = compile_model(chain("add_joint_fixed", device).finalize(device=device))
    assert (m.eq_type.tolist(), m.nv) == ([MjtEq.WELD], 6)


def test_n_061_revolute_leaves_the_turn_about_its_axis(device):
    """Links in a row whose end turns about x alone: gravity cannot bend the row, a torque about x turns it."""
    model = chain("add_joint_revolute", device, axis=X).finalize(device=device)
    s, control = solver(model), model.control()
    assert s.mj_model.eq_type.tolist() == [MjtEq.CONNECT, MjtEq.CONNECT]
    force = np.zeros(model.joint_dof_count, np.float32)
    force[3] = 0.01
    control.joint_f.assign(force)
    after = step(s, model.state(), control, steps=200)
    q = after.body_q.numpy()[1]
    assert_close([q[:3] + turned(q[3:], [0.5, 0, 0])], [[1.0, 0.0, 0.0]], "contact_rest", floor=1.0)
    assert_close([turned(q[3:], [1.0, 0, 0])], [[1.0, 0.0, 0.0]], "limit", floor=1.0)
    assert abs(q[3]) > 0.02


def test_n_061_the_points_of_a_hinge_lie_on_both_sides_of_it(device):
    """A body that hangs on a closing hinge above its centre of mass is pulled straight down: it does not turn."""
    b = builder(gravity=(0.0, 0.0, -9.81))
    carrier, hung = b.add_link(label="carrier"), b.add_link(xform=pose(0, 0, -0.5), label="hung")
    for link in (carrier, hung):
        b.add_shape_box(link, hx=0.1, hy=0.1, hz=0.1, cfg=b.ShapeConfig(collision_group=0))
    b.add_articulation([b.add_joint_revolute(-1, carrier, axis=Y)])
    b.add_articulation([b.add_joint_free(hung)])
    b.add_joint_revolute(carrier, hung, axis=Y, parent_xform=pose(0, 0, -0.4), child_xform=pose(0, 0, 0.1))
    model = b.finalize(device=device)
    points = solver(model).mj_model.eq_data[:, :6]
    assert_close(points, [[0, -0.05, -0.4, 0, -0.05, 0.1], [0, 0.05, -0.4, 0, 0.05, 0.1]], "authored", floor=1.0)
    turn = step(solver(model), model.state(), steps=20).body_q.numpy()[1, 3:6]
    assert_close([turn], [[0.0, 0.0, 0.0]], "kinematics", floor=1.0)


def test_n_062_ball_holds_the_point_alone(device):
    """The end of the row stays where it is, while the row turns about the line of its ends."""
    model = chain("add_joint_ball", device).finalize(device=device)
    s = solver(model)
    assert s.mj_model.eq_type.tolist() == [MjtEq.CONNECT]
    after = step(s, model.state(), steps=200)
    q = after.body_q.numpy()[1]
    assert_close([q[:3] + turned(q[3:], [0.5, 0, 0])], [[1.0, 0.0, 0.0]], "contact_rest", floor=1.0)


@pytest.mark.parametrize("add", ["add_joint_prismatic", "add_joint_distance"])
def test_n_063_other_types_warn_and_stay_open(device, add):
    model = chain(add, device).finalize(device=device)
    with pytest.warns(NewtonWarning, match="'closer': a [A-Z]+ joint cannot close a loop; the loop stays open"):
        assert compile_model(model).neq == 0


def test_n_064_d6_by_its_angular_axes(device):
    axis = newton.ModelBuilder.JointDofConfig
    one = chain("add_joint_d6", device, angular_axes=[axis(axis=X)])
    three = chain("add_joint_d6", device, angular_axes=[axis(axis=a) for a in (X, Y, Z)])
    two = chain("add_joint_d6", device, angular_axes=[axis(axis=X), axis(axis=Y)])
    assert compile_model(one.finalize(device=device)).eq_type.tolist() == [MjtEq.CONNECT, MjtEq.CONNECT]
    assert compile_model(three.finalize(device=device)).eq_type.tolist() == [MjtEq.CONNECT]
    with pytest.warns(NewtonWarning, match="the loop stays open"):
        assert compile_model(two.finalize(device=device)).neq == 0


def test_n_065_drives_limits_and_friction_of_a_closing_joint_do_nothing(device):
    plain = chain("add_joint_revolute", device, axis=X).finalize(device=device)
    mode = newton.JointTargetMode.POSITION
    more = {
        "target_ke": 50.0,
        "target_kd": 5.0,
        "actuator_mode": mode,
        "limit_lower": -0.1,
        "limit_upper": 0.1,
        "armature": 3.0,
    }
    said = chain(
        "add_joint_revolute", device, axis=X, friction=2.0, effort_limit=1.0, velocity_limit=1.0, **more
    ).finalize(device=device)
    results = []
    for model in (plain, said):
        control = model.control()
        control.joint_f.fill_(0.0)
        control.joint_f[6:].fill_(7.0)
        control.joint_target_q[8:].fill_(1.0)
        results.append(step(solver(model), model.state(), control, steps=50).body_q.numpy())
    assert_close(results[1], results[0], "same")


def test_n_066_a_closing_joint_has_no_coordinates_in_the_engine(device):
    """Its joint_q and joint_qd are in Newton's arrays, before those of a later joint, and stay as they are."""
    b = chain("add_joint_revolute", device, axis=X)
    arm(b)
    model = b.finalize(device=device)
    s, state = solver(model), model.state()
    assert (s.mj_model.nq, s.mj_model.nv) == (9, 7)
    assert (model.joint_coord_count, model.joint_dof_count) == (10, 8)
    q = state.joint_q.numpy()
    q[8], q[9] = 0.4, 0.3
    state.joint_q.assign(q)
    first, second = model.state(), model.state()
    first.assign(state)
    second.assign(state)
    s.step(first, second, None, None, 0.002)
    assert second.joint_q.numpy()[8] == np.float32(0.4)
    assert abs(second.joint_q.numpy()[9] - 0.3) < 0.01 and second.joint_q.numpy()[9] != np.float32(0.3)


def test_n_070_tendons_fixed_and_spatial(device):
    b = two_arms()
    sites = [b.add_site(k, xform=pose(0, 0, -0.4), label=f"tip{k}") for k in range(2)]
    add_tendon_fixed(b, [(0, 1.0), (1, -2.0)], label="differential", stiffness=3.0)
    add_tendon_spatial(b, [TendonWrapSite(sites[0]), TendonWrapSite(sites[1])], label="string", limit_range=(0.0, 0.5))
    m = compile_model(b.finalize(device=device))
    assert (m.ntendon, m.names_tendon, m.tendon_limited.tolist()) == (2, ["differential", "string"], [0, 1])
    assert_close(m.tendon_length0, [0.0, 0.3], "authored", floor=1.0)


def test_n_070_a_degenerate_tendon_warns_and_is_skipped(device):
    b = two_arms()
    site = b.add_site(0, label="tip")
    add_tendon_spatial(b, [TendonWrapSite(site)], label="stub")
    with pytest.warns(NewtonWarning, match="stub"):
        assert compile_model(b.finalize(device=device)).ntendon == 0


def test_n_071_pairs_overrule_groups_and_bring_their_parameters(device):
    b = builder()
    b.add_ground_plane(cfg=b.ShapeConfig(collision_group=0))
    body = b.add_body(xform=pose(0, 0, 0.0999))
    b.add_shape_sphere(body, radius=0.1, cfg=b.ShapeConfig(collision_group=0))
    add_contact_pair(b, 0, 1, condim=1, solref=(0.03, 0.9), margin=0.01)
    model = b.finalize(device=device)
    s = solver(model)
    step(s, model.state())
    assert s.mjw_data.ncon.numpy().tolist() == [1] and s.mjw_data.contact_dim.numpy()[0, 0] == 1
    assert_close(s.mjw_data.contact_solref.numpy()[:, 0], [[0.03, 0.9]], "authored")
    with pytest.raises(ModelError, match="add_contact_pair: shape 9 does not exist"):
        add_contact_pair(b, 0, 9)
