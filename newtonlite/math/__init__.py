"""Linear algebra of rigid bodies: quaternions, rotations, spatial vectors; functions for kernels under Newton's names."""

from newtonlite.core.types import quat_between_axes
from newtonlite.math.twist import (
    quat_between_vectors_robust,
    quat_decompose,
    quat_velocity,
    transform_twist,
    transform_wrench,
    velocity_at_point,
)
from newtonlite.math.vector import (
    boltzmann,
    leaky_max,
    leaky_min,
    normalize_with_norm,
    orthonormal_basis,
    safe_div,
    smooth_max,
    smooth_min,
    vec_abs,
    vec_allclose,
    vec_inside_limits,
    vec_leaky_max,
    vec_leaky_min,
    vec_max,
    vec_min,
)

__all__ = [
    "boltzmann",
    "leaky_max",
    "leaky_min",
    "normalize_with_norm",
    "orthonormal_basis",
    "quat_between_axes",
    "quat_between_vectors_robust",
    "quat_decompose",
    "quat_velocity",
    "safe_div",
    "smooth_max",
    "smooth_min",
    "transform_twist",
    "transform_wrench",
    "vec_abs",
    "vec_allclose",
    "vec_inside_limits",
    "vec_leaky_max",
    "vec_leaky_min",
    "vec_max",
    "vec_min",
    "velocity_at_point",
]
