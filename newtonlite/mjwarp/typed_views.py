"""Views of fields with MuJoCo Warp's element types: flags as bools, matrices and long vectors as one element.

A view shares its numbers with the engine's array: what is written into either is seen in both.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.types import cell_shape
from newtonlite.mjwarp.vectors import vec12f
from newtonlite.solvers.mujoco.executor.views import as_numbers

FLAGS = (
    "eq_active",
    "eq_active0",
    "actuator_actearly",
    "actuator_actlimited",
    "actuator_ctrllimited",
    "actuator_forcelimited",
    "jnt_actfrclimited",
    "tendon_actfrclimited",
    "flex_rigid",
    "flexedge_rigid",
)
"""Fields of 0 and 1 that are whole numbers in the engine."""
VIEWED = {**dict.fromkeys(FLAGS, wp.bool), "cam_mat0": wp.mat33, "eq_data": vec12f}
"""Element type of each viewed field."""


def typed_view(name: str, array: wp.array) -> wp.array:
    """A field with MuJoCo Warp's element type, without a copy; of a field that already has it the array itself.

    A flag is the first byte of its number, which is 0 or 1.
    """
    dtype = VIEWED.get(name)
    if dtype is None or array.dtype is dtype:
        return array
    shape = array.shape[: array.ndim - (1 if cell_shape(dtype) else 0)]
    view = wp.array(
        ptr=array.ptr, dtype=dtype, shape=shape, strides=array.strides[: len(shape)], device=array.device, copy=False
    )
    view.owner = array
    return view


def engine_form(name: str, value: Any) -> Any:
    """Value of a viewed field as the engine takes it: of a Warp array on the device a view, so that later writes into it
    count; flags, which are of another size, are copied.
    """
    dtype = VIEWED.get(name)
    if dtype is None or isinstance(value, (bool, int, float)):
        return value
    if dtype is wp.bool:
        flags = value.numpy() if isinstance(value, wp.array) else np.asarray(value)
        return flags.astype(np.int32) if flags.dtype == bool else value
    cell = cell_shape(dtype)
    if not isinstance(value, wp.array):
        found = np.asarray(value)
        whole = len(cell) > 1 and found.shape[-len(cell) :] == cell
        return found.reshape(*found.shape[: -len(cell)], -1) if whole else value
    if cell_shape(value.dtype) != cell:
        return value
    value = value.contiguous()
    return as_numbers(value).reshape((*value.shape, int(np.prod(cell))))
