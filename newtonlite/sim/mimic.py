"""Joints that follow others: their coordinates from those of the joints they follow."""

from typing import Any

import warp as wp

from newtonlite.core.errors import DeviceError, StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.articulation import chosen_articulations
from newtonlite.sim.articulation_struct import ArticulationStruct, articulation_struct, left_out

kernel_module(__name__)


@wp.kernel
def follow(
    t: ArticulationStruct,
    mask: wp.array[wp.bool],
    chosen: wp.array[wp.bool],
    followed: wp.array[int],
    coeffs: wp.array[wp.vec2],
    start: wp.array[int],
    constant: bool,
    values: wp.array[float],
    out: wp.array[float],
):
    """``coeffs[0] + coeffs[1] value`` of each row of a followed joint, without the constant for velocities; the joint's own
    values where it follows none.
    """
    joint = wp.tid()
    articulation = t.joint_articulation[joint]
    if left_out(mask, articulation) or left_out(chosen, articulation):
        return
    other = followed[joint]
    if other < 0:
        for i in range(start[joint], start[joint + 1]):
            out[i] = values[i]
        return
    offset = float(0.0)
    if constant:
        offset = coeffs[joint][0]
    for i in range(start[joint + 1] - start[joint]):
        out[start[joint] + i] = offset + coeffs[joint][1] * values[start[other] + i]


def eval_mimic(
    model: Any, state_in: Any, state_out: Any = None, *, mask: wp.array | None = None, indices: wp.array | None = None
) -> None:
    """Write ``joint_q`` and ``joint_qd`` of joints that follow others (``ModelBuilder.set_joint_mimic``), with those of
    all others.

    ``state_out`` is by default ``state_in``. ``mask`` [articulation_count] or ``indices`` choose articulations; what
    belongs to others stays as it is in ``state_out``.
    """
    target = state_in if state_out is None else state_out
    chosen = chosen_articulations(model, mask, indices, "eval_mimic")
    table = articulation_struct(model) if model.joint_count else None
    for name, starts, constant in (("joint_q", model.joint_q_start, True), ("joint_qd", model.joint_qd_start, False)):
        values, out = getattr(state_in, name), getattr(target, name)
        for array in (values, out):
            if array is None or array.shape != getattr(model, name).shape:
                raise StateError(f"eval_mimic: {name} is {array}; give states of the same model")
            if array.device != model.device:
                raise DeviceError(f"eval_mimic: {name} is on {array.device}, the model on {model.device}; move one")
        if model.joint_count:
            inputs = [table, mask, chosen, model.joint_mimic_joint, model.joint_mimic_coeffs, starts, constant, values]
            wp.launch(follow, model.joint_count, inputs, [out], device=model.device)
