"""Each pair of shapes gives MuJoCo's contacts: as many, as deep, in the same places, with the same normals."""

import numpy as np
import pytest

from tests.harness.colliding import PAIRS, collide, expected
from tests.harness.contact_judge import judge, matched, some, touching
from tests.harness.contact_poses import KINDS, poses
from tests.tolerance import tolerance

POSES = 1000
FEW = 300  # that just touch
REACH = 1.0  # [m] beyond any pose here


def scene(first, second, kind):
    """Poses of a kind; those that just touch come from random ones, moved along the normal."""
    if kind != "touching":
        return poses(first, second, kind, POSES)
    p = poses(first, second, "random", FEW, seed=9)
    far = some(p, np.arange(FEW))
    far.cutoff = np.full(FEW, REACH)
    return touching(p, expected(first, second, far))


@pytest.mark.parametrize("kind", (*KINDS, "touching"))
@pytest.mark.parametrize("first, second", PAIRS)
def test_contacts_are_those_of_mujoco(first, second, kind, device):
    """But for ties, where MuJoCo's own contacts change when a shape moves by a millionth."""
    p = scene(first, second, kind)
    want = expected(first, second, p)
    verdict = judge(p, collide(first, second, p, device), want, lambda q, rows: expected(first, second, q))
    assert verdict.touching > len(p) / 4 and (kind == "touching" or np.nanmin(want.dist) < -0.1)
    assert len(verdict.different) <= tolerance("untied") * len(p), verdict.different[:5]
    assert len(verdict.ties) <= tolerance("ties") * len(p), verdict.ties


@pytest.mark.parametrize("first, second", PAIRS)
def test_tangents_are_those_of_mujoco(first, second, device):
    p = poses(first, second, "random", POSES)
    got, want = collide(first, second, p, device), expected(first, second, p)
    same = [w for w in range(POSES) if got.count[w] == want.count[w] > 0]
    errors = [np.abs(got.frame[w, matched(got, want, w)] - want.frame[w, : want.count[w]]).max() for w in same]
    assert np.mean(np.array(errors) > tolerance("hit_normal")) <= tolerance("hit_ties")


def test_a_patch_keeps_every_vertex_of_the_clipped_face(device):
    """One square turned by 45 degrees over another: an octagon."""
    p = poses("box", "box", "aligned and alike", 1)
    s = 0.5**0.5
    p.mat1[0], p.mat2[0] = np.eye(3), [[s, -s, 0], [s, s, 0], [0, 0, 1]]
    p.size1[0] = p.size2[0] = 0.1, 0.1, 0.2
    p.pos2[0] = p.pos1[0] + [0, 0, 0.39]
    got = collide("box", "box", p, device)
    assert got.count[0] == 8
    assert np.allclose(got.dist[0], -0.01, atol=tolerance("contact"))
    assert np.allclose(np.ptp(got.pos[0], axis=0), [0.2, 0.2, 0.0], atol=tolerance("contact"))
