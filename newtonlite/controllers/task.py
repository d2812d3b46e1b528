"""Kernels of laws in the space of a task: springs between poses, and which axes of a task a vector acts along."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel
def task_spring(
    error: wp.array[wp.spatial_vector],
    twist: wp.array[wp.spatial_vector],
    desired: wp.array[wp.spatial_vector],
    stiffness: wp.array[wp.spatial_vector],
    damping: wp.array[wp.spatial_vector],
    out: wp.array[wp.spatial_vector],
):
    """``Kp error + Kd (desired twist - twist)``, axis by axis."""
    i = wp.tid()
    out[i] = wp.cw_mul(stiffness[i], error[i]) + wp.cw_mul(damping[i], desired[i] - twist[i])


@wp.func
def masked(turn: wp.quat, share: wp.vec3, v: wp.vec3) -> wp.vec3:
    """``R diag(share) R^T v``."""
    return wp.quat_rotate(turn, wp.cw_mul(share, wp.quat_rotate_inv(turn, v)))


@wp.kernel
def specify(
    linear_frame: wp.array[wp.quat],
    angular_frame: wp.array[wp.quat],
    axes: wp.array[wp.spatial_vector],
    vector: wp.array[wp.spatial_vector],
    out: wp.array[wp.spatial_vector],
):
    """Khatib's generalized task specification: the shares of a vector along the selected axes of two frames, one for
    each half.
    """
    i = wp.tid()
    linear = masked(linear_frame[i], wp.spatial_top(axes[i]), wp.spatial_top(vector[i]))
    out[i] = wp.spatial_vector(
        linear, masked(angular_frame[i], wp.spatial_bottom(axes[i]), wp.spatial_bottom(vector[i]))
    )


@wp.kernel
def wrench_command(
    desired: wp.array[wp.spatial_vector],
    measured: wp.array[wp.spatial_vector],
    gain: wp.array[wp.spatial_vector],
    forward: float,
    out: wp.array[wp.spatial_vector],
):
    """``forward desired + K (desired - measured)``; without ``measured`` only the first."""
    i = wp.tid()
    total = forward * desired[i]
    if measured:
        total += wp.cw_mul(gain[i], desired[i] - measured[i])
    out[i] = total
