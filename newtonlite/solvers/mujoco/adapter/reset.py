"""Reset of chosen worlds of a state to the model's initial state, in the scene and in the engine."""

import warp as wp

from newtonlite.core.enums import StateFlags
from newtonlite.solvers.mujoco.kernels.state_io.reset import reset_rows, set_words, zero_rows

RESTORED = {
    "joint_q": ("coord", StateFlags.JOINT_Q),
    "joint_qd": ("dof", StateFlags.JOINT_QD),
    "body_q": ("body", StateFlags.BODY_Q),
    "body_qd": ("body", StateFlags.BODY_QD),
}
FORGOTTEN = ("qacc_warmstart", "act", "time", "qfrc_applied", "xfrc_applied", "ctrl", "overflow", "lost_digits")
"""Fields that the engine carries from step to step besides positions and velocities, or that were written into its data,
and that start at zero.
"""
RETURNED = {
    "history": "history0",
    "plastic": "plastic0",
    "tree_asleep": "tree_asleep0",
    "asleep_qpos": "qpos0",
    "sleep_fresh": "sleep_fresh0",
}
"""Fields that start at a parameter of the model."""


def reset_state(model, rows, state, mask, flags) -> None:
    """Restore what ``flags`` (``StateFlags``) name of an engine's worlds in ``mask``, on the device."""
    for name, (kind, flag) in RESTORED.items():
        if flags & flag and getattr(state, name) is not None:
            source, into = rows.numbers(getattr(model, name), kind)
            target, out_of = rows.numbers(getattr(state, name), kind)
            change(reset_rows, mask, [copy for copy in (into, out_of) if copy], source, target)
    if flags & StateFlags.BODY_F and state.body_f is not None:
        target, copy = rows.numbers(state.body_f, "body")
        change(zero_rows, mask, [copy] if copy else [], target)


def change(kernel, mask, copies: list, *arrays) -> None:
    """Launch a kernel over numbers by world; of copies the last goes back."""
    for copy in copies:
        copy.fill()
    if arrays[-1].size:
        wp.launch(kernel, dim=arrays[-1].shape, inputs=[mask, *arrays], device=mask.device)
    if copies:
        copies[-1].write_back()


def forget(m, d, mask, resync) -> None:
    """Reset the engine's memory of the worlds in ``mask`` to its start; the next step reads their positions."""
    for name in FORGOTTEN:
        launch_rows(zero_rows, mask, d.arrays[name])
    for name, initial in RETURNED.items():
        if m.arrays[initial].size and d.arrays[name].size:
            launch_rows(reset_rows, mask, m.arrays[initial], d.arrays[name])
    wp.launch(set_words, dim=d.nworld, inputs=[mask, 0, d.bad], device=d.device)
    wp.launch(set_words, dim=d.nworld, inputs=[mask, 1, resync.flatten()], device=d.device)


def launch_rows(kernel, mask, *arrays) -> None:
    """Launch a kernel over the numbers of arrays with one row per world; the first may have one row for all."""
    rows = [floats(a, len(mask)) for a in arrays if a is not None]
    if len(rows) == len(arrays) and rows[-1].size:
        wp.launch(kernel, dim=rows[-1].shape, inputs=[mask, *rows], device=mask.device)


def floats(array: wp.array, nworld: int) -> wp.array:
    """The numbers of an array of the scene or the engine, one row per world (or one for all), without copying."""
    count = array.size * wp.types.type_size(array.dtype)
    rows = 1 if array.ndim > 1 and array.shape[0] == 1 else nworld
    return wp.array(
        ptr=array.ptr, dtype=float, shape=(rows, count // rows), device=array.device, capacity=array.capacity
    )
