"""Poses in which searches choose between features that are nearly as near, or end before they are done: MuJoCo's
choice, step by step.
"""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

HOLLOW = (
    "ellipsoid",
    ".12 .12 .15",
    "0 0 0",
    "0.99987 0.016112 -0.000657 0.000728",
    "ellipsoid",
    ".12 .12 .14",
    "-0.002032 -0.222446 -0.002207",
    "0.999944 -0.007895 0.000763 -0.007023",
)
"""Two balloons: a triangle holds the origin so close to an edge that the line between the tips on both sides passes
beside it.
"""
CORNER = (
    "capsule",
    ".4 3",
    "-3 0 0",
    "0.707107 -0.707107 0 0",
    "box",
    ".15 .1 .05",
    "-2.523648 -1.884825 0.12669",
    "0.098925 0.385902 0.065711 0.914863",
)
"""A capsule over an edge of a box, a millimetre from its corner, which is farther away by a millionth."""
ROUND = ("ellipsoid", "cylinder", "capsule", "sphere")
SIZES = {"ellipsoid": ".1 .12 .15", "cylinder": ".1 .12", "capsule": ".08 .1", "sphere": ".1"}


def two(kind1, size1, pos1, quat1, kind2, size2, pos2, quat2, iterations=35):
    """Two floating bodies of a geom each."""

    def body(kind, size, pos, quat):
        return f'<body pos="{pos}" quat="{quat}"><freejoint/><geom type="{kind}" size="{size}"/></body>'

    bodies = body(kind1, size1, pos1, quat1) + body(kind2, size2, pos2, quat2)
    return oracle.compile_xml(
        f'<mujoco><option ccd_iterations="{iterations}"/><worldbody>{bodies}</worldbody></mujoco>'
    )


def contacts(mj, qpos, device):
    """Numbers of contacts, distances, positions and normals: the engine's and MuJoCo's, by pose."""
    qpos = np.atleast_2d(qpos).astype(np.float32).astype(float)
    still = np.zeros((len(qpos), mj.nv))
    states = oracle.States(qpos, still, still, np.zeros((len(qpos), 0)))
    engine = Engine(mj, states, device, mode="staged").forward()
    datas = [oracle.forward(mj, states, k) for k in range(len(qpos))]
    theirs = [(data.ncon, data.contact.dist, data.contact.pos, data.contact.frame[:, :3]) for data in datas]
    ncon = engine.read("ncon")
    numbers = [engine.read(name) for name in ("contact_dist", "contact_pos", "contact_frame")]
    ours = [(n, *(values[w][:n].reshape(n, -1)[:, :3] for values in numbers)) for w, n in enumerate(ncon)]
    return ours, theirs


@pytest.mark.parametrize("iterations", [4, 7, 12, 35])
def test_polytopes_have_no_hollows(iterations, device):
    mj = two(*HOLLOW, iterations)
    (ours,), (theirs,) = contacts(mj, mj.qpos0, device)
    assert ours[0] == theirs[0] == 1
    assert_close(ours[1].ravel(), theirs[1], "search", floor=1.0)
    assert_close(ours[3], theirs[3], "search")


def test_within_an_edge_is_nearer_than_its_end(device):
    mj = two(*CORNER)
    nudges = 1e-5 * np.random.default_rng(0).uniform(-1, 1, (20, mj.nq))
    for ours, theirs in zip(*contacts(mj, mj.qpos0 + nudges, device), strict=True):
        assert ours[0] == theirs[0] == 2
        assert_close(ours[2], theirs[2], "contact")
        assert_close(ours[3], theirs[3], "contact")


@pytest.mark.parametrize("iterations", [3, 6, 8])
@pytest.mark.parametrize("kind", ROUND)
def test_aligned_shapes_are_as_deep_when_the_search_is_cut_off(kind, iterations, device):
    """The line of centres is a segment of the difference, and gets three corners around it; which of two mirrored faces
    goes first is a tie.
    """
    mj = two("ellipsoid", SIZES["ellipsoid"], "0 0 0", "1 0 0 0", kind, SIZES[kind], "0 0 0", "1 0 0 0", iterations)
    rng = np.random.default_rng(1)
    qpos = np.tile(mj.qpos0, (24, 1))
    for k, q in enumerate(qpos):
        q[7 + k % 3] = rng.uniform(0.12, 0.17) * rng.choice([-1, 1])
    found = [(ours, theirs) for ours, theirs in zip(*contacts(mj, qpos, device), strict=True) if theirs[0]]
    assert len(found) > 12
    for ours, theirs in found:
        assert ours[0] == theirs[0]
        assert_close(ours[1].ravel(), theirs[1], "search", floor=1.0)
