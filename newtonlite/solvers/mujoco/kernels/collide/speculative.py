"""Speculative contacts (flag ``speculative``): fast pairs that do not touch yet, and meet within this step.

MuJoCo documentation, Computation: Speculative contacts. What is measured beyond that: docs/decisions/0045.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtGeom, MjtIntegrator
from newtonlite.geometry.contact.convex.number import HALF, ZERO, real
from newtonlite.geometry.contact.convex.pair import put_touch
from newtonlite.geometry.contact.convex.plane_patch import plane_patch
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import Hits, load_point, no_tangent, put_hit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.advance import (
    FastPair,
    Impact,
    advance,
    at_start,
    course_of,
    distance_search,
    double,
    shape_at,
    sweep_of,
)
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import bp_pair_geoms, bp_pair_id
from newtonlite.solvers.mujoco.kernels.collide.contact_overflow import ContactLimit, is_within
from newtonlite.solvers.mujoco.kernels.collide.occlusion import Way, is_occluded
from newtonlite.solvers.mujoco.kernels.collide.parameters import Parameters, contact_parameters
from newtonlite.solvers.mujoco.kernels.collide.sweep import is_fast
from newtonlite.solvers.mujoco.kernels.collide.workspace import CCD_LANES, convex_scratch, hits_of_lane, hulls_of
from newtonlite.solvers.mujoco.kernels.constraint.row import resolved, stiffness_damping
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan

LEAST_WIDTH = wp.constant(1.0e-4)
"""Depth of a speculative contact without stiffness whose impedance has no width [m]."""


@wp.func
def effective_distance(m: ModelFields, world: int, p: Parameters, time: float, speed: float) -> float:
    """Distance at which the contact's rows take ``1 - time`` of the normal speed [m per step] in this step.

    ``margin - (1 - time - b) speed / k``, with spring and damper of a step, ``k = h^2 K d^2`` and ``b = h B d``; under the
    integrator ``discrete`` ``margin - (1 - time - time (b + k)) speed / k``.
    """
    # spring and damper as the rows of a deep contact have them
    imp = p.solimp[1]
    h = m.opt_timestep[world]
    kb = resolved(m, world, stiffness_damping(m, world, p.solref, imp), imp, p.solref)
    k = h * h * kb[0] * imp * imp
    b = h * kb[1] * imp

    # without a spring depth has no effect: as deep as the impedance is wide
    if k <= wp.static(MINVAL):
        return p.margin - wp.where(p.solimp[2] > 0.0, p.solimp[2], LEAST_WIDTH)
    rest = 1.0 - time - b
    if m.opt_integrator == MjtIntegrator.DISCRETE:
        rest = 1.0 - time - time * (b + k)
    return p.margin - rest / k * speed


@wp.func
def impact_hits(
    m: ModelFields, d: DataFields, work: Workspace, hits: Hits, world: int, pair: FastPair, impact: Impact
) -> int:
    """Leave the hits of two geoms at the poses of their impact, up to four of them, from the pair's origin on; returns how
    many.
    """
    n = int(0)
    t = impact.touch
    if m.geom_type[pair.geoms[0]] == MjtGeom.PLANE:
        s = shape_at(m, d, world, pair.geoms[1], pair.origin, pair.second, impact.time)
        n = plane_patch(work, hits, hulls_of(m), s, t.point1, t.normal, impact.reach)
    else:
        search = distance_search(m, world, impact.reach)
        search.margin = impact.reach
        upright = wp.identity(n=3, dtype=float)
        n = put_touch(work, hits, hulls_of(m), t, search, wp.vec3(0.0, 0.0, 0.0), upright)
    if n == 0:
        put_hit(hits, 0, float(t.dist), wp.vec3(HALF * (t.point1 + t.point2)), wp.vec3(t.normal), no_tangent())
        n = 1
    return n


@wp.func
def keep_unoccluded(
    m: ModelFields, d: DataFields, work: Workspace, hits: Hits, world: int, pair: FastPair, impact: Impact, n: int
) -> int:
    """Make ``n`` hits at the impact contacts of the start of the step, in place, but for those that something is in the way
    of; returns how many stay.
    """
    sweep1 = sweep_of(pair.first)
    sweep2 = sweep_of(pair.second)
    normal = impact.touch.normal
    way = Way()
    way.origin = pair.origin
    kept = int(0)
    for i in range(n):
        # the points that are to meet, at the impact and at the start. A patch is found along a normal of its own and between
        # thickened shapes: MuJoCo goes back to the surface along the normal of the impact
        row = hits.first + i
        pos = double(load_point(hits.pos, world, row))
        own = double(load_point(hits.normal, world, row))
        half = HALF * ((real(hits.dist[world, row]) - impact.reach) * own + impact.reach * normal)
        start1 = at_start(pair.first, impact.time, pos - half)
        start2 = at_start(pair.second, impact.time, pos + half)

        # both run to the point of the slower one
        way.end = pos + half
        if sweep1 < sweep2:
            way.end = pos - half
        hidden = bool(False)
        sides = int(2)
        for side in range(sides):
            way.geom = pair.geoms[side]
            way.against = pair.geoms[1 - side]
            way.start = start1
            moves = sweep1 > ZERO
            if side == 1:
                way.start = start2
                moves = sweep2 > ZERO
            if moves and not hidden:
                hidden = is_occluded(m, d, work, world, way)
        if not hidden:
            at = (sweep1 * start1 + sweep2 * start2) / (sweep1 + sweep2)
            put_hit(hits, kept, float(impact.dist), pair.origin + wp.vec3(at), wp.vec3(normal), no_tangent())
            kept += 1
    return kept


@wp.func
def foresee(m: ModelFields, d: DataFields, hits: Hits, world: int, lane: int, near: int) -> int:
    """Leave the speculative hits of a near pair in a lane's rows; returns how many."""
    geoms = bp_pair_geoms(m, d, world, near)
    if not is_fast(m, d, world, geoms[0], geoms[1]):
        return 0
    p = contact_parameters(m, world, bp_pair_id(m, d, world, near), geoms[0], geoms[1])
    pair = FastPair()
    pair.geoms = geoms
    pair.origin = d.geom_xpos[world, geoms[1]]
    pair.first = course_of(m, d, world, geoms[0], pair.origin)
    pair.second = course_of(m, d, world, geoms[1], pair.origin)
    pair.margin = real(p.margin)
    work = convex_scratch(d, world, lane)
    impact = advance(m, d, work, world, pair)
    if not impact.found:
        return 0
    impact.dist = real(effective_distance(m, world, p, float(impact.time), float(impact.speed)))
    n = impact_hits(m, d, work, hits, world, pair, impact)
    return keep_unoccluded(m, d, work, hits, world, pair, impact, n)


@wp.func
def speculative_narrowphase(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Speculative hits of the near pairs, in order, for ``narrowphase`` to take its contacts from where a pair has no
    contact within its margin.
    """
    if m.nspeculative > 0:
        hits = hits_of_lane(d, world, lane)
        workers = wp.min(nlane, CCD_LANES)
        nbp = d.nbp[world]
        found = int(0)
        for first in range(0, nbp, workers):
            near = first + lane
            n = int(0)
            if lane < workers and near < nbp:
                n = foresee(m, d, hits, world, lane, near)
            slots = team_scan(d.team_i, world, n)
            if lane < workers and near < nbp:
                begin = found + slots[0]
                fits = wp.clamp(d.nconmax - begin, 0, n)
                d.speculative_hits[world, near] = wp.vec2i(begin, fits)
                for i in range(fits):
                    d.speculative_dist[world, begin + i] = hits.dist[world, hits.first + i]
                    d.speculative_pos[world, begin + i] = hits.pos[world, hits.first + i]
                    d.speculative_normal[world, begin + i] = hits.normal[world, hits.first + i]
            found += slots[1]
        if lane == 0:
            d.speculative_lost[world] = wp.max(found - d.nconmax, 0)
        sync()


@wp.func
def is_foreseen(m: ModelFields, d: DataFields, source: Hits, world: int, near: int, n: int) -> bool:
    """Whether speculative hits take the place of the ``n`` hits of a near pair: none of these is within the margin."""
    if near >= d.nbp[world]:
        return False
    if d.speculative_hits[world, near][1] == 0:
        return False
    pair = bp_pair_geoms(m, d, world, near)
    margin = contact_parameters(m, world, bp_pair_id(m, d, world, near), pair[0], pair[1]).margin
    for i in range(n):
        if source.dist[world, source.first + i] < margin:
            return False
    return True


@wp.func
def mark_speculative(
    d: DataFields, source: Hits, world: int, n: int, index: int, slot: int, limit: ContactLimit, foreseen: bool
):
    """Note at the contacts that ``write_contacts`` makes of the same hits whether they are speculative."""
    c = slot
    for i in range(n):
        if c < d.nconmax and is_within(limit, source.dist[world, source.first + i], index + i):
            d.contact_speculative[world, c] = wp.where(foreseen, 1, 0)
            c += 1


@wp.func
def lost_hits(m: ModelFields, d: DataFields, world: int) -> int:
    """Hits for which the lists before the narrow phase had no room."""
    lost = int(0)
    if m.nconvexpair > 0:
        lost += d.convex_lost[world]
    if m.nspeculative > 0:
        lost += d.speculative_lost[world]
    return lost
