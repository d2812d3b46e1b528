"""Tendon kinematics at one configuration: lengths and Jacobians; arrays may carry leading world dimensions."""

from dataclasses import dataclass, field

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtWrap
from newtonlite.math.quat import cross, matrix, normalized, product, rotate
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.kinematics import Pose, dof_motion
from newtonlite.solvers.mujoco.compile.topology import ancestry
from newtonlite.solvers.mujoco.compile.wrap import size, wrap


def tendon_geometry(m: CompiledModel, pose: Pose, qpos) -> tuple[np.ndarray, np.ndarray]:
    """Length of each tendon [..., ntendon] and its Jacobian [..., ntendon, nv] at ``qpos``, whose pose is given."""
    if not m.ntendon:
        return np.zeros(0), np.zeros((0, m.nv))
    paths = [range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t]) for t in range(m.ntendon)]
    fixed = [m.wrap_type[path.start] == MjtWrap.JOINT for path in paths]
    found = [
        joint_sum(m, path, qpos) if straight else (np.zeros(()), np.zeros(m.nv))
        for path, straight in zip(paths, fixed, strict=True)
    ]
    lengths, rows = zip(*found, strict=True)
    length, row = np.stack(np.broadcast_arrays(*lengths), axis=-1), np.stack(np.broadcast_arrays(*rows), axis=-2)
    if all(fixed):
        return length, row
    pieces = Pieces()
    for t in np.flatnonzero(~np.array(fixed)):
        pieces.read(m, int(t), paths[t])
    strings = SpatialTendons(m, pose).measure(pieces)
    share = 1.0 / np.stack(np.broadcast_arrays(*pieces.share), axis=-1)
    owner = np.equal.outer(np.array(pieces.tendon), np.arange(m.ntendon)) * share[..., None]
    return length + np.einsum("...s,...st->...t", strings[0], owner), row + np.einsum(
        "...sv,...st->...tv", strings[1], owner
    )


def joint_sum(m: CompiledModel, path, qpos) -> tuple:
    """``sum c q`` and the coefficients by dof."""
    prm = np.asarray(m.wrap_prm, float)
    length, row = np.zeros(qpos.shape[:-1]), np.zeros(prm.shape[:-1] + (m.nv,))
    for w in path:
        j = m.wrap_objid[w]
        length = length + prm[..., w] * qpos[..., m.jnt_qposadr[j]]
        row[..., m.jnt_dofadr[j]] = prm[..., w]
    return length, row


@dataclass
class Pieces:
    """Pieces of strings between two sites, of all tendons one after the other."""

    tendon: list[int] = field(default_factory=list)
    share: list = field(default_factory=list)
    """Divisor of the pulley before the piece, 1 for none."""
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    around: list[int] = field(default_factory=list)
    """Step of the path that names the geom between the sites, -1 for none."""

    def read(self, m: CompiledModel, t: int, path) -> None:
        """Append the pieces of a tendon; a pulley divides what follows it."""
        share, w = np.ones(()), path.start
        while w < path.stop - 1:
            if MjtWrap.PULLEY in (m.wrap_type[w], m.wrap_type[w + 1]):
                if m.wrap_type[w] == MjtWrap.PULLEY:
                    share = np.asarray(m.wrap_prm, float)[..., w]
                w += 1
                continue
            bent = m.wrap_type[w + 1] != MjtWrap.SITE
            self.tendon.append(t)
            self.share.append(share)
            self.first.append(int(m.wrap_objid[w]))
            self.last.append(int(m.wrap_objid[w + 1 + bent]))
            self.around.append(w + 1 if bent else -1)
            w += 1 + bent


class SpatialTendons:
    """Sites and geoms in the world, and the motion of points of bodies."""

    def __init__(self, m: CompiledModel, pose: Pose):
        self.m, self.pose = m, pose
        self.angular, self.linear, self.point = (x[..., None, :, :] for x in dof_motion(m, pose))
        self.moves = ancestry(m)
        b = m.site_bodyid
        self.site = pose.xpos[..., b, :] + rotate(pose.xquat[..., b, :], m.site_pos)

    def measure(self, pieces: Pieces) -> tuple[np.ndarray, np.ndarray]:
        """Length [..., pieces] and Jacobian [..., pieces, nv]."""
        m, first, last, around = self.m, np.array(pieces.first), np.array(pieces.last), np.array(pieces.around)
        ends = (m.site_bodyid[first], self.site[..., first, :]), (m.site_bodyid[last], self.site[..., last, :])
        length, row = self.straight(*ends)
        sides = np.where(
            around >= 0, np.round(np.asarray(m.wrap_prm, float).reshape(-1, len(m.wrap_type))[0][around]), -1
        ).astype(int)
        for kind in {m.wrap_type[w] for w in around if w >= 0}:
            k = np.flatnonzero((around >= 0) & (m.wrap_type[around] == kind))
            (b0, p0), (b1, p1) = ((body[k], place[..., k, :]) for body, place in ends)
            g = m.wrap_objid[around[k]]
            on, begin, end = self.touch(g, p0, p1, kind == MjtWrap.CYLINDER, sides[k])
            b = m.geom_bodyid[g]
            (up, up_row), (down, down_row) = self.straight((b0, p0), (b, begin)), self.straight((b, end), (b1, p1))
            length, row = (
                np.array(
                    np.broadcast_to(
                        x, np.broadcast_shapes(x.shape[: x.ndim - n], on.shape[:-1]) + x.shape[x.ndim - n :]
                    )
                )
                for x, n in ((length, 1), (row, 2))
            )
            length[..., k] = np.where(on >= 0, up + on + down, length[..., k])
            row[..., k, :] = np.where((on >= 0)[..., None], up_row + down_row, row[..., k, :])
        return length, row

    def touch(self, g, x0, x1, cylinder: bool, sides) -> tuple:
        """Length on geoms ``g``, first and last point on each, of strings that keep to the side of sites, or to none
        (-1).
        """
        m, b = self.m, self.m.geom_bodyid[g]
        quat = self.pose.xquat[..., b, :]
        pos = self.pose.xpos[..., b, :] + rotate(quat, m.geom_pos[..., g, :])
        mat = matrix(product(quat, normalized(m.geom_quat[..., g, :])))
        side = self.site[..., sides, :] if (sides >= 0).any() else None
        return wrap(x0, x1, pos, mat, np.asarray(m.geom_size)[..., g, 0], cylinder, side, sides >= 0)

    def speed(self, b, point, direction) -> np.ndarray:
        """Speed of points of bodies along ``direction`` for unit speed of each dof, [..., pieces, nv]."""
        arm = cross(
            point[..., None, :] - self.point, direction[..., None, :]
        )  # (v + w x arm) . n = v . n + w . (arm x n)
        speed = (self.linear @ direction[..., None])[..., 0] + (self.angular * arm).sum(-1)
        return np.where(self.moves[b], speed, 0.0)

    def straight(self, one: tuple, two: tuple) -> tuple:
        """Pieces between points of bodies: (bodies, points [..., pieces, 3]) at both ends."""
        (b0, p0), (b1, p1) = one, two
        apart = p1 - p0
        length = size(apart)
        unit = np.where(length[..., None] > MINVAL, apart / np.maximum(length, MINVAL)[..., None], [1.0, 0, 0])
        row = np.where((b0 == b1)[:, None], 0.0, self.speed(b1, p1, unit) - self.speed(b0, p0, unit))
        return length, row
