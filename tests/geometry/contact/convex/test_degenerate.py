"""Poses without a direction, and shapes without a size, still give finite contacts with unit normals."""

import numpy as np
import pytest

from tests.geometry.contact.convex.test_pairs import PAIRS
from tests.harness.contact_poses import poses, turn
from tests.harness.convex_colliding import SOLIDS, collide, meshes
from tests.tolerance import tolerance

N = 200


def solids() -> np.ndarray:
    """Meshes for both shapes of each pose."""
    return np.random.default_rng(2).integers(0, len(SOLIDS), (N, 2))


def assert_sound(found, p, needed=True):
    """Distances, positions and normals are finite, normals are units."""
    used = ~np.isnan(found.frame[..., 0, 0])
    assert used.sum() == found.count.sum(), "a normal is NaN"
    assert np.isfinite(found.dist[used]).all() and np.isfinite(found.pos[used]).all()
    assert np.allclose(np.linalg.norm(found.frame[used][:, 0], axis=-1), 1.0, atol=tolerance("kinematics"))
    assert not needed or (found.count > 0).all()


@pytest.mark.parametrize("kind", ("random", "aligned"))
@pytest.mark.parametrize("first, second", PAIRS)
def test_coincident_centres(first, second, kind, device):
    p = poses(first, second, kind, N)
    p.pos2[:] = p.pos1
    assert_sound(collide(first, second, p, solids(), meshes(), device=device), p)
    point = collide(first, second, p, solids(), meshes(), patches=False, device=device)
    assert (point.dist[:, 0] < 0).all()


@pytest.mark.parametrize("first, second", [pair for pair in PAIRS if "mesh" not in pair])
def test_thin_shapes(first, second, device):
    """Sizes of a ten-millionth beside sizes of a tenth."""
    p = poses(first, second, "random", N)
    p.size1[:, 1:] = 1e-7
    p.size2[:, :1] = 1e-7
    assert_sound(collide(first, second, p, solids(), meshes(), device=device), p, needed=False)


@pytest.mark.parametrize("second", ("ellipsoid", "cylinder", "mesh"))
def test_capsules_without_length_are_spheres(second, device):
    p = poses("capsule", second, "random", N)
    p.size1[:, 1] = 0.0
    capsule, sphere = (
        collide(first, second, p, solids(), meshes(), patches=False, device=device) for first in ("capsule", "sphere")
    )
    np.testing.assert_array_equal(capsule.count, sphere.count)
    assert np.allclose(capsule.dist[:, 0], sphere.dist[:, 0], atol=tolerance("contact"), equal_nan=True)


@pytest.mark.parametrize("first, second", PAIRS)
def test_far_from_the_origin(first, second, device):
    """A pair is collided in a frame of its own."""
    p = poses(first, second, "random", N)
    near = collide(first, second, p, solids(), meshes(), device=device)
    shift = np.array([512.0, -256.0, 128.0])
    for pos in (p.pos1, p.pos2):
        pos[:] = np.round(pos * 1024) / 1024
    near = collide(first, second, p, solids(), meshes(), device=device)
    p.pos1 += shift
    p.pos2 += shift
    far = collide(first, second, p, solids(), meshes(), device=device)
    np.testing.assert_array_equal(near.count, far.count)
    np.testing.assert_array_equal(near.dist, far.dist)


def test_flat_bodies_in_a_plane_that_just_overlap(device):
    """Discs whose axes are parallel and whose centres lie in a plane across them: the first polytope need not hold the
    origin.
    """
    p, depth = poses("ellipsoid", "ellipsoid", "random", N), 5e-6
    angle = np.random.default_rng(6).uniform(0, 2 * np.pi, (3, N))
    toward = np.stack([np.cos(angle[0]), np.sin(angle[0]), np.zeros(N)], 1)
    turns = [np.array([turn(np.array([0.0, 0.0, 1.0]), a) for a in angles]) for angles in angle[1:]]
    farthest = [support(size, mat, toward) for size, mat in zip((p.size1, p.size2), turns, strict=True)]
    p.pos1[:], p.mat1[:], p.mat2[:], p.cutoff[:] = 0.0, *turns, 0.0
    p.pos2[:] = farthest[0] + farthest[1] - depth * toward
    found = collide("ellipsoid", "ellipsoid", p, solids(), meshes(), device=device)
    assert (found.count == 1).all()
    assert np.abs(found.dist[:, 0] + depth).max() < tolerance("contact")


def support(size, mat, toward) -> np.ndarray:
    """The points [n, 3] of ellipsoids at the origin that are farthest along directions."""
    local = np.einsum("nji,nj->ni", mat, toward)
    return np.einsum("nij,nj->ni", mat, size**2 * local / np.linalg.norm(size * local, axis=1)[:, None])
