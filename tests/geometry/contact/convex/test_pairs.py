"""Each pair of convex shapes gives MuJoCo's contacts: as many, as deep, with the same normals, in the same places.

Both sides search until they have converged: MuJoCo's own depths of round shapes are off by some hundredths of their size at its
default of 35 iterations, which ``test_accuracy`` compares. What may differ are ties: directions in which two aligned shapes are equally
deep; which four corners of a patch with more are kept; and the line along a cylinder's side, which starts at whatever rim point the
search ended with.
"""

import numpy as np
import pytest

from tests.geometry.contact.convex.colliding import SOLIDS, collide, expected, meshes
from tests.geometry.contact.poses import KINDS, poses
from tests.geometry.contact.test_parity import matched
from tests.tolerance import tolerance

PAIRS = [
    ("sphere", "ellipsoid"), ("sphere", "mesh"), ("capsule", "ellipsoid"), ("capsule", "cylinder"), ("capsule", "mesh"),
    ("ellipsoid", "ellipsoid"), ("ellipsoid", "cylinder"), ("ellipsoid", "box"), ("ellipsoid", "mesh"), ("cylinder", "cylinder"),
    ("cylinder", "box"), ("cylinder", "mesh"), ("box", "mesh"), ("mesh", "mesh"),
]  # fmt: skip
POSES = 250  # of each kind
CONVERGED = {"tolerance": 1e-9, "iterations": 200}
OPTIONS = '<option ccd_tolerance="1e-9" ccd_iterations="200"/>'


def scene(first, second, kind):
    """Poses, and which solids the meshes are."""
    return poses(first, second, kind, POSES), np.random.default_rng(1).integers(0, len(SOLIDS), (POSES, 2))


def share(mask) -> float:
    """Share of poses."""
    return np.sum(mask) / POSES


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first, second", PAIRS)
def test_contacts_are_those_of_mujoco(first, second, kind, device):
    p, solids = scene(first, second, kind)
    got = collide(first, second, p, solids, meshes(), device=device, **CONVERGED)
    want = expected(first, second, p, solids, OPTIONS)
    assert (want.count > 0).sum() > POSES / 4 and np.nanmin(want.dist) < -0.1
    errors = {"hit_distance": [], "hit_normal": [], "patch_position": []}
    same = np.flatnonzero(got.count == want.count)
    for w in same[want.count[same] > 0]:
        order, n, size = matched(got, want, w), want.count[w], p.scale()[w]
        errors["hit_distance"].append(np.abs(got.dist[w, order] - want.dist[w, :n]).max() / size)
        errors["hit_normal"].append(np.abs(got.frame[w, order, 0] - want.frame[w, :n, 0]).max())
        errors["patch_position"].append(np.abs(got.pos[w, order] - want.pos[w, :n]).max() / size)
    ties = ("round_ties" if "ellipsoid" in (first, second) else "hit_ties") if kind == "random" else "convex_ties"
    assert share(got.count != want.count) <= tolerance("count_ties"), np.flatnonzero(got.count != want.count)
    for name, found in errors.items():
        limit = tolerance("side_ties") if "cylinder" in (first, second) else tolerance(ties)
        over = np.array(found) > tolerance(name)
        assert share(over) <= limit, f"{name}: {over.sum()} poses off, by up to {max(found):.1e}"


@pytest.mark.parametrize("first, second", [pair for pair in PAIRS if "ellipsoid" in pair or "cylinder" in pair])
def test_accuracy_is_that_of_mujoco(first, second, device):
    """At the default options, depths are as near to the converged ones as MuJoCo's are."""
    p, solids = scene(first, second, "random")
    truth = expected(first, second, p, solids, OPTIONS)
    ours, theirs = collide(first, second, p, solids, meshes(), device=device), expected(first, second, p, solids)
    same = (truth.count == ours.count) & (truth.count == theirs.count) & (truth.count == 1)
    off = [np.abs(found.dist[same, 0] - truth.dist[same, 0]) / p.scale()[same] for found in (ours, theirs)]
    assert share(ours.count != theirs.count) <= tolerance("count_ties")
    assert off[0].mean() <= 1.1 * off[1].mean() + tolerance("hit_distance")


@pytest.mark.parametrize("first, second", PAIRS)
def test_one_point_where_patches_are_off(first, second, device):
    p, solids = scene(first, second, "aligned")
    options = OPTIONS.replace("/>", '><flag multiccd="disable"/></option>')
    got = collide(first, second, p, solids, meshes(), patches=False, device=device, **CONVERGED)
    want = expected(first, second, p, solids, options)
    assert want.count.max() == 1 and share(got.count != want.count) <= tolerance("count_ties")
    off = np.abs(got.dist[:, 0] - want.dist[:, 0]) / p.scale()
    assert share(off > tolerance("hit_distance")) <= tolerance("convex_ties")
