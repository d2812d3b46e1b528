"""Rows of incremental potential contact: active pairs as one-sided rows behind those of the model, for one solution.

A row is of the gap at the end of the step over h^2: ``J = n' w``, stiff as the pair, with the wall as its reference.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import HALF_QUADRATIC, body_blocks, init_row, one_block_range
from newtonlite.solvers.mujoco.kernels.constraint.row_store import (
    append_entries,
    chain_length,
    open_rows,
    put,
    transpose_rows,
)
from newtonlite.solvers.mujoco.kernels.ipc.active_pairs import ACTIVE, softened, wall_distance
from newtonlite.solvers.mujoco.kernels.ipc.pair import pair_stiffness, pair_vertices
from newtonlite.solvers.mujoco.kernels.primitives.point import lever, linear_at
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

ROWS = wp.constant(2)
"""Place in ``ipc_count``."""
SLACK = wp.constant(1.0e-8)
"""Depth inside its wall up to which a pair has no row [m]."""
PLANNED = wp.constant(-2)
"""In place of a row: it is about to get one."""


@wp.func
def displace(m: ModelFields, d: DataFields, world: int, v: int, speed: wp.array2d[float]) -> wp.vec3:
    """Way [m] of a vertex in a step at velocities ``speed``."""
    b = m.flex_vertbodyid[v]
    arm = lever(m, d, world, b, d.flexvert_xpos[world, v])
    way = wp.vec3(0.0, 0.0, 0.0)
    for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
        i = m.chain_dof[e]
        way += linear_at(d.cdof[world, i], arm) * speed[world, i]
    return m.opt_timestep[world] * way


@wp.func
def plan_rows(m: ModelFields, d: DataFields, world: int, first: bool, lane: int, nlane: int):
    """Mark active pairs inside their wall at ``ipc_move`` for rows; ``first``: those inside it in free flight too."""
    for k in range(lane, d.ipc_count[world, ACTIVE], nlane):
        if d.ipcpair_row[world, k] == -1:
            inside = bool(wall_distance(m, d, world, k, d.ipc_move) < -SLACK)
            if first:
                inside = inside or wall_distance(m, d, world, k, d.ipc_flight) < 0.0
            if inside:
                d.ipcpair_row[world, k] = PLANNED
    sync()


@wp.func
def row_width(m: ModelFields, d: DataFields, world: int, k: int) -> int:
    """Entries of the row of an active pair, where rows are sparse."""
    width = int(0)
    if m.nsparse > 0:
        verts = pair_vertices(m, d.ipcpair[world, k])
        for i in range(4):
            if verts[i] >= 0:
                width += chain_length(m, m.flex_vertbodyid[verts[i]])
    return width


@wp.func
def has_entries(m: ModelFields, d: DataFields, world: int, width: int) -> bool:
    """Whether there is room for the entries of a sparse row."""
    if m.nsparse > 0:
        return d.nJ[world] + width <= d.efc_J_colind.shape[1]
    return True


@wp.func
def write_row(m: ModelFields, d: DataFields, world: int, k: int, row: int):
    """Row of an active pair."""
    # columns of all trees that its vertices are on
    verts = pair_vertices(m, d.ipcpair[world, k])
    blocks = wp.vec2i(m.nblock, 0)
    for i in range(4):
        if verts[i] >= 0:
            own = body_blocks(m, m.flex_vertbodyid[verts[i]])
            if own[1] > 0:
                blocks = wp.vec2i(wp.min(blocks[0], own[0]), wp.max(blocks[1], own[1]))
    open_rows(m, d, world, row, 1, one_block_range(blocks), 0, 1)
    place = int(0)

    # how the gap follows the dofs, and what it is where they are at rest
    normal = d.ipcpair_normal[world, k]
    weight = d.ipcpair_weight[world, k]
    for i in range(4):
        if verts[i] >= 0:
            b = m.flex_vertbodyid[verts[i]]
            arm = lever(m, d, world, b, d.flexvert_xpos[world, verts[i]])
            for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
                j = m.chain_dof[e]
                put(m, d, world, row, place, j, weight[i] * wp.dot(normal, linear_at(d.cdof[world, j], arm)))
                place += 1
    away = wall_distance(m, d, world, k, d.ipc_drift)
    h = m.opt_timestep[world]
    init_row(m, d, world, row, HALF_QUADRATIC, -1, away, 0.0)
    stiffness = pair_stiffness(m, d, world, verts) * softened(d.ipcpair_age[world, k]) * h * h
    d.efc_D[world, row] = stiffness
    d.efc_R[world, row] = 1.0 / stiffness
    d.efc_vel[world, row] = 0.0
    d.efc_aref[world, row] = -away / (h * h)


@wp.func
def add_rows_of_pairs(m: ModelFields, d: DataFields, world: int, native: int, lane: int, nlane: int) -> int:
    """Give planned pairs rows behind those there are, as far as they fit; returns how many were added."""
    before = d.ipc_count[world, ROWS]
    sync()  # all lanes have read what the first one now counts on
    if lane == 0:
        # what has no room is asked for, and left to the advancement
        rows = before
        wanted = before
        for k in range(d.ipc_count[world, ACTIVE]):
            if d.ipcpair_row[world, k] == PLANNED:
                width = row_width(m, d, world, k)
                if rows == wanted and native + rows < d.njmax and has_entries(m, d, world, width):
                    d.ipcpair_row[world, k] = native + rows
                    append_entries(m, d, world, native + rows, 1, width)
                    rows += 1
                wanted += 1
        d.nefc_needed[world] = wp.max(d.nefc_needed[world], native + wanted)
        d.nefc[world] = native + rows
        d.ipc_count[world, ROWS] = rows
    sync()
    for k in range(lane, d.ipc_count[world, ACTIVE], nlane):
        row = d.ipcpair_row[world, k]
        if row >= native + before:
            write_row(m, d, world, k, row)
    sync()
    transpose_rows(m, d, world, lane, nlane)
    return d.ipc_count[world, ROWS] - before
