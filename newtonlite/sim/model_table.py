"""Model table: every array of the scene, with its name, frequency, element type and reference.

The builder keeps a column per row of this table, ``finalize`` turns it into a Warp array, ``Model`` answers questions
about frequencies from it.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeFrequency as F
from newtonlite.core.types import cell_shape, scalar_type


@dataclass(frozen=True)
class ArrayRow:
    """One array of the scene; ``doc`` starts with its units, those of linear and angular axes where they differ.

    ``refers`` names the frequency whose index the values are; copies of a builder shift them, negative ones stay.
    ``placed`` says how a copy's transform acts on it, by the name of a function in ``builder/transform_copies.py``.
    ``kept`` is False for what only the builder needs.
    """

    name: str
    frequency: F | str
    dtype: Any
    doc: str = ""
    refers: F | str | None = None
    placed: str = ""
    kept: bool = True

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape of one value; empty for scalars."""
        return value_shape(self.dtype)

    @cached_property
    def is_vector(self) -> bool:
        """Whether values are handed out as Warp vectors, matrices or transforms; pairs are tuples."""
        return len(self.shape) > 1 or (bool(self.shape) and self.shape != (2,))

    def element(self, numbers: list) -> Any:
        """One value from its numbers, as builders hand it out: pairs as tuples, else Warp vectors."""
        return tuple(numbers) if self.shape == (2,) else self.dtype(*numbers)


@cache
def value_shape(dtype: Any) -> tuple[int, ...]:
    """Shape of one value of a Warp element type; empty for scalars and strings."""
    return cell_shape(dtype)


@cache
def numpy_type(dtype: Any) -> np.dtype:
    """NumPy type of the numbers in a Warp element type; ``object`` for strings and other Python values."""
    if dtype is object or dtype is str:
        return np.dtype(object)
    return np.dtype(wp.dtype_to_numpy(scalar_type(dtype)))


@cache
def host_type(dtype: Any) -> np.dtype:
    """NumPy type of the same numbers on the host: reals keep all the digits they were given in."""
    kind = numpy_type(dtype)
    return np.dtype(np.float64) if kind == np.float32 else kind


FILTER = "shape:collision_filter_pair"
"""The builder's own frequency: pairs of shapes that do not collide."""

REAL, INT, BOOL = wp.float32, wp.int32, wp.bool

TABLE: tuple[ArrayRow, ...] = (
    ArrayRow("body_q", F.BODY, wp.transformf, "pose in the world", placed="pose"),
    ArrayRow(
        "body_qd",
        F.BODY,
        wp.spatial_vectorf,
        "[m/s, rad/s] velocity of the centre of mass and angular velocity, in the world",
        placed="rotate_pair",
    ),
    ArrayRow("body_com", F.BODY, wp.vec3f, "[m] centre of mass in the body frame"),
    ArrayRow("body_inertia", F.BODY, wp.mat33f, "[kg m^2] about the centre of mass, in the axes of the body frame"),
    ArrayRow("body_mass", F.BODY, REAL, "[kg]"),
    ArrayRow("body_flags", F.BODY, INT, "BodyFlags"),
    ArrayRow("body_lock_inertia", F.BODY, BOOL, "whether shapes leave the mass alone", kept=False),
    ArrayRow("body_label", F.BODY, str, "name"),
    ArrayRow("body_world", F.BODY, INT, "world, -1 for global", refers=F.WORLD),
    ArrayRow("shape_transform", F.SHAPE, wp.transformf, "pose in its body, or in the world", placed="static_pose"),
    ArrayRow("shape_body", F.SHAPE, INT, "body it is on, -1 for the world", refers=F.BODY),
    ArrayRow("shape_flags", F.SHAPE, INT, "ShapeFlags"),
    ArrayRow("shape_type", F.SHAPE, INT, "GeoType"),
    ArrayRow("shape_scale", F.SHAPE, wp.vec3f, "[m] sizes by type; factors for meshes"),
    ArrayRow("shape_source", F.SHAPE, object, "Mesh or Heightfield, None for primitives"),
    ArrayRow("shape_is_solid", F.SHAPE, BOOL, "filled, or a shell of thickness shape_margin"),
    ArrayRow("shape_margin", F.SHAPE, REAL, "[m] rounding around the surface"),
    ArrayRow("shape_gap", F.SHAPE, REAL, "[m] how much earlier contacts are noticed"),
    ArrayRow("shape_material_ke", F.SHAPE, REAL, "[N/m] contact stiffness"),
    ArrayRow("shape_material_kd", F.SHAPE, REAL, "[N s/m] contact damping"),
    ArrayRow("shape_material_kf", F.SHAPE, REAL, "[N s/m] friction damping"),
    ArrayRow("shape_material_ka", F.SHAPE, REAL, "[m] adhesion distance"),
    ArrayRow("shape_material_mu", F.SHAPE, REAL, "friction coefficient"),
    ArrayRow("shape_material_restitution", F.SHAPE, REAL, "restitution coefficient"),
    ArrayRow("shape_material_mu_torsional", F.SHAPE, REAL, "[m] friction about the normal"),
    ArrayRow("shape_material_mu_rolling", F.SHAPE, REAL, "[m] friction against rolling"),
    ArrayRow("shape_material_kh", F.SHAPE, REAL, "[N/m^3] hydroelastic stiffness"),
    ArrayRow(
        "shape_collision_group",
        F.SHAPE,
        INT,
        "0 meets nothing, positive its own and negative, negative all but its own",
    ),
    ArrayRow("shape_collision_radius", F.SHAPE, REAL, "[m] of a ball that holds it"),
    ArrayRow("shape_color", F.SHAPE, wp.vec3f, "red, green, blue"),
    ArrayRow("shape_opacity", F.SHAPE, REAL, "1 for opaque"),
    ArrayRow(
        "shape_collision_filter_pairs", FILTER, wp.vec2i, "shapes that do not collide", refers=F.SHAPE, kept=False
    ),
    ArrayRow(
        "shape_sdf_narrow_band_range",
        F.SHAPE,
        object,
        "[m] signed distances between which the field is kept",
        kept=False,
    ),
    ArrayRow("shape_sdf_target_voxel_size", F.SHAPE, object, "[m] voxel size of the field, or None", kept=False),
    ArrayRow("shape_sdf_max_resolution", F.SHAPE, object, "voxels along the field's longest side, or None", kept=False),
    ArrayRow("shape_force_sdf", F.SHAPE, BOOL, "whether a mesh has a field whatever else is said", kept=False),
    ArrayRow("shape_sdf_texture_format", F.SHAPE, object, "format of the field's numbers", kept=False),
    ArrayRow("shape_sdf_padding", F.SHAPE, object, "[m] around the mesh that the field reaches, or None", kept=False),
    ArrayRow("shape_label", F.SHAPE, str, "name"),
    ArrayRow("shape_world", F.SHAPE, INT, "world, -1 for global", refers=F.WORLD),
    ArrayRow("joint_type", F.JOINT, INT, "JointType"),
    ArrayRow("joint_parent", F.JOINT, INT, "body, -1 for the world", refers=F.BODY),
    ArrayRow("joint_child", F.JOINT, INT, "body", refers=F.BODY),
    ArrayRow("joint_X_p", F.JOINT, wp.transformf, "joint frame in the parent body", placed="root_pose"),
    ArrayRow("joint_X_c", F.JOINT, wp.transformf, "joint frame in the child body"),
    ArrayRow("joint_dof_dim", F.JOINT, wp.vec2i, "numbers of linear and of angular axes"),
    ArrayRow("joint_enabled", F.JOINT, BOOL, "whether it holds"),
    ArrayRow("joint_articulation", F.JOINT, INT, "articulation, -1 for a loop joint", refers=F.ARTICULATION),
    ArrayRow("joint_mimic_joint", F.JOINT, INT, "joint it follows, -1 for none", refers=F.JOINT),
    ArrayRow("joint_mimic_coeffs", F.JOINT, wp.vec2f, "offset and factor of what it follows"),
    ArrayRow(
        "joint_collision_filter_parent",
        F.JOINT,
        BOOL,
        "whether shapes of the two bodies pass through each other",
        kept=False,
    ),
    ArrayRow("joint_q_start", F.JOINT, INT, "its first coordinate", refers=F.JOINT_COORD),
    ArrayRow("joint_qd_start", F.JOINT, INT, "its first velocity", refers=F.JOINT_DOF),
    ArrayRow("joint_cts_start", F.JOINT, INT, "its first constraint", refers=F.JOINT_CONSTRAINT, kept=False),
    ArrayRow("joint_label", F.JOINT, str, "name"),
    ArrayRow("joint_world", F.JOINT, INT, "world, -1 for global", refers=F.WORLD),
    ArrayRow("joint_q", F.JOINT_COORD, REAL, "[m, rad, quaternion xyzw] where it starts", placed="free_coordinates"),
    ArrayRow("joint_target_q", F.JOINT_COORD, REAL, "[m, rad, quaternion xyzw] what the drive follows"),
    ArrayRow("joint_rest_q", F.JOINT_COORD, REAL, "[m, rad, quaternion xyzw] where springs rest"),
    ArrayRow("joint_qd", F.JOINT_DOF, REAL, "[m/s, rad/s] how fast it starts", placed="free_velocities"),
    ArrayRow("joint_f", F.JOINT_DOF, REAL, "[N, N m] applied force"),
    ArrayRow("joint_act", F.JOINT_DOF, REAL, "[N, N m] feed-forward of the drive"),
    ArrayRow("joint_target_qd", F.JOINT_DOF, REAL, "[m/s, rad/s] what the drive follows"),
    ArrayRow("joint_axis", F.JOINT_DOF, wp.vec3f, "unit vector in the parent joint frame"),
    ArrayRow("joint_armature", F.JOINT_DOF, REAL, "[kg, kg m^2] added to the diagonal of the mass matrix"),
    ArrayRow("joint_target_mode", F.JOINT_DOF, INT, "JointTargetMode"),
    ArrayRow("joint_target_ke", F.JOINT_DOF, REAL, "[N/m, N m/rad] gain of the drive"),
    ArrayRow("joint_target_kd", F.JOINT_DOF, REAL, "[N s/m, N m s/rad] damping of the drive"),
    ArrayRow("joint_stiffness", F.JOINT_DOF, REAL, "[N/m, N m/rad] of the spring"),
    ArrayRow("joint_damping", F.JOINT_DOF, REAL, "[N s/m, N m s/rad] passive"),
    ArrayRow("joint_effort_limit", F.JOINT_DOF, REAL, "[N, N m] of the drive"),
    ArrayRow("joint_velocity_limit", F.JOINT_DOF, REAL, "[m/s, rad/s]"),
    ArrayRow("joint_friction", F.JOINT_DOF, REAL, "[N, N m] dry friction"),
    ArrayRow("joint_limit_lower", F.JOINT_DOF, REAL, "[m, rad]"),
    ArrayRow("joint_limit_upper", F.JOINT_DOF, REAL, "[m, rad]"),
    ArrayRow("joint_limit_ke", F.JOINT_DOF, REAL, "[N/m, N m/rad] stiffness of the limits"),
    ArrayRow("joint_limit_kd", F.JOINT_DOF, REAL, "[N s/m, N m s/rad] damping of the limits"),
    ArrayRow("joint_cts", F.JOINT_CONSTRAINT, REAL, "multiplier of a maximal-coordinate solver", kept=False),
    ArrayRow("articulation_start", F.ARTICULATION, INT, "its first joint", refers=F.JOINT),
    ArrayRow("articulation_end", F.ARTICULATION, INT, "one past its last joint", refers=F.JOINT),
    ArrayRow("articulation_label", F.ARTICULATION, str, "name"),
    ArrayRow("articulation_world", F.ARTICULATION, INT, "world, -1 for global", refers=F.WORLD),
    ArrayRow("constraint_mimic_joint0", F.CONSTRAINT_MIMIC, INT, "joint that follows", refers=F.JOINT),
    ArrayRow("constraint_mimic_joint1", F.CONSTRAINT_MIMIC, INT, "joint that is followed", refers=F.JOINT),
    ArrayRow("constraint_mimic_coef0", F.CONSTRAINT_MIMIC, REAL, "offset"),
    ArrayRow("constraint_mimic_coef1", F.CONSTRAINT_MIMIC, REAL, "factor"),
    ArrayRow("constraint_mimic_enabled", F.CONSTRAINT_MIMIC, BOOL, "whether it holds"),
    ArrayRow("constraint_mimic_label", F.CONSTRAINT_MIMIC, str, "name"),
    ArrayRow("constraint_mimic_world", F.CONSTRAINT_MIMIC, INT, "world, -1 for global", refers=F.WORLD),
)

ROWS: dict[str, ArrayRow] = {row.name: row for row in TABLE}

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
