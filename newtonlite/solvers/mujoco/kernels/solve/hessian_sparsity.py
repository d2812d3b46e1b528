"""Hessian sparsity: which blocks of dofs the rows couple, and how far left each row of H reaches.

M has entries within a tree alone.  A row over two trees adds ``J_r' J_r`` between them, and a factor taken leaf first
(``factor``) fills in to the left of what it eliminates; so each row of H is stored from its leftmost block on.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from newtonlite.solvers.mujoco.kernels.primitives.team import sync


@wp.func
def join_blocks(d: DataFields, world: int, span: wp.vec4i):
    """Let the blocks of a row reach its leftmost one."""
    for b in range(span[0], span[3]):
        if b < span[1] or b >= span[2]:
            d.block_lo[world, b] = wp.min(d.block_lo[world, b], span[0])


@wp.func
def couple_blocks(m: ModelFields, d: DataFields, world: int):
    """Lower ``block_lo`` for every row over two trees, then close it under the fill of a leaf-first factor."""
    # every block begins alone; equalities, and limits and friction of tendons, may reach over several trees
    for b in range(m.nblock):
        d.block_lo[world, b] = b
    if m.neq > 0 or m.ntendon > 0:
        for row in range(d.ne[world] + d.nf[world] + d.nl[world]):
            join_blocks(d, world, d.efc_block[world, row])
    # pairs of surfaces are behind all others
    if m.nipcpoint > 0:
        for row in range(d.nefc[world]):
            join_blocks(d, world, d.efc_block[world, row])

    # of contacts only those between two trees
    for c in range(d.ncon[world]):
        row = d.contact_efc_address[world, c]
        if row >= 0:
            geoms = d.contact_geom[world, c]
            # flexes reach over any number of trees
            joined = m.nflexgroup > 0 and geoms[1] < 0
            if not joined:
                t1 = m.body_treeid[m.geom_bodyid[geoms[0]]]
                t2 = m.body_treeid[m.geom_bodyid[geoms[1]]]
                joined = t1 >= 0 and t2 >= 0 and t1 != t2
            if joined:
                join_blocks(d, world, d.efc_block[world, row])

    # leaf first a row fills in every row that it reaches: from the last block on, what a block reaches its neighbours
    # in between reach too
    for k in range(m.nblock):
        b = m.nblock - 1 - k
        low = d.block_lo[world, b]
        for c in range(low, b):
            d.block_lo[world, c] = wp.min(d.block_lo[world, c], low)


@wp.func
def hessian_blocks(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``H_block``: a row reaches left to its own tree, or to the leftmost tree coupled with it."""
    if m.ntree > 1 and lane == 0:
        couple_blocks(m, d, world)
    sync()
    for i in range(lane, m.nv, nlane):
        block = m.dof_block[i]
        if m.ntree > 1:
            block = wp.vec2i(wp.min(block[0], d.block_lo[world, i / BLOCK]), block[1])
        d.H_block[world, i] = block
    sync()


@wp.func
def own_blocks(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``H_block`` without coupling: every tree by itself, as in M."""
    for i in range(lane, m.nv, nlane):
        d.H_block[world, i] = m.dof_block[i]
    sync()
