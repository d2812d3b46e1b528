"""Each pair of convex shapes gives MuJoCo's contacts: as many, as deep, with the same normals, in the same places.

Both sides search until they have converged: MuJoCo's own depths of round shapes are off by some hundredths of their
size at its default of 35 iterations, which ``test_accuracy`` compares. Ties do not count: poses in which MuJoCo's own
contacts change when a shape moves by a millionth. ``python -m conformance contact_parity`` looks at more poses.
"""

import numpy as np
import pytest

from tests.harness.contact_judge import judge
from tests.harness.contact_poses import KINDS, poses
from tests.harness.convex_colliding import SOLIDS, collide, expected, meshes
from tests.tolerance import tolerance

PAIRS = [
    ("sphere", "ellipsoid"),
    ("sphere", "mesh"),
    ("capsule", "ellipsoid"),
    ("capsule", "cylinder"),
    ("capsule", "mesh"),
    ("ellipsoid", "ellipsoid"),
    ("ellipsoid", "cylinder"),
    ("ellipsoid", "box"),
    ("ellipsoid", "mesh"),
    ("cylinder", "cylinder"),
    ("cylinder", "box"),
    ("cylinder", "mesh"),
    ("box", "mesh"),
    ("mesh", "mesh"),
]
POSES = 250  # of each kind
CONVERGED = {"tolerance": 1e-9, "iterations": 200}
OPTIONS = '<option ccd_tolerance="1e-9" ccd_iterations="200"/>'


def scene(first, second, kind):
    """Poses, and which solids the meshes are."""
    return poses(first, second, kind, POSES), np.random.default_rng(1).integers(0, len(SOLIDS), (POSES, 2))


def share(mask) -> float:
    """Share of poses."""
    return np.sum(mask) / POSES


def untied(first: str, second: str) -> float:
    """Share of poses that may differ and are no tie."""
    pair = (first, second)
    return tolerance("untied_sides" if "cylinder" in pair else "untied_rounds" if "ellipsoid" in pair else "untied")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first, second", PAIRS)
def test_contacts_are_those_of_mujoco(first, second, kind, device):
    p, solids = scene(first, second, kind)
    got = collide(first, second, p, solids, meshes(), device=device, **CONVERGED)
    want = expected(first, second, p, solids, OPTIONS)
    assert np.nanmin(want.dist) < -0.1
    verdict = judge(p, got, want, lambda q, rows: expected(first, second, q, solids[rows], OPTIONS), "patch_position")
    assert verdict.touching > POSES / 4
    assert len(verdict.different) <= untied(first, second) * POSES, verdict.different
    assert len(verdict.ties) <= tolerance("ties") * POSES, verdict.ties


@pytest.mark.parametrize(
    "first, second", [("sphere", "ellipsoid"), ("cylinder", "cylinder"), ("cylinder", "mesh"), ("box", "mesh")]
)
def test_searches_end_where_mujocos_do(first, second, device):
    """At the default options, which stop early: shapes with margins are searched thicker, from the same first polytope
    on.
    """
    p, solids = scene(first, second, "random")
    assert (p.cutoff > 0).mean() > 0.5
    got, want = collide(first, second, p, solids, meshes(), device=device), expected(first, second, p, solids)
    verdict = judge(p, got, want, lambda q, rows: expected(first, second, q, solids[rows]), "patch_position")
    assert len(verdict.different) <= tolerance("untied") * POSES, verdict.different
    assert len(verdict.ties) <= tolerance("ties") * POSES, verdict.ties


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
    assert want.count.max() == 1
    verdict = judge(p, got, want, lambda q, rows: expected(first, second, q, solids[rows], options), None)
    assert len(verdict.different) <= untied(first, second) * POSES, verdict.different
    assert len(verdict.ties) <= tolerance("ties") * POSES, verdict.ties
