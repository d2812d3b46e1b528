"""Joints that close loops, as ties of their two bodies: fixed ones weld, balls share a point, hinges two points of their axis.

Drives, limits, armature and friction of such joints are ignored.
"""

import warnings

import numpy as np

from newtonlite.core.enums import JointType
from newtonlite.core.errors import NewtonWarning
from newtonlite.solvers.mujoco.enums import EQ_CONNECT, EQ_WELD

from .rotation import conjugate, product, rotate, to_wxyz
from .tree import Tree
from .worlds import Worlds

ARM = 0.1
"""Distance [m] of the two points of a hinge's axis."""


def loop_ties(w: Worlds, tree: Tree):
    """(kind, MuJoCo bodies, numbers [..., 12], Newton joint, name) of each tie."""
    body = tree.mujoco_body()
    parent, child = w.local("body", w.first("joint_parent")), w.local("body", w.first("joint_child"))
    for j in tree.loops:
        ends = int(body[parent[j]]), int(body[child[j]])
        X_p, X_c = w.get("joint_X_p")[..., j, :], w.get("joint_X_c")[..., j, :]
        name = w.label("joint", j)
        kind = meaning(w, j)
        if kind == JointType.FIXED:
            yield EQ_WELD, ends, weld_numbers(X_p, X_c), j, name
        elif kind in (JointType.BALL, JointType.REVOLUTE):
            yield EQ_CONNECT, ends, connect_numbers(X_p, X_c, np.zeros(3)), j, name
            if kind == JointType.REVOLUTE:
                yield EQ_CONNECT, ends, connect_numbers(X_p, X_c, ARM * hinge_axis(w, j)), j, ""
        else:
            text = f"joint '{name or j}': a D6 joint closes a loop with no, one or three angular axes alone; the loop stays open"
            warnings.warn(text, NewtonWarning, stacklevel=2)


def meaning(w: Worlds, j: int) -> JointType | None:
    """What a loop joint holds: its type, or that of the simple joint a D6 amounts to."""
    kind = JointType(w.first("joint_type")[j])
    if kind != JointType.D6:
        return kind
    linear, angular = (int(n) for n in w.first("joint_dof_dim")[j])
    known = {0: JointType.FIXED, 1: JointType.REVOLUTE, 3: JointType.BALL}
    return known.get(angular) if linear == 0 else None


def hinge_axis(w: Worlds, j: int) -> np.ndarray:
    """Axis of a hinge in its own frame, [..., 3]."""
    start = np.asarray(w.find("joint_qd_start").numpy())
    width = np.diff(start)[w.rows("joint")[0]]
    axis = w.get("joint_axis")[..., int(width[:j].sum()), :]
    return axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-15)


def weld_numbers(X_p, X_c) -> np.ndarray:
    """The joint's two frames held together: anchor in the child, its place in the parent, relative orientation."""
    turn = product(to_wxyz(X_p[..., 3:]), conjugate(to_wxyz(X_c[..., 3:])))
    return joined(X_c[..., :3], X_p[..., :3], turn, [1.0, 0.0])


def connect_numbers(X_p, X_c, offset) -> np.ndarray:
    """A point of the joint's frame, in parent and child."""
    points = [X[..., :3] + rotate(to_wxyz(X[..., 3:]), offset) for X in (X_p, X_c)]
    return joined(*points, [0.0] * 4, [1.0, 0.0])


def joined(*parts) -> np.ndarray:
    """Parts [..., n] side by side."""
    parts = [np.asarray(p, float) for p in parts]
    world = np.broadcast_shapes(*(p.shape[:-1] for p in parts))
    return np.concatenate([np.broadcast_to(p, world + p.shape[-1:]) for p in parts], axis=-1)
