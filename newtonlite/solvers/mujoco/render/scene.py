"""Scene of the cameras: the geoms that are rendered, their poses, and the spheres about them."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.render.looks import GeomLooks
from newtonlite.solvers.mujoco.render.rays import row_of
from newtonlite.solvers.mujoco.render.soft import SOFT, SoftSurfaces

kernel_module(__name__)

ENDLESS = wp.constant(-1.0)
"""Radius of the sphere about a plane without end."""
UNSEEN = wp.constant(-2.0)
"""Radius of the sphere about a geom without opacity."""
TIE = wp.constant(1.0e-6)
"""Distance, relative to the ray's length or to 1 m, below which two surfaces are as far: the later geom is seen."""


@wp.struct
class RenderGeoms:
    """Geoms that are rendered [n]: number in the model, kind, hierarchy of triangles or 0, sphere and half-sizes of the box in
    the geom's frame, whether shadows are cast, first triangle among the corners with normals and among those with texture
    coordinates (-1: none); and where they are [nworld, n]: sphere in the world, middle and radius. Flexes and skins come
    after the geoms, of kind SOFT: their number among the model's and among the soft surfaces, colour and material.
    """

    id: wp.array[int]
    kind: wp.array[int]
    surface: wp.array[wp.uint64]
    ball: wp.array[wp.vec4]
    half: wp.array[wp.vec3]
    casts: wp.array[int]
    face: wp.array[wp.vec2i]
    sphere: wp.array2d[wp.vec4]
    object: wp.array[int]
    soft: wp.array[int]
    rgba: wp.array[wp.vec4]
    material: wp.array[int]


@wp.struct
class RenderPoses:
    """Poses of all geoms and cameras [nworld, n], sizes of geoms [nworld or 1, n]."""

    geom_xpos: wp.array2d[wp.vec3]
    geom_xmat: wp.array2d[wp.mat33]
    geom_size: wp.array2d[wp.vec3]
    cam_xpos: wp.array2d[wp.vec3]
    cam_xmat: wp.array2d[wp.mat33]


@wp.func
def material_of(g: RenderGeoms, look: GeomLooks, world: int, k: int) -> int:
    """Material of a geom that is rendered, -1 where it has none."""
    if g.kind[k] == SOFT:
        return g.material[k]
    return look.geom_matid[row_of(world, look.geom_matid.shape[0]), g.id[k]]


@wp.func
def rgba_of(g: RenderGeoms, look: GeomLooks, world: int, k: int) -> wp.vec4:
    """Colour of a geom that is rendered: its own, or its material's where it has MuJoCo's default."""
    own = g.rgba[k]
    if g.kind[k] != SOFT:
        own = look.geom_rgba[row_of(world, look.geom_rgba.shape[0]), g.id[k]]
    material = material_of(g, look, world, k)
    if material >= 0 and own[0] == 0.5 and own[1] == 0.5 and own[2] == 0.5 and own[3] == 1.0:
        return look.mat_rgba[row_of(world, look.mat_rgba.shape[0]), material]
    return own


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
def place_spheres(g: RenderGeoms, p: RenderPoses, look: GeomLooks, s: SoftSurfaces):
    """Spheres about the geoms, where they are now."""
    world, k = wp.tid()
    id = g.id[k]
    if g.kind[k] == SOFT:
        low = s.low[world, s.box[g.soft[k]]]
        high = s.high[world, s.box[g.soft[k]]]
        about = 0.5 * (low + high)
        g.sphere[world, k] = wp.vec4(
            about[0],
            about[1],
            about[2],
            wp.where(rgba_of(g, look, world, k)[3] == 0.0, UNSEEN, 0.5 * wp.length(high - low)),
        )
        return
    ball = g.ball[k]
    middle = p.geom_xpos[world, id] + p.geom_xmat[world, id] * wp.vec3(ball[0], ball[1], ball[2])
    radius = ball[3]
    if g.surface[k] == wp.uint64(0):
        radius = radius_of(g.kind[k], p.geom_size[row_of(world, p.geom_size.shape[0]), id])
    if rgba_of(g, look, world, k)[3] == 0.0:
        radius = UNSEEN
    g.sphere[world, k] = wp.vec4(middle[0], middle[1], middle[2], radius)


@wp.func
def meets_sphere(sphere: wp.vec4, o: wp.vec3, d: wp.vec3) -> bool:
    """Whether a ray may meet what is in a sphere."""
    if sphere[3] < 0.0:
        return sphere[3] == ENDLESS
    to = wp.vec3(sphere[0], sphere[1], sphere[2]) - o
    away = wp.dot(to, to)
    along = wp.dot(to, d)
    return away - along * along <= sphere[3] * sphere[3] + TIE * away
