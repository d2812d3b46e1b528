"""Newton's limits: where Newton's integration document has the solver pass less to MuJoCo than the scene says."""

import warnings

import numpy as np

from newtonlite.core.errors import NewtonWarning
from newtonlite.core.mujoco import MjtDisableBit, MjtGeom, MjtObj

SHOWN = 5


def apply_caveats(m, own_contacts: bool, multiccd: bool) -> None:
    """``geom_gap`` is always zero, and sites are spheres, capsules, cylinders or boxes. Where the engine finds contacts
    itself, margins are zero in all the model if it has a box, or a mesh while ``multiccd`` is on (not where the flag nativeccd is off too); a warning names the
    geoms that had one.
    """
    m.geom_gap = np.zeros_like(m.geom_gap)
    m.site_type = np.where(plain_sites(m), m.site_type, MjtGeom.SPHERE).astype(np.int32)
    m.margins_kept = not own_contacts or not margins_forbidden(m, multiccd)
    if m.margins_kept:
        return
    had = np.flatnonzero((m.geom_margin != 0).reshape(-1, m.ngeom).any(axis=0))
    if len(had):
        names = ", ".join(m.name("geom", g) for g in had[:SHOWN]) + (
            f" and {len(had) - SHOWN} more" if len(had) > SHOWN else ""
        )
        text = (
            f"{names}: shape margins are zeroed for NATIVECCD/MULTICCD, as the scene has boxes, or meshes with multiccd"
        )
        warnings.warn(f"{text}; use_mujoco_contacts=False keeps them", NewtonWarning, stacklevel=2)
    m.geom_margin = np.zeros_like(m.geom_margin)


def margins_forbidden(m, multiccd: bool) -> bool:
    """Whether the model holds a type of geom that may have no margin; with the flags of both collision detections off
    all may.
    """
    if not multiccd and m.opt.disableflags & MjtDisableBit.NATIVECCD:
        return False
    return bool(np.any(m.geom_type == MjtGeom.BOX) or (multiccd and np.any(m.geom_type == MjtGeom.MESH)))


def plain_sites(m) -> np.ndarray:
    """Sites that keep their type: those of the four types, and those whose shape a sensor measures in."""
    measured = np.zeros(m.nsite, bool)
    if getattr(m, "nsensor", 0):
        objects = np.asarray(m.sensor_objid)[np.asarray(m.sensor_objtype) == MjtObj.SITE]
        measured[objects[objects >= 0]] = True
    return np.isin(m.site_type, (MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.CYLINDER, MjtGeom.BOX)) | measured
