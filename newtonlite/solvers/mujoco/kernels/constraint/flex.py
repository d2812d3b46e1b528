"""Equality of a flex: its edges keep their lengths, or the cells of its interpolation keep their shape."""

import warp as wp

from newtonlite.core.mujoco import MjtEq
from newtonlite.math.quaternion import quat_rotate
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.equality_row import finish_equality_row
from newtonlite.solvers.mujoco.kernels.constraint.row import one_block_range, row_blocks
from newtonlite.solvers.mujoco.kernels.constraint.row_store import append_entries, chain_length, open_rows, put
from newtonlite.solvers.mujoco.kernels.position.flex_cell import node_place
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def cell_width(m: ModelFields, c: int) -> int:
    """Entries of a sparse row of a cell: the chains of its nodes, one after the other."""
    # dofs that move several nodes have an entry for each
    total = int(0)
    for k in range(m.flexcell_nodeadr[c], m.flexcell_nodeadr[c + 1]):
        total += chain_length(m, m.flex_nodebodyid[m.flexcellnode_point[k] - m.nflexvert])
    return total


@wp.func
def claim_flex_entries(m: ModelFields, d: DataFields, world: int, k: int, row: int):
    """Reserve the entries of the sparse rows of a constraint of a flex. One lane."""
    if m.nflexrow > 0 and m.eq_type[k] == MjtEq.FLEX:
        # an edge has entries for the dofs that change its length: not for those that move it as a whole
        for r in range(m.eq_nrow[k]):
            e = m.flexrow_edge[m.eq_flexrow[k] + r]
            append_entries(m, d, world, row + r, 1, m.flexedge_J_rownnz[e] - m.flexedge_shared[e])
    if m.nflexstrain > 0 and m.eq_type[k] == MjtEq.FLEXSTRAIN:
        # all modes of a cell move the same dofs: products take their rows together
        append_entries(m, d, world, row, m.eq_nrow[k], cell_width(m, m.eq_flexcell[k]))


@wp.func
def edge_row(m: ModelFields, d: DataFields, world: int, k: int, row: int, e: int):
    """One row of an edge: ``L - L0`` [m], with its Jacobian. One lane."""
    # Jacobian: the edge's, in the columns of the trees of its two bodies
    b1 = m.flex_vertbodyid[m.flexedge_vert[e][0]]
    b2 = m.flex_vertbodyid[m.flexedge_vert[e][1]]
    open_rows(m, d, world, row, 1, row_blocks(m, b1, b2), 0, 1)
    shared = m.flexedge_shared[e]
    first = m.flexedge_J_rowadr[e] + shared
    for i in range(m.flexedge_J_rownnz[e] - shared):
        put(m, d, world, row, i, m.flexedge_J_colind[first + i], d.flexedge_J[world, first + i])

    # parameters: as of any equality, with the edge's weight
    pos = d.flexedge_length[world, e] - m.flexedge_length0[world, e]
    speed = d.flexedge_velocity[world, e]
    finish_equality_row(m, d, world, k, row, pos, wp.abs(pos), m.flexedge_invweight0[world, e], speed, 0.0, 0.0)


@wp.func
def edge_rows(m: ModelFields, d: DataFields, world: int, k: int, row: int, lane: int, nlane: int):
    """Rows of all edges of a flex, an edge for each lane."""
    for r in range(lane, m.eq_nrow[k], nlane):
        edge_row(m, d, world, k, row + r, m.flexrow_edge[m.eq_flexrow[k] + r])
    sync()


@wp.func
def cell_blocks(m: ModelFields, c: int) -> wp.vec4i:
    """Column blocks from the first to the last dof that moves a node of a cell."""
    low = int(1 << 30)
    high = int(0)
    for k in range(m.flexcell_nodeadr[c], m.flexcell_nodeadr[c + 1]):
        b = m.flex_nodebodyid[m.flexcellnode_point[k] - m.nflexvert]
        if m.chain_adr[b] < m.chain_adr[b + 1]:
            block = m.dof_block[m.chain_dof[m.chain_adr[b]]]
            low = wp.min(low, block[0])
            high = wp.max(high, block[1])
    return one_block_range(wp.vec2i(wp.min(low, high), high))


@wp.func
def strain_row(m: ModelFields, d: DataFields, world: int, k: int, row: int, c: int, mode: int, blocks: wp.vec4i):
    """One row of a cell: the part ``q' (R' x - x0)`` of its displacements along one mode of its stiffness. One lane."""
    # Jacobian: the mode, turned into the world, by the dofs that move its nodes
    open_rows(m, d, world, row, 1, blocks, 0, 1)
    place = int(0)
    # q_j of node j, three numbers each, behind the count of modes
    first = m.flexcell_nodeadr[c]
    n = m.flexcell_nodeadr[c + 1] - first
    adr = m.flexcell_adr[c] + 1 + 3 * n * mode
    turn = d.flexcell_quat[world, c]
    pos = float(0.0)
    speed = float(0.0)
    weight = float(0.0)
    for j in range(n):
        at = adr + 3 * j
        q = wp.vec3(m.flex_stiffness[world, at], m.flex_stiffness[world, at + 1], m.flex_stiffness[world, at + 2])
        pos += wp.dot(q, d.flexcellnode_stretch[world, first + j])
        speed += wp.dot(q, d.flexcellnode_rate[world, first + j])
        b = m.flex_nodebodyid[m.flexcellnode_point[first + j] - m.nflexvert]
        weight += m.body_invweight0[world, b][0]
        direction = quat_rotate(turn, q)
        arm = lever(m, d, world, b, node_place(m, d, world, first + j))
        for i in range(m.chain_adr[b], m.chain_adr[b + 1]):
            dof = m.chain_dof[i]
            put(m, d, world, row, place, dof, wp.dot(direction, linear_at(d.cdof[world, dof], arm)))
            place += 1

    # parameters: the weight of all rows is the mean of the nodes'
    finish_equality_row(m, d, world, k, row, pos, wp.abs(pos), weight / float(n), speed, 0.0, 0.0)


@wp.func
def strain_rows(m: ModelFields, d: DataFields, world: int, k: int, row: int, lane: int, nlane: int):
    """Rows of all modes of a cell, a mode for each lane."""
    c = m.eq_flexcell[k]
    blocks = cell_blocks(m, c)
    for r in range(lane, m.eq_nrow[k], nlane):
        strain_row(m, d, world, k, row + r, c, r, blocks)
    sync()
