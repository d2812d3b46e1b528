"""Layers of colours: rays that go on behind see-through surfaces and in a mirror, in MuJoCo's blending.

MuJoCo draws a surface of opacity a twice, so that (1 - a)^2 of what is behind it remains; and adds to its mirror, which is
the first plane or box (its top) that reflects, the picture in it times the reflectance. The sky is not mirrored.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco.render.hits import (
    ColourHits,
    Pictures,
    TileView,
    is_mirror,
    mirror_of,
    pixel_of,
    ray_of,
    tile_view,
)
from newtonlite.solvers.mujoco.render.looks import GeomLooks, LookSettings
from newtonlite.solvers.mujoco.render.rays import TILE, CameraTable, RayTable
from newtonlite.solvers.mujoco.render.scene import RenderGeoms, RenderPoses, meets_sphere, rgba_of
from newtonlite.solvers.mujoco.render.soft import SOFT, SoftSurfaces
from newtonlite.solvers.mujoco.render.trace import look_at, look_at_soft, unseen, write_hit

kernel_module(__name__, max_unroll=0)

BEHIND = 4
"""Surfaces behind see-through ones that a ray meets, at most; the last one covers what is behind it."""
STEP = wp.constant(1.0e-4)
"""Distance behind a surface at which its ray goes on [m]."""
TOP = wp.constant(0.99)
"""Least z of the normals of a box's face that reflects, in its frame."""


def mirror_geom(mj: Any, geoms: np.ndarray) -> tuple[int, float]:
    """(place, reflectance) of the mirror among the rendered ``geoms`` of a compiled model; (-1, 0) where none reflects."""
    material, opacity = np.asarray(mj.geom_matid)[geoms], np.asarray(mj.geom_rgba).reshape(-1, 4)[geoms, 3]
    flat = np.isin(np.asarray(mj.geom_type)[geoms], (MjtGeom.PLANE, MjtGeom.BOX))
    for place in np.flatnonzero(flat & (material >= 0) & (opacity == 1.0)):
        reflectance = float(np.asarray(mj.mat_reflectance)[material[place]])
        if reflectance > 0.0:
            return int(place), reflectance
    return -1, 0.0


@wp.func
def share_of_hit(
    v: TileView,
    pixel: int,
    g: RenderGeoms,
    p: RenderPoses,
    look: GeomLooks,
    q: LookSettings,
    h: ColourHits,
    at: wp.vec3,
) -> float:
    """Share of a pixel's colour that its hit gives; the rest is left to its ray, which goes on."""
    k = v.first + pixel
    weight = h.weight[v.world, k]
    h.weight[v.world, k] = 0.0
    if q.ends != 0:
        return weight
    place = h.geom[v.world, k]
    opacity = rgba_of(g, look, v.world, place)[3]
    if q.see_through != 0 and opacity < 1.0:
        behind = (1.0 - opacity) * (1.0 - opacity)
        h.weight[v.world, k] = behind * weight
        h.passed[v.world, k] = h.dist[v.world, k] + STEP
        return (1.0 - behind) * weight
    if place == q.mirror and not is_mirror(mirror_of(v, h, pixel)):
        turn = p.geom_xmat[v.world, g.id[place]]
        up = wp.vec3(turn[0, 2], turn[1, 2], turn[2, 2])
        if wp.dot(up, h.normal[v.world, k]) > TOP:
            h.weight[v.world, k] = q.reflectance * weight
            h.mirror[v.world, k] = wp.vec4(up[0], up[1], up[2], wp.dot(up, at))
            h.passed[v.world, k] = h.dist[v.world, k] + STEP
    return weight


@wp.kernel(enable_backward=False)
def trace_layer(
    c: CameraTable,
    r: RayTable,
    g: RenderGeoms,
    p: RenderPoses,
    s: SoftSurfaces,
    mask: wp.array[bool],
    h: ColourHits,
    out: Pictures,
):
    """Hits of the rays that go on, each looking at all geoms of its world."""
    world, tile = wp.tid()
    v = tile_view(c, r, out, mask, world, tile)
    if v.first < 0:
        return
    for j in range(TILE * TILE):
        pixel = pixel_of(v, j)
        if pixel < 0:
            continue
        if h.weight[world, v.first + pixel] == 0.0:
            h.dist[world, v.first + pixel] = -1.0
            continue
        ray = ray_of(v, r, p, pixel, mirror_of(v, h, pixel))
        passed = h.passed[world, v.first + pixel]
        o = ray.origin + passed * ray.way
        seen = unseen(out.zfar, r.way[v.row, v.ray + pixel][2])
        seen.dist -= passed
        for k in range(g.id.shape[0]):
            if meets_sphere(g.sphere[world, k], o, ray.way):
                if g.kind[k] == SOFT:
                    seen = look_at_soft(s, world, k, g.soft[k], o, ray.way, out.culling, seen)
                else:
                    seen = look_at(g, p, world, k, o, ray.way, out.culling, seen)
        write_hit(h, world, v.first + pixel, passed + seen.dist, seen)
