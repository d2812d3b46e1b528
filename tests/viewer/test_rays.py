"""A ray stops at the first point of a shape's surface."""

import numpy as np
import pytest
import warp as wp

from newtonlite.core.enums import GeoType
from newtonlite.viewer.scene import RayScene, Stage, first_hit, rotations
from tests.tolerance import tolerance

SCALE = np.array([0.5, 0.3, 0.7], np.float32)
RAYS = 400


def distance(kind, p):
    """Signed distance (or, for ellipsoids, a function of the same sign) of points [n, 3] to the shape at the origin."""
    r, h = SCALE[0], SCALE[1]
    if kind == GeoType.SPHERE:
        return np.linalg.norm(p, axis=-1) - r
    if kind == GeoType.CAPSULE:
        return np.linalg.norm(p - np.stack([0 * p[..., 0], 0 * p[..., 0], p[..., 2].clip(-h, h)], -1), axis=-1) - r
    if kind == GeoType.CYLINDER:
        return np.maximum(np.linalg.norm(p[..., :2], axis=-1) - r, np.abs(p[..., 2]) - h)
    if kind == GeoType.BOX:
        return (np.abs(p) - SCALE).max(-1)
    return np.linalg.norm(p / SCALE, axis=-1) - 1


@wp.kernel
def shoot(
    scene: RayScene,
    origin: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    t: wp.array[float],
    n: wp.array[wp.vec3],
    shape: wp.array[int],
):
    i = wp.tid()
    seen = first_hit(scene, origin[i], direction[i])
    t[i] = seen.t
    n[i] = seen.normal
    shape[i] = seen.shape


def cast(stage, origin, direction):
    origin, direction = (
        wp.array(a.astype(np.float32), dtype=wp.vec3, device=stage.device) for a in (origin, direction)
    )
    t, n = wp.zeros(RAYS, dtype=float, device=stage.device), wp.zeros(RAYS, dtype=wp.vec3, device=stage.device)
    shape = wp.zeros(RAYS, dtype=int, device=stage.device)
    wp.launch(shoot, dim=RAYS, inputs=[stage.scene, origin, direction, t, n, shape], device=stage.device)
    return t.numpy(), n.numpy(), shape.numpy()


@pytest.mark.parametrize("kind", [GeoType.SPHERE, GeoType.CAPSULE, GeoType.ELLIPSOID, GeoType.CYLINDER, GeoType.BOX])
def test_a_ray_stops_at_the_first_point_of_the_surface(kind, device):
    rng = np.random.default_rng(int(kind))
    quaternion = rng.standard_normal(4)
    quaternion /= np.linalg.norm(quaternion)
    place = np.array([0.4, -0.3, 0.2])
    stage = Stage([kind], [SCALE], [np.r_[place, quaternion]], [[1, 1, 1]], device=device)
    turn = rotations(quaternion[None])[0]
    origin = rng.standard_normal((RAYS, 3))
    origin = place + 3 * origin / np.linalg.norm(origin, axis=1, keepdims=True)
    direction = place + rng.uniform(-0.8, 0.8, (RAYS, 3)) - origin
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    t, n, shape = cast(stage, origin, direction)
    steps = np.linspace(0, 1, 500)[:, None, None]

    hit = shape == 0
    assert 50 < hit.sum() < RAYS - 20
    end = (origin + t[:, None] * direction - place) @ turn
    assert np.abs(distance(kind, end[hit])).max() <= tolerance("ray")
    begin = (origin - place) @ turn
    before = begin[hit] + 0.999 * steps * (end - begin)[hit]
    assert distance(kind, before).min() > 0
    out = end[hit] + 0.01 * (n[hit] @ turn)
    assert distance(kind, out).min() > 0

    all_the_way = begin[~hit] + 6 * steps * (direction[~hit] @ turn)
    assert distance(kind, all_the_way).min() > -tolerance("ray")
