"""Enumerations have the numbers that scripts and files rely on."""

import pytest

from newtonlite.core.enums import GeoType, JointTargetMode, JointType, ModelFlags, ShapeFlags, StateFlags


def test_joint_types_have_their_numbers():
    assert [kind.name for kind in sorted(JointType)] == [
        "PRISMATIC",
        "REVOLUTE",
        "BALL",
        "FIXED",
        "FREE",
        "DISTANCE",
        "D6",
        "ROD",
    ]


def test_shape_types_have_their_numbers():
    names = "NONE PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH CONE CONVEX_MESH GAUSSIAN"
    assert [kind.name for kind in sorted(GeoType)] == names.split()


@pytest.mark.parametrize(
    ("kind", "axes", "dofs", "coords", "constraints"),
    [
        (JointType.PRISMATIC, 1, 1, 1, 5),
        (JointType.REVOLUTE, 1, 1, 1, 5),
        (JointType.BALL, 3, 3, 4, 3),
        (JointType.FIXED, 0, 0, 0, 6),
        (JointType.FREE, 6, 6, 7, 0),
        (JointType.DISTANCE, 6, 6, 7, 0),
        (JointType.D6, 4, 4, 4, 2),
    ],
)
def test_a_joint_type_knows_its_counts(kind, axes, dofs, coords, constraints):
    assert kind.dof_count(axes) == (dofs, coords)
    assert kind.constraint_count(axes) == constraints


@pytest.mark.parametrize("flags", [ModelFlags, ShapeFlags])
def test_every_flag_is_a_bit_of_its_own(flags):
    single = [flag for flag in flags if flag.name != "ALL"]
    assert all(flag.bit_count() == 1 for flag in single)
    assert len({int(flag) for flag in single}) == len(single)


def test_all_state_flags_together_are_all():
    assert StateFlags.ALL == StateFlags.JOINT | StateFlags.BODY | StateFlags.PARTICLE | StateFlags.FORCE == 511


@pytest.mark.parametrize(
    ("ke", "kd", "force", "drive", "mode"),
    [
        (0, 0, False, False, "NONE"),
        (0, 0, False, True, "EFFORT"),
        (1, 1, False, False, "NONE"),
        (0, 1, False, True, "VELOCITY"),
        (0, 1, True, True, "VELOCITY"),
        (1, 0, True, True, "POSITION"),
        (1, 1, False, True, "POSITION"),
        (1, 1, True, True, "POSITION_VELOCITY"),
    ],
)
def test_gains_imply_what_a_drive_follows(ke, kd, force, drive, mode):
    assert JointTargetMode.from_gains(ke, kd, force, drive).name == mode


def test_a_geometry_is_said_by_sizes_or_by_data():
    data = {GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD}
    assert {kind for kind in GeoType if kind.is_explicit} == data
    assert {kind for kind in GeoType if kind.is_primitive} == set(GeoType) - data - {GeoType.NONE, GeoType.GAUSSIAN}
