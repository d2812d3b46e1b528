"""Vertices of hulls in groups of eight: stored and found again, and the farthest one found by vector units as by plain
Warp.
"""

import numpy as np
import pytest
import warp as wp

from newtonlite.geometry.contact.convex.vertices import climb, farthest_vertex, filled, grouped, vertex_at
from newtonlite.geometry.hull import find_hull


@wp.func
def farthest_in_plain_warp(vert: wp.array[float], first: int, count: int, toward: wp.vec3d) -> int:
    """What `farthest_vertex` says it does."""
    best = int(0)
    most = wp.dot(vertex_at(vert, first), toward)
    for i in range(1, count):
        here = wp.dot(vertex_at(vert, first + i), toward)
        if here > most:
            most = here
            best = i
    return best


@wp.kernel(enable_backward=False)
def ask(
    vert: wp.array[float],
    first: int,
    count: int,
    toward: wp.array[wp.vec3d],
    reach: wp.float64,
    got: wp.array[int],
    want: wp.array[int],
    at: wp.array[wp.vec3d],
):
    i = wp.tid()
    got[i] = farthest_vertex(vert, first, count, toward[i], reach)
    want[i] = farthest_in_plain_warp(vert, first, count, toward[i])
    at[i] = vertex_at(vert, first + got[i])


def answers(vertices, toward, device, reach=0.0):
    """Of a hull that lies behind another one: which vertices native code and plain Warp find, and where the first is."""
    other = filled(np.ones((3, 3)))
    stored = wp.array(grouped(np.concatenate([other, filled(vertices)])), dtype=float, device=device)
    n = len(toward)
    out = [
        wp.zeros(n, dtype=int, device=device),
        wp.zeros(n, dtype=int, device=device),
        wp.zeros(n, dtype=wp.vec3d, device=device),
    ]
    wp.launch(
        ask,
        n,
        [stored, len(other), len(vertices), wp.array(toward, dtype=wp.vec3d, device=device), reach, *out],
        device=device,
    )
    return [x.numpy() for x in out]


@pytest.mark.parametrize("count", [1, 4, 8, 9, 16, 41, 100, 121, 640])
@pytest.mark.parametrize("known", [False, True])
def test_the_farthest_vertex_is_that_of_plain_warp_and_of_numpy(count, known, device):
    rng = np.random.default_rng(count)
    vertices = rng.standard_normal((count, 3)).astype(np.float32)
    toward = rng.standard_normal((200, 3))
    toward /= np.linalg.norm(toward, axis=1)[:, None]
    reach = known * float(np.linalg.norm(vertices, axis=1).max())
    got, want, at = answers(vertices, toward, device, reach)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(got, np.argmax(toward @ vertices.astype(float).T, axis=1))
    np.testing.assert_array_equal(at, vertices[got])


def test_of_equally_far_vertices_it_is_the_first(device):
    vertices = np.array([[x, y, z] for _ in range(3) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    got, want, _ = answers(vertices, np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, 1], [-1, -1, 0], [1, 1, 1]]), device)
    np.testing.assert_array_equal(got, [4, 0, 1, 0, 7])
    np.testing.assert_array_equal(want, got)


def test_vertices_that_single_precision_cannot_tell_apart(device):
    """Many in a plane and a rounding error beside it, far from the origin of their frame."""
    rng = np.random.default_rng(0)
    vertices = np.insert(rng.standard_normal((200, 2)), 2, 100.0, axis=1).astype(np.float32)
    vertices[rng.integers(0, 200, 20), 2] = np.nextafter(np.float32(100), np.float32(101))
    toward = np.array([[0.0, 0, 1], [1e-9, 0, 1], [0, 3e-8, 1], [1e-6, 1e-7, 1], [0, 0, -1]])
    got, want, _ = answers(vertices, toward, device, 101.0)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(got, np.argmax(toward @ vertices.astype(float).T, axis=1))


@wp.kernel(enable_backward=False)
def ask_climbers(
    vert: wp.array[float],
    nbr_adr: wp.array[int],
    nbr: wp.array[int],
    first: int,
    start: wp.array[int],
    toward: wp.array[wp.vec3d],
    got: wp.array[int],
):
    i = wp.tid()
    got[i] = climb(vert, nbr_adr, nbr, first, start[i], toward[i])


def test_a_climb_ends_at_the_farthest_vertex_wherever_it_begins(device):
    """Of a hull that lies behind another one."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((150, 3))
    points = (points / np.linalg.norm(points, axis=1)[:, None]).astype(np.float32)
    near = [[] for _ in points]
    for a, b in find_hull(points).edges():
        near[a].append(b)
    stored = grouped(np.concatenate([filled(np.ones((3, 3))), filled(points)]))
    address = np.concatenate([np.zeros(8, int), np.cumsum([0, *map(len, near)])])
    toward = rng.standard_normal((300, 3))
    got = wp.zeros(300, dtype=int, device=device)
    arrays = [wp.array(x, dtype=int, device=device) for x in (address, np.concatenate(near), rng.integers(0, 150, 300))]
    ways = wp.array(toward, dtype=wp.vec3d, device=device)
    vertices = wp.array(stored, dtype=float, device=device)
    wp.launch(ask_climbers, 300, [vertices, *arrays[:2], 8, arrays[2], ways, got], device=device)
    np.testing.assert_array_equal(got.numpy(), np.argmax(toward @ points.astype(float).T, axis=1))
