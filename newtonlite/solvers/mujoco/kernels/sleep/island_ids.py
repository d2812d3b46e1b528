"""Island ids of trees, dofs and constraint rows, from the rows as they are.

MuJoCo documentation, Computation: Constraint islands (``mj_island``).  Taken after the rows of a step are there: by
solvers that go island by island (``solve/islands``), and where the islands are asked for.  ``island`` finds those of
sleep earlier in the step.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit, MjtEq
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import is_flex_side
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.sleep.island import link, link_drives, link_partners, root_of

MANY = wp.constant(-2)
"""In place of the trees of a row that may act on any number of them."""


@wp.func
def link_along(m: ModelFields, d: DataFields, world: int, row: int) -> int:
    """Tie all trees that a row has entries for; returns the first."""
    # the dofs that the row moves, tree after tree
    first = int(-1)
    last = int(-1)
    if m.nsparse > 0:
        adr = d.efc_J_rowadr[world, row]
        for e in range(adr, adr + d.efc_J_rownnz[world, row]):
            tree = m.dof_treeid[d.efc_J_colind[world, e]]
            if d.efc_J[world, 0, e] != 0.0 and tree != last:
                link(d, world, last, tree)
                last = tree
                if first < 0:
                    first = tree
        if first >= 0:
            link(d, world, first, first)
        return first
    block = d.efc_block[world, row]
    for stretch in range(2):
        for i in range(BLOCK * block[2 * stretch], wp.min(BLOCK * block[2 * stretch + 1], m.nv)):
            tree = m.dof_treeid[i]
            if d.efc_J[world, row, i] != 0.0 and tree != last:
                link(d, world, last, tree)
                last = tree
                if first < 0:
                    first = tree
    if first >= 0:
        link(d, world, first, first)
    return first


@wp.func
def link_row(m: ModelFields, d: DataFields, world: int, row: int) -> int:
    """Tie the trees that a row acts on; returns the first of them. Contacts and tied bodies count with both bodies,
    whatever their entries.
    """
    # rows come in the order equality, friction, limit, contact: the kind of a row is its place
    ne = d.ne[world]
    nf = ne + d.nf[world]
    nl = nf + d.nl[world]
    id = d.efc_id[world, row]
    trees = wp.vec2i(-1, -1)

    # rows of joint and tendon equalities and of tendons act where they have entries; the others have their trees by
    # what they tie
    whole = bool(False)
    if row < ne:
        whole = m.eq_type[id] != MjtEq.CONNECT and m.eq_type[id] != MjtEq.WELD
        if not whole:
            trees = m.eq_tree[id]
        if m.nflexrow > 0 and m.eq_type[id] == MjtEq.FLEX:
            e = m.flexrow_edge[m.eq_flexrow[id] + row - d.eq_efc_address[world, id]]
            b1 = m.flex_vertbodyid[m.flexedge_vert[e][0]]
            b2 = m.flex_vertbodyid[m.flexedge_vert[e][1]]
            trees = wp.vec2i(m.body_treeid[b1], m.body_treeid[b2])
            whole = False
    elif row < ne + d.nf_dof[world]:
        trees = wp.vec2i(m.dof_treeid[id], -1)
    elif row >= nf and row < nf + d.nl_jnt[world]:
        trees = wp.vec2i(m.dof_treeid[m.jnt_dofadr[id]], -1)
    elif row < nl:
        whole = True
    else:
        geoms = d.contact_geom[world, id]
        if is_flex_side(m, d, world, id, 1):
            whole = True
        else:
            trees = wp.vec2i(m.body_treeid[m.geom_bodyid[geoms[0]]], m.body_treeid[m.geom_bodyid[geoms[1]]])

    # any number of trees: found by the row's entries
    if whole:
        d.efc_tree[world, row] = wp.vec2i(MANY, MANY)
        return link_along(m, d, world, row)

    # at most two, kept for the island calls, which copy the row's entries of these trees
    d.efc_tree[world, row] = wp.vec2i(wp.max(-1, trees[0]), wp.max(-1, trees[1]))
    link(d, world, trees[0], trees[1])
    return wp.where(trees[0] >= 0, trees[0], trees[1])


@wp.func
def keep_cones_whole(m: ModelFields, d: DataFields, world: int):
    """Give rows of a flex's contact that move nothing a tree of its other rows: a cone is solved as a whole. One lane."""
    # rows of a contact are neighbours; the torsion of points that do not turn comes after rows that move them
    contacts = d.ne[world] + d.nf[world] + d.nl[world]
    for r in range(contacts + 1, d.nefc[world]):
        if d.efc_island[world, r] < 0 and d.efc_id[world, r - 1] == d.efc_id[world, r]:
            d.efc_island[world, r] = d.efc_island[world, r - 1]

    # a normal that moves nothing comes before them
    for back in range(contacts + 1, d.nefc[world]):
        r = contacts + d.nefc[world] - 1 - back
        if d.efc_island[world, r] < 0 and d.efc_id[world, r + 1] == d.efc_id[world, r]:
            d.efc_island[world, r] = d.efc_island[world, r + 1]


@wp.func
def number_islands(m: ModelFields, d: DataFields, world: int, none: bool):
    """``tree_island``, ``efc_island`` and their count; with ``none`` there are none. One lane."""
    # each row links its trees, and remembers one of them
    nrow = wp.where(none, 0, d.nefc[world])
    for t in range(m.ntree):
        d.tree_root[world, t] = -1
    for r in range(d.nefc[world]):
        d.efc_island[world, r] = -1
    if nrow > 0:
        link_drives(m, d, world, False)
    for r in range(nrow):
        d.efc_island[world, r] = link_row(m, d, world, r)
    if not none:
        link_partners(m, d, world)
    if m.nflexgroup > 0 and not none:
        keep_cones_whole(m, d, world)

    # a root is the lowest tree of its island, and comes first in this order
    count = int(0)
    for t in range(m.ntree):  # an island begins with its lowest tree
        island = int(-1)
        if d.tree_root[world, t] >= 0:
            root = root_of(d, world, t)
            if root == t:
                island = count
                count += 1
            else:
                island = d.tree_island[world, root]
        d.tree_island[world, t] = island

    # a row is in the island of the tree that it remembers
    for r in range(nrow):
        tree = d.efc_island[world, r]
        if tree >= 0:
            d.efc_island[world, r] = d.tree_island[world, tree]
    d.nisland[world] = count


@wp.func
def find_islands(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Islands of trees, dofs and rows."""
    if lane == 0:
        number_islands(m, d, world, (m.opt_disableflags & MjtDisableBit.ISLAND) != 0)
    sync()
    for i in range(lane, m.nv, nlane):
        d.dof_island[world, i] = d.tree_island[world, m.dof_treeid[i]]
    sync()
