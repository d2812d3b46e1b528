"""Rays against a height field: surface, walls, the box below; beside MuJoCo's own."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.ray_casting import grid, grid_kernel, launch, triangle_kernel
from tests.tolerance import tolerance

RAYS = 1500
SIZE = (1.5, 1.0, 0.7, 0.2)


def heights(nrow: int, ncol: int) -> np.ndarray:
    """Random heights that reach from 0 to 1."""
    z = np.random.default_rng(nrow).uniform(size=(nrow, ncol))
    z.flat[0], z.flat[-1] = 0.0, 1.0
    return z


def rays():
    """From around, inside and below, towards points in and near the field; every eighth along an axis."""
    rng = np.random.default_rng(1)
    origin = rng.normal(size=(RAYS, 3)) * np.where(np.arange(RAYS) % 2, 3.0, 0.5)[:, None]
    aim = rng.uniform(-1.2, 1.2, (RAYS, 3)) * (1.5, 1.0, 0.4) + (0, 0, 0.2)
    direction = aim - origin
    direction[::8] = np.eye(3)[rng.integers(0, 3, len(direction[::8]))] * np.sign(direction[::8])
    return origin.astype(np.float32), direction.astype(np.float32)


@pytest.mark.parametrize("nrow, ncol", [(2, 2), (3, 7), (40, 25)])
def test_rays_meet_a_height_field_where_mujoco_has_it(nrow, ncol, device):
    z = heights(nrow, ncol)
    origin, direction = rays()
    got, normal = launch(grid_kernel, [grid(SIZE, z, device), origin, direction], RAYS, device)
    distance, normals = oracle.ray_hfield(SIZE, z, origin, direction)
    agree = (got >= 0) == (distance >= 0)
    assert agree.mean() > 1 - tolerance("hit_ties"), (~agree).sum()
    hit = agree & (distance >= 0)
    assert 0.3 * RAYS < hit.sum() < RAYS
    error = (
        np.abs(got - distance)[hit]
        * np.linalg.norm(direction[hit], axis=1)
        / (1.0 + np.linalg.norm(origin[hit], axis=1))
    )
    assert (error > tolerance("hit_position")).mean() <= tolerance("hit_ties"), np.sort(error)[-10:]
    turned = np.linalg.norm(normal - normals, axis=1)[hit]
    assert (turned > tolerance("hit_normal")).mean() <= tolerance("hit_ties"), np.sort(turned)[-10:]


def test_a_triangle_is_met_from_both_sides_and_only_inside(device):
    rng = np.random.default_rng(3)
    a, b, c, origin = rng.normal(size=(4, RAYS, 3))
    weight = rng.uniform(-0.5, 1.0, (RAYS, 2))
    aim = a + weight[:, :1] * (b - a) + weight[:, 1:] * (c - a)
    t, normal = launch(triangle_kernel, [a, b, c, origin, 0.5 * (aim - origin)], RAYS, device)
    inside = (weight > 0).all(1) & (weight.sum(1) < 1)
    edge = np.minimum(np.abs(weight).min(1), np.abs(1 - weight.sum(1))) < tolerance("hit_normal")
    assert ((t >= 0) == inside)[~edge].all()
    assert np.abs(t - 2.0)[inside & ~edge].max() <= 100 * tolerance("ray")
    outward = np.cross(b - a, c - a)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    assert np.abs(normal - outward)[inside & ~edge].max() <= tolerance("hit_normal")
