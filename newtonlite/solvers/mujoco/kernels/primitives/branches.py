"""Sparse matrices of trees with stems, between whose branches there are no entries: products, and factors ``A = L'L``.

Branch-induced sparsity (Featherstone, Rigid Body Dynamics Algorithms, 6.5), part by part (``profile_trees``): the row of a dof has
entries at the dofs of its own part and at those of the stems that carry it. Rows lie as dense ones do; what is
between is zero from the beginning, and neither read nor written. The diagonal of L holds reciprocals.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

LEAST_PIVOT = wp.constant(1.0e-12)
"""Least pivot of a factor, as of dense ones."""


@wp.func
def branch_mass(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``M_ij = S_j . (I_subtree(i) S_i)`` on ancestors ``j`` of a dof ``i``, with the armature; both triangles."""
    for i in range(lane, m.nv, nlane):
        # none with those of its own part that are not above it, which something else may have added to
        for j in range(m.part_dofadr[m.dof_part[i]], i):
            d.M[world, i, j] = 0.0
            d.M[world, j, i] = 0.0
        # the dofs on the way to the root
        b = m.dof_bodyid[i]
        for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
            j = m.chain_dof[e]
            if j <= i:
                value = wp.dot(d.cdof[world, j], d.cdof_force[world, i])
                d.M[world, i, j] = value
                d.M[world, j, i] = value
        d.M[world, i, i] = d.M[world, i, i] + m.dof_armature[world, i]
    sync()


@wp.func
def branch_mul(
    m: ModelFields, d: DataFields, x: wp.array2d[float], y: wp.array2d[float], world: int, lane: int, nlane: int
):
    """``y = M x``."""
    for i in range(lane, m.nv, nlane):
        part = m.dof_part[i]
        low = m.part_dofadr[part]
        high = low + m.part_dofnum[part]
        # its own part, of a stem all that it carries
        if m.part_carries[part] != 0:
            high = m.dof_end[high - 1]
        s = float(0.0)
        for j in range(low, high):
            s += d.M[world, i, j] * x[world, j]
        # and the stems that carry it
        up = m.part_root[part]
        while up >= 0:
            for j in range(m.part_dofadr[up], m.part_dofadr[up] + m.part_dofnum[up]):
                s += d.M[world, i, j] * x[world, j]
            up = m.part_root[up]
        y[world, i] = s


@wp.func
def branch_copy(m: ModelFields, d: DataFields, world: int, first: int, last: int, lane: int, nlane: int):
    """Rows ``first`` to ``last - 1`` of M, up to the diagonal, into H."""
    for i in range(first + lane, last, nlane):
        part = m.dof_part[i]
        for j in range(m.part_dofadr[part], i + 1):
            d.H[world, i, j] = d.M[world, i, j]
        up = m.part_root[part]
        while up >= 0:
            for j in range(m.part_dofadr[up], m.part_dofadr[up] + m.part_dofnum[up]):
                d.H[world, i, j] = d.M[world, i, j]
            up = m.part_root[up]
    sync()


@wp.func
def subtract_row(m: ModelFields, d: DataFields, world: int, j: int, i: int):
    """Row ``j`` of H, less ``L_ij`` times row ``i`` of L."""
    c = d.H[world, i, j]
    if c != 0.0:
        part = m.dof_part[j]
        for k in range(m.part_dofadr[part], j + 1):
            d.H[world, j, k] = d.H[world, j, k] - c * d.H[world, i, k]
        up = m.part_root[part]
        while up >= 0:
            for k in range(m.part_dofadr[up], m.part_dofadr[up] + m.part_dofnum[up]):
                d.H[world, j, k] = d.H[world, j, k] - c * d.H[world, i, k]
            up = m.part_root[up]


@wp.func
def factor_part(m: ModelFields, d: DataFields, world: int, part: int):
    """Rows of L of a part, from which all that it carries has been taken."""
    low = m.part_dofadr[part]
    for back in range(m.part_dofnum[part]):
        i = low + m.part_dofnum[part] - 1 - back
        inverse = 1.0 / wp.sqrt(wp.max(d.H[world, i, i], LEAST_PIVOT))
        # its row of L
        for j in range(low, i):
            d.H[world, i, j] = inverse * d.H[world, i, j]
        up = m.part_root[part]
        while up >= 0:
            for j in range(m.part_dofadr[up], m.part_dofadr[up] + m.part_dofnum[up]):
                d.H[world, i, j] = inverse * d.H[world, i, j]
            up = m.part_root[up]
        d.H[world, i, i] = inverse
        # is taken out of those before it
        for j in range(low, i):
            subtract_row(m, d, world, j, i)


@wp.func
def branch_factor(m: ModelFields, d: DataFields, world: int, first: int, last: int, lane: int, nlane: int):
    """Factor H of the trees with parts ``first`` to ``last - 1`` in place."""
    # branches have nothing in common: lanes take them in turn
    for part in range(first + lane, last, nlane):
        if m.part_carries[part] == 0:
            factor_part(m, d, world, part)
    sync()
    # stems, the last first: each of its rows gathers from all that it carries
    for back in range(last - first):
        part = last - 1 - back
        if m.part_carries[part] != 0:
            end = m.part_dofadr[part] + m.part_dofnum[part]
            below = m.dof_end[end - 1]
            for j in range(m.part_dofadr[part] + lane, end, nlane):
                for k in range(below - end):
                    subtract_row(m, d, world, j, below - 1 - k)
            sync()
            if lane == 0:
                factor_part(m, d, world, part)
            sync()


@wp.func
def substitute_up(m: ModelFields, d: DataFields, x: wp.array2d[float], world: int, part: int):
    """``L' y = x`` of a part, from which all that it carries has been taken."""
    low = m.part_dofadr[part]
    for back in range(m.part_dofnum[part]):
        i = low + m.part_dofnum[part] - 1 - back
        y = x[world, i] * d.H[world, i, i]
        for j in range(low, i):
            x[world, j] = x[world, j] - d.H[world, i, j] * y
        x[world, i] = y


@wp.func
def substitute_down(m: ModelFields, d: DataFields, x: wp.array2d[float], world: int, part: int):
    """``L x = y`` of a part; stems that carry it have theirs."""
    low = m.part_dofadr[part]
    for i in range(low, low + m.part_dofnum[part]):
        s = x[world, i]
        for j in range(low, i):
            s -= d.H[world, i, j] * x[world, j]
        up = m.part_root[part]
        while up >= 0:
            for j in range(m.part_dofadr[up], m.part_dofadr[up] + m.part_dofnum[up]):
                s -= d.H[world, i, j] * x[world, j]
            up = m.part_root[up]
        x[world, i] = s * d.H[world, i, i]


@wp.func
def branch_solve(
    m: ModelFields, d: DataFields, x: wp.array2d[float], world: int, first: int, last: int, lane: int, nlane: int
):
    """In place ``x := H^-1 x`` by the factor in H, of the trees with parts ``first`` to ``last - 1``."""
    # from the leaves: branches, then stems, which gather from all that they carry
    for part in range(first + lane, last, nlane):
        if m.part_carries[part] == 0:
            substitute_up(m, d, x, world, part)
    sync()
    for back in range(last - first):
        part = last - 1 - back
        if m.part_carries[part] != 0:
            end = m.part_dofadr[part] + m.part_dofnum[part]
            below = m.dof_end[end - 1]
            for j in range(m.part_dofadr[part] + lane, end, nlane):
                s = x[world, j]
                for k in range(below - end):
                    s -= d.H[world, below - 1 - k, j] * x[world, below - 1 - k]
                x[world, j] = s
            sync()
            if lane == 0:
                substitute_up(m, d, x, world, part)
            sync()
    # and back: stems, then branches
    if lane == 0:
        for part in range(first, last):
            if m.part_carries[part] != 0:
                substitute_down(m, d, x, world, part)
    sync()
    for part in range(first + lane, last, nlane):
        if m.part_carries[part] == 0:
            substitute_down(m, d, x, world, part)
    sync()


@wp.func
def branch_acceleration(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc_smooth = M^-1 qfrc_smooth``; the factor of M stays in H."""
    branch_copy(m, d, world, 0, m.nv, lane, nlane)
    for i in range(lane, m.nv, nlane):
        d.qacc_smooth[world, i] = d.qfrc_smooth[world, i]
    sync()
    branch_factor(m, d, world, 0, m.npart, lane, nlane)
    branch_solve(m, d, d.qacc_smooth, world, 0, m.npart, lane, nlane)
