"""Tables of equality constraints: the bodies they act on and the number of rows of each."""

import numpy as np

from newtonlite.core.mujoco import MjtEq, MjtObj
from newtonlite.solvers.mujoco.derive.flex_equality import KINDS, row_count
from newtonlite.solvers.mujoco.derive.tendon import tendon_dofs

AUTHORED, MIMIC, FOLLOWER, LOOP = range(4)
"""Kinds of ``eq_source``: equality constraints of the scene, its mimic constraints, joints that follow another joint,
and joints that close a loop.
"""
ROWS = {MjtEq.CONNECT: 3, MjtEq.WELD: 6}


def derive(mj) -> dict:
    """Bodies, sites, joints or tendons of each constraint, and its rows."""
    n = int(mj.neq)
    kind = np.asarray(mj.eq_type, int).reshape(n)
    pair = np.stack([np.asarray(mj.eq_obj1id, int), np.asarray(mj.eq_obj2id, int)], 1).reshape(n, 2)
    body, moved, rows = np.zeros((n, 2), int), _moved(mj), np.ones(n, int)
    for k in range(n):
        if kind[k] in ROWS:
            sites = int(mj.eq_objtype[k]) == MjtObj.SITE
            body[k] = np.asarray(mj.site_bodyid)[pair[k]] if sites else pair[k]
            pair[k] = pair[k] if sites else -1
            rows[k] = ROWS[kind[k]] if moved[body[k]].any() else 0
        elif kind[k] in KINDS:
            rows[k] = row_count(mj, k)
        elif kind[k] != MjtEq.JOINT:
            rows[k] = int(any(tendon_dofs(mj, t) for t in pair[k] if t >= 0))
    return {"eq_body": body, "eq_pair": pair, "eq_nrow": rows, "eq_posed": posed(mj, kind), "rows_equality": rows.sum()}


def posed(mj, kind) -> np.ndarray:
    """Connects and welds of bodies of a scene, but for joints that close loops; those of a ``mujoco.MjModel`` have
    their pose.
    """
    source = getattr(mj, "eq_source", None)
    if source is None:
        return np.zeros(len(kind), int)
    return np.isin(kind, list(ROWS)) & (np.asarray(mj.eq_objtype) == MjtObj.BODY) & (source[:, 0] != LOOP)


def _moved(mj) -> np.ndarray:
    """Mask of the bodies that some dof moves."""
    moved = np.asarray(mj.body_dofnum, int) > 0
    for b in range(1, int(mj.nbody)):
        moved[b] |= moved[mj.body_parentid[b]]
    return moved
