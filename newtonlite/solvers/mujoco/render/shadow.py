"""Shadows: for each light, the hits that it does not reach, by rays towards it.

A thread has a tile of hits and a light. It lists the geoms whose spheres meet what lies between a sphere about the
hits and the light, and a ray from each hit looks at those until one is in the way.
"""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom, MjtLightType
from newtonlite.geometry.ray.primitive import ray_primitive
from newtonlite.geometry.ray.shapes import MISS
from newtonlite.solvers.mujoco.kernels.ray.mesh import meets_box
from newtonlite.solvers.mujoco.render.hits import ColourHits, Pictures, TileView, pixel_of, point_of, tile_view
from newtonlite.solvers.mujoco.render.looks import Lights
from newtonlite.solvers.mujoco.render.rays import TILE, CameraTable, RayTable, row_of
from newtonlite.solvers.mujoco.render.scene import ENDLESS, RenderGeoms, RenderPoses, meets_sphere
from newtonlite.solvers.mujoco.render.soft import SOFT, SoftSurfaces, soft_blocks

kernel_module(__name__, max_unroll=0)

BLOCKERS = wp.constant(64)
"""Geoms that a tile lists for a light; of more, its rays look at all of the world's."""
LIFT = wp.constant(1.0e-4)
"""Height above the surface at which shadow rays begin, so that it does not shade itself [m]."""
SHORT = wp.constant(1.0e-3)
"""Distance before the light at which they end [m]."""


@wp.struct
class ShadowRay:
    """A ray from a hit to a light: origin, direction, length (0: none), and the number of the geom that was hit."""

    origin: wp.vec3
    way: wp.vec3
    most: float
    own: int


@wp.func
def blocks(
    g: RenderGeoms, p: RenderPoses, s: SoftSurfaces, world: int, k: int, o: wp.vec3, d: wp.vec3, most: float
) -> bool:
    """Whether a geom, flex or skin that casts shadows, whose sphere the ray meets, stands between a point and a light
    ``most`` away.
    """
    if g.casts[k] == 0:
        return False
    if g.kind[k] == SOFT:
        return soft_blocks(s, world, g.soft[k], o, d, most)
    id = g.id[k]
    back = wp.transpose(p.geom_xmat[world, id])
    lo = back * (o - p.geom_xpos[world, id])
    ld = back * d
    if g.surface[k] != wp.uint64(0):
        ball = g.ball[k]
        middle = wp.vec3(ball[0], ball[1], ball[2])
        if not meets_box(middle - g.half[k], middle + g.half[k], lo, ld, most):
            return False
        return wp.mesh_query_ray_anyhit(g.surface[k], lo, ld, most)
    found = ray_primitive(g.kind[k], p.geom_size[row_of(world, p.geom_size.shape[0]), id], lo, ld)
    # from within, the far side of a primitive does not count
    return found[0] < most and found[1] * ld[0] + found[2] * ld[1] + found[3] * ld[2] <= 0.0


@wp.func
def may_block(sphere: wp.vec4, middle: wp.vec3, radius: float, way: wp.vec3, length: float) -> bool:
    """Whether a geom's sphere meets the region between a sphere of hits and a light: within both radii of the segment
    from the middle, ``length`` along ``way``.
    """
    if sphere[3] < 0.0:
        return sphere[3] == ENDLESS
    to = wp.vec3(sphere[0], sphere[1], sphere[2]) - middle
    forth = wp.clamp(wp.dot(to, way), 0.0, length)
    reach = (sphere[3] + radius) * 1.001 + 2.0 * LIFT
    gap = to - forth * way
    return wp.dot(gap, gap) <= reach * reach


@wp.func
def casts_shadows(lamps: Lights, world: int, i: int) -> bool:
    """Whether a light is on and casts shadows."""
    on = lamps.active[row_of(world, lamps.active.shape[0]), i]
    return on and lamps.castshadow[row_of(world, lamps.castshadow.shape[0]), i]


@wp.func
def any_shadows(lamps: Lights, world: int) -> bool:
    """Whether any light is on and casts shadows."""
    found = bool(False)
    for i in range(lamps.type.shape[1]):
        found = found or casts_shadows(lamps, world, i)
    return found


@wp.func
def is_convex(kind: int) -> bool:
    """Whether no ray that leaves a geom of this kind meets it again."""
    return kind != MjtGeom.MESH and kind != MjtGeom.HFIELD and kind != MjtGeom.SDF and kind != SOFT


@wp.func
def shadow_ray(lamps: Lights, world: int, i: int, at: wp.vec3, normal: wp.vec3) -> ShadowRay:
    """The ray from a hit to a light; none where the surface faces away."""
    ray = ShadowRay()
    ray.origin = at + LIFT * normal
    ray.way = -lamps.xdir[world, i]
    ray.most = MISS
    if lamps.type[row_of(world, lamps.type.shape[0]), i] != MjtLightType.DIRECTIONAL:
        to = lamps.xpos[world, i] - at
        ray.most = wp.length(to) - SHORT
        ray.way = wp.normalize(to)
    if wp.dot(normal, ray.way) <= 0.0:
        ray.most = 0.0
    return ray


@wp.func
def bounds_of(v: TileView, r: RayTable, p: RenderPoses, h: ColourHits, wanted: bool) -> wp.vec4:
    """A sphere about the hits of a tile: middle and radius, negative where there are none or it is not ``wanted``. Clears
    their bits.
    """
    low = wp.vec3(1.0e30)
    high = wp.vec3(-1.0e30)
    for j in range(TILE * TILE):
        pixel = pixel_of(v, j)
        if pixel >= 0:
            h.dark[v.world, v.first + pixel] = wp.uint32(0)
            if wanted and h.dist[v.world, v.first + pixel] >= 0.0:
                at = point_of(v, r, p, h, pixel)
                low = wp.min(low, at)
                high = wp.max(high, at)
    middle = 0.5 * (low + high)
    radius = 0.5 * wp.length(high - low)
    if low[0] > high[0]:
        radius = -1.0
    return wp.vec4(middle[0], middle[1], middle[2], radius)


@wp.kernel(enable_backward=False)
def cast_shadows(
    c: CameraTable,
    r: RayTable,
    g: RenderGeoms,
    p: RenderPoses,
    s: SoftSurfaces,
    lamps: Lights,
    mask: wp.array[bool],
    h: ColourHits,
    out: Pictures,
):
    """Bits of the lights that do not reach the hits of the cameras that have colours."""
    world, tile = wp.tid()
    v = tile_view(c, r, out, mask, world, tile)
    if v.first < 0:
        return
    ball = bounds_of(v, r, p, h, any_shadows(lamps, world))
    if ball[3] < 0.0:
        return
    middle = wp.vec3(ball[0], ball[1], ball[2])
    near = wp.zeros(shape=(64,), dtype=int)
    spheres = wp.zeros(shape=(64,), dtype=wp.vec4)
    for i in range(lamps.type.shape[1]):
        if not casts_shadows(lamps, world, i):
            continue
        # the geoms that may be in the way
        way = -lamps.xdir[world, i]
        length = float(MISS)
        if lamps.type[row_of(world, lamps.type.shape[0]), i] != MjtLightType.DIRECTIONAL:
            way = wp.normalize(lamps.xpos[world, i] - middle)
            length = wp.length(lamps.xpos[world, i] - middle)
        count = int(0)
        for k in range(g.id.shape[0]):
            if g.casts[k] != 0 and may_block(g.sphere[world, k], middle, ball[3], way, length):
                if count < BLOCKERS:
                    near[count] = k
                    spheres[count] = g.sphere[world, k]
                count += 1
        listed = count <= BLOCKERS
        if not listed:
            count = g.id.shape[0]
        # each hit looks at them
        latest = int(0)
        for j in range(TILE * TILE):
            pixel = pixel_of(v, j)
            if pixel < 0:
                continue
            if h.dist[world, v.first + pixel] < 0.0:
                continue
            ray = shadow_ray(lamps, world, i, point_of(v, r, p, h, pixel), h.normal[world, v.first + pixel])
            ray.own = h.geom[world, v.first + pixel]
            for n in range(wp.where(ray.most > 0.0, count, 0)):
                # the one that hid the last hit first: what is beside a shadow is mostly in it
                place = n + latest
                if place >= count:
                    place -= count
                k = wp.min(place, BLOCKERS - 1)
                sphere = spheres[k]
                k = near[k]
                if not listed:
                    k = place
                    sphere = g.sphere[world, k]
                if not meets_sphere(sphere, ray.origin, ray.way) or (k == ray.own and is_convex(g.kind[k])):
                    continue
                if blocks(g, p, s, world, k, ray.origin, ray.way, ray.most):
                    h.dark[world, v.first + pixel] = h.dark[world, v.first + pixel] | (wp.uint32(1) << wp.uint32(i))
                    latest = place
                    break
