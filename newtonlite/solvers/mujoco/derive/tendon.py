"""Tendon tables: joints, sites and geoms on each path, and the dofs that can move it."""

import numpy as np

from newtonlite.core.mujoco import MjtJacobian, MjtWrap
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK

MANY_DOFS = 60


def derive(mj) -> dict:
    """Dof and coordinate of each wrapped joint, body of each site and geom, columns of each tendon's Jacobian, rows.

    A tendon that no dof moves has no rows.
    """
    kind, obj = np.asarray(mj.wrap_type, int), np.asarray(mj.wrap_objid, int)
    joint = np.where(kind == MjtWrap.JOINT, obj, -1)
    spatial = np.array([kind[adr] != MjtWrap.JOINT for adr in np.asarray(mj.tendon_adr, int)], int)
    moved = np.array([len(tendon_dofs(mj, t)) > 0 for t in range(int(mj.ntendon))], bool)
    friction = np.flatnonzero(moved & (np.asarray(mj.tendon_frictionloss) > 0))
    limit = np.flatnonzero(moved & (np.asarray(mj.tendon_limited) != 0))
    return {
        "nwrap": int(mj.nwrap),
        "nspatial": spatial.sum(),
        "ntenfriction": len(friction),
        "ntenlimit": len(limit),
        "keepzero": int(
            mj.opt.jacobian == MjtJacobian.SPARSE or (mj.opt.jacobian == MjtJacobian.AUTO and mj.nv >= MANY_DOFS)
        ),
        "tendon_spatial": spatial,
        "tendon_block": np.array([_blocks(mj, t) for t in range(int(mj.ntendon))], int).reshape(-1, 2),
        "tendon_slack": getattr(mj, "tendon_slack", np.zeros(int(mj.ntendon), int)),
        "friction_tendon": friction,
        "limit_tendon": limit,
        "wrap_dofadr": _take(mj.jnt_dofadr, joint),
        "wrap_qposadr": _take(mj.jnt_qposadr, joint),
        "wrap_bodyid": wrapped_bodies(mj),
        "rows_tendon": len(friction) + 2 * len(limit),
    }


def _take(values, index) -> np.ndarray:
    """Values at an index, -1 where there is none."""
    return np.array([values[i] if i >= 0 else -1 for i in index], int)


def wrapped_bodies(mj) -> np.ndarray:
    """Body of each joint, site and geom on a path; -1 for pulleys."""
    kind, obj = np.asarray(mj.wrap_type, int), np.asarray(mj.wrap_objid, int)
    found = np.full(len(kind), -1)
    for one, owner in {
        MjtWrap.JOINT: "jnt",
        MjtWrap.SITE: "site",
        MjtWrap.SPHERE: "geom",
        MjtWrap.CYLINDER: "geom",
    }.items():
        found[kind == one] = np.asarray(getattr(mj, f"{owner}_bodyid"), int)[obj[kind == one]]
    return found


def tendon_dofs(mj, t: int) -> list:
    """Dofs that can change the length of tendon ``t``, in order."""
    path = slice(int(mj.tendon_adr[t]), int(mj.tendon_adr[t]) + int(mj.tendon_num[t]))
    kind, obj = np.asarray(mj.wrap_type[path], int), np.asarray(mj.wrap_objid[path], int)
    dofs = set(np.asarray(mj.jnt_dofadr)[obj[kind == MjtWrap.JOINT]].tolist())
    for bodies, kinds in ((mj.site_bodyid, (MjtWrap.SITE,)), (mj.geom_bodyid, (MjtWrap.SPHERE, MjtWrap.CYLINDER))):
        for body in set(np.asarray(bodies)[obj[np.isin(kind, kinds)]].tolist()):
            dofs.update(_chain(mj, body))
    return sorted(dofs)


def _chain(mj, b: int) -> list:
    """Dofs that move body ``b``."""
    dofs = []
    while b > 0:
        first = int(mj.body_dofadr[b])
        dofs += range(first, first + int(mj.body_dofnum[b]))
        b = int(mj.body_parentid[b])
    return dofs


def _blocks(mj, t: int) -> tuple:
    """First and last+1 block of columns of all trees that a tendon moves."""
    trees = {int(mj.dof_treeid[i]) for i in tendon_dofs(mj, t)}
    if not trees:
        return 0, 0
    first = min(int(mj.tree_dofadr[k]) for k in trees)
    last = max(int(mj.tree_dofadr[k]) + int(mj.tree_dofnum[k]) for k in trees)
    return first // BLOCK, (last + BLOCK - 1) // BLOCK
