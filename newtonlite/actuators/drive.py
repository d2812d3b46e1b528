"""Drive base class: every drive computes an effort from targets and coordinates."""

from dataclasses import dataclass
from typing import Any, ClassVar

import warp as wp

from newtonlite.core.errors import ModelError


class DriveBase:
    """A law of efforts for a row of joint axes; subclasses define ``resolve_arguments``, ``compute``, ``is_stateful``
    and ``is_graphable``.

    For implicit efforts a drive has a Warp function ``evaluate_force(q, qd, target_q, target_qd, feedforward, params,
    i)`` in float64, whose parameters ``params[i]`` ``bind_params`` packs. ``custom_inputs`` names arrays of the control
    that it reads beside the usual ones.
    """

    @dataclass
    class State:
        """State that a drive keeps from step to step: nothing in the base class."""

        def reset(self, mask: wp.array | None = None) -> None:
            """Reset to the start, for all axes or those in ``mask`` [n]."""

    SHARED_PARAMS: ClassVar[set[str]] = set()
    """Parameters that all axes of an actuator have in common."""
    custom_inputs: tuple[str, ...] = ()
    evaluate_force: ClassVar[Any] = None

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """Parameters of one axis, with defaults; ModelError for those that make no sense."""
        raise NotImplementedError(f"{cls.__name__} does not define resolve_arguments")

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Called once, when an actuator takes the drive."""

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
        """Write the effort [N or N m] of each axis to ``forces`` [n]; ``*_indices`` [n] say where its numbers are."""
        raise NotImplementedError(f"{type(self).__name__} does not define compute")

    def bind_params(self) -> wp.array | None:
        """Parameters [n, k] for ``evaluate_force``; the drive's own arrays become its columns. None: no implicit
        efforts.
        """
        return None

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
        """Refresh the packed parameters before an implicit step."""

    def is_stateful(self) -> bool:
        """Whether there is a state."""
        raise NotImplementedError(f"{type(self).__name__} does not define is_stateful")

    def is_graphable(self) -> bool:
        """Whether ``compute`` may be recorded in a graph."""
        raise NotImplementedError(f"{type(self).__name__} does not define is_graphable")

    def state(self, num_actuators: int, device: Any) -> "DriveBase.State | None":
        """A new state; None where there is none."""
        return None

    def update_state(self, current_state: Any, next_state: Any) -> None:
        """Copy the state that ``compute`` has found into the next state."""


def same_shapes(where: str, **arrays: Any) -> None:
    """ModelError unless all arrays that are given have one shape."""
    shapes = {name: a.shape for name, a in arrays.items() if a is not None}
    if len(set(shapes.values())) > 1:
        raise ModelError(f"{where}: shapes differ, {shapes}; give one number per axis in each")


def not_negative(where: str, **numbers: float) -> None:
    """ModelError for numbers below zero."""
    for name, value in numbers.items():
        if value < 0:
            raise ModelError(f"{where} {name}: {value}; give a number that is not negative")


def bind_columns(owner: Any, pack: wp.array, names: tuple[str, ...]) -> None:
    """Copy arrays into columns of a pack, and make the columns the owner's arrays: writing into one writes into the
    other.
    """
    for k, name in enumerate(names):
        value = getattr(owner, name)
        if value is not None:
            pack[:, k].assign(value)
        setattr(owner, name, pack[:, k])


def check_mask(mask: Any, count: int, device: Any, where: str, of: str = "integral") -> None:
    """ModelError for a mask that is not bool [count] on the device."""
    length = len(mask) if isinstance(mask, wp.array) and mask.ndim == 1 and mask.dtype == wp.bool else count
    if length != count:
        raise ModelError(f"{where}: mask length ({length}) must match {of} length ({count})")
    if not isinstance(mask, wp.array) or mask.dtype != wp.bool or mask.shape != (count,) or mask.device != device:
        raise ModelError(f"{where} mask: give a one-dimensional Boolean array, wp.bool[{count}] on {device}")
