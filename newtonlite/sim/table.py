"""Every array of the scene, said once: name, what it has one row of, element type, and what it refers to.

The builder keeps a column per row of this table, ``finalize`` turns it into a Warp array, ``Model`` answers questions
about frequencies from it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F


@dataclass(frozen=True)
class Row:
    """One array of the scene.

    ``refers`` names the frequency whose index the values are; copies of a builder shift them, negative ones stay.
    ``placed`` says how a copy's transform acts on it, by the name of a function in ``builder/place.py``.
    ``kept`` is False for what only the builder needs.
    """

    name: str
    frequency: F | str
    dtype: Any
    refers: F | str | None = None
    placed: str = ""
    kept: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one value; empty for scalars."""
        return value_shape(self.dtype)

    def element(self, numbers: list) -> Any:
        """One value from its numbers, as builders hand it out: pairs as tuples, else Warp vectors."""
        return tuple(numbers) if self.shape == (2,) else self.dtype(*numbers)


def value_shape(dtype: Any) -> tuple[int, ...]:
    """Shape of one value of a Warp element type; empty for scalars and strings."""
    return tuple(getattr(dtype, "_shape_", ()))


def numpy_type(dtype: Any) -> np.dtype:
    """NumPy type of the numbers in a Warp element type; ``object`` for strings and other Python values."""
    if dtype is object or dtype is str:
        return np.dtype(object)
    return np.dtype(wp.dtype_to_numpy(getattr(dtype, "_wp_scalar_type_", dtype)))


FILTER = "shape:collision_filter_pair"
"""The builder's own frequency: pairs of shapes that do not collide."""

REAL, INT, BOOL = wp.float32, wp.int32, wp.bool

TABLE: tuple[Row, ...] = (
    Row("body_q", F.BODY, wp.transformf, placed="pose"),
    Row("body_qd", F.BODY, wp.spatial_vectorf, placed="turn_pair"),
    Row("body_com", F.BODY, wp.vec3f),
    Row("body_inertia", F.BODY, wp.mat33f),
    Row("body_mass", F.BODY, REAL),
    Row("body_flags", F.BODY, INT),
    Row("body_lock_inertia", F.BODY, BOOL, kept=False),
    Row("body_label", F.BODY, str),
    Row("body_world", F.BODY, INT, refers=F.WORLD),
    Row("shape_transform", F.SHAPE, wp.transformf, placed="static_pose"),
    Row("shape_body", F.SHAPE, INT, refers=F.BODY),
    Row("shape_flags", F.SHAPE, INT),
    Row("shape_type", F.SHAPE, INT),
    Row("shape_scale", F.SHAPE, wp.vec3f),
    Row("shape_source", F.SHAPE, object),
    Row("shape_is_solid", F.SHAPE, BOOL),
    Row("shape_margin", F.SHAPE, REAL),
    Row("shape_gap", F.SHAPE, REAL),
    Row("shape_material_ke", F.SHAPE, REAL),
    Row("shape_material_kd", F.SHAPE, REAL),
    Row("shape_material_kf", F.SHAPE, REAL),
    Row("shape_material_ka", F.SHAPE, REAL),
    Row("shape_material_mu", F.SHAPE, REAL),
    Row("shape_material_restitution", F.SHAPE, REAL),
    Row("shape_material_mu_torsional", F.SHAPE, REAL),
    Row("shape_material_mu_rolling", F.SHAPE, REAL),
    Row("shape_material_kh", F.SHAPE, REAL),
    Row("shape_collision_group", F.SHAPE, INT),
    Row("shape_collision_radius", F.SHAPE, REAL),
    Row("shape_color", F.SHAPE, wp.vec3f),
    Row("shape_opacity", F.SHAPE, REAL),
    Row("shape_collision_filter_parent", F.SHAPE, BOOL, kept=False),
    Row("shape_collision_filter_pairs", FILTER, wp.vec2i, refers=F.SHAPE, kept=False),
    Row("shape_label", F.SHAPE, str),
    Row("shape_world", F.SHAPE, INT, refers=F.WORLD),
    Row("joint_type", F.JOINT, INT),
    Row("joint_parent", F.JOINT, INT, refers=F.BODY),
    Row("joint_child", F.JOINT, INT, refers=F.BODY),
    Row("joint_X_p", F.JOINT, wp.transformf, placed="root_pose"),
    Row("joint_X_c", F.JOINT, wp.transformf),
    Row("joint_dof_dim", F.JOINT, wp.vec2i),
    Row("joint_enabled", F.JOINT, BOOL),
    Row("joint_articulation", F.JOINT, INT, refers=F.ARTICULATION),
    Row("joint_mimic_joint", F.JOINT, INT, refers=F.JOINT),
    Row("joint_mimic_coeffs", F.JOINT, wp.vec2f),
    Row("joint_collision_filter_parent", F.JOINT, BOOL, kept=False),
    Row("joint_q_start", F.JOINT, INT, refers=F.JOINT_COORD),
    Row("joint_qd_start", F.JOINT, INT, refers=F.JOINT_DOF),
    Row("joint_cts_start", F.JOINT, INT, refers=F.JOINT_CONSTRAINT, kept=False),
    Row("joint_label", F.JOINT, str),
    Row("joint_world", F.JOINT, INT, refers=F.WORLD),
    Row("joint_q", F.JOINT_COORD, REAL, placed="free_coordinates"),
    Row("joint_target_q", F.JOINT_COORD, REAL),
    Row("joint_rest_q", F.JOINT_COORD, REAL),
    Row("joint_qd", F.JOINT_DOF, REAL, placed="free_velocities"),
    Row("joint_f", F.JOINT_DOF, REAL),
    Row("joint_act", F.JOINT_DOF, REAL),
    Row("joint_target_qd", F.JOINT_DOF, REAL),
    Row("joint_axis", F.JOINT_DOF, wp.vec3f),
    Row("joint_armature", F.JOINT_DOF, REAL),
    Row("joint_target_mode", F.JOINT_DOF, INT),
    Row("joint_target_ke", F.JOINT_DOF, REAL),
    Row("joint_target_kd", F.JOINT_DOF, REAL),
    Row("joint_stiffness", F.JOINT_DOF, REAL),
    Row("joint_damping", F.JOINT_DOF, REAL),
    Row("joint_effort_limit", F.JOINT_DOF, REAL),
    Row("joint_velocity_limit", F.JOINT_DOF, REAL),
    Row("joint_friction", F.JOINT_DOF, REAL),
    Row("joint_limit_lower", F.JOINT_DOF, REAL),
    Row("joint_limit_upper", F.JOINT_DOF, REAL),
    Row("joint_limit_ke", F.JOINT_DOF, REAL),
    Row("joint_limit_kd", F.JOINT_DOF, REAL),
    Row("joint_cts", F.JOINT_CONSTRAINT, REAL, kept=False),
    Row("articulation_start", F.ARTICULATION, INT, refers=F.JOINT),
    Row("articulation_end", F.ARTICULATION, INT, refers=F.JOINT),
    Row("articulation_label", F.ARTICULATION, str),
    Row("articulation_world", F.ARTICULATION, INT, refers=F.WORLD),
    Row("constraint_mimic_joint0", F.CONSTRAINT_MIMIC, INT, refers=F.JOINT),
    Row("constraint_mimic_joint1", F.CONSTRAINT_MIMIC, INT, refers=F.JOINT),
    Row("constraint_mimic_coef0", F.CONSTRAINT_MIMIC, REAL),
    Row("constraint_mimic_coef1", F.CONSTRAINT_MIMIC, REAL),
    Row("constraint_mimic_enabled", F.CONSTRAINT_MIMIC, BOOL),
    Row("constraint_mimic_label", F.CONSTRAINT_MIMIC, str),
    Row("constraint_mimic_world", F.CONSTRAINT_MIMIC, INT, refers=F.WORLD),
)

ROWS: dict[str, Row] = {row.name: row for row in TABLE}

COUNTED: dict[F, str] = {
    F.BODY: "body_mass",
    F.SHAPE: "shape_type",
    F.JOINT: "joint_type",
    F.JOINT_COORD: "joint_q",
    F.JOINT_DOF: "joint_qd",
    F.JOINT_CONSTRAINT: "joint_cts",
    F.ARTICULATION: "articulation_start",
    F.CONSTRAINT_MIMIC: "constraint_mimic_joint0",
    FILTER: "shape_collision_filter_pairs",
}
"""The column whose length is the number of rows of a frequency."""

WORLD_OF: dict[F, str] = {
    F.BODY: "body_world",
    F.SHAPE: "shape_world",
    F.JOINT: "joint_world",
    F.ARTICULATION: "articulation_world",
    F.CONSTRAINT_MIMIC: "constraint_mimic_world",
}
"""The column that says which world a row belongs to; -1 is global, shared by all worlds."""

DEFORMABLE = (
    "particle",
    "edge",
    "tri",
    "tet",
    "spring",
    "muscle",
    "curve",
    "surface",
    "volume",
    "tendon",
    "tendon_guide",
    "tendon_segment",
    "attachment_particle_body",
)
"""Kinds of things of Newton's interface that newtonlite does not simulate; their counts are always 0."""
