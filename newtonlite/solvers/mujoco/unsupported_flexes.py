"""Unsupported features of flexes: checks like those of ``unsupported``."""

import numpy as np

from newtonlite.core.mujoco import MjtEnableBit, MjtEq, MjtGeom, MjtTrn
from newtonlite.solvers.mujoco.derive.flex_contact import FLEX, SELF, SWEEP, VERTICES, contact_groups


def flex_checks(mj):
    """(name of a feature, whether the model has it)."""
    if not getattr(mj, "nflex", 0):
        return
    yield from contact_checks(mj)
    yield (
        "edge springs of flexes",
        bool(np.any(np.asarray(mj.flex_edgestiffness)) or np.any(np.asarray(mj.flex_edgedamping))),
    )
    yield "elasticity of flexes", bool(mj.nflexstiffness or mj.nflexbending)
    yield "flexes that yield", bool((np.asarray(mj.flex_plasticadr) >= 0).any())
    yield "equality constraints of flexes", bool(np.any(np.asarray(mj.eq_type) > MjtEq.TENDON))


def contact_checks(mj):
    """(name of a feature of contacts, whether the model has it)."""
    groups = contact_groups(mj)
    alone = [f for kind, _, f, _ in groups if kind in (SELF, SWEEP)]
    touched = {(int(mj.geom_type[g]), int(mj.flex_dim[f])) for kind, g, f, _ in groups if kind < FLEX}
    yield "contacts of flexes with height fields", any(kind == MjtGeom.HFIELD for kind, _ in touched)
    yield "contacts of flexes with signed distance fields", (int(MjtGeom.SDF), 2) in touched
    yield (
        "contacts of interpolated flexes with anything but planes",
        any(kind != VERTICES and any(int(mj.flex_interp[i]) for i in sides(kind, g, f)) for kind, g, f, _ in groups),
    )
    yield (
        "contacts of interpolated flexes with themselves (set selfcollide to none)",
        any(int(mj.flex_interp[f]) for f in alone),
    )
    yield "passive contacts of flexes", bool(groups) and bool(np.any(np.asarray(mj.flex_passive)))
    yield "contacts of flexes with the flag sleep", bool(groups) and bool(mj.opt.enableflags & MjtEnableBit.SLEEP)
    adheres = np.asarray(mj.actuator_trntype, int) == MjtTrn.BODY
    yield "adhesion of bodies beside contacts of flexes", bool(groups) and bool(adheres.any())


def sides(kind: int, other: int, f: int) -> tuple:
    """Flexes of a group of contacts: one, or two."""
    return (other, f) if kind == FLEX else (f,)
