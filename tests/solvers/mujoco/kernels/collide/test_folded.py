"""A hull's nearly flat region may have polygons that overlap: of those along an edge MuJoCo looks at the first two, of
those with three corners at one.
"""

import numpy as np
import pytest

from newtonlite.math.quat import from_matrix
from newtonlite.solvers.mujoco import pipeline
from tests import oracle
from tests.harness.contact_poses import turn
from tests.harness.engine import Engine
from tests.harness.expected import expected
from tests.tolerance import tolerance

N = 40
X, Y = np.eye(3)[:2]


def wedge() -> np.ndarray:
    """Corners [7, 3] of a wedge with a corner a little above its top, near the top's edge from corner 0 to 1.

    Two of the triangles to that corner make one polygon with a notch, the third one lies in the notch.
    """
    top = np.array([[-0.1, -0.1, 0.05], [0.1, -0.1, 0.05], [0.0, 0.12, 0.05], [0.0, -0.095, 0.0501]])
    return np.concatenate([top, top[:3] * [1, 1, -1]]) @ (turn(Y, 0.7) @ turn(X, 0.3)).T


def edge_across(corners) -> np.ndarray:
    """Poses [N, 7] of a box with an edge across that of the first two corners, its face within 3 degrees of the top."""
    rng = np.random.default_rng(4)
    along, up = corners[1] - corners[0], np.cross(corners[1] - corners[0], corners[2] - corners[0])
    along, up = along / np.linalg.norm(along), up / np.linalg.norm(up)
    found = []
    for one, two, angle, depth in rng.uniform([0.025, -0.05, 0.15, 1e-4], [0.05, -0.02, 0.6, 1e-3], (N, 4)):
        normal = turn(along, one) @ up
        x = turn(normal, angle) @ along
        z = turn(x, two) @ normal
        frame = np.stack([x, np.cross(z, x), z], axis=1)
        lowest = min((frame @ [0.0, side, -0.05] for side in (-0.2, 0.2)), key=lambda p: p @ normal)
        found.append([*(corners[:2].mean(axis=0) - depth * normal - lowest), *from_matrix(frame)])
    return np.array(found)


def corner_down(corners) -> np.ndarray:
    """Poses [N, 7] of a box with a corner in the face of corners 0, 1 and 3, its own face nearly that of the top."""
    rng = np.random.default_rng(0)
    low, along, up = (
        corners[[0, 1, 3]],
        corners[1] - corners[0],
        np.cross(corners[1] - corners[0], corners[2] - corners[0]),
    )
    along, up, normal = (v / np.linalg.norm(v) for v in (along, up, np.cross(low[1] - low[0], low[2] - low[0])))
    found = []
    for one, two, angle, depth in rng.uniform([-0.01, -0.02, 0.0, -6.0], [0.01, 0.02, 6.3, -4.5], (N, 4)):
        z = turn(along, one) @ turn(np.cross(up, along), two) @ up
        x = turn(z, angle) @ np.cross(z, up + along)
        frame = np.stack([x, np.cross(z, x), z], axis=1) / np.linalg.norm(x)
        frame[:, 2] = z
        lowest = min((frame @ [x, y, -0.05] for x in (-0.2, 0.2) for y in (-0.2, 0.2)), key=lambda p: p @ normal)
        found.append([*(rng.dirichlet(np.full(3, 5.0)) @ low - 10**depth * normal - lowest), *from_matrix(frame)])
    return np.array(found)


def polygons_with(mj, *corners) -> int:
    """How many polygons of the only mesh have all these corners."""
    begins = np.split(mj.mesh_polyvert, mj.mesh_polyvertadr[1:])
    return sum(set(corners) <= set(polygon.tolist()) for polygon in begins)


@pytest.fixture(scope="module")
def scene():
    """The wedge, fixed, and a free box."""
    text = " ".join(f"{x:.6f}" for x in wedge().ravel())
    return oracle.compile_xml(
        f'<mujoco><asset><mesh name="m" vertex="{text}"/></asset><worldbody><geom type="mesh" mesh="m"/>'
        '<body><freejoint/><geom type="box" size=".2 .2 .05"/></body></worldbody></mujoco>'
    )


@pytest.mark.parametrize("poses, corners, shared", [(edge_across, (0, 1), 3), (corner_down, (0, 1, 3), 2)])
def test_contacts_are_those_of_the_first_polygons(poses, corners, shared, scene, device):
    assert polygons_with(scene, *corners) == shared
    states = oracle.rounded(oracle.States(poses(wedge()), np.zeros((N, 6)), np.zeros((N, 6)), np.zeros((N, 0))))
    want = expected(scene, states)
    engine = Engine(scene, states, device, mode="staged", nconmax=8)
    for name in ("geom_xpos", "geom_xmat"):
        engine.fill(name, want[name])
    engine.run(pipeline.COLLISION)
    np.testing.assert_array_equal(engine.read("ncon"), want["ncon"])
    assert (want["ncon"] > 1).any() and want["ncon"].min() > 0
    for w, n in enumerate(want["ncon"]):
        got, dist = engine.read("contact_dist")[w, :n], want["contact_dist"][w, :n]
        np.testing.assert_allclose(np.sort(got), np.sort(dist), atol=tolerance("hit_distance"))
