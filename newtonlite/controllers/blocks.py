"""Linear algebra over one padded matrix per robot: products, inverses, and rows over dofs times such matrices."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.math.cholesky import invert_block

kernel_module(__name__)


@wp.kernel
def add_block(term: wp.array[float], total: wp.array[float]):
    """``total += term``."""
    i = wp.tid()
    total[i] = total[i] + term[i]


@wp.kernel
def spring(
    q: wp.array[float],
    qd: wp.array[float],
    q_des: wp.array[float],
    qd_des: wp.array[float],
    stiffness: wp.array[float],
    damping: wp.array[float],
    out: wp.array[float],
):
    """``Kp (q_des - q) + Kd (qd_des - qd)``, dof by dof."""
    i = wp.tid()
    out[i] = stiffness[i] * (q_des[i] - q[i]) + damping[i] * (qd_des[i] - qd[i])


@wp.kernel
def times_row(
    matrix: wp.array3d[float],
    row: wp.array[float],
    robot_of_dof: wp.array[int],
    slot_of_dof: wp.array[int],
    first: wp.array[int],
    count: wp.array[int],
    out: wp.array[float],
):
    """Each robot's square matrix times its part of a row over dofs."""
    i = wp.tid()
    robot = robot_of_dof[i]
    total = float(0.0)
    for j in range(count[robot]):
        total += matrix[robot, slot_of_dof[i], j] * row[first[robot] + j]
    out[i] = total


@wp.kernel
def product(a: wp.array3d[float], b: wp.array3d[float], transposed: bool, inner: wp.array[int], out: wp.array3d[float]):
    """``A B``, or ``A B^T``; ``inner`` is the number of columns of A that count for each robot."""
    robot, i, j = wp.tid()
    total = float(0.0)
    for k in range(inner[robot]):
        right = float(0.0)
        if transposed:
            right = b[robot, j, k]
        else:
            right = b[robot, k, j]
        total += a[robot, i, k] * right
    out[robot, i, j] = total


@wp.kernel
def invert(
    matrix: wp.array3d[float], size: wp.array[int], start: int, factor: wp.array3d[float], out: wp.array3d[float]
):
    """Inverse of each symmetric positive definite block ``[start : start + size]``."""
    robot = wp.tid()
    invert_block(matrix, robot, start, size[robot], factor, out)


@wp.kernel
def times_spatial(matrix: wp.array3d[float], vector: wp.array[wp.spatial_vector], out: wp.array[wp.spatial_vector]):
    """Each robot's 6 x 6 matrix times its vector."""
    robot = wp.tid()
    v = vector[robot]
    found = wp.spatial_vector()
    for i in range(6):
        total = float(0.0)
        for j in range(6):
            total += matrix[robot, i, j] * v[j]
        found[i] = total
    out[robot] = found


@wp.kernel
def transpose_times(
    jacobian: wp.array3d[float],
    force: wp.array[wp.spatial_vector],
    robot_of_dof: wp.array[int],
    slot_of_dof: wp.array[int],
    keep: bool,
    out: wp.array[float],
):
    """``J^T F`` of each robot as a row over dofs; with ``keep`` it is added."""
    i = wp.tid()
    robot = robot_of_dof[i]
    total = float(0.0)
    if keep:
        total = out[i]
    for k in range(6):
        total += jacobian[robot, k, slot_of_dof[i]] * force[robot][k]
    out[i] = total


@wp.kernel
def null_space(jacobian: wp.array3d[float], inverse_transposed: wp.array3d[float], out: wp.array3d[float]):
    """``N = 1 - J^T Jbar^T``: forces that it lets through do not move the task."""
    robot, i, j = wp.tid()
    total = float(i == j)
    for k in range(6):
        total -= jacobian[robot, k, i] * inverse_transposed[robot, k, j]
    out[robot, i, j] = total
