"""Joints that follow others: their coordinates from those of the joints they follow."""

from typing import Any

import warp as wp

from newtonlite.core.errors import DeviceError, StateError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.kernel
def follow(
    followed: wp.array[int],
    coeffs: wp.array[wp.vec2],
    start: wp.array[int],
    constant: bool,
    values: wp.array[float],
    out: wp.array[float],
):
    """``coeffs[0] + coeffs[1] value`` of each row of a followed joint; without the constant for velocities."""
    joint = wp.tid()
    other = followed[joint]
    if other < 0:
        return
    offset = float(0.0)
    if constant:
        offset = coeffs[joint][0]
    for i in range(start[joint + 1] - start[joint]):
        out[start[joint] + i] = offset + coeffs[joint][1] * values[start[other] + i]


def eval_mimic(model: Any, state_in: Any, state_out: Any = None) -> None:
    """Write ``joint_q`` and ``joint_qd`` of joints that follow others (``ModelBuilder.set_joint_mimic``), with those of
    all others.

    ``state_out`` is by default ``state_in``.
    """
    target = state_in if state_out is None else state_out
    for name, starts, constant in (("joint_q", model.joint_q_start, True), ("joint_qd", model.joint_qd_start, False)):
        values, out = getattr(state_in, name), getattr(target, name)
        for array in (values, out):
            if array is None or array.shape != getattr(model, name).shape:
                raise StateError(f"eval_mimic: {name} is {array}; give states of the same model")
            if array.device != model.device:
                raise DeviceError(f"eval_mimic: {name} is on {array.device}, the model on {model.device}; move one")
        if out is not values:
            wp.copy(out, values)
        if model.joint_count:
            inputs = [model.joint_mimic_joint, model.joint_mimic_coeffs, starts, constant, values]
            wp.launch(follow, model.joint_count, inputs, [out], device=model.device)
