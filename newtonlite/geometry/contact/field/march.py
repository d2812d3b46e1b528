"""Ray in a distance field, by sphere tracing: each step goes as far as the field says that no surface is.

Hart, Sphere tracing, Visual Computer 12 (1996).  From the inside it goes on to where the ray leaves.
"""

import warp as wp

from newtonlite.geometry.contact.convex.number import ZERO, real, vec
from newtonlite.geometry.contact.field.descent import FieldShape, shape_field
from newtonlite.geometry.contact.field.octree import Octree

STEPS = wp.constant(40)
NEAR = wp.constant(real(1.0e-7))
"""Distance to the surface at which a ray has met it [m]."""
FAR = wp.constant(real(1.0e6))


@wp.func
def march(tree: Octree, s: FieldShape, o: vec, way: vec) -> real:
    """Distance [m] from ``o`` along the unit vector ``way`` to the surface, in the frame of the field; -1 if it is not met."""
    gone = ZERO
    for _ in range(STEPS):
        here = wp.abs(shape_field(tree, s, o + gone * way))
        gone += here
        if here < NEAR:
            return gone
        if here > FAR:
            return real(-1.0)
    return real(-1.0)
