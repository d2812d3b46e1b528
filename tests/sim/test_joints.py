"""Joints, articulations, and joints that follow others."""

import numpy as np
import pytest

from newtonlite import MAXVAL, JointTargetMode, JointType, ModelBuilder, ModelError, NewtonWarning
from tests.harness.sim_scenes import Axis, arm, every_joint, pose
from tests.tolerance import assert_close


def two_links() -> ModelBuilder:
    builder = ModelBuilder()
    builder.add_link()
    builder.add_link()
    return builder


def test_coordinates_velocities_and_constraints_are_counted_by_type():
    builder = every_joint()
    assert builder.joint_q_start == [0, 7, 8, 9, 13, 16, 18, 22, 22]
    assert builder.joint_qd_start == [0, 6, 7, 8, 11, 14, 16, 20, 20]
    assert builder.joint_cts_start == [0, 0, 5, 10, 13, 16, 20, 22, 28]
    assert (builder.joint_coord_count, builder.joint_dof_count, builder.joint_constraint_count) == (29, 26, 28)
    assert builder.joint_dof_dim == [(3, 3), (0, 1), (1, 0), (0, 3), (2, 1), (0, 2), (1, 3), (0, 0), (3, 3)]


def test_axes_are_made_unit():
    builder = two_links()
    builder.add_joint_revolute(0, 1, axis=(0, 3, 4))
    builder.add_joint_prismatic(-1, 0, axis="z")
    assert_close(np.array(builder.joint_axis), [[0, 0.6, 0.8], [0, 0, 1]], "parameter")


def test_an_axis_takes_its_settings_from_the_call_then_the_defaults():
    builder = two_links()
    builder.default_joint_cfg.armature = 0.3
    builder.default_joint_cfg.limit_ke = 7.0
    builder.add_joint_revolute(0, 1, limit_ke=9.0, target_ke=2.0, target_kd=1.0, damping=0.1, stiffness=0.2, rest_q=0.4)
    assert builder.joint_armature == [0.3] and builder.joint_limit_ke == [9.0] and builder.joint_limit_kd == [10.0]
    assert builder.joint_target_ke == [2.0] and builder.joint_target_mode == [JointTargetMode.POSITION]
    assert builder.joint_damping == [0.1] and builder.joint_stiffness == [0.2] and builder.joint_rest_q == [0.4]


def test_a_config_says_everything_about_its_axis():
    builder = two_links()
    builder.default_joint_cfg.armature = 0.3
    builder.add_joint_revolute(0, 1, axis=Axis(axis="z", limit_lower=-0.5), limit_lower=-1.0)
    assert builder.joint_limit_lower == [-0.5] and builder.joint_armature == [0.0]


@pytest.mark.parametrize(
    ("lower", "upper", "start"), [(-1, 1, 0.0), (0.5, 1.0, 0.75), (-2.0, -1.0, -1.5), (-np.inf, np.inf, 0.0)]
)
def test_a_target_starts_within_the_limits(lower, upper, start):
    builder = two_links()
    builder.add_joint_prismatic(0, 1, limit_lower=lower, limit_upper=upper)
    assert builder.joint_target_q == [start] and builder.joint_q == [0.0]
    assert max(map(abs, [*builder.joint_limit_lower, *builder.joint_limit_upper])) <= MAXVAL


def test_a_free_joint_starts_at_its_body():
    """X_p q X_c^-1 is the pose of the body."""
    builder = ModelBuilder()
    body = builder.add_link(xform=pose((1, 1, 1), (0, 0, 1), 0.3))
    builder.add_joint_free(body, parent_xform=pose((0, 0.5, 0), (0, 0, 1), np.pi / 2))
    assert_close([builder.joint_q], [pose((0.5, -1, 1), (0, 0, 1), 0.3 - np.pi / 2)], "parameter")


def test_a_ball_starts_at_the_identity_without_limits():
    builder = two_links()
    builder.add_joint_ball(0, 1, armature=0.1, friction=0.2, damping=0.3, stiffness=0.4)
    assert builder.joint_q == builder.joint_rest_q == builder.joint_target_q == [0, 0, 0, 1]
    assert builder.joint_armature == [0.1] * 3 and builder.joint_friction == [0.2] * 3
    assert builder.joint_limit_lower == [-MAXVAL] * 3


def test_the_generic_joint_of_a_type_is_the_typed_one():
    typed, generic = two_links(), two_links()
    typed.add_joint_free(1, parent=0)
    generic.add_joint(JointType.FREE, 0, 1)
    for name in typed.columns:
        assert getattr(typed, name) == getattr(generic, name), name


def test_distances_are_limits_of_the_first_axis():
    builder = two_links()
    builder.add_joint_distance(0, 1, min_distance=0.1, max_distance=2.0)
    assert builder.joint_limit_lower[0] == 0.1 and builder.joint_limit_upper == [2.0] + [MAXVAL] * 5


def test_parents_and_children_can_be_asked_for():
    builder = arm()
    assert builder.joint_parents == {0: [(-1, 0)], 1: [(0, 1)]}
    assert builder.joint_children == {-1: [(0, 0)], 0: [(1, 1)]}


def test_an_articulation_is_a_range_of_joints():
    builder = arm()
    builder.add_body()
    assert builder.articulation_start == [0, 2] and builder.articulation_end == [2, 3]
    assert builder.joint_articulation == [0, 0, 1]


@pytest.mark.parametrize(
    ("joints", "problem"),
    [
        ([], "no joints"),
        ([0, 2], "are not contiguous"),
        ([1, 0], "not in monotonically increasing order"),
        ([0, 1, 2], "two joints"),
        ([7], "does not exist"),
    ],
)
def test_joints_that_are_no_tree_make_no_articulation(joints, problem):
    builder = ModelBuilder()
    a, b, c, d = (builder.add_link() for _ in range(4))
    builder.add_joint_revolute(-1, a)
    builder.add_joint_revolute(a, b)
    builder.add_joint_ball(-1, b)
    builder.add_joint_revolute(d, c)
    builder.add_joint_revolute(-1, d)
    with pytest.raises(ModelError, match=problem):
        builder.add_articulation(joints)
    assert builder.articulation_count == 0 and set(builder.joint_articulation) == {-1}
    with pytest.warns(NewtonWarning, match="joint 3 comes before the joint of its parent"):
        builder.add_articulation([3, 4])


def test_a_joint_is_in_one_articulation():
    builder = arm()
    with pytest.raises(ModelError, match="already belongs to articulation 0"):
        builder.add_articulation([1])


def test_a_loop_joint_stays_outside():
    builder = arm()
    loop = builder.add_joint_ball(-1, 1)
    model = builder.finalize("cpu")
    assert builder.joint_articulation[loop] == -1
    assert model.joint_ancestor.numpy().tolist() == [-1, 0, -1]


def test_joints_follow_others():
    builder = arm()
    body = builder.add_link()
    joint = builder.add_joint_revolute(0, body)
    builder.set_joint_mimic(joint, 1, coeffs=(0.5, -2.0))
    with pytest.warns(DeprecationWarning, match="set_joint_mimic"):
        row = builder.add_constraint_mimic(joint, 1, coef0=0.5, coef1=-2.0)
    assert builder.joint_mimic_joint == [-1, -1, 1] and builder.joint_mimic_coeffs[joint] == (0.5, -2.0)
    assert row == 0 and builder.constraint_mimic_coef1 == [-2.0]
    builder.set_joint_mimic(joint, None)
    assert builder.joint_mimic_joint == [-1, -1, -1]


@pytest.mark.parametrize(("joint", "reference"), [(1, 1), (1, 0), (9, 0), (1, 9)])
def test_a_joint_cannot_follow_just_anything(joint, reference):
    builder = arm()
    with pytest.raises(ModelError, match="set_joint_mimic"):
        builder.set_joint_mimic(joint, reference)
    assert builder.joint_mimic_joint == [-1, -1]


def test_order_from_the_root_can_be_asked_for():
    builder = arm()
    assert builder.validate_joint_ordering()
    late, early = builder.add_link(), builder.add_link()
    builder.add_joint_revolute(early, late)
    builder.add_joint_revolute(0, early)
    with pytest.warns(NewtonWarning, match="not in DFS topological order"):
        assert not builder.validate_joint_ordering()
