"""Topology: integer tables of the body tree, such as weld ids, dof parents and tree ids.

Everything here is a function of ``body_parentid``, ``body_mocapid``, ``jnt_bodyid`` and ``jnt_type``.
"""

import numpy as np

from newtonlite.solvers.mujoco.compile.compiled import CompiledModel

DOFS = np.array([6, 3, 1, 1])
COORDS = np.array([7, 4, 1, 1])


def derive_topology(m: CompiledModel) -> None:
    """Fill the joint, dof, body and tree tables of ``m``."""
    m.jnt_dofadr, m.nv = addresses(DOFS[m.jnt_type])
    m.jnt_qposadr, m.nq = addresses(COORDS[m.jnt_type])
    m.dof_jntid = repeat(DOFS[m.jnt_type])
    m.dof_bodyid = m.jnt_bodyid[m.dof_jntid]
    m.body_jntnum, m.body_jntadr = spans(m.jnt_bodyid, m.nbody)
    m.body_dofnum, m.body_dofadr = spans(m.dof_bodyid, m.nbody)
    link_bodies(m)
    link_dofs(m)
    number_trees(m)


def addresses(counts) -> tuple[np.ndarray, int]:
    """First index of each run when runs of the given lengths are laid end to end, and the total."""
    ends = np.cumsum(counts, dtype=np.int32)
    total = int(ends[-1]) if len(ends) else 0
    return (ends - counts).astype(np.int32), total


def repeat(counts) -> np.ndarray:
    """0 repeated counts[0] times, 1 repeated counts[1] times, and so on."""
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def spans(owner, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Number and first index of the items each of ``n`` owners has; first index -1 where it has none.

    ``owner`` must be sorted: the items of an owner are neighbours.
    """
    count = np.bincount(owner, minlength=n).astype(np.int32)
    first = np.searchsorted(owner, np.arange(n)).astype(np.int32)
    return count, np.where(count > 0, first, -1).astype(np.int32)


def link_bodies(m: CompiledModel) -> None:
    """``body_rootid``: the ancestor below the world. ``body_weldid``: the nearest ancestor-or-self that can move."""
    m.body_rootid = np.zeros(m.nbody, np.int32)
    m.body_weldid = np.zeros(m.nbody, np.int32)
    for b in range(1, m.nbody):
        parent = m.body_parentid[b]
        moves = m.body_jntnum[b] > 0 or m.body_mocapid[b] >= 0
        m.body_rootid[b] = b if parent == 0 else m.body_rootid[parent]
        m.body_weldid[b] = b if moves else m.body_weldid[parent]


def link_dofs(m: CompiledModel) -> None:
    """``dof_parentid``: the dof before, on the same body or the nearest ancestor that has one; -1 if none."""
    m.dof_parentid = np.full(m.nv, -1, np.int32)
    last = np.full(m.nbody, -1, np.int32)
    for b in range(1, m.nbody):
        before = last[m.body_parentid[b]]
        for dof in range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]):
            m.dof_parentid[dof] = before
            before = dof
        last[b] = before


def number_trees(m: CompiledModel) -> None:
    """Kinematic trees: each starts at a dof without parent. Static and mocap bodies belong to none (-1)."""
    m.dof_treeid = (np.cumsum(m.dof_parentid < 0) - 1).astype(np.int32)
    m.body_treeid = np.full(m.nbody, -1, np.int32)
    moving = m.body_dofnum[m.body_weldid] > 0
    m.body_treeid[moving] = m.dof_treeid[m.body_dofadr[m.body_weldid[moving]]]
    m.ntree = int(m.dof_treeid[-1]) + 1 if m.nv else 0
    trees = np.arange(m.ntree)
    m.tree_bodynum = np.array([(m.body_treeid == t).sum() for t in trees], np.int32)
    m.tree_bodyadr = np.array([np.argmax(m.body_treeid == t) for t in trees], np.int32)
    m.tree_dofnum, m.tree_dofadr = spans(m.dof_treeid, m.ntree)


def ancestry(m: CompiledModel) -> np.ndarray:
    """Mask of the dofs that move each body: bool [nbody, nv]."""
    moves = np.zeros((m.nbody, m.nv), bool)
    for b in range(1, m.nbody):
        moves[b] = moves[m.body_parentid[b]]
        moves[b, m.body_dofadr[b] : m.body_dofadr[b] + m.body_dofnum[b]] = True
    return moves
