"""Keyframes as rows of the namespace, also of a model whose joints change in the import, or that is placed elsewhere."""

from dataclasses import dataclass
from typing import Any

from newtonlite.core.enums import JointType
from newtonlite.core.mujoco import MjtJoint
from newtonlite.importers.mjcf.frame import chain
from newtonlite.importers.mjcf.key_numbers import rest
from newtonlite.importers.mjcf.spec import Item, Spec, joint_width
from newtonlite.math.quat import ONE, Vec, product, rotate
from newtonlite.schema.convert import text_of

SPLIT = " ; "
"""Between the numbers of joints and those of tendons."""
WIDTHS = {JointType.BALL: (4, 3), JointType.FREE: (7, 6), JointType.FIXED: (0, 0)}


@dataclass
class Slot:
    """The place of a joint in a keyframe."""

    key: int
    width: int
    speeds: int
    start: list[float]
    """Coordinates where a keyframe does not say any."""
    rests: int = 0
    """Numbers of its spring that yields."""


def slots(
    spec: Spec, own: dict[int, dict[str, Any]] | None = None, starts: dict[int, list[float]] | None = None
) -> list[Slot]:
    """The places of all joints, in order: those of the file, and those that the caller gives (``add_joint`` arguments
    by id of body).
    """
    found = []
    for body in spec.bodies:
        for item in body.joints:
            start = (starts or {}).get(id(item)) or rest(item)
            found.append(Slot(id(item), *joint_width(item["type"]), start, rests_of(item)))
        if own and id(body) in own:
            found.append(own_slot(id(body), own[id(body)]))
    return found + [Slot(id(item), 0, 0, [], 2) for item in spec.tendons if yields(item)]


def yields(item) -> bool:
    """Whether the spring of a joint or tendon yields."""
    return (item.values.get("springyield") or 0.0) > 0.0


def rests_of(joint) -> int:
    """Numbers of a joint's spring in ``plastic``."""
    return 0 if not yields(joint) else 4 if joint["type"] == MjtJoint.BALL else 1


def plastic_joints(spec: Spec) -> int:
    """Numbers of all joints in ``plastic``, which come before those of tendons."""
    return sum(rests_of(joint) for joint in spec.joints)


def place_keys(spec: Spec, options: Any) -> None:
    """Move the floating and mocap bodies of keyframes with the file's world to where the caller puts it."""
    move_world(spec, options.pos, options.quat)


def move_world(spec: Spec, pos: Vec, quat: Vec) -> None:
    """Put floating and mocap bodies of all keyframes where the file's world is placed, with their velocities."""
    mocaps = sum(bool(body.values.get("mocap")) for body in spec.bodies)
    for item in spec.keys:
        for name, width in (("qpos", 0), ("qvel", 1)):
            numbers, at = list(item.values.get(name) or ()), 0
            for joint in spec.joints if numbers else ():
                end = at + joint_width(joint["type"])[width]
                if joint["type"] == MjtJoint.FREE and end <= len(numbers):
                    numbers[at:end] = moved_key(pos, quat, numbers[at:end])
                at = end
            item.values[name] = tuple(numbers)
        for name, width in (("mpos", 3), ("mquat", 4)):
            numbers = list(item.values.get(name) or ())
            for at in range(0, min(len(numbers) // width, mocaps) * width, width):
                part = tuple(numbers[at : at + width])
                numbers[at : at + width] = chain(pos, quat, part, ONE)[0] if width == 3 else product(quat, part)
            item.values[name] = tuple(numbers)


def moved_key(pos: Vec, quat: Vec, numbers: list[float]) -> list[float]:
    """Pose (7 numbers) or velocity (linear in the world, angular in the body) of a floating body, placed elsewhere."""
    if len(numbers) == 6:
        return [*rotate(quat, tuple(numbers[:3])), *numbers[3:]]
    return [x for part in chain(pos, quat, tuple(numbers[:3]), tuple(numbers[3:])) for x in part]


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
        for name, width in (("qpos", "width"), ("qvel", "speeds"), ("plastic", "rests")):
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
        start = {"width": slot.start, "speeds": [0.0] * slot.speeds}
        if slot.key not in known and width == "rests" and slot.rests:
            break  # the rest is as in the file
        out += known.get(slot.key, start.get(width, []))
    return tuple(out)


def key_row(spec: Spec, item: Item) -> dict:
    """A keyframe, its numbers as text; the rest poses of joints and of tendons are apart."""
    plastic, joints = item.values.get("plastic") or (), plastic_joints(spec)
    parts = [text_of(part) for part in (plastic[:joints], plastic[joints:]) if part]
    return item.bound() | {"mujoco:key_plastic": SPLIT.join(parts)}


def of_keys(spec: Spec, built, actuators: int, tendons: int) -> dict:
    """The first dof, body, actuator and tendon of the file: those its keyframes begin with."""
    bodies = [index for key, index in built.body.items() if key != id(spec.world)]
    first = {"dof": min(built.dof.values(), default=-1), "body": min(bodies, default=-1)}
    return first | {"actuator": actuators if spec.actuators else -1, "tendon": tendons if spec.tendons else -1}
