"""Derivatives of a step by finite differences, every nudge in a world of its own.

State derivatives live in the tangent of the state, ``[dq (nv), dv (nv), da (na)]``, as MuJoCo's ``mjd_transitionFD`` has them.  In float32
a nudge of about 1e-3 balances rounding and curvature.
"""

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.mjwarp.data import Data
from newtonlite.mjwarp.tangent import joint_difference, turn
from newtonlite.solvers.mujoco import data as engine
from newtonlite.solvers.mujoco import model as engine_model
from newtonlite.solvers.mujoco.data import FIELDS
from newtonlite.solvers.mujoco.enums import BALL, FREE
from newtonlite.solvers.mujoco.schedule import Schedule


@wp.kernel(enable_backward=False)
def spread(copies: int, source: wp.array2d[float], target: wp.array2d[float]):
    """Each world into ``copies`` worlds."""
    world, i = wp.tid()
    target[world, i] = source[world / copies, i]


@wp.kernel(enable_backward=False)
def nudge(
    copies: int, nv: int, na: int, nu: int, eps: float, both: bool, jntid: wp.array[int], jnt_type: wp.array[int],
    qposadr: wp.array[int], dofadr: wp.array[int], limited: wp.array[int], bounds: wp.array2d[wp.vec2], qpos: wp.array2d[float],
    qvel: wp.array2d[float], act: wp.array2d[float], ctrl: wp.array2d[float], size: wp.array[float],
):  # fmt: skip
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
        j = jntid[c]
        adr = qposadr[j]
        i = c - dofadr[j]
        if jnt_type[j] > BALL or (jnt_type[j] == FREE and i < 3):
            qpos[world, adr + i] = qpos[world, adr + i] + h
        else:
            if jnt_type[j] == FREE:
                adr += 3
                i -= 3
            axis = wp.vec3(0.0, 0.0, 0.0)
            axis[i] = h
            turn(qpos, world, adr, axis)
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
def difference(ncol: int, jnt_type: wp.array[int], qposadr: wp.array[int], dofadr: wp.array[int], qpos: wp.array2d[float],
               tangent: wp.array2d[float]):  # fmt: skip
    """From the configuration nudged down to the one nudged up, left with the latter."""
    pair, j = wp.tid()
    up = pair / ncol * 2 * ncol + pair % ncol
    joint_difference(jnt_type, qposadr, dofadr, j, 1.0, qpos, qpos, up + ncol, up, tangent, up)


@wp.kernel(enable_backward=False)
def quotient(ncol: int, first: int, row: int, size: wp.array[float], values: wp.array2d[float], out: wp.array3d[float]):
    """``(f(x + h) - f(x - h')) / (h + h')`` into column ``c - first`` of ``out``, from row ``row`` on."""
    world, c, i = wp.tid()
    up = world * 2 * ncol + first + c
    down = up + ncol
    h = size[up] - size[down]
    value = float(0.0)
    if h > 0.0:
        value = (values[up, i] - values[down, i]) / h
    out[world, row + i, c] = value


class Transition:
    """Derivatives of one step of ``nworld`` worlds: what ``transition_fd`` keeps between calls.

    ``eps`` is the nudge, ``centered`` takes it both ways. Memory: ``2 (2 nv + na + nu)`` worlds for each.
    """

    def __init__(self, m, nworld: int, eps: float = 1e-3, centered: bool = True, capacity: tuple = (None, None)):
        if not eps > 0.0:
            raise StateError(f"eps={eps}: expected a positive number")
        self.source, self.nworld, self.eps, self.centered = m, nworld, float(eps), bool(centered)
        self.ncol = 2 * m.nv + m.na + m.nu
        self.copies = 2 * self.ncol
        self.own = [n for n, a in m.arrays.items() if engine_model.FIELDS[n].role == "param" and a.size and a.shape[0] > 1]
        wide = {n: wp.empty((nworld * self.copies, *m.arrays[n].shape[1:]), dtype=m.arrays[n].dtype, device=m.device) for n in self.own}
        self.model = engine_model.Model(dict(m.sizes), {**m.arrays, **wide}, m.device, m.source)
        made = engine.make_data(self.model, nworld * self.copies, *capacity, scratch="auto")
        self.data = Data(made)
        self.schedule = Schedule(self.model, made)
        self.size = wp.zeros(nworld * self.copies, dtype=float, device=m.device)
        self.tangent = wp.zeros((nworld * self.copies, m.nv), dtype=float, device=m.device)

    def run(self, d: Data, A=None, B=None, C=None, D=None) -> None:
        """Fill the matrices that are given for the worlds of ``d``; ``d`` is not changed."""
        self._check(A, B, C, D)
        m, big = self.source, self.data
        for name in self.own:
            self._spread(m.arrays[name], self.model.arrays[name])
        for field in FIELDS.values():
            if field.role in ("state", "input") and field.name in big.engine.arrays:
                self._spread(d.engine.arrays[field.name], big.engine.arrays[field.name])
        inputs = [self.copies, m.nv, m.na, m.nu, self.eps, self.centered, m.dof_jntid, m.jnt_type, m.jnt_qposadr, m.jnt_dofadr,
                  m.actuator_ctrllimited, self.model.actuator_ctrlrange]  # fmt: skip
        wp.launch(nudge, self.nworld * self.copies, inputs, [big.qpos, big.qvel, big.act, big.ctrl, self.size], device=m.device)
        self.schedule.step()
        inputs = [self.ncol, m.jnt_type, m.jnt_qposadr, m.jnt_dofadr, big.qpos]
        wp.launch(difference, (self.nworld * self.ncol, m.njnt), inputs, [self.tangent], device=m.device)
        nx = 2 * m.nv + m.na
        for first, state, sensors in ((0, A, C), (nx, B, D)):
            if state is not None:
                for row, values in ((0, self.tangent), (m.nv, big.qvel), (2 * m.nv, big.act)):
                    self._quotient(first, row, values, state)
            if sensors is not None:
                self._quotient(first, 0, big.sensordata, sensors)

    def _spread(self, source: wp.array, target: wp.array) -> None:
        width = source.size // max(1, len(source)) * wp.types.type_size(source.dtype)
        if not width:
            return
        flat = [
            wp.array(ptr=a.ptr, dtype=float, shape=(len(a), width), device=a.device, capacity=a.capacity) for a in (source, target)
        ]
        wp.launch(spread, flat[1].shape, [self.copies, *flat], device=source.device)

    def _quotient(self, first: int, row: int, values: wp.array, out: wp.array) -> None:
        if values.shape[1] and out.shape[2]:
            dim = (self.nworld, out.shape[2], values.shape[1])
            wp.launch(quotient, dim, [self.ncol, first, row, self.size, values, out], device=values.device)

    def _check(self, A, B, C, D) -> None:
        m, nx = self.source, 2 * self.source.nv + self.source.na
        nsensor = getattr(self.data, "sensordata", np.zeros((1, 0))).shape[1] if C is not None or D is not None else 0
        for name, array, rows, columns in (("A", A, nx, nx), ("B", B, nx, m.nu), ("C", C, nsensor, nx), ("D", D, nsensor, m.nu)):
            if array is not None and array.shape != (self.nworld, rows, columns):
                raise StateError(f"{name}: expected shape ({self.nworld}, {rows}, {columns}), got {array.shape}")


def transition_fd(m, d: Data, eps: float = 1e-3, centered: bool = True, A=None, B=None, C=None, D=None) -> None:
    """Derivatives of the next state and sensors of every world by state and control (``mjd_transitionFD``, batched).

    ``A [nworld, nx, nx]``, ``B [nworld, nx, nu]``, ``C [nworld, nsensordata, nx]``, ``D [nworld, nsensordata, nu]`` with ``nx = 2 nv + na``;
    those that are None are left out. What is needed is allocated with the first call and kept with ``d``.
    Raises StateError for arrays of other shapes.
    """
    key = (id(m), m.version, eps, centered)
    if getattr(d, "_transition_key", None) != key:
        capacity = (d.engine.nconmax, d.engine.njmax)
        object.__setattr__(d, "_transition", Transition(m, d.nworld, eps, centered, capacity))
        object.__setattr__(d, "_transition_key", key)
    d._transition.run(d, A, B, C, D)
