"""MuJoCo's keyframes: coordinates in the order of the file's bodies, spread over the order in which joints were added."""

from dataclasses import dataclass, field

import numpy as np
import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdJoint, UsdSpec, UsdTree
from newtonlite.schema.execute import scene_values
from newtonlite.schema.keyframe import KEY

NAMES = ("qpos", "qvel", "act", "ctrl", "mpos", "mquat")
WIDTHS = {JointType.FREE: (7, 6), JointType.BALL: (4, 3), JointType.FIXED: (0, 0)}


@dataclass(eq=False)
class Key:
    """One keyframe."""

    prim: Prim
    name: str
    time: float = 0.0
    values: dict[str, np.ndarray] = field(default_factory=dict)


def read_keyframes(spec: UsdSpec) -> None:
    """All keyframes, in the order of the stage; one with time samples is as many as it has of them."""
    for prim in spec.walk.of_type("MjcKeyframe"):
        attrs = {name: prim.usd.GetAttribute(f"mjc:{name}") for name in NAMES if f"mjc:{name}" in prim.authored}
        times = sorted({time for attr in attrs.values() for time in attr.GetTimeSamples()})
        if not times:
            spec.keys.append(Key(prim, prim.path, 0.0, {name: prim.numbers(f"mjc:{name}") for name in attrs}))
        for number, time in enumerate(times):
            values = {
                name: np.array(attr.Get(time), float).reshape(-1)
                for name, attr in attrs.items()
                if attr.Get(time) is not None
            }
            spec.keys.append(Key(prim, f"{prim.path}_{number}", float(time), values))
    sizes = [sum(width(joint)[k] for joint in carrying(spec)) for k in (0, 1)]
    for key in spec.keys:
        spec.report.used["keyframe"] += 1
        for name, size in zip(("qpos", "qvel"), sizes, strict=True):
            numbers = key.values.get(name)
            if numbers is not None and (len(numbers) > size or not np.isfinite(numbers).all()):
                raise key.prim.error(
                    f"has {len(numbers)} numbers, finite or not; the stage has {size} coordinates", f"mjc:{name}"
                )


def width(joint: UsdJoint) -> tuple[int, int]:
    """Coordinates and velocities of a joint."""
    return WIDTHS.get(joint.kind, (len(joint.dofs), len(joint.dofs)))


def carrying(spec: UsdSpec) -> list[UsdJoint]:
    """All joints that carry bodies."""
    return [joint for tree in spec.trees for joint in all_of(tree)]


def all_of(tree: UsdTree) -> list[UsdJoint]:
    """The joints of a tree and its base."""
    return ([tree.base] if tree.base is not None else []) + tree.joints


def depth_first(spec: UsdSpec, rank) -> list[UsdJoint]:
    """The joints from the world outwards, those of one body in the order of ``rank``."""
    below: dict[int, list[UsdJoint]] = {}
    for joint in carrying(spec):
        below.setdefault(id(joint.parent), []).append(joint)
    left = sorted(below.get(id(None), []), key=rank, reverse=True)
    found = []
    while left:
        joint = left.pop()
        found.append(joint)
        left += sorted(below.get(id(joint.child), []), key=rank, reverse=True)
    return found


def key_rows(builder, spec: UsdSpec, actuators: int, place: np.ndarray) -> list[dict]:
    """Rows of keyframes; ``actuators`` were in the builder before the stage's, which stands at ``place``."""
    if not spec.keys:
        return []
    written, added = depth_first(spec, lambda j: j.child.order), depth_first(spec, lambda j: j.index)
    dofs = [builder.joint_qd_start[joint.index] for joint in added if width(joint)[1]]
    first = {
        "dof": min(dofs, default=-1),
        "body": min((b.index for b in spec.bodies), default=-1),
        "actuator": actuators if spec.actuators else -1,
        "xform": wp.transform(*place.tolist()),
    }
    rows = []
    for key in spec.keys:
        numbers = {name: spread(found, written, added, NAMES.index(name)) for name, found in key.values.items()}
        values = {"time": key.time} | {name: tuple(found) for name, found in numbers.items() if found is not None}
        rows.append(
            scene_values(KEY, values, name=key.name) | {f"mujoco:key_{name}": value for name, value in first.items()}
        )
    return rows


def spread(numbers: np.ndarray | None, written: list[UsdJoint], added: list[UsdJoint], k: int) -> np.ndarray | None:
    """Numbers of joints in the order they were written, in the order the joints were added."""
    if (
        numbers is None
        or k > 1
        or [id(j) for j in written] == [id(j) for j in added]
        or len(numbers) < sum(width(j)[k] for j in written)
    ):
        return numbers
    parts, at = {}, 0
    for joint in written:
        parts[id(joint)] = numbers[at : at + width(joint)[k]]
        at += width(joint)[k]
    return np.concatenate([parts[id(joint)] for joint in added])
