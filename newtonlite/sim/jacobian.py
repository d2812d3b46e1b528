"""Jacobian and mass matrix of articulations."""

import warnings
from typing import Any

import warp as wp

from newtonlite.core.enums import JointType
from newtonlite.core.errors import DeviceError, NewtonDeprecationWarning, StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.articulation_struct import (
    ArticulationStruct,
    articulation_struct,
    base_frame,
    com_of,
    floats,
    left_out,
)
from newtonlite.sim.euler_angles import axis_angle

kernel_module(__name__)

NO_ARMATURE = "eval_mass_matrix: include_armature is deprecated; subtract Model.joint_armature from the diagonal for the matrix without it"


@wp.func
def turning(axis: wp.vec3, point: wp.vec3) -> wp.spatial_vector:
    """Turning about an axis through a point: the velocity of what is at the world's origin, and the angular one."""
    return wp.spatial_vector(wp.cross(point, axis), axis)


@wp.func
def axis_vector(k: int) -> wp.vec3:
    """Unit vector along a coordinate axis."""
    return wp.vec3(float(k == 0), float(k == 1), float(k == 2))


@wp.kernel
def subspace_kernel(
    t: ArticulationStruct,
    joint_q: wp.array[float],
    body_q: wp.array[wp.transform],
    joint_S_s: wp.array[wp.spatial_vector],
):
    """A joint per thread: the motion that each of its velocities makes, in the world about the world's origin."""
    joint = wp.tid()
    child = t.joint_child[joint]
    turn = wp.transform_get_rotation(base_frame(t, body_q, joint))
    kind = t.joint_type[joint]
    at = t.joint_qd_start[joint]
    n = t.joint_dof_dim[joint, 0]
    point = wp.transform_get_translation(body_q[child] * t.joint_X_c[joint])
    if floats(kind):
        point = com_of(t, body_q, child)
    fixed_axes = floats(kind) or kind == JointType.BALL
    for i in range(n):
        axis = t.joint_axis[at + i]
        if fixed_axes:
            axis = axis_vector(i)
        joint_S_s[at + i] = wp.spatial_vector(wp.quat_rotate(turn, axis), wp.vec3())
    for i in range(t.joint_dof_dim[joint, 1]):
        axis = t.joint_axis[at + n + i]
        if fixed_axes:
            axis = axis_vector(i)
        joint_S_s[at + n + i] = turning(wp.quat_rotate(turn, axis), point)
        if not fixed_axes:
            turn = turn * axis_angle(axis, joint_q[t.joint_q_start[joint] + n + i])


@wp.kernel
def jacobian_kernel(
    t: ArticulationStruct,
    mask: wp.array[wp.bool],
    body_q: wp.array[wp.transform],
    joint_S_s: wp.array[wp.spatial_vector],
    J: wp.array3d[float],
):
    """A link per thread: its six rows, a column for each velocity between it and the root."""
    articulation, link = wp.tid()
    for row in range(6 * link, 6 * link + 6):
        for column in range(J.shape[2]):
            J[articulation, row, column] = 0.0
    if left_out(mask, articulation):
        return
    first = t.articulation_start[articulation]
    joint = first + link
    if joint >= t.articulation_end[articulation]:
        return
    com = com_of(t, body_q, t.joint_child[joint])
    mover = int(joint)
    while mover >= first:
        for dof in range(t.joint_qd_start[mover], t.joint_qd_start[mover + 1]):
            angular = wp.spatial_bottom(joint_S_s[dof])
            linear = wp.spatial_top(joint_S_s[dof]) + wp.cross(angular, com)
            column = dof - t.joint_qd_start[first]
            for k in range(3):
                J[articulation, 6 * link + k, column] = linear[k]
                J[articulation, 6 * link + 3 + k, column] = angular[k]
        mover = t.joint_ancestor[mover]


@wp.func
def column_part(J: wp.array3d[float], articulation: int, row: int, column: int) -> wp.vec3:
    """Three entries of a column, from a row downwards."""
    return wp.vec3(J[articulation, row, column], J[articulation, row + 1, column], J[articulation, row + 2, column])


@wp.kernel
def mass_kernel(
    t: ArticulationStruct,
    mask: wp.array[wp.bool],
    armature: float,
    body_q: wp.array[wp.transform],
    J: wp.array3d[float],
    H: wp.array3d[float],
):
    """An entry per thread: ``H = sum_links m Jv^T Jv + (R^T Jw)^T I (R^T Jw)``, and the armature on the diagonal."""
    articulation, i, j = wp.tid()
    H[articulation, i, j] = 0.0
    if left_out(mask, articulation):
        return
    first = t.articulation_start[articulation]
    last = t.articulation_end[articulation]
    count = t.joint_qd_start[last] - t.joint_qd_start[first]
    total = float(0.0)
    if i < count and j < count:
        for joint in range(first, last):
            body = t.joint_child[joint]
            row = 6 * (joint - first)
            turn = wp.transform_get_rotation(body_q[body])
            left = wp.quat_rotate_inv(turn, column_part(J, articulation, row + 3, i))
            right = wp.quat_rotate_inv(turn, column_part(J, articulation, row + 3, j))
            total += t.body_mass[body] * wp.dot(
                column_part(J, articulation, row, i), column_part(J, articulation, row, j)
            )
            total += wp.dot(left, t.body_inertia[body] * right)
        if i == j:
            total += armature * t.joint_armature[t.joint_qd_start[first] + i]
    H[articulation, i, j] = total


def eval_jacobian(
    model: Any, state: Any, J: wp.array | None = None, joint_S_s: wp.array | None = None, mask: wp.array | None = None
) -> wp.array | None:
    """The Jacobian of every articulation: ``J[a] @ joint_qd`` are the velocities ``body_qd`` of its links, in order.

    ``J`` is ``[articulation_count, 6 max_joints_per_articulation, max_dofs_per_articulation]``; a link is the child of
    a joint, unused rows and columns are zero.  Poses come from ``state.body_q``, the angles of axes that carry others
    from ``state.joint_q``.  ``joint_S_s`` [joint_dof_count] is scratch; ``mask`` [articulation_count] chooses
    articulations; those of the others are zero. Returns ``J``, None where there are no articulations.
    """
    if model.articulation_count == 0:
        return None
    links, dofs = model.max_joints_per_articulation, model.max_dofs_per_articulation
    J = _array(J, (model.articulation_count, 6 * links, dofs), wp.float32, model, "eval_jacobian J")
    joint_S_s = _array(joint_S_s, (model.joint_dof_count,), wp.spatial_vectorf, model, "eval_jacobian joint_S_s")
    if mask is not None:
        _array(mask, (model.articulation_count,), wp.bool, model, "eval_jacobian mask")
    tree, device = articulation_struct(model), model.device
    wp.launch(subspace_kernel, model.joint_count, [tree, state.joint_q, state.body_q], [joint_S_s], device=device)
    wp.launch(
        jacobian_kernel, (model.articulation_count, links), [tree, mask, state.body_q, joint_S_s], [J], device=device
    )
    return J


def eval_mass_matrix(
    model: Any,
    state: Any,
    H: wp.array | None = None,
    J: wp.array | None = None,
    body_I_s: wp.array | None = None,
    joint_S_s: wp.array | None = None,
    mask: wp.array | None = None,
    *,
    include_armature: bool = True,
) -> wp.array | None:
    """The joint-space inertia of every articulation, ``H = J^T M J`` and the armature on its diagonal.

    ``H`` is ``[articulation_count, max_dofs_per_articulation, max_dofs_per_articulation]``, zero where it is not used.
    ``J`` may be given as ``eval_jacobian`` made it; ``body_I_s`` is not needed.  ``mask`` [articulation_count] chooses
    articulations; those of the others are zero. Returns ``H``, None where there are no articulations.  ``include_armature=False``, deprecated, leaves
    the armature out.
    """
    if not include_armature:
        warnings.warn(NO_ARMATURE, NewtonDeprecationWarning, stacklevel=2)
    return mass_matrix(model, state, H, J, joint_S_s, mask, include_armature)


def mass_matrix(
    model: Any,
    state: Any,
    H: wp.array | None = None,
    J: wp.array | None = None,
    joint_S_s: wp.array | None = None,
    mask: wp.array | None = None,
    include_armature: bool = True,
) -> wp.array | None:
    """``eval_mass_matrix`` without its warning."""
    if model.articulation_count == 0:
        return None
    dofs = model.max_dofs_per_articulation
    H = _array(H, (model.articulation_count, dofs, dofs), wp.float32, model, "eval_mass_matrix H")
    if mask is not None:
        _array(mask, (model.articulation_count,), wp.bool, model, "eval_mass_matrix mask")
    if J is None:
        J = eval_jacobian(model, state, None, joint_S_s, mask)
    J = _array(
        J,
        (model.articulation_count, 6 * model.max_joints_per_articulation, dofs),
        wp.float32,
        model,
        "eval_mass_matrix J",
    )
    wp.launch(
        mass_kernel,
        H.shape,
        [articulation_struct(model), mask, float(include_armature), state.body_q, J],
        [H],
        device=model.device,
    )
    return H


def _array(array: wp.array | None, shape: tuple, dtype: Any, model: Any, where: str) -> wp.array:
    """The array, checked; a new one of zeros where none is given."""
    if array is None:
        return wp.zeros(shape, dtype=dtype, device=model.device)
    if array.shape != shape or not wp.types.types_equal(array.dtype, dtype):
        raise StateError(f"{where}: {array.dtype.__name__}{array.shape}; give {dtype.__name__}{shape}")
    if array.device != model.device:
        raise DeviceError(f"{where}: on {array.device}, the model on {model.device}; move it there")
    return array
