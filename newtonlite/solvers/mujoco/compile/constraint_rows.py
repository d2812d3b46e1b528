"""Constraint rows in float64 NumPy for batches of states: joint and tendon limits and equalities, and the acceleration
under them.

MuJoCo documentation, Computation: Constraint model.
"""

from dataclasses import dataclass

import numpy as np

from newtonlite.core.constants import MAXIMP, MINIMP, MINVAL
from newtonlite.core.mujoco import MjtEq, MjtJoint
from newtonlite.math.quat import normalized, rotation_vector
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.dynamics import Coordinates, DynamicsTerms
from newtonlite.solvers.mujoco.compile.weld_rows import weld_as_one

NEWTON_STEPS, LINE_STEPS = 60, 40
STOP = 1e-13
"""Largest component of the gradient, relative to the forces that make it up."""


@dataclass
class ConstraintRows:
    """Constraint rows: Jacobian [n, r, nv], stiffness [n, r] (0 where there is none), reference acceleration, and which
    push one way.
    """

    J: np.ndarray
    D: np.ndarray
    aref: np.ndarray
    one_sided: np.ndarray


def constraint_rows(m: CompiledModel, state: Coordinates, t: DynamicsTerms, timestep: float) -> ConstraintRows:
    """Ties of joints and tendons, limits of both, connect and weld equalities."""
    own = [*tied(m, state, t), *joint_limits(m, state), *tendon_limits(m, t)]
    n = len(state.qpos)
    found = [
        *((*row, row[1], np.zeros(n)) for row in own),
        *weld_as_one(m, state, t),
    ]  # how far a row is gone, for its impedance; dJ/dt qvel
    if not found:
        return ConstraintRows(np.zeros((n, 0, m.nv)), np.zeros((n, 0)), np.zeros((n, 0)), np.zeros(0, bool))
    jacobian, r, on, solref, solimp, weight, one_sided, far, bias = zip(*found, strict=True)
    J = np.stack([np.broadcast_to(row, (n, m.nv)) for row in jacobian], 1)
    r, on = np.stack(r, 1), np.stack(on, 1)
    imp, (k, b) = impedance(np.array(solimp), np.stack(far, 1)), stiffness(np.array(solref), np.array(solimp), timestep)
    D = np.where(on, 1.0 / np.maximum(MINVAL, np.array(weight) * (1.0 - imp) / imp), 0.0)
    aref = -b * (J @ state.qvel[..., None])[..., 0] - k * imp * r - np.stack(bias, 1)
    return ConstraintRows(np.where(on[..., None], J, 0.0), D, aref, np.array(one_sided))


def tied(m: CompiledModel, state: Coordinates, t: DynamicsTerms):
    """Rows of joint and tendon equalities."""
    for k in range(m.neq):
        if not m.eq_active0[k] or m.eq_type[k] not in (MjtEq.JOINT, MjtEq.TENDON):
            continue
        one, two = (side_of(m, state, t, int(m.eq_type[k]), int(j)) for j in (m.eq_obj1id[k], m.eq_obj2id[k]))
        a = m.eq_data[k, :5]
        x = two[0]
        alone = m.eq_obj2id[k] < 0
        value = a[0] + 0.0 * x if alone else np.polynomial.polynomial.polyval(x, a)
        slope = 0.0 * x if alone else np.polynomial.polynomial.polyval(x, a[1:] * np.arange(1, 5))
        yield (
            one[1] - slope[:, None] * two[1],
            one[0] - value,
            np.ones(len(x), bool),
            m.eq_solref[k],
            m.eq_solimp[k],
            one[2] + two[2],
            False,
        )


def side_of(m: CompiledModel, state: Coordinates, t: DynamicsTerms, kind: int, j: int) -> tuple:
    """Distance from the reference [n], Jacobian and inverse weight of a joint or tendon; zeros where there is none."""
    n = len(state.qpos)
    if j < 0:
        return np.zeros(n), np.zeros((n, m.nv)), 0.0
    if kind == MjtEq.TENDON:
        return t.length[:, j] - m.tendon_length0[j], t.ten_J[..., j, :], m.tendon_invweight0[j]
    adr, dof = m.jnt_qposadr[j], m.jnt_dofadr[j]
    return state.qpos[:, adr] - m.qpos0[adr], np.broadcast_to(np.eye(m.nv)[dof], (n, m.nv)), m.dof_invweight0[dof]


def joint_limits(m: CompiledModel, state: Coordinates):
    """Rows of joint limits."""
    for j in np.flatnonzero(m.jnt_limited):
        adr, dof, margin = m.jnt_qposadr[j], m.jnt_dofadr[j], m.jnt_margin[j]
        common = m.jnt_solref[j], m.jnt_solimp[j], m.dof_invweight0[dof], True
        if m.jnt_type[j] == MjtJoint.BALL:
            turn = rotation_vector(normalized(state.qpos[:, adr : adr + 4]))
            angle = np.linalg.norm(turn, axis=-1)
            row = np.zeros((len(turn), m.nv))
            row[:, dof : dof + 3] = -turn / np.maximum(angle, MINVAL)[:, None]
            distance = m.jnt_range[j].max() - angle
            yield row, distance - margin, distance < margin, *common
            continue
        for side, sign in enumerate((1.0, -1.0)):
            distance = sign * (state.qpos[:, adr] - m.jnt_range[j, side])
            yield sign * np.eye(m.nv)[dof], distance - margin, distance < margin, *common


def tendon_limits(m: CompiledModel, t: DynamicsTerms):
    """Rows of tendon limits."""
    for k in np.flatnonzero(m.tendon_limited):
        for side, sign in enumerate((1.0, -1.0)):
            distance, margin = sign * (t.length[:, k] - m.tendon_range[k, side]), m.tendon_margin[k]
            yield (
                sign * t.ten_J[..., k, :],
                distance - margin,
                distance < margin,
                m.tendon_solref_lim[k],
                m.tendon_solimp_lim[k],
                m.tendon_invweight0[k],
                True,
            )


def impedance(solimp, r) -> np.ndarray:
    """``d(r)`` [n, rows], ``solimp`` [rows, 5]: from dmin at r = 0 to dmax at |r| = width along two joined powers."""
    low, high, middle = np.clip(solimp[:, [0, 1, 3]], MINIMP, MAXIMP).T
    width, power = np.maximum(solimp[:, 2], 0.0), np.maximum(solimp[:, 4], 1.0)
    flat = (low == high) | (width <= MINVAL)
    x = np.minimum(np.abs(r) / np.where(flat, 1.0, width), 1.0)
    end = np.where(x <= middle, middle, 1.0 - middle)  # of the curve's two parts the nearer end
    part = end * (np.where(x <= middle, x, 1.0 - x) / end) ** power
    y = np.where(x <= middle, part, 1.0 - part)
    return np.where(flat, 0.5 * (low + high), low + np.where(x >= 1.0, 1.0, y) * (high - low))


def stiffness(solref, solimp, timestep: float) -> tuple[np.ndarray, np.ndarray]:
    """``(k, b)`` of ``aref = -b v - k d r``, each [rows]; ``solref`` [rows, 2], ``solimp`` [rows, 5]."""
    high, (time, damp) = np.clip(solimp[:, 1], MINIMP, MAXIMP), solref.T
    slow = np.maximum(time, 2.0 * timestep)
    k = np.where(time <= 0, -time / high**2, 1.0 / np.maximum(MINVAL, (high * slow * damp) ** 2))
    return k, np.where(time <= 0, -damp / high, 2.0 / np.maximum(MINVAL, high * slow))


def solve(M, smooth, rows: ConstraintRows, start) -> np.ndarray:
    """Acceleration [n, nv] that minimises ``1/2 (a - smooth)' M (a - smooth)`` and the rows' cost: Newton's method,
    exact line search.
    """
    if not rows.D.any():
        return smooth

    def cost_of(a):
        return (
            ((a - smooth) * (M @ (a - smooth)[..., None])[..., 0]).sum(-1),
            (rows.J @ a[..., None])[..., 0] - rows.aref,
        )

    acts = lambda r: np.where(~rows.one_sided | (r < 0), rows.D, 0.0)
    total = lambda part: part[0] + (acts(part[1]) * part[1] ** 2).sum(-1)
    a = np.where((total(cost_of(start)) < total(cost_of(smooth)))[:, None], start, smooth)
    JT = np.swapaxes(rows.J, -1, -2)
    for _ in range(NEWTON_STEPS):
        r = cost_of(a)[1]
        D = acts(r)
        force = (M @ (a - smooth)[..., None])[..., 0]
        gradient = force + (JT @ (D * r)[..., None])[..., 0]
        scale = np.abs(force).max(-1) + np.abs(D * r).max(-1) + MINVAL
        open_ = np.abs(gradient).max(-1) > 1e-13 * scale
        if not open_.any():
            break
        p = -np.linalg.solve(M + JT @ (D[..., None] * rows.J), gradient[..., None])[..., 0]
        a = a + (np.where(open_, line(M, smooth, rows, acts, a, r, p, open_), 0.0)[:, None]) * p
    return a


def line(M, smooth, rows: ConstraintRows, acts, a, r, p, asked) -> np.ndarray:
    """Step [n] to the lowest point along ``p``, where ``asked``: Newton's method on the slope, which is linear between
    the rows' turning points.
    """
    Mp, Jp = (M @ p[..., None])[..., 0], (rows.J @ p[..., None])[..., 0]
    first, second = (Mp * (a - smooth)).sum(-1), (Mp * p).sum(-1)
    step, low, high = np.ones(len(a)), np.zeros(len(a)), np.full(len(a), np.inf)
    here = r + step[:, None] * Jp
    D = acts(here)
    for _ in range(LINE_STEPS):
        slope = first + step * second + (D * here * Jp).sum(-1)
        low, high = np.where(slope < 0, step, low), np.where(slope > 0, step, high)
        following = step - slope / np.maximum(second + (D * Jp**2).sum(-1), MINVAL)
        outside = (following <= low) | (following >= high)
        following = np.where(outside & np.isfinite(high), 0.5 * (low + high), np.where(outside, step, following))
        near = np.abs(following - step) <= 1e-14 * step
        here = r + following[:, None] * Jp
        new = acts(here)
        if (near | ((new == D).all(-1) & ~outside))[
            asked
        ].all():  # between the same turning points the slope is a straight line
            break
        step, D = following, new
    return following
