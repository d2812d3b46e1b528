"""Each pair of shapes gives MuJoCo's contacts: as many, as deep, in the same places, with the same normals."""

import numpy as np
import pytest

from tests.geometry.contact.colliding import PAIRS, collide, expected
from tests.geometry.contact.poses import KINDS, poses
from tests.tolerance import tolerance

POSES = 1000


def matched(got, want, w: int) -> list:
    """For each of MuJoCo's contacts of pose ``w``, the nearest of ours that is not taken yet."""
    free = list(range(got.count[w]))
    order = []
    for i in range(want.count[w]):
        nearest = min(free, key=lambda k: np.linalg.norm(got.pos[w, k] - want.pos[w, i]))
        free.remove(nearest)
        order.append(nearest)
    return order


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first, second", PAIRS)
def test_contacts_are_those_of_mujoco(first, second, kind, device):
    p = poses(first, second, kind, POSES)
    got, want = collide(first, second, p, device), expected(first, second, p)
    assert (want.count > 0).sum() > POSES / 4 and np.nanmin(want.dist) < -0.1
    differ = []
    for w in range(POSES):
        if got.count[w] != want.count[w]:
            differ.append((w, f"{got.count[w]} contacts instead of {want.count[w]}"))
            continue
        order, n = matched(got, want, w), want.count[w]
        for name, ours, theirs, size in (
            ("hit_distance", got.dist[w, order], want.dist[w, :n], p.scale()[w]),
            ("hit_normal", got.frame[w, order, 0], want.frame[w, :n, 0], 1.0),
            ("hit_position", got.pos[w, order], want.pos[w, :n], p.scale()[w]),
        ):
            error = np.abs(ours - theirs).max(initial=0.0) / size
            if not error <= tolerance(name):
                differ.append((w, f"{name} off by {error:.1e}"))
    assert len({w for w, _ in differ}) <= tolerance("hit_ties") * POSES, differ[:5]


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
