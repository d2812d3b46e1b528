"""Reset: chosen worlds of a state go back to the model's initial one, and the engine forgets them."""

import warp as wp

from newtonlite.core.enums import StateFlags
from newtonlite.solvers.mujoco.kernels.convert.reset import reset_rows, zero_rows, zero_words

RESTORED = {
    "joint_q": StateFlags.JOINT_Q,
    "joint_qd": StateFlags.JOINT_QD,
    "body_q": StateFlags.BODY_Q,
    "body_qd": StateFlags.BODY_QD,
}
FORGOTTEN = ("qacc_warmstart", "act", "time")
"""What the engine carries from step to step besides positions and velocities and starts at zero."""
RETURNED = {"history": "history0", "plastic": "plastic0", "tree_asleep": "tree_asleep0", "held_qpos": "qpos0", "sleep_fresh": "sleep_fresh0"}
"""What starts at a parameter of the model."""


def reset_state(model, m, d, state, mask, flags) -> None:
    """Restore what ``flags`` (``StateFlags``, all when None) name in the worlds in ``mask``, on the device."""
    flags = StateFlags.ALL if flags is None else int(flags)
    for name, flag in RESTORED.items():
        if flags & flag:
            launch_rows(reset_rows, mask, getattr(model, name), getattr(state, name))
    if flags & StateFlags.BODY_F and state.body_f is not None:
        launch_rows(zero_rows, mask, state.body_f)
    for name in FORGOTTEN:
        launch_rows(zero_rows, mask, d.arrays[name])
    for name, initial in RETURNED.items():
        if m.arrays[initial].size and d.arrays[name].size:
            launch_rows(reset_rows, mask, m.arrays[initial], d.arrays[name])
    wp.launch(zero_words, dim=d.nworld, inputs=[mask, d.bad], device=d.device)


def launch_rows(kernel, mask, *arrays) -> None:
    """Launch a kernel over the numbers of arrays with one row per world; the first may have one row for all."""
    rows = [floats(a, len(mask)) for a in arrays if a is not None]
    if len(rows) == len(arrays) and rows[-1].size:
        wp.launch(kernel, dim=rows[-1].shape, inputs=[mask, *rows], device=mask.device)


def floats(array: wp.array, nworld: int) -> wp.array:
    """The numbers of an array of the scene or the engine, one row per world (or one for all), without copying."""
    count = array.size * wp.types.type_size(array.dtype)
    rows = 1 if array.ndim > 1 and array.shape[0] == 1 else nworld
    return wp.array(ptr=array.ptr, dtype=float, shape=(rows, count // rows), device=array.device, capacity=array.capacity)
