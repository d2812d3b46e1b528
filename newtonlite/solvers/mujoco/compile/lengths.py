"""Tendons at one configuration: lengths, and how they change with each dof. Arrays may carry leading world dimensions."""

import numpy as np

from newtonlite.solvers.mujoco.enums import WRAP_CYLINDER, WRAP_JOINT, WRAP_PULLEY, WRAP_SITE

from .pose import Pose, dof_motion
from .rotation import matrix, normalized, product, rotate
from .topology import ancestry
from .wrap import size, wrap


def tendon_geometry(m, pose: Pose, qpos) -> tuple[np.ndarray, np.ndarray]:
    """Length of each tendon [..., ntendon] and its Jacobian [..., ntendon, nv] at ``qpos``, whose pose is given."""
    if not m.ntendon:
        return np.zeros(0), np.zeros((0, m.nv))
    strings = Strings(m, pose)
    found = []
    for t in range(m.ntendon):
        path = range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])
        fixed = m.wrap_type[path.start] == WRAP_JOINT
        found.append(joint_sum(m, path, qpos) if fixed else strings.measure(path))
    lengths, rows = zip(*found, strict=True)
    return np.stack(np.broadcast_arrays(*lengths), axis=-1), np.stack(np.broadcast_arrays(*rows), axis=-2)


def joint_sum(m, path, qpos) -> tuple:
    """``sum c q`` and the coefficients by dof."""
    prm = np.asarray(m.wrap_prm, float)
    length, row = np.zeros(qpos.shape[:-1]), np.zeros(prm.shape[:-1] + (m.nv,))
    for w in path:
        j = m.wrap_objid[w]
        length = length + prm[..., w] * qpos[..., m.jnt_qposadr[j]]
        row[..., m.jnt_dofadr[j]] = prm[..., w]
    return length, row


class Strings:
    """Sites and geoms in the world, and the motion of points of bodies."""

    def __init__(self, m, pose: Pose):
        self.m, self.pose = m, pose
        self.angular, self.linear, self.point = dof_motion(m, pose)
        self.moves = ancestry(m)

    def site(self, s: int) -> tuple:
        """Body and position of a site."""
        m, b = self.m, self.m.site_bodyid[s]
        return b, self.pose.xpos[..., b, :] + rotate(self.pose.xquat[..., b, :], m.site_pos[..., s, :])

    def touch(self, w: int, x0, x1) -> tuple:
        """Length on the geom that step ``w`` of a path wraps, first and last point on it."""
        m, g = self.m, self.m.wrap_objid[w]
        b = m.geom_bodyid[g]
        quat = self.pose.xquat[..., b, :]
        pos = self.pose.xpos[..., b, :] + rotate(quat, m.geom_pos[..., g, :])
        mat = matrix(product(quat, normalized(m.geom_quat[..., g, :])))
        side = int(np.round(np.asarray(m.wrap_prm)[..., w].flat[0]))
        to = None if side < 0 else self.site(side)[1]
        return wrap(x0, x1, pos, mat, np.asarray(m.geom_size)[..., g, 0], m.wrap_type[w] == WRAP_CYLINDER, to)

    def speed(self, b: int, point, direction) -> np.ndarray:
        """Speed of a point of a body along ``direction`` for unit speed of each dof, [..., nv]."""
        velocity = self.linear + np.cross(self.angular, point[..., None, :] - self.point)
        return np.where(self.moves[b], (velocity * direction[..., None, :]).sum(-1), 0.0)

    def straight(self, b0: int, p0, b1: int, p1) -> tuple:
        """A piece between points of two bodies."""
        apart = p1 - p0
        length = size(apart)
        unit = np.where(length[..., None] > 1e-15, apart / np.maximum(length, 1e-15)[..., None], [1.0, 0, 0])
        row = np.zeros(self.m.nv) if b0 == b1 else self.speed(b1, p1, unit) - self.speed(b0, p0, unit)
        return length, row

    def measure(self, path) -> tuple:
        """Length and Jacobian of a string, piece by piece; a pulley divides what follows it."""
        m, total, row, share = self.m, 0.0, np.zeros(self.m.nv), 1.0
        w = path.start
        while w < path.stop - 1:
            if WRAP_PULLEY in (m.wrap_type[w], m.wrap_type[w + 1]):
                if m.wrap_type[w] == WRAP_PULLEY:
                    share = 1.0 / np.asarray(m.wrap_prm, float)[..., w]
                w += 1
                continue
            after = w + 1 if m.wrap_type[w + 1] == WRAP_SITE else w + 2
            (b0, p0), (b1, p1) = self.site(m.wrap_objid[w]), self.site(m.wrap_objid[after])
            length, change = self.straight(b0, p0, b1, p1)
            if after == w + 2:
                length, change = self.bent(w + 1, b0, p0, b1, p1, length, change)
            total, row, w = total + share * length, row + np.asarray(share)[..., None] * change, after
        return np.asarray(total), row

    def bent(self, w: int, b0: int, p0, b1: int, p1, length, change) -> tuple:
        """A piece over a geom, where it touches it; else the straight one that is given."""
        on, first, last = self.touch(w, p0, p1)
        g = self.m.geom_bodyid[self.m.wrap_objid[w]]
        (up, up_row), (down, down_row) = self.straight(b0, p0, g, first), self.straight(g, last, b1, p1)
        touches = on >= 0
        return np.where(touches, up + on + down, length), np.where(touches[..., None], up_row + down_row, change)
