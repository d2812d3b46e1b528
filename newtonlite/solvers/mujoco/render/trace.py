"""Camera tracing: the first surface on each ray of each camera, world by world.

A thread renders a tile of pixels. It lists the geoms whose bounding spheres meet the cone about the tile's rays, the
nearest first; a ray looks at those alone, and stops at the first that begins behind what it has hit. This takes the
place of a hierarchy over the geoms of a world: nothing is built for a frame, and no picture depends on other worlds or
on threads. Meshes and height fields have hierarchies of their own (``surfaces``).
"""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom, MjtObj
from newtonlite.geometry.ray.primitive import ray_primitive
from newtonlite.geometry.ray.shapes import MISS, hit, miss
from newtonlite.solvers.mujoco.kernels.ray.mesh import meets_box
from newtonlite.solvers.mujoco.render.rays import TILE, CameraTable, RayTable

kernel_module(__name__, max_unroll=0)

LISTED = wp.constant(128)
"""Geoms that a tile lists; of more, its rays look at all of the world's."""
ENDLESS = wp.constant(-1.0)
"""Radius of the sphere about a plane without end."""
LAYERS = wp.constant(8)
"""Surfaces that are passed because they face away, at most."""
TIE = wp.constant(1.0e-6)
"""Distance, relative to the ray's length or to 1 m, below which two surfaces are as far: the later geom is seen."""


@wp.struct
class RenderGeoms:
    """Geoms that are rendered [n]: number in the model, kind, hierarchy of triangles or 0, sphere and half-sizes of the box in
    the geom's frame; and where they are [nworld, n]: sphere in the world, middle and radius.
    """

    id: wp.array[int]
    kind: wp.array[int]
    surface: wp.array[wp.uint64]
    ball: wp.array[wp.vec4]
    half: wp.array[wp.vec3]
    sphere: wp.array2d[wp.vec4]


@wp.struct
class RenderPoses:
    """Poses of all geoms and cameras [nworld, n], sizes of geoms [nworld or 1, n]."""

    geom_xpos: wp.array2d[wp.vec3]
    geom_xmat: wp.array2d[wp.mat33]
    geom_size: wp.array2d[wp.vec3]
    cam_xpos: wp.array2d[wp.vec3]
    cam_xmat: wp.array2d[wp.mat33]


@wp.struct
class Pictures:
    """Pictures of all cameras, one after the other [nworld, n]; the first pixel of each, -1 where it is not rendered."""

    depth: wp.array2d[float]
    seg: wp.array2d[wp.vec2i]
    normal: wp.array2d[wp.vec3]
    depth_adr: wp.array[int]
    seg_adr: wp.array[int]
    normal_adr: wp.array[int]
    zfar: float
    culling: int


@wp.struct
class SeenPoint:
    """First hit of a ray: distance, normal in the world, geom (-1: nothing)."""

    dist: float
    normal: wp.vec3
    geom: int


@wp.func
def radius_of(kind: int, size: wp.vec3) -> float:
    """Radius of a sphere about a primitive."""
    if kind == MjtGeom.SPHERE:
        return size[0]
    if kind == MjtGeom.CAPSULE:
        return size[0] + size[1]
    if kind == MjtGeom.CYLINDER:
        return wp.sqrt(size[0] * size[0] + size[1] * size[1])
    if kind == MjtGeom.ELLIPSOID:
        return wp.max(size)
    if kind == MjtGeom.PLANE:
        if size[0] <= 0.0 or size[1] <= 0.0:
            return ENDLESS
        return wp.sqrt(size[0] * size[0] + size[1] * size[1])
    return wp.length(size)


@wp.kernel(enable_backward=False)
def place_spheres(g: RenderGeoms, p: RenderPoses):
    """Spheres about the geoms, where they are now."""
    world, k = wp.tid()
    id = g.id[k]
    ball = g.ball[k]
    middle = p.geom_xpos[world, id] + p.geom_xmat[world, id] * wp.vec3(ball[0], ball[1], ball[2])
    radius = ball[3]
    if g.surface[k] == wp.uint64(0):
        radius = radius_of(g.kind[k], p.geom_size[world % p.geom_size.shape[0], id])
    g.sphere[world, k] = wp.vec4(middle[0], middle[1], middle[2], radius)


@wp.func
def ray_surface(surface: wp.uint64, o: wp.vec3, d: wp.vec3, most: float, culling: int) -> wp.vec4:
    """The nearest triangle within ``most``; with ``culling`` the nearest that faces the ray, as a rasterizer has it."""
    passed = float(0.0)
    for _layer in range(LAYERS):
        query = wp.mesh_query_ray(surface, o + passed * d, d, most - passed)
        if not query.result:
            return miss()
        if culling == 0 or wp.dot(query.normal, d) < 0.0:
            return hit(passed + query.t, query.normal)
        passed += query.t * (1.0 + TIE) + 1.0e-9
    return miss()


@wp.func
def meets_sphere(sphere: wp.vec4, o: wp.vec3, d: wp.vec3) -> bool:
    """Whether a ray may meet what is in a sphere."""
    to = wp.vec3(sphere[0], sphere[1], sphere[2]) - o
    away = wp.dot(to, to)
    along = wp.dot(to, d)
    return sphere[3] < 0.0 or away - along * along <= sphere[3] * sphere[3] + TIE * away


@wp.func
def look_at(
    g: RenderGeoms, p: RenderPoses, world: int, k: int, o: wp.vec3, d: wp.vec3, culling: int, seen: SeenPoint
) -> SeenPoint:
    """First hit of a ray, one more geom considered."""
    if not meets_sphere(g.sphere[world, k], o, d):
        return seen
    id = g.id[k]
    turn = p.geom_xmat[world, id]
    back = wp.transpose(turn)
    lo = back * (o - p.geom_xpos[world, id])
    ld = back * d
    tie = TIE * wp.max(seen.dist, 1.0)
    found = miss()
    if g.surface[k] != wp.uint64(0):
        ball = g.ball[k]
        middle = wp.vec3(ball[0], ball[1], ball[2])
        if not meets_box(middle - g.half[k], middle + g.half[k], lo, ld, seen.dist + tie):
            return seen
        found = ray_surface(g.surface[k], lo, ld, seen.dist + tie, culling)
    else:
        found = ray_primitive(g.kind[k], p.geom_size[world % p.geom_size.shape[0], id], lo, ld)
    if found[0] >= MISS or found[0] > seen.dist + tie or (found[0] >= seen.dist - tie and id < seen.geom):
        return seen
    n = wp.vec3(found[1], found[2], found[3])
    if culling != 0 and wp.dot(n, ld) > 0.0:
        return seen
    seen.dist = found[0]
    seen.geom = id
    seen.normal = turn * n
    return seen


@wp.func
def lead_of(sphere: wp.vec4, axis: wp.vec4, origin: wp.vec3, base: float) -> float:
    """Least distance of a sphere's points from where the rays of a cone begin, within ``base`` of ``origin``; MISS for a
    sphere that no ray meets.
    """
    radius = sphere[3]
    if radius < 0.0:
        return 0.0
    to = wp.vec3(sphere[0], sphere[1], sphere[2]) - origin
    away = wp.length(to)
    reach = radius + base
    if away > reach:
        along = axis[0] * to[0] + axis[1] * to[1] + axis[2] * to[2]
        across = wp.sqrt(wp.max(away * away - along * along, 0.0))
        sine = wp.sqrt(wp.max(1.0 - axis[3] * axis[3], 0.0))
        # the sphere's distance from the cone's side; rounding is a share of what was subtracted
        if across * axis[3] - along * sine > reach + TIE * away or along < -reach:
            return MISS
    return wp.max(away - reach, 0.0)


@wp.kernel(enable_backward=False)
def trace_tiles(c: CameraTable, r: RayTable, g: RenderGeoms, p: RenderPoses, mask: wp.array[bool], out: Pictures):
    """Pictures of all cameras in the worlds that ``mask`` has (none: in all)."""
    world, tile = wp.tid()
    if mask.shape[0] > 0:
        if not mask[world]:
            return
    row = world % r.way.shape[0]
    camera = c.tile[tile][0]
    size = c.size[camera]
    pose = p.cam_xmat[world, c.id[camera]]
    eye = p.cam_xpos[world, c.id[camera]]
    # the geoms that rays of the tile may meet, the nearest first
    cone = r.axis[row, tile]
    way = pose * wp.vec3(cone[0], cone[1], cone[2])
    axis = wp.vec4(way[0], way[1], way[2], cone[3])
    base = r.base[row, tile]
    begin = eye + pose * wp.vec3(base[0], base[1], base[2])
    near = wp.zeros(shape=(128,), dtype=int)
    lead = wp.zeros(shape=(128,), dtype=float)
    total = g.id.shape[0]
    count = int(0)
    for k in range(total):
        ahead = lead_of(g.sphere[world, k], axis, begin, base[3])
        if ahead < MISS:
            if count < LISTED:
                slot = int(count)
                while slot > 0 and lead[wp.max(slot - 1, 0)] > ahead:
                    lead[slot] = lead[slot - 1]
                    near[slot] = near[slot - 1]
                    slot -= 1
                lead[slot] = ahead
                near[slot] = k
            count += 1
    listed = count <= LISTED
    if not listed:
        count = total
    # each ray looks at them
    for y in range(c.tile[tile][2], wp.min(c.tile[tile][2] + TILE, size[1])):
        for x in range(c.tile[tile][1], wp.min(c.tile[tile][1] + TILE, size[0])):
            pixel = y * size[0] + x
            ray = r.way[row, c.start[camera] + pixel]
            o = eye + pose * r.offset[row, c.start[camera] + pixel]
            d = pose * ray
            seen = SeenPoint()
            seen.geom = -1
            seen.dist = MISS
            if out.zfar > 0.0:
                seen.dist = out.zfar / wp.max(-ray[2], TIE)
            for i in range(count):
                k = int(i)
                if listed:
                    if lead[i] > seen.dist * (1.0 + TIE) + TIE:
                        break
                    k = near[i]
                seen = look_at(g, p, world, k, o, d, out.culling, seen)
            if out.depth_adr[camera] >= 0:
                out.depth[world, out.depth_adr[camera] + pixel] = wp.where(seen.geom >= 0, -seen.dist * ray[2], 0.0)
            if out.seg_adr[camera] >= 0:
                kind = wp.where(seen.geom >= 0, int(MjtObj.GEOM), -1)
                out.seg[world, out.seg_adr[camera] + pixel] = wp.vec2i(seen.geom, kind)
            if out.normal_adr[camera] >= 0:
                out.normal[world, out.normal_adr[camera] + pixel] = seen.normal
