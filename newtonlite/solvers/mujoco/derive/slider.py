"""Bodies that only slide: MuJoCo weighs them by their mass alone, without armature or averaging."""

import numpy as np

from newtonlite.solvers.mujoco.enums import SLIDE


def derive(mj) -> dict:
    """``body_slider [nbody]``: 1 where a body only slides."""
    return {"body_slider": np.array([is_slider(mj, b) for b in range(int(mj.nbody))], int)}


def is_slider(m, b: int) -> bool:
    """Is ``b`` a body without ancestors that move, sliding along distinct own axes, carrying nothing, balanced at its origin?"""
    joints = slice(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
    if m.body_jntnum[b] == 0 or not (m.jnt_type[joints] == SLIDE).all():
        return False
    if b in m.body_parentid or m.dof_parentid[m.body_dofadr[b]] >= 0:
        return False
    used = m.jnt_axis[..., joints, :] != 0
    aligned = (used.sum(-1) == 1).all() and (used.sum(-2) <= 1).all()
    centred = not m.body_ipos[..., b, :].any() and not m.body_iquat[..., b, 1:].any()
    return bool(aligned and centred)
