"""Joints beside others, targets outside limits, and places of planes, as Newton has them."""

import warnings

import numpy as np
import pytest

from newtonlite import JointType, ModelBuilder, NewtonWarning

Dof = ModelBuilder.JointDofConfig


def linked(mass: float = 1.0) -> tuple[ModelBuilder, int, int]:
    """Two links, the second on a hinge of the first."""
    b = ModelBuilder()
    one, two = (b.add_link(mass=mass, label=name) for name in ("one", "two"))
    b.add_joint_revolute(one, two)
    return b, one, two


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "ball", "fixed", "distance", "d6"])
def test_a_second_joint_between_two_bodies_is_warned_of(kind, turned):
    b, one, two = linked()
    ends = (two, one) if turned else (one, two)
    with pytest.warns(NewtonWarning, match="already connects these bodies"):
        getattr(b, f"add_joint_{kind}")(*ends)


def test_joints_to_other_bodies_are_not():
    b, one, two = linked()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        b.add_joint_revolute(two, b.add_link(mass=1.0))
        b.add_joint_fixed(-1, one)


@pytest.mark.parametrize("target, want", [(None, 1.5), (0.0, 1.5), (1.2, 1.2), (5.0, 1.5), (2.0, 2.0)])
def test_targets_outside_the_limits_become_their_middle(target, want):
    assert Dof(limit_lower=1.0, limit_upper=2.0, target_q=target).target_q == want
    b = ModelBuilder()
    b.add_joint_revolute(-1, b.add_link(mass=1.0), limit_lower=1.0, limit_upper=2.0, target_q=target)
    assert list(b.joint_target_q) == [want]


def test_the_target_of_a_distance_lies_between_its_limits():
    b = ModelBuilder()
    b.add_joint_distance(-1, b.add_link(mass=1.0), min_distance=0.5, max_distance=1.0)
    assert b.joint_type[0] == JointType.DISTANCE and b.joint_target_q[0] == 0.75


def test_a_plane_stands_at_its_pose():
    b = ModelBuilder()
    b.add_shape_plane(xform=((1, 2, 3), (0, 0, 0, 1)), width=1.0, length=2.0)
    b.add_shape_plane((0.0, 1.0, 0.0, -2.0), xform=((0, 0, 1), (0, 0, 0, 1)))
    assert np.array(b.shape_transform)[:, :3].tolist() == [[1, 2, 3], [0, 0, 1]]


def test_poses_of_collapsed_bodies_are_transforms():
    b = ModelBuilder()
    one, two = b.add_link(mass=1.0), b.add_link(mass=1.0)
    joints = [b.add_joint_free(one), b.add_joint_fixed(one, two, parent_xform=((1, 0, 0), (0, 0, 0, 1)))]
    b.add_articulation(joints)
    pose = b.collapse_fixed_joints()["body_merged_transform"][1]
    assert list(pose.p) == [1, 0, 0] and list(pose.q) == [0, 0, 0, 1]
