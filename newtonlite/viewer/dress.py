"""Shapes that collide and are shown because nothing else is there to see of their body.

A body is dressed by its shapes that are meant to be seen, unless they are tokens, far smaller than what collides; one
without any, such as the rotor of a motor, by those of the body that carries it, where they enclose it.
"""

import numpy as np

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.math import transform as tf

TOKEN = 1.0 / 3.0
"""Length of what is seen, in that of what collides, below which it does not stand for it."""
ENCLOSED = 0.5
"""Part of the volume of a shape that has to lie within what is seen of the body that carries it."""


def undressed(model, eligible: np.ndarray) -> np.ndarray:
    """[n] whether an ``eligible`` shape collides, is not meant to be seen, and has to be shown for its body to be."""
    flags, body, world = (getattr(model, f"shape_{name}").numpy() for name in ("flags", "body", "world"))
    collides, visible, site = (
        (flags & int(flag)) != 0 for flag in (ShapeFlags.COLLIDE_SHAPES, ShapeFlags.VISIBLE, ShapeFlags.SITE)
    )
    eligible = eligible & ~site
    hidden = eligible & collides & ~visible
    if not hidden.any():
        return hidden
    carrier, numbers = np.unique(np.where(body < 0, -2 - world, body), return_inverse=True)
    numbers = numbers.reshape(-1)
    low, high = boxes(model)
    seen = united(low, high, numbers, eligible & visible, len(carrier))
    solid = united(low, high, numbers, hidden, len(carrier))
    dressed = length(*seen) >= TOKEN * length(*solid)
    bare = hidden & ~dressed[numbers]
    above = carried_by(model, carrier)[numbers]
    shared = bare & (length(*seen)[numbers] == 0.0) & (above >= 0)
    rows, above = np.flatnonzero(shared), above[shared]
    within = np.clip(np.minimum(high[rows], seen[1][above]) - np.maximum(low[rows], seen[0][above]), 0.0, None)
    bare[rows[within.prod(axis=1) >= ENCLOSED * np.maximum((high - low)[rows].prod(axis=1), 1e-30)]] = False
    return bare


def carried_by(model, carrier: np.ndarray) -> np.ndarray:
    """Index of the body that a joint hangs each of ``carrier`` on, -1 for none."""
    found = np.full(len(carrier), -1)
    if model.joint_count:
        parent, child = model.joint_parent.numpy(), model.joint_child.numpy()
        above = dict(zip(child.tolist(), parent.tolist(), strict=True))
        place = {body: k for k, body in enumerate(carrier.tolist())}
        for k, body in enumerate(carrier.tolist()):
            if body >= 0 and above.get(body, -1) >= 0:
                found[k] = place.get(above[body], -1)
    return found


def united(low, high, numbers, chosen, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Boxes [count, 3] around the chosen shapes of each carrier; empty ones are turned inside out."""
    lows, highs = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(lows, numbers[chosen], low[chosen])
    np.maximum.at(highs, numbers[chosen], high[chosen])
    return lows, highs


def length(low, high) -> np.ndarray:
    """Diagonals of boxes [n, 3], 0 of empty ones."""
    return np.linalg.norm(np.where(np.isfinite(low) & np.isfinite(high), high - low, 0.0), axis=1)


def boxes(model) -> tuple[np.ndarray, np.ndarray]:
    """Boxes [n, 3] around shapes, in the world, where bodies start."""
    kind, scale = model.shape_type.numpy(), model.shape_scale.numpy().astype(float)
    middle, half = np.zeros_like(scale), scale.copy()
    round_ = np.isin(kind, (GeoType.SPHERE, GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE))
    half[round_] = scale[round_, :1]
    long = round_ & (kind != GeoType.SPHERE)
    half[long, 2] = scale[long, 1] + np.where(kind[long] == GeoType.CAPSULE, scale[long, 0], 0.0)
    spans: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for row in np.flatnonzero(np.isin(kind, (GeoType.MESH, GeoType.CONVEX_MESH))):
        source = model.shape_source[row]
        if id(source) not in spans:
            points = np.asarray(source.vertices, float)
            spans[id(source)] = points.min(axis=0), points.max(axis=0)
        one, two = spans[id(source)]
        middle[row], half[row] = 0.5 * (one + two) * scale[row], 0.5 * np.abs((two - one) * scale[row])
    body, body_q = model.shape_body.numpy(), model.body_q.numpy() if model.body_count else np.zeros((0, 7), np.float32)
    carrier = np.tile(tf.IDENTITY.astype(float), (len(kind), 1))
    carrier[body >= 0] = body_q[body[body >= 0]]
    pose = tf.multiply(carrier, model.shape_transform.numpy().astype(float))
    turn = tf.quat_to_matrix(pose[:, 3:])
    reach = np.einsum("nij,nj->ni", np.abs(turn), half)
    place = pose[:, :3] + np.einsum("nij,nj->ni", turn, middle)
    return place - reach, place + reach
