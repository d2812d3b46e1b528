"""Equality constraints: a custom frequency that every builder knows."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import EqualityTarget
from newtonlite.core.types import vec5
from newtonlite.sim.builder.custom import CustomAttribute, CustomFrequency
from newtonlite.sim.builder.transform_copies import tie_anchor, tie_pose

FREQUENCY = "mujoco:equality_constraint"


def move_targets(values, context) -> np.ndarray:
    """Targets of rows [n] in a copy: each shifted by the offset of its kind of target."""
    values = np.array([-1 if v is None else v for v in values], int)
    kinds, offsets = context["builder"].values("mujoco:equality_constraint_target_kind"), context["entity_offsets"]
    shift = np.zeros(len(values), int)
    for kind, of in ((EqualityTarget.JOINT, "joint"), (EqualityTarget.MIMIC, "constraint_mimic")):
        shift[kinds == kind] = offsets[of]
    return np.where(values < 0, values, values + shift)


# name, element type, default, what the value refers to (or a function that shifts it in copies)
TABLE = (
    ("equality_constraint_type", wp.int32, 0, None),
    ("equality_constraint_body1", wp.int32, -1, "body"),
    ("equality_constraint_body2", wp.int32, -1, "body"),
    ("equality_constraint_anchor", wp.vec3f, (0.0, 0.0, 0.0), None),
    ("equality_constraint_torquescale", wp.float32, 0.0, None),
    ("equality_constraint_relpose", wp.transformf, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), None),
    ("equality_constraint_joint1", wp.int32, -1, "joint"),
    ("equality_constraint_joint2", wp.int32, -1, "joint"),
    ("equality_constraint_joint1_dof", wp.int32, -1, "joint_dof"),
    ("equality_constraint_joint2_dof", wp.int32, -1, "joint_dof"),
    ("equality_constraint_polycoef", vec5, (0.0, 0.0, 0.0, 0.0, 0.0), None),
    ("equality_constraint_label", str, "", None),
    ("equality_constraint_enabled", wp.bool, True, None),
    ("equality_constraint_world", wp.int32, 0, "world"),
    ("equality_constraint_objtype", wp.int32, -1, None),
    ("equality_constraint_target_kind", wp.int32, 0, None),
    ("equality_constraint_target", wp.int32, -1, move_targets),
    ("eq_solref", wp.vec2f, (0.02, 1.0), None),
    ("eq_solimp", vec5, (0.9, 0.95, 0.001, 0.5, 2.0), None),
)
"""``type`` is an EqType: CONNECT (body1, body2, anchor), WELD (and relpose, torquescale), JOINT (joint1, joint2,
polycoef), TENDON.
"""

PLACED = {"equality_constraint_anchor": tie_anchor, "equality_constraint_relpose": tie_pose}
"""Moves of ties to the world by transforms of copies."""
_MJCF_NAMES = {"eq_solref": "solref", "eq_solimp": "solimp"}


def register_equality(builder: Any) -> None:
    """Declare the frequency and its attributes, in the ``mujoco`` namespace."""
    builder.add_custom_frequency(
        CustomFrequency("equality_constraint", "mujoco", label_attribute="mujoco:equality_constraint_label")
    )
    for name, dtype, default, references in TABLE:
        mjcf = _MJCF_NAMES.get(name)
        usd = f"mjc:{mjcf}" if mjcf else None
        refers = "reference_value_transformer" if callable(references) else "references"
        options = {refers: references, "default": default, "placed": PLACED.get(name)}
        attribute = CustomAttribute(name, dtype, FREQUENCY, namespace="mujoco", **options)
        attribute.mjcf_attribute_name = mjcf or attribute.mjcf_attribute_name
        attribute.usd_attribute_name = usd or attribute.usd_attribute_name
        builder.add_custom_attribute(attribute)
