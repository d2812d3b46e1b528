"""Transition derivatives of a step by finite differences, every nudge in a world of its own.

State derivatives live in the tangent of the state, ``[dq (nv), dv (nv), da (na)]``, as MuJoCo's ``mjd_transitionFD``
has them.  In float32 a nudge of about 1e-3 balances rounding and curvature.
"""

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.mjwarp.copies import PerturbedWorlds, kept_with
from newtonlite.mjwarp.data import Data
from newtonlite.mjwarp.slope import deriv_smooth_vel as deriv_smooth_vel
from newtonlite.mjwarp.tangent import joint_difference, shift_coordinate

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def nudge(
    copies: int,
    nv: int,
    na: int,
    nu: int,
    eps: float,
    both: bool,
    jntid: wp.array[int],
    jnt_type: wp.array[int],
    qposadr: wp.array[int],
    dofadr: wp.array[int],
    limited: wp.array[int],
    bounds: wp.array2d[wp.vec2],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    act: wp.array2d[float],
    ctrl: wp.array2d[float],
    size: wp.array[float],
):
    """Move one coordinate of each world, the first half up and the second down; controls stay in their range."""
    world = wp.tid()
    k = world % copies
    ncol = 2 * nv + na + nu
    c = k % ncol
    h = float(eps)
    if k >= ncol:
        h = -h
        if not both:
            h = 0.0
    if c < nv:
        shift_coordinate(jntid, jnt_type, qposadr, dofadr, qpos, world, c, h)
    elif c < 2 * nv:
        qvel[world, c - nv] = qvel[world, c - nv] + h
    elif c < 2 * nv + na:
        act[world, c - 2 * nv] = act[world, c - 2 * nv] + h
    else:
        u = c - 2 * nv - na
        moved = ctrl[world, u] + h
        if limited[u] != 0:
            range = bounds[world % bounds.shape[0], u]
            if moved < range[0] or moved > range[1]:
                h = 0.0
        ctrl[world, u] = ctrl[world, u] + h
    size[world] = h


@wp.kernel(enable_backward=False)
def difference(
    ncol: int,
    jnt_type: wp.array[int],
    qposadr: wp.array[int],
    dofadr: wp.array[int],
    qpos: wp.array2d[float],
    tangent: wp.array2d[float],
):
    """From the configuration nudged down to the one nudged up, left with the latter."""
    pair, j = wp.tid()
    up = pair / ncol * 2 * ncol + pair % ncol
    joint_difference(jnt_type, qposadr, dofadr, j, 1.0, qpos, qpos, up + ncol, up, tangent, up)


class Transition(PerturbedWorlds):
    """Derivatives of one step of ``nworld`` worlds: what ``transition_fd`` keeps between calls.

    ``eps`` is the nudge, ``centered`` takes it both ways. Memory: ``2 (2 nv + na + nu)`` worlds for each.
    """

    def __init__(self, m, nworld: int, eps: float = 1e-3, centered: bool = True, capacity: tuple = (None, None)):
        super().__init__(m, nworld, 2 * m.nv + m.na + m.nu, eps, capacity)
        self.centered = bool(centered)
        self.tangent = wp.zeros((nworld * self.copies, m.nv), dtype=float, device=m.device)

    def run(self, d: Data, A=None, B=None, C=None, D=None) -> None:
        """Fill the matrices that are given for the worlds of ``d``; ``d`` is not changed."""
        self._check(A, B, C, D)
        m, big = self.source, self.data
        self.take(d)
        inputs = [
            self.copies,
            m.nv,
            m.na,
            m.nu,
            self.eps,
            self.centered,
            m.dof_jntid,
            m.jnt_type,
            m.jnt_qposadr,
            m.jnt_dofadr,
            m.arrays["actuator_ctrllimited"],
            self.model.actuator_ctrlrange,
        ]
        wp.launch(
            nudge,
            self.nworld * self.copies,
            inputs,
            [big.qpos, big.qvel, big.act, big.ctrl, self.size],
            device=m.device,
        )
        self.schedule.step()
        inputs = [self.ncol, m.jnt_type, m.jnt_qposadr, m.jnt_dofadr, big.qpos]
        wp.launch(difference, (self.nworld * self.ncol, m.njnt), inputs, [self.tangent], device=m.device)
        nx = 2 * m.nv + m.na
        for first, state, sensors in ((0, A, C), (nx, B, D)):
            if state is not None:
                for row, values in ((0, self.tangent), (m.nv, big.qvel), (2 * m.nv, big.act)):
                    self.quotient(first, row, values, state)
            if sensors is not None:
                self.quotient(first, 0, big.sensordata, sensors)

    def _check(self, A, B, C, D) -> None:
        m, nx = self.source, 2 * self.source.nv + self.source.na
        nsensor = getattr(self.data, "sensordata", np.zeros((1, 0))).shape[1] if C is not None or D is not None else 0
        for name, array, rows, columns in (
            ("A", A, nx, nx),
            ("B", B, nx, m.nu),
            ("C", C, nsensor, nx),
            ("D", D, nsensor, m.nu),
        ):
            if array is not None and array.shape != (self.nworld, rows, columns):
                raise StateError(f"{name}: expected shape ({self.nworld}, {rows}, {columns}), got {array.shape}")


def transition_fd(m, d: Data, eps: float = 1e-3, centered: bool = True, A=None, B=None, C=None, D=None) -> None:
    """Derivatives of the next state and sensors of every world by state and control (``mjd_transitionFD``, batched).

    ``A [nworld, nx, nx]``, ``B [nworld, nx, nu]``, ``C [nworld, nsensordata, nx]``, ``D [nworld, nsensordata, nu]``
    with ``nx = 2 nv + na``; those that are None are left out. What is needed is allocated with the first call and kept
    with ``d``. Raises StateError for arrays of other shapes.
    """
    capacity = (d.engine.nconmax, d.engine.njmax)
    kept_with(
        d, "_transition", (id(m), m.version, eps, centered), lambda: Transition(m, d.nworld, eps, centered, capacity)
    ).run(d, A, B, C, D)
