"""Broad phases over arrays of boxes, against a loop over all pairs."""

from itertools import combinations

import numpy as np
import pytest
import warp as wp

from newtonlite.core.enums import BodyFlags, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.geometry import BroadPhaseAllPairs, BroadPhaseExplicit, BroadPhaseSAP

N = 60


def array(values, dtype):
    return wp.array(np.asarray(values), dtype=dtype, device="cpu")


@pytest.fixture(scope="module")
def scene():
    """Random boxes in three worlds and in all of them, with groups, gaps, bodies and displacements."""
    rng = np.random.default_rng(5)
    middle, half = rng.uniform(0.0, 3.0, (N, 3)), rng.uniform(0.05, 0.6, (N, 3))
    return {
        "low": (middle - half).astype(np.float32),
        "high": (middle + half).astype(np.float32),
        "gap": rng.uniform(0.0, 0.1, N).astype(np.float32),
        "group": rng.integers(-2, 4, N),
        "world": rng.integers(-1, 3, N),
        "body": rng.integers(-1, 20, N),
        "flags": np.where(rng.random(20) < 0.3, int(BodyFlags.KINEMATIC), int(BodyFlags.DYNAMIC)),
        "travel": rng.uniform(-0.5, 0.5, (N, 3)).astype(np.float32),
    }


def may_meet(one, other):
    """Collision groups, as Newton has them."""
    if 0 in (one, other):
        return False
    return one == other if min(one, other) > 0 else one != other


def touches(s, a, b, gap, travel):
    """Whether two boxes overlap, at 2,001 times of an interval."""
    times = np.linspace(0.0, 1.0, 2001)[:, None] if travel else np.zeros((1, 1))
    way = times * (s["travel"][b] - s["travel"][a])
    wide = (s["gap"][a] + s["gap"][b]) * gap
    near = (s["low"][a] <= s["high"][b] + way + wide) & (s["low"][b] + way <= s["high"][a] + wide)
    return bool(near.all(axis=1).any())


def expected(s, *, gap=True, travel=False, bodies=False, kinematic=True, apart=(), used=None):
    """Pairs (smaller first) that a broad phase has to find."""
    still = np.where(s["body"] < 0, 0, np.where(s["flags"][s["body"]] == int(BodyFlags.KINEMATIC), 1, 2))
    pairs = set()
    for a, b in combinations(range(N), 2):
        one, other = s["world"][[a, b]]
        if (min(one, other) >= 0 and one != other) or not may_meet(*s["group"][[a, b]]) or (a, b) in apart:
            continue
        if used is not None and not (used[a] and used[b]):
            continue
        if bodies:
            kinds = sorted(still[[a, b]])
            if s["body"][a] == s["body"][b] or (kinds[1] < 2 and not (kinematic and sum(kinds) > 0)):
                continue
        if touches(s, a, b, gap, travel):
            pairs.add((a, b))
    return pairs


def found(s, kind, *, gap=True, size=N * N, flags=None, bodies=False, travel=False, **more):
    """Pairs of a broad phase, none twice."""
    pairs, count = wp.zeros(size, dtype=wp.vec2i, device="cpu"), wp.zeros(1, dtype=int, device="cpu")
    if bodies:
        more |= {"shape_body": array(s["body"], int), "body_flags": array(s["flags"], int)}
    if travel:
        more["shape_displacement"] = array(s["travel"], wp.vec3)
    kind(array(s["world"], int), flags).launch(
        array(s["low"], wp.vec3),
        array(s["high"], wp.vec3),
        array(s["gap"], float) if gap else None,
        array(s["group"], int),
        array(s["world"], int),
        N,
        pairs,
        count,
        **more,
    )
    total = int(count.numpy()[0])
    rows = [tuple(int(i) for i in pair) for pair in pairs.numpy()[: min(total, size)]]
    assert len(set(rows)) == len(rows)
    return total, rows


KINDS = pytest.mark.parametrize("kind", [BroadPhaseAllPairs, BroadPhaseSAP])


@KINDS
def test_boxes_of_one_world_that_overlap_are_pairs(scene, kind):
    for gap in (True, False):
        total, rows = found(scene, kind, gap=gap)
        assert total == len(rows) > 20
        assert set(rows) == expected(scene, gap=gap)


@KINDS
def test_bodies_flags_filters_and_displacements(scene, kind):
    assert set(found(scene, kind, bodies=True)[1]) == expected(scene, bodies=True)
    still = found(scene, kind, bodies=True, include_static_kinematic_pairs=False)[1]
    assert set(still) == expected(scene, bodies=True, kinematic=False) < expected(scene, bodies=True)
    used = np.arange(N) % 3 != 0
    flags = np.where(used, int(ShapeFlags.COLLIDE_SHAPES), int(ShapeFlags.VISIBLE))
    assert set(found(scene, kind, flags=flags)[1]) == expected(scene, used=used)
    every = sorted(expected(scene))
    apart = every[::4]
    assert set(found(scene, kind, filter_pairs=array(apart, wp.vec2i))[1]) == set(every) - set(apart)
    assert set(found(scene, kind, filter_pairs=array(apart, wp.vec2i), num_filter_pairs=2)[1]) == set(every) - set(
        apart[:2]
    )
    moving = set(found(scene, kind, travel=True)[1])
    assert moving == expected(scene, travel=True) > set(every)


@KINDS
def test_pairs_beyond_the_output_are_counted(scene, kind):
    every = found(scene, kind)[1]
    assert found(scene, kind, size=7) == (len(every), every[:7])


def test_listed_pairs_stay_in_their_order(scene):
    listed = [(b, a) for a, b in combinations(range(12), 2)]
    pairs, count = wp.zeros(len(listed), dtype=wp.vec2i, device="cpu"), wp.zeros(1, dtype=int, device="cpu")
    boxes = [array(scene[name], wp.vec3) for name in ("low", "high")]
    BroadPhaseExplicit().launch(*boxes, array(scene["gap"], float), array(listed, wp.vec2i), len(listed), pairs, count)
    near = [pair for pair in listed if touches(scene, *pair, True, False)]
    assert [tuple(int(i) for i in pair) for pair in pairs.numpy()[: count.numpy()[0]]] == near
    assert 0 < len(near) < len(listed)


def test_what_cannot_be_read_is_refused(scene):
    with pytest.raises(ModelError, match="one for each shape"):
        BroadPhaseAllPairs(np.zeros(3, int), np.ones(2, int))
    with pytest.raises(ModelError, match="worlds count from 0"):
        BroadPhaseSAP(np.array([0, -2]))
    with pytest.raises(ModelError, match="segmented, tile, auto"):
        BroadPhaseSAP(np.zeros(2, int), sort_type="bubble")
    with pytest.raises(ModelError, match="give one for each"):
        found(scene, BroadPhaseSAP, shape_displacement=array(np.zeros((2, 3)), wp.vec3))
