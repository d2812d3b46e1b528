"""Active pairs of incremental potential contact: those that rows of the solution are of, with force and age.

A pair enters when it is met first, and leaves when it has borne no force for long.  Forces follow the augmented Lagrangian;
between steps each vertex keeps the greatest of its pairs.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.ipc.advance import NEVER
from newtonlite.solvers.mujoco.kernels.ipc.near import LOST, NEAR
from newtonlite.solvers.mujoco.kernels.ipc.pair import STANDOFF, pair_band, pair_gap, pair_stiffness, pair_vertices
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

ACTIVE = wp.constant(0)
"""Place in ``ipc_count``."""
LOADED_LONG = wp.constant(5)
"""Updates after which a pair that is loaded again counts as fresh."""
STIFF_FOR = wp.constant(6)
"""Updates without a force after which a pair softens."""
LEAVES = wp.constant(44)
"""Updates after which one that has borne a force leaves, and one that never has."""
LEAVES_UNUSED = wp.constant(25)
SOFTENS = wp.constant(0.9)
LONG = wp.constant(2147483647)


@wp.func
def aged(age: int, loaded: bool) -> int:
    """Age after an update: that of what is loaded returns to 0, or to -1 soon after it was quiet."""
    if loaded:
        return wp.where(age == 0 or age > LOADED_LONG, 0, -1)
    return age + wp.where(age >= 0, 1, -1)


@wp.func
def softened(age: int) -> float:
    """Part of its stiffness that a pair has left."""
    updates = wp.where(age >= 0, age, wp.max(-age - STIFF_FOR, 0))
    return wp.pow(SOFTENS, float(updates))


@wp.func
def add_pair(m: ModelFields, d: DataFields, world: int, pair: wp.vec3i):
    """A pair more, with the greatest force and the least age of its vertices. One lane."""
    n = d.ipc_count[world, ACTIVE]
    d.ipc_count[world, ACTIVE] = wp.min(n + 1, d.nipcpair)
    if n < d.nipcpair:
        force = float(0.0)
        age = int(LONG)
        verts = pair_vertices(m, pair)
        for i in range(4):
            if verts[i] >= 0:
                force = wp.max(force, d.flexvert_lambda[world, verts[i]])
                age = wp.min(age, d.flexvert_conage[world, verts[i]])
        d.ipcpair[world, n] = pair
        d.ipcpair_lambda[world, n] = force
        d.ipcpair_age[world, n] = age
    else:
        d.ipc_count[world, LOST] = wp.max(d.ipc_count[world, LOST], 1)


@wp.func
def seed_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """All near pairs become active."""
    if lane == 0:
        d.ipc_count[world, ACTIVE] = 0
        for k in range(d.ipc_count[world, NEAR]):
            add_pair(m, d, world, d.ipcnear[world, k])
    sync()


@wp.func
def linearize_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Gap, normal and weights of active pairs where nothing crosses yet; the gap less that at rest."""
    for k in range(lane, d.ipc_count[world, ACTIVE], nlane):
        pair = d.ipcpair[world, k]
        found = pair_gap(m, d, world, pair, 0.0)
        rest = wp.min(pair_band(m, world, pair_vertices(m, pair)), STANDOFF)
        d.ipcpair_gap[world, k] = found.gap - rest
        d.ipcpair_normal[world, k] = found.normal
        d.ipcpair_weight[world, k] = found.weight
        d.ipcpair_row[world, k] = -1
    sync()


@wp.func
def gap_at(m: ModelFields, d: DataFields, world: int, k: int, way: wp.array2d[wp.vec3]) -> float:
    """Linearised gap of an active pair at the end of ``way``, less that at rest [m]."""
    verts = pair_vertices(m, d.ipcpair[world, k])
    weight = d.ipcpair_weight[world, k]
    moved = wp.vec3(0.0, 0.0, 0.0)
    for i in range(4):
        if verts[i] >= 0:
            moved += weight[i] * (way[world, verts[i]] - d.ipc_safe[world, verts[i]])
    return d.ipcpair_gap[world, k] + wp.dot(d.ipcpair_normal[world, k], moved)


@wp.func
def wall_distance(m: ModelFields, d: DataFields, world: int, k: int, way: wp.array2d[wp.vec3]) -> float:
    """Distance [m] of an active pair from where its force is 0, ``lambda / mu`` before the gap at rest."""
    mu = pair_stiffness(m, d, world, pair_vertices(m, d.ipcpair[world, k]))
    return gap_at(m, d, world, k, way) - d.ipcpair_lambda[world, k] / mu


@wp.func
def update_forces_of_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``lambda -= mu gap`` of pairs inside their wall at ``ipc_move``, 0 of others; then forces and ages of vertices."""
    n = d.ipc_count[world, ACTIVE]
    for k in range(lane, n, nlane):
        mu = pair_stiffness(m, d, world, pair_vertices(m, d.ipcpair[world, k]))
        gap = gap_at(m, d, world, k, d.ipc_move)
        force = d.ipcpair_lambda[world, k]
        loaded = bool(gap - force / mu <= 0.0)
        d.ipcpair_lambda[world, k] = wp.where(loaded, force - mu * gap, 0.0)
        d.ipcpair_age[world, k] = aged(d.ipcpair_age[world, k], loaded)
    sync()

    # to the vertices: pairs share them
    for v in range(lane, m.nipcpoint, nlane):
        d.flexvert_lambda[world, v] = 0.0
        d.ipc_loaded[world, v] = 0
    sync()
    if lane == 0:
        for k in range(n):
            force = d.ipcpair_lambda[world, k]
            if force > 0.0:
                verts = pair_vertices(m, d.ipcpair[world, k])
                for i in range(4):
                    if verts[i] >= 0:
                        d.flexvert_lambda[world, verts[i]] = wp.max(d.flexvert_lambda[world, verts[i]], force)
                        d.ipc_loaded[world, verts[i]] = 1
    sync()
    for v in range(lane, m.nipcpoint, nlane):
        if m.ipcpoint_active[v] != 0:
            d.flexvert_conage[world, v] = aged(d.flexvert_conage[world, v], d.ipc_loaded[world, v] > 0)
    sync()


@wp.func
def is_active(d: DataFields, world: int, pair: wp.vec3i, n: int) -> bool:
    """Whether a pair is among the first ``n`` active ones."""
    for k in range(n):
        other = d.ipcpair[world, k]
        if other[2] == pair[2] and other[1] == pair[1] and other[0] == pair[0]:
            return True
    return False


@wp.func
def leave_pairs(d: DataFields, world: int):
    """Active pairs without a force for long leave; the others move up. One lane."""
    n = int(0)
    for k in range(d.ipc_count[world, ACTIVE]):
        age = d.ipcpair_age[world, k]
        gone = (d.ipcpair_lambda[world, k] <= 0.0 and age < -LEAVES) or age > LEAVES_UNUSED
        if not gone:
            d.ipcpair[world, n] = d.ipcpair[world, k]
            d.ipcpair_lambda[world, n] = d.ipcpair_lambda[world, k]
            d.ipcpair_age[world, n] = age
            n += 1
    d.ipc_count[world, ACTIVE] = n


@wp.func
def merge_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Pairs that are through, and those that are the first to be met of one of their vertices, become active."""
    near = d.ipc_count[world, NEAR]
    for v in range(lane, m.nipcpoint, nlane):
        d.ipc_first[world, v] = NEVER
    sync()
    if lane == 0:
        # what each vertex meets first
        for k in range(near):
            time = d.ipcnear_time[world, k]
            if time != NEVER:
                verts = pair_vertices(m, d.ipcnear[world, k])
                for i in range(4):
                    if verts[i] >= 0:
                        d.ipc_first[world, verts[i]] = wp.min(d.ipc_first[world, verts[i]], time)
        # leavers make room
        leave_pairs(d, world)
        n = d.ipc_count[world, ACTIVE]
        for k in range(near):
            time = d.ipcnear_time[world, k]
            enters = d.ipcnear_gap[world, k] <= 0.0
            if time != NEVER and not enters:
                verts = pair_vertices(m, d.ipcnear[world, k])
                for i in range(4):
                    if verts[i] >= 0:
                        enters = enters or time <= d.ipc_first[world, verts[i]]
            if enters:
                if not is_active(d, world, d.ipcnear[world, k], n):
                    add_pair(m, d, world, d.ipcnear[world, k])
    sync()
