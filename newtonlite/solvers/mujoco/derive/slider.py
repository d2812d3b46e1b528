"""Slider bodies: bodies that only translate, whose inverse weight MuJoCo takes from their mass alone."""

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtJoint
from newtonlite.solvers.mujoco.derive.actuator import shares
from newtonlite.solvers.mujoco.derive.tendon import tendon_dofs


def derive(mj) -> dict:
    """``body_slider [nbody]``: 1 where a body only slides."""
    return {"body_slider": mj.body_slider if hasattr(mj, "body_slider") else sliders(mj)}


def sliders(m) -> np.ndarray:
    """1 where a body only slides, [..., nbody]; with a world dimension where the fields that decide have one."""
    loaded = loads(m, shares(m).get("tendon_armature", m.tendon_armature))  # their own and that of actuators on them
    return np.stack(np.broadcast_arrays(*(is_slider(m, b, loaded) for b in range(int(m.nbody)))), -1).astype(int)


def loads(m, armature) -> np.ndarray:
    """Mask of the dofs that tendons with ``armature`` [..., ntendon] move: bool [..., nv]."""
    armature = np.asarray(armature) != 0
    found = np.zeros((*armature.shape[:-1], int(m.nv)), bool)
    for t in range(int(m.ntendon)):
        found[..., list(tendon_dofs(m, t))] |= armature[..., t, None]
    return found


def may_slide(m, b: int) -> bool:
    """Whether body ``b`` has slides alone, carries nothing, and stands on the world, or on a fixed body that stands on
    the world."""
    joints = slice(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
    if m.body_jntnum[b] == 0 or not (m.jnt_type[joints] == MjtJoint.SLIDE).all():
        return False
    parent = int(m.body_parentid[b])
    return b not in m.body_parentid and (parent == 0 or (m.body_parentid[parent] == 0 and m.body_dofnum[parent] == 0))


def is_slider(m, b: int, loaded: np.ndarray) -> np.ndarray:
    """Whether such a body slides along distinct own axes, balanced at its origin, with no dof that is ``loaded`` with
    inertia from elsewhere: bool [...]."""
    if not may_slide(m, b):
        return np.False_
    joints = slice(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
    used = (
        np.abs(m.jnt_axis[..., joints, :]) > MINVAL
    )  # an axis that was turned twice is as straight as rounding leaves it
    aligned = (used.sum(-1) == 1).all(-1) & (used.sum(-2) <= 1).all(-1)
    centred = (
        ~m.jnt_pos[..., joints, :].any((-2, -1)) & ~m.body_ipos[..., b, :].any(-1) & ~m.body_iquat[..., b, 1:].any(-1)
    )
    return aligned & centred & ~is_loaded(m, b, loaded)


def is_loaded(m, b: int, loaded: np.ndarray) -> np.ndarray:
    """Whether any dof of a body is, [...]."""
    return loaded[..., m.body_dofadr[b] : m.body_dofadr[b] + m.body_dofnum[b]].any(-1)
