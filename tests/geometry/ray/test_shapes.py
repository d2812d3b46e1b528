"""Rays against analytic shapes, beside MuJoCo's own ray function."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.ray_casting import NUMBERS, launch, shapes_kernel
from tests.tolerance import tolerance

RAYS = 2000
SHAPES = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box")


def rays(seed: int, far: float):
    """Origins within ``far``, a third of them near the centre, aimed near the shape; sizes; directions of any length."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.2, 1.0, (RAYS, 3))
    origin = rng.normal(size=(RAYS, 3)) * np.where(np.arange(RAYS) % 3, far, 0.3)[:, None]
    direction = rng.uniform(-0.9, 0.9, (RAYS, 3)) - origin
    direction[::10] = np.eye(3)[rng.integers(0, 3, RAYS // 10)] * np.sign(-origin[::10])
    return (
        size.astype(np.float32),
        origin.astype(np.float32),
        (direction * rng.uniform(0.3, 3.0, (RAYS, 1))).astype(np.float32),
    )


@pytest.mark.parametrize("far", (2.0, 50.0))
@pytest.mark.parametrize("shape", SHAPES)
def test_rays_meet_shapes_where_mujoco_has_it(shape, far, device):
    size, origin, direction = rays(NUMBERS[shape], far)
    got, normal = launch(shapes_kernel, [NUMBERS[shape], size, origin, direction], RAYS, device)
    want = [oracle.ray_shape(NUMBERS[shape], *ray) for ray in zip(size, origin, direction)]
    distance, normals = np.array([w[0] for w in want]), np.array([w[1] for w in want])
    length = np.linalg.norm(direction, axis=1)
    agree = (got >= 0) == (distance >= 0)
    assert agree.mean() > 1 - tolerance("hit_ties"), f"{(~agree).sum()} rays hit on one side and miss on the other"
    hit = agree & (distance >= 0)
    assert 0.1 * RAYS < hit.sum() < RAYS
    error = np.abs(got - distance)[hit] * length[hit] / (1.0 + np.linalg.norm(origin[hit], axis=1))
    turned = np.linalg.norm(normal - normals, axis=1)[hit]
    grazing = np.abs(np.einsum("ij,ij->i", normals, direction / length[:, None]))[hit] < 0.05  # there the root is steep
    assert error[~grazing].max() <= tolerance("ray"), error[~grazing].max()
    edges = turned > tolerance("hit_normal")
    assert edges[~grazing].mean() <= tolerance("hit_ties"), turned[~grazing].max()


@pytest.mark.parametrize("shape", SHAPES[1:])
def test_rays_from_inside_meet_the_surface_with_its_outward_normal(shape, device):
    size, _, direction = rays(7, 1.0)
    t, normal = launch(shapes_kernel, [NUMBERS[shape], size, np.zeros_like(size), direction], RAYS, device)
    assert (t > 0).all()
    assert (np.einsum("ij,ij->i", normal, direction) > 0).all()


def test_a_plane_is_seen_from_its_front_only(device):
    origin, down = np.array([[0.1, 0.2, 1.0], [0.1, 0.2, -1.0]]), np.array([[0.0, 0.0, -2.0], [0.0, 0.0, 2.0]])
    t, _ = launch(shapes_kernel, [0, np.zeros((2, 3)), origin, down], 2, device)
    assert t.tolist() == [0.5, -1.0]
