"""Bodies held together by fixed joints become one, and the scene moves as before."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco import add_equality_connect
from tests.harness.engine_scenes import TILT, TURN, Y, builder, pose
from tests.harness.newton_scenes import solver, step
from tests.tolerance import assert_close


def robot():
    """A floating trunk with a welded box, which carries a welded rod with an arm on a hinge; a post that is fixed to
    the world.
    """
    b = builder()
    trunk, box, rod, arm, post = (
        b.add_link(label=name, xform=pose(0, 0, 1)) for name in ("trunk", "box", "rod", "arm", "post")
    )
    for k, link in enumerate((trunk, box, rod, arm, post)):
        b.add_shape_box(link, xform=pose(0.05 * k, 0, 0.1, TILT), hx=0.1, hy=0.05, hz=0.02 * (k + 1), label=f"shape{k}")
    joints = [
        b.add_joint_free(trunk, label="root"),
        b.add_joint_fixed(trunk, box, parent_xform=pose(0.3, 0, 0, TURN), child_xform=pose(0, 0.1, 0), label="weld0"),
        b.add_joint_fixed(box, rod, parent_xform=pose(0, 0, 0.2), child_xform=pose(0, 0, -0.1, TILT), label="weld1"),
        b.add_joint_revolute(
            rod, arm, axis=Y, parent_xform=pose(0, 0, 0.3), child_xform=pose(0, 0, -0.3), label="hinge"
        ),
    ]
    b.add_articulation(joints, label="robot")
    b.add_articulation([b.add_joint_fixed(-1, post, parent_xform=pose(3, 0, 0), label="anchor")], label="post")
    return b


def test_welded_bodies_are_merged_with_masses_shapes_and_joints(device):
    b = robot()
    mass = sum(b.body_mass[:3])
    report = b.collapse_fixed_joints()
    assert (b.body_label[:], b.joint_label[:], b.articulation_label[:]) == (
        ["trunk", "arm"],
        ["root", "hinge"],
        ["robot"],
    )
    assert report["body_remap"] == {-1: -1, 0: 0, 3: 1} and report["joint_remap"] == {0: 0, 3: 1}
    assert report["body_merged_parent"] == {1: 0, 2: 0, 4: -1}
    parents = {name: merged["parent_body"] for name, merged in report["merged_body_data"].items()}
    assert parents == {"box": "trunk", "rod": "trunk", "post": "world"}
    assert_close(report["merged_body_data"]["post"]["relative_xform"], report["body_merged_transform"][4], "authored")
    assert b.shape_body[:] == [0, 0, 0, 1, -1]
    assert_close([b.body_mass[0]], [mass], "authored")
    assert (b.joint_parent[:], b.joint_child[:]) == ([-1, 0], [0, 1])
    model = b.finalize(device=device)
    assert model.shape_collision_filter_contains(0, 3)
    assert_close(model.shape_transform.numpy()[4, :3], [3.2, 0, 0.1], "authored")


def test_the_merged_scene_moves_as_the_whole_one(device):
    """200 steps from the same start: joint coordinates and the trunk's pose agree."""
    whole, merged = robot(), robot()
    merged.collapse_fixed_joints()
    results = []
    for b in (whole, merged):
        model = b.finalize(device=device)
        state = model.state()
        state.joint_qd.assign([0.1, 0.2, 0.3, 1.0, -0.5, 0.7, 2.0])
        if b is whole:  # speeds of a floating body are those of its own centre of mass
            state.joint_qd.assign(com_speeds(model, merged, state))
        after = step(solver(model, disable_contacts=True), state, steps=200, dt=0.001)
        results.append(after.body_q.numpy()[[0, 3 if b is whole else 1]])
    assert_close(results[1][:, :3], results[0][:, :3], "trajectory", floor=1.0)
    assert_close(np.abs((results[1][:, 3:] * results[0][:, 3:]).sum(1)), np.ones(2), "trajectory")


def com_speeds(model, merged, state):
    """The same motion in terms of the small trunk's centre of mass."""
    qd = state.joint_qd.numpy().copy()
    arm = model.body_com.numpy()[0] - np.array(merged.body_com[0])
    qd[:3] += np.cross(qd[3:6], arm)
    return qd


def test_what_others_refer_to_stays(device):
    b = robot()
    add_equality_connect(b, 2)
    b.collapse_fixed_joints(joints_to_keep=["anchor"])
    assert b.body_label[:] == ["trunk", "rod", "arm", "post"]
    assert_close(b.custom_attributes["mujoco:equality_constraint_body1"].array(1), [1], "same")
    assert solver(b.finalize(device=device)).mj_model.neq == 1


def test_copies_collapse_as_what_they_are_copies_of():
    """A robot collapsed, then copied twice, is two copies, collapsed: labels, masses, filters and all."""
    first = robot()
    first.collapse_fixed_joints()
    one, other = newton.ModelBuilder(), newton.ModelBuilder()
    for b, source in ((one, first), (other, robot())):
        b.add_builder(source, label_prefix="a")
        b.add_builder(source, xform=pose(0, 3, 0), label_prefix="b")
    report = other.collapse_fixed_joints()
    assert report["articulation_remap"] == {0: 0, 2: 1}
    for name in ("body_label", "body_mass", "joint_label", "joint_parent", "joint_child", "shape_body", "shape_label"):
        assert list(getattr(one, name)) == list(getattr(other, name)), name
    for name in ("body_q", "joint_X_p", "shape_transform"):
        assert_close(np.array(getattr(one, name)), np.array(getattr(other, name)), "authored", floor=1.0)
    pairs = lambda b: {tuple(sorted(pair)) for pair in b.shape_collision_filter_pairs}
    assert pairs(one) == pairs(other)


def test_joints_to_keep_exist_and_hold_something():
    with pytest.raises(ModelError, match="no joint 'knee'"):
        robot().collapse_fixed_joints(joints_to_keep=["knee"])
    b = builder()
    one, two = b.add_link(mass=1.0, label="one"), b.add_link(mass=0.0, label="two")
    b.add_articulation([b.add_joint_free(one), b.add_joint_fixed(one, two, label="weld")])
    with pytest.warns(newton.NewtonWarning, match="Skipped joint weld has a child two with zero or negative mass"):
        b.collapse_fixed_joints(joints_to_keep=["weld"])


def test_velocities_stay_those_of_the_centre_of_mass():
    """A spinning body swallows a second one: the common centre of mass moves as the rigid pair did."""
    b = builder()
    one, two = (b.add_link(xform=pose(2.0 * k, 0, 1), mass=1.0, inertia=np.eye(3), label=f"b{k}") for k in range(2))
    joints = [b.add_joint_free(one), b.add_joint_fixed(one, two, parent_xform=pose(2.0, 0, 0))]
    b.add_articulation(joints)
    spin = (0.0, 0.0, 0.0, 0.0, 0.0, 3.0)
    for k in range(6):
        b.joint_qd[k] = spin[k]
    b.body_qd[one] = spin
    b.collapse_fixed_joints()
    assert_close(list(b.body_com[0]), (1, 0, 0), "authored", floor=1.0)
    for speed in (b.body_qd[0], b.joint_qd[:6]):
        assert_close(list(speed), (0, 3, 0, 0, 0, 3), "authored", floor=1.0)
