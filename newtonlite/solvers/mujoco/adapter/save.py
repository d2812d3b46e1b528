"""Saving the compiled model of the first world as MJCF."""

import copy
from pathlib import Path

import numpy as np

from newtonlite.core.enums import BodyFlags, SolrefMode
from newtonlite.core.mujoco import MjtEq, MjtObj
from newtonlite.solvers.mujoco.bindings.gains import DEFAULT_SOLIMP, DEFAULT_SOLREF
from newtonlite.solvers.mujoco.compile import Worlds


def save_models(engines: list, path: str) -> None:
    """The first world of each engine; several get files that are numbered like the engines."""
    path = Path(path)
    for k, engine in enumerate(engines):
        save_model(
            engine.worlds_view, engine.mj_model, str(path.with_stem(f"{path.stem}_{k}") if len(engines) > 1 else path)
        )


def save_model(w: Worlds, m, path: str) -> None:
    """Write MJCF to ``path``. MJCF has no word for gains in force space: ``solreflimit`` is written where it was
    authored, and the gains of other limits are lost. Nor has it one for kinematic roots: welds hold them where they are.
    """
    from newtonlite.exporters.mjcf import save_mjcf

    kept = copy.copy(m)
    if m.njnt:
        mode = w.first("mujoco:solreflimit_mode") if w.has("mujoco:solreflimit_mode") else np.zeros(w.size("dof"), int)
        raw = mode[m.newton_dof[m.jnt_dofadr]] == SolrefMode.RAW
        kept.jnt_solref = np.where(raw[:, None], m.jnt_solref, DEFAULT_SOLREF)
    hold(kept, np.flatnonzero(held(w, m)))
    save_mjcf(kept, path)


def held(w: Worlds, m) -> np.ndarray:
    """Kinematic bodies that have joints, bool [nbody]."""
    kinematic = np.append(False, (w.first("body_flags")[m.newton_body[1:]] & BodyFlags.KINEMATIC) != 0)
    return kinematic & (np.asarray(m.body_jntnum) > 0)


def hold(m, bodies: np.ndarray) -> None:
    """Weld bodies of the world to it in their reference pose."""
    n = len(bodies)
    data = np.zeros((n, 12))
    data[:, 3:6], data[:, 6:10], data[:, 10] = m.body_pos[bodies], m.body_quat[bodies], 1.0
    rows = {
        "eq_type": np.full(n, MjtEq.WELD),
        "eq_objtype": np.full(n, MjtObj.BODY),
        "eq_obj1id": np.zeros(n, int),
        "eq_obj2id": bodies,
        "eq_data": data,
        "eq_active0": np.ones(n, bool),
        "eq_solref": np.tile(DEFAULT_SOLREF, (n, 1)),
        "eq_solimp": np.tile(DEFAULT_SOLIMP, (n, 1)),
    }
    for name, values in rows.items():
        setattr(m, name, np.concatenate([np.asarray(getattr(m, name)).reshape(-1, *values.shape[1:]), values]))
    m.neq, m.names_equality = m.neq + n, [*m.names_equality, *[""] * n]
