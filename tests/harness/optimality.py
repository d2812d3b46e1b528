"""How far a solver is from the optimum of the constraint problem, beside MuJoCo and beside what float32 allows.

Both get the same problem: MuJoCo's own inertia, rows and smooth forces, rounded to float32. The gradient ``M x -
qfrc_smooth - J' f(J x - aref)`` is taken in float64, with MuJoCo's own forces of rows, and its length in MuJoCo's unit,
``1 / (meaninertia max(1, nv))``, which its tolerance is in. What float32 allows is the gradient at the optimum rounded
to float32; the optimum is MuJoCo's answer, taken on in float64 to where it gains nothing any more, since its tolerance
leaves it up to some hundred roundings away. A *rounding* is what the gradient moves by when every number it is made of
is rounded once: ``2^-24 (|M| |x| + |qfrc_smooth| + |J'| D (|J| |x| + |aref|))``, of the rows that act.
"""

from types import SimpleNamespace

import numpy as np

from tests import oracle
from tests.harness.expected import expected
from tests.harness.stagewise import PARTS, engine_for

HALF = 2.0**-24
POLISH, FINE = 5, 1e-4  # steps at most, and the part of a rounding that is enough
BEFORE_SOLVE = ("position", "collision", "velocity", "actuation", "constraint")
LAYOUT = ("ncon", "nefc", "ne", "nf", "nl")


def problems(mj, states) -> SimpleNamespace:
    """MuJoCo's rounded problems with its answers to them."""
    datas = [oracle.load(mj, states, i) for i in range(len(states))]
    for data in datas:
        forward_rounded(mj, data)
    return SimpleNamespace(mj=mj, states=states, datas=datas, want=expected(mj, states, datas))


def forward_rounded(mj, data) -> None:
    """A forward pass whose inertia, constraint rows, friction and smooth forces are rounded to float32 before they are
    solved.
    """
    oracle.call(mj, data, "mj_fwdPosition", "mj_fwdVelocity", "mj_fwdActuation", "mj_fwdAcceleration")
    rows, contacts = slice(data.nefc), data.contact
    for values in (
        data.M,
        data.efc_J,
        data.efc_aref[rows],
        data.efc_frictionloss[rows],
        data.efc_R[rows],
        data.efc_D[rows],
        data.qfrc_smooth,
    ):
        values[...] = values.astype(np.float32)
    for values in (contacts.mu, contacts.friction):
        values[...] = values.astype(np.float32)
    oracle.solve_smooth(mj, data)
    oracle.call(mj, data, "mj_island", "mj_fwdConstraint")


def engine_solution(mj, truth, device="cpu") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(accelerations [n, nv], iterations [n], whether the engine has the same contacts and rows [n]) of the engine,
    given MuJoCo's problems.
    """
    engine = engine_for(mj, truth, device)
    same = np.ones(len(truth.states), bool)
    for name in BEFORE_SOLVE:
        engine.run(PARTS[name].stages)
        for field in PARTS[name].compared:
            if field in truth.want:
                if field in LAYOUT:
                    same &= engine.read(field) == truth.want[field]
                engine.fill(field, truth.want[field])
    for world, data in enumerate(truth.datas):
        mu = np.zeros(truth.want["ncon"].max(initial=0))
        mu[: data.ncon] = data.contact.mu
        truth.want.setdefault("contact_mu", np.zeros((len(same), len(mu))))[world] = mu
    engine.fill("contact_mu", truth.want["contact_mu"])
    engine.run(PARTS["solve"].stages)
    return engine.read("qacc").astype(float), engine.read("solver_niter"), same


def gradient_at(truth, index: int, qacc) -> tuple[np.ndarray, np.ndarray]:
    """(gradient, forces of rows) at `qacc` in state `index`."""
    data = truth.datas[index]
    J = truth.want["efc_J"][index, : data.nefc]
    force = oracle.row_forces(truth.mj, data, J @ qacc - data.efc_aref[: data.nefc])
    return truth.want["M"][index] @ qacc - data.qfrc_smooth - J.T @ force, force


def cost(truth, index: int, qacc) -> float:
    """What the solvers minimize, ``1/2 (x - x_s)' M (x - x_s) + s(J x - aref)``, at `qacc` in state `index`."""
    data = truth.datas[index]
    away = qacc - data.qacc_smooth
    jar = truth.want["efc_J"][index, : data.nefc] @ qacc - data.efc_aref[: data.nefc]
    return 0.5 * away @ truth.want["M"][index] @ away + oracle.row_cost(truth.mj, data, jar)


def optimum(truth, index: int) -> np.ndarray:
    """MuJoCo's answer in state `index` and Newton's steps from there, as long as the gradient gets shorter; Hessians
    are differences of gradients.
    """
    x = truth.want["qacc"][index].copy()
    left, steps = gradient_at(truth, index, x)[0], np.diag(1e-6 * (1 + np.abs(x)))
    enough = FINE * rounding(truth, index, x)
    for _ in range(POLISH):
        if np.linalg.norm(left) <= enough:
            break
        slope = np.array(
            [(gradient_at(truth, index, x + h)[0] - gradient_at(truth, index, x - h)[0]) / (2 * h.sum()) for h in steps]
        )
        there = x - np.linalg.lstsq(slope.T, left, rcond=None)[0]
        rest = gradient_at(truth, index, there)[0]
        if not np.linalg.norm(rest) < np.linalg.norm(left):
            break
        x, left = there, rest
    return x


def rounding(truth, index: int, qacc) -> float:
    """Length that the gradient at `qacc` in state `index` changes by when every number it is made of is rounded."""
    data, want = truth.datas[index], truth.want
    M, J = np.abs(want["M"][index]), np.abs(want["efc_J"][index, : data.nefc])
    aref, D = np.abs(data.efc_aref[: data.nefc]), data.efc_D[: data.nefc].copy()
    pushed = np.where(gradient_at(truth, index, qacc)[1] != 0, D * (J @ np.abs(qacc) + aref), 0.0)
    return HALF * np.linalg.norm(M @ np.abs(qacc) + np.abs(data.qfrc_smooth) + J.T @ pushed)


def residual(truth, index: int, qacc) -> np.ndarray:
    """(length of the gradient at `qacc` in state `index`, size of a rounding), in MuJoCo's unit."""
    sizes = np.linalg.norm(gradient_at(truth, index, qacc)[0]), rounding(truth, index, qacc)
    return np.array(sizes) / (truth.mj.stat.meaninertia * max(1, truth.mj.nv))


def measured(mj, states, device="cpu") -> dict:
    """Residuals of the engine, of MuJoCo, of the optimum in float32, and a rounding; iterations, and who stopped at the
    limit of them, which is to be there with more left than the tolerance, and, for the engine, than float32 allows. All
    [n] over the states that have rows, the same ones on both sides.
    """
    truth = problems(mj, states)
    rows = truth.want["nefc"] > 0
    if not rows.any():
        return {"ours": np.zeros(0)}
    qacc, niter, same = engine_solution(mj, truth, device)
    theirs = truth.want["qacc"]
    their_niter = np.array([max(data.solver_niter[: max(1, data.nisland)]) for data in truth.datas])
    chosen = np.flatnonzero(rows & same)
    best = {i: optimum(truth, i).astype(np.float32).astype(float) for i in chosen}
    found = {
        who: np.array([residual(truth, i, x[i]) for i in chosen]).reshape(-1, 2)
        for who, x in (("ours", qacc), ("theirs", theirs), ("floor", best))
    }
    limit, enough = mj.opt.iterations, np.maximum(mj.opt.tolerance, found["floor"].max(axis=1))
    return {
        **{who: f[:, 0] for who, f in found.items()},
        "rounding": found["floor"][:, 1],
        "niter": niter[chosen],
        "their_niter": their_niter[chosen],
        "stopped": (niter[chosen] >= limit) & ~(found["ours"][:, 0] <= enough),
        "their_stopped": (their_niter[chosen] >= limit) & (found["theirs"][:, 0] > mj.opt.tolerance),
        "other": np.full(len(chosen), (rows & ~same).sum()),
    }


def share(found: dict) -> np.ndarray:
    """The engine's residual over the largest of MuJoCo's, of the optimum's in float32, and of a rounding, [n]; 0 where
    both stopped at the limit.
    """
    allowed = np.maximum(np.maximum(found["theirs"], found["floor"]), found["rounding"])
    return np.where(found["stopped"] & found["their_stopped"], 0.0, found["ours"] / np.maximum(allowed, 1e-300))
