"""External contacts: the caller's contacts, sorted by world, in place of the engine's collision.

Where not all fit, the deepest stay, as of the engine's own.
"""

import warp as wp

from newtonlite.core.constants import MINMU
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtCone
from newtonlite.core.types import vec5
from newtonlite.geometry.contact.hits import contact_frame, no_tangent
from newtonlite.math.search import first_of
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.contact_overflow import (
    FIRST,
    LAST,
    SELECT,
    is_within,
    limit_of,
    next_pass,
    no_limit,
    select_threshold,
)
from newtonlite.solvers.mujoco.kernels.collide.parameters import (
    Parameters,
    contact_dimension,
    contact_parameters,
    mixing_weight,
)
from newtonlite.solvers.mujoco.kernels.collide.surface_velocity import sliding_velocity
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan

kernel_module(__name__)

DEFAULT_TIME = wp.constant(0.02)
HALF = wp.constant(0.5)
"""Impedance of contacts with a stiffness of their own: a patch has many, and each adds ``d / (1 - d)`` times what it
moves to the inertia.
"""


@wp.kernel(enable_backward=False)
def world_keys(
    count: wp.array[int],
    shape0: wp.array[int],
    shape1: wp.array[int],
    world_of_shape: wp.array[int],
    at_rest: wp.array[int],
    nworld: int,
    keys: wp.array[int],
    order: wp.array[int],
):
    """World of each contact, ``nworld`` for rows that are empty, between shapes of no world or between two that nothing
    moves, and the rows' own numbers.
    """
    i = wp.tid()
    key = int(nworld)
    if i < count[0]:
        a = shape0[i]
        b = shape1[i]
        if a >= 0 and b >= 0 and at_rest[wp.max(a, 0)] * at_rest[wp.max(b, 0)] == 0:
            world = wp.max(world_of_shape[a], world_of_shape[b])
            if world >= 0:
                key = world
    keys[i] = key
    order[i] = i


@wp.kernel(enable_backward=False)
def world_starts(keys: wp.array[int], rows: int, starts: wp.array[int]):
    """First of the sorted rows of each world, ``starts[world + 1] - starts[world]`` rows belong to it."""
    world = wp.tid()
    starts[world] = first_of(keys, rows, world)


@wp.func
def force_space(ke: float, kd: float, factor: float) -> wp.vec2:
    """(timeconst, dampratio) of gains ``ke`` [N/m], ``kd`` [N s/m] that MuJoCo will divide by ``factor``."""
    k = ke * factor
    b = kd * factor
    if k <= 0.0 or b <= 0.0:
        return wp.vec2(DEFAULT_TIME, 1.0)
    return wp.vec2(2.0 / b, b / (2.0 * wp.sqrt(k)))


@wp.func
def pair_invweight(m: ModelFields, world: int, g1: int, g2: int) -> float:
    """Inverse weight of the bodies of two geoms together [1/kg]."""
    return m.body_invweight0[world, m.geom_bodyid[g1]][0] + m.body_invweight0[world, m.geom_bodyid[g2]][0]


@wp.func
def share_of_first(m: ModelFields, world: int, g1: int, g2: int) -> float:
    """Share of the first geom in parameters that are mixed: 1 or 0 where their priorities differ."""
    above = m.geom_priority[g1] - m.geom_priority[g2]
    if above != 0:
        return wp.where(above > 0, 1.0, 0.0)
    return mixing_weight(m.geom_solmix[world, g1], m.geom_solmix[world, g2])


@wp.func
def normal_factor(m: ModelFields, world: int, p: Parameters, g1: int, g2: int) -> float:
    """Factor from a gain [N/m] of a resting contact to that of its acceleration: the regularization of its normal row, or of the edges of its pyramid, which press side by side."""
    factor = pair_invweight(m, world, g1, g2) * (1.0 - p.solimp[1])
    if m.opt_cone != MjtCone.ELLIPTIC and p.dim > 1:
        square = p.friction[0] * p.friction[0]
        invratio = m.opt_impratio_invsqrt[world] * m.opt_impratio_invsqrt[world]
        factor *= square * (1.0 + square) * invratio / float(p.dim - 1)
    return factor


@wp.func
def friction_damping(m: ModelFields, d: DataFields, world: int, p: Parameters, g1: int, g2: int) -> Parameters:
    """The parameters with the geoms' damping of friction [N s/m] in force space: rows of an elliptic cone that slip at
    velocity v without reaching the cone get the force ``-kf v``; without damping there is no friction.

    Such a row has ``(A + R) f = -b v``, with ``A`` the inverse weight, ``R = A (1 - imp) / (imp impratio)`` and
    ``b = 2 / (imp timeconst)``.
    """
    q = p
    if m.opt_cone != MjtCone.ELLIPTIC or m.noverride > 0:
        return q
    share = share_of_first(m, world, g1, g2)
    kf = share * d.geom_gains[world, g1][3] + (1.0 - share) * d.geom_gains[world, g2][3]
    if kf <= 0.0:
        q.dim = 1
        return q
    imp = p.solimp[1]
    invratio = m.opt_impratio_invsqrt[world] * m.opt_impratio_invsqrt[world]
    rate = kf * pair_invweight(m, world, g1, g2) * ((1.0 - imp) * invratio + imp)
    if rate > 0.0 and wp.isfinite(2.0 / rate):
        q.solreffriction = wp.vec2(2.0 / rate, 1.0)
    return q


@wp.func
def external_solref(m: ModelFields, d: DataFields, world: int, p: Parameters, g1: int, g2: int) -> wp.vec2:
    """``solref`` with each geom's gains, where they are in force space, scaled by what the two bodies weigh together."""
    factor = normal_factor(m, world, p, g1, g2)
    ref1 = m.geom_solref[world, g1]
    ref2 = m.geom_solref[world, g2]
    if d.geom_gains[world, g1][2] != 0.0:
        ref1 = force_space(d.geom_gains[world, g1][0], d.geom_gains[world, g1][1], factor)
    if d.geom_gains[world, g2][2] != 0.0:
        ref2 = force_space(d.geom_gains[world, g2][0], d.geom_gains[world, g2][1], factor)
    share = share_of_first(m, world, g1, g2)
    if m.geom_priority[g1] == m.geom_priority[g2] and (ref1[0] <= 0.0 or ref2[0] <= 0.0):
        return wp.min(ref1, ref2)
    return share * ref1 + (1.0 - share) * ref2


@wp.struct
class Ends:
    """Positions of the surfaces of the two shapes along the normal of a row [m]."""

    first: wp.vec3
    second: wp.vec3
    normal: wp.vec3
    dist: float


@wp.func
def ends_of(m: ModelFields, d: DataFields, world: int, row: int, g1: int, g2: int) -> Ends:
    """Surface points of row ``row`` of the caller's list: points on bodies, a normal from the first shape to the
    second.

    A row's margins reach from its points to the surfaces and on by the shapes' own margins, which the engine adds by
    itself.
    """
    b1 = m.geom_bodyid[g1]
    b2 = m.geom_bodyid[g2]
    e = Ends()
    e.normal = d.external_normal[world, row]
    inside0 = d.external_margin0[world, row] - d.shape_margin[world, d.external_shape0[world, row]]
    inside1 = d.external_margin1[world, row] - d.shape_margin[world, d.external_shape1[world, row]]
    e.first = d.xpos[world, b1] + d.xmat[world, b1] * d.external_point0[world, row] + e.normal * inside0
    e.second = d.xpos[world, b2] + d.xmat[world, b2] * d.external_point1[world, row] - e.normal * inside1
    e.dist = wp.dot(e.normal, e.second - e.first)
    return e


@wp.func
def own_solref(m: ModelFields, d: DataFields, world: int, p: Parameters, g1: int, g2: int, row: int) -> wp.vec2:
    """``solref`` of a row with a stiffness of its own: a force of that times its depth, by what the two bodies weigh
    together.
    """
    factor = normal_factor(m, world, p, g1, g2)
    damping = d.external_damping[world, row]
    if damping > 0.0:
        return force_space(d.external_stiffness[world, row], damping, factor)
    k = d.external_stiffness[world, row] * factor
    return wp.vec2(wp.where(k > 0.0, 1.0 / wp.sqrt(wp.max(k, 1.0e-20)), DEFAULT_TIME), 1.0)


@wp.func
def load_contact(m: ModelFields, d: DataFields, world: int, e: Ends, g1: int, g2: int, row: int, c: int):
    """Contact ``c`` of two geoms from where their surfaces are, and from what row ``row`` says of it."""
    p = contact_parameters(m, world, -1, g1, g2)
    if d.external_friction[world, row] > 0.0:
        p.friction[0] = d.external_friction[world, row]
        p.friction[1] = d.external_friction[world, row]
    p = friction_damping(m, d, world, p, g1, g2)
    solref = external_solref(m, d, world, p, g1, g2)
    if d.external_stiffness[world, row] > 0.0:
        # impedance that does not depend on the depth makes the spring linear
        p.solimp[0] = wp.min(p.solimp[1], HALF)
        p.solimp[1] = p.solimp[0]
        solref = own_solref(m, d, world, p, g1, g2, row)
    least = vec5(MINMU, MINMU, MINMU, MINMU, MINMU)
    d.contact_frame[world, c] = contact_frame(e.normal, no_tangent())
    d.contact_pos[world, c] = 0.5 * (e.first + e.second)
    d.contact_dist[world, c] = e.dist
    d.contact_includemargin[world, c] = p.margin
    d.contact_friction[world, c] = wp.max(p.friction, least)
    d.contact_solref[world, c] = solref
    d.contact_solreffriction[world, c] = p.solreffriction
    d.contact_solimp[world, c] = p.solimp
    d.contact_dim[world, c] = contact_dimension(m, p, e.dist)
    d.contact_geom[world, c] = wp.vec2i(g1, g2)
    if m.nspeculative > 0:
        d.contact_speculative[world, c] = 0
    if m.nadhesion > 0:
        d.contact_adhesion[world, c] = p.adhesion
    if m.nsurfacevel > 0:
        d.contact_surfacevel[world, c] = sliding_velocity(m, d, world, c)


@wp.func
def select_given(d: DataFields, world: int, lane: int, nlane: int, n: int, dist: float, index: int):
    """Weigh each lane's contact, number ``index``, where it has one. All lanes call it together."""
    for owner in range(nlane):
        if owner == lane and n > 0:
            select_threshold(d, world, dist, index)
        sync()


@wp.func
def load_contacts(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The caller's contacts of this world, in their order; those of shapes without a geom, and those too far apart to
    act, are left out.

    ``ncon_needed`` counts the others. Where they do not fit, a second pass finds the deepest ``nconmax``, and a third
    writes these.
    """
    first = d.external_start[world, 0]
    count = d.external_start[world, 1] - first
    found = int(0)
    turn = int(FIRST)
    limit = no_limit()
    while turn <= LAST:
        found = int(0)
        kept = int(0)
        for k in range(0, count, nlane):
            row = int(0)
            g1 = int(-1)
            g2 = int(-1)
            if k + lane < count:
                row = d.external_order[world, first + k + lane]
                g1 = d.geom_of_shape[world, d.external_shape0[world, row]]
                g2 = d.geom_of_shape[world, d.external_shape1[world, row]]
            n = int(g1 >= 0 and g2 >= 0)
            e = Ends()
            if n > 0:
                e = ends_of(m, d, world, row, g1, g2)
                n = wp.where(e.dist <= m.geom_margin[world, g1] + m.geom_margin[world, g2], 1, 0)
            slots = team_scan(d.team_i, world, n)
            index = found + slots[0]
            found += slots[1]
            if turn == SELECT:
                select_given(d, world, lane, nlane, n, e.dist, index)
            else:
                c = index
                if turn == LAST:
                    n = wp.where(n > 0 and is_within(limit, e.dist, index), 1, 0)
                    fitting = team_scan(d.team_i, world, n)
                    c = kept + fitting[0]
                    kept += fitting[1]
                n = wp.where(n > 0 and c < d.nconmax, 1, 0)
                if k + lane < count:
                    d.external_slot[world, row] = wp.where(n > 0, c, -1)
                if n > 0:
                    load_contact(m, d, world, e, g1, g2, row, c)
        sync()
        if turn == SELECT:
            limit = limit_of(d, world)
        turn = next_pass(turn, found, d.nconmax)
        sync()
    if lane == 0:
        d.ncon[world] = wp.min(found, d.nconmax)
        d.ncon_needed[world] = found
    sync()
