"""Numbers of keyframes: checked against the model's sizes, and spread over its places for those of attached models."""

from newtonlite.core.mujoco import MjtJoint
from newtonlite.importers.mjcf.actuators import activations, controls
from newtonlite.importers.mjcf.spec import Item, Spec, joint_width
from newtonlite.math.quat import ONE, unit_tuple


def resolve_keys(spec: Spec) -> None:
    """Numbers of keyframes, all of them, in the model's order; those of attached models fill their own places."""
    sizes = {
        "qpos": sum(joint_width(j["type"])[0] for j in spec.joints),
        "qvel": sum(joint_width(j["type"])[1] for j in spec.joints),
        "ctrl": sum(map(controls, spec.actuators)),
    }
    for item in spec.keys:
        if item.place.document is not spec.document:
            item.values |= dict.fromkeys(
                ("qpos", "qvel", "act", "ctrl", "mpos", "mquat", "plastic"), ()
            ) | attached_numbers(spec, item)
            continue
        for name, size in sizes.items():
            got = len(item.values.get(name) or ())
            if got > size:
                raise item.node.error(f"has {got} numbers; the model has {size}", name)
        normalize(spec, item)


def normalize(spec: Spec, item: Item) -> None:
    """Quaternions of a keyframe at length one; zero ones become no rotation."""
    qpos: list[float] = list(item.values.get("qpos") or ())
    at = 0
    for joint in spec.joints if qpos else ():
        width = joint_width(joint["type"])[0]
        if joint["type"] in (MjtJoint.FREE, MjtJoint.BALL) and at + width <= len(qpos):
            end = at + width
            qpos[end - 4 : end] = unit_tuple(tuple(qpos[end - 4 : end])) or ONE
        at += width
    item.values["qpos"] = tuple(qpos)


def attached_numbers(spec: Spec, item: Item) -> dict:
    """The numbers of an attached model's keyframe, spread over the model's own places; those of others are as in the
    file. Numbers that do not fit its own things are left out.
    """
    mine = lambda thing: (
        thing.place.document is item.place.document
        and (thing.place.prefix, thing.place.suffix) == (item.place.prefix, item.place.suffix)
    )
    out = {}
    for name, places in key_places(spec).items():
        numbers, at = tuple(item.values.get(name) or ()), 0
        own = [start for thing, start in places if mine(thing)]
        if not numbers or len(numbers) > sum(map(len, own)):
            continue
        numbers += tuple(x for start in own for x in start)[len(numbers) :]
        values: list[float] = []
        for thing, start in places:
            values += numbers[at : at + len(start)] if mine(thing) else start
            at += len(start) * mine(thing)
        out[name] = tuple(values)
    return out


def key_places(spec: Spec) -> dict[str, list]:
    """For each list of a keyframe: the things that have numbers in it, in order, with those that they start from."""
    joints = [(j, rest(j), [0.0] * joint_width(j["type"])[1]) for j in spec.joints]
    mocaps = [body for body in spec.bodies if body.values.get("mocap")]
    return {
        "qpos": [(joint, start) for joint, start, _ in joints],
        "qvel": [(joint, still) for joint, _, still in joints],
        "act": [(actuator, [0.0] * activations(actuator)) for actuator in spec.actuators],
        "ctrl": [(actuator, [0.0] * controls(actuator)) for actuator in spec.actuators],
        "mpos": [(body, list(body.pos)) for body in mocaps],
        "mquat": [(body, list(body.quat)) for body in mocaps],
    }


def rest(joint: Item) -> list[float]:
    """Coordinates of a joint in the pose of the file."""
    if joint["type"] == MjtJoint.FREE and joint.body is not None:
        return [*joint.body.pos, *joint.body.quat]
    return [1.0, 0.0, 0.0, 0.0] if joint["type"] == MjtJoint.BALL else [joint["ref"]]
