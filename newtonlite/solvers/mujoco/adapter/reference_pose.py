"""Reference pose of a solver: where fixed roots stood when it was made, and what was read off that pose, through
compiling anew.
"""

import numpy as np

from newtonlite.core.enums import BodyFlags, JointType
from newtonlite.core.mujoco import MjtEq
from newtonlite.solvers.mujoco.kernels.constant.reference_pose import FROM_POSE

FRAMES = ("joint_X_p", "joint_X_c")
"""Frames that say where a fixed root stands."""
RELATIONS = ("eq_data", "tendon_lengthspring")
"""Parameters with numbers that were read off the reference pose, and change with it alone: relative poses of connects, and
of welds that are given none, and lengths of springs that are given none. Where fixed roots stood is part of that pose.
"""
TIES = ("eq_type", "eq_body", "eq_pair", "eq_posed")
PATHS = ("tendon_adr", "tendon_num", "wrap_type", "wrap_objid", "tendon_slack")
"""Lists of ties, and of tendons: relations are kept where they are the same."""


def reference_frames(model) -> dict:
    """Frames of the joints of mocap bodies as the scene has them now: {attribute: (joints, values)}."""
    joint, parent, child = (getattr(model, f"joint_{name}").numpy() for name in ("type", "parent", "child"))
    fixed = np.flatnonzero((joint == JointType.FIXED) & (parent < 0))
    moved = (model.body_flags.numpy()[child[fixed]] & BodyFlags.KINEMATIC) != 0
    roots = fixed[(model.joint_articulation.numpy()[fixed] >= 0) | moved]
    space = getattr(model, "mujoco", None)
    if getattr(space, "body_mocap", None) is not None:
        roots = roots[space.body_mocap.numpy()[child[roots]] != 0]
    return {name: (roots, np.asarray(model.exact(name))[roots]) for name in FRAMES}


def keep_relations(old, fresh) -> None:
    """Give an engine model that was compiled anew the relative poses and lengths of the one before, where neither the
    reference pose nor the tie or tendon changed.
    """
    if same(old, fresh, (*TIES, "qpos0")) and fresh.neq:
        data, kept = world_rows(fresh, old, "eq_data")
        given = (fresh.eq_type.numpy() == MjtEq.WELD) & (data[..., FROM_POSE] == 0)
        tied = (fresh.eq_posed.numpy() != 0) & ~given
        stays = tied & np.isclose(data[..., (0, 1, 2, FROM_POSE)], kept[..., (0, 1, 2, FROM_POSE)]).all(-1)
        data[..., 3:10] = np.where(stays[..., None], kept[..., 3:10], data[..., 3:10])
        fresh.set("eq_data", data)
    if same(old, fresh, (*PATHS, "qpos_spring")) and fresh.ntendon:
        length, kept = world_rows(fresh, old, "tendon_lengthspring")
        fresh.set("tendon_lengthspring", np.where((fresh.tendon_slack.numpy() != 0)[:, None], kept, length))


def show_placed(compiled, m) -> None:
    """Give a model that was compiled for looking at the poses of mocap bodies and the relations that the engine has."""
    roots = np.flatnonzero(compiled.body_mocapid >= 0)
    for name in ("body_pos", "body_quat"):
        getattr(compiled, name)[roots] = m.arrays[name].numpy()[0, roots]
    for name in RELATIONS:
        getattr(compiled, name)[:] = m.arrays[name].numpy()[0]


def world_rows(fresh, old, name: str) -> tuple:
    """A parameter of two engine models, with a row per world where one of them has that."""
    values = [m.arrays[name].numpy() for m in (fresh, old)]
    rows = max(map(len, values))
    return tuple(np.array(np.broadcast_to(v, (rows, *v.shape[1:]))) for v in values)


def same(old, fresh, names: tuple) -> bool:
    """Whether two engine models have the same lists, and reference poses but for rounding."""
    pairs = [(old.arrays[name].numpy(), fresh.arrays[name].numpy()) for name in names]
    return all(a.shape[-1:] == b.shape[-1:] and a.ndim == b.ndim and np.allclose(a, b, atol=1e-6) for a, b in pairs)
