"""Strings around and through spheres and cylinders, against MuJoCo's."""

import numpy as np
import pytest
import warp as wp

from newtonlite.geometry.wrap import wrap
from tests import oracle
from tests.tolerance import assert_close, tolerance

COUNT = 1500
RADIUS = 0.3

Points = wp.array[wp.vec3]


@wp.kernel(enable_backward=False)
def wrap_kernel(
    x0: Points,
    x1: Points,
    side: Points,
    pos: Points,
    mat: wp.array[wp.mat33],
    radius: float,
    cylinder: bool,
    sided: bool,
    length: wp.array[float],
    first: Points,
    last: Points,
):
    i = wp.tid()
    found, p, q = wrap(x0[i], x1[i], pos[i], mat[i], radius, cylinder, sided, side[i])
    length[i] = found
    first[i] = p
    last[i] = q


def paths(kind, ends, side, pos, quat, device, radius=RADIUS):
    """Lengths of whole strings, whether they touch, and where."""
    n = len(ends)
    put = lambda values, dtype: wp.array(np.asarray(values, np.float32), dtype=dtype, device=device)
    length = wp.zeros(n, dtype=float, device=device)
    found = [wp.zeros(n, dtype=wp.vec3, device=device) for _ in range(2)]
    frames = put([frame(q) for q in quat], wp.mat33)
    points = [put(x, wp.vec3) for x in (ends[:, 0], ends[:, 1], pos if side is None else side, pos)]
    wp.launch(
        wrap_kernel,
        dim=n,
        inputs=[*points, frames, radius, kind == "cylinder", side is not None, length, *found],
        device=device,
    )
    length, first, last = length.numpy(), *(a.numpy() for a in found)
    touches = length >= 0
    apart = lambda a, b: np.linalg.norm(a - b, axis=1)
    around = length + apart(first, ends[:, 0]) + apart(last, ends[:, 1])
    return np.where(touches, around, apart(ends[:, 0], ends[:, 1])), touches, np.stack([first, last], 1)


def frame(q):
    """Rotation matrix of a quaternion (w, x, y, z)."""
    w, v = q[0], q[1:]
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def scenes(reach: float):
    """Random ends, side points within ``reach`` standard deviations, and poses of the shape; numbers that float32
    holds.
    """
    rng = np.random.default_rng(5)
    exact = lambda x: np.float32(x).astype(float)
    quat = rng.normal(size=(COUNT, 4))
    pos = exact(rng.normal(0, 0.1, (COUNT, 3)))
    side = exact(pos + rng.normal(0, reach, (COUNT, 3)))
    return exact(rng.normal(0, 0.5, (COUNT, 2, 3))), side, pos, quat / np.linalg.norm(quat, axis=1)[:, None]


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
@pytest.mark.parametrize("reach", [None, 0.6, 0.12], ids=["shorter way", "side given", "mostly inside"])
def test_strings_take_mujocos_way(kind, reach, device):
    ends, side, pos, quat = scenes(reach or 1.0)
    side = side if reach else None
    length, touches, points = paths(kind, ends, side, pos, quat, device)
    want, wraps, where = oracle.string_paths(kind, RADIUS, ends, side, pos, quat)
    assert 0.1 < wraps.mean() < 0.9
    assert (touches == wraps).all()
    assert_close(length, want, "kinematics")
    assert_close(points[wraps], where[wraps], "wrap_point", 1.0)


DEGENERATE = {
    "one end in the centre": ([[0, 0, 0], [1, 0, 0]], None),
    "one end inside": ([[0.1, 0.1, 0], [1, 0, 0]], None),
    "both ends in one place": ([[1, 0.2, 0], [1, 0.2, 0]], None),
    "both ends in one place, side across": ([[1, 0.2, 0], [1, 0.2, 0]], [-1, 0, 0]),
    "ends opposite each other": ([[1, 0, 0], [-1, 0, 0]], None),
    "ends on one ray": ([[1, 0.5, 0.25], [2, 1, 0.5]], None),
    "through the ring, on one ray": ([[1, 0.5, 0], [2, 1, 0]], [0.01, 0, 0]),
    "through the ring, ends in one place": ([[1, 0.5, 0], [1, 0.5, 0]], [0.01, 0, 0]),
    "through the ring, ends opposite": ([[1, 0, 0], [-1, 0, 0]], [0, 0.1, 0]),
    "side in the centre, ends high above": ([[1, 0, 3], [0, 1, 3]], [0, 0, 0]),
    "side on the axis, far up": ([[1, 0.1, 0], [-1, 0.1, 0]], [0, 0, 2]),
    "along the axis": ([[0.5, 0, -1], [0.5, 0, 1]], None),
    "ends on the surface": ([[0.5, 0, 0], [-0.5, 0, 0]], None),
}


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_strings_are_as_long_as_mujocos(kind, case, device):
    ends, side = (None if x is None else np.array([x], float) for x in DEGENERATE[case])
    pos, quat = np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]])
    length, _, points = paths(kind, ends, side, pos, quat, device, radius=0.5)
    want, _, _ = oracle.string_paths(kind, 0.5, ends, side, pos, quat)
    assert np.isfinite(points).all()
    assert_close(length, want, "kinematics", 1.0)


def test_a_shape_without_size_is_no_obstacle(device):
    ends = np.array([[[1.0, 0, 0], [-1.0, 0, 0]]])
    length, touches, _ = paths("sphere", ends, None, np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]), device, radius=0.0)
    assert not touches[0]
    assert abs(length[0] - 2.0) < tolerance("kinematics")


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
def test_a_string_that_just_touches_runs_nowhere_else(kind, device):
    """Deep by a thousandth to a millionth of the radius: both tangents end at nearly the same point, and none goes
    around the far side.
    """
    rng = np.random.default_rng(8)
    _, _, pos, quat = scenes(1.0)
    turned = np.array([frame(q) for q in quat])
    angle, depth = rng.uniform(0, 2 * np.pi, COUNT), 10.0 ** rng.uniform(-6, -3, COUNT)
    out = np.stack([np.cos(angle), np.sin(angle), np.zeros(COUNT)], 1) * (RADIUS * (1 - depth))[:, None]
    along = np.stack([-np.sin(angle), np.cos(angle), rng.normal(0, 0.2, COUNT) * (kind == "cylinder")], 1)
    local = np.stack(
        [out - rng.uniform(0.2, 0.8, (COUNT, 1)) * along, out + rng.uniform(0.2, 0.8, (COUNT, 1)) * along], 1
    )
    ends = np.float32(np.einsum("nij,nkj->nki", turned, local) + pos[:, None]).astype(float)
    got, _, _ = paths(kind, ends, None, pos, quat, device)
    want, _, _ = oracle.string_paths(kind, RADIUS, ends, None, pos, quat)
    assert np.abs(got - want).max() < tolerance("wrap_point")
