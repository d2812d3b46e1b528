"""Unsupported features of flexes: checks like those of ``unsupported``."""

import numpy as np

from newtonlite.core.mujoco import MjtEq


def flex_checks(mj):
    """(name of a feature, whether the model has it)."""
    if not getattr(mj, "nflex", 0):
        return
    yield (
        "edge springs of flexes",
        bool(np.any(np.asarray(mj.flex_edgestiffness)) or np.any(np.asarray(mj.flex_edgedamping))),
    )
    yield "elasticity of flexes", bool(mj.nflexstiffness or mj.nflexbending)
    yield "flexes that yield", bool((np.asarray(mj.flex_plasticadr) >= 0).any())
    yield "equality constraints of flexes", bool(np.any(np.asarray(mj.eq_type) > MjtEq.TENDON))

