"""Sizes that depend on the integrator."""

import numpy as np

from newtonlite.core.mujoco import MjtEnableBit, MjtIntegrator, MjtSolver
from newtonlite.solvers.mujoco.derive import coupling, sparse
from newtonlite.solvers.mujoco.derive.ragged import padded

LISTS = {
    "nrkv": ("opt_integrator", MjtIntegrator.RK4),
    "nslopedof": ("opt_integrator", MjtIntegrator.IMPLICIT),
    "ndiscretedof": ("opt_integrator", MjtIntegrator.DISCRETE),
    "nvcg": ("opt_solver", MjtSolver.CG),
}
"""Sizes by dofs that are 0 unless an option has the value beside them, whose stages write there."""


def derive(mj) -> dict:
    """Sizes of the derivatives of forces on bodies: full implicit always, implicitfast and discrete where there is a
    fluid; of the effective inertia of discrete; and of RK4's sums.
    """
    fluid = np.any(np.asarray(mj.opt.density) > 0) or np.any(np.asarray(mj.opt.viscosity) > 0)
    dragged = mj.opt.integrator in (MjtIntegrator.IMPLICITFAST, MjtIntegrator.DISCRETE) and fluid
    sloped = mj.opt.integrator == MjtIntegrator.IMPLICIT or dragged
    sums = mj.opt.integrator == MjtIntegrator.RK4
    return {
        "ndiagexact": int(bool(mj.opt.enableflags & MjtEnableBit.DIAGEXACT)),
        "nfwdinv": int(bool(mj.opt.enableflags & MjtEnableBit.FWDINV)),
        "nderivative": int(mj.nbody) if sloped else 0,
        "nslopedof": int(mj.nv) if sloped else 0,
        "nvcg": padded(int(mj.nv)) if mj.opt.solver == MjtSolver.CG or sparse.takes_sparse(mj) else 0,
        "ndiscretedof": int(mj.nv) if mj.opt.integrator == MjtIntegrator.DISCRETE else 0,
        "ncoupling": len(coupling.couplings(mj)),
        "nefmkept": int(mj.nv) if keeps_backbone(mj) else 0,
        "nrkq": int(mj.nq) if sums else 0,
        "nrkv": int(mj.nv) if sums else 0,
        "nrka": int(mj.na) if sums else 0,
        "nrkout": int(np.sum(mj.actuator_outnum)) if sums and mj.na else 0,
        "nrkten": int(mj.ntendon) if sums and np.any(np.asarray(getattr(mj, "tendon_springyield", 0.0)) > 0) else 0,
    }


def keeps_backbone(mj) -> bool:
    """Whether the effective inertia without couplings is asked for: by less slip beside them, or by exact diagonals."""
    exact = coupling.is_coupled(mj) and bool(mj.opt.enableflags & MjtEnableBit.DIAGEXACT)
    return exact or (mj.opt.noslip_iterations > 0 and bool(coupling.couplings(mj)))
