"""Elements of flexes touch spheres, capsules and boxes as in MuJoCo: as often, as deep, in the same places."""

import numpy as np
import pytest

from tests.harness.element_colliding import RADIUS, SIZES, collide, expected, random_poses, shares
from tests.tolerance import tolerance

POSES = 400
CASES = [(kind, dim) for kind in SIZES for dim in (1, 2, 3) if (kind, dim) != ("box", 3)]


@pytest.mark.parametrize("kind, dim", CASES)
def test_contacts_are_those_of_mujoco(kind, dim, device):
    p = random_poses(kind, dim, POSES)
    got, want = collide(p, device), expected(p)
    assert (want.count > 0).mean() > 0.25 and want.dist.min() < -2 * RADIUS
    same = got.count == want.count
    errors = {"hit_distance": [], "hit_position": [], "hit_normal": []}
    for w in np.flatnonzero(same & (want.count > 0)):
        k = slice(0, want.count[w])
        for name, one, other in zip(
            errors, (got.dist, got.pos, got.frame), (want.dist, want.pos, want.frame), strict=True
        ):
            errors[name].append(np.abs(one[w, k] - other[w, k]).max())
    off = [np.array(e) > tolerance(name) for name, e in errors.items()]
    assert (~same).mean() + np.any(off, axis=0).mean() <= tolerance("hit_ties"), {n: max(e) for n, e in errors.items()}


@pytest.mark.parametrize("dim", (1, 2, 3))
def test_weights_are_those_of_the_nearest_point(dim, device):
    """No point of the element is nearer than theirs, and they are weights."""
    p = random_poses("sphere", dim, POSES, seed=1)
    share = shares(dim, p.pos, p.vertices, device)
    assert share.min() > -tolerance("contact") and np.abs(share.sum(axis=1) - 1).max() < tolerance("contact")
    assert (share[:, dim + 1 :] == 0).all()
    at = lambda weights: np.linalg.norm(np.einsum("nk,nkc->nc", weights, p.vertices) - p.pos, axis=1)
    nearest = at(share)
    for others in np.random.default_rng(0).dirichlet(np.full(dim + 1, 0.5), (200, POSES)):
        assert (nearest <= at(np.pad(others, ((0, 0), (0, 3 - dim)))) + tolerance("contact")).all()
