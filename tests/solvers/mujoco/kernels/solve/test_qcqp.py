"""A quadratic over a disc: conditions of its minimum, in two dimensions and in up to five."""

import numpy as np
import pytest
import warp as wp

from newtonlite.solvers.mujoco.kernels.solve.qcqp import mat55, solve_qcqp, solve_qcqp_2d, vec5
from tests.tolerance import assert_close, tolerance

COUNT = 60
FLAT = 1e-10  # excess of the square, and step of the multiplier, with which MuJoCo is content


@wp.kernel(enable_backward=False)
def solve_all(a: wp.array[mat55], b: wp.array[vec5], n: int, radius: wp.array[wp.float64], x: wp.array[vec5]):
    i = wp.tid()
    if n == 2:
        found = solve_qcqp_2d(a[i][0, 0], a[i][0, 1], a[i][1, 1], b[i][0], b[i][1], radius[i])
        x[i] = vec5(found[0], found[1], wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))
    else:
        x[i] = solve_qcqp(a[i], b[i], n, radius[i])


def solved(a, b, n: int, radius, device) -> np.ndarray:
    """Minima ``[count, 5]`` of all problems."""
    x = wp.zeros(len(a), dtype=vec5, device=device)
    given = [wp.array(v, dtype=t, device=device) for v, t in ((a, mat55), (b, vec5), (radius, wp.float64))]
    wp.launch(solve_all, len(a), [given[0], given[1], n, given[2], x], device=device)
    return x.numpy()


@pytest.mark.parametrize("n", [2, 3, 5])
def test_minimum_lies_inside_or_where_the_slope_points_outward(n, device):
    """``-(a x + b) = s x``, with ``s`` 0 inside of the disc and above 0 on its edge; no force without a radius."""
    rng = np.random.default_rng(n)
    root = np.zeros((COUNT, 5, 5))
    root[:, :n, :n] = rng.normal(size=(COUNT, n, n))
    a, b = root @ root.transpose(0, 2, 1) + np.diag(np.arange(5) < n), np.zeros((COUNT, 5))
    b[:, :n] = rng.normal(size=(COUNT, n))
    radius = 0.3 * rng.random(COUNT) * (np.arange(COUNT) % 4)
    x, close = solved(a, b, n, radius, device), tolerance("trust_region")
    size = np.linalg.norm(x, axis=1)
    assert (size <= radius * (1 + close)).all() and not x[radius == 0].any() and (radius == 0).any()
    slope = -(np.einsum("kij,kj->ki", a, x) + b)
    held = (size > radius * (1 - close)) & (radius > 0)
    assert held.any() and (~held & (radius > 0)).any()
    push = (slope * x).sum(1)
    assert np.abs(slope[~held & (radius > 0)]).max() <= close and (push[held] > 0).all()
    across = slope[held] - x[held] * (push[held] / size[held] ** 2)[:, None]
    assert np.abs(across).max() <= close * np.abs(b).max()


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_iteration_ends_after_twenty_solutions(n, device):
    """Directions of very different stiffness: MuJoCo's iteration is on its way then, and so is this."""
    rng = np.random.default_rng(7)
    count = 20
    a, b = np.zeros((count, 5, 5)), np.zeros((count, 5))
    b[:, :n] = rng.normal(size=(count, n))
    for k in range(count):
        root = rng.normal(size=(n, n)) + 3.0 * np.eye(n)
        scale = np.diag(10.0 ** -rng.uniform(0.0, 3.5 if n > 3 else 1.0, n))
        a[k, :n, :n] = scale @ root @ root.T @ scale
    radius = 10.0 ** rng.uniform(-6.0, -4.0, count)
    got = solved(a, b, n, radius, device)[:, :n]
    ended = 0
    for k in range(count):
        shift, x = 0.0, np.zeros(n)
        for solution in range(20):
            x = -np.linalg.solve(a[k, :n, :n] + shift * np.eye(n), b[k, :n])
            beyond = x @ x - radius[k] ** 2
            more = 0.5 * beyond / (x @ np.linalg.solve(a[k, :n, :n] + shift * np.eye(n), x))
            if min(beyond, more) < FLAT:
                ended += solution < 19
                break
            shift += more
        want = x * min(1.0, radius[k] / np.linalg.norm(x))
        assert_close(got[k][None], want[None], "trust_region", 0.0, f"problem {k}")
    assert ended < count


@pytest.mark.parametrize("n", [2, 3, 5])
def test_what_is_singular_but_for_rounding_has_no_friction(n, device):
    row = np.float32(np.random.default_rng(3).normal(size=5))
    row[n:] = 0.0
    a = np.float64(np.float32(np.outer(row, row)))[None]
    a[0, 1, 1] *= 1.0 + 1e-7
    assert not solved(a, np.ones((1, 5)), n, np.ones(1), device).any()
