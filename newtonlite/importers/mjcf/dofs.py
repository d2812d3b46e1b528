"""Axes of joints in Newton's words: by the rows of the schema, and what no row says."""

import warnings
from copy import copy
from typing import Any

from newtonlite.core.constants import UNLIMITED, UNLIMITED_EFFORT
from newtonlite.core.enums import JointTargetMode, SolrefMode
from newtonlite.core.errors import NewtonWarning, external
from newtonlite.core.mujoco import MjtJoint
from newtonlite.core.table import CUSTOM
from newtonlite.importers.mjcf.spec import Item
from newtonlite.sim.builder.config import JointDofConfig

DEFAULT_JOINT = JointDofConfig()
"""Default joint configuration of a builder that nobody changed."""
SCALAR = (MjtJoint.SLIDE, MjtJoint.HINGE)
WIDTH = {MjtJoint.FREE: 6, MjtJoint.BALL: 3}
"""Dofs of joints that have several."""


def joint_attributes(joints: list[Item], order: list[Item], default: JointDofConfig) -> dict[str, dict[int, Any]]:
    """Custom attributes of a joint by dof, in Newton's order; a name is that of the first dof of a ball or free joint."""
    found: dict[str, dict[int, Any]] = {}
    width = WIDTH.get(order[0]["type"], 1)
    for k, item in enumerate(order):
        for name, value in dof_attributes(item, joints, default).items():
            dofs = range(k, k + (1 if isinstance(value, str) else width))
            found.setdefault(name, {}).update(dict.fromkeys(dofs, value))
    return found


def dof_attributes(item: Item, joints: list[Item], default: JointDofConfig) -> dict[str, Any]:
    """Custom attributes of one MuJoCo joint."""
    found = {name: value for name, value in item.bound().items() if name.startswith(CUSTOM)}
    if item.node.tag == "freejoint":
        return found
    found |= limit_reference(item, default) | joint_anchor(item, joints)
    if not item.limits["range"]:
        found["mujoco:jnt_range"] = item["range"]
    if effort_limit(item) is None:
        found["mujoco:jnt_actfrcrange"] = item["actuatorfrcrange"]
    if item["type"] in SCALAR and item["ref"]:
        found["mujoco:dof_ref"] = item["ref"]
    return found


def limit_reference(item: Item, default: JointDofConfig) -> dict[str, Any]:
    """Constraint reference of limits: as authored, else by the gains of the builder, where somebody changed them."""
    gains, untouched = (default.limit_ke, default.limit_kd), (DEFAULT_JOINT.limit_ke, DEFAULT_JOINT.limit_kd)
    found: dict[str, Any] = {"mujoco:solreflimit_gain_baseline": gains}
    if "solreflimit" not in item.given:
        mode = SolrefMode.MJCF_DEFAULT if gains == untouched else SolrefMode.FORCE_SPACE
        return found | {"mujoco:solreflimit_mode": mode}
    first, second = item["solreflimit"]
    if (first > 0) != (second > 0):
        text = f"invalid solreflimit {first:g} {second:g}, the signs differ: the engine takes its default; give both positive or both negative"
        warnings.warn(str(item.node.error(text, "solreflimit")), NewtonWarning, stacklevel=external())
    return found | {"mujoco:solreflimit": (first, second), "mujoco:solreflimit_mode": SolrefMode.RAW}


def joint_anchor(item: Item, joints: list[Item]) -> dict[str, Any]:
    """The anchor and place of a joint that is not alone on its body."""
    return {"mujoco:dof_pos": item.pos, "mujoco:dof_order": joints.index(item)} if len(joints) > 1 else {}


def effort_limit(item: Item) -> float | None:
    """The bound of the force of all actuators on a hinge or slide; None where it is not the same in both directions."""
    low, high = item["actuatorfrcrange"]
    plain = item["type"] in SCALAR and item.limits["actuatorfrcrange"] and low == -high and high < UNLIMITED_EFFORT
    return high if plain else None


def joint_axis(item: Item, default: JointDofConfig, scale: float) -> JointDofConfig:
    """One hinge or slide, its coordinate counted from the pose of the file; what no file says is the builder's default."""
    found = configured(item, default, scale)
    found.axis, found.actuator_mode = item["axis"], JointTargetMode.NONE
    found.target_q = found.target_qd = 0.0
    joint_limits(item, found)
    joint_reference(item, found)
    if item.limits["actuatorfrcrange"]:
        found.effort_limit = max(map(abs, item["actuatorfrcrange"]))
    return found


def configured(item: Item, default: JointDofConfig, scale: float) -> JointDofConfig:
    """The builder's default with what rows say of a joint; friction is the file's alone, as in Newton."""
    found = copy(default)
    found.friction = 0.0
    for name, value in item.bound().items():
        if name.startswith("joint_"):
            setattr(found, name.removeprefix("joint_"), value)
    found.armature *= scale
    return found


def joint_limits(item: Item, found: JointDofConfig) -> None:
    """Limits of a hinge or slide, counted from the pose of the file."""
    if item.limits["range"]:
        found.limit_lower, found.limit_upper = (x - item["ref"] for x in item["range"])


def joint_reference(item: Item, found: JointDofConfig) -> None:
    """Rest of the spring, counted from the pose of the file; the builder's where the file says nothing."""
    if found.rest_q is None or {"ref", "springref"} & item.given:
        found.rest_q = item["springref"] - item["ref"]


def joint_axes(item: Item, default: JointDofConfig, scale: float) -> list[JointDofConfig]:
    """The three turning axes of a ball, each that of a hinge where it was made of three, or the three moving or turning
    ones of a free joint.
    """
    ball = item["type"] == MjtJoint.BALL
    gains = (default.limit_ke, default.limit_kd) if ball else (0.0, 0.0)
    axes, start = [], default if ball else DEFAULT_JOINT
    parts = item.values.get("hinges") or (item,) * 3
    owns = (
        [configured(part, start, scale) for part in parts]
        if "hinges" in item.values
        else [configured(item, start, scale)] * 3
    )
    for k, (part, own) in enumerate(zip(parts, owns, strict=True)):
        limited = ball and item.limits["range"] and (k == 0 or part is not item)
        low, high = part["range"] if limited else (-UNLIMITED, UNLIMITED)
        axis = JointDofConfig(axis=k, limit_lower=low, limit_upper=high, actuator_mode=JointTargetMode.NONE)
        axis.limit_ke, axis.limit_kd = gains
        axis.stiffness, axis.damping, axis.armature = own.stiffness, own.damping, own.armature
        axis.friction = own.friction
        axes.append(axis)
    return axes
