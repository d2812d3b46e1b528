"""Inverse of a task's Jacobian by its singular values: damped, truncated, and the projection onto what does not move
the task.

Rows of the Jacobian are rotated until they are orthogonal (one-sided Jacobi, Hestenes 1958), which keeps small singular
values accurate: ``J = R^T W``, with ``W_i = s_i v_i`` and ``R`` the rotations.
"""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)

SWEEPS = wp.constant(30)
STRAIGHT = wp.constant(1.0e-6)  # cosine between two rows that are orthogonal
NOTHING = wp.constant(1.0e-12)


@wp.func
def row_dot(w: wp.array3d[float], robot: int, i: int, j: int, n: int) -> float:
    """Product of two rows."""
    total = float(0.0)
    for k in range(n):
        total += w[robot, i, k] * w[robot, j, k]
    return total


@wp.func
def rotate_rows(w: wp.array3d[float], robot: int, i: int, j: int, n: int, c: float, s: float):
    """Rows i and j turned into each other."""
    for k in range(n):
        a = w[robot, i, k]
        b = w[robot, j, k]
        w[robot, i, k] = c * a - s * b
        w[robot, j, k] = s * a + c * b


@wp.func
def orthogonalise(w: wp.array3d[float], r: wp.array3d[float], robot: int, n: int):
    """Rotate the six rows of ``w`` until they are orthogonal, and note the rotations in ``r``."""
    for i in range(6):
        for j in range(6):
            r[robot, i, j] = float(i == j)
    for _sweep in range(SWEEPS):
        turned = int(0)
        for i in range(5):
            for j in range(i + 1, 6):
                a = row_dot(w, robot, i, i, n)
                b = row_dot(w, robot, j, j, n)
                g = row_dot(w, robot, i, j, n)
                if wp.abs(g) > STRAIGHT * wp.sqrt(a * b) and wp.abs(g) > NOTHING:
                    zeta = (b - a) / (2.0 * g)
                    t = 1.0 / (wp.abs(zeta) + wp.sqrt(1.0 + zeta * zeta))
                    if zeta < 0.0:
                        t = -t
                    c = 1.0 / wp.sqrt(1.0 + t * t)
                    rotate_rows(w, robot, i, j, n, c, c * t)
                    rotate_rows(r, robot, i, j, 6, c, c * t)
                    turned = 1
        if turned == 0:
            break


@wp.kernel
def weighed_rows(jacobian: wp.array3d[float], weight: wp.array[wp.spatial_vector], out: wp.array3d[float]):
    """``diag(weight) J``; rows of weight 0 are 0 whatever the Jacobian says."""
    robot, i, j = wp.tid()
    share = weight[robot][i]
    value = float(0.0)
    if share != 0.0:
        value = share * jacobian[robot, i, j]
    out[robot, i, j] = value


@wp.kernel
def weighed_error(
    error: wp.array[wp.spatial_vector], weight: wp.array[wp.spatial_vector], out: wp.array[wp.spatial_vector]
):
    """``diag(weight) e``."""
    i = wp.tid()
    out[i] = wp.cw_mul(weight[i], error[i])


@wp.func
def smallest(w: wp.array3d[float], robot: int, n: int, tasks: int) -> float:
    """The ``tasks``-th largest singular value, 0 where the robot has fewer dofs than that."""
    if n < tasks:
        return 0.0
    found = float(0.0)
    for i in range(6):
        size = row_dot(w, robot, i, i, n)
        larger = int(0)
        for j in range(6):
            other = row_dot(w, robot, j, j, n)
            if other > size or (other == size and j < i):
                larger += 1
        if larger == tasks - 1:
            found = wp.sqrt(size)
    return found


@wp.kernel
def solve_task(
    w: wp.array3d[float],
    r: wp.array3d[float],
    error: wp.array[wp.spatial_vector],
    count: wp.array[int],
    first: wp.array[int],
    tasks: wp.array[int],
    damping: wp.array[float],
    adaptive: wp.vec3,
    cut: float,
    bandwidth: wp.array[float],
    qd: wp.array[float],
):
    """``qd = bandwidth J^+ e`` of each robot, ``w`` holding its weighed Jacobian, which is overwritten.

    ``1/s`` becomes ``s / (s^2 + damping^2)``; with ``cut`` > 0, ``1/s`` above it and 0 below. ``adaptive`` (least,
    most, threshold) makes the damping grow as the smallest singular value falls below the threshold (Maciejewski and
    Klein 1988).
    """
    robot = wp.tid()
    n = count[robot]
    orthogonalise(w, r, robot, n)
    squared = damping[robot] * damping[robot]
    if adaptive[2] > 0.0:
        near = wp.min(smallest(w, robot, n, tasks[robot]) / adaptive[2], 1.0)
        squared = adaptive[0] * adaptive[0] + (1.0 - near * near) * (
            adaptive[1] * adaptive[1] - adaptive[0] * adaptive[0]
        )
    for k in range(n):
        qd[first[robot] + k] = 0.0
    for i in range(6):
        s2 = row_dot(w, robot, i, i, n)
        along = float(0.0)
        for k in range(6):
            along += r[robot, i, k] * error[robot][k]
        scale = float(0.0)
        if cut > 0.0:
            if s2 > cut * cut:
                scale = along / s2
        elif s2 + squared > NOTHING:
            scale = along / (s2 + squared)
        for k in range(n):
            qd[first[robot] + k] += scale * w[robot, i, k]
    for k in range(n):
        qd[first[robot] + k] *= bandwidth[first[robot] + k]


@wp.kernel
def add_freely(
    w: wp.array3d[float],
    r: wp.array3d[float],
    count: wp.array[int],
    first: wp.array[int],
    damping: wp.array[float],
    wish: wp.array[float],
    qd: wp.array[float],
):
    """``qd += (1 - J^T (J J^T + damping^2)^-1 J) wish``, ``w`` holding the Jacobian of what is not to move, which is
    overwritten.
    """
    robot = wp.tid()
    n = count[robot]
    orthogonalise(w, r, robot, n)
    for k in range(n):
        qd[first[robot] + k] += wish[first[robot] + k]
    for i in range(6):
        s2 = row_dot(w, robot, i, i, n)
        below = s2 + damping[robot] * damping[robot]
        if below > NOTHING:
            along = float(0.0)
            for k in range(n):
                along += w[robot, i, k] * wish[first[robot] + k]
            for k in range(n):
                qd[first[robot] + k] -= along / below * w[robot, i, k]


@wp.kernel
def away_from_limits(
    q: wp.array[float],
    lower: wp.array[float],
    upper: wp.array[float],
    gain: float,
    margin: float,
    wish: wp.array[float],
):
    """Pull to the middle of the range, growing from 0 at ``margin`` from a limit to ``gain`` at it."""
    i = wp.tid()
    left = wp.min(q[i] - lower[i], upper[i] - q[i])
    wish[i] = wish[i] - gain * wp.clamp(1.0 - left / margin, 0.0, 1.0) * (q[i] - 0.5 * (lower[i] + upper[i]))


@wp.kernel
def to_posture(q: wp.array[float], desired: wp.array[float], gain: wp.array[float], wish: wp.array[float]):
    """``wish += gain (desired - q)``."""
    i = wp.tid()
    wish[i] = wish[i] + gain[i] * (desired[i] - q[i])


@wp.kernel
def transpose_step(
    w: wp.array3d[float],
    error: wp.array[wp.spatial_vector],
    robot_of_dof: wp.array[int],
    slot_of_dof: wp.array[int],
    bandwidth: wp.array[float],
    qd: wp.array[float],
):
    """``qd = bandwidth J^T e``."""
    i = wp.tid()
    total = float(0.0)
    for k in range(6):
        total += w[robot_of_dof[i], k, slot_of_dof[i]] * error[robot_of_dof[i]][k]
    qd[i] = bandwidth[i] * total


@wp.kernel
def advance(q: wp.array[float], qd: wp.array[float], dt: wp.array[float], out: wp.array[float]):
    """``q + qd dt``."""
    i = wp.tid()
    out[i] = q[i] + qd[i] * dt[0]
