"""Forward and inverse kinematics of articulations: joint coordinates to body poses, and back."""

from typing import Any

import warp as wp

from newtonlite.core.enums import BodyFlags
from newtonlite.core.errors import DeviceError, ModelError, StateError
from newtonlite.sim.articulation_struct import articulation_struct
from newtonlite.sim.kinematics import forward_kernel, inverse_kernel, mark_rows


def eval_fk(
    model: Any,
    joint_q: wp.array,
    joint_qd: wp.array,
    state: Any,
    mask: wp.array | None = None,
    indices: wp.array | None = None,
    body_flag_filter: int = BodyFlags.ALL,
    *,
    joint_mask: wp.array | None = None,
) -> None:
    """Write ``state.body_q`` and ``state.body_qd`` of articulated bodies from joint coordinates and velocities.

    ``mask`` [articulation_count] or ``indices`` choose articulations (those that do not exist are passed over),
    ``joint_mask`` [joint_count] joints, and
    ``body_flag_filter`` bodies by their flags; bodies not chosen keep their poses, and their children hang from those.
    """
    _check(model, joint_q, joint_qd, state, mask, indices, joint_mask, "eval_fk")
    count = model.articulation_count if indices is None else len(indices)
    if count == 0:
        return
    wp.launch(
        forward_kernel,
        dim=count,
        inputs=[articulation_struct(model), indices, mask, joint_mask, int(body_flag_filter), joint_q, joint_qd],
        outputs=[state.body_q, state.body_qd],
        device=model.device,
    )


def eval_ik(
    model: Any,
    state: Any,
    joint_q: wp.array,
    joint_qd: wp.array,
    mask: wp.array | None = None,
    indices: wp.array | None = None,
    body_flag_filter: int = BodyFlags.ALL,
) -> None:
    """Write joint coordinates and velocities from ``state.body_q`` and ``state.body_qd``.

    Angles of single hinges come out in (-pi, pi].  ``mask`` [articulation_count] or ``indices`` choose articulations,
    ``body_flag_filter`` child bodies by their flags; coordinates of joints not chosen stay.
    """
    _check(model, joint_q, joint_qd, state, mask, indices, None, "eval_ik")
    if model.joint_count == 0:
        return
    chosen = _mask_of(model, indices)
    wp.launch(
        inverse_kernel,
        dim=model.joint_count,
        inputs=[articulation_struct(model), mask, chosen, int(body_flag_filter), state.body_q, state.body_qd],
        outputs=[joint_q, joint_qd],
        device=model.device,
    )


def chosen_articulations(model: Any, mask: Any, indices: Any, where: str) -> wp.array | None:
    """Mask of the articulations ``indices``, None where these are; both selectors are checked."""
    _check_arrays(model, _selectors(model, mask, indices, where), where)
    return _mask_of(model, indices)


def _mask_of(model: Any, indices: Any) -> wp.array | None:
    if indices is None:
        return None
    chosen = wp.zeros(max(1, model.articulation_count), dtype=wp.bool, device=model.device)
    wp.launch(mark_rows, dim=len(indices), inputs=[indices, chosen], device=model.device)
    return chosen


def _selectors(model: Any, mask: Any, indices: Any, where: str) -> list[tuple]:
    if mask is not None and indices is not None:
        raise ModelError(
            f"{where}: mask and indices are mutually exclusive, both choose articulations; give one of them"
        )
    wanted = [("mask", mask, wp.bool, model.articulation_count)] if mask is not None else []
    return wanted + ([("indices", indices, wp.int32, None)] if indices is not None else [])


def _check(
    model: Any, joint_q: Any, joint_qd: Any, state: Any, mask: Any, indices: Any, joint_mask: Any, where: str
) -> None:
    """Raise before anything is launched where an array is missing, of another shape or type, or elsewhere."""
    wanted = [
        ("joint_q", joint_q, wp.float32, model.joint_coord_count),
        ("joint_qd", joint_qd, wp.float32, model.joint_dof_count),
        ("state.body_q", state.body_q, wp.transformf, model.body_count),
        ("state.body_qd", state.body_qd, wp.spatial_vectorf, model.body_count),
    ]
    wanted += _selectors(model, mask, indices, where)
    wanted += [("joint_mask", joint_mask, wp.bool, model.joint_count)] if joint_mask is not None else []
    _check_arrays(model, wanted, where)


def _check_arrays(model: Any, wanted: list[tuple], where: str) -> None:
    for name, array, dtype, count in wanted:
        if array is None and not count:
            continue
        if not isinstance(array, wp.array):
            raise StateError(f"{where} {name}: {type(array).__name__}; give a wp.array")
        if (
            not wp.types.types_equal(array.dtype, dtype)
            or array.ndim != 1
            or (count is not None and len(array) != count)
        ):
            form = f"{dtype.__name__}({'n' if count is None else count},)"
            raise StateError(f"{where} {name}: {array.dtype.__name__}{array.shape}; give {form}")
        if array.device != model.device:
            raise DeviceError(f"{where} {name}: on {array.device}, the model on {model.device}; move it there")
