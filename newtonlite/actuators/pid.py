"""Proportional, integral and derivative drives."""

from dataclasses import dataclass
from typing import Any

import warp as wp

from newtonlite.actuators.drive import DriveBase, bind_columns, check_mask, not_negative, same_shapes
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, enable_backward=True)


@wp.func
def proportional(
    q: wp.float64,
    qd: wp.float64,
    target_q: wp.float64,
    target_qd: wp.float64,
    feedforward: wp.float64,
    params: wp.array2d[float],
    i: int,
) -> wp.float64:
    """``constant + feedforward + kp (target_q - q) + kd (target_qd - qd)``; ``params[i]`` is (kp, kd, constant)."""
    kp, kd, constant = wp.float64(params[i, 0]), wp.float64(params[i, 1]), wp.float64(params[i, 2])
    return constant + feedforward + kp * (target_q - q) + kd * (target_qd - qd)


@wp.kernel
def pd_effort(
    q: wp.array[float],
    qd: wp.array[float],
    target_q: wp.array[float],
    target_qd: wp.array[float],
    feedforward: wp.array[float],
    iq: wp.array[wp.uint32],
    iqd: wp.array[wp.uint32],
    itq: wp.array[wp.uint32],
    itqd: wp.array[wp.uint32],
    kp: wp.array[float],
    kd: wp.array[float],
    constant: wp.array[float],
    effort: wp.array[float],
):
    """An axis per thread."""
    i = wp.tid()
    total = kp[i] * (target_q[itq[i]] - q[iq[i]]) + kd[i] * (target_qd[itqd[i]] - qd[iqd[i]])
    if feedforward:
        total += feedforward[itqd[i]]
    if constant:
        total += constant[i]
    effort[i] = total


@wp.kernel
def integrate(
    q: wp.array[float],
    target_q: wp.array[float],
    iq: wp.array[wp.uint32],
    itq: wp.array[wp.uint32],
    most: wp.array[float],
    dt: float,
    before: wp.array[float],
    integral: wp.array[float],
):
    """Integral of the error, kept within bounds."""
    i = wp.tid()
    integral[i] = wp.clamp(before[i] + (target_q[itq[i]] - q[iq[i]]) * dt, -most[i], most[i])


@wp.kernel
def add_integral(ki: wp.array[float], integral: wp.array[float], effort: wp.array[float]):
    """``effort += ki integral``."""
    i = wp.tid()
    effort[i] = effort[i] + ki[i] * integral[i]


@wp.kernel
def pack_constant(constant: wp.array[float], ki: wp.array[float], integral: wp.array[float], params: wp.array2d[float]):
    """The constant of a step: its own and ``ki integral``."""
    i = wp.tid()
    total = ki[i] * integral[i]
    if constant:
        total += constant[i]
    params[i, 2] = total


class DrivePD(DriveBase):
    """``effort = const_effort + feedforward + kp (target_q - q) + kd (target_qd - qd)``; gains [N/m or N m/rad], [N s/m
    or N m s/rad].
    """

    evaluate_force = proportional

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """``kp``, ``kd`` and ``const_effort`` of one axis, 0 by default."""
        found = {name: args.get(name, 0.0) for name in ("kp", "kd", "const_effort")}
        not_negative(cls.__name__, kp=found["kp"], kd=found["kd"])
        return found

    def __init__(self, kp: wp.array, kd: wp.array, const_effort: wp.array | None = None):
        same_shapes("DrivePD", kp=kp, kd=kd, const_effort=const_effort)
        self.kp, self.kd, self.const_effort = kp, kd, const_effort
        self._pack: wp.array | None = None

    def bind_params(self) -> wp.array:
        """(kp, kd, const_effort) [n, 3]."""
        if self._pack is None:
            self._pack = wp.zeros((len(self.kp), 3), dtype=float, device=self.kp.device)
            bind_columns(self, self._pack, ("kp", "kd", "const_effort"))
        return self._pack

    def is_stateful(self) -> bool:
        return False

    def is_graphable(self) -> bool:
        return True

    def compute(
        self,
        positions,
        velocities,
        target_pos,
        target_vel,
        feedforward,
        pos_indices,
        vel_indices,
        target_pos_indices,
        target_vel_indices,
        forces,
        state,
        dt,
        device=None,
        *,
        custom_inputs: dict | None = None,
    ) -> None:
        """Write the efforts [n]."""
        inputs = [
            positions,
            velocities,
            target_pos,
            target_vel,
            feedforward,
            pos_indices,
            vel_indices,
            target_pos_indices,
            target_vel_indices,
        ]
        wp.launch(pd_effort, len(forces), [*inputs, self.kp, self.kd, self.const_effort], [forces], device=device)


@wp.kernel
def clear_masked(mask: wp.array[wp.bool], values: wp.array[float]):
    """Zero where the mask is true."""
    i = wp.tid()
    if mask[i]:
        values[i] = 0.0


class DrivePID(DrivePD):
    """A PD drive and ``ki`` times the integral of the error, kept within ``integral_max`` [m s or rad s]."""

    @dataclass
    class State(DriveBase.State):
        """``integral`` [n] of the error."""

        integral: wp.array | None = None

        def reset(self, mask: wp.array | None = None) -> None:
            """Reset the integral to 0, for all axes or those in ``mask`` [n]."""
            if mask is None:
                self.integral.zero_()
                return
            check_mask(mask, len(self.integral), self.integral.device, "DrivePID.State.reset")
            wp.launch(clear_masked, len(mask), [mask], [self.integral], device=self.integral.device)

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """Arguments of a PD drive, and ``ki`` and ``integral_max`` (none by default)."""
        found = super().resolve_arguments(args)
        found |= {"ki": args.get("ki", 0.0), "integral_max": args.get("integral_max", float("inf"))}
        not_negative(cls.__name__, ki=found["ki"], integral_max=found["integral_max"])
        return {name: found[name] for name in ("kp", "ki", "kd", "integral_max", "const_effort")}

    def __init__(
        self, kp: wp.array, ki: wp.array, kd: wp.array, integral_max: wp.array, const_effort: wp.array | None = None
    ):
        super().__init__(kp, kd, const_effort)
        same_shapes("DrivePID", kp=kp, ki=ki, integral_max=integral_max)
        self.ki, self.integral_max, self._integral = ki, integral_max, None

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Allocate the integral that a step computes."""
        self._integral = wp.zeros(num_actuators, dtype=float, device=device)

    def bind_params(self) -> wp.array:
        """(kp, kd, constant of the step) [n, 3]; ``const_effort`` stays an array of its own."""
        if self._pack is None:
            self._pack = wp.zeros((len(self.kp), 3), dtype=float, device=self.kp.device)
            bind_columns(self, self._pack, ("kp", "kd"))
        return self._pack

    def is_stateful(self) -> bool:
        return True

    def state(self, num_actuators: int, device: Any) -> "DrivePID.State":
        """Integrals that are 0."""
        return DrivePID.State(integral=wp.zeros(num_actuators, dtype=float, device=device))

    def update_state(self, current_state: Any, next_state: Any) -> None:
        """The integral of the last step."""
        wp.copy(next_state.integral, self._integral)

    def _integrate(self, positions, target_pos, pos_indices, target_pos_indices, state, dt, device) -> None:
        inputs = [positions, target_pos, pos_indices, target_pos_indices, self.integral_max, float(dt), state.integral]
        wp.launch(integrate, len(self._integral), inputs, [self._integral], device=device)

    def compute(
        self,
        positions,
        velocities,
        target_pos,
        target_vel,
        feedforward,
        pos_indices,
        vel_indices,
        target_pos_indices,
        target_vel_indices,
        forces,
        state,
        dt,
        device=None,
        *,
        custom_inputs: dict | None = None,
    ) -> None:
        where = (pos_indices, vel_indices, target_pos_indices, target_vel_indices)
        super().compute(positions, velocities, target_pos, target_vel, feedforward, *where, forces, state, dt, device)
        self._integrate(positions, target_pos, pos_indices, target_pos_indices, state, dt, device)
        wp.launch(add_integral, len(forces), [self.ki, self._integral], [forces], device=device)

    def prepare_implicit(
        self,
        positions,
        velocities,
        target_pos,
        target_vel,
        pos_indices,
        vel_indices,
        target_pos_indices,
        target_vel_indices,
        drive_state,
        dt,
        inv_mass=None,
        device=None,
        *,
        custom_inputs: dict | None = None,
    ) -> None:
        """The integral at the beginning of the step becomes part of the constant."""
        self._integrate(positions, target_pos, pos_indices, target_pos_indices, drive_state, dt, device)
        wp.launch(
            pack_constant,
            len(self._integral),
            [self.const_effort, self.ki, self._integral],
            [self.bind_params()],
            device=device,
        )
