"""Functions for kernels under Newton's names that a script may call as they are, with the values that kernels give."""

import numpy as np
import pytest
import warp as wp

from newtonlite import geometry, math
from tests.tolerance import assert_close

HALF = wp.quat(0.0, 0.0, 1.0, 0.0)
CALLS = {
    "normalize_with_norm": (lambda: math.normalize_with_norm(wp.vec3(0, 3, 4))[1], 5.0),
    "normalize_with_norm of nothing": (lambda: math.normalize_with_norm(wp.vec3(0, 0, 0))[0], [0, 0, 0]),
    "orthonormal_basis": (lambda: np.array(math.orthonormal_basis(wp.vec3(0, 0, 1))), [[1, 0, 0], [0, 1, 0]]),
    "orthonormal_basis below": (lambda: np.array(math.orthonormal_basis(wp.vec3(0, 0, -1)))[0], [1, 0, 0]),
    "safe_div": (lambda: math.safe_div(1.0, 0.0, 0.5), 2.0),
    "quat_between_vectors_robust": (
        lambda: math.quat_between_vectors_robust(wp.vec3(0, 1, 0), wp.vec3(0, -1, 0)),
        [0, 0, -1, 0],
    ),
    "quat_velocity": (lambda: math.quat_velocity(HALF, wp.quat_identity(), 0.5), [0, 0, 2 * np.pi]),
    "velocity_at_point": (
        lambda: math.velocity_at_point(wp.spatial_vector(1, 0, 0, 0, 0, 1), wp.vec3(1, 0, 0)),
        [1, 1, 0],
    ),
    "sdf_sphere": (lambda: geometry.sdf_sphere(wp.vec3(0, 0, 3), 1.0), 2.0),
    "sdf_box": (lambda: geometry.sdf_box(wp.vec3(0.1, 0.2, 0.3), 0.5, 0.5, 0.5), -0.2),
    "sdf_capsule": (lambda: geometry.sdf_capsule(wp.vec3(0, 3, 0), 0.5, 1.0), 1.5),
    "sdf_cylinder": (lambda: geometry.sdf_cylinder(wp.vec3(0, 0, 2), 0.5, 1.0, 2), 1.0),
    "sdf_cone": (lambda: geometry.sdf_cone(wp.vec3(0, 0, -2), 0.5, 1.0, 2), 1.0),
    "sdf_plane": (lambda: geometry.sdf_plane(wp.vec3(1, 2, 3), 0.0, 0.0), 3.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_kernels_run_in_python(name):
    call, want = CALLS[name]
    assert_close([np.asarray(call(), float)], [want], "kinematics", floor=1.0, what=name)
