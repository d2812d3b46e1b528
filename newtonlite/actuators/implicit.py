"""Implicit efforts: the drive's law and its limits at the end of the step, solved with the response of the joints.

The impulse ``p`` of the axes of an articulation solves ``p = h f(q + h v, v)`` with ``v = qd + A (p - h b)``: ``f`` the
limited law, ``A`` the inverse inertia, ``b`` forces that the joints need to hold still. Newton's method with steps
halved until the residual falls, in float64.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import warp as wp

from newtonlite.actuators.drive import DriveBase
from newtonlite.actuators.response import JointSpaceResponse
from newtonlite.core.enums import JointType
from newtonlite.core.errors import ModelError, WrongTypeError
from newtonlite.core.kernel_module import adopted, kernel_module
from newtonlite.sim.articulation_struct import ArticulationStruct, articulation_struct, base_frame, floats

kernel_module(__name__)


@dataclass
class ImplicitOptions:
    """Options of the implicit solve.

    ``residual_tol`` and ``update_tol`` [N s or N m s] end the iterations, of which there are ``max_iters`` at most;
    ``fd_epsilon`` is the step of differences, relative to speed; pivots are at least ``derivative_floor``;
    ``ls_iterations`` lengths are tried per iteration.
    """

    class WarmStart(str, Enum):
        """Initial guess of the iterations: the explicit impulse, or zero."""

        EXPLICIT = "explicit"
        ZERO = "zero"

    max_iters: int = 8
    residual_tol: float = 1.0e-5
    update_tol: float = 1.0e-5
    fd_epsilon: float = 1.0e-4
    derivative_floor: float = 1.0e-8
    warm_start: WarmStart = WarmStart.EXPLICIT
    ls_iterations: int = 8

    def check(self) -> None:
        """ModelError for what makes no sense."""
        try:
            self.warm_start = self.WarmStart(self.warm_start)
        except ValueError:
            raise ModelError(
                f"warm_start: {self.warm_start!r}; give one of {[w.value for w in self.WarmStart]}"
            ) from None
        if self.fd_epsilon <= 0:
            raise ModelError(f"fd_epsilon: {self.fd_epsilon}; give a positive number")
        if self.ls_iterations < 0:
            raise ModelError(f"ls_iterations: {self.ls_iterations}; give a number that is not negative")


@wp.struct
class Axes:
    """The driven axes of articulations: how many each group has, whose it is, and for each axis its slot of the
    actuator and its local dof.
    """

    size: wp.array[int]
    articulation: wp.array[int]
    slot: wp.array2d[int]
    local: wp.array2d[int]


@wp.struct
class Given:
    """Inputs of a step: coordinates, targets, indices of each slot into them, and parameters of law and limits."""

    q: wp.array[float]
    qd: wp.array[float]
    target_q: wp.array[float]
    target_qd: wp.array[float]
    feedforward: wp.array[float]
    iq: wp.array[wp.uint32]
    iqd: wp.array[wp.uint32]
    itq: wp.array[wp.uint32]
    itqd: wp.array[wp.uint32]
    drift: wp.array[wp.float64]
    params: wp.array2d[float]
    limits: wp.array2d[float]
    h: wp.float64


@wp.kernel
def drift_kernel(
    t: ArticulationStruct,
    inverse: wp.array3d[float],
    bias: wp.array[float],
    body_q: wp.array[wp.transform],
    articulation: wp.array[int],
    local: wp.array[int],
    h: float,
    drift: wp.array[wp.float64],
):
    """``-h (A b)`` of each slot; wrenches on free joints are turned from the world to the joint's parent frame."""
    i = wp.tid()
    a = articulation[i]
    first = t.joint_qd_start[t.articulation_start[a]]
    total = wp.float64(0.0)
    for joint in range(t.articulation_start[a], t.articulation_end[a]):
        at = t.joint_qd_start[joint]
        turn = wp.quat_identity()
        if floats(t.joint_type[joint]):
            turn = wp.transform_get_rotation(base_frame(t, body_q, joint))
            for half in range(2):
                f = wp.quat_rotate_inv(
                    turn, wp.vec3(bias[at + 3 * half], bias[at + 3 * half + 1], bias[at + 3 * half + 2])
                )
                for k in range(3):
                    total += wp.float64(inverse[a, local[i], at + 3 * half + k - first]) * wp.float64(f[k])
        else:
            for j in range(at, t.joint_qd_start[joint + 1]):
                total += wp.float64(inverse[a, local[i], j - first]) * wp.float64(bias[j])
    drift[i] = -wp.float64(h) * total


@wp.kernel
def own_response(inverse: wp.array3d[float], articulation: wp.array[int], local: wp.array[int], out: wp.array[float]):
    """Diagonal of the response, slot by slot."""
    i = wp.tid()
    out[i] = inverse[articulation[i], local[i], local[i]]


@wp.func
def speed_after(x: Axes, d: Given, inverse: wp.array3d[float], p: wp.array2d[wp.float64], g: int, i: int) -> wp.float64:
    """``v = qd + drift + A p`` of an axis."""
    slot = x.slot[g, i]
    v = wp.float64(d.qd[d.iqd[slot]])
    if d.drift:
        v += d.drift[slot]
    for j in range(x.size[g]):
        v += wp.float64(inverse[x.articulation[g], x.local[g, i], x.local[g, j]]) * p[g, j]
    return v


_kernels: dict = {}


def solver(law: Any, limits: tuple) -> wp.Kernel:
    """The kernel that solves a law with limits (function, first column of its parameters); the same one for the same
    functions.
    """
    if (law, limits) not in _kernels:
        _kernels[law, limits] = _make_solver(law, _chained(limits))
    return _kernels[law, limits]


def _chained(limits: tuple):
    """All limits as one function, in order."""

    @wp.func
    def unlimited(value: wp.float64, q: wp.float64, qd: wp.float64, params: wp.array2d[float], i: int) -> wp.float64:
        return value

    chain = unlimited
    for function, base in limits:
        chain = _link(chain, function, base)
    return chain


def _link(inner, function, base: int):
    @wp.func
    def limited(value: wp.float64, q: wp.float64, qd: wp.float64, params: wp.array2d[float], i: int) -> wp.float64:
        return function(inner(value, q, qd, params, i), q, qd, params, i, wp.static(base))

    return limited


def _make_solver(law, chain) -> wp.Kernel:
    @wp.func
    def raw(d: Given, slot: int, q: wp.float64, v: wp.float64) -> wp.float64:
        """The law at a state."""
        forward = wp.float64(0.0)
        if d.feedforward:
            forward = wp.float64(d.feedforward[d.itqd[slot]])
        return law(
            q, v, wp.float64(d.target_q[d.itq[slot]]), wp.float64(d.target_qd[d.itqd[slot]]), forward, d.params, slot
        )

    @wp.func
    def effort(d: Given, slot: int, q: wp.float64, v: wp.float64) -> wp.float64:
        """The limited law at a state."""
        return chain(raw(d, slot, q, v), q, v, d.limits, slot)

    @wp.func
    def residual(
        x: Axes, d: Given, inverse: wp.array3d[float], p: wp.array2d[wp.float64], g: int, r: wp.array2d[wp.float64]
    ) -> wp.float64:
        """``p - h f`` of all axes into ``r``; its square."""
        total = wp.float64(0.0)
        for i in range(x.size[g]):
            v = speed_after(x, d, inverse, p, g, i)
            slot = x.slot[g, i]
            r[g, i] = p[g, i] - d.h * effort(d, slot, wp.float64(d.q[d.iq[slot]]) + d.h * v, v)
            total += r[g, i] * r[g, i]
        return total

    @wp.kernel(enable_backward=False, module="unique")
    def solve(
        x: Axes,
        d: Given,
        inverse: wp.array3d[float],
        iterations: int,
        tries: int,
        residual_tol: wp.float64,
        update_tol: wp.float64,
        epsilon: wp.float64,
        least: wp.float64,
        from_zero: bool,
        p: wp.array2d[wp.float64],
        r: wp.array2d[wp.float64],
        trial: wp.array2d[wp.float64],
        work: wp.array2d[wp.float64],
        jacobian: wp.array3d[wp.float64],
        computed: wp.array[float],
        applied: wp.array[float],
    ):
        g = wp.tid()
        n = x.size[g]
        a = x.articulation[g]
        for i in range(n):
            p[g, i] = wp.float64(0.0)
            if not from_zero:
                slot = x.slot[g, i]
                p[g, i] = d.h * effort(d, slot, wp.float64(d.q[d.iq[slot]]), wp.float64(d.qd[d.iqd[slot]]))
        for it in range(iterations):
            square = residual(x, d, inverse, p, g, r)
            if it > 0 and square < residual_tol * residual_tol:
                break
            for i in range(n):  # J = 1 - h s A, s the slope of the law along v (and h v)
                v = speed_after(x, d, inverse, p, g, i)
                slot = x.slot[g, i]
                q = wp.float64(d.q[d.iq[slot]]) + d.h * v
                e = epsilon * (wp.float64(1.0) + wp.abs(v))
                slope = (effort(d, slot, q + d.h * e, v + e) - effort(d, slot, q, v)) / e
                for j in range(n):
                    jacobian[g, i, j] = -d.h * slope * wp.float64(inverse[a, x.local[g, i], x.local[g, j]])
                jacobian[g, i, i] = jacobian[g, i, i] + wp.float64(1.0)
                r[g, i] = -r[g, i]
            for k in range(n):
                pivot = jacobian[g, k, k]
                if wp.abs(pivot) < least:
                    pivot = wp.where(pivot < wp.float64(0.0), -least, least)
                    jacobian[g, k, k] = pivot
                for i in range(k + 1, n):
                    share = jacobian[g, i, k] / pivot
                    for j in range(k, n):
                        jacobian[g, i, j] = jacobian[g, i, j] - share * jacobian[g, k, j]
                    r[g, i] = r[g, i] - share * r[g, k]
            for back in range(n):
                i = n - 1 - back
                total = r[g, i]
                for j in range(i + 1, n):
                    total -= jacobian[g, i, j] * r[g, j]
                r[g, i] = total / jacobian[g, i, i]
            length = wp.float64(1.0)
            found = int(0)
            for _try in range(wp.max(tries, 1)):  # the first step is taken whole: laws without limits are linear
                for i in range(n):
                    trial[g, i] = p[g, i] + length * r[g, i]
                if (
                    it == 0
                    or tries == 0
                    or residual(x, d, inverse, trial, g, work)
                    <= (wp.float64(1.0) - wp.float64(1.0e-4) * length) * square
                ):
                    found = 1
                    break
                length *= wp.float64(0.5)
            if found == 0:
                break
            moved = wp.float64(0.0)
            for i in range(n):
                p[g, i] = trial[g, i]
                moved += r[g, i] * r[g, i]
            if moved < update_tol * update_tol:
                break
        for i in range(n):
            v = speed_after(x, d, inverse, p, g, i)
            slot = x.slot[g, i]
            q = wp.float64(d.q[d.iq[slot]]) + d.h * v
            computed[slot] = float(raw(d, slot, q, v))
            applied[slot] = float(chain(p[g, i] / d.h, q, v, d.limits, slot))

    adopted(solve.module)
    return solve


class ImplicitEfforts:
    """The implicit way to compute an actuator's efforts."""

    def __init__(
        self, drive: DriveBase, clamping: list, response: Any, options: ImplicitOptions | None, indices: wp.array
    ):
        self.options = options or ImplicitOptions()
        self.options.check()
        if not isinstance(response, JointSpaceResponse):
            raise ModelError(f"response: {type(response).__name__}; give a newtonlite.actuators.JointSpaceResponse")
        self.drive, self.clamping, self.response, self.device, self.count = (
            drive,
            clamping,
            response,
            indices.device,
            len(indices),
        )
        params = drive.bind_params() if drive.evaluate_force is not None else None
        if params is None:
            raise NotImplementedError(
                f"{type(drive).__name__}: has no implicit efforts (no evaluate_force, or nothing to bind)"
            )
        self.given = Given()
        self.given.params = params
        self.kernel = solver(type(drive).evaluate_force, self._bind_limits())
        self._group(indices.numpy().astype(int))

    def _bind_limits(self) -> tuple:
        """Parameters of all limits side by side, and where each begins."""
        for clamp in self.clamping:
            if clamp.evaluate_clamp is None:
                raise NotImplementedError(f"{type(clamp).__name__}: has no implicit form (no evaluate_clamp)")
            if getattr(clamp, "bound_to", self.clamping) is not self.clamping:
                raise ModelError(f"{type(clamp).__name__}: is already bound to another actuator; give each its own")
        widths = [clamp.param_width() for clamp in self.clamping]
        starts = np.cumsum([0, *widths]).tolist()
        self.given.limits = wp.zeros((self.count, max(1, starts[-1])), dtype=float, device=self.device)
        for clamp, start, width in zip(self.clamping, starts, widths):
            clamp.bind_params(self.given.limits[:, start : start + width])
            clamp.bound_to = self.clamping
        return tuple((type(clamp).evaluate_clamp, start) for clamp, start in zip(self.clamping, starts))

    def _group(self, dofs: np.ndarray) -> None:
        """Axes by articulation; ModelError for axes that are in none, or whose coordinates are not their own."""
        model = self.response.model
        qd, q = model.joint_qd_start.numpy(), model.joint_q_start.numpy()
        joint = np.searchsorted(qd, dofs, side="right") - 1
        articulation = model.joint_articulation.numpy()[joint]
        if (articulation < 0).any():
            raise ModelError(f"implicit efforts: dof {dofs[articulation < 0][0]} is in no articulation; add it to one")
        wide = (np.diff(qd) != np.diff(q))[joint]
        if wide.any():
            kind = JointType(int(model.joint_type.numpy()[joint[wide][0]])).name
            raise ModelError(
                f"implicit efforts: dof {dofs[wide][0]} belongs to a {kind} joint, which has other coordinates than dofs; drive it explicitly"
            )
        local = dofs - qd[model.articulation_start.numpy()[articulation]]
        groups = [np.flatnonzero(articulation == a) for a in np.unique(articulation)]
        most = max(map(len, groups))
        rows = lambda values: np.array([[*values[g], *[0] * (most - len(g))] for g in groups], np.int32)
        ints = lambda values, **kw: wp.array(np.asarray(values, np.int32), dtype=int, device=self.device, **kw)
        self.axes = Axes()
        self.axes.size, self.axes.articulation = ints(list(map(len, groups))), ints(np.unique(articulation))
        self.axes.slot, self.axes.local = ints(rows(np.arange(len(dofs))), ndim=2), ints(rows(local), ndim=2)
        self.slot_articulation, self.slot_local = ints(articulation), ints(local)
        self.room = [wp.zeros((len(groups), most), dtype=wp.float64, device=self.device) for _ in range(4)]
        self.room.append(wp.zeros((len(groups), most, most), dtype=wp.float64, device=self.device))
        self.drift = wp.zeros(len(dofs), dtype=wp.float64, device=self.device)
        self.own = wp.zeros(len(dofs), dtype=float, device=self.device)

    def compute(
        self,
        arrays: dict,
        indices: tuple,
        computed: wp.array,
        applied: wp.array,
        state: Any,
        dt: Any,
        custom: dict,
        bias: Any,
        sim_state: Any,
    ):
        """Efforts of a step into ``applied`` [n], those of the law alone at its end into ``computed``."""
        if dt is None:
            raise ModelError("implicit efforts: requires dt; pass the step's seconds")
        if dt <= 0:
            raise ModelError(f"implicit efforts: requires dt > 0, got {dt!r}; pass the step's seconds")
        inverse, d = self.response.inverse_blocks, self.given
        d.q, d.qd, d.target_q, d.target_qd, d.feedforward = (
            arrays[k] for k in ("q", "qd", "target_q", "target_qd", "feedforward")
        )
        d.iq, d.iqd, d.itq, d.itqd, d.h = *indices, float(dt)
        self._prepare(arrays, indices, state, float(dt), custom, inverse)
        d.drift = self._drift(bias, sim_state, inverse, float(dt))
        o = self.options
        numbers = [
            o.max_iters,
            o.ls_iterations,
            o.residual_tol,
            o.update_tol,
            o.fd_epsilon,
            o.derivative_floor,
            o.warm_start is o.WarmStart.ZERO,
        ]
        wp.launch(
            self.kernel,
            len(self.axes.size),
            [self.axes, d, inverse, *numbers, *self.room],
            [computed, applied],
            device=self.device,
        )
        return applied

    def _prepare(self, arrays: dict, indices: tuple, state: Any, dt: float, custom: dict, inverse: wp.array) -> None:
        """Let the drive refresh its parameters, where it wants to."""
        if type(self.drive).prepare_implicit is DriveBase.prepare_implicit:
            return
        wp.launch(
            own_response, self.count, [inverse, self.slot_articulation, self.slot_local], [self.own], device=self.device
        )
        inputs = [arrays[k] for k in ("q", "qd", "target_q", "target_qd")]
        more = {"custom_inputs": custom} if self.drive.custom_inputs else {}
        self.drive.prepare_implicit(*inputs, *indices, state, dt, inv_mass=self.own, device=self.device, **more)

    def _drift(self, bias: Any, sim_state: Any, inverse: wp.array, dt: float) -> wp.array | None:
        """Velocities that the bias forces [joint_dof_count] take away; None where there are none."""
        if bias is None:
            return None
        model = self.response.model
        if not isinstance(bias, wp.array):
            raise WrongTypeError(f"bias_force: {type(bias).__name__}; give a Warp array")
        if bias.shape != (model.joint_dof_count,) or bias.dtype != wp.float32 or bias.device != self.device:
            raise ModelError(
                f"bias_force: {bias.dtype.__name__}{bias.shape} on {bias.device}; give float32[joint_dof_count = {model.joint_dof_count}] on {self.device}"
            )
        inputs = [
            articulation_struct(model),
            inverse,
            bias,
            sim_state.body_q,
            self.slot_articulation,
            self.slot_local,
            dt,
        ]
        wp.launch(drift_kernel, self.count, inputs, [self.drift], device=self.device)
        return self.drift
