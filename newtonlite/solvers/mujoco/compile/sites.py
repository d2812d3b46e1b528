"""Site kinematics at one configuration: positions and Jacobians; arrays may carry leading world dimensions."""

import numpy as np

from newtonlite.math.quat import conjugate, matrix, normalized, product, rotate, rotation_vector
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.kinematics import Pose, dof_motion
from newtonlite.solvers.mujoco.compile.topology import ancestry


class Sites:
    """Frames of sites and their Jacobians, of one site or, along an axis before the last ones, of many."""

    def __init__(self, m: CompiledModel, pose: Pose):
        self.m, self.pose = m, pose
        self.angular, self.linear, self.point = dof_motion(m, pose)
        self.moves = ancestry(m)

    def position(self, s) -> np.ndarray:
        """Position of a site in the world, [..., 3] m."""
        m, b = self.m, self.m.site_bodyid[s]
        return self.pose.xpos[..., b, :] + rotate(self.pose.xquat[..., b, :], m.site_pos[..., s, :])

    def quat(self, s) -> np.ndarray:
        """Orientation of a site, [..., 4]."""
        return product(self.pose.xquat[..., self.m.site_bodyid[s], :], normalized(self.m.site_quat[..., s, :]))

    def axes(self, s) -> np.ndarray:
        """Axes of a site in columns, [..., 3, 3]; each product by itself, so that one alone has the same digits."""
        return matrix(self.quat(s)[..., None, :])[..., 0, :, :]

    def jacobian(self, s) -> tuple[np.ndarray, np.ndarray]:
        """Linear and angular velocity of a site for unit speed of each dof, two [..., nv, 3]."""
        moves = self.moves[self.m.site_bodyid[s]][..., None]
        angular, linear, point = (
            x[..., None, :, :] if np.ndim(s) else x for x in (self.angular, self.linear, self.point)
        )
        linear = linear + np.cross(angular, self.position(s)[..., None, :] - point)
        return np.where(moves, linear, 0.0), np.where(moves, angular, 0.0)

    def relative(self, s, ref) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian of a site less that of its reference (-1: none); dofs that move both do not count."""
        linear, angular = self.jacobian(s)
        if np.all(ref < 0):
            return linear, angular
        first, second = (self.moves[self.m.site_bodyid[i]] for i in (s, ref))
        other_linear, other_angular = self.jacobian(ref)
        one = ~(first & second)[..., None]
        return np.where(one, linear - other_linear, 0.0), np.where(one, angular - other_angular, 0.0)

    def wrench(self, s, ref, gear) -> tuple[np.ndarray, np.ndarray]:
        """Length and moment of a force and torque at sites, along the axes of the reference: all have one, or none."""
        axes = self.axes(np.where(ref < 0, s, ref))
        force, torque = ((axes @ part[..., None])[..., 0] for part in (gear[..., :3], gear[..., 3:]))
        linear, angular = self.relative(s, ref)
        row = (linear * force[..., None, :]).sum(-1) + (angular * torque[..., None, :]).sum(-1)
        if np.all(ref < 0):
            return np.zeros(gear.shape[:-1]), row
        apart = rotate(conjugate(self.quat(ref)), self.position(s) - self.position(ref))
        return (apart * gear[..., :3]).sum(-1) + (self.turn(s, ref) * gear[..., 3:]).sum(-1), row

    def turn(self, s, ref) -> np.ndarray:
        """Rotation vector from the reference to the site, [..., 3]."""
        return rotation_vector(product(conjugate(self.quat(ref)), self.quat(s)))

    def turning(self, s: int, ref: int) -> np.ndarray:
        """Angular velocity of a site against its reference along the site's own axes, [..., nv, 3]."""
        return self.relative(s, ref)[1] @ matrix(self.quat(s))

    def crank(self, pin: int, slider: int, rod, gear) -> tuple[np.ndarray, np.ndarray]:
        """Length and moment of a slider-crank: ``a.v - sqrt((a.v)^2 + rod^2 - v.v)`` for the slider's axis ``a``."""
        axis = matrix(self.quat(slider))[..., :, 2]
        v = self.position(pin) - self.position(slider)
        along = (axis * v).sum(-1)
        det = along**2 + rod**2 - (v * v).sum(-1)
        root = np.sqrt(np.maximum(det, 0.0))
        safe = np.where(det > 0, root, 1.0)
        share = np.where(det > 0, 1.0 - along / safe, 1.0)[..., None]
        by_v = axis * share + np.where(det > 0, 1.0 / safe, 0.0)[..., None] * v
        (pin_linear, _), (linear, angular) = self.jacobian(pin), self.jacobian(slider)
        row = (by_v[..., None, :] * (pin_linear - linear)).sum(-1)
        row = row + ((v * share)[..., None, :] * np.cross(angular, axis[..., None, :])).sum(-1)
        return (along - root) * gear[..., 0], row * gear[..., :1]
