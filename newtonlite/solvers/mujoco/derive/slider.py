"""Bodies that only slide: MuJoCo weighs them by their mass alone, without armature or averaging."""

import numpy as np

from newtonlite.solvers.mujoco.derive.actuator import shares
from newtonlite.solvers.mujoco.derive.tendon import tendon_dofs
from newtonlite.solvers.mujoco.enums import SLIDE


def derive(mj) -> dict:
    """``body_slider [nbody]``: 1 where a body only slides, in all worlds of a scene."""
    if hasattr(mj, "body_slider"):
        return {"body_slider": mj.body_slider}
    loaded = dofs_of_heavy_tendons(mj)
    return {"body_slider": np.array([is_slider(mj, b, loaded) for b in range(int(mj.nbody))], int)}


def dofs_of_heavy_tendons(m) -> set:
    """Dofs that tendons with armature, their own or that of an actuator on them, can move."""
    armature = np.asarray(shares(m).get("tendon_armature", m.tendon_armature))
    heavy = [t for t in range(int(m.ntendon)) if armature[..., t].any()]
    return {i for t in heavy for i in tendon_dofs(m, t)}


def may_slide(m, b: int, loaded: set) -> bool:
    """Has ``b`` nothing but slides, no ancestors that move, nothing that it carries, and no dofs that are ``loaded`` with inertia from elsewhere?"""
    joints = slice(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
    if m.body_jntnum[b] == 0 or not (m.jnt_type[joints] == SLIDE).all():
        return False
    if b in m.body_parentid or m.dof_parentid[m.body_dofadr[b]] >= 0:
        return False
    return not loaded & set(range(m.body_dofadr[b], m.body_dofadr[b] + m.body_dofnum[b]))


def is_slider(m, b: int, loaded: set) -> bool:
    """Does such a body slide along distinct own axes, balanced at its origin?"""
    if not may_slide(m, b, loaded):
        return False
    joints = slice(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
    used = m.jnt_axis[..., joints, :] != 0
    aligned = (used.sum(-1) == 1).all() and (used.sum(-2) <= 1).all()
    centred = not m.jnt_pos[..., joints, :].any() and not m.body_ipos[..., b, :].any() and not m.body_iquat[..., b, 1:].any()
    return bool(aligned and centred)
