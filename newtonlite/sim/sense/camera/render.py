"""Camera rendering of a scene: what the rays of each view meet, and its light.

A view is a camera in a world. A pixel has one ray or several: depth, normal and number are those of the nearest hit, colours
the mean. Light is ambient, between the sky's and the ground's by the normal, and of one directional lamp by Lambert's law.
"""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.ray.primitive import ray_shape
from newtonlite.geometry.ray.shapes import MISS, hit, miss
from newtonlite.sim.raycast import RayShapes

kernel_module(__name__, max_unroll=0)

LAYERS = wp.constant(8)
"""Surfaces of a mesh that are passed because they face away, at most."""
LIFT = wp.constant(1.0e-4)
"""Height above a surface at which shadow rays begin [m]."""
SHADED = wp.constant(0.3)
"""Share of the lamp's light that is left in its shadow."""
NOTHING = wp.constant(-102)
PRESERVE = wp.constant(-101)


@wp.struct
class ViewScene:
    """Scene of the views: hierarchy over the shapes, the shapes, their colours (sRGB), the number of worlds, which is that of the
    group of shapes in all worlds; whether those are seen; how far rays go [m]; whether meshes are seen from outside alone.
    """

    bvh: wp.uint64
    shapes: RayShapes
    color: wp.array[wp.vec3]
    worlds: int
    shared: int
    most: float
    culling: int


@wp.struct
class ViewLight:
    """Light of the scene: of the sky, of the ground, the axis that is up, of the lamp (colour, direction), whether shadows are
    cast; and whether packed colours are sRGB.
    """

    sky: wp.vec3
    ground: wp.vec3
    up: wp.vec3
    lamp: wp.vec3
    way: wp.vec3
    shadows: int
    srgb: int


@wp.struct
class ClearPixel:
    """Pixel where nothing is seen."""

    color: wp.uint32
    albedo: wp.uint32
    depth: float
    shape: wp.uint32
    normal: wp.vec3


@wp.struct
class ViewImages:
    """Pictures of the views [view, height, width]; those that are not wanted are empty."""

    color: wp.array3d[wp.uint32]
    hdr: wp.array3d[wp.vec3]
    albedo: wp.array3d[wp.uint32]
    depth: wp.array3d[float]
    forward: wp.array3d[float]
    shape: wp.array3d[wp.uint32]
    normal: wp.array3d[wp.vec3]


@wp.struct
class ViewHit:
    """Hit of a ray: (distance, normal in the world), and the shape, -1 for none."""

    at: wp.vec4
    shape: int


@wp.func
def ray_faces(s: RayShapes, i: int, o: wp.vec3, d: wp.vec3, most: float, culling: int) -> wp.vec4:
    """The nearest triangle of a mesh that is stretched; with ``culling`` the nearest that faces the ray."""
    scale = s.scale[i]
    back = wp.transform_inverse(s.pose[i])
    lo = wp.cw_div(wp.transform_point(back, o), scale)
    ld = wp.cw_div(wp.transform_vector(back, d), scale)
    # a mirrored mesh has its triangles the other way round
    side = wp.where(scale[0] * scale[1] * scale[2] < 0.0, -1.0, 1.0)
    passed = float(0.0)
    for _layer in range(LAYERS):
        query = wp.mesh_query_ray(s.mesh[i], lo + passed * ld, ld, most - passed)
        if not query.result:
            return miss()
        n = wp.transform_vector(s.pose[i], wp.normalize(wp.cw_div(query.normal, scale))) * side
        if wp.dot(n, d) < 0.0:
            return hit(passed + query.t, n)
        if culling == 0:
            return hit(passed + query.t, -n)
        passed += query.t * (1.0 + 1.0e-6) + 1.0e-9
    return miss()


@wp.func
def nearest_shape(v: ViewScene, world: int, o: wp.vec3, d: wp.vec3, most: float, any: bool) -> ViewHit:
    """The nearest shape of a world, and of those in all worlds, on a ray; with ``any`` the first that is found."""
    best = ViewHit()
    best.at = wp.vec4(most, 0.0, 0.0, 0.0)
    best.shape = -1
    for pass_ in range(1 + v.shared):
        root = wp.bvh_get_group_root(v.bvh, wp.where(pass_ == 0, world, v.worlds))
        if root >= 0 and not (any and best.shape >= 0):
            query = wp.bvh_query_ray(v.bvh, o, d, root)
            k = int(0)
            while wp.bvh_query_next(query, k, best.at[0]):
                i = int(v.shapes.leaf[k])
                found = miss()
                if v.shapes.mesh[i] != wp.uint64(0):
                    found = ray_faces(v.shapes, i, o, d, best.at[0], v.culling)
                else:
                    found = ray_shape(v.shapes.kind[i], v.shapes.scale[i], v.shapes.pose[i], o, d)
                if found[0] < best.at[0]:
                    best.at = found
                    best.shape = i
                    if any:
                        break
    return best


@wp.func
def linear_of(c: float) -> float:
    """Linear light of an sRGB number."""
    return wp.where(c <= 0.04045, c / 12.92, wp.pow((wp.max(c, 0.0) + 0.055) / 1.055, 2.4))


@wp.func
def srgb_of(c: float) -> float:
    """sRGB of linear light."""
    return wp.where(c <= 0.0031308, 12.92 * c, 1.055 * wp.pow(wp.max(c, 0.0), 1.0 / 2.4) - 0.055)


@wp.func
def linear_rgb(c: wp.vec3) -> wp.vec3:
    """Linear light of an sRGB colour."""
    return wp.vec3(linear_of(c[0]), linear_of(c[1]), linear_of(c[2]))


@wp.func
def unpacked(p: wp.uint32, srgb: int) -> wp.vec4:
    """Linear light and opacity of a packed colour, red in the lowest byte."""
    c = wp.vec4()
    for i in range(4):
        c[i] = float((p >> wp.uint32(8 * i)) & wp.uint32(255)) / 255.0
        if srgb != 0 and i < 3:
            c[i] = linear_of(c[i])
    return c


@wp.func
def packed(c: wp.vec4, srgb: int) -> wp.uint32:
    """A colour of linear light in bytes, red in the lowest, opacity in the highest."""
    p = wp.uint32(0)
    for i in range(4):
        part = wp.clamp(c[i], 0.0, 1.0)
        if srgb != 0 and i < 3:
            part = srgb_of(part)
        p = p | (wp.uint32(wp.clamp(part, 0.0, 1.0) * 255.0) << wp.uint32(8 * i))
    return p


@wp.func
def light_of(v: ViewScene, q: ViewLight, world: int, albedo: wp.vec3, at: wp.vec3, n: wp.vec3) -> wp.vec3:
    """Linear light that a surface sends back."""
    above = 0.5 * (wp.dot(n, q.up) + 1.0)
    sent = wp.cw_mul(albedo, above * q.sky + (1.0 - above) * q.ground)
    facing = -wp.dot(n, q.way)
    if facing > 0.0:
        if q.shadows != 0:
            if nearest_shape(v, world, at + LIFT * n, -q.way, MISS, True).shape >= 0:
                facing = SHADED * facing
        sent += facing * wp.cw_mul(albedo, q.lamp)
    return sent


@wp.func
def write_view(out: ViewImages, c: ClearPixel, view: int, y: int, x: int, met: bool, nearest: ViewHit, forward: float):
    """Put the nearest hit of a pixel into the pictures that are wanted."""
    if out.depth.shape[0] > 0:
        out.depth[view, y, x] = wp.where(met, nearest.at[0], c.depth)
    if out.forward.shape[0] > 0:
        out.forward[view, y, x] = wp.where(met, forward, c.depth)
    if out.shape.shape[0] > 0:
        number = c.shape
        if met:
            number = wp.uint32(nearest.shape)
        out.shape[view, y, x] = number
    if out.normal.shape[0] > 0:
        n = wp.vec3(nearest.at[1], nearest.at[2], nearest.at[3])
        out.normal[view, y, x] = wp.where(met, n, c.normal)


@wp.kernel(enable_backward=False)
def render_views(
    v: ViewScene,
    q: ViewLight,
    c: ClearPixel,
    transforms: wp.array[wp.transform],
    rays: wp.array4d[wp.vec3],
    worlds: wp.array[int],
    out: ViewImages,
):
    """Pictures of all views."""
    view, y, x = wp.tid()
    world = int(view)
    if worlds.shape[0] > 0:
        world = worlds[view]
    if world == PRESERVE:
        return
    pose = transforms[view]
    axis = wp.normalize(wp.transform_vector(pose, wp.vec3(0.0, 0.0, -1.0)))
    clear = unpacked(c.color, q.srgb)
    bare = unpacked(c.albedo, q.srgb)
    nearest = ViewHit()
    nearest.at = wp.vec4(MISS, 0.0, 0.0, 0.0)
    nearest.shape = -1
    forward = float(0.0)
    color = wp.vec4()
    albedos = wp.vec4()
    light = wp.vec3()
    met = int(0)
    samples = rays.shape[2]
    wants = out.color.shape[0] > 0 or out.hdr.shape[0] > 0
    for k in range(samples):
        # the first hit of a sample's ray; rays without a direction meet nothing
        from_ = rays[y, x, k, 0]
        o = wp.transform_point(pose, from_)
        d = wp.transform_vector(pose, rays[y, x, k, 1])
        seen = ViewHit()
        seen.shape = -1
        if world >= 0 and world < v.worlds and wp.length_sq(d) > 1.0e-12 and v.bvh != wp.uint64(0):
            seen = nearest_shape(v, world, o, d, v.most, False)
        if seen.shape < 0:
            color += clear
            albedos += bare
            continue
        met += 1
        if seen.at[0] < nearest.at[0]:
            nearest.at = seen.at
            nearest.shape = seen.shape
            forward = wp.dot(wp.transform_vector(pose, from_), axis) + seen.at[0] * wp.dot(d, axis)
        # its light
        albedo = linear_rgb(v.color[seen.shape])
        albedos += wp.vec4(albedo[0], albedo[1], albedo[2], 1.0)
        if wants:
            n = wp.vec3(seen.at[1], seen.at[2], seen.at[3])
            sent = light_of(v, q, world, albedo, o + seen.at[0] * d, n)
            light += sent
            color += wp.vec4(sent[0], sent[1], sent[2], 1.0)
    write_view(out, c, view, y, x, met > 0, nearest, forward)
    # packed colours keep the very bytes of clear pixels
    share = 1.0 / float(samples)
    if out.color.shape[0] > 0:
        out.color[view, y, x] = c.color
        if met > 0:
            out.color[view, y, x] = packed(share * color, q.srgb)
    if out.albedo.shape[0] > 0:
        out.albedo[view, y, x] = c.albedo
        if met > 0:
            out.albedo[view, y, x] = packed(share * albedos, q.srgb)
    if out.hdr.shape[0] > 0:
        out.hdr[view, y, x] = share * light
