"""PGS updates: the best force of one row, or of one contact, with all others held.

The dual problem is ``min f'(A + soft R) f / 2 + f'b`` over the forces that rows may have. Forces and slopes are in
double, since sweeps end by what the last of them gained: the square of a small step.  ``soft`` is 1 for ``pgs`` and 0
for ``noslip``.

Before and after every update ``pgs_residual`` is ``(A + soft R) f + b`` for the forces ``f`` in ``pgs_force``.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import HALF_QUADRATIC, HUBER
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.float64_sums import add_row_float64
from newtonlite.solvers.mujoco.kernels.solve.qcqp import mat55, solve_qcqp, solve_qcqp_2d, vec5

vec6 = wp.types.vector(length=6, dtype=wp.float64)
mat66 = wp.types.matrix(shape=(6, 6), dtype=wp.float64)
NONE = wp.constant(wp.float64(0.0))
HALF = wp.constant(wp.float64(0.5))
ONE = wp.constant(wp.float64(1.0))
TINY = wp.constant(wp.float64(MINVAL))
SOFT = wp.constant(wp.float64(1.0))
HARD = wp.constant(wp.float64(0.0))
"""Whether rows give way by their regularization, or not at all."""
MOST_RISE = wp.constant(wp.float64(1e-10))
"""By how much an update may raise the cost, as MuJoCo has it: beyond that, it is not taken."""


@wp.func
def stiffness(m: ModelFields, d: DataFields, world: int, r: int, c: int, soft: wp.float64) -> wp.float64:
    """Entry of ``A + soft R``."""
    s = wp.float64(d.efc_A[world, r, c])
    if r == c:
        s += soft * wp.float64(d.efc_R[world, r])
    return s


@wp.func
def pgs_residuals(m: ModelFields, d: DataFields, world: int, nrow: int, soft: wp.float64, lane: int, nlane: int):
    """``pgs_residual``: ``(A + soft R) f + b``."""
    for r in range(lane, nrow, nlane):
        d.pgs_residual[world, r] = (
            wp.float64(d.efc_b[world, r]) + soft * wp.float64(d.efc_R[world, r]) * d.pgs_force[world, r]
        )
    sync()
    for r in range(nrow):
        f = d.pgs_force[world, r]
        if f != NONE:
            add_row_float64(d.efc_A, r, f, d.pgs_residual, world, nrow, lane, nlane)
    sync()


@wp.func
def update_force(
    m: ModelFields,
    d: DataFields,
    world: int,
    r: int,
    step: wp.float64,
    nrow: int,
    soft: wp.float64,
    lane: int,
    nlane: int,
):
    """Add a step to the force of a row, and what it does to all slopes."""
    if step != NONE:
        add_row_float64(d.efc_A, r, step, d.pgs_residual, world, nrow, lane, nlane)
        if r % nlane == lane:  # who adds to its slope there, too
            d.pgs_residual[world, r] = d.pgs_residual[world, r] + soft * wp.float64(d.efc_R[world, r]) * step
            d.pgs_force[world, r] = d.pgs_force[world, r] + step


@wp.func
def update_rows(
    m: ModelFields,
    d: DataFields,
    world: int,
    row: int,
    n: int,
    step: vec6,
    nrow: int,
    soft: wp.float64,
    lane: int,
    nlane: int,
) -> wp.float64:
    """Add a step to the forces of ``n`` rows, unless the cost rises by it; returns by how much it falls."""
    # cost falls by -(step' residual + step'(A + soft R) step / 2)
    fall = wp.float64(0.0)
    for i in range(n):
        fall -= step[i] * d.pgs_residual[world, row + i]
        for j in range(n):
            fall -= HALF * step[i] * stiffness(m, d, world, row + i, row + j, soft) * step[j]
    if fall < -MOST_RISE:
        return NONE

    # residuals of all rows follow, by rows of A
    sync()
    for i in range(n):
        update_force(m, d, world, row + i, step[i], nrow, soft, lane, nlane)
    sync()
    return fall


@wp.func
def scalar_step(m: ModelFields, d: DataFields, world: int, r: int, stiff: wp.float64) -> wp.float64:
    """To the best force of one row within its bounds, where ``stiff`` is its entry on the diagonal."""
    # the minimum of a parabola, -residual / curvature from here, and back within the row's bounds
    old = d.pgs_force[world, r]
    f = old - d.pgs_residual[world, r] / wp.max(TINY, stiff)
    kind = d.efc_cost[world, r]
    if kind == HUBER:
        bound = wp.float64(d.efc_frictionloss[world, r])
        f = wp.clamp(f, -bound, bound)
    elif kind == HALF_QUADRATIC:
        f = wp.max(NONE, f)
    return f - old


@wp.func
def update_scalar(
    m: ModelFields, d: DataFields, world: int, r: int, nrow: int, soft: wp.float64, lane: int, nlane: int
) -> wp.float64:
    """Settle one row; returns by how much the cost falls."""
    stiff = stiffness(m, d, world, r, r, soft)
    step = scalar_step(m, d, world, r, stiff)
    fall = -step * (d.pgs_residual[world, r] + HALF * stiff * step)
    sync()
    update_force(m, d, world, r, step, nrow, soft, lane, nlane)
    sync()
    return fall


@wp.func
def contact_rows(m: ModelFields, d: DataFields, world: int, row: int, n: int, soft: wp.float64):
    """Of the ``n`` rows of a contact: their block of ``A + soft R``, slopes and forces."""
    block = mat66()
    slope = vec6()
    force = vec6()
    for i in range(n):
        slope[i] = d.pgs_residual[world, row + i]
        force[i] = d.pgs_force[world, row + i]
        for j in range(n):
            block[i, j] = stiffness(m, d, world, row + i, row + j, soft)
    return block, slope, force


@wp.func
def update_along_ray(block: mat66, slope: vec6, force: vec6, n: int) -> vec6:
    """To the best size of an elliptic contact's force in its present direction, or along the normal.

    A contact without force that only friction would wake stays asleep, as MuJoCo's does.
    """
    # f = s ray: along the cone's inside, from its tip through the present force, or along the normal at the tip
    normal = force[0]
    ray = vec6()
    ray[0] = ONE
    if normal > TINY:
        for i in range(n):
            ray[i] = force[i] / normal

    # a parabola in s: its slope and curvature along the ray
    along = wp.float64(0.0)
    stiff = wp.float64(0.0)
    for i in range(n):
        along += ray[i] * slope[i]
        for j in range(n):
            stiff += ray[i] * ray[j] * block[i, j]
    return (wp.max(NONE, normal - along / wp.max(TINY, stiff)) - normal) * ray


@wp.func
def friction_step(block: mat66, slope: vec6, force: vec6, friction: vec5, n: int) -> vec6:
    """To the best friction of an elliptic contact under its normal force."""
    step = vec6()

    # with g_k = f_k / friction_k the cone's slice at this normal force is a disc |g| <= f_0
    radius = wp.max(NONE, force[0])
    if n == 3:
        a00 = friction[0] * friction[0] * block[1, 1]
        a01 = friction[0] * friction[1] * block[1, 2]
        a11 = friction[1] * friction[1] * block[2, 2]
        f0 = force[1] / friction[0]
        f1 = force[2] / friction[1]
        # the quadratic in g, from slopes and the present friction: a = F block F, b = F slope - a g
        b0 = friction[0] * slope[1] - a00 * f0 - a01 * f1
        b1 = friction[1] * slope[2] - a01 * f0 - a11 * f1
        x2 = solve_qcqp_2d(a00, a01, a11, b0, b1, radius)
        step[1] = friction[0] * x2[0] - force[1]
        step[2] = friction[1] * x2[1] - force[2]
        return step

    # the same for up to five directions
    a = mat55()
    b = vec5()
    for i in range(n - 1):
        b[i] = friction[i] * slope[1 + i]
        for j in range(n - 1):
            a[i, j] = friction[i] * friction[j] * block[1 + i, 1 + j]
            b[i] = b[i] - a[i, j] * force[1 + j] / friction[j]
    x = solve_qcqp(a, b, n - 1, radius)
    for i in range(n - 1):
        step[1 + i] = friction[i] * x[i] - force[1 + i]
    return step


@wp.func
def friction_of(d: DataFields, world: int, c: int, n: int) -> vec5:
    """Friction coefficients of a contact of ``n`` rows."""
    friction = vec5()
    for i in range(n - 1):
        friction[i] = wp.float64(d.contact_friction[world, c][i])
    return friction


@wp.func
def update_friction_qcqp(m: ModelFields, d: DataFields, world: int, row: int, soft: wp.float64) -> vec6:
    """To the best friction of an elliptic contact whose normal force, in the first row, is held."""
    c = d.efc_id[world, row]
    n = d.contact_dim[world, c]
    block, slope, force = contact_rows(m, d, world, row, n, soft)
    return friction_step(block, slope, force, friction_of(d, world, c, n), n)


@wp.func
def update_cone_condim3(
    m: ModelFields, d: DataFields, world: int, row: int, nrow: int, lane: int, nlane: int
) -> wp.float64:
    """``update_cone`` of a contact with two directions of friction, in numbers of their own: vectors that are indexed
    by loops stay in memory.
    """
    # block of A + R, slopes and forces of the three rows
    c = d.efc_id[world, row]
    mu0 = wp.float64(d.contact_friction[world, c][0])
    mu1 = wp.float64(d.contact_friction[world, c][1])
    a00 = stiffness(m, d, world, row, row, SOFT)
    a01 = stiffness(m, d, world, row, row + 1, SOFT)
    a02 = stiffness(m, d, world, row, row + 2, SOFT)
    a11 = stiffness(m, d, world, row + 1, row + 1, SOFT)
    a12 = stiffness(m, d, world, row + 1, row + 2, SOFT)
    a22 = stiffness(m, d, world, row + 2, row + 2, SOFT)
    slope = wp.vec3d(d.pgs_residual[world, row], d.pgs_residual[world, row + 1], d.pgs_residual[world, row + 2])
    force = wp.vec3d(d.pgs_force[world, row], d.pgs_force[world, row + 1], d.pgs_force[world, row + 2])
    block = wp.mat33d(a00, a01, a02, a01, a11, a12, a02, a12, a22)

    # along the ray, as update_along_ray
    ray = wp.vec3d(ONE, NONE, NONE)
    if force[0] > TINY:
        ray = wp.vec3d(ONE, force[1] / force[0], force[2] / force[0])
    size = wp.max(NONE, force[0] - wp.dot(ray, slope) / wp.max(TINY, wp.dot(ray, block * ray)))
    along = (size - force[0]) * ray

    # slopes after that step, and the problem over the disc, as friction_step
    settled = slope + block * along
    before = force + along
    f0 = before[1] / mu0
    f1 = before[2] / mu1
    b00 = mu0 * mu0 * a11
    b01 = mu0 * mu1 * a12
    b11 = mu1 * mu1 * a22
    found = solve_qcqp_2d(
        b00,
        b01,
        b11,
        mu0 * settled[1] - b00 * f0 - b01 * f1,
        mu1 * settled[2] - b01 * f0 - b11 * f1,
        wp.max(NONE, before[0]),
    )

    # both steps together: the fall of the cost is exact for a quadratic
    step = wp.vec3d(along[0], mu0 * found[0] - force[1], mu1 * found[1] - force[2])
    fall = -wp.dot(step, slope) - HALF * wp.dot(step, block * step)
    if fall < -MOST_RISE:
        return NONE

    # residuals of all rows follow
    sync()
    update_force(m, d, world, row, step[0], nrow, SOFT, lane, nlane)
    update_force(m, d, world, row + 1, step[1], nrow, SOFT, lane, nlane)
    update_force(m, d, world, row + 2, step[2], nrow, SOFT, lane, nlane)
    sync()
    return fall


@wp.func
def update_cone(m: ModelFields, d: DataFields, world: int, row: int, nrow: int, lane: int, nlane: int) -> wp.float64:
    """Settle an elliptic contact: the size of its force, then its friction; returns by how much the cost falls."""
    # along the ray first: friction grows and shrinks with the normal force
    c = d.efc_id[world, row]
    n = d.contact_dim[world, c]
    block, slope, force = contact_rows(m, d, world, row, n, SOFT)
    step = update_along_ray(block, slope, force, n)

    # then friction under the new normal force, with the slopes that the first step left
    settled = slope
    for i in range(n):
        for j in range(n):
            settled[i] = settled[i] + block[i, j] * step[j]
    step = step + friction_step(block, settled, force + step, friction_of(d, world, c, n), n)

    # how much both steps gain together, from the slopes before them
    fall = wp.float64(0.0)
    for i in range(n):
        fall -= step[i] * slope[i]
        for j in range(n):
            fall -= HALF * step[i] * block[i, j] * step[j]
    if fall < -MOST_RISE:
        return NONE
    sync()
    for i in range(n):
        update_force(m, d, world, row + i, step[i], nrow, SOFT, lane, nlane)
    sync()
    return fall
