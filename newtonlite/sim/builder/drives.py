"""The builder's method for actuators outside the solver, which become the model's ``actuators``."""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.doors import open_door
from newtonlite.core.errors import NewtonWarning, WrongTypeError


@dataclass
class ActuatorEntry:
    """Axes that one actuator drives: their rows, and parameters of each; what they share is in ``*_shared_kwargs``."""

    drive_class: Any
    clamping_classes: tuple
    clamping_shared_kwargs: tuple
    drive_shared_kwargs: dict
    indices: list[int] = field(default_factory=list)
    pos_indices: list[int] = field(default_factory=list)
    drive_args: list[dict] = field(default_factory=list)
    delay_args: list[dict] = field(default_factory=list)
    clamping_args: list[list[dict]] = field(default_factory=list)

    def empty(self) -> "ActuatorEntry":
        """The same kinds without axes."""
        return ActuatorEntry(
            self.drive_class, self.clamping_classes, self.clamping_shared_kwargs, self.drive_shared_kwargs
        )


class DriveMethods:
    """Adding drives of single axes; those of one kind become one actuator."""

    ActuatorEntry = ActuatorEntry

    def add_actuator(
        self,
        drive_class: Any = None,
        index: int | None = None,
        clamping: list[tuple[Any, dict[str, Any]]] | None = None,
        delay_steps: int | None = None,
        pos_index: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Drive an axis, row ``index`` of ``joint_qd`` and ``pos_index`` of ``joint_q`` (the same by default).

        ``kwargs`` are parameters of the ``drive_class``, such as ``kp``; ``clamping`` lists limits with theirs. Axes of
        the same kinds and shared parameters become one ``Actuator`` in ``model.actuators``. WrongTypeError where class
        or index are missing.
        """
        if drive_class is None or index is None:
            raise WrongTypeError(
                "add_actuator: drive_class and index are needed; give newtonlite.actuators.DrivePD and a row of joint_qd"
            )
        drive, shared = split_shared(drive_class, kwargs)
        ignored = sorted(set(kwargs) - drive.keys() - shared.keys())
        if ignored:
            text = f"add_actuator: {drive_class.__name__} has no parameter {', '.join(ignored)} (unrecognized, ignored)"
            warnings.warn(text, NewtonWarning, stacklevel=2)
        limits = [(kind, *split_shared(kind, given)) for kind, given in clamping or []]
        key = (
            drive_class,
            delay_steps is not None,
            tuple((kind, frozen(common)) for kind, _, common in limits),
            frozen(shared),
        )
        entry = self.actuator_entries.setdefault(
            key,
            ActuatorEntry(
                drive_class, tuple(kind for kind, _, _ in limits), tuple(common for _, _, common in limits), shared
            ),
        )
        entry.indices.append(int(index))
        entry.pos_indices.append(int(index if pos_index is None else pos_index))
        entry.drive_args.append(drive)
        entry.clamping_args.append([own for _, own, _ in limits])
        if delay_steps is not None:
            entry.delay_args.append({"delay_steps": delay_steps})
        self.clock.now += 1

    def _take_drives(self, builder: Any, copies: int) -> None:
        """The drives of copies of another builder, which are about to be added."""
        for k in range(copies):
            dof, coord = (
                self.joint_dof_count + k * builder.joint_dof_count,
                self.joint_coord_count + k * builder.joint_coord_count,
            )
            for key, source in builder.actuator_entries.items():
                entry = self.actuator_entries.setdefault(key, source.empty())
                entry.indices += [i + dof for i in source.indices]
                entry.pos_indices += [i + coord for i in source.pos_indices]
                for name in ("drive_args", "delay_args", "clamping_args"):
                    getattr(entry, name).extend(getattr(source, name))

    def _make_drives(self, model: Any, grad: bool) -> None:
        """The model's actuators, and the arrays of its control that they ask for."""
        if not self.actuator_entries:
            return
        Actuator, Delay = open_door("Actuator"), open_door("Delay")

        def numbers(args: list[dict]) -> dict:
            return {
                name: wp.array([float(one[name]) for one in args], dtype=wp.float32, device=model.device)
                for name in (args[0] if args else ())
            }

        for entry in self.actuator_entries.values():
            rows = lambda values: wp.array(np.array(values, np.uint32), dtype=wp.uint32, device=model.device)
            limits = [
                kind(**numbers([one[k] for one in entry.clamping_args]), **shared)
                for k, (kind, shared) in enumerate(
                    zip(entry.clamping_classes, entry.clamping_shared_kwargs, strict=True)
                )
            ]
            steps = [Delay.resolve_arguments(one)["delay_steps"] for one in entry.delay_args]
            delay = Delay(wp.array(steps, dtype=int, device=model.device), max(1, *steps, 1)) if steps else None
            drive = entry.drive_class(**numbers(entry.drive_args), **entry.drive_shared_kwargs)
            made = Actuator(
                rows(entry.indices), drive, delay, limits, pos_indices=rows(entry.pos_indices), requires_grad=grad
            )
            made.register_custom_attributes(self)
            model.actuators.append(made)


def split_shared(kind: Any, given: dict) -> tuple[dict, dict]:
    """Parameters of an axis, and those that all axes share."""
    found = kind.resolve_arguments(given)
    common = getattr(kind, "SHARED_PARAMS", set())
    return {k: v for k, v in found.items() if k not in common}, {k: v for k, v in found.items() if k in common}


def frozen(values: dict) -> tuple:
    """Parameters as something that can be a key."""
    return tuple(sorted((k, tuple(v) if isinstance(v, list) else v) for k, v in values.items()))
