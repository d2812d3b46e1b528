"""Joints: types, ends, frames, axes; those of MuJoCo's equalities are distinguished."""

import math

import numpy as np

from newtonlite.core.constants import UNLIMITED
from newtonlite.core.enums import JointType
from newtonlite.importers.usd.dofs import ENDLESS, DofReader
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import Dof, UsdBody, UsdJoint, UsdSpec
from newtonlite.math.transform import IDENTITY, inverse, multiply

KINDS = {
    "PhysicsFixedJoint": JointType.FIXED,
    "PhysicsRevoluteJoint": JointType.REVOLUTE,
    "PhysicsPrismaticJoint": JointType.PRISMATIC,
    "PhysicsSphericalJoint": JointType.BALL,
    "PhysicsJoint": JointType.D6,
}
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
SIX = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
EQUALITIES = ("MjcEqualityConnectAPI", "MjcEqualityWeldAPI")


class End:
    """One side of a joint: the body, None for the world, and the joint's frame on it."""

    __slots__ = ("body", "frame", "path", "plain")

    def __init__(self, body: UsdBody | None, frame: np.ndarray, path: str, plain: bool):
        self.body, self.frame, self.path = body, frame, path
        self.plain = plain
        """Whether the file says nothing of this side: no target and no pose."""


def read_joints(spec: UsdSpec, reader: DofReader, enabled_only: bool) -> None:
    """All joints of the stage, in order; ParseError for what connects nothing."""
    for prim in spec.walk.prims:
        if not prim.tag.endswith("Joint") or not prim.tag.startswith("Physics"):
            continue
        if prim.tag == "PhysicsDistanceJoint":
            continue
        if prim.tag not in KINDS:
            spec.report.unsupported(
                prim.error(f"joints of type {prim.tag} are not supported; use one of {', '.join(KINDS)}")
            )
            continue
        if any(prim.has(api) for api in EQUALITIES):
            continue
        enabled = prim.flag("physics:jointEnabled", True)
        if enabled_only and not enabled:
            spec.report.ignore(prim, "is switched off", "physics:jointEnabled")
            continue
        joint = read_joint(spec, prim, reader)
        if joint is not None:
            joint.enabled = enabled
            spec.report.used["joint"] += 1
            spec.resolvers.collect(prim)
            spec.joints.append(joint)
            spec.joint_at[prim.path] = joint


def read_joint(spec: UsdSpec, prim: Prim, reader: DofReader) -> UsdJoint | None:
    """One joint; None for one between what is left out, or between the world and itself."""
    ends = [read_end(spec, prim, side) for side in (0, 1)]
    if any(end is None for end in ends):
        return None
    one, two = ends
    if one.body is None and two.body is None:
        spec.report.unsupported(
            prim.error("connects no body; name at least one in physics:body0 or physics:body1", "physics:body0")
        )
        return None
    if one.body is two.body:
        raise prim.error(f"connects <{one.body.path}> with itself; name two bodies", "physics:body1")
    joint = UsdJoint(
        prim,
        KINDS[prim.tag],
        one.body,
        two.body,
        one.frame,
        two.frame,
        collides=prim.flag("physics:collisionEnabled", False),
    )
    joint.excluded = prim.flag("physics:excludeFromArticulation", False)
    for name in ("physics:breakForce", "physics:breakTorque"):
        value = prim.number(name)
        if value is not None and value < ENDLESS:
            spec.report.ignore(prim, "joints do not break", name)
    read_axes(spec, joint, reader)
    if two.body is None:
        turn_over(joint)
        one, two = two, one
    if joint.parent is None:
        joint.grounded = not one.plain
    return joint


def read_end(spec: UsdSpec, prim: Prim, side: int) -> End | None:
    """A side of a joint; None where its body is one that the caller leaves out."""
    name = f"physics:body{side}"
    targets = prim.targets(name)
    if len(targets) > 1:
        raise prim.error(f"names {len(targets)} bodies; give one", name)
    position = prim.numbers(f"physics:localPos{side}", 3)
    turn = prim.turn(f"physics:localRot{side}")
    local = IDENTITY.copy()
    if turn is not None:
        local[3:] = turn
    place = np.zeros(3) if position is None else position
    if not targets:
        local[:3] = spec.walk.base[:3, :3] @ place
        same = np.allclose(local[:3], 0.0, atol=1e-6) and abs(local[6]) > 1.0 - 1e-6
        return End(None, local, "", same)
    path = targets[0]
    if spec.walk.ignored(path):
        spec.report.ignore(prim, "connects what the caller leaves out", name)
        return None
    target = spec.walk.find(path)
    if target is None:
        raise prim.error(f"there is no prim <{path}>", name)
    body = spec.body_of(target)
    pose, rest = target.frame()
    local[:3] = rest @ place
    frame = multiply(pose, local)
    return End(body, frame if body is None else multiply(inverse(body.pose), frame), path, False)


def read_axes(spec: UsdSpec, joint: UsdJoint, reader: DofReader) -> None:
    """The degrees of freedom, and what a joint without motion becomes."""
    prim = joint.prim
    if joint.kind in (JointType.REVOLUTE, JointType.PRISMATIC):
        turns = joint.kind is JointType.REVOLUTE
        band = prim.number("physics:lowerLimit", -math.inf), prim.number("physics:upperLimit", math.inf)
        dof = reader.read(prim, AXES[letter(prim)], turns, "angular" if turns else "linear", band)
        if dof.lower >= dof.upper:
            spec.report.convert(prim, "its limits leave no room; it is a fixed joint", "physics:lowerLimit")
            joint.kind = JointType.FIXED
            return
        joint.dofs = [dof]
    elif joint.kind is JointType.BALL:
        joint.dofs = [ball_dof(prim, reader, k) for k in range(3)]
    elif joint.kind is JointType.D6:
        joint.dofs = free_axes(spec, prim, reader)
        if not joint.dofs:
            joint.kind = JointType.FIXED


def letter(prim: Prim) -> str:
    """The axis of a joint."""
    word = prim.word("physics:axis", "X")
    if word not in AXES:
        raise prim.error(f"unknown axis '{word}'; use X, Y or Z", "physics:axis")
    return word


def ball_dof(prim: Prim, reader: DofReader, k: int) -> Dof:
    """One of the three axes of a ball; its cone, if it has one, stands on the first."""
    cones = [prim.number(f"physics:coneAngle{i}Limit", -1.0) for i in (0, 1)]
    cones = [c for c in cones if 0 <= c < ENDLESS]
    dof = reader.read(prim, np.eye(3)[k], True, "angular", (-math.inf, math.inf))
    dof.ball = True
    if cones and k == 0:
        dof.lower, dof.upper = 0.0, min(cones) * math.pi / 180.0
    return dof


def free_axes(spec: UsdSpec, prim: Prim, reader: DofReader) -> list[Dof]:
    """Axes of a general joint: those that no limit locks, linear ones first. Limits are those that are authored, also where
    their schema is not applied.
    """
    limited = prim.instances("PhysicsLimitAPI")
    found = []
    for name in SIX:
        band = (-math.inf, math.inf)
        low, high = (f"limit:{name}:physics:{end}" for end in ("low", "high"))
        if name in limited or low in prim.authored or high in prim.authored:
            spec.followed.add((prim.path, "limit", name))
            band = prim.number(low, -math.inf), prim.number(high, math.inf)
            if band[0] >= band[1]:
                continue
        found.append(reader.read(prim, AXES[name[-1]], name.startswith("rot"), name, band))
    return found


def read_free(spec: UsdSpec, reader: DofReader) -> None:
    """The axes of free joints that were made up, where their body says MuJoCo's attributes of joints."""
    for tree in spec.trees:
        root = tree.root.prim
        if tree.base is not None and tree.base.kind is JointType.FREE and root.has("MjcJointAPI"):
            band = (-math.inf, math.inf)
            tree.base.dofs = [reader.read(root, AXES[name[-1]], name.startswith("rot"), name, band) for name in SIX]


def turn_over(joint: UsdJoint) -> None:
    """Exchange parent and child; the axes point the other way, so that coordinates, limits and drives stay."""
    linear = [d for d in joint.dofs if not d.turns]
    angular = [d for d in joint.dofs if d.turns]
    if joint.kind is JointType.D6 and linear and angular:
        raise joint.prim.error("moves and turns from child to parent; exchange physics:body0 and physics:body1")
    joint.parent, joint.child = joint.child, joint.parent
    joint.X_p, joint.X_c = joint.X_c, joint.X_p
    if joint.kind is not JointType.BALL:
        for dof in joint.dofs:
            dof.axis = -dof.axis
    if joint.kind is JointType.D6:
        joint.dofs = linear[::-1] + angular[::-1]


def unlimited(dof: Dof) -> bool:
    """Whether an axis has no limit."""
    return dof.lower <= -UNLIMITED and dof.upper >= UNLIMITED
