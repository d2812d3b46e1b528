"""Conservative advancement: the time within a step at which two geoms meet.

MuJoCo documentation, Computation: Speculative contacts; Mirtich, Impulse-based Dynamic Simulation of Rigid Body Systems,
1996. The distance of the geoms at a pose, over a bound of the speed at which it can shrink, is a time for which nothing
happens: they are put that much further along, and again, until they are nearly there.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtGeom
from newtonlite.geometry.contact.convex.number import ONE, TINY, ZERO, mat, real, vec
from newtonlite.geometry.contact.convex.pair import ConvexSearch, ConvexTouch, nearest_touch, radius
from newtonlite.geometry.contact.convex.shape import Convex, Hulls, support
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.workspace import convex_geom, hulls_of

CLEARANCE = wp.constant(real(0.02))
"""Part of the first distance that is left where an advance is to end."""
NEAR_ENOUGH = wp.constant(real(0.03))
"""Part of the first distance at which it ends."""
MOST_ADVANCES = 100


@wp.struct
class Course:
    """A geom's motion in a step: where its centre is at the start, its way and its turn [rad] until the end, the radius
    of the sphere around it.
    """

    start: vec
    way: vec
    turn: vec
    radius: real


@wp.struct
class FastPair:
    """Two geoms in a step: their courses from ``origin`` on, and the margin of their contacts [m]."""

    geoms: wp.vec2i
    origin: wp.vec3
    first: Course
    second: Course
    margin: real


@wp.struct
class Impact:
    """The poses at which two geoms meet: time as a part of the step, speed at which they approach [m per step], and the
    nearest points, as at this time. Flat sides meet as far as ``reach`` [m]; ``dist`` is the distance of the contacts.
    """

    found: bool
    time: real
    speed: real
    touch: ConvexTouch
    reach: real
    dist: real


@wp.func
def double(v: wp.vec3) -> vec:
    """A vector of single numbers as one of doubles."""
    return vec(real(v[0]), real(v[1]), real(v[2]))


@wp.func
def course_of(m: ModelFields, d: DataFields, world: int, g: int, origin: wp.vec3) -> Course:
    """Motion of a geom in this step, in the world's axes from ``origin`` on."""
    motion = d.geom_sweep[world, g]
    c = Course()
    c.start = double(d.geom_xpos[world, g] - origin)
    c.way = double(wp.spatial_bottom(motion))
    c.turn = double(wp.spatial_top(motion))
    c.radius = real(m.geom_rbound[world, g])
    return c


@wp.func
def sweep_of(c: Course) -> real:
    """Most that a point of the geom moves [m]."""
    return wp.length(c.way) + wp.length(c.turn) * c.radius


@wp.func
def turned(c: Course, time: real) -> mat:
    """Rotation from the start until ``time``: Rodrigues' formula, ``1 + sin(a) [u] + (1 - cos(a)) [u]^2``."""
    angle = wp.length(c.turn)
    r = wp.identity(n=3, dtype=wp.float64)
    if angle > TINY:
        u = c.turn / angle
        cross = mat(ZERO, -u[2], u[1], u[2], ZERO, -u[0], -u[1], u[0], ZERO)
        r += wp.sin(time * angle) * cross + (ONE - wp.cos(time * angle)) * (cross * cross)
    return r


@wp.func
def shape_at(m: ModelFields, d: DataFields, world: int, g: int, origin: wp.vec3, c: Course, time: real) -> Convex:
    """A geom as it is at ``time``."""
    s = convex_geom(m, d, world, g, origin, wp.identity(n=3, dtype=wp.float64))
    s.pos = c.start + time * c.way
    s.turn = turned(c, time) * s.turn
    return s


@wp.func
def at_start(c: Course, time: real, point: vec) -> vec:
    """Place at the start of the point of the geom that is at ``point`` at ``time``."""
    return c.start + wp.transpose(turned(c, time)) * (point - c.start - time * c.way)


@wp.func
def point_motion(c: Course, time: real, point: vec) -> vec:
    """Velocity [m per step] of the point of the geom that is at ``point`` at ``time``."""
    return c.way + wp.cross(c.turn, point - c.start - time * c.way)


@wp.func
def distance_search(m: ModelFields, world: int, cutoff: real) -> ConvexSearch:
    """Settings of a search for a distance."""
    search = ConvexSearch()
    search.cutoff = cutoff
    search.tolerance = real(m.opt_ccd_tolerance[world])
    search.iterations = m.opt_ccd_iterations
    search.patches = (m.opt_disableflags & MjtDisableBit.MULTICCD) == 0
    return search


@wp.func
def nearest_points(work: Workspace, hulls: Hulls, s1: Convex, s2: Convex, search: ConvexSearch) -> ConvexTouch:
    """Nearest points of two shapes, of which the first may be a plane; the second is left in the workspace."""
    work.shape[0] = s1
    work.shape[1] = s2
    t = ConvexTouch()
    if s1.kind == MjtGeom.PLANE:
        # the second shape's support against the plane's normal
        t.normal = s1.turn * vec(ZERO, ZERO, ONE)
        t.point2 = support(hulls, s2, -t.normal, -1).point
        t.dist = wp.dot(t.point2 - s1.pos, t.normal)
        t.point1 = t.point2 - t.dist * t.normal
        t.corners = wp.vec3i(-1, -1, -1)
        t.found = t.dist <= search.cutoff
    else:
        t = nearest_touch(work, hulls, wp.identity(n=3, dtype=wp.float64), search)
        # the search ends where it begins, at the middles, where cores are nearest there
        if t.found and t.corners[0] < 0 and t.dist > ZERO and radius(s1) + radius(s2) > ZERO:
            t.point1 = s1.pos + radius(s1) * t.normal
            t.point2 = s2.pos - radius(s2) * t.normal
    return t


@wp.func
def advance(m: ModelFields, d: DataFields, work: Workspace, world: int, pair: FastPair) -> Impact:
    """Impact of two geoms that are farther apart than their margin, if they come as near within this step."""
    impact = Impact()
    hulls = hulls_of(m)
    begin = real(0.0)
    time = real(0.0)
    c1 = pair.first
    c2 = pair.second
    sweep = sweep_of(c1) + sweep_of(c2)
    search = distance_search(m, world, pair.margin)
    most = int(MOST_ADVANCES)
    for k in range(most):
        s1 = shape_at(m, d, world, pair.geoms[0], pair.origin, c1, time)
        s2 = shape_at(m, d, world, pair.geoms[1], pair.origin, c2, time)
        # farther than both can move in the rest of the step: they do not meet
        search.cutoff = pair.margin + (ONE - time) * sweep
        t = nearest_points(work, hulls, s1, s2, search)
        if k == 0:
            begin = t.dist - pair.margin
        if not t.found or begin <= ZERO:
            break

        # near enough: the speed is that on average, or that of the points now where it is more
        left = t.dist - pair.margin
        if left <= NEAR_ENOUGH * begin:
            now = point_motion(c1, time, t.point1) - point_motion(c2, time, t.point2)
            impact.found = t.dist < search.cutoff
            impact.time = time
            impact.speed = wp.max(wp.dot(t.normal, now), (begin - left) / wp.max(time, TINY))
            impact.touch = t
            impact.reach = t.dist + t.dist + (ONE - time) * impact.speed + search.tolerance
            break

        # no point of one comes nearer to any of the other, along the normal, than at this speed
        closing = wp.dot(t.normal, c1.way - c2.way)
        bound = closing + wp.length(c1.turn) * c1.radius + wp.length(c2.turn) * c2.radius
        if bound <= ZERO:
            break
        time += (left - CLEARANCE * begin) / bound
        if time >= ONE:
            break
    return impact
