"""State vectors: the parts that a bit field names, as MuJoCo's ``mj_getState`` orders them."""

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.mjwarp.enums import State

kernel_module(__name__)

PARTS = (
    (State.TIME, "time"),
    (State.QPOS, "qpos"),
    (State.QVEL, "qvel"),
    (State.ACT, "act"),
    (State.HISTORY, "history"),
    (State.WARMSTART, "qacc_warmstart"),
    (State.CTRL, "ctrl"),
    (State.QFRC_APPLIED, "qfrc_applied"),
    (State.XFRC_APPLIED, "xfrc_applied"),
    (State.EQ_ACTIVE, "eq_active"),
    (State.MOCAP_POS, "mocap_pos"),
    (State.MOCAP_QUAT, "mocap_quat"),
    (State.USERDATA, "userdata"),
    (State.PLASTIC, "plastic"),
)


@wp.kernel(enable_backward=False)
def copy_columns(active: wp.array[bool], source: wp.array2d[float], first: int, target: wp.array2d[float], at: int):
    """Columns of ``source`` from ``first`` into ``target`` from ``at``, in the active worlds."""
    world, i = wp.tid()
    if active.shape[0] == 0 or active[world]:
        target[world, at + i] = source[world, first + i]


@wp.kernel(enable_backward=False)
def from_ints(active: wp.array[bool], source: wp.array2d[int], target: wp.array2d[float], at: int):
    """Whole numbers into a row of reals."""
    world, i = wp.tid()
    if active.shape[0] == 0 or active[world]:
        target[world, at + i] = float(source[world, i])


@wp.kernel(enable_backward=False)
def to_ints(active: wp.array[bool], source: wp.array2d[float], first: int, target: wp.array2d[int]):
    """Reals of a row as whole numbers."""
    world, i = wp.tid()
    if active.shape[0] == 0 or active[world]:
        target[world, i] = int(source[world, first + i])


def get_state(m, d, state: wp.array, sig: int, active: wp.array | None = None) -> None:
    """Write the parts named by ``sig`` into ``state [nworld, size]``, in the worlds of the mask ``active [nworld]``
    (all when None).

    Raises StateError for unknown bits or a row that is too short.
    """
    _walk(m, d, state, sig, active, True)


def set_state(m, d, state: wp.array, sig: int, active: wp.array | None = None) -> None:
    """Set the parts named by ``sig`` from ``state [nworld, size]``; the reverse of ``get_state``."""
    _walk(m, d, state, sig, active, False)


def _walk(m, d, state: wp.array, sig: int, active, reading: bool) -> None:
    if sig < 0 or sig >= 2 * State.PLASTIC:
        raise StateError(f"sig={sig}: expected a combination of mjwarp.State bits, below {2 * State.PLASTIC}")
    parts = [
        (name, d.userdata if name == "userdata" else d.batch.as_numbers(name))
        for bit, name in PARTS
        if sig & bit and (name == "userdata" or name in d.engine.arrays)
    ]
    size = sum(a.shape[1] for _, a in parts)
    if not isinstance(state, wp.array) or state.ndim != 2 or state.shape[0] != d.nworld or state.shape[1] < size:
        raise StateError(f"state: expected a Warp array of floats [{d.nworld}, {size} or more]")
    device = d.engine.device
    active = wp.empty(0, dtype=bool, device=device) if active is None else active
    at = 0
    for _, array in parts:
        n = array.shape[1]
        if n and array.dtype is wp.int32:
            kernel, inputs = (
                (from_ints, [active, array, state, at]) if reading else (to_ints, [active, state, at, array])
            )
            wp.launch(kernel, (d.nworld, n), inputs, device=device)
        elif n:
            inputs = [active, array, 0, state, at] if reading else [active, state, at, array, 0]
            wp.launch(copy_columns, (d.nworld, n), inputs, device=device)
        at += n
