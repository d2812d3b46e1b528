"""Flex cells: linear elasticity in the frame that turns with each cell.

Müller and Gross 2004: ``f = R K (R' x - x0)``, dampers ``beta R K R' dx/dt``. ``K`` is stored with the sign of a force.
"""

import warp as wp

from newtonlite.math.quaternion import quat_conj, quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.position.flex_cell import node_place
from newtonlite.solvers.mujoco.kernels.primitives.point import point_velocity


@wp.func
def plastic_displacement(m: ModelFields, d: DataFields, world: int, c: int, r: wp.vec3) -> wp.vec3:
    """Displacement at ``r`` from the first node by the strain that a cell has taken on for good."""
    at = m.flexcell_plastic[c]
    axis = m.flexcell_axis[c]
    if at < 0:
        return wp.vec3(0.0, 0.0, 0.0)
    p0 = d.plastic[world, at]
    p1 = d.plastic[world, at + 1]
    p2 = d.plastic[world, at + 2]
    moved = wp.vec3(0.0, 0.0, 0.0)
    if axis >= 0:
        a = (axis + 1) % 3
        b = (axis + 2) % 3
        moved[a] = p0 * r[a] + 0.5 * p2 * r[b]
        moved[b] = 0.5 * p2 * r[a] + p1 * r[b]
        return moved
    xy = 0.5 * d.plastic[world, at + 3]
    xz = 0.5 * d.plastic[world, at + 4]
    yz = 0.5 * d.plastic[world, at + 5]
    return wp.vec3(
        p0 * r[0] + xy * r[1] + xz * r[2], xy * r[0] + p1 * r[1] + yz * r[2], xz * r[0] + yz * r[1] + p2 * r[2]
    )


@wp.func
def node_displacement(m: ModelFields, d: DataFields, world: int, k: int):
    """``flexcellnode_stretch`` and ``flexcellnode_rate``, both against the first node, which ``K`` is blind to."""
    first = m.flexcell_nodeadr[m.flexcellnode_cell[k]]
    back = quat_conj(d.flexcell_quat[world, m.flexcellnode_cell[k]])
    n = m.flexcellnode_point[k] - m.nflexvert
    n0 = m.flexcellnode_point[first] - m.nflexvert
    x = node_place(m, d, world, k)
    x0 = node_place(m, d, world, first)
    rest = m.flex_node0[world, n] - m.flex_node0[world, n0]
    stretch = quat_rotate(back, x - x0) - rest
    if m.nflexplastic > 0:
        stretch -= plastic_displacement(m, d, world, m.flexcellnode_cell[k], rest)
    d.flexcellnode_stretch[world, k] = stretch
    v = point_velocity(m, d, world, m.flex_nodebodyid[n], x)
    v0 = point_velocity(m, d, world, m.flex_nodebodyid[n0], x0)
    d.flexcellnode_rate[world, k] = quat_rotate(back, v - v0)


@wp.func
def node_force(m: ModelFields, d: DataFields, world: int, k: int):
    """Slot of a node of a cell: three rows of ``K`` times the displacements of all nodes."""
    c = m.flexcellnode_cell[k]
    slot = m.flexcell_first[0] + k
    spring = wp.vec3(0.0, 0.0, 0.0)
    damper = wp.vec3(0.0, 0.0, 0.0)
    if m.flexcell_held[c] == 0:
        first = m.flexcell_nodeadr[c]
        n = m.flexcell_nodeadr[c + 1] - first
        row = m.flexcell_adr[c] + 9 * n * (k - first)
        for j in range(n):
            u = d.flexcellnode_stretch[world, first + j]
            v = d.flexcellnode_rate[world, first + j]
            for i in range(3):
                at = row + 3 * n * i + 3 * j
                entries = wp.vec3(
                    m.flex_stiffness[world, at], m.flex_stiffness[world, at + 1], m.flex_stiffness[world, at + 2]
                )
                spring[i] += wp.dot(entries, u)
                damper[i] += wp.dot(entries, v)
    turn = d.flexcell_quat[world, c]
    d.flexslot_spring[world, slot] = quat_rotate(turn, spring)
    d.flexslot_damper[world, slot] = quat_rotate(turn, damper) * m.flex_damping[world, m.flexcell_flexid[c]]
