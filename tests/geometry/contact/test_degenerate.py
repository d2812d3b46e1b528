"""Poses without a direction still give finite contacts with unit, orthogonal frames."""

import numpy as np
import pytest

from tests.harness.colliding import PAIRS, collide
from tests.harness.contact_poses import poses
from tests.tolerance import tolerance

N = 200


def assert_sound(found, needed=True):
    """Distances, positions and frames are finite; frames are rotations."""
    used = ~np.isnan(found.frame[..., 0, 0])
    assert used.sum() == found.count.sum(), "a frame is NaN"
    assert np.isfinite(found.dist[used]).all() and np.isfinite(found.pos[used]).all()
    frames = found.frame[used].astype(float)
    assert np.allclose(frames @ frames.transpose(0, 2, 1), np.eye(3), atol=tolerance("kinematics"))
    assert not needed or (found.count > 0).all()


@pytest.mark.parametrize("kind", ("random", "aligned"))
@pytest.mark.parametrize("first, second", PAIRS)
def test_coincident_centres(first, second, kind, device):
    p = poses(first, second, kind, N)
    p.pos2[:] = p.pos1
    # a thin capsule that pierces two faces of a box far from its edges has no contact in MuJoCo either
    assert_sound(collide(first, second, p, device), needed=(first, second) != ("capsule", "box"))


@pytest.mark.parametrize("first, second", [pair for pair in PAIRS if "capsule" in pair])
def test_capsules_without_length_are_spheres(first, second, device):
    p = poses(first, second, "random", N)
    ball = {"capsule": "sphere"}
    for shape, size in ((first, p.size1), (second, p.size2)):
        if shape == "capsule":
            size[:, 1] = 0.0
    pair = sorted((ball.get(first, first), ball.get(second, second)), key=["plane", "sphere", "box"].index)
    got, want = collide(first, second, p, device), collide(*pair, p, device)
    assert_sound(got, needed=False)
    deepest = lambda found: np.nanmin(np.where(np.isnan(found.dist), 1.0, found.dist), axis=1)
    assert np.allclose(deepest(got), deepest(want), atol=tolerance("contact"))


def test_crossing_capsules_are_pushed_apart_across_both(device):
    p = poses("capsule", "capsule", "aligned", N)
    p.pos2[:] = p.pos1
    p.mat2[:] = p.mat1[:, :, [1, 2, 0]]
    normal = collide("capsule", "capsule", p, device).frame[:, 0, 0]
    for axis in (p.mat1[:, :, 2], p.mat2[:, :, 2]):
        assert np.abs((normal * axis).sum(axis=1)).max() <= tolerance("kinematics")


def test_a_plane_under_an_upright_capsule_still_has_a_tangent(device):
    p = poses("plane", "capsule", "aligned", N)
    p.mat2[:] = p.mat1
    p.pos2[:] = p.pos1
    assert_sound(collide("plane", "capsule", p, device))
