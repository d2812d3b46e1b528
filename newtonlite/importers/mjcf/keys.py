"""Keyframes of a model whose joints change in the import."""

from dataclasses import dataclass
from typing import Any

from newtonlite.core.enums import JointType
from newtonlite.importers.mjcf.relations import rest
from newtonlite.importers.mjcf.spec import Spec, joint_width

WIDTHS = {JointType.BALL: (4, 3), JointType.FREE: (7, 6), JointType.FIXED: (0, 0)}


@dataclass
class Slot:
    """The place of a joint in a keyframe."""

    key: int
    width: int
    speeds: int
    start: list[float]
    """Coordinates where a keyframe does not say any."""


def slots(
    spec: Spec, own: dict[int, dict[str, Any]] | None = None, starts: dict[int, list[float]] | None = None
) -> list[Slot]:
    """The places of all joints, in order: those of the file, and those that the caller gives (``add_joint`` arguments
    by id of body).
    """
    found = []
    for body in spec.bodies:
        for item in body.joints:
            found.append(Slot(id(item), *joint_width(item["type"]), (starts or {}).get(id(item)) or rest(item)))
        if own and id(body) in own:
            found.append(own_slot(id(body), own[id(body)]))
    return found


def own_slot(key: int, joint: dict[str, Any]) -> Slot:
    """The place of a joint in Newton's words; it starts at zero."""
    axes = len(joint.get("linear_axes") or ()) + len(joint.get("angular_axes") or ())
    width, speeds = WIDTHS.get(JointType(joint["joint_type"]), (axes, axes))
    return Slot(key, width, speeds, [0.0] * (width - 4) + [1.0, 0.0, 0.0, 0.0] if width > speeds else [0.0] * width)


def move_keys(spec: Spec, before: list[Slot], after: list[Slot]) -> None:
    """Spread the coordinates and speeds of every keyframe anew; joints that it says nothing of start where the file
    puts them.
    """
    if [slot.key for slot in before] == [slot.key for slot in after]:
        return
    for item in spec.keys:
        for name, width in (("qpos", "width"), ("qvel", "speeds")):
            numbers = tuple(item.values.get(name) or ())
            if numbers:
                item.values[name] = spread(numbers, before, after, width)


def spread(numbers: tuple[float, ...], before: list[Slot], after: list[Slot], width: str) -> tuple[float, ...]:
    """Numbers of the places before, in the places after."""
    known, at = {}, 0
    for slot in before:
        n = getattr(slot, width)
        if at + n <= len(numbers):
            known[slot.key] = numbers[at : at + n]
        at += n
    out: list[float] = []
    for slot in after:
        start = slot.start if width == "width" else [0.0] * slot.speeds
        out += known.get(slot.key, start)
    return tuple(out)
