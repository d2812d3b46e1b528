"""Rows of connect and weld equalities, in float64 and for a batch of states at once: two points, and for a weld two
frames, that stay together.
"""

from collections.abc import Iterator

import numpy as np

from newtonlite.core.mujoco import MjtEq, MjtObj
from newtonlite.math.quat import conjugate, cross, product, rotate
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.dynamics import NUDGE, Coordinates, DynamicsTerms, advance
from newtonlite.solvers.mujoco.compile.kinematics import dof_motion, pose_at
from newtonlite.solvers.mujoco.compile.sites import Sites
from newtonlite.solvers.mujoco.compile.topology import ancestry

TORQUE_SCALE = 10
"""Place in the data of a weld."""


def weld_as_one(m: CompiledModel, state: Coordinates, t: DynamicsTerms) -> Iterator[tuple]:
    """Rows as those of ``held``: the distance that sets the impedance of each is that of all rows of its equality
    together.

    ``dJ/dt qvel``, which comes off the reference acceleration, is found by moving on a little and back.
    """
    which = np.flatnonzero(np.asarray(m.eq_active0, bool) & np.isin(m.eq_type, (MjtEq.CONNECT, MjtEq.WELD)))
    n = len(state.qpos)
    near = [pose_at(m, advance(m, state, 0.0, dt).qpos) for dt in (NUDGE, -NUDGE)] if len(which) else []
    for k in which:
        apart, rows = violation(m, t.pose, k)
        ahead, behind = (np.broadcast_to(violation(m, pose, k)[1], (n, *rows.shape[-2:])) for pose in near)
        bias = np.einsum("nvi,nv->ni", ahead - behind, state.qvel) / (2.0 * NUDGE)
        weight = m.body_invweight0[list(ends(m, t.pose, k)[0])].sum(axis=0).repeat(3)
        apart = np.broadcast_to(apart, (n, apart.shape[-1]))
        far = np.linalg.norm(apart, axis=-1)
        for i in range(apart.shape[-1]):
            yield (
                rows[..., i],
                apart[:, i],
                np.ones(n, bool),
                m.eq_solref[k],
                m.eq_solimp[k],
                weight[i],
                False,
                far,
                bias[:, i],
            )


def violation(m: CompiledModel, pose, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Violation of an equality [..., 3 or 6], and its Jacobian [..., nv, 3 or 6]."""
    bodies, points, (one, two) = ends(m, pose, k)
    (linear, angular), (linear2, angular2) = (motion_of(m, pose, b, p) for b, p in zip(bodies, points, strict=True))
    apart, rows = points[0] - points[1], linear - linear2
    if m.eq_type[k] != MjtEq.WELD:
        return apart, rows
    scale, back = m.eq_data[k, TORQUE_SCALE], conjugate(two)
    moving = product(product(back[..., None, :], as_quaternion(angular - angular2)), one[..., None, :])
    apart = np.concatenate(np.broadcast_arrays(apart, scale * product(back, one)[..., 1:]), axis=-1)
    return apart, np.concatenate(np.broadcast_arrays(rows, 0.5 * scale * moving[..., 1:]), axis=-1)


def ends(m: CompiledModel, pose, k: int) -> tuple[tuple, list, list]:
    """Bodies of an equality, its two points [..., 3], and its two frames [..., 4], the first as it is to be seen from
    the second.
    """
    ids, data = (int(m.eq_obj1id[k]), int(m.eq_obj2id[k])), m.eq_data[k]
    if m.eq_objtype[k] == MjtObj.SITE:
        sites = Sites(m, pose)
        return tuple(m.site_bodyid[list(ids)]), [sites.position(i) for i in ids], [sites.quat(i) for i in ids]
    anchors = (data[:3], data[3:6]) if m.eq_type[k] == MjtEq.CONNECT else (data[3:6], data[:3])
    points = [
        pose.xpos[..., b, :] + rotate(pose.xquat[..., b, :], anchor) for b, anchor in zip(ids, anchors, strict=True)
    ]
    frames = [pose.xquat[..., b, :] for b in ids]
    return ids, points, [product(frames[0], data[6:10]), frames[1]]


def motion_of(m: CompiledModel, pose, body: int, point) -> tuple[np.ndarray, np.ndarray]:
    """Velocity of a point of a body, and the body's angular velocity, for unit speed of each dof: two [..., nv, 3]."""
    angular, linear, origin = dof_motion(m, pose)
    moves = ancestry(m)[body][:, None]
    return np.where(moves, linear + cross(angular, point[..., None, :] - origin), 0.0), np.where(moves, angular, 0.0)


def as_quaternion(v) -> np.ndarray:
    """Vectors [..., 3] as quaternions without a real part."""
    return np.concatenate([np.zeros((*v.shape[:-1], 1)), v], axis=-1)
