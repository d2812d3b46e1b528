"""Saving the compiled model of the first world as MJCF."""

import copy
from pathlib import Path

import numpy as np

from newtonlite.solvers.mujoco.bindings.gains import DEFAULT_SOLREF, RAW
from newtonlite.solvers.mujoco.compile import Worlds


def save_models(engines: list, path: str) -> None:
    """The first world of each engine; several get files that are numbered like the engines."""
    path = Path(path)
    for k, engine in enumerate(engines):
        save_model(
            engine.view(), engine.mj_model, str(path.with_stem(f"{path.stem}_{k}") if len(engines) > 1 else path)
        )


def save_model(w: Worlds, m, path: str) -> None:
    """Write MJCF to ``path``. MJCF has no word for gains in force space: ``solreflimit`` is written where it was
    authored, and the gains of other limits are lost.
    """
    from newtonlite.exporters.mjcf import save_mjcf

    kept = copy.copy(m)
    if m.njnt:
        mode = w.first("mujoco:solreflimit_mode") if w.has("mujoco:solreflimit_mode") else np.zeros(w.size("dof"), int)
        raw = mode[m.newton_dof[m.jnt_dofadr]] == RAW
        kept.jnt_solref = np.where(raw[:, None], m.jnt_solref, DEFAULT_SOLREF)
    save_mjcf(kept, path)
