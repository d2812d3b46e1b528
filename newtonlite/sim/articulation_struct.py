"""Articulation struct: a model's joints and links as kernels see them."""

from operator import attrgetter, is_
from typing import Any

import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.struct
class ArticulationStruct:
    """The joints of a model, articulation by articulation from the root outwards, and the bodies they move.

    Fields are the model's arrays of the same names.
    """

    articulation_start: wp.array[int]
    articulation_end: wp.array[int]
    articulation_world: wp.array[int]
    joint_articulation: wp.array[int]
    joint_ancestor: wp.array[int]
    joint_type: wp.array[int]
    joint_parent: wp.array[int]
    joint_child: wp.array[int]
    joint_q_start: wp.array[int]
    joint_qd_start: wp.array[int]
    joint_dof_dim: wp.array2d[int]
    joint_X_p: wp.array[wp.transform]
    joint_X_c: wp.array[wp.transform]
    joint_axis: wp.array[wp.vec3]
    joint_armature: wp.array[float]
    body_com: wp.array[wp.vec3]
    body_mass: wp.array[float]
    body_inertia: wp.array[wp.mat33]
    body_flags: wp.array[int]


_arrays_of = attrgetter(*ArticulationStruct.vars)


def articulation_struct(model: Any) -> ArticulationStruct:
    """The tree of a model, sharing its arrays; made anew where one of them was replaced."""
    arrays = _arrays_of(model)
    kept = model.__dict__.get("_tree")
    if kept is None or not all(map(is_, kept[0], arrays)):
        tree = ArticulationStruct()
        for name, array in zip(ArticulationStruct.vars, arrays):
            setattr(tree, name, array)
        kept = model._tree = arrays, tree
    return kept[1]


@wp.struct
class ParentFrame:
    """Parent of a joint: its parent frame in the world, and the motion of the parent."""

    frame: wp.transform
    qd: wp.spatial_vector  # of the parent's centre of mass
    com: wp.vec3


@wp.func
def base_frame(t: ArticulationStruct, body_q: wp.array[wp.transform], joint: int) -> wp.transform:
    """The parent frame of a joint in the world."""
    frame = t.joint_X_p[joint]
    if t.joint_parent[joint] >= 0:
        frame = body_q[t.joint_parent[joint]] * frame
    return frame


@wp.func
def base_of(
    t: ArticulationStruct, body_q: wp.array[wp.transform], body_qd: wp.array[wp.spatial_vector], joint: int
) -> ParentFrame:
    """Parent frame of a joint, with the velocity and centre of mass of the parent; the world rests."""
    base = ParentFrame()
    base.frame = base_frame(t, body_q, joint)
    parent = t.joint_parent[joint]
    if parent >= 0:
        base.qd = body_qd[parent]
        base.com = com_of(t, body_q, parent)
    return base


@wp.func
def com_of(t: ArticulationStruct, body_q: wp.array[wp.transform], body: int) -> wp.vec3:
    """Centre of mass of a body in the world."""
    return wp.transform_point(body_q[body], t.body_com[body])


@wp.func
def floats(kind: int) -> bool:
    """Whether a joint of this kind leaves its child all six freedoms, its speeds being those of the child's centre of
    mass.
    """
    return kind == JointType.FREE or kind == JointType.DISTANCE


@wp.func
def velocity_at(qd: wp.spatial_vector, com: wp.vec3, point: wp.vec3) -> wp.vec3:
    """Velocity of a point that moves with a body whose centre of mass is at ``com``, all in the world."""
    return wp.spatial_top(qd) + wp.cross(wp.spatial_bottom(qd), point - com)


@wp.func
def left_out(mask: wp.array[wp.bool], articulation: int) -> bool:
    """Whether a mask, where there is one, leaves out an articulation; joints of none are left out of every mask."""
    out = bool(False)
    if mask:
        out = articulation < 0
        if not out:
            out = not mask[articulation]
    return out
