"""Where the adapter tells the engine less than the scene says, as Newton's integration document has it."""

import warnings

import numpy as np

from newtonlite.core.errors import NewtonWarning
from newtonlite.solvers.mujoco.enums import BOX, MESH

SHOWN = 5


def apply_caveats(m, own_contacts: bool, multiccd: bool) -> None:
    """``geom_gap`` is always zero. Where the engine finds contacts itself, margins are zero in all the model if it has a box, or a
    mesh while ``multiccd`` is on; a warning names the geoms that had one.
    """
    m.geom_gap = np.zeros_like(m.geom_gap)
    if not own_contacts or not margins_forbidden(m, multiccd):
        return
    had = np.flatnonzero((m.geom_margin != 0).reshape(-1, m.ngeom).any(axis=0))
    if len(had):
        names = ", ".join(m.name("geom", g) for g in had[:SHOWN]) + (f" and {len(had) - SHOWN} more" if len(had) > SHOWN else "")
        text = f"{names}: shape margins are zero for MuJoCo's collision detection where the scene has boxes, or meshes with multiccd"
        warnings.warn(f"{text}; use_mujoco_contacts=False keeps them", NewtonWarning, stacklevel=2)
    m.geom_margin = np.zeros_like(m.geom_margin)


def margins_forbidden(m, multiccd: bool) -> bool:
    """Does the model hold a type of geom that may have no margin?"""
    return bool(np.any(m.geom_type == BOX) or (multiccd and np.any(m.geom_type == MESH)))
