"""Small scenes that the tests of the scene share."""

import numpy as np

from newtonlite.sim import ModelBuilder

Axis = ModelBuilder.JointDofConfig


def turn(axis, angle: float) -> np.ndarray:
    """A rotation (x, y, z, w)."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.append(axis * np.sin(angle / 2), np.cos(angle / 2))


def pose(p, axis=(0, 0, 1), angle: float = 0.0) -> np.ndarray:
    """A transform [7]."""
    return np.append(np.asarray(p, float), turn(axis, angle))


def arm(mass: float = 1.0) -> ModelBuilder:
    """A floating base with a box, and a hinged arm with a sphere: 2 bodies, 7 velocities, 8 coordinates, 2 shapes."""
    builder = ModelBuilder()
    base = builder.add_link(label="base", mass=mass)
    free = builder.add_joint_free(base, label="root")
    builder.add_shape_box(base, label="trunk")
    upper = builder.add_link(label="upper", mass=mass)
    hinge = builder.add_joint_revolute(base, upper, axis="y", label="hinge", parent_xform=pose((0.5, 0, 0)))
    builder.add_shape_sphere(upper, radius=0.1)
    builder.add_articulation([free, hinge], label="arm")
    return builder


def every_joint() -> ModelBuilder:
    """A chain with a joint of every type, each with its own frames, on bodies with their own centres of mass."""
    builder = ModelBuilder()
    links = [
        builder.add_link(mass=1.0, com=(0.1 * i, 0.05, -0.02), xform=pose((i, 2, 3), (1, 2, 3), 0.2 * i))
        for i in range(9)
    ]

    def frames(i: int) -> dict:
        return {
            "parent_xform": pose((0.1 * i, 0.2, -0.3), (1, i, 2), 0.4 + 0.1 * i),
            "child_xform": pose((0.05, -0.1 * i, 0.2), (i, 1, -1), 0.3),
        }

    joints = [
        builder.add_joint_free(links[0], **frames(1)),
        builder.add_joint_revolute(links[0], links[1], axis=(1.0, 2.0, -1.0), **frames(2)),
        builder.add_joint_prismatic(links[1], links[2], axis=(0.0, 1.0, -1.0), **frames(3)),
        builder.add_joint_ball(links[2], links[3], **frames(1)),
        builder.add_joint_d6(
            links[3], links[4], linear_axes=[Axis(axis="x"), Axis(axis="z")], angular_axes=[Axis(axis="y")], **frames(2)
        ),
        builder.add_joint_d6(links[4], links[5], angular_axes=[Axis(axis="x"), Axis(axis="z")], **frames(3)),
        builder.add_joint_d6(
            links[5],
            links[6],
            linear_axes=[Axis(axis="y")],
            angular_axes=[Axis(axis=a) for a in ("z", "x", "y")],
            **frames(1),
        ),
        builder.add_joint_fixed(links[6], links[7], **frames(2)),
        builder.add_joint_distance(links[7], links[8], **frames(3)),
    ]
    builder.add_articulation(joints)
    return builder
