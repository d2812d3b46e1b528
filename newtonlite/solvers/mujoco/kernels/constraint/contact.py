"""Contact rows: frictionless, pyramidal and elliptic cones, 1 to 6 dimensions."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtCone, MjtDisableBit, MjtIntegrator
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.contact_flex import side_blocks, side_weight, side_width, sides_move
from newtonlite.solvers.mujoco.kernels.constraint.contact_jacobian import add_side_jacobian
from newtonlite.solvers.mujoco.kernels.constraint.contact_surface import add_adhesion, add_surface_velocity
from newtonlite.solvers.mujoco.kernels.constraint.least_regularization import MIN_R_SHARE, inverse_inertia_of_row
from newtonlite.solvers.mujoco.kernels.constraint.row import (
    CONE_NORMAL,
    CONE_TANGENT,
    HALF_QUADRATIC,
    MIN_R,
    body_blocks,
    diag_approx,
    finish_row,
    impedance,
    init_row,
    resolved,
    row_blocks,
    stiffness_damping,
    two_stretches,
)
from newtonlite.solvers.mujoco.kernels.constraint.row_store import (
    jacobian_mul,
    merge_entries,
    open_rows,
    reserve_entries,
    transpose_rows,
)
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import is_passive
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan

MIN_R_PYRAMID = wp.constant(1.0e-4)  # edges of a pyramid without friction coincide; float32 must still tell M from them


@wp.func
def contact_row_count(m: ModelFields, d: DataFields, world: int, c: int) -> int:
    """Rows of contact ``c``: none inside the gap unless it sticks or is speculative, 1 without friction, else 2 (dim - 1) edges or dim
    axes.
    """
    # inside the gap a contact is detected but has no force, unless adhesion holds it
    apart = d.contact_dist[world, c] >= d.contact_includemargin[world, c]
    if m.nadhesion > 0 and d.contact_adhesion[world, c] != 0.0:
        apart = False
    if m.nspeculative > 0:
        if d.contact_speculative[world, c] != 0:
            apart = False
    if m.nv == 0 or apart:
        return 0
    if m.nflexgroup > 0:
        if is_passive(m, d, world, c):
            return 0
        if d.contact_geom[world, c][1] < 0 and not sides_move(m, d, world, c):
            return 0
    if m.npair > 0:
        if not geoms_move(m, d.contact_geom[world, c]):
            return 0
    dim = d.contact_dim[world, c]
    if dim == 1 or m.opt_cone == MjtCone.ELLIPTIC:
        return dim
    return 2 * (dim - 1)


@wp.func
def geoms_move(m: ModelFields, geoms: wp.vec2i) -> bool:
    """Whether a dof moves a geom of a contact against the other: a ``<pair>`` may name geoms that are welded together, or
    that nothing moves.
    """
    if geoms[0] < 0 or geoms[1] < 0:
        return True
    one = m.geom_bodyid[geoms[0]]
    two = m.geom_bodyid[geoms[1]]
    return m.body_weldid[one] != m.body_weldid[two] and body_blocks(m, one)[1] + body_blocks(m, two)[1] > 0


@wp.func
def rows_of_closest(m: ModelFields, d: DataFields, world: int, ncon: int, before: int) -> int:
    """Rows for the deepest contacts whose rows fit, in contact order; returns how many rows there are with those
    ``before``.

    By one lane. Nothing is left for contacts where earlier rows did not fit.
    """
    # which contacts: the deepest first, as long as their rows fit
    capacity = d.njmax - before
    for c in range(ncon):
        d.contact_efc_address[world, c] = -1
    search = bool(capacity > 0)
    while search:
        best = int(-1)
        for c in range(ncon):
            if d.contact_efc_address[world, c] < 0 and contact_row_count(m, d, world, c) > 0:
                if best < 0 or d.contact_dist[world, c] < d.contact_dist[world, best]:
                    best = c
        search = best >= 0
        if search:
            capacity -= contact_row_count(m, d, world, best)
            search = capacity >= 0
            if search:
                d.contact_efc_address[world, best] = 0

    # which rows: side by side, in the order of contacts
    row = wp.where(before > d.njmax, d.nefc[world], before)
    for c in range(ncon):
        if d.contact_efc_address[world, c] == 0:
            d.contact_efc_address[world, c] = row
            row += contact_row_count(m, d, world, c)
    return row


@wp.func
def claim_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Give each contact its rows, in contact order; where they do not fit, the deepest contacts get theirs."""
    # each lane counts the rows of its contacts; a scan turns counts into first rows, in contact order
    ncon = d.ncon[world]
    if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.CONTACT)) != 0:
        ncon = int(0)
    before = d.nefc_needed[world]
    needed = before
    for c0 in range(0, ncon, nlane):
        c = c0 + lane
        n = int(0)
        if c < ncon:
            n = contact_row_count(m, d, world, c)
        slots = team_scan(d.team_i, world, n)
        if c < ncon:
            d.contact_efc_address[world, c] = wp.where(n > 0, needed + slots[0], -1)
        needed += slots[1]
    sync()

    # more than fit: choose the deepest
    if lane == 0:
        kept = needed
        if needed > d.njmax:
            kept = rows_of_closest(m, d, world, ncon, before)
        d.nefc[world] = kept
        d.nefc_needed[world] = needed
    sync()


@wp.func
def claim_entries(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Give the rows of each contact their entries, where rows are sparse: the chains of the bodies of both sides."""
    if m.nsparse > 0:
        # contacts in their order, each with as many entries for every row as both sides have dofs; by a scan
        ncon = d.ncon[world]
        if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.CONTACT)) != 0:
            ncon = int(0)
        adr = d.nJ[world]
        sync()
        for c0 in range(0, ncon, nlane):
            c = c0 + lane
            n = int(0)
            width = int(0)
            if c < ncon and d.contact_efc_address[world, c] >= 0:
                width = side_width(m, d, world, c, 0) + side_width(m, d, world, c, 1)
                n = contact_row_count(m, d, world, c)
            slots = team_scan(d.team_i, world, n * width)
            if n > 0:
                reserve_entries(d, world, d.contact_efc_address[world, c], n, adr + slots[0], width)
            adr += slots[1]
        if lane == 0:
            d.nJ[world] = adr
        sync()


@wp.func
def contact_blocks(m: ModelFields, d: DataFields, world: int, c: int) -> wp.vec4i:
    """Column blocks of the trees that a contact acts on."""
    geoms = d.contact_geom[world, c]
    if m.nflexgroup > 0:
        if geoms[1] < 0:
            return two_stretches(side_blocks(m, d, world, c, 0), side_blocks(m, d, world, c, 1))
    return row_blocks(m, m.geom_bodyid[geoms[0]], m.geom_bodyid[geoms[1]])


@wp.func
def contact_invweight(m: ModelFields, d: DataFields, world: int, c: int) -> float:
    """Inverse inertia of both sides of a contact at qpos0, as far as they move."""
    geoms = d.contact_geom[world, c]
    if m.nflexgroup > 0:
        if geoms[1] < 0:
            return side_weight(m, d, world, c, 0) + side_weight(m, d, world, c, 1)
    w1 = m.body_invweight0[world, m.geom_bodyid[geoms[0]]]
    w2 = m.body_invweight0[world, m.geom_bodyid[geoms[1]]]
    return w1[0] + w2[0]


@wp.func
def contact_jacobian(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``J = frame (J_point(body2) - J_point(body1))``, then mixed into the edges of a pyramid."""
    ncon = d.ncon[world]
    if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.CONTACT)) != 0:
        ncon = int(0)

    # a row has numbers in the blocks of the two bodies' trees alone: cleared first, then summed
    for c in range(ncon):
        row = d.contact_efc_address[world, c]
        if row >= 0:
            n = contact_row_count(m, d, world, c)
            open_rows(m, d, world, row, n, contact_blocks(m, d, world, c), lane, nlane)
            sync()
            add_side_jacobian(m, d, world, c, 0, lane, nlane)
            sync()
            add_side_jacobian(m, d, world, c, 1, lane, nlane)
    sync()
    if m.nsparse > 0:
        for c in range(lane, ncon, nlane):
            row = d.contact_efc_address[world, c]
            if row >= 0:
                merge_entries(m, d, world, row, contact_row_count(m, d, world, c))
        sync()


@wp.func
def is_weightless(m: ModelFields, weight: float) -> bool:
    """Whether the inverse inertia of a contact is none: weights of nodes of quadratic flexes may be negative."""
    if m.nflexgroup > 0 and m.ndiagexact == 0:
        return weight < MIN_R
    return False


@wp.func
def finish_contact_rows(m: ModelFields, d: DataFields, world: int, c: int, row: int):
    """Regularisation and reference of a contact's rows; friction axes keep the ratio of their coefficients."""
    # weight of a translation: the inverse inertias of both bodies at qpos0
    dim = d.contact_dim[world, c]
    tran = diag_approx(m, contact_invweight(m, d, world, c))
    margin = d.contact_includemargin[world, c]
    dist = d.contact_dist[world, c]

    # impedance and reference by how deep the contact is beyond its margin
    r = dist - margin
    solimp = d.contact_solimp[world, c]
    imp = impedance(solimp, r)
    solref = d.contact_solref[world, c]
    given = stiffness_damping(m, world, solref, solimp[1])
    kb = resolved(m, world, given, imp, solref)
    friction = d.contact_friction[world, c]

    # with no weight, as stiff as float32 can tell from the inertia
    weightless = is_weightless(m, tran)
    if weightless:
        tran = MIN_R_SHARE * inverse_inertia_of_row(m, d, world, row) * imp / (1.0 - imp)

    # without friction: one row
    if dim == 1:
        init_row(m, d, world, row, HALF_QUADRATIC, c, dist, margin)
        finish_row(m, d, world, row, kb, imp, tran, r, d.efc_vel[world, row])
        d.contact_mu[world, c] = 0.0
        return

    # mu is the friction of the cone whose rows are regularised alike: friction[0] / sqrt(impratio)
    mu = friction[0] * m.opt_impratio_invsqrt[world]
    d.contact_mu[world, c] = mu
    if m.opt_cone != MjtCone.ELLIPTIC:
        # pyramid: R of all edges is 2 mu^2 times that of a row of the edge's weight, and no less than float32 needs
        edge = diag_approx(m, tran * wp.where(weightless, 1.0, 1.0 + friction[0] * friction[0]))
        scale = wp.max(2.0 * mu * mu, MIN_R_PYRAMID * imp / (1.0 - imp))
        for k in range(2 * (dim - 1)):
            init_row(m, d, world, row + k, HALF_QUADRATIC, c, dist, margin)
            finish_row(m, d, world, row + k, kb, imp, scale * edge, r, d.efc_vel[world, row + k])
        return

    # elliptic: the normal as if it had no friction
    init_row(m, d, world, row, CONE_NORMAL, c, dist, margin)
    finish_row(m, d, world, row, kb, imp, tran, r, d.efc_vel[world, row])

    # R_k = R_0 / impratio (friction_0 / friction_k)^2: the coupling of R that gives the cone's cost its closed form
    # (solve/cost.py)
    invratio = m.opt_impratio_invsqrt[world] * m.opt_impratio_invsqrt[world]
    slip = d.contact_solreffriction[world, c]
    bf = given[1]
    if slip[0] != 0.0 or slip[1] != 0.0:
        bf = stiffness_damping(m, world, slip, solimp[1])[1]

    # friction has no position to return to, only a speed that it damps
    for k in range(1, dim):
        ratio = friction[0] / wp.max(MINVAL, friction[k - 1])
        init_row(m, d, world, row + k, CONE_TANGENT, c, 0.0, 0.0)
        diag = tran * invratio * ratio * ratio
        finish_row(m, d, world, row + k, wp.vec2(0.0, bf), imp, diag, 0.0, d.efc_vel[world, row + k])
        if m.opt_integrator == MjtIntegrator.DISCRETE:
            # the step's factor of the normal, so that the ratios of the cone hold
            d.efc_R[world, row + k] = wp.max(MIN_R, d.efc_R[world, row] * invratio * ratio * ratio)
            d.efc_D[world, row + k] = 1.0 / d.efc_R[world, row + k]


@wp.func
def count_lost(d: DataFields, world: int):
    """Count what did not fit in this step, kind by kind: contacts, rows, near pairs."""
    lost = wp.vec3i(
        wp.max(d.ncon_needed[world] - d.nconmax, 0),
        wp.max(d.nefc_needed[world] - d.nefc[world], 0),
        wp.max(d.nbp_needed[world] - d.nbpmax, 0),
    )
    if lost[0] + lost[1] + lost[2] > 0:
        d.overflow[world] = d.overflow[world] + 1
        d.lost[world] = d.lost[world] + lost


@wp.func
def contact_rows(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """All rows of all contacts; then the counters."""
    # where the rows are, what they are over the dofs, and J qvel of all at once
    claim_rows(m, d, world, lane, nlane)
    claim_entries(m, d, world, lane, nlane)
    contact_jacobian(m, d, world, lane, nlane)
    jacobian_mul(m, d, d.qvel, d.efc_vel, world, lane, nlane)
    transpose_rows(m, d, world, lane, nlane)
    sync()
    ncon = d.ncon[world]
    if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.CONTACT)) != 0:
        ncon = int(0)

    # parameters row by row: reference and R from J qvel, relative to surfaces that move by themselves
    for c in range(lane, ncon, nlane):
        row = d.contact_efc_address[world, c]
        if row >= 0:
            if m.nsurfacevel > 0:
                add_surface_velocity(m, d, world, c, row)
            finish_contact_rows(m, d, world, c, row)
            if m.nadhesion > 0:
                add_adhesion(m, d, world, c, row)

    # what was asked for and what did not fit, for users to size their worlds by
    if lane == 0:
        d.ncon_max[world] = wp.max(d.ncon_max[world], d.ncon_needed[world])
        d.nefc_max[world] = wp.max(d.nefc_max[world], d.nefc_needed[world])
        d.nbp_max[world] = wp.max(d.nbp_max[world], d.nbp_needed[world])
        count_lost(d, world)
    sync()
