"""Drives that ask for accelerations: their gains times the inertia that the axis feels at the start."""

from collections import defaultdict

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.importers.usd.motion import step
from newtonlite.importers.usd.spec import Dof, UsdBody, UsdJoint, UsdSpec, UsdTree
from newtonlite.math.transform import IDENTITY, apply, multiply, quat_rotate, quat_to_matrix


def scale_accelerations(spec: UsdSpec) -> None:
    """Multiply the gains of acceleration drives by ``1 / (M^-1)_ii``, the inertia that a force on axis i feels."""
    for tree in spec.trees:
        asked = [dof for joint in tree.joints for dof in joint.dofs if dof.acceleration]
        if not asked:
            continue
        dofs, columns = jacobians(tree)
        feel = responses(tree, columns, len(dofs))
        for k, dof in enumerate(dofs):
            if dof is not None and dof.acceleration:
                dof.settings["target_ke"] *= feel[k]
                dof.settings["target_kd"] *= feel[k]
                spec.report.convert(
                    dof.prim,
                    f"its drive asks for accelerations; gains are times the inertia it feels at the start, {feel[k]:.6g}",
                )


def jacobians(tree: UsdTree) -> tuple[list[Dof | None], dict[int, list[tuple[int, np.ndarray, np.ndarray]]]]:
    """The axes of a tree (None: of its free base), and for each body those that move it: (axis, point and velocity,
    angular velocity).
    """
    dofs: list[Dof | None] = []
    moved: dict[int, list] = defaultdict(list)
    if tree.base is not None and tree.base.kind is JointType.FREE:
        at = tree.root.pose[:3]
        for k in range(6):
            unit = np.eye(3)[k % 3]
            moved[id(tree.root)].append((k, at, unit if k < 3 else np.zeros(3), unit if k >= 3 else np.zeros(3)))
        dofs += [None] * 6
    for joint in tree.joints:
        inherited = list(moved[id(joint.parent)]) if joint.parent is not None else []
        moved[id(joint.child)] = inherited + axes_of(joint, dofs)
    return dofs, moved


def axes_of(joint: UsdJoint, dofs: list[Dof | None]) -> list:
    """The axes of one joint in the world, numbered on."""
    frame = joint.X_p if joint.parent is None else multiply(joint.parent.pose, joint.X_p)
    found, motion = [], IDENTITY
    for dof in joint.dofs:
        here = multiply(frame, motion)
        axis = quat_rotate(here[3:], dof.axis)
        found.append((len(dofs), here[:3], np.zeros(3) if dof.turns else axis, axis if dof.turns else np.zeros(3)))
        dofs.append(dof)
        motion = multiply(motion, step(dof)) if dof.position and joint.kind is not JointType.BALL else motion
    return found


def responses(tree: UsdTree, moved: dict, count: int) -> np.ndarray:
    """``1 / (M^-1)_ii`` of all axes; the armature counts."""
    M = np.zeros((count, count))
    for body in tree.bodies:
        linear, angular = np.zeros((3, count)), np.zeros((3, count))
        com, inertia = in_world(body)
        for k, point, velocity, spin in moved[id(body)]:
            linear[:, k] += velocity + np.cross(spin, com - point)
            angular[:, k] += spin
        M += body.mass * linear.T @ linear + angular.T @ inertia @ angular
    k = count - sum(len(joint.dofs) for joint in tree.joints)
    for joint in tree.joints:
        for dof in joint.dofs:
            M[k, k] += dof.settings["armature"]
            k += 1
    return 1.0 / np.maximum(np.diag(np.linalg.pinv(M)), 1e-30)


def in_world(body: UsdBody) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass and inertia of a body along the world's axes."""
    turn = quat_to_matrix(body.pose[3:])
    return apply(body.pose, body.com), turn @ body.inertia @ turn.T
