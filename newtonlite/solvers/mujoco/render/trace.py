"""Camera tracing: the first surface on each ray of each camera, world by world.

A thread renders a tile of pixels. It lists the geoms whose bounding spheres meet the cone about the tile's rays, the
nearest first; a ray looks at those alone, and stops at the first that begins behind what it has hit. This takes the
place of a hierarchy over the geoms of a world: nothing is built for a frame, and no picture depends on other worlds or
on threads. Meshes and height fields have hierarchies of their own (``surfaces``).
"""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.ray.primitive import ray_primitive
from newtonlite.geometry.ray.shapes import MISS, hit, miss
from newtonlite.solvers.mujoco.kernels.ray.mesh import meets_box
from newtonlite.solvers.mujoco.render.hits import ColourHits, Pictures
from newtonlite.solvers.mujoco.render.rays import TILE, CameraTable, RayTable, row_of
from newtonlite.solvers.mujoco.render.scene import ENDLESS, TIE, RenderGeoms, RenderPoses, meets_sphere
from newtonlite.solvers.mujoco.render.soft import SOFT, SoftSurfaces, ray_soft

kernel_module(__name__, max_unroll=0)

LISTED = wp.constant(128)
"""Geoms that a tile lists; of more, its rays look at all of the world's."""
LAYERS = wp.constant(8)
"""Surfaces that are passed because they face away, at most."""


@wp.struct
class SeenPoint:
    """First hit of a ray: distance, normal in the world, number among the rendered geoms (-1: nothing); of a
    mesh, the triangle and the weights of its first two corners.
    """

    dist: float
    normal: wp.vec3
    place: int
    face: int
    corner: wp.vec2


@wp.struct
class SurfaceHit:
    """A ray's hit of a surface in the frame of its geom: (distance, normal), triangle and weights of two corners."""

    at: wp.vec4
    face: int
    corner: wp.vec2


@wp.func
def unseen(zfar: float, z: float) -> SeenPoint:
    """No hit yet of a ray whose direction has ``z`` along the camera's axis, which ends at ``zfar`` (0: nowhere)."""
    seen = SeenPoint()
    seen.place = -1
    seen.dist = MISS
    if zfar > 0.0:
        seen.dist = zfar / wp.max(-z, TIE)
    return seen


@wp.func
def ray_surface(surface: wp.uint64, o: wp.vec3, d: wp.vec3, most: float, culling: int) -> SurfaceHit:
    """The nearest triangle within ``most``; with ``culling`` the nearest that faces the ray, as a rasterizer has it."""
    found = SurfaceHit()
    found.at = miss()
    found.face = -1
    passed = float(0.0)
    for _layer in range(LAYERS):
        query = wp.mesh_query_ray(surface, o + passed * d, d, most - passed)
        if not query.result:
            return found
        if culling == 0 or wp.dot(query.normal, d) < 0.0:
            found.at = hit(passed + query.t, query.normal)
            found.face = query.face
            found.corner = wp.vec2(query.u, query.v)
            return found
        passed += query.t * (1.0 + TIE) + 1.0e-9
    return found


@wp.func
def look_at(
    g: RenderGeoms, p: RenderPoses, world: int, k: int, o: wp.vec3, d: wp.vec3, culling: int, seen: SeenPoint
) -> SeenPoint:
    """First hit of a ray, one more geom considered whose sphere it meets."""
    id = g.id[k]
    turn = p.geom_xmat[world, id]
    back = wp.transpose(turn)
    lo = back * (o - p.geom_xpos[world, id])
    ld = back * d
    tie = TIE * wp.max(seen.dist, 1.0)
    found = SurfaceHit()
    found.face = -1
    if g.surface[k] != wp.uint64(0):
        ball = g.ball[k]
        middle = wp.vec3(ball[0], ball[1], ball[2])
        if not meets_box(middle - g.half[k], middle + g.half[k], lo, ld, seen.dist + tie):
            return seen
        found = ray_surface(g.surface[k], lo, ld, seen.dist + tie, culling)
    else:
        found.at = ray_primitive(g.kind[k], p.geom_size[row_of(world, p.geom_size.shape[0]), id], lo, ld)
    far = found.at[0]
    if far >= MISS or far > seen.dist + tie or (far >= seen.dist - tie and k < seen.place):
        return seen
    n = wp.vec3(found.at[1], found.at[2], found.at[3])
    if culling != 0 and wp.dot(n, ld) > 0.0:
        return seen
    seen.dist = far
    seen.place = k
    seen.normal = turn * n
    seen.face = found.face
    seen.corner = found.corner
    return seen


@wp.func
def look_at_soft(
    s: SoftSurfaces, world: int, k: int, part: int, o: wp.vec3, d: wp.vec3, culling: int, seen: SeenPoint
) -> SeenPoint:
    """First hit of a ray, a flex or skin considered."""
    found = ray_soft(s, world, part, o, d, seen.dist + TIE * wp.max(seen.dist, 1.0), culling)
    if found.piece < 0:
        return seen
    seen.dist = found.at[0]
    seen.place = k
    seen.normal = wp.vec3(found.at[1], found.at[2], found.at[3])
    seen.face = found.piece
    seen.corner = found.weights
    return seen


@wp.func
def lead_of(sphere: wp.vec4, axis: wp.vec4, origin: wp.vec3, base: float) -> float:
    """Least distance of a sphere's points from where the rays of a cone begin, within ``base`` of ``origin``; MISS for a
    sphere that no ray meets.
    """
    radius = sphere[3]
    if radius < 0.0:
        return wp.where(radius == ENDLESS, 0.0, MISS)
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


@wp.func
def write_hit(h: ColourHits, world: int, k: int, far: float, seen: SeenPoint):
    """Keep what a ray of a picture with colours has met, ``far`` away, at place ``k``; where it is nothing, that alone."""
    if seen.place < 0:
        h.dist[world, k] = -1.0
        return
    h.dist[world, k] = far
    h.geom[world, k] = seen.place
    h.normal[world, k] = seen.normal
    h.face[world, k] = seen.face
    h.corner[world, k] = seen.corner


@wp.func
def write_pixel(
    out: Pictures, h: ColourHits, g: RenderGeoms, world: int, camera: int, pixel: int, ray: wp.vec3, seen: SeenPoint
):
    """Put what a ray has met into the pictures of its camera."""
    met = seen.place >= 0
    if out.depth_adr[camera] >= 0:
        out.depth[world, out.depth_adr[camera] + pixel] = wp.where(met, -seen.dist * ray[2], 0.0)
    if out.seg_adr[camera] >= 0:
        what = wp.vec2i(-1, -1)
        if met:
            what = wp.vec2i(g.id[seen.place], g.object[seen.place])
        out.seg[world, out.seg_adr[camera] + pixel] = what
    if out.normal_adr[camera] >= 0:
        out.normal[world, out.normal_adr[camera] + pixel] = seen.normal
    if out.rgb_adr[camera] >= 0:
        write_hit(h, world, out.rgb_adr[camera] + pixel, seen.dist, seen)


@wp.kernel(enable_backward=False)
def trace_tiles(
    c: CameraTable,
    r: RayTable,
    g: RenderGeoms,
    p: RenderPoses,
    s: SoftSurfaces,
    mask: wp.array[bool],
    out: Pictures,
    h: ColourHits,
):
    """Pictures of all cameras in the worlds that ``mask`` has (none: in all)."""
    world, tile = wp.tid()
    if mask.shape[0] > 0:
        if not mask[world]:
            return
    row = row_of(world, r.way.shape[0])
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
            if count == 0:
                write_pixel(out, h, g, world, camera, pixel, wp.vec3(), unseen(0.0, -1.0))
                continue
            ray = r.way[row, c.start[camera] + pixel]
            o = eye + pose * r.offset[row, c.start[camera] + pixel]
            d = pose * ray
            seen = unseen(out.zfar, ray[2])
            for i in range(count):
                k = int(i)
                if listed:
                    if lead[i] > seen.dist * (1.0 + TIE) + TIE:
                        break
                    k = near[i]
                if meets_sphere(g.sphere[world, k], o, d):
                    if g.kind[k] == SOFT:
                        seen = look_at_soft(s, world, k, g.soft[k], o, d, out.culling, seen)
                    else:
                        seen = look_at(g, p, world, k, o, d, out.culling, seen)
            write_pixel(out, h, g, world, camera, pixel, ray, seen)
