"""Ray against a primitive of Newton's ``GeoType``."""

import warp as wp

from newtonlite.core.enums import GeoType
from newtonlite.geometry.ray.cone import ray_cone, ray_sheet
from newtonlite.geometry.ray.shapes import miss, ray_box, ray_capsule, ray_cylinder, ray_ellipsoid, ray_sphere


@wp.func
def ray_primitive(kind: int, o: wp.vec3, d: wp.vec3, scale: wp.vec3) -> wp.vec4:
    """(distance, normal) of a ray in the frame of a shape of type ``kind`` and sizes ``scale`` [m] as
    ``Model.shape_scale`` has them; a plane is seen from both sides. A miss for other types.
    """
    if kind == GeoType.CAPSULE:
        return ray_capsule(o, d, scale[0], scale[1])
    if kind == GeoType.SPHERE:
        return ray_sphere(o, d, scale[0])
    if kind == GeoType.BOX:
        return ray_box(o, d, scale)
    if kind == GeoType.CYLINDER:
        return ray_cylinder(o, d, scale[0], scale[1])
    if kind == GeoType.ELLIPSOID:
        return ray_ellipsoid(o, d, scale)
    if kind == GeoType.CONE:
        return ray_cone(o, d, scale[0], scale[1])
    if kind == GeoType.PLANE:
        return ray_sheet(o, d, scale[0], scale[1])
    return miss()
