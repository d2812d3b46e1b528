"""Equalities: MuJoCo's connects and welds, and joints that follow others (Newton's, PhysX's and MuJoCo's)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonlite.core.mujoco import MjtEq, MjtObj
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.dofs import RADIAN
from newtonlite.importers.usd.flexes import UsdFlex
from newtonlite.importers.usd.joints import EQUALITIES, End, read_end
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import UsdJoint, UsdShape, UsdSpec
from newtonlite.importers.usd.tendons import Tendon
from newtonlite.math.transform import inverse, multiply, quat_rotate
from newtonlite.schema.equality import EQUALITY
from newtonlite.schema.execute import scene_values

TENDONS = "NewtonTendonEquality"
"""Type of our own for equalities of tendons, which MuJoCo's schema has not."""
FLEXES = "NewtonFlexEquality"
"""Type of our own for equalities of soft bodies."""
ROWS = {
    MjtEq.CONNECT: EQUALITY.child("connect"),
    MjtEq.WELD: EQUALITY.child("weld"),
    MjtEq.JOINT: EQUALITY.child("joint"),
    MjtEq.TENDON: EQUALITY.child("tendon"),
    MjtEq.FLEX: EQUALITY.child("flex"),
    MjtEq.FLEXSTRAIN: EQUALITY.child("flexstrain"),
}


@dataclass(eq=False)
class Equality:
    """One constraint."""

    prim: Prim
    kind: int
    ends: tuple[End, End] | None = None
    sites: tuple[UsdShape, UsdShape] | None = None
    joints: tuple[UsdJoint, UsdJoint | None] | None = None
    tendons: tuple[Tendon, Tendon | None] | None = None
    flex: UsdFlex | None = None
    cell: tuple[int, int, int] = (-1, -1, -1)
    anchor: np.ndarray | None = None
    """Anchor of a weld on the second body, where a site there says it; else it is the joint's."""
    polycoef: tuple[float, ...] = (0.0,) * 5
    enabled: bool = True
    values: dict[str, Any] = field(default_factory=dict)


def read_equalities(spec: UsdSpec, enabled_only: bool = True) -> None:
    """Connects, welds and followers, in the order of the stage."""
    for prim in spec.walk.prims:
        if prim.tag.startswith("Physics") and prim.tag.endswith("Joint"):
            if any(prim.has(api) for api in EQUALITIES):
                if enabled_only and not prim.flag("physics:jointEnabled", True):
                    spec.report.ignore(prim, "is switched off", "physics:jointEnabled")
                    continue
                read_tie(spec, prim)
            else:
                read_follower(spec, prim)
        elif prim.tag == TENDONS:
            read_tendons(spec, prim)
        elif prim.tag == FLEXES:
            read_flex(spec, prim)


def read_tendons(spec: UsdSpec, prim: Prim) -> None:
    """A tendon that follows another, or keeps its length."""
    known = {tendon.prim.path: tendon for tendon in spec.tendons}
    ends = [next((known.get(path) for path in prim.targets(f"newton:tendon{k}")), None) for k in (1, 2)]
    if ends[0] is None or (ends[1] is None and prim.targets("newton:tendon2")):
        raise prim.error("has to name tendons that are imported", "newton:tendon1")
    poly = prim.numbers("newton:polycoef", 5)
    if poly is None:
        raise prim.error("needs the five coefficients of its polynomial", "newton:polycoef")
    values = mjc.values(prim, ROWS[MjtEq.TENDON], ("solref", "solimp"), defaults=True)
    spec.report.used["equality"] += 1
    tie = Equality(prim, MjtEq.TENDON, tendons=(ends[0], ends[1]), polycoef=tuple(poly), values=values)
    tie.enabled = prim.flag("newton:enabled", True)
    spec.equalities.append(tie)


def read_flex(spec: UsdSpec, prim: Prim) -> None:
    """A soft body whose edges keep their lengths, or one of its cells its shape."""
    flex = next((f for f in spec.flexes if f.prim.path in prim.targets("newton:flex")), None)
    if flex is None:
        raise prim.error("has to name a soft body that is imported", "newton:flex")
    cell = prim.numbers("newton:cell", 3)
    kind = MjtEq.FLEX if cell is None else MjtEq.FLEXSTRAIN
    element = next(e for e in EQUALITY.children if e.name == kind.name.lower())
    tie = Equality(prim, kind, flex=flex, values=mjc.values(prim, element, ("solref", "solimp"), defaults=True))
    if cell is not None:
        tie.cell = (int(cell[0]), int(cell[1]), int(cell[2]))
    tie.enabled = prim.flag("newton:enabled", True)
    spec.report.used["equality"] += 1
    spec.equalities.append(tie)


def read_tie(spec: UsdSpec, prim: Prim) -> None:
    """A connect or weld of two bodies, or of two sites."""
    kind = MjtEq.WELD if prim.has("MjcEqualityWeldAPI") else MjtEq.CONNECT
    ends = read_end(spec, prim, 0), read_end(spec, prim, 1)
    if any(end is None for end in ends):
        return
    if ends[0].body is None and ends[1].body is None:
        spec.report.unsupported(prim.error("ties the world to itself; name a body", "physics:body0"))
        return
    shapes = tuple(spec.shape_at.get(end.path) for end in ends)
    tie = Equality(prim, kind, ends, enabled=prim.flag("physics:jointEnabled", True))
    if all(shape is not None and shape.site for shape in shapes):
        tie.sites = shapes
    elif ends[1].body is not None and ends[1].path:
        site = spec.walk.find(ends[1].path)
        if site is not None and (site.has("MjcSiteAPI") or site.has("NewtonSiteAPI")):
            tie.anchor = multiply(inverse(ends[1].body.pose), site.frame()[0])[:3]
    tie.values = mjc.values(
        prim, ROWS[kind], ("solref", "solimp") + (("torquescale",) if kind == MjtEq.WELD else ()), defaults=True
    )
    spec.report.used["equality"] += 1
    spec.equalities.append(tie)


def read_follower(spec: UsdSpec, prim: Prim) -> None:
    """A joint that follows another, by whichever schema says so first: Newton's with MuJoCo's, then PhysX's."""
    joint = spec.joint_at.get(prim.path)
    if joint is None:
        return
    if prim.has("NewtonMimicAPI"):
        newton_follower(spec, prim, joint)
        return
    for axis in prim.instances("PhysxMimicJointAPI"):
        start = f"physxMimicJoint:{axis}:"
        leader = leader_of(spec, prim, start + "referenceJoint", joint)
        if leader is None:
            return
        unit = RADIAN if joint.dofs[0].turns else spec.units.length
        gear, offset = prim.finite(start + "gearing", 1.0), prim.finite(start + "offset", 0.0)
        joint.mimic = leader, -offset * unit, -gear
        return


def newton_follower(spec: UsdSpec, prim: Prim, joint: UsdJoint) -> None:
    """``q = coef0 + coef1 q_leader``; with MuJoCo's schema a polynomial with its own softness."""
    mujoco = prim.has("MjcEqualityJointAPI")
    enabled = prim.flag("newton:mimicEnabled", True)
    name = "mjc:target" if mujoco and not prim.targets("newton:mimicJoint") else "newton:mimicJoint"
    if mujoco and not prim.targets(name):
        leader = None
    else:
        leader = leader_of(spec, prim, name, joint)
        if leader is None:
            return
    unit = RADIAN if joint.dofs[0].turns else spec.units.length
    old = "newton:mimicCoef0" not in prim.authored and "mjc:coef0" in prim.authored
    zero = prim.finite("mjc:coef0", 0.0) if old else prim.finite("newton:mimicCoef0", 0.0) * unit
    one = prim.finite("newton:mimicCoef1", prim.finite("mjc:coef1", 1.0))
    if not mujoco:
        if enabled:
            joint.mimic = leader, zero, one
        else:
            spec.report.ignore(prim, "is switched off", "newton:mimicEnabled")
        return
    more = [prim.finite(f"mjc:coef{k}", 0.0) for k in (2, 3, 4)]
    values = mjc.values(prim, ROWS[MjtEq.JOINT], ("solref", "solimp"), defaults=True)
    spec.report.used["equality"] += 1
    spec.equalities.append(
        Equality(prim, MjtEq.JOINT, joints=(joint, leader), polycoef=(zero, one, *more), enabled=enabled, values=values)
    )


def leader_of(spec: UsdSpec, prim: Prim, name: str, joint: UsdJoint) -> UsdJoint | None:
    """The joint that is followed, None with a warning where there is none; ParseError where it cannot be followed."""
    paths = prim.targets(name)
    if not paths:
        raise prim.error("names no joint to follow", name)
    leader = spec.joint_at.get(paths[0])
    if leader is joint:
        raise prim.error("follows itself", name)
    if leader is None:
        prim.doubt(f"<{paths[0]}> is no joint of the scene; the joint follows none", name)
        return None
    if len(leader.dofs) != 1 or len(joint.dofs) != 1:
        spec.report.unsupported(
            prim.error(
                f"<{prim.path}> cannot follow <{paths[0]}>: only hinges and slides that move follow each other", name
            )
        )
        return None
    return leader


def equality_row(tie: Equality, place: np.ndarray, tendons: dict[int, int], flexes: dict[int, int]) -> dict:
    """The row of the ``mujoco`` namespace; ``place`` is the pose of the stage in the scene, ``tendons`` and ``flexes`` have
    the rows of tendons and soft bodies.
    """
    row: dict[str, Any] = {"type": tie.kind, "label": tie.prim.path, "enabled": tie.enabled}
    if tie.kind == MjtEq.TENDON:
        row |= {"objtype": MjtObj.TENDON, "polycoef": tie.polycoef}
        row |= {f"tendon{k}": tendons[id(end)] for k, end in enumerate(tie.tendons, 1) if end is not None}
    elif tie.flex is not None:
        row |= {"objtype": MjtObj.FLEX, "flex": flexes[id(tie.flex)], "cell": tie.cell}
    elif tie.kind == MjtEq.JOINT:
        row["objtype"], row["polycoef"] = MjtObj.JOINT, tie.polycoef
        for k, joint in enumerate(tie.joints, 1):
            if joint is not None:
                row |= {f"joint{k}": joint.place, f"joint{k}_dof": joint.dofs[0].index}
    elif tie.sites is not None:
        row |= {"objtype": MjtObj.SITE, "site1": tie.sites[0].index, "site2": tie.sites[1].index}
    else:
        row["objtype"] = MjtObj.BODY
        one, two = (multiply(place, end.frame) if end.body is None else end.frame for end in tie.ends)
        row |= {f"body{k}": -1 if end.body is None else end.body.index for k, end in enumerate(tie.ends, 1)}
        row["anchor"] = tuple(one[:3])
        if tie.kind == MjtEq.WELD:
            anchor = two[:3] if tie.anchor is None else tie.anchor
            relative = multiply(one, inverse(two))
            row["anchor"] = tuple(anchor)
            row["relpose"] = (*(relative[:3] + quat_rotate(relative[3:], anchor)), *relative[3:])
    named = {f"mujoco:equality_constraint_{name}": value for name, value in row.items()}
    return scene_values(ROWS[tie.kind], tie.values) | named
