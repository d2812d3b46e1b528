"""Sizes that depend on the integrator."""

import numpy as np

from newtonlite.solvers.mujoco.enums import IMPLICIT, IMPLICITFAST


def derive(mj) -> dict:
    """Room for the derivatives of forces on bodies: full implicit always, implicitfast where there is a fluid."""
    fluid = np.any(np.asarray(mj.opt.density) > 0) or np.any(np.asarray(mj.opt.viscosity) > 0)
    sloped = mj.opt.integrator == IMPLICIT or (mj.opt.integrator == IMPLICITFAST and fluid)
    return {"nslope": int(mj.nbody) if sloped else 0, "nslopedof": int(mj.nv) if sloped else 0}
