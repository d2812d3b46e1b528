"""MuJoCo's tendons: weighted sums of joints, and strings over sites and geoms."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType, TendonWrap
from newtonlite.core.errors import ParseError
from newtonlite.core.mujoco import MjtLimited
from newtonlite.importers.usd import mjc
from newtonlite.importers.usd.joints import read_end
from newtonlite.importers.usd.prims import Prim
from newtonlite.importers.usd.spec import Dof, UsdJoint, UsdShape, UsdSpec
from newtonlite.schema.execute import scene_values
from newtonlite.schema.tendon import SPATIAL

WRAPPED = (GeoType.SPHERE, GeoType.CYLINDER)
LONG = 1.0e6
"""Length [m] that no tendon reaches."""


@dataclass(eq=False)
class Tendon:
    """One tendon: ``path`` is (joint, dof, weight) for fixed ones, (kind, shape, side site or divisor) for spatial
    ones.
    """

    prim: Prim
    fixed: bool
    path: list[tuple[Any, Any, Any]] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)


def read_tendons(spec: UsdSpec) -> None:
    """All tendons, in the order of the stage; those whose path leads nowhere are refused, or left out where the caller
    allows it.
    """
    for prim in spec.walk.of_type("MjcTendon"):
        word = prim.word("mjc:type", "spatial")
        if word not in ("fixed", "spatial"):
            raise prim.error(f"unknown type '{word}'; use fixed or spatial", "mjc:type")
        tendon = Tendon(prim, word == "fixed")
        try:
            tendon.path = fixed_path(spec, prim) if tendon.fixed else spatial_path(spec, prim)
        except ParseError as problem:
            spec.report.unsupported(problem)
            continue
        tendon.values = mjc.values(prim, SPATIAL, defaults=True)
        set_limits_and_dead_band(tendon)
        spec.report.used["tendon"] += 1
        spec.tendons.append(tendon)


def read_distances(spec: UsdSpec, enabled_only: bool) -> None:
    """Distance joints as tendons between two sites, which limits hold."""
    for prim in spec.walk.of_type("PhysicsDistanceJoint"):
        if enabled_only and not prim.flag("physics:jointEnabled", True):
            spec.report.ignore(prim, "is switched off", "physics:jointEnabled")
            continue
        ends = read_end(spec, prim, 0), read_end(spec, prim, 1)
        if any(end is None for end in ends):
            continue
        low, high = (prim.number(f"physics:{name}Distance", -1.0) * spec.units.length for name in ("min", "max"))
        if low < 0 and high < 0:
            spec.report.ignore(prim, "has no distance to keep", "physics:maxDistance")
            continue
        tendon = Tendon(prim, False)
        for number, end in enumerate(ends):
            shape = UsdShape(
                prim,
                GeoType.SPHERE,
                end.body,
                end.frame,
                np.full(3, 0.005),
                site=True,
                visible=False,
                label=f"{prim.path}_end{number}",
            )
            spec.shapes.append(shape)
            tendon.path.append((TendonWrap.SITE, shape, None))
        tendon.values = mjc.values(prim, SPATIAL, defaults=True)
        tendon.values |= {"range": (max(low, 0.0), high if 0 <= high < LONG else LONG), "limited": 1}
        set_limits_and_dead_band(tendon)
        spec.report.used["distance joint"] += 1
        spec.tendons.append(tendon)


def set_limits_and_dead_band(tendon: Tendon) -> None:
    """Whether ranges count, and the dead band of the spring."""
    values = tendon.values
    for name, band in (("limited", "range"), ("actuatorfrclimited", "actuatorfrcrange")):
        low, high = values[band]
        if values[name] == 1 and not low < high:
            tendon.prim.walk.report.convert(tendon.prim, "is limited to no range; it has no limit", f"mjc:{name}")
        values[name] = int(low < high) if values[name] in (1, MjtLimited.AUTO) else 0
    low, high = values["springlength"]
    values["springlength"] = (low, low if high == -1.0 and low >= 0 else high)


def steps(prim: Prim) -> list[str]:
    """The targets of a path, step by step."""
    targets = prim.targets("mjc:path")
    indices = prim.get("mjc:path:indices")
    if not targets:
        raise prim.error("has no path; name joints, or sites and geoms", "mjc:path")
    if indices is None:
        return targets
    if min(indices, default=0) < 0 or max(indices, default=0) >= len(targets):
        raise prim.error(f"names target {max(indices)}; there are {len(targets)}", "mjc:path:indices")
    return [targets[i] for i in indices]


def fixed_path(spec: UsdSpec, prim: Prim) -> list[tuple[UsdJoint, Dof, float]]:
    """Joints and their weights."""
    path = steps(prim)
    weights = prim.numbers("mjc:path:coef", len(path))
    if weights is None:
        raise prim.error("has no weights; give one per joint", "mjc:path:coef")
    found = []
    for target, weight in zip(path, weights, strict=True):
        joint = spec.joint_at.get(target)
        if joint is None or len(joint.dofs) != 1:
            raise prim.error(f"<{target}> is no hinge or slide", "mjc:path")
        found.append((joint, joint.dofs[0], float(weight)))
    return found


def spatial_path(spec: UsdSpec, prim: Prim) -> list[tuple[int, UsdShape | None, Any]]:
    """Sites, geoms with the site on the side they are passed, and pulleys where a new segment begins."""
    path = steps(prim)
    segments = np.array(
        prim.get("mjc:path:segments") if prim.get("mjc:path:segments") is not None else [0] * len(path), np.int64
    )
    divisors = prim.numbers("mjc:path:divisors")
    if len(segments) != len(path) or (np.diff(segments) < 0).any() or (len(segments) and segments[0] < 0):
        raise prim.error("segments are not one per step, counting up from 0", "mjc:path:segments")
    if divisors is not None and ((divisors <= 0).any() or len(divisors) <= segments.max(initial=0)):
        raise prim.error("divisors are not positive, one per segment", "mjc:path:divisors")
    found: list[tuple[int, UsdShape | None, Any]] = []
    before = 0
    for k, target in enumerate(path):
        segment = int(segments[k])
        if segment != before or (k == 0 and divisors is not None and divisors[segment] != 1.0):
            found.append((TendonWrap.PULLEY, None, 1.0 if divisors is None else float(divisors[segment])))
        before = segment
        shape = spec.shape_at.get(target)
        if shape is None or not (shape.site or shape.kind in WRAPPED):
            raise prim.error(f"<{target}> is no site, sphere or cylinder that was imported", "mjc:path")
        found.append((TendonWrap.SITE, shape, None) if shape.site else (TendonWrap.GEOM, shape, side_of(spec, prim, k)))
    return found


def side_of(spec: UsdSpec, prim: Prim, k: int) -> UsdShape | None:
    """The site on whose side step ``k`` passes a geom."""
    indices, targets = prim.get("mjc:sideSites:indices"), prim.targets("mjc:sideSites")
    at = indices[k] if indices is not None and k < len(indices) else -1
    if at < 0:
        return None
    shape = spec.shape_at.get(targets[at]) if at < len(targets) else None
    if shape is None or not shape.site:
        raise prim.error(f"side site {at} is no site", "mjc:sideSites")
    return shape


def tendon_rows(builder, spec: UsdSpec) -> tuple[list[dict], dict[int, int]]:
    """Rows of tendons and of what they run over; and the row of each tendon."""
    counts = builder.custom_frequency_counts
    joints, wraps, first = counts["mujoco:tendon_joint"], counts["mujoco:tendon_wrap"], counts["mujoco:tendon"]
    rows, at = [], {}
    for k, tendon in enumerate(spec.tendons):
        at[id(tendon)] = first + k
        size = len(tendon.path)
        own = {"type": int(not tendon.fixed), "joint_adr": joints, "wrap_adr": wraps}
        own |= {"joint_num": size * tendon.fixed, "wrap_num": size * (not tendon.fixed)}
        bound = scene_values(SPATIAL, tendon.values, name=tendon.prim.path)
        rows.append(bound | {f"mujoco:tendon_{name}": value for name, value in own.items()})
        joints, wraps = joints + size * tendon.fixed, wraps + size * (not tendon.fixed)
        rows += [step_row(tendon.fixed, *step) for step in tendon.path]
    return rows, at


def step_row(fixed: bool, one: Any, two: Any, three: Any) -> dict:
    """The row of one step of a path."""
    if fixed:
        return {"mujoco:tendon_joint": one.place, "mujoco:tendon_joint_dof": two.index, "mujoco:tendon_coef": three}
    if one == TendonWrap.PULLEY:
        return {"mujoco:tendon_wrap_type": TendonWrap.PULLEY, "mujoco:tendon_wrap_prm": three}
    return {
        "mujoco:tendon_wrap_type": one,
        "mujoco:tendon_wrap_shape": two.index,
        "mujoco:tendon_wrap_sidesite": -1 if three is None else three.index,
    }
