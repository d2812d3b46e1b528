"""Hinge triples as one ball joint, on request.

The hinges turn about x, y and z of the body, in any order, at one point.  The ball keeps what each has about its own
axis; motors on the hinges turn the ball about their axes; keyframes turn it as the hinges would. Its coordinates and
springs count from where the file puts the body: ``ref`` and ``springref`` are left out.
"""

import warnings
from dataclasses import replace
from typing import Any

from newtonlite.core.enums import TrnType
from newtonlite.core.errors import NewtonWarning, external
from newtonlite.core.mujoco import MjtJoint
from newtonlite.importers.mjcf.spec import Body, Item, Spec, joint_width
from newtonlite.math.quat import ONE, about, conjugate, product, rotate

NEAR = 1e-9
"""Largest component of an axis beside its own, and distance [m] of anchors."""


def merge_hinges(spec: Spec, options: Any) -> None:
    """Make balls of all bodies with three hinges and nothing else; ParseError where one cannot be a ball."""
    if not options.balls:
        return
    merged = {
        id(body): merge(body) for body in spec.bodies if [item["type"] for item in body.joints] == [MjtJoint.HINGE] * 3
    }
    if not merged:
        return
    hinges = {id(hinge): ball for ball in merged.values() for hinge in ball["hinges"]}
    check_uses(spec, hinges)
    for item in spec.actuators:
        ball = hinges.get(id(item["target"]))
        if ball is not None and item["trntype"] in (TrnType.JOINT, TrnType.JOINT_IN_PARENT):
            gear = item.values.get("gear", (1.0,))[0]
            item.values |= {"gear": (*(gear * x for x in item["target"]["axis"]), 0.0, 0.0, 0.0), "target": ball}
    for key in spec.keys:
        move_key(spec, key, merged)
    for body in spec.bodies:
        if id(body) in merged:
            body.joints = [merged[id(body)]]
    spec.joints = [item for body in spec.bodies for item in body.joints]
    for index, item in enumerate(spec.joints):
        item.index = index


def merge(body: Body) -> Item:
    """The ball of three hinges, which it has in ``hinges``, those about x, y and z in this order."""
    order = sorted(body.joints, key=lambda item: main_axis(item))
    for k, item in enumerate(order):
        beside = max(abs(x) for i, x in enumerate(item["axis"]) if i != k)
        if main_axis(item) != k or beside > NEAR:
            raise item.node.error(
                "cannot be part of a ball joint: three hinges that become one turn about x, y and z of the body", "axis"
            )
        if max(abs(a - b) for a, b in zip(item.pos, order[0].pos, strict=True)) > NEAR:
            raise item.node.error("cannot be part of a ball joint: its anchor is not that of the other hinges", "pos")
        if any(item["springdamper"]):
            raise item.node.error("cannot be part of a ball joint: a ball has no springdamper")
        if (item["stiffness"], item.limits["range"]) != (order[0]["stiffness"], order[0].limits["range"]):
            raise item.node.error("cannot be part of a ball joint: the hinges have springs or limits that differ")
    first = body.joints[0]
    if any(order[0]["stiffness"]) and any(item["springref"] != item["ref"] for item in order):
        text = str(first.node.error("the springs of the ball have an identity spring rest orientation, not springref"))
        warnings.warn(text, NewtonWarning, stacklevel=external())
    name = "_".join(item.name for item in body.joints if item.name)
    largest = max(abs(x) for item in order for x in item["range"])
    given = {"type": MjtJoint.BALL, "range": (0.0, largest), "hinges": tuple(order), "ref": 0.0, "springref": 0.0}
    values = first.values | given
    return replace(first, name=name, values=values)


def main_axis(item: Item) -> int:
    """The axis of the body that a hinge is nearest to."""
    return max(range(3), key=lambda i: abs(item["axis"][i]))


def check_uses(spec: Spec, hinges: dict[int, Item]) -> None:
    """ParseError where a tendon, an equality or a sensor speaks of a single hinge."""
    for item in (*spec.tendons, *spec.equalities, *spec.sensors):
        things = [step[1] for step in item.values.get("path", ())] + list(item.values.get("ends", ()))
        things += [end[1] for end in (item.values.get("obj"), item.values.get("ref")) if isinstance(end, tuple)]
        for thing in things:
            if id(thing) in hinges:
                raise item.node.error(
                    f"speaks of the hinge '{thing.name}', which becomes part of a ball joint; remove it, or leave convert_3d_hinge_to_ball_joints off"
                )


def move_key(spec: Spec, key: Item, merged: dict[int, Item]) -> None:
    """Coordinates and speeds of a keyframe, those of three hinges as those of their ball."""
    qpos, qvel = list(key.values.get("qpos") or ()), list(key.values.get("qvel") or ())
    places, speeds, at, dof = [], [], 0, 0
    for body in spec.bodies:
        wide, fast = (sum(joint_width(item["type"])[i] for item in body.joints) for i in (0, 1))
        angles, rates = qpos[at : at + wide], qvel[dof : dof + fast]
        if id(body) in merged:
            angles = angles or [item["ref"] for item in body.joints]
            turns = [about(item["axis"], q - item["ref"]) for item, q in zip(body.joints, angles, strict=True)]
            angles = [*product(product(turns[0], turns[1]), turns[2])] if qpos else []
            rates = spin(body, turns, rates) if qvel else []
        places, speeds, at, dof = places + angles, speeds + rates, at + wide, dof + fast
    key.values |= {"qpos": tuple(places), "qvel": tuple(speeds)}


def spin(body: Body, turns: list, rates: list[float]) -> list[float]:
    """Angular velocity in the body's frame of three hinges that turn at these rates."""
    total, after = [0.0] * 3, ONE
    for item, angle, rate in reversed(list(zip(body.joints, turns, rates, strict=True))):
        seen = rotate(conjugate(after), item["axis"])
        total = [x + rate * y for x, y in zip(total, seen, strict=True)]
        after = product(angle, after)
    return total
