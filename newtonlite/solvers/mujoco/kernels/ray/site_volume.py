"""Site volumes: whether a point is inside a site, and whether a ray hits one."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.ray.primitive import ray_primitive
from newtonlite.geometry.ray.shapes import MISS
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def inside(kind: int, size: wp.vec3, p: wp.vec3) -> bool:
    """Whether a point, in the frame of a primitive shape, is inside."""
    if kind == MjtGeom.SPHERE:
        return wp.length_sq(p) < size[0] * size[0]
    if kind == MjtGeom.CAPSULE:
        over = p[2] - wp.clamp(p[2], -size[1], size[1])
        return p[0] * p[0] + p[1] * p[1] + over * over < size[0] * size[0]
    if kind == MjtGeom.ELLIPSOID:
        return wp.length_sq(wp.cw_div(p, size)) < 1.0
    if kind == MjtGeom.CYLINDER:
        return wp.abs(p[2]) < size[1] and p[0] * p[0] + p[1] * p[1] < size[0] * size[0]
    return wp.abs(p[0]) < size[0] and wp.abs(p[1]) < size[1] and wp.abs(p[2]) < size[2]


@wp.func
def in_site_volume(m: ModelFields, d: DataFields, world: int, s: int, point: wp.vec3) -> bool:
    """Whether a point is in the volume of site ``s``."""
    local = wp.transpose(d.site_xmat[world, s]) * (point - d.site_xpos[world, s])
    return inside(m.site_type[s], m.site_size[world, s], local)


@wp.func
def ray_hits_site_volume(m: ModelFields, d: DataFields, world: int, s: int, o: wp.vec3, v: wp.vec3) -> bool:
    """Whether a ray meets the volume of site ``s``, or starts in it."""
    turn = wp.transpose(d.site_xmat[world, s])
    return ray_primitive(m.site_type[s], m.site_size[world, s], turn * (o - d.site_xpos[world, s]), turn * v)[0] < MISS
