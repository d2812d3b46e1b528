"""Rays against distance fields."""

import warp as wp

from newtonlite.geometry.contact.convex.number import ZERO
from newtonlite.geometry.contact.field.descent import shape_gradient
from newtonlite.geometry.contact.field.march import march
from newtonlite.geometry.contact.field.primitive import direction
from newtonlite.geometry.ray.shapes import MISS, hit, miss, ray_box
from newtonlite.solvers.mujoco.field_types import ModelFields
from newtonlite.solvers.mujoco.kernels.collide.field_shape import double3, field_shape, octree_of
from newtonlite.solvers.mujoco.kernels.collide.geom_box import half_lengths


@wp.func
def ray_field(m: ModelFields, world: int, g: int, o: wp.vec3, v: wp.vec3) -> wp.vec4:
    """A ray in the frame of a geom with a distance field."""
    # the box around the geom says at once what goes by
    box = ray_box(o - m.hull_box[world, g, 0], v, half_lengths(m, world, g))
    length = wp.length(v)
    if box[0] >= MISS or length == 0.0:
        return miss()
    # on along the ray until the surface is met
    tree = octree_of(m)
    s = field_shape(m, world, g)
    start = double3(o)
    way = double3(v) / wp.length(double3(v))
    gone = march(tree, s, start, way)
    if gone < ZERO:
        return miss()
    normal = direction(shape_gradient(tree, s, start + gone * way))
    return hit(float(gone) / length, wp.vec3(normal))
