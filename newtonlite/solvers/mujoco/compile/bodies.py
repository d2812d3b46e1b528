"""Bodies: frames in their parents, masses, principal axes, mocap numbers."""

import numpy as np

from newtonlite.core.enums import BodyFlags, JointType
from newtonlite.core.errors import ModelError

from .rotation import conjugate, from_matrix, matrix, product, rotate, to_wxyz
from .tree import Tree
from .worlds import Worlds


def compile_bodies(m, w: Worlds, tree: Tree) -> None:
    """Fill the body arrays; derived ones come with the topology and the constants."""
    m.nbody = len(tree.body)
    m.set(body_parentid=tree.parent, newton_body=tree.body, newton_carrier=tree.joint, body_mocapid=mocap_numbers(w, tree))
    m.nmocap = int(m.body_mocapid.max()) + 1
    m.names_body = ["world"] + [w.name("body", b) for b in tree.body[1:]]
    body_parameters(m, w, tree)


def body_parameters(m, w: Worlds, tree: Tree) -> None:
    """The real-valued body arrays: [nbody, ...], or [nworld, nbody, ...] where worlds differ."""
    pos, quat = frames_in_parents(w, tree)
    ipos = w.get("body_com")[..., tree.body[1:], :]
    told = w.get_or("mujoco:body_iquat", (0.0,) * 4, "body")[..., tree.body[1:], :]
    inertia, iquat = principal_axes(w.get("body_inertia")[..., tree.body[1:], :, :], told)
    m.set(
        body_pos=with_world(pos, np.zeros(3)),
        body_quat=with_world(quat, np.array([1.0, 0, 0, 0])),
        body_ipos=with_world(ipos, np.zeros(3)),
        body_iquat=with_world(iquat, np.array([1.0, 0, 0, 0])),
        body_mass=with_world(w.get("body_mass")[..., tree.body[1:]], np.zeros(())),
        body_inertia=with_world(inertia, np.zeros(3)),
        body_gravcomp=with_world(w.get_or("mujoco:gravcomp", 0.0, "body")[..., tree.body[1:]], np.zeros(())),
    )
    m.ngravcomp = int((m.body_gravcomp != 0).reshape(-1, m.nbody).any(axis=0).sum())


def with_world(values, world) -> np.ndarray:
    """Put the world body's value in front of the others': axis 0, or 1 where there is a world dimension."""
    axis = values.ndim - world.ndim - 1
    shape = values.shape[:axis] + (1,) + world.shape
    return np.concatenate([np.broadcast_to(world, shape), values], axis=axis)


def frames_in_parents(w: Worlds, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Position and orientation of each body (the world left out) in its parent, its joint at zero.

    ``X_p inv(X_c)``: where the joint's frame in the child lies on that in the parent. A body that floats has none; it
    gets its initial pose.
    """
    joints = tree.joint[1:]
    X_p, X_c = w.get("joint_X_p")[..., joints, :], w.get("joint_X_c")[..., joints, :]
    quat = product(to_wxyz(X_p[..., 3:]), conjugate(to_wxyz(X_c[..., 3:])))
    pos = X_p[..., :3] - rotate(quat, X_c[..., :3])
    floats = np.isin(w.first("joint_type")[joints], (JointType.FREE, JointType.DISTANCE))
    start = w.get("body_q")[..., tree.body[1:], :]
    return np.where(floats[:, None], start[..., :3], pos), np.where(floats[:, None], to_wxyz(start[..., 3:]), quat)


def mocap_numbers(w: Worlds, tree: Tree) -> np.ndarray:
    """Bodies fixed to the world are mocap bodies, numbered in order; -1 otherwise.

    ``mujoco:body_mocap`` decides where it is authored: 1 yes, 0 no (a static part of the scene).
    """
    fixed = w.first("joint_type") == JointType.FIXED
    authored = w.first("mujoco:body_mocap") if w.has("mujoco:body_mocap") else np.full(w.size("body"), -1)
    numbers, n = np.full(len(tree.body), -1), 0
    for b in range(1, len(tree.body)):
        rooted = tree.parent[b] == 0 and fixed[tree.joint[b]]
        if rooted and authored[tree.body[b]] != 0:
            numbers[b], n = n, n + 1
    return numbers


def kinematic_bodies(w: Worlds, tree: Tree) -> np.ndarray:
    """Which MuJoCo bodies are moved by whoever writes the state: bool [nbody]. ModelError for one that is no root."""
    flags = w.first("body_flags")[tree.body[1:]]
    found = np.append(False, (flags & BodyFlags.KINEMATIC) != 0)
    for b in np.flatnonzero(found & (np.array(tree.parent) > 0)):
        name = w.label("body", tree.body[b])
        raise ModelError(f"body '{name}': only the root of an articulation can be kinematic; move it by its joint's drive instead")
    return found


def principal_axes(inertia, told=None) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments [..., 3] and their axes (w, x, y, z) of inertia tensors [..., 3, 3].

    ``told`` [..., 4] are axes to take where they are principal ones; else a diagonal tensor stays as it is.
    """
    inertia = np.asarray(inertia, float)
    moments, quat = own_axes(inertia)
    if told is None:
        return moments, quat
    turn = matrix(told)
    seen = np.swapaxes(turn, -1, -2) @ inertia @ turn
    along = np.diagonal(seen, axis1=-2, axis2=-1)
    off = np.abs(seen - along[..., None] * np.eye(3)).max((-2, -1))
    right = (np.asarray(told).any(-1) & (off <= 1e-6 * np.abs(along).max(-1)))[..., None]
    return np.where(right, along, moments), np.where(right, told, quat)


def own_axes(inertia) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and axes, a diagonal tensor left as it is."""
    moments, axes = np.linalg.eigh(0.5 * (inertia + np.swapaxes(inertia, -1, -2)))
    axes = axes * np.sign(np.linalg.det(axes))[..., None, None]
    diagonal = np.diagonal(inertia, axis1=-2, axis2=-1)
    off = np.abs(inertia - diagonal[..., None] * np.eye(3)).max((-2, -1))
    straight = (off <= 1e-7 * np.abs(diagonal).max(-1))[..., None]
    return np.where(straight, diagonal, moments), np.where(straight, [1.0, 0, 0, 0], from_matrix(axes))
