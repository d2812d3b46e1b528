"""Speculative contacts (flag ``speculative``): fast pairs that do not touch yet, and meet within this step.

MuJoCo documentation, Computation: Speculative contacts. What is measured beyond that: docs/decisions/0045.
"""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtGeom, MjtIntegrator
from newtonlite.geometry.contact.convex.number import HALF, ONE, ZERO, real
from newtonlite.geometry.contact.convex.pair import put_touch
from newtonlite.geometry.contact.convex.plane_patch import plane_patch
from newtonlite.geometry.contact.convex.shape import Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import MAX_HITS, Hits, load_point, no_tangent, put_hit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.advance import (
    Course,
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
from newtonlite.solvers.mujoco.kernels.collide.occlusion import is_occluded
from newtonlite.solvers.mujoco.kernels.collide.parameters import Parameters, contact_parameters
from newtonlite.solvers.mujoco.kernels.collide.sweep import is_fast
from newtonlite.solvers.mujoco.kernels.collide.workspace import CCD_LANES, convex_scratch, hulls_of
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
    m: ModelFields,
    d: DataFields,
    work: Workspace,
    hulls: Hulls,
    hits: Hits,
    world: int,
    pair: wp.vec2i,
    origin: wp.vec3,
    c2: Course,
    impact: Impact,
    reach: real,
) -> int:
    """Leave the hits of two geoms at the poses of their impact, up to four of them, from ``origin`` on; returns how many.
    ``reach`` is their cutoff.
    """
    n = int(0)
    if m.geom_type[pair[0]] == MjtGeom.PLANE:
        s = shape_at(m, d, world, pair[1], origin, c2, impact.time)
        n = plane_patch(work, hits, hulls, s, impact.touch.point1, impact.touch.normal, reach)
    else:
        search = distance_search(m, world, reach)
        search.margin = reach
        upright = wp.identity(n=3, dtype=float)
        n = put_touch(work, hits, hulls, impact.touch, search, wp.vec3(0.0, 0.0, 0.0), upright)
    if n == 0:
        t = impact.touch
        put_hit(hits, 0, float(t.dist), wp.vec3(HALF * (t.point1 + t.point2)), wp.vec3(t.normal), no_tangent())
        n = 1
    return n


@wp.func
def keep_unoccluded(
    m: ModelFields,
    d: DataFields,
    work: Workspace,
    hulls: Hulls,
    hits: Hits,
    world: int,
    pair: wp.vec2i,
    origin: wp.vec3,
    c1: Course,
    c2: Course,
    impact: Impact,
    reach: real,
    n: int,
    dist: float,
) -> int:
    """Make ``n`` hits at the impact contacts at distance ``dist`` of the start of the step, in place, but for those that
    something is in the way of; returns how many stay.
    """
    sweep1 = sweep_of(c1)
    sweep2 = sweep_of(c2)
    normal = impact.touch.normal
    kept = int(0)
    for i in range(n):
        # the points that are to meet, at the impact and at the start. A patch is found along a normal of its own and between
        # thickened shapes: MuJoCo goes back to the surface along the normal of the impact
        row = hits.first + i
        pos = double(load_point(hits.pos, world, row))
        own = double(load_point(hits.normal, world, row))
        half = HALF * (real(hits.dist[world, row]) - reach) * own + HALF * reach * normal
        end1 = pos - half
        end2 = pos + half
        start1 = at_start(c1, impact.time, end1)
        start2 = at_start(c2, impact.time, end2)

        # both run to the point of the slower one
        meeting = end2
        if sweep1 < sweep2:
            meeting = end1
        hidden = bool(False)
        if sweep1 > ZERO:
            hidden = is_occluded(m, d, work, hulls, world, pair[0], pair[1], origin, start1, meeting)
        if sweep2 > ZERO and not hidden:
            hidden = is_occluded(m, d, work, hulls, world, pair[1], pair[0], origin, start2, meeting)
        if not hidden:
            at = (sweep1 * start1 + sweep2 * start2) / (sweep1 + sweep2)
            put_hit(hits, kept, dist, origin + wp.vec3(at), wp.vec3(normal), no_tangent())
            kept += 1
    return kept


@wp.func
def foresee(m: ModelFields, d: DataFields, hits: Hits, world: int, lane: int, near: int) -> int:
    """Leave the speculative hits of a near pair in a lane's rows; returns how many."""
    pair = bp_pair_geoms(m, d, world, near)
    if not is_fast(m, d, world, pair[0], pair[1]):
        return 0
    p = contact_parameters(m, world, bp_pair_id(m, d, world, near), pair[0], pair[1])
    work = convex_scratch(d, world, lane)
    hulls = hulls_of(m)
    origin = d.geom_xpos[world, pair[1]]
    c1 = course_of(m, d, world, pair[0], origin)
    c2 = course_of(m, d, world, pair[1], origin)
    impact = advance(m, d, work, hulls, world, pair, origin, c1, c2, real(p.margin))
    if not impact.found:
        return 0

    # several points where flat sides meet: as far as the way that is left, and the distances on both sides
    ahead = (ONE - impact.time) * impact.speed
    reach = impact.touch.dist + impact.touch.dist + ahead + real(m.opt_ccd_tolerance[world])
    n = impact_hits(m, d, work, hulls, hits, world, pair, origin, c2, impact, reach)
    dist = effective_distance(m, world, p, float(impact.time), float(impact.speed))
    return keep_unoccluded(m, d, work, hulls, hits, world, pair, origin, c1, c2, impact, reach, n, dist)


@wp.func
def speculative_narrowphase(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Speculative hits of the near pairs, in order, for ``narrowphase`` to take its contacts from where a pair has no
    contact within its margin.
    """
    if m.nspeculative > 0:
        hits = Hits()
        hits.dist = d.hit_dist
        hits.pos = d.hit_pos
        hits.normal = d.hit_normal
        hits.tangent = d.hit_tangent
        hits.world = world
        hits.first = lane * MAX_HITS
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
    if d.speculative_hits[world, near][1] == 0:
        return False
    pair = bp_pair_geoms(m, d, world, near)
    margin = contact_parameters(m, world, bp_pair_id(m, d, world, near), pair[0], pair[1]).margin
    for i in range(n):
        if source.dist[world, source.first + i] < margin:
            return False
    return True


@wp.func
def speculative_rows(d: DataFields, world: int, near: int) -> Hits:
    """The speculative hits of a near pair; they have no tangents."""
    rows = Hits()
    rows.dist = d.speculative_dist
    rows.pos = d.speculative_pos
    rows.normal = d.speculative_normal
    rows.tangent = d.speculative_normal
    rows.world = world
    rows.first = d.speculative_hits[world, near][0]
    return rows


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
