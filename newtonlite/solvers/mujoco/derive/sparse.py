"""Sparse storage of wide models: when it is taken, and how large it is (docs/decisions/0035)."""

import numpy as np

from newtonlite.core.mujoco import MjtEnableBit, MjtEq, MjtIntegrator, MjtSolver
from newtonlite.solvers.mujoco.derive import equality, float64, ipc
from newtonlite.solvers.mujoco.derive.coupling import couplings
from newtonlite.solvers.mujoco.derive.flex import node_bodies
from newtonlite.solvers.mujoco.derive.flex_contact import OTHER_FLEX, contact_groups, is_passive
from newtonlite.solvers.mujoco.derive.flex_equality import (
    cell_bodies,
    cell_number,
    numbered_cells,
    row_count,
    row_edges,
)
from newtonlite.solvers.mujoco.derive.ipc import keeps_apart
from newtonlite.solvers.mujoco.derive.ragged import padded, starts
from newtonlite.solvers.mujoco.derive.tendon import tendon_dofs
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK

WIDE_DOFS = 1000
"""Dofs above which rows, inertia and Hessian are stored sparse."""
BRANCHES = 32
"""Branches of a root from which on they count as trees in the Hessian."""
ROOT_DOFS = 8
"""Most dofs of such a root."""
DENSE_DOFS = 4096
"""Dofs above which couplings of the effective inertia are stored sparse too (docs/decisions/0041)."""
SOFT_DOFS = 100
"""The same of models with deformable flexes, whose rows have few entries, and whose Hessian is a band."""


def derive(mj) -> dict:
    """``nsparse`` and sizes: rows and columns in which the inertia is stored, entries of each family of constraint rows,
    and the most entries of one row of a contact, also of those that are springs.
    """
    nv, on = int(mj.nv), takes_sparse(mj)
    width, tendon = _tree_width(mj) if on else padded(nv), _tendon_dofs(mj) if on else []
    return {
        "nsparse": int(on),
        "nMcol": width,
        "nMrow": nv + -(-padded(nv) // width) if on else nv,
        "tendon_dofadr": starts(tendon) if on else np.zeros(1, int),
        "tendon_dof": np.array([i for dofs in tendon for i in dofs], int),
        "nsparsetendon1": len(tendon) + 1,
        "ntendondof": sum(map(len, tendon)),
        "ntenJrow": min(1, int(mj.ntendon)) if on else int(mj.ntendon),
        "ntenJcol": padded(sum(map(len, tendon))) if on else padded(nv),
        "nsparsedof": nv if on else 0,
        "nsparse3": 3 if on else 0,
        "nplace": padded(nv) + 5 * BLOCK if on else 0,
        **profile_trees(mj, on),
        "nsparsedof1": nv + 1 if on else 0,
        "nnz_rows": _entries(mj, tendon) + _pair_entries(mj) if on else 0,
        "nnz_contact": contact_width(mj) if on else 0,
        "nflexpassiverow": contact_width(mj) if has_passive(mj) else 0,
    }


def profile_trees(mj, on: bool) -> dict:
    """Trees as the profile of the Hessian has them (``part_*``): stems of few dofs that carry many branches, and each
    branch, count as one each; and scratch of their search.
    """
    parts: list = []  # first dof, dofs, the part that carries it or -1, whether it carries others
    first, number = np.asarray(mj.tree_dofadr, int), np.asarray(mj.tree_dofnum, int)
    for begin, count in zip(first.tolist(), number.tolist()) if on else ():
        stems = carriers(mj, begin, count)
        widths = list(stems.values())
        if not stems or max(widths) > ROOT_DOFS or sum(p[1] for p in parts if p[3]) + sum(widths) > BLOCK:
            parts.append((begin, count, -1, 0))
        else:
            parts += split_tree(mj, begin, count, stems, len(parts))
    table = np.array(parts, int).reshape(-1, 4)
    return {
        "npart": len(parts),
        "nstem": int(table[:, 3].sum()),
        "part_dofadr": table[:, 0],
        "part_dofnum": table[:, 1],
        "part_root": table[:, 2],
        "part_carries": table[:, 3],
        "dof_part": np.repeat(np.arange(len(parts)), table[:, 1]),
        "ntreemarks": 5 * len(parts),
    }


def carriers(mj, begin: int, count: int) -> dict[int, int]:
    """Stems of the tree of ``count`` dofs from ``begin`` on: bodies that carry many branches, and those that carry such
    bodies. Number of dofs of each, by its first.
    """
    bodies, parents = np.asarray(mj.dof_bodyid, int), np.asarray(mj.dof_parentid, int)
    own = np.arange(begin, begin + count)
    heads = own[np.concatenate([[True], bodies[own][1:] != bodies[own][:-1]])]
    widths = np.diff([*heads, begin + count])
    branches = np.bincount(parents[heads[1:]] - begin, minlength=count)
    found: dict[int, int] = {}
    carrying: set[int] = set()  # dofs that carry a stem
    for head, width in zip(heads[::-1].tolist(), widths[::-1].tolist()):
        last = head + width - 1
        if branches[last - begin] >= BRANCHES or last in carrying:
            found[head] = width
            carrying.add(int(parents[head]))
    return found


def split_tree(mj, begin: int, count: int, stems: dict[int, int], known: int) -> list[tuple[int, int, int, int]]:
    """Rows of ``profile_trees`` of a tree, its stems and their branches in the order of dofs, behind ``known`` others."""
    parents = np.asarray(mj.dof_parentid, int)[begin : begin + count].tolist()
    parts, carrier, at = [], {-1: -1}, begin
    while at < begin + count:
        root = carrier[parents[at - begin]]
        end = at + stems.get(at, 0)
        if at in stems:
            carrier[end - 1] = known + len(parts)
        else:  # all that is on it
            end = next((k for k in range(at + 1, begin + count) if parents[k - begin] < at), begin + count)
        parts.append((at, end - at, root, int(at in stems)))
        at = end
    return parts


def takes_sparse(mj) -> bool:
    """Whether a model is wide, and has nothing that asks for a matrix over its rows, or inertia across trees, or dense rows."""
    squared = mj.opt.solver == MjtSolver.PGS or mj.opt.noslip_iterations > 0
    exact = bool(int(mj.opt.enableflags) & MjtEnableBit.DIAGEXACT)
    return (
        int(mj.nv) > (SOFT_DOFS if is_soft(mj) else WIDE_DOFS)
        and not squared
        and not exact
        and not np.any(mj.tendon_armature)
        and (couples_sparse(mj) or not couplings(mj))
        and (int(mj.nv) > DENSE_DOFS or not keeps_apart(mj))
        and not (int(mj.ntendon) and mj.opt.integrator == MjtIntegrator.RK4)
        and not float64.derive(mj)["nfloat64"]
    )


def couples_sparse(mj) -> bool:
    """Whether the effective inertia of a model couples trees, and is stored sparse."""
    return int(mj.nv) > DENSE_DOFS and bool(couplings(mj))


def trees_are_small(mj) -> bool:
    """Whether no tree has so many dofs that its block of the inertia alone is too large."""
    return _tree_width(mj) <= max(DENSE_DOFS, 2 * BLOCK)


def is_soft(mj) -> bool:
    """Whether a model has a flex that deforms."""
    return bool(getattr(mj, "nflex", 0)) and not np.all(mj.flex_rigid)


def has_passive(mj) -> bool:
    """Whether contacts of flexes are springs in place of rows."""
    return bool(getattr(mj, "nflex", 0)) and any(is_passive(mj, group) for group in contact_groups(mj))


def _tree_width(mj) -> int:
    """Columns in which a row of the inertia lies: whole blocks around the largest tree."""
    first, last = np.asarray(mj.tree_dofadr, int), np.asarray(mj.tree_dofadr, int) + np.asarray(mj.tree_dofnum, int)
    return int((BLOCK * (-(-last // BLOCK) - first // BLOCK)).max())


def _tendon_dofs(mj) -> list:
    """Dofs that can change the length of each tendon."""
    return [tendon_dofs(mj, t) for t in range(int(mj.ntendon))]


def chain_lengths(mj) -> np.ndarray:
    """Dofs that move each body."""
    found = np.asarray(mj.body_dofnum, int).copy()
    for b in range(1, int(mj.nbody)):
        found[b] += found[mj.body_parentid[b]]
    return found


def contact_width(mj) -> int:
    """Most entries of a row of a contact: the chains of two bodies, or of all that carry flexes."""
    chain = chain_lengths(mj)
    geoms = np.sort(chain[np.asarray(mj.geom_bodyid, int)])[-2:].sum()
    groups = contact_groups(mj) if int(getattr(mj, "nflex", 0)) else []
    found = [int(geoms)]
    for kind, other, f, _ in groups:
        first = widest_element(mj, chain, other) if kind >= OTHER_FLEX else chain[mj.geom_bodyid[other]]
        found.append(int(first) + widest_element(mj, chain, f))
    return max(found)


def widest_element(mj, chain: np.ndarray, f: int) -> int:
    """Most entries of a side of a flex: those of an element's vertices' bodies, or of all that move the nodes of a cell."""
    order, cells = abs(int(mj.flex_interp[f])), np.asarray(mj.flex_cellnum[f], int)
    if order == 0:
        own = slice(int(mj.flex_vertadr[f]), int(mj.flex_vertadr[f]) + int(mj.flex_vertnum[f]))
        twist = int(mj.flex_dim[f]) == 1 and int(mj.flex_bendingadr[f]) >= 0
        return (int(mj.flex_dim[f]) + 1) * int(chain[np.asarray(mj.flex_vertbodyid, int)[own]].max()) + twist

    # entries of each node, on the grid; then those of the widest cell
    nodes = np.arange(int(mj.flex_nodenum[f])) + int(mj.flex_nodeadr[f])
    width = [sum(int(chain[b]) for b, _ in node_bodies(mj, int(n), f)) for n in nodes]
    grid = np.reshape(width, order * cells + 1)
    windows = np.lib.stride_tricks.sliding_window_view(grid, (order + 1,) * 3)[::order, ::order, ::order]
    return int(windows.sum(axis=(3, 4, 5)).max())


def _entries(mj, tendon: list) -> int:
    """Entries of all rows but those of contacts, where each has the most."""
    chain, dofs = chain_lengths(mj), np.array([len(t) for t in tendon], int)
    table, kind = equality.derive(mj), np.asarray(mj.eq_type, int)
    total = 0
    for k in range(int(mj.neq)):
        if kind[k] in (MjtEq.CONNECT, MjtEq.WELD):
            width = chain[table["eq_body"][k]].sum()
        elif kind[k] == MjtEq.JOINT:
            width = np.count_nonzero(table["eq_pair"][k] >= 0)
        elif kind[k] in (MjtEq.FLEX, MjtEq.FLEXSTRAIN):
            total += flex_entries(mj, k, chain)
            continue
        else:
            width = sum(dofs[t] for t in table["eq_pair"][k] if t >= 0)
        total += int(table["eq_nrow"][k]) * int(width)

    # friction of a dof has one entry, the two bounds of a joint have room for three each
    total += np.count_nonzero(np.asarray(mj.dof_frictionloss) > 0)
    total += 6 * np.count_nonzero(np.asarray(mj.jnt_limited))
    return int(total + 3 * dofs.sum())


def _pair_entries(mj) -> int:
    """Entries of rows of pairs of the flag ipc: four vertices each."""
    chain = chain_lengths(mj)[np.maximum(np.asarray(getattr(mj, "flex_vertbodyid", [0]), int), 0)]
    return ipc.derive(mj)["rows_ipc"] * 4 * int(chain.max(initial=0))


def flex_entries(mj, k: int, chain: np.ndarray) -> int:
    """Entries of all rows of a constraint of a flex, or more: of an edge also those that are left out for moving all of it."""
    f = int(mj.eq_obj1id[k])
    if mj.eq_type[k] == MjtEq.FLEX:
        return int(sum(mj.flexedge_J_rownnz[e] for e in row_edges(mj, f)))
    at = numbered_cells(mj).get((f, cell_number(mj, k)), -1)
    return row_count(mj, k) * int(chain[cell_bodies(mj, at)].sum())
