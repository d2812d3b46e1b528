"""Contacts of a state in the world: where, which way, how strong, of which worlds."""

from typing import NamedTuple

import numpy as np

from newtonlite.math import transform as tf


class ContactArrays(NamedTuple):
    """Contacts as arrays."""

    position: np.ndarray  # [n, 3] [m]
    normal: np.ndarray  # [n, 3] from shape 0 to shape 1
    force: np.ndarray  # [n, 3] on shape 1 [N]; zero where no forces are known
    world: np.ndarray  # [n], -1 for global


def contacts_in_world(model, contacts, body_q: np.ndarray, forces=None) -> ContactArrays:
    """The contacts of a list, with bodies where ``body_q`` [body_count, 7] has them, and ``forces`` or else
    ``contacts.force``.
    """
    count = min(int(contacts.rigid_contact_count.numpy()[0]), contacts.rigid_contact_max)
    shapes = [getattr(contacts, f"rigid_contact_shape{k}").numpy()[:count] for k in (0, 1)]
    real = (shapes[0] >= 0) & (shapes[1] >= 0)
    shapes = [shape[real] for shape in shapes]
    bodies, of_shape = [model.shape_body.numpy()[shape] for shape in shapes], model.shape_world.numpy()
    points = [getattr(contacts, f"rigid_contact_point{k}").numpy()[:count][real].astype(float) for k in (0, 1)]
    placed = [carried(body, point, body_q) for body, point in zip(bodies, points, strict=True)]
    forces = contacts.force if forces is None else forces  # on shape 0
    force = -forces.numpy()[:count, :3][real] if forces is not None else np.zeros((int(real.sum()), 3))
    normal = contacts.rigid_contact_normal.numpy()[:count][real]
    return ContactArrays(
        (placed[0] + placed[1]) / 2, normal, force, np.maximum(of_shape[shapes[0]], of_shape[shapes[1]])
    )


def carried(body: np.ndarray, point: np.ndarray, body_q: np.ndarray) -> np.ndarray:
    """[n, 3] points in the frames of bodies, -1 for the world, in the world."""
    pose = np.where((body >= 0)[:, None], body_q[body].astype(float) if len(body_q) else tf.IDENTITY, tf.IDENTITY)
    return tf.apply(pose, point)
