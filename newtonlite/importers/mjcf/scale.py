"""Scaling of a model: all lengths times a factor, before masses are known.

What has a density weighs as its new size says; a mass that is given stays, and its inertia grows with the square.
Margins and gaps grow, and ranges of controls that are positions or speeds of slides.  Angles stay, and so do gains,
forces and other ranges of controls.  Tendons over joints keep their lengths.
"""

from dataclasses import replace

from newtonlite.core.enums import TrnType
from newtonlite.core.mujoco import MjtGeom, MjtJoint
from newtonlite.importers.mjcf.shapes import USED
from newtonlite.importers.mjcf.spec import Item, Spec, joint_width


def scale_lengths(spec: Spec, meshes, factor: float) -> None:
    """Multiply every length of a composed model by a factor, which is positive."""
    if factor == 1.0:
        return
    meshes.scale = factor
    grow = lambda numbers: tuple(factor * x for x in numbers)
    for body in spec.bodies[1:]:
        body.pos = grow(body.pos)
        if body.inertial is not None:
            scale_inertial(body.inertial, factor)
    for item in spec.geoms + spec.sites:
        used = 3 if item["type"] == MjtGeom.PLANE else USED[item["type"]]
        item.pos, item.values["size"] = grow(item.pos), (*grow(item["size"][:used]), *item["size"][used:])
    for item in spec.geoms + spec.pairs:
        item.values |= {name: factor * item[name] for name in ("margin", "gap")}
    for item in spec.cameras:
        item.pos = grow(item.pos)
    for item in spec.lights:
        item.values["pos"], item.place = grow(item["pos"]), replace(item.place, pos=grow(item.place.pos))
    for item in spec.joints:
        item.pos = grow(item.pos)
        if item["type"] == MjtJoint.SLIDE:
            item.values |= {
                "range": grow(item["range"]),
                "ref": factor * item["ref"],
                "springref": factor * item["springref"],
            }
            item.values["margin"] = factor * item["margin"]
    for item in spec.tendons:
        scale_tendon(item, factor)
    for item in spec.flexes:
        scale_flex(item, factor)
    for item in spec.equalities:
        scale_equality(item, factor)
    for item in spec.actuators:
        scale_actuator(item, factor)
    for item in spec.keys:
        scale_key(spec, item, factor)
    for name in {"extent", "center", "meansize"} & set(spec.document.statistic):
        value = spec.document.statistic[name]
        spec.document.statistic[name] = grow(value) if isinstance(value, tuple) else factor * value


def scale_inertial(item: Item, factor: float) -> None:
    """Place and moments of an inertia that is given; its mass stays."""
    item.pos = tuple(factor * x for x in item.pos)
    for name in {"diaginertia", "fullinertia"} & set(item.values):
        item.values[name] = tuple(factor**2 * x for x in item[name])


def scale_flex(item: Item, factor: float) -> None:
    """Points and nodes, radius, thickness and section of a soft body, margin and gap of its contacts."""
    item.values |= {name: factor * item[name] for name in ("points", "node_points", "radius")}
    for _, part in item["parts"]:
        for name in {"thickness", "sectionsize", "margin", "gap"} & set(part):
            value = part[name]
            part[name] = tuple(factor * x for x in value) if isinstance(value, tuple) else factor * value


def scale_tendon(item: Item, factor: float) -> None:
    """A string gets longer; a sum of joint coordinates stays what it is."""
    if item.node.tag == "fixed":
        item.values["path"] = [
            (what, joint, value / factor if joint["type"] == MjtJoint.SLIDE else value)
            for what, joint, value in item["path"]
        ]
        return
    for name in ("range", "springlength"):
        item.values[name] = tuple(x if name == "springlength" and x == -1 else factor * x for x in item[name])
    if "width" in item.values:
        item.values["width"] *= factor


def is_length(thing: Item | None) -> bool:
    """Whether a joint or tendon is measured in metres."""
    return thing is not None and (
        thing.node.tag == "spatial" or (thing.node.tag == "joint" and thing["type"] == MjtJoint.SLIDE)
    )


def scale_equality(item: Item, factor: float) -> None:
    """Anchors, relative poses, and polynomials between coordinates."""
    if item.values.get("anchor") is not None:
        item.values["anchor"] = tuple(factor * x for x in item["anchor"])
    if item.values.get("relpose") is not None:
        item.values["relpose"] = (*(factor * x for x in item["relpose"][:3]), *item["relpose"][3:])
    if item["of"] in ("joint", "tendon"):
        one, two = (factor if is_length(end) else 1.0 for end in item["ends"])
        item.values["polycoef"] = tuple(one * a / two**k for k, a in enumerate(item["polycoef"]))


BANDS = {"position": ("ctrlrange",), "velocity": ("ctrlrange",), "intvelocity": ("ctrlrange", "actrange")}
"""Ranges of servos that are lengths or speeds where they move a slide."""


def is_slide(item: Item) -> bool:
    """Whether an actuator moves a slide."""
    return item["trntype"] in (TrnType.JOINT, TrnType.JOINT_IN_PARENT) and item["target"]["type"] == MjtJoint.SLIDE


def scale_actuator(item: Item, factor: float) -> None:
    """The crank, and the lengths and inherited ranges of what moves in metres."""
    if item["trntype"] == TrnType.SLIDERCRANK:
        item.values["cranklength"] = factor * item["cranklength"]
    long = (
        item["trntype"] == TrnType.SLIDERCRANK
        or (item["trntype"] == TrnType.TENDON and item["target"].node.tag == "spatial")
        or is_length(item["target"])
    )
    inherited = (
        ("ctrlrange", "actrange")
        if item.values.get("inheritrange")
        else BANDS.get(item.node.tag, ())
        if is_slide(item)
        else ()
    )
    for name in ("lengthrange", *inherited) if long else ():
        if item.values.get(name):
            item.values[name] = tuple(factor * x for x in item[name])


def scale_key(spec: Spec, item: Item, factor: float) -> None:
    """Positions and speeds of what slides or floats, and of mocap bodies."""
    for name, width in (("qpos", 0), ("qvel", 1)):
        numbers, at = list(item.values.get(name) or ()), 0
        for joint in spec.joints if numbers else ():
            count = {MjtJoint.FREE: 3, MjtJoint.SLIDE: 1}.get(joint["type"], 0)
            numbers[at : at + count] = [factor * x for x in numbers[at : at + count]]
            at += joint_width(joint["type"])[width]
        item.values[name] = tuple(numbers)
    if item.values.get("mpos"):
        item.values["mpos"] = tuple(factor * x for x in item["mpos"])
