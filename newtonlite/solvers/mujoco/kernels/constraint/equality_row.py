"""Equality rows, what all kinds have in common: tied points, their Jacobian, regularisation and parameters of a row."""

import warp as wp

from newtonlite.core.mujoco import MjtEq
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.least_regularization import keep_above
from newtonlite.solvers.mujoco.kernels.constraint.row import (
    QUADRATIC,
    diag_approx,
    finish_row,
    impedance,
    init_row,
    row_blocks,
    step_factor,
    stiffness_damping,
)
from newtonlite.solvers.mujoco.kernels.constraint.row_store import open_rows, place_of_body, put
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def anchor(m: ModelFields, d: DataFields, world: int, k: int, side: int) -> wp.vec3:
    """Tied point of the first (``side`` 0) or second body of a connect or weld: a site, or a point of the body."""
    # a site, or a point in the body's frame from eq_data, where connect and weld have the two in opposite order
    s = m.eq_pair[k][side]
    if s >= 0:
        return d.site_xpos[world, s]
    at = 3 * side
    if m.eq_type[k] == MjtEq.WELD:  # the second body's anchor comes first
        at = 3 - at
    b = m.eq_body[k][side]
    local = wp.vec3(m.eq_data[world, k, at], m.eq_data[world, k, at + 1], m.eq_data[world, k, at + 2])
    return d.xpos[world, b] + d.xmat[world, b] * local


@wp.func
def clear_body_rows(
    m: ModelFields, d: DataFields, world: int, row: int, nrow: int, bodies: wp.vec2i, lane: int, nlane: int
):
    """Start Jacobian rows of the dofs that move two bodies."""
    open_rows(m, d, world, row, nrow, row_blocks(m, bodies[0], bodies[1]), lane, nlane)
    sync()


@wp.func
def add_point_jacobian(
    m: ModelFields, d: DataFields, world: int, row: int, b: int, point: wp.vec3, sign: float, lane: int, nlane: int
):
    """Add to three rows how the dofs of body ``b`` move its point, times ``sign``: 1 for the first body of a constraint,
    -1 for the second.
    """
    first = place_of_body(m, d, world, row, b, sign)
    arm = lever(m, d, world, b, point)
    for c in range(m.chain_adr[b] + lane, m.chain_adr[b + 1], nlane):
        i = m.chain_dof[c]
        lin = linear_at(d.cdof[world, i] * sign, arm)
        for r in range(3):
            put(m, d, world, row + r, first + c, i, lin[r])
    sync()


@wp.func
def finish_equality_row(
    m: ModelFields,
    d: DataFields,
    world: int,
    k: int,
    row: int,
    pos: float,
    pos_norm: float,
    diag: float,
    vel: float,
    bias: float,
    least: float,
):
    """Parameters of a row: ``pos_norm`` is the size of the constraint's violation, ``bias`` is ``dJ/dt qvel``, ``least``
    the least R.
    """
    # k and b of the reference, and impedance by the size of the whole violation, as all rows of a constraint share it
    solimp = m.eq_solimp[world, k]
    kb = stiffness_damping(m, world, m.eq_solref[world, k], solimp[1])
    imp = impedance(solimp, pos_norm)
    init_row(m, d, world, row, QUADRATIC, k, pos, 0.0)
    finish_row(m, d, world, row, kb, imp, diag_approx(m, diag), pos, vel)

    # J qacc should be aref - dJ/dt qvel
    d.efc_aref[world, row] = d.efc_aref[world, row] - bias / step_factor(m, world, kb, imp)

    keep_above(d, world, row, least)
