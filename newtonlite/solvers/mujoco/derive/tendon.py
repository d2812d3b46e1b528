"""Tendons: dofs and coordinates of the joints they wrap."""

import numpy as np


def derive(mj) -> dict:
    """Dof and coordinate of each wrapped joint."""
    joint = np.asarray(mj.wrap_objid, dtype=int)
    return {
        "wrap_dofadr": np.asarray(mj.jnt_dofadr)[joint],
        "wrap_qposadr": np.asarray(mj.jnt_qposadr)[joint],
        "nwrap": int(mj.nwrap),
    }
