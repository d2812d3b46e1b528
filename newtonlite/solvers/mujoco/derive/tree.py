"""Body tree tables: levels, children and dof chains."""

import numpy as np

from newtonlite.core.mujoco import MjtJoint
from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.derive.coupling import couplings, trees_together
from newtonlite.solvers.mujoco.derive.ragged import padded, starts
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK


def derive(mj) -> dict:
    """Bodies by level, children by parent, dof chains, ancestor mask and column blocks of each tree."""
    nbody, nv, parent = int(mj.nbody), int(mj.nv), np.asarray(mj.body_parentid)
    depth = np.zeros(nbody, int)
    for b in range(1, nbody):
        depth[b] = depth[parent[b]] + 1
    levels = [np.flatnonzero(depth == k) for k in range(1, depth.max() + 1)]
    children = [np.flatnonzero(parent[1:] == b) + 1 for b in range(nbody)]
    chains = [[] for _ in range(nbody)]
    for b in range(1, nbody):
        start = int(mj.body_dofadr[b])
        chains[b] = chains[parent[b]] + list(range(start, start + int(mj.body_dofnum[b])))
    nvp, wide = padded(nv), sparse.derive(mj)
    ancestor = np.zeros((wide["nMrow"], wide["nMcol"]), np.float32)
    place = ancestor.reshape(-1)  # row i begins at i nMcol, whatever its columns: those of its tree alone are used
    block = np.zeros((nv, 2), np.int32)
    together = trees_together(mj, [] if wide["nsparse"] else couplings(mj))
    for i in range(nv):
        chain = chains[mj.dof_bodyid[i]]
        place[[i * wide["nMcol"] + j for j in chain if j <= i]] = 1.0
        first, last = together[i]
        block[i] = first // BLOCK, (last + BLOCK - 1) // BLOCK
    end = np.arange(1, nv + 1)
    for i in range(nv - 1, -1, -1):  # dofs are numbered depth first
        if mj.dof_parentid[i] >= 0:
            end[mj.dof_parentid[i]] = max(end[mj.dof_parentid[i]], end[i])
    return {
        "nlevel": len(levels),
        "dof_end": end,
        "level_adr": starts(levels),
        "level_body": np.concatenate([*levels, [0]]),
        "child_adr": starts(children),
        "child_body": np.concatenate([*children, [0]]),
        "chain_adr": starts(chains),
        "chain_dof": np.array([i for c in chains for i in c], int),
        "dof_ancestor": ancestor,
        "dof_block": block,
        "nblock": nvp // BLOCK,
        "nvp": nvp,
        "nlevel1": len(levels) + 1,
        "nbody1": nbody + 1,
        "nchain": sum(map(len, chains)),
        "nv1": nv + 1,
        **_special_joints(mj),
    }


def _special_joints(mj) -> dict:
    """Ball joints, and trees that are one free body."""
    kinds = np.asarray(mj.jnt_type)
    lone = [a for a, n in zip(mj.tree_dofadr, mj.tree_dofnum) if n == 6 and kinds[mj.dof_jntid[a]] == MjtJoint.FREE]
    return {"nball": np.sum(kinds == MjtJoint.BALL), "lone_free_dof": np.array(lone, int), "nlonefree": len(lone)}
