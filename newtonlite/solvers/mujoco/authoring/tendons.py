"""Tendons of the ``mujoco`` namespace: fixed ones over joints, spatial ones over sites, geoms and pulleys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from newtonlite.core.enums import TendonWrap
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtTendon
from newtonlite.sim.builder import check
from newtonlite.solvers.mujoco.authoring.rows import add_row, declare, entity, finite_numbers, switch

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)


@dataclass
class TendonWrapSite:
    """A point the tendon passes through: the index of a site's shape."""

    site: int


@dataclass
class TendonWrapGeom:
    """A sphere or cylinder the tendon runs around, and the site on the side it keeps to."""

    geom: int
    sidesite: int | None = None


@dataclass
class TendonWrapPulley:
    """From here on the tendon's length counts one over ``divisor``."""

    divisor: float


def add_tendon_fixed(
    builder: Any,
    joints: Sequence[tuple[int, float]],
    *,
    label: str | None = None,
    stiffness: float = 0.0,
    damping: float = 0.0,
    frictionloss: float = 0.0,
    limited: bool | int | str = "auto",
    limit_range: Sequence[float] = (0.0, 0.0),
    margin: float = 0.0,
    solref_limit: Sequence[float] = SOLREF,
    solimp_limit: Sequence[float] = SOLIMP,
    solref_friction: Sequence[float] = SOLREF,
    solimp_friction: Sequence[float] = SOLIMP,
    armature: float = 0.0,
    springlength: Sequence[float] = (-1.0, -1.0),
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a tendon whose length is ``sum coef q`` over ``joints``, pairs of a joint with one axis and its coefficient."""
    where = f"add_tendon_fixed {label or ''!r}"
    declare(builder)
    pairs = [
        (entity(builder, j, builder.joint_count, "joint", where), check.number(c, f"{where} coefficient"))
        for j, c in joints
    ]
    if not pairs:
        raise ModelError(f"{where}: no joints; list at least one (joint, coefficient)")
    values = _physics(where, dict(locals()))
    first = _count(builder, "tendon_joint")
    tendon = _add(
        builder, MjtTendon.FIXED, values, label, custom_attributes, tendon_joint_adr=first, tendon_joint_num=len(pairs)
    )
    for joint, coef in pairs:
        add_row(builder, "tendon_joint", {"tendon_joint": joint, "tendon_coef": coef})
    return tendon


def add_tendon_spatial(
    builder: Any,
    path: Sequence[TendonWrapSite | TendonWrapGeom | TendonWrapPulley],
    *,
    label: str | None = None,
    stiffness: float = 0.0,
    damping: float = 0.0,
    frictionloss: float = 0.0,
    limited: bool | int | str = "auto",
    limit_range: Sequence[float] = (0.0, 0.0),
    margin: float = 0.0,
    solref_limit: Sequence[float] = SOLREF,
    solimp_limit: Sequence[float] = SOLIMP,
    solref_friction: Sequence[float] = SOLREF,
    solimp_friction: Sequence[float] = SOLIMP,
    armature: float = 0.0,
    springlength: Sequence[float] = (-1.0, -1.0),
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a string along ``path``: sites it passes, geoms it wraps around, pulleys that divide it."""
    where = f"add_tendon_spatial {label or ''!r}"
    declare(builder)
    rows = [_element(builder, step, where) for step in path]
    values = _physics(where, dict(locals()))
    first = _count(builder, "tendon_wrap")
    tendon = _add(
        builder, MjtTendon.SPATIAL, values, label, custom_attributes, tendon_wrap_adr=first, tendon_wrap_num=len(rows)
    )
    for row in rows:
        add_row(builder, "tendon_wrap", row)
    return tendon


def _count(builder: Any, kind: str) -> int:
    return builder.custom_frequency_counts.get(f"mujoco:{kind}", 0)


def _physics(where: str, given: dict) -> dict:
    """The tendon's numbers, checked."""
    scalars = ("stiffness", "damping", "frictionloss", "margin", "armature")
    values: dict[str, Any] = {f"tendon_{name}": check.number(given[name], f"{where} {name}") for name in scalars}
    for kind in ("limit", "friction"):
        values[f"tendon_solref_{kind}"] = finite_numbers(given[f"solref_{kind}"], 2, f"{where} solref_{kind}", SOLREF)
        values[f"tendon_solimp_{kind}"] = finite_numbers(given[f"solimp_{kind}"], 5, f"{where} solimp_{kind}", SOLIMP)
    values["tendon_limited"] = switch(given["limited"], f"{where} limited")
    values["tendon_range"] = finite_numbers(given["limit_range"], 2, f"{where} limit_range")
    values["tendon_springlength"] = finite_numbers(given["springlength"], 2, f"{where} springlength", (-1.0, -1.0))
    return values


def _add(builder: Any, kind: int, values: dict, label: str | None, custom: dict | None, **rows: int) -> int:
    """One row of ``mujoco:tendon``."""
    return add_row(builder, "tendon", values | rows | {"tendon_type": kind, "tendon_label": label or ""}, custom)


def _element(builder: Any, step: Any, where: str) -> dict:
    """One row of a path."""
    shape = lambda index, what: entity(builder, index, builder.shape_count, what, where)
    if isinstance(step, TendonWrapSite):
        return {"tendon_wrap_type": TendonWrap.SITE, "tendon_wrap_shape": shape(step.site, "site")}
    if isinstance(step, TendonWrapGeom):
        side = -1 if step.sidesite is None else shape(step.sidesite, "site")
        return {
            "tendon_wrap_type": TendonWrap.GEOM,
            "tendon_wrap_shape": shape(step.geom, "shape"),
            "tendon_wrap_sidesite": side,
        }
    if isinstance(step, TendonWrapPulley):
        return {
            "tendon_wrap_type": TendonWrap.PULLEY,
            "tendon_wrap_prm": check.number(step.divisor, f"{where} divisor", low=0.0),
        }
    raise ModelError(f"{where}: {step!r} is no part of a path; give TendonWrapSite, TendonWrapGeom or TendonWrapPulley")
