"""An actuator: delayed targets, a drive, limits, and efforts that are added to a control."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, make_dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonlite.actuators.clamping import ClampingBase
from newtonlite.actuators.delay import Delay
from newtonlite.actuators.drive import DriveBase
from newtonlite.actuators.implicit import ImplicitEfforts, ImplicitOptions
from newtonlite.actuators.response import JointSpaceResponse
from newtonlite.core.enums import AttributeAssignment, AttributeFrequency
from newtonlite.core.errors import ModelError, StateError, WrongTypeError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, enable_backward=True)


@wp.kernel
def add_efforts(applied: wp.array[float], where: wp.array[wp.uint32], total: wp.array[float]):
    """``total[where] += applied``."""
    i = wp.tid()
    wp.atomic_add(total, int(where[i]), applied[i])


class Actuator:
    """Drives the axes ``indices`` [n] (uint32, rows of ``joint_qd``): targets of a control, coordinates of a state,
    efforts added to the control.

    ``pos_indices`` are rows of ``joint_q``, ``target_pos_indices`` of ``joint_target_q``, ``effort_indices`` of the
    efforts; by default each is the one before it. ``*_attr`` name the arrays of state and control. Efforts are those of
    the present state, or, after ``set_effort_mode_implicit``, of the state at the end of the step. Clear ``joint_f``
    before the first actuator of a step.
    """

    ImplicitOptions = ImplicitOptions

    @dataclass
    class State:
        """State of the actuator: the states of its delay and its drive."""

        delay_state: Delay.State | None = None
        drive_state: DriveBase.State | None = None

        def reset(self, mask: wp.array | None = None) -> None:
            """Reset to the start, for all axes or those in ``mask`` [n]."""
            for state in (self.delay_state, self.drive_state):
                if state is not None:
                    state.reset(mask)

        def assign(self, other: "Actuator.State") -> None:
            """Copy another state's arrays into these. StateError where they do not hold the same."""
            assign_part(self.delay_state, other.delay_state, "delay_state")
            assign_part(self.drive_state, other.drive_state, "drive_state")

    def __init__(
        self,
        indices: wp.array,
        drive: DriveBase | None = None,
        delay: Delay | None = None,
        clamping: list[ClampingBase] | None = None,
        pos_indices: wp.array | None = None,
        target_pos_indices: wp.array | None = None,
        effort_indices: wp.array | None = None,
        state_pos_attr: str = "joint_q",
        state_vel_attr: str = "joint_qd",
        control_target_pos_attr: str | None = "joint_target_q",
        control_target_vel_attr: str | None = "joint_target_qd",
        control_feedforward_attr: str | None = "joint_act",
        control_output_attr: str = "joint_f",
        control_computed_output_attr: str | None = None,
        requires_grad: bool = False,
    ):
        if drive is None:
            raise WrongTypeError("Actuator: drive is missing; give a DrivePD or another drive")
        self.indices = indices
        self.pos_indices = indices if pos_indices is None else pos_indices
        self.target_pos_indices = self.pos_indices if target_pos_indices is None else target_pos_indices
        self.effort_indices = indices if effort_indices is None else effort_indices
        for name in ("pos_indices", "target_pos_indices", "effort_indices"):
            if getattr(self, name).shape != indices.shape:
                raise ModelError(
                    f"Actuator {name}: shape {getattr(self, name).shape}; give one for each of the {indices.shape[0]} indices"
                )
        self.drive, self.delay, self.clamping = drive, delay, list(clamping or [])
        self.num_actuators, self.device, self.requires_grad = len(indices), indices.device, requires_grad
        self.state_pos_attr, self.state_vel_attr = state_pos_attr, state_vel_attr
        self.control_target_pos_attr = control_target_pos_attr or "joint_target_q"
        self.control_target_vel_attr = control_target_vel_attr or "joint_target_qd"
        self.control_feedforward_attr, self.control_output_attr = control_feedforward_attr, control_output_attr
        self.control_computed_output_attr = control_computed_output_attr
        self._rows = wp.array(np.arange(self.num_actuators, dtype=np.uint32), device=self.device)
        self._computed, self._applied = (
            wp.zeros(self.num_actuators, dtype=float, device=self.device, requires_grad=requires_grad) for _ in range(2)
        )
        drive.finalize(self.device, self.num_actuators)
        if delay is not None:
            delay.finalize(self.device, self.num_actuators, requires_grad)
        for clamp in self.clamping:
            clamp.finalize(self.device, self.num_actuators)
        self._implicit: ImplicitEfforts | None = None

    def set_effort_mode_implicit(self, response: JointSpaceResponse, options: ImplicitOptions | None = None) -> None:
        """Efforts of the state at the end of the step from now on; refresh ``response`` once before each step.

        NotImplementedError for actuators with gradients, and for drives and limits that have no implicit form.
        """
        if self.requires_grad:
            raise NotImplementedError("Actuator: implicit efforts have no gradients; make it with requires_grad=False")
        if self.drive.custom_inputs and type(self.drive).prepare_implicit is DriveBase.prepare_implicit:
            raise NotImplementedError(
                f"{type(self.drive).__name__}: implicit efforts would not see its custom inputs; define prepare_implicit"
            )
        self._implicit = ImplicitEfforts(self.drive, self.clamping, response, options, self.indices)

    def set_effort_mode_explicit(self) -> None:
        """Efforts of the present state from now on, as at first."""
        self._implicit = None

    def is_stateful(self) -> bool:
        """Whether delay or drive remember anything."""
        return self.delay is not None or self.drive.is_stateful()

    def is_graphable(self) -> bool:
        """Whether ``step`` may be recorded in a graph."""
        return self.drive.is_graphable()

    def state(self) -> "Actuator.State | None":
        """A new state; None where nothing is remembered."""
        if not self.is_stateful():
            return None
        made = Actuator.State()
        if self.delay is not None:
            made.delay_state = self.delay.state(self.num_actuators, self.device)
        if self.drive.is_stateful():
            made.drive_state = self.drive.state(self.num_actuators, self.device)
        return made

    def sim_state(self) -> Any:
        """An empty holder of what is read from states; assign arrays to its fields."""
        return holder("sim_state", (self.state_pos_attr, self.state_vel_attr))()

    def sim_control(self) -> Any:
        """An empty holder of what is read from and written to controls; assign arrays to its fields."""
        names = (
            self.control_target_pos_attr,
            self.control_target_vel_attr,
            self.control_feedforward_attr,
            self.control_output_attr,
            self.control_computed_output_attr,
            *self.drive.custom_inputs,
        )
        return holder("sim_control", tuple(dict.fromkeys(name for name in names if name)))()

    def register_custom_attributes(self, builder: Any) -> None:
        """Declare the drive's custom inputs on a builder, as arrays of the control, one number per dof."""
        for name in self.drive.custom_inputs:
            declared = builder.CustomAttribute(
                name=name,
                dtype=wp.float32,
                frequency=AttributeFrequency.JOINT_DOF,
                assignment=AttributeAssignment.CONTROL,
                default=0.0,
            )
            builder.add_custom_attribute(declared)

    def step(
        self,
        sim_state: Any,
        sim_control: Any,
        current_act_state: "Actuator.State | None" = None,
        next_act_state: "Actuator.State | None" = None,
        dt: float | None = None,
        *,
        bias_force: wp.array | None = None,
    ) -> None:
        """Add this step's efforts to the control, and write what is remembered into ``next_act_state``.

        ``bias_force`` [joint_dof_count] is what the joints need to hold still, for implicit efforts. StateError where
        arrays or states are missing.
        """
        if self.is_stateful() and (current_act_state is None or next_act_state is None):
            raise StateError("Actuator.step: remembers from step to step; pass two states, actuator.state()")
        inputs = self._read(sim_state, sim_control)
        indices = (self.pos_indices, self.indices, self.target_pos_indices, self.indices)
        now = dict(inputs)
        if self.delay is not None:
            commands = (inputs["target_q"], inputs["target_qd"], inputs["feedforward"])
            delayed = self.delay.get_delayed_targets(
                *commands, self.target_pos_indices, self.indices, current_act_state.delay_state
            )
            now |= dict(zip(("target_q", "target_qd", "feedforward"), delayed, strict=True))
            indices = (self.pos_indices, self.indices, self._rows, self._rows)
        custom = {name: read_attribute(sim_control, name, None) for name in self.drive.custom_inputs}
        state = current_act_state.drive_state if current_act_state else None
        if self._implicit is not None:
            efforts = self._implicit.compute(
                now, indices, self._computed, self._applied, state, dt, custom, bias_force, sim_state
            )
        else:
            efforts = self._explicit(now, indices, state, dt, custom)
        self._write(sim_control, efforts)
        if self.drive.is_stateful():
            self.drive.update_state(current_act_state.drive_state, next_act_state.drive_state)
        if self.delay is not None:
            where = (self.target_pos_indices, self.indices, current_act_state.delay_state, next_act_state.delay_state)
            self.delay.update_state(inputs["target_q"], inputs["target_qd"], inputs["feedforward"], *where)

    def _read(self, sim_state: Any, sim_control: Any) -> dict:
        """Arrays of state and control; feed-forward may be missing."""
        found = {"q": needed(sim_state, self.state_pos_attr), "qd": needed(sim_state, self.state_vel_attr)}
        found |= {
            "target_q": needed(sim_control, self.control_target_pos_attr),
            "target_qd": needed(sim_control, self.control_target_vel_attr),
        }
        forward = self.control_feedforward_attr
        return found | {"feedforward": read_attribute(sim_control, forward, None) if forward else None}

    def _explicit(self, now: dict, indices: tuple, state: Any, dt: Any, custom: dict) -> wp.array:
        """Efforts of the present state."""
        arrays = [now[k] for k in ("q", "qd", "target_q", "target_qd", "feedforward")]
        more = {"custom_inputs": custom} if self.drive.custom_inputs else {}
        self.drive.compute(*arrays, *indices, self._computed, state, dt, device=self.device, **more)
        efforts = self._computed
        for clamp in self.clamping:
            clamp.modify_forces(
                efforts, self._applied, now["q"], now["qd"], self.pos_indices, self.indices, device=self.device
            )
            efforts = self._applied
        return efforts

    def _write(self, sim_control: Any, efforts: wp.array) -> None:
        """Add efforts to the control, and those before the limits where they are asked for."""
        out, before = self.control_output_attr, self.control_computed_output_attr
        wp.launch(
            add_efforts,
            self.num_actuators,
            [efforts, self.effort_indices],
            [needed(sim_control, out)],
            device=self.device,
        )
        if before is not None and before != out:
            wp.launch(
                add_efforts,
                self.num_actuators,
                [self._computed, self.effort_indices],
                [needed(sim_control, before)],
                device=self.device,
            )


_ABSENT = object()


def read_attribute(source: Any, name: str, default: Any = _ABSENT) -> Any:
    """An attribute of an object, or an entry of a mapping."""
    value = source.get(name, default) if isinstance(source, Mapping) else getattr(source, name, default)
    if value is _ABSENT:
        raise AttributeError(f"{type(source).__name__} has no attribute '{name}'")
    return value


def needed(source: Any, name: str) -> Any:
    """An array that has to be there."""
    value = read_attribute(source, name)
    if value is None:
        raise StateError(f"'{name}' is None; assign an array before stepping the actuator")
    return value


@functools.cache
def holder(name: str, names: tuple[str, ...]) -> type:
    """A class with just these fields, None at first."""
    return make_dataclass(name, [(field, Any, None) for field in names], slots=True)


def assign_part(target: Any, source: Any, name: str) -> None:
    """Copy one part of an actuator's state, array by array."""
    if target is None and source is None:
        return
    if target is None or source is None:
        raise StateError(f"Actuator.State.assign: only one of the two has a {name}")
    if type(target) is not type(source):
        raise StateError(f"Actuator.State.assign {name}: {type(source).__name__} for {type(target).__name__}")
    if hasattr(target, "assign"):
        target.assign(source)
        return
    if not is_dataclass(target) or "__dataclass_fields__" not in vars(type(target)):
        raise NotImplementedError(f"{type(target).__qualname__}: must be decorated with @dataclass or implement assign")
    declared = [field.name for field in fields(target)]
    loose = ({*vars(target), *vars(source)}) - set(declared)
    if loose:
        raise StateError(
            f"Actuator.State.assign {name}: {', '.join(sorted(loose))} undeclared; make them fields of the dataclass"
        )
    for field in declared:
        _assign_value(getattr(target, field), getattr(source, field), f"{name}.{field}")


def _assign_value(target: Any, source: Any, name: str) -> None:
    if target is None and source is None:
        return
    if not (isinstance(target, wp.array) and isinstance(source, wp.array)):
        raise StateError(
            f"Actuator.State.assign {name}: {type(source).__name__} for {type(target).__name__}; both have to be Warp arrays"
        )
    target.assign(source)
