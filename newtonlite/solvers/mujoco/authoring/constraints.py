"""Equality constraints and explicit contact pairs."""

from collections.abc import Sequence
from typing import Any

from newtonlite.core.enums import EqType
from newtonlite.core.errors import ModelError
from newtonlite.sim.builder import check
from newtonlite.solvers.mujoco.authoring.rows import add_row, entity, finite_numbers

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)
FROM_POSE = (0.0,) * 7
"""A relative pose without rotation: the one the scene has at its reference coordinates."""


def add_equality_connect(
    builder: Any,
    body1: int,
    body2: int = -1,
    *,
    anchor: Any = None,
    label: str | None = None,
    enabled: bool = True,
    solref: Sequence[float] | None = None,
    solimp: Sequence[float] | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Hold a point of ``body1``, ``anchor`` [m] in its frame, to where it is in ``body2`` (-1: the world) at the
    reference pose.
    """
    where = f"add_equality_connect {label or ''!r}"
    values = {"type": EqType.CONNECT, "anchor": tuple(check.vector(anchor, f"{where} anchor").tolist())}
    return _add(
        builder,
        where,
        values | _bodies(builder, body1, body2, where),
        label,
        enabled,
        solref,
        solimp,
        custom_attributes,
    )


def add_equality_weld(
    builder: Any,
    body1: int,
    body2: int = -1,
    *,
    relpose: Any = None,
    torquescale: float = 1.0,
    label: str | None = None,
    enabled: bool = True,
    solref: Sequence[float] | None = None,
    solimp: Sequence[float] | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Hold ``body2`` (-1: the world) at ``relpose`` in ``body1``, or at their relative pose at the reference
    coordinates.

    ``torquescale`` [m] weighs rotations against translations.
    """
    where = f"add_equality_weld {label or ''!r}"
    pose = FROM_POSE if relpose is None else tuple(check.pose(relpose, f"{where} relpose").tolist())
    values = {
        "type": EqType.WELD,
        "relpose": pose,
        "torquescale": check.number(torquescale, f"{where} torquescale", low=0.0),
    }
    return _add(
        builder,
        where,
        values | _bodies(builder, body1, body2, where),
        label,
        enabled,
        solref,
        solimp,
        custom_attributes,
    )


def add_equality_joint(
    builder: Any,
    joint1: int,
    joint2: int,
    *,
    polycoef: Sequence[float] = (0.0, 1.0),
    label: str | None = None,
    enabled: bool = True,
    solref: Sequence[float] | None = None,
    solimp: Sequence[float] | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Let ``joint1`` follow a quartic polynomial of ``joint2`` (-1: none, a constant); both have one axis."""
    where = f"add_equality_joint {label or ''!r}"
    ends = {
        "joint1": entity(builder, joint1, builder.joint_count, "joint", where),
        "joint2": entity(builder, joint2, builder.joint_count, "joint", where, least=-1),
    }
    _apart(ends, where)
    values = {"type": EqType.JOINT, "polycoef": finite_numbers(polycoef, 5, f"{where} polycoef"), **ends}
    return _add(builder, where, values, label, enabled, solref, solimp, custom_attributes)


def add_equality_tendon(
    builder: Any,
    tendon1: int,
    tendon2: int = -1,
    *,
    polycoef: Sequence[float] = (0.0, 1.0),
    label: str | None = None,
    enabled: bool = True,
    solref: Sequence[float] | None = None,
    solimp: Sequence[float] | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Let the length of ``tendon1`` follow a quartic polynomial of that of ``tendon2`` (-1: none, a constant)."""
    where = f"add_equality_tendon {label or ''!r}"
    count = builder.custom_frequency_counts.get("mujoco:tendon", 0)
    ends = {
        "tendon1": entity(builder, tendon1, count, "tendon", where),
        "tendon2": entity(builder, tendon2, count, "tendon", where, least=-1),
    }
    _apart(ends, where)
    values = {"type": EqType.TENDON, "polycoef": finite_numbers(polycoef, 5, f"{where} polycoef"), **ends}
    return _add(builder, where, values, label, enabled, solref, solimp, custom_attributes)


def add_contact_pair(
    builder: Any,
    geom1: int,
    geom2: int,
    *,
    condim: int = 3,
    solref: Sequence[float] = SOLREF,
    solreffriction: Sequence[float] = SOLREF,
    solimp: Sequence[float] = SOLIMP,
    margin: float = 0.0,
    gap: float = 0.0,
    friction: Sequence[float] = (1.0, 1.0, 0.005, 0.0001, 0.0001),
    adhesion: float = 0.0,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Let two shapes collide with parameters of their own, whatever their groups and filters say; ``adhesion`` is a
    force [N].
    """
    where = "add_contact_pair"
    geoms = [entity(builder, g, builder.shape_count, "shape", where) for g in (geom1, geom2)]
    values = {
        "pair_geom1": geoms[0],
        "pair_geom2": geoms[1],
        "pair_condim": entity(builder, condim, 7, "condim", where, least=1),
        "pair_solref": finite_numbers(solref, 2, f"{where} solref", SOLREF),
        "pair_solreffriction": finite_numbers(solreffriction, 2, f"{where} solreffriction", SOLREF),
        "pair_solimp": finite_numbers(solimp, 5, f"{where} solimp", SOLIMP),
        "pair_margin": check.number(margin, f"{where} margin"),
        "pair_gap": check.number(gap, f"{where} gap"),
        "pair_friction": finite_numbers(friction, 5, f"{where} friction"),
        "pair_adhesion": check.number(adhesion, f"{where} adhesion"),
    }
    return add_row(builder, "pair", values, custom_attributes)


def _bodies(builder: Any, body1: int, body2: int, where: str) -> dict[str, int]:
    """The two bodies, -1 for the world."""
    ends = {
        f"body{k}": entity(builder, b, builder.body_count, "body", where, least=-1) for k, b in ((1, body1), (2, body2))
    }
    _apart(ends, where)
    return ends


PLURAL = {"body": "bodies", "joint": "joints", "tendon": "tendons", "site": "sites"}


def _apart(ends: dict[str, int], where: str) -> None:
    """ModelError where both ends are the same thing."""
    if len(set(ends.values())) == 1:
        raise ModelError(
            f"{where}: {' and '.join(ends)} are the same ({next(iter(ends.values()))}); give two distinct {PLURAL.get(next(iter(ends)).rstrip('12'), 'things')}"
        )


def _add(builder: Any, where: str, values: dict, label, enabled, solref, solimp, custom) -> int:
    """One row of ``mujoco:equality_constraint``."""
    row = {f"equality_constraint_{name}": value for name, value in values.items()}
    row |= {"equality_constraint_label": label or "", "equality_constraint_enabled": bool(enabled)}
    row["equality_constraint_type"] = int(values["type"])
    row["eq_solref"] = None if solref is None else finite_numbers(solref, 2, f"{where} solref", SOLREF)
    row["eq_solimp"] = None if solimp is None else finite_numbers(solimp, 5, f"{where} solimp", SOLIMP)
    return add_row(builder, "equality_constraint", row, custom)
