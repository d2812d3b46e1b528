"""Which bodies the fluid acts on, and whether springs and dampers are more than linear."""

import numpy as np

from newtonlite.solvers.mujoco.derive.lists import flat, starts

LIGHTEST = 1e-15  # [kg] a body below has no inertia box


def derive(mj) -> dict:
    """Bodies in the fluid with their ellipsoids, number of polynomials, and room for forces from outside on bodies."""
    bodies = _fluid_bodies(mj)
    ellipsoids = [_ellipsoids(mj, b) for b in bodies]
    poly = [np.asarray(getattr(mj, f"{name}poly", 0.0)) for name in ("jnt_stiffness", "dof_damping", "actuator_damping")]
    return {
        "npoly": sum(int(np.count_nonzero(p)) for p in poly),
        "nfluid": len(bodies),
        "nfluid1": len(bodies) + 1,
        "fluid_body": bodies,
        "fluid_adr": starts(ellipsoids),
        "fluid_geom": flat(ellipsoids),
        "nfluidgeom": sum(map(len, ellipsoids)),
        "nouter": int(mj.nbody) if len(bodies) or np.any(np.asarray(mj.body_gravcomp)) else 0,
    }


def _fluid_bodies(mj) -> np.ndarray:
    """Bodies with mass, where there is a fluid."""
    fluid = np.any(np.asarray(mj.opt.density) > 0) or np.any(np.asarray(mj.opt.viscosity) > 0)
    heavy = np.asarray(mj.body_mass).reshape(-1, int(mj.nbody)).max(0) >= LIGHTEST
    return np.flatnonzero(heavy & (np.arange(mj.nbody) > 0)) if fluid else np.zeros(0, int)


def _ellipsoids(mj, body: int) -> list:
    """Geoms of a body that the fluid takes for ellipsoids."""
    coefficient = np.asarray(mj.geom_fluid).reshape(-1, 12)[:, 0]
    return [int(g) for g in np.flatnonzero((np.asarray(mj.geom_bodyid) == body) & (coefficient > 0))]
