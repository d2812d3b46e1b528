"""Distance fields of geoms, as the functions of geometry take them."""

import warp as wp

from newtonlite.geometry.contact.convex.number import real, vec
from newtonlite.geometry.contact.field.descent import FieldShape
from newtonlite.geometry.contact.field.octree import Octree
from newtonlite.solvers.mujoco.field_types import ModelFields


@wp.func
def double3(v: wp.vec3) -> vec:
    """A vector in double precision."""
    return vec(real(v[0]), real(v[1]), real(v[2]))


@wp.func
def octree_of(m: ModelFields) -> Octree:
    """The model's octrees."""
    tree = Octree()
    tree.child = m.oct_child
    tree.box = m.oct_box
    tree.corner = m.oct_corner
    return tree


@wp.func
def field_shape(m: ModelFields, world: int, g: int) -> FieldShape:
    """The field of a geom."""
    s = FieldShape()
    s.kind = m.geom_type[g]
    s.size = double3(m.geom_size[world, g])
    s.slot = m.geom_fieldslot[g]
    s.attributes = m.geom_fieldprm[g]
    s.root = m.geom_octroot[g]
    return s
