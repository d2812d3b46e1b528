"""Connect constraint: a point of one body stays at a point of another."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.equality_row import (
    add_point_jacobian,
    anchor,
    clear_body_rows,
    finish_equality_row,
)
from newtonlite.solvers.mujoco.kernels.constraint.least_regularization import min_regularization
from newtonlite.solvers.mujoco.kernels.primitives.point import point_bias, point_velocity


@wp.func
def connect_rows(m: ModelFields, d: DataFields, world: int, k: int, row: int, lane: int, nlane: int):
    """Three rows, ``p1 - p2`` [m]; their reference includes ``dJ/dt qvel``."""
    # error: difference of the anchors in the world frame
    b1 = m.eq_body[k][0]
    b2 = m.eq_body[k][1]
    p1 = anchor(m, d, world, k, 0)
    p2 = anchor(m, d, world, k, 1)
    pos = p1 - p2

    # Jacobian: first body minus second
    clear_body_rows(m, d, world, row, 3, m.eq_body[k], lane, nlane)
    add_point_jacobian(m, d, world, row, b1, p1, 1.0, lane, nlane)
    add_point_jacobian(m, d, world, row, b2, p2, -1.0, lane, nlane)
    vel = point_velocity(m, d, world, b1, p1) - point_velocity(m, d, world, b2, p2)
    bias = point_bias(m, d, world, b1, p1) - point_bias(m, d, world, b2, p2)

    # weight: inverse of the translational inertia of the two bodies
    weight = m.body_invweight0[world, b1][0] + m.body_invweight0[world, b2][0]
    least = min_regularization(m, d, world, row, 3)
    for r in range(3):
        if lane == r % nlane:
            finish_equality_row(m, d, world, k, row + r, pos[r], wp.length(pos), weight, vel[r], bias[r], least)
