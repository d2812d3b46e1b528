"""How far a solver is from the optimum of the constraint problem, in roundings of float32.

The gradient ``M x - qfrc_smooth - J' f(J x - aref)`` of the primal problem is taken in float64 on MuJoCo's own rows, with MuJoCo's own
forces of rows, for the engine's acceleration and for MuJoCo's. Its unit is what it moves by when every number it is made of is
rounded once: ``2^-24 (|M| |x| + |qfrc_smooth| + |J'| D (|J| |x| + |aref|))``, of the rows that act.
"""

import numpy as np

from tests import oracle
from tests.solvers.mujoco.stagewise import PARTS, Truth, engine_for

HALF = 2.0**-24
BEFORE_SOLVE = ("position", "collision", "velocity", "actuation", "constraint")


def engine_solution(mj, truth: Truth, device="cpu") -> tuple[np.ndarray, np.ndarray]:
    """(accelerations [n, nv], iterations [n]) of the engine's solver, given MuJoCo's rows."""
    engine = engine_for(mj, truth, device)
    for name in BEFORE_SOLVE:
        engine.run(PARTS[name].stages)
        for field in PARTS[name].compared:
            if field in truth.want:
                engine.fill(field, truth.want[field])
    engine.run(PARTS["solve"].stages)
    return engine.read("qacc").astype(float), engine.read("solver_niter")


def residual(truth: Truth, index: int, qacc) -> float:
    """Length of the gradient at `qacc` in state `index`, in its unit."""
    mj, data, want = truth.mj, truth.datas[index], truth.want
    M, J = want["M"][index], want["efc_J"][index, : data.nefc]
    aref, D = data.efc_aref[: data.nefc], data.efc_D[: data.nefc]
    force = oracle.row_forces(mj, data, J @ qacc - aref)
    gradient = M @ qacc - data.qfrc_smooth - J.T @ force
    size = np.abs(J) @ np.abs(qacc) + np.abs(aref)
    unit = np.abs(M) @ np.abs(qacc) + np.abs(data.qfrc_smooth) + np.abs(J).T @ np.where(force != 0, D * size, 0.0)
    return float(np.linalg.norm(gradient) / max(HALF * np.linalg.norm(unit), 1e-30))


def residuals(truth: Truth, qacc) -> np.ndarray:
    """``residual`` of each state that has rows, 0 of the others."""
    return np.array([residual(truth, i, qacc[i]) if truth.datas[i].nefc else 0.0 for i in range(len(truth.states))])


def measured(mj, truth: Truth, device="cpu") -> dict:
    """Residuals [n] of the engine, of MuJoCo, and of MuJoCo's answer in float32; and who stopped at the limit of iterations, [n]."""
    qacc, niter = engine_solution(mj, truth, device)
    theirs = truth.want["qacc"]
    limit = truth.mj.opt.iterations
    return {
        "ours": residuals(truth, qacc), "theirs": residuals(truth, theirs), "rounded": residuals(truth, theirs.astype(np.float32).astype(float)),
        "stopped": niter >= limit, "their_stopped": truth.after["niter"] >= limit, "niter": niter, "their_niter": truth.after["niter"],
    }  # fmt: skip
