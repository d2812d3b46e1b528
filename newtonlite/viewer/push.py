"""Picking: a spring from a point on a body to the pointer, as a force on that body alone."""

from dataclasses import dataclass

import numpy as np

from newtonlite.math import transform as tf

FREQUENCY = 2.0 * np.pi * 1.2  # of the spring with the mass of everything that hangs together [rad/s]
LIMIT = 30.0  # force at most: this acceleration of all that mass [m/s^2]


@dataclass
class Grip:
    """Grip on a body: the point where it is held, and the point to which it is pulled."""

    body: int
    point: np.ndarray  # [3] in the body frame [m]
    target: np.ndarray  # [3] in the world [m]


class Push:
    """The force of a drag. ``limit`` is in m/s^2 of the mass of the tree that the body belongs to."""

    def __init__(self, model):
        self.com = model.body_com.numpy() if model.body_count else np.zeros((0, 3))
        self.mass = tree_masses(model)
        self.limit = LIMIT
        self.grip: Grip | None = None
        self.force = np.zeros(3)
        self._held: int | None = None

    def take(self, body: int, point_in_world, body_q: np.ndarray) -> None:
        """Hold a body at a point of the world [3]."""
        point = np.asarray(point_in_world, float)
        self.grip = Grip(int(body), tf.apply(tf.inverse(body_q[body].astype(float)), point), point)

    def pull(self, target) -> None:
        """Move the end of the spring to a point of the world [3]."""
        if self.grip is not None:
            self.grip.target = np.asarray(target, float)

    def release(self) -> None:
        """Release the body."""
        self.grip = None

    def wrench(self, pose: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """[6] force and torque at the centre of mass, of a body at a pose [7] that moves with a velocity [6]."""
        grip = self.grip
        arm = tf.quat_rotate(pose[3:], grip.point - self.com[grip.body])
        centre = tf.apply(pose, self.com[grip.body].astype(float))
        mass = float(self.mass[grip.body])
        moving = velocity[:3] + np.cross(velocity[3:], arm)
        force = mass * (FREQUENCY**2 * (grip.target - centre - arm) - 2.0 * FREQUENCY * moving)
        size = np.linalg.norm(force)
        force *= min(1.0, mass * self.limit / size) if size > 0 else 1.0
        return np.concatenate([force, np.cross(arm, force)])

    def apply(self, state) -> None:
        """Write the force to ``state.body_f``; what was written before is taken away."""
        grip = self.grip
        if self._held is not None and (grip is None or grip.body != self._held):
            state.body_f[self._held : self._held + 1].zero_()
            self._held, self.force = None, np.zeros(3)
        if grip is None:
            return
        row = slice(grip.body, grip.body + 1)
        wrench = self.wrench(state.body_q[row].numpy()[0].astype(float), state.body_qd[row].numpy()[0].astype(float))
        state.body_f[row].assign(wrench[None].astype(np.float32))
        self._held, self.force = grip.body, wrench[:3]

    def grabbed(self, body_q: np.ndarray) -> np.ndarray:
        """[3] where the held point is in the world."""
        return tf.apply(body_q[self.grip.body].astype(float), self.grip.point)


def tree_masses(model) -> np.ndarray:
    """[body_count] mass of all bodies that joints connect to each body [kg]."""
    count = model.body_count
    if not count:
        return np.zeros(0)
    root = np.arange(count)
    if model.joint_count:
        for parent, child in zip(model.joint_parent.numpy(), model.joint_child.numpy(), strict=True):
            if parent >= 0:
                root[child] = root[parent]
    mass = np.zeros(count)
    np.add.at(mass, root, model.body_mass.numpy())
    return mass[root]
