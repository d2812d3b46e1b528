"""Colours of what the rays have met: Phong's lighting, as OpenGL has it, of materials with textures.

A hit has light of its own (emission), ambient light, and from each lamp that reaches it a diffuse and a specular part.
What is in shadow gets a share of the last two (``shadow`` finds it).
"""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom, MjtLightType, MjtTextureRole
from newtonlite.solvers.mujoco.render.hits import (
    ColourHits,
    Pictures,
    TileView,
    ViewRay,
    bytes_of,
    is_mirror,
    mirror_of,
    on_plane,
    pixel_of,
    ray_of,
    seen_in,
    tile_view,
)
from newtonlite.solvers.mujoco.render.layers import share_of_hit
from newtonlite.solvers.mujoco.render.looks import NO_LIGHT_AMBIENT, GeomLooks, Lights, LookSettings
from newtonlite.solvers.mujoco.render.mapping import uv_of, way_of_cube
from newtonlite.solvers.mujoco.render.rays import TILE, CameraTable, RayTable, row_of
from newtonlite.solvers.mujoco.render.scene import RenderGeoms, RenderPoses, material_of, rgba_of
from newtonlite.solvers.mujoco.render.soft import SOFT, SoftSurfaces, soft_normal
from newtonlite.solvers.mujoco.render.textures import FLAT, Textures, TextureSheet, cube_colour, flat_colour, sheet_of

kernel_module(__name__, max_unroll=0)

SHINIEST = wp.constant(128.0)
"""Exponent of the highlights of shininess 1."""
HIGHLIGHT = wp.constant(9.0)
"""Powers of e by which a highlight has faded where it is left out."""
SMOOTH = wp.constant(0.8)
"""Cosine between the normals of a corner and of its triangle below which the triangle is flat there."""
NO_MATERIAL = wp.constant(wp.vec3(0.0, 0.5, 0.5))
"""Emission, specularity and shininess of geoms without a material."""


@wp.struct
class Corners:
    """Corners of the triangles of meshes [3 n]: normals and texture coordinates, where there are any; and of those with
    coordinates [n] how much of them there is along a metre.
    """

    normal: wp.array[wp.vec3]
    uv: wp.array[wp.vec2]
    density: wp.array[float]


@wp.struct
class LitSurface:
    """A hit that is lit: place, normal and direction to the camera in the world, colour, emission, specularity and
    exponent of the highlights.
    """

    at: wp.vec3
    normal: wp.vec3
    view: wp.vec3
    rgb: wp.vec3
    emission: float
    specular: float
    exponent: float


@wp.struct
class TexturedHit:
    """A hit whose colour a texture gives: world, number among the rendered geoms, material, texture, place and normal in
    the world, triangle and weights of two corners.
    """

    world: int
    geom: int
    material: int
    texture: int
    at: wp.vec3
    normal: wp.vec3
    face: int
    corner: wp.vec2


@wp.struct
class TextureFrame:
    """Frame of a texture on a geom: its kind and size, its place and the turn into its frame, the normal there, and the
    material's repetitions.
    """

    kind: int
    size: wp.vec3
    origin: wp.vec3
    turn: wp.mat33
    normal: wp.vec3
    repeat: wp.vec2
    uniform: bool


@wp.func
def bent(normal: wp.vec3, flat: wp.vec3) -> wp.vec3:
    """Normal of a corner, or of its triangle where they differ much."""
    if wp.dot(normal, flat) < SMOOTH:
        return flat
    return normal


@wp.func
def smooth_normal(k: Corners, first: int, weights: wp.vec2, flat: wp.vec3) -> wp.vec3:
    """Normal within a triangle, between those of its corners."""
    third = 1.0 - weights[0] - weights[1]
    n = weights[0] * bent(k.normal[first], flat) + weights[1] * bent(k.normal[first + 1], flat)
    return wp.normalize(n + third * bent(k.normal[first + 2], flat))


@wp.func
def mesh_uv(k: Corners, first: int, weights: wp.vec2) -> wp.vec2:
    """Texture coordinates within a triangle."""
    third = 1.0 - weights[0] - weights[1]
    return weights[0] * k.uv[first] + weights[1] * k.uv[first + 1] + third * k.uv[first + 2]


@wp.func
def texture_of(look: GeomLooks, world: int, material: int) -> int:
    """Texture of the colours of a material, -1 where it has none."""
    if material < 0:
        return -1
    row = row_of(world, look.mat_texid.shape[0])
    plain = look.mat_texid[row, material, int(MjtTextureRole.RGB)]
    if plain >= 0:
        return plain
    return look.mat_texid[row, material, int(MjtTextureRole.RGBA)]


@wp.func
def texture_frame(g: RenderGeoms, p: RenderPoses, look: GeomLooks, hit: TexturedHit) -> TextureFrame:
    """Frame of a hit's texture on its geom."""
    f = TextureFrame()
    id = g.id[hit.geom]
    f.kind = g.kind[hit.geom]
    # flexes and skins have the frame of the world, and are laid out as meshes are
    f.size = wp.vec3(1.0, 1.0, 1.0)
    f.turn = wp.identity(n=3, dtype=float)
    if f.kind == SOFT:
        f.kind = int(MjtGeom.MESH)
    else:
        f.size = p.geom_size[row_of(hit.world, p.geom_size.shape[0]), id]
        f.turn = wp.transpose(p.geom_xmat[hit.world, id])
        f.origin = p.geom_xpos[hit.world, id]
    f.uniform = look.mat_texuniform[row_of(hit.world, look.mat_texuniform.shape[0]), hit.material]
    f.repeat = look.mat_texrepeat[row_of(hit.world, look.mat_texrepeat.shape[0]), hit.material]
    f.normal = f.turn * hit.normal
    return f


@wp.func
def place_on(f: TextureFrame, flat: bool, at: wp.vec3) -> wp.vec3:
    """Texture coordinates of a point of the world on a geom: (u, v) of a picture, the direction in a cube."""
    local = f.turn * (at - f.origin)
    if not flat:
        return way_of_cube(f.kind, local, f.size, f.uniform)
    uv = uv_of(f.kind, local, f.normal, f.size, f.repeat, f.uniform)
    return wp.vec3(uv[0], uv[1], 0.0)


@wp.func
def spread_of(sheet: TextureSheet, here: wp.vec3, there: wp.vec3) -> float:
    """Pixels of a texture, at its full size, between two places on it."""
    size = sheet.size
    if sheet.kind != FLAT:
        a = here / wp.max(wp.max(wp.abs(here)), 1.0e-12)
        b = there / wp.max(wp.max(wp.abs(there)), 1.0e-12)
        return 0.5 * float(size[0]) * wp.length(b - a)
    # across the seam of a picture that goes round, the short way
    u = there[0] - here[0]
    v = there[1] - here[1]
    if wp.abs(u) > 0.5:
        u = u - wp.round(u)
    return wp.length(wp.vec2(u * float(size[0]), v * float(size[1])))


@wp.func
def look_up(
    t: Textures,
    g: RenderGeoms,
    p: RenderPoses,
    look: GeomLooks,
    k: Corners,
    hit: TexturedHit,
    right: wp.vec3,
    down: wp.vec3,
) -> wp.vec3:
    """Colour of a texture at a hit; ``right`` and ``down`` are where the rays of the next pixels meet its plane."""
    first = g.face[hit.geom][1]
    sheet = sheet_of(t, hit.texture)
    flat = sheet.kind == FLAT
    here = wp.vec3()
    spread = float(0.0)
    if flat and first >= 0 and hit.face >= 0:
        # a mesh with coordinates of its own
        uv = mesh_uv(k, 3 * (first + hit.face), hit.corner)
        here = wp.vec3(uv[0], uv[1], 0.0)
        apart = wp.max(wp.length(right - hit.at), wp.length(down - hit.at))
        spread = apart * k.density[first + hit.face] * wp.sqrt(float(sheet.size[0] * sheet.size[1]))
    else:
        f = texture_frame(g, p, look, hit)
        here = place_on(f, flat, hit.at)
        if sheet.levels > 1:
            spread = spread_of(sheet, here, place_on(f, flat, right))
            spread = wp.max(spread, spread_of(sheet, here, place_on(f, flat, down)))
    if not flat:
        return cube_colour(t.pixel, t.start, sheet, here, spread)
    return flat_colour(t.pixel, t.start, sheet, wp.vec2(here[0], here[1]), spread)


@wp.func
def lit_by(s: LitSurface, way: wp.vec3, diffuse: wp.vec3, specular: wp.vec3, highlights: int) -> wp.vec3:
    """Light that a surface sends to the camera, of a lamp in a direction."""
    facing = wp.dot(s.normal, way)
    if facing <= 0.0:
        return wp.vec3()
    sent = facing * wp.cw_mul(s.rgb, diffuse)
    if highlights != 0 and s.specular > 0.0 and s.exponent > 0.0:
        middle = way + s.view
        along = s.exponent * wp.dot(s.normal, middle)
        # half^e <= exp(-e (1 - half)): where e (1 - half) is more, nothing is left of a highlight in a byte
        least = s.exponent - HIGHLIGHT
        if along > 0.0 and (least <= 0.0 or along * along > least * least * wp.length_sq(middle)):
            half = wp.min(along / (s.exponent * wp.length(middle)), 1.0)
            sent += s.specular * wp.pow(half, s.exponent) * specular
    return sent


@wp.func
def lamp_light(lamps: Lights, world: int, i: int, s: LitSurface, highlights: int) -> wp.vec3:
    """Light of a lamp: spots fade to their edge, all but directional ones with distance."""
    way = -lamps.xdir[world, i]
    strength = float(1.0)
    if lamps.type[row_of(world, lamps.type.shape[0]), i] != MjtLightType.DIRECTIONAL:
        to = lamps.xpos[world, i] - s.at
        far = wp.length(to)
        way = to / wp.max(far, 1.0e-12)
        fall = wp.dot(lamps.attenuation[row_of(world, lamps.attenuation.shape[0]), i], wp.vec3(1.0, far, far * far))
        strength = wp.where(fall > 0.0, 1.0 / fall, 0.0)
        if lamps.type[row_of(world, lamps.type.shape[0]), i] == MjtLightType.SPOT:
            beam = -wp.dot(way, lamps.xdir[world, i])
            if beam < wp.cos(lamps.cutoff[row_of(world, lamps.cutoff.shape[0]), i] * wp.pi / 180.0):
                return wp.vec3()
            strength *= wp.pow(wp.max(beam, 0.0), lamps.exponent[row_of(world, lamps.exponent.shape[0]), i])
    diffuse = lamps.diffuse[row_of(world, lamps.diffuse.shape[0]), i]
    return strength * lit_by(s, way, diffuse, lamps.specular[row_of(world, lamps.specular.shape[0]), i], highlights)


@wp.func
def all_light(lamps: Lights, world: int, s: LitSurface, q: LookSettings, dark: wp.uint32, ahead: wp.vec3) -> wp.vec3:
    """Light that a surface sends to the camera; ``ahead`` is where the camera looks, with its headlight."""
    sent = s.emission * s.rgb
    n = lamps.type.shape[1]
    if q.ambient != 0:
        if q.headlight != 0:
            sent += wp.cw_mul(s.rgb, q.head_ambient)
        elif n == 0:
            sent += NO_LIGHT_AMBIENT * s.rgb
    if q.headlight != 0:
        sent += lit_by(s, -ahead, q.head_diffuse, q.head_specular, q.specular)
    for i in range(n):
        if lamps.active[row_of(world, lamps.active.shape[0]), i]:
            if q.ambient != 0 and q.light_ambient != 0:
                sent += wp.cw_mul(s.rgb, lamps.ambient[row_of(world, lamps.ambient.shape[0]), i])
            share = wp.where((dark >> wp.uint32(i)) & wp.uint32(1) != wp.uint32(0), q.shadowed, 1.0)
            sent += share * lamp_light(lamps, world, i, s, q.specular)
    return sent


@wp.func
def surface_of(
    v: TileView, pixel: int, h: ColourHits, g: RenderGeoms, p: RenderPoses, look: GeomLooks, k: Corners, q: LookSettings
) -> LitSurface:
    """The surface at a hit, but for its place, its texture and the direction to the camera."""
    s = LitSurface()
    place = h.geom[v.world, v.first + pixel]
    s.normal = h.normal[v.world, v.first + pixel]
    id = g.id[place]
    face = h.face[v.world, v.first + pixel]
    first = g.face[place][0]
    if q.vertex_normals != 0 and face >= 0 and first >= 0:
        turn = p.geom_xmat[v.world, id]
        flat = wp.transpose(turn) * s.normal
        s.normal = turn * smooth_normal(k, 3 * (first + face), h.corner[v.world, v.first + pixel], flat)
    rgba = rgba_of(g, look, v.world, place)
    s.rgb = wp.vec3(rgba[0], rgba[1], rgba[2])
    s.emission = NO_MATERIAL[0]
    s.specular = NO_MATERIAL[1]
    s.exponent = NO_MATERIAL[2] * SHINIEST
    material = material_of(g, look, v.world, place)
    if material >= 0:
        s.emission = look.mat_emission[row_of(v.world, look.mat_emission.shape[0]), material]
        s.specular = look.mat_specular[row_of(v.world, look.mat_specular.shape[0]), material]
        s.exponent = look.mat_shininess[row_of(v.world, look.mat_shininess.shape[0]), material] * SHINIEST
    s.emission = wp.where(q.emission != 0, s.emission, 0.0)
    return s


@wp.func
def hit_of(v: TileView, pixel: int, h: ColourHits, g: RenderGeoms, look: GeomLooks) -> TexturedHit:
    """Hit that a texture is looked up by, but for the place; texture -1 where there is none."""
    hit = TexturedHit()
    hit.world = v.world
    hit.geom = h.geom[v.world, v.first + pixel]
    hit.material = material_of(g, look, v.world, hit.geom)
    hit.texture = texture_of(look, v.world, hit.material)
    hit.normal = h.normal[v.world, v.first + pixel]
    hit.face = h.face[v.world, v.first + pixel]
    hit.corner = h.corner[v.world, v.first + pixel]
    return hit


@wp.func
def clipped(rgb: wp.vec3) -> wp.vec3:
    """A colour within what a picture holds."""
    return wp.min(wp.max(rgb, wp.vec3(0.0)), wp.vec3(1.0))


@wp.kernel(enable_backward=False)
def shade_tiles(
    c: CameraTable,
    r: RayTable,
    g: RenderGeoms,
    p: RenderPoses,
    soft: SoftSurfaces,
    look: GeomLooks,
    lamps: Lights,
    k: Corners,
    t: Textures,
    q: LookSettings,
    mask: wp.array[bool],
    h: ColourHits,
    out: Pictures,
):
    """Colours of all hits, and of the sky where there is none."""
    world, tile = wp.tid()
    v = tile_view(c, r, out, mask, world, tile)
    if v.first < 0:
        return
    pose = p.cam_xmat[world, v.camera]
    ahead = -wp.vec3(pose[0, 2], pose[1, 2], pose[2, 2])
    sky = TextureSheet()
    if q.skybox >= 0:
        sky = sheet_of(t, q.skybox)
    for j in range(TILE * TILE):
        pixel = pixel_of(v, j)
        if pixel < 0:
            continue
        mirror = mirror_of(v, h, pixel)
        met = h.dist[world, v.first + pixel] >= 0.0
        ray = ViewRay()
        if met or q.skybox >= 0:
            ray = ray_of(v, r, p, pixel, mirror)
        rgb = q.background
        share = float(1.0)
        if q.layered != 0:
            share = h.weight[world, v.first + pixel]
        if share == 0.0:
            rgb = wp.vec3()
        elif met:
            s = surface_of(v, pixel, h, g, p, look, k, q)
            place = h.geom[world, v.first + pixel]
            if g.kind[place] == SOFT:
                face = h.face[world, v.first + pixel]
                s.normal = soft_normal(soft, world, g.soft[place], face, h.corner[world, v.first + pixel], s.normal)
            s.at = ray.origin + h.dist[world, v.first + pixel] * ray.way
            s.view = -ray.way
            hit = hit_of(v, pixel, h, g, look)
            if q.textures != 0 and hit.texture >= 0:
                hit.at = s.at
                beside = wp.where(pixel % v.size[0] + 1 < v.size[0], pixel + 1, wp.max(pixel - 1, 0))
                below = wp.where(pixel + v.size[0] < v.size[0] * v.size[1], pixel + v.size[0], pixel)
                below = wp.where(below == pixel, wp.max(pixel - v.size[0], 0), below)
                right = on_plane(ray_of(v, r, p, beside, mirror), s.at, hit.normal)
                down = on_plane(ray_of(v, r, p, below, mirror), s.at, hit.normal)
                s.rgb = wp.cw_mul(s.rgb, look_up(t, g, p, look, k, hit, right, down))
            rgb = all_light(lamps, world, s, q, h.dark[world, v.first + pixel], seen_in(mirror, ahead))
            if q.layered != 0:
                share = share_of_hit(v, pixel, g, p, look, q, h, s.at)
        else:
            if q.layered != 0:
                h.weight[world, v.first + pixel] = 0.0
            if is_mirror(mirror):
                rgb = wp.vec3()
            elif q.skybox >= 0:
                # a cube's axes: x as in the world, its y up along z
                rgb = cube_colour(t.pixel, t.start, sky, wp.vec3(ray.way[0], ray.way[2], -ray.way[1]), 0.0)
        if q.samples > 1 or q.layered != 0:
            # the mean of the samples of a pixel, each the sum of its layers
            h.sum[world, v.first + pixel] = h.sum[world, v.first + pixel] + share * clipped(rgb)
            rgb = h.sum[world, v.first + pixel] / float(q.samples)
        if q.last != 0:
            out.rgb[world, v.first + pixel] = bytes_of(clipped(rgb))
