"""Ray against a shape, by its kind.

Meshes and height fields have functions of their own, with the hierarchies of boxes that they are searched by: the
engine's ``kernels/ray/mesh.py``, Warp's ``wp.mesh_query_ray``. All answer with (distance, normal).
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.kinds import BARREL, CONE, SHEET
from newtonlite.geometry.ray.barrel import ray_barrel
from newtonlite.geometry.ray.cone import ray_cone, ray_sheet
from newtonlite.geometry.ray.shapes import (
    miss,
    ray_box,
    ray_capsule,
    ray_cylinder,
    ray_ellipsoid,
    ray_plane,
    ray_sphere,
)


@wp.func
def ray_primitive(kind: int, size: wp.vec3, o: wp.vec3, d: wp.vec3) -> wp.vec4:
    """Hit (distance, normal) of a ray in the frame of one of MuJoCo's primitives; a miss for other kinds."""
    answer = miss()
    if kind == MjtGeom.PLANE:
        answer = ray_plane(o, d, size)
    elif kind == MjtGeom.SPHERE:
        answer = ray_sphere(o, d, size[0])
    elif kind == MjtGeom.CAPSULE:
        answer = ray_capsule(o, d, size[0], size[1])
    elif kind == MjtGeom.ELLIPSOID:
        answer = ray_ellipsoid(o, d, size)
    elif kind == MjtGeom.CYLINDER:
        answer = ray_cylinder(o, d, size[0], size[1])
    elif kind == MjtGeom.BOX:
        answer = ray_box(o, d, size)
    return answer


@wp.func
def ray_shape(kind: int, size: wp.vec3, pose: wp.transform, origin: wp.vec3, direction: wp.vec3) -> wp.vec4:
    """Hit (distance, normal in the world) of a ray of the world and a shape of any kind but meshes and height fields."""
    back = wp.transform_inverse(pose)
    o = wp.transform_point(back, origin)
    d = wp.transform_vector(back, direction)
    answer = miss()
    if kind == SHEET:
        answer = ray_sheet(o, d, size[0], size[1])
    elif kind == CONE:
        answer = ray_cone(o, d, size[0], size[1])
    elif kind == BARREL:
        answer = ray_barrel(o, d, size[0], size[1], size[2])
    else:
        answer = ray_primitive(kind, size, o, d)
    n = wp.transform_vector(pose, wp.vec3(answer[1], answer[2], answer[3]))
    return wp.vec4(answer[0], n[0], n[1], n[2])
