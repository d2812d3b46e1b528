"""Flex cells: rotations of the cells of interpolated flexes, and of the faces of shells."""

import warp as wp

from newtonlite.math.polar import polar_rotation
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def node_place(m: ModelFields, d: DataFields, world: int, k: int) -> wp.vec3:
    """Place of node ``k`` of the lists of cells."""
    return d.flexnode_xpos[world, m.flexcellnode_point[k] - m.nflexvert]


@wp.func
def cell_frame(axis: int, c0: wp.vec3, c1: wp.vec3, c2: wp.vec3) -> wp.mat33:
    """Deformation gradient of the columns along the axes; a face has two, along the axes after its normal's, and takes their
    cross product for the third.
    """
    if axis < 0:
        return wp.matrix_from_cols(c0, c1, c2)
    normal = wp.cross(c0, c1)
    if axis == 0:
        return wp.matrix_from_cols(normal, c0, c1)
    if axis == 1:
        return wp.matrix_from_cols(c1, normal, c0)
    return wp.matrix_from_cols(c0, c1, normal)


@wp.func
def cell_rotation(m: ModelFields, d: DataFields, world: int, c: int):
    """``flexcell_quat``: rotation of the deformation gradient ``sum x_i grad N_i'`` in the middle of a cell; of a face with
    the normal that its tangents make.
    """
    first = m.flexcell_nodeadr[c]
    origin = node_place(m, d, world, first)
    c0 = wp.vec3(0.0, 0.0, 0.0)
    c1 = wp.vec3(0.0, 0.0, 0.0)
    c2 = wp.vec3(0.0, 0.0, 0.0)
    for k in range(first, m.flexcell_nodeadr[c + 1]):
        x = node_place(m, d, world, k) - origin
        g = m.flexcellnode_gradient[k]
        c0 += x * g[0]
        c1 += x * g[1]
        c2 += x * g[2]
    d.flexcell_quat[world, c] = polar_rotation(cell_frame(m.flexcell_axis[c], c0, c1, c2))
