"""Functions for kernels: twists, wrenches, quaternions, smooth extrema and tangents against their definitions."""

import numpy as np
import pytest
import warp as wp
from scipy.spatial.transform import Rotation

from newtonlite import math
from tests.tolerance import assert_close

COUNT = 64


@wp.kernel(module="unique")
def twists(
    t: wp.array[wp.transform],
    x: wp.array[wp.spatial_vector],
    r: wp.array[wp.vec3],
    twist: wp.array[wp.spatial_vector],
    wrench: wp.array[wp.spatial_vector],
    speed: wp.array[wp.vec3],
):
    i = wp.tid()
    twist[i] = math.transform_twist(t[i], x[i])
    wrench[i] = math.transform_wrench(t[i], x[i])
    speed[i] = math.velocity_at_point(x[i], r[i])


@wp.kernel(module="unique")
def rotations(
    a: wp.array[wp.vec3],
    b: wp.array[wp.vec3],
    q: wp.array[wp.quat],
    p: wp.array[wp.quat],
    carried: wp.array[wp.vec3],
    angles: wp.array[wp.vec3],
    omega: wp.array[wp.vec3],
    b1: wp.array[wp.vec3],
    b2: wp.array[wp.vec3],
):
    i = wp.tid()
    carried[i] = wp.quat_rotate(math.quat_between_vectors_robust(a[i], b[i]), a[i])
    angles[i] = math.quat_decompose(q[i])
    omega[i] = math.quat_velocity(q[i], p[i], 0.1)
    first, second = math.orthonormal_basis(a[i])
    b1[i] = first
    b2[i] = second


@wp.kernel(module="unique")
def numbers(a: wp.array[wp.vec3], b: wp.array[wp.vec3], out: wp.array2d[float]):
    i = wp.tid()
    x, y = a[i][0], b[i][0]
    out[i, 0] = math.boltzmann(x, y, 500.0)
    out[i, 1] = math.smooth_max(x, y, 0.04)
    out[i, 2] = math.smooth_min(x, y, 0.04)
    out[i, 3] = math.leaky_max(x, y) - math.vec_leaky_max(a[i], b[i])[0]
    out[i, 4] = math.leaky_min(x, y) - math.vec_leaky_min(a[i], b[i])[0]
    out[i, 5] = math.safe_div(x, y)
    out[i, 6] = math.safe_div(x, 0.0, 0.5)
    unit, length = math.normalize_with_norm(a[i])
    out[i, 7] = wp.length(unit * length - a[i])
    zero, none = math.normalize_with_norm(wp.vec3())
    out[i, 8] = wp.length(zero) + none
    out[i, 9] = wp.length(math.vec_max(a[i], b[i]) + math.vec_min(a[i], b[i]) - a[i] - b[i])
    out[i, 10] = wp.min(math.vec_abs(a[i]))
    out[i, 11] = float(math.vec_allclose(a[i], b[i], 0.1, 0.25))
    out[i, 12] = float(math.vec_inside_limits(a[i], b[i], wp.vec3(1.0, 1.0, 1.0)))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def units(rng, n=COUNT, width=3):
    v = rng.normal(size=(n, width))
    return (v / np.linalg.norm(v, axis=1, keepdims=True)).astype(np.float32)


def run(kernel, inputs, kinds):
    outputs = [wp.zeros(COUNT, dtype=kind, device="cpu") for kind in kinds]
    wp.launch(kernel, dim=COUNT, inputs=inputs, outputs=outputs, device="cpu")
    return [array.numpy() for array in outputs]


def array(values, kind):
    return wp.array(np.asarray(values, np.float32), dtype=kind, device="cpu")


def test_twists_and_wrenches_keep_their_power(rng):
    p, q = rng.normal(size=(COUNT, 3)), units(rng, width=4)
    x, r = rng.normal(size=(COUNT, 6)), rng.normal(size=(COUNT, 3))
    inputs = [array(np.hstack([p, q]), wp.transform), array(x, wp.spatial_vector), array(r, wp.vec3)]
    twist, wrench, speed = run(twists, inputs, [wp.spatial_vector, wp.spatial_vector, wp.vec3])
    turn = Rotation.from_quat(q)
    assert_close(twist[:, 3:], turn.apply(x[:, 3:]), "force")
    assert_close(twist[:, :3], turn.apply(x[:, :3]) + np.cross(p, turn.apply(x[:, 3:])), "force")
    assert_close((wrench * twist).sum(1), (x * x).sum(1), "force")  # power is the same in both frames
    assert_close(speed, x[:, :3] + np.cross(x[:, 3:], r), "force")


def test_rotations(rng):
    a, b, q, omega = units(rng), units(rng), units(rng, width=4), rng.uniform(-5, 5, (COUNT, 3))
    b[:4], b[4:8], a[8], b[8] = a[:4], -a[4:8], (1, 0, 0), (-1, 0, 0)
    p = (Rotation.from_rotvec(omega * 0.1).inv() * Rotation.from_quat(q)).as_quat()
    p[::2] *= -1  # the same orientations
    inputs = [array(a, wp.vec3), array(b, wp.vec3), array(q, wp.quat), array(p, wp.quat)]
    carried, angles, found, b1, b2 = run(rotations, inputs, [wp.vec3] * 5)
    assert_close(carried, b, "hit_position")
    assert (np.abs(angles) <= np.float32(np.pi)).all()
    again = Rotation.from_euler("XYZ", angles).as_matrix()
    assert_close(again, Rotation.from_quat(q).as_matrix(), "tangent")
    assert_close(found, omega, "tangent")
    frames = np.stack([b1, b2, a], axis=2)
    assert_close(frames.transpose(0, 2, 1) @ frames, np.tile(np.eye(3), (COUNT, 1, 1)), "force")
    assert_close(np.abs(np.linalg.det(frames)), np.ones(COUNT), "force")


def test_numbers_and_vectors(rng):
    a, b = rng.uniform(-1, 1, (2, COUNT, 3)).astype(np.float32)
    b[0], b[1], a[2], b[2] = a[0], a[1] - 0.01, np.inf, np.inf
    a[3], b[4], a[5], b[5] = np.nan, np.nan, np.inf, -np.inf
    out = wp.zeros((COUNT, 13), dtype=float, device="cpu")
    wp.launch(numbers, dim=COUNT, inputs=[array(a, wp.vec3), array(b, wp.vec3)], outputs=[out], device="cpu")
    found, x, y = out.numpy(), a[:, 0], b[:, 0]
    assert (found[:, 11] == [np.allclose(i, j, 0.1, 0.25) for i, j in zip(a, b, strict=True)]).all()
    assert (found[:, 12] == ((b <= a) & (a <= 1)).all(1)).all()
    found, x, y = found[6:], x[6:], y[6:]
    high, low = np.maximum(x, y), np.minimum(x, y)
    assert_close(found[:, 0], high, "hit_normal")
    assert_close(found[:, 1] + found[:, 2], x + y, "force")
    assert ((found[:, 1] > high) & (found[:, 1] <= high + 0.1001)).all() and (found[:, 2] < low).all()
    assert (found[:, [3, 4, 8]] == 0).all()
    assert_close(found[:, 5], x / y, "force")
    assert_close(found[:, 6], 2 * x, "force")
    assert_close(found[:, [7, 9]], np.zeros((len(found), 2)), "force", floor=1.0)
    np.testing.assert_allclose(found[:, 10], np.abs(a[6:]).min(1))
