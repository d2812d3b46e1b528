"""Polygons of hulls: cells of directions, and the order of MuJoCo's hash table."""

import math
import struct

import numpy as np
import pytest

from newtonlite.geometry.hull import find_hull
from newtonlite.geometry.polygons import (
    STEP,
    directions,
    hash_of,
    hash_order,
    joined_pairs,
    loops_of,
    merge,
    next_prime,
)


def order_of_a_table(hashes: list[int]) -> list[int]:
    """Numbers of keys in the order in which a chained hash table gives them: one list, new buckets at its front, new keys
    at the front of their bucket; when it grows, keys move one after the other.
    """
    chain, size = [], 0
    for key, value in enumerate(hashes):
        if key == size:
            size = next_prime(2 * size + 1)
            moved, last = [], None
            for one in chain:
                bucket = hashes[one] % size
                known = [k for k, other in enumerate(moved) if hashes[other] % size == bucket]
                if known and bucket != last:
                    moved.insert(known[0], one)
                else:
                    moved.append(one)
                    last = bucket
            chain = moved
        known = [k for k, other in enumerate(chain) if hashes[other] % size == value % size]
        chain.insert(known[0] if known else 0, key)
    return chain


@pytest.mark.parametrize("count", [0, 1, 2, 3, 12, 100, 400])
def test_order_is_that_of_a_chained_hash_table(count):
    rng = np.random.default_rng(count)
    hashes = rng.integers(0, 60 if count == 100 else 2**63, count).astype(np.uint64)
    assert hash_order(hashes).tolist() == order_of_a_table(hashes.tolist())


def test_hashes_mix_the_bits_of_both_numbers():
    first, second = (struct.unpack("<Q", struct.pack("<d", x))[0] for x in (-3.0, 157.0))
    mixed = first ^ (second + 0x9E3779B9 + (first << 6) + (first >> 2)) & 2**64 - 1
    assert hash_of(np.array([[-3, 157]])).tolist() == [mixed]


def test_directions_are_rounded_as_the_c_library_rounds():
    corners = np.random.default_rng(0).normal(size=(500, 3, 3))
    cells, there = directions(corners)
    assert there.all()
    for (a, b, c), cell in zip(corners, cells.tolist(), strict=True):
        x, y, z = np.cross(b - a, c - a) / np.linalg.norm(np.cross(b - a, c - a))
        assert cell == [round(math.atan2(y, x) / STEP), round(math.acos(z) / STEP)]


def test_triangles_without_area_have_no_polygon():
    cells, there = directions(np.array([[[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 1, 0]]], float))
    assert there.tolist() == [False, True] and cells[1].tolist() == [0, 0]


def test_polygons_close_and_cover_the_hull_of_a_prism():
    angle = np.linspace(0.0, 2.0 * np.pi, 7, endpoint=False)
    points = np.array([[np.cos(a), np.sin(a), z] for z in (0.0, 1.0) for a in angle])
    corners, sizes = merge(points, find_hull(points).triangles)
    assert sorted(sizes.tolist()) == [4] * 7 + [7] * 2 and len(corners) == sizes.sum()


def test_two_triangles_with_one_common_edge_are_joined_as_one_by_one():
    rng = np.random.default_rng(3)
    one, two = (np.array([rng.permutation(5)[:3] for _ in range(3000)]) for _ in range(2))
    loops, joined = joined_pairs(one, two)
    assert 200 < joined.sum() < 2000
    for a, b, loop in zip(one[joined], two[joined], loops[joined], strict=True):
        assert loops_of(np.array([a, b])) == [loop.tolist()]
