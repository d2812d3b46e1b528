"""Model update: numbers of the scene's model written into the engine's parameters, on the device.

One thread per world and thing. Worlds in which a value becomes another one are marked in ``changed``.
"""

from typing import Any

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtEq
from newtonlite.solvers.mujoco.kernels.constant.reference_pose import FROM_POSE
from newtonlite.solvers.mujoco.kernels.primitives.asleep import AWAKE

kernel_module(__name__)

ROUNDING = wp.constant(2.0e-6)  # relative difference that float32 and float64 may have


@wp.func
def update_value(old: float, new: float, scale: float, world: int, changed: wp.array[int]) -> float:
    """``new``, or ``old`` where the two differ by no more than rounding of numbers as large as ``scale``."""
    if wp.abs(new - old) <= ROUNDING * wp.max(scale, wp.abs(old)):
        return old
    changed[world] = 1
    return new


@wp.func
def update_vec3(old: wp.vec3, new: wp.vec3, scale: float, world: int, changed: wp.array[int]) -> wp.vec3:
    """``update_value`` for a vector as a whole."""
    if wp.length(new - old) <= ROUNDING * wp.max(scale, wp.length(old)):
        return old
    changed[world] = 1
    return new


@wp.func
def update_quat(old: wp.quat, new: wp.quat, world: int, changed: wp.array[int]) -> wp.quat:
    """``update_value`` for a rotation; ``q`` and ``-q`` are the same one."""
    d = wp.abs(old[0] - new[0]) + wp.abs(old[1] - new[1]) + wp.abs(old[2] - new[2]) + wp.abs(old[3] - new[3])
    s = wp.abs(old[0] + new[0]) + wp.abs(old[1] + new[1]) + wp.abs(old[2] + new[2]) + wp.abs(old[3] + new[3])
    if wp.min(d, s) <= ROUNDING:
        return old
    changed[world] = 1
    return new


@wp.kernel(enable_backward=False)
def move_flags(where: wp.array[int], first: wp.array[int], source: wp.array2d[wp.bool], target: wp.array2d[int]):
    """Switches as 0 and 1."""
    world, k = wp.tid()
    target[world, where[k]] = int(source[world, first[k]])


@wp.kernel(enable_backward=False)
def restore_rows(changed: wp.array[int], kept: wp.array2d[float], target: wp.array2d[float]):
    """Put back the numbers of worlds in which nothing changed."""
    world, k = wp.tid()
    if changed[world] == 0:
        target[world, k] = kept[world, k]


@wp.kernel(enable_backward=False)
def mark_changed(reference: wp.array[int], changed: wp.array[int]):
    """A world whose reference pose changed is one in which something changed."""
    world = wp.tid()
    if reference[world] != 0:
        changed[world] = 1


@wp.func
def same_tie(kept: wp.array3d[float], data: wp.array3d[float], world: int, k: int) -> bool:
    """Whether a tie still has the anchor that it had, and gets its pose in the way that it did."""
    same = kept[world, k, FROM_POSE] == data[world, k, FROM_POSE]
    for c in range(3):
        same = same and kept[world, k, c] == data[world, k, c]
    return same


@wp.kernel(enable_backward=False)
def restore_ties(
    reference: wp.array[int],
    posed: wp.array[int],
    kind: wp.array[int],
    kept: wp.array3d[float],
    data: wp.array3d[float],
):
    """Put back the relative poses of ties that were made at the reference pose, where neither that nor the tie changed."""
    world, k = wp.tid()
    given = kind[k] == MjtEq.WELD and data[world, k, FROM_POSE] == 0.0
    if posed[k] != 0 and reference[world] == 0 and not given and same_tie(kept, data, world, k):
        for c in range(3, 10):
            data[world, k, c] = kept[world, k, c]


@wp.kernel(enable_backward=False)
def wake_changed(changed: wp.array[int], every: int, tree_asleep: wp.array2d[int]):
    """Wake the trees of worlds in which something changed, or of every world."""
    world, t = wp.tid()
    if changed[world] != 0 or every != 0:
        tree_asleep[world, t] = AWAKE


@wp.func
def write(target: wp.array2d[float], world: int, k: int, value: float, scale: float, changed: wp.array[int]):
    """Write what ``update_value`` gives."""
    target[world, k] = update_value(target[world, k], value, scale, world, changed)


@wp.func
def write(  # noqa: F811
    target: wp.array2d[wp.vec3], world: int, k: int, value: wp.vec3, scale: float, changed: wp.array[int]
):
    """A vector, as a whole."""
    target[world, k] = update_vec3(target[world, k], value, scale, world, changed)


@wp.func
def write(  # noqa: F811
    target: wp.array2d[wp.quat], world: int, k: int, value: wp.quat, scale: float, changed: wp.array[int]
):
    """A rotation."""
    target[world, k] = update_quat(target[world, k], value, world, changed)


@wp.func
def write(  # noqa: F811
    target: wp.array2d[wp.vec2], world: int, k: int, value: wp.vec2, scale: float, changed: wp.array[int]
):
    """Two numbers, each by itself."""
    old = target[world, k]
    target[world, k] = wp.vec2(
        update_value(old[0], value[0], scale, world, changed), update_value(old[1], value[1], scale, world, changed)
    )


@wp.func
def write(  # noqa: F811
    target: wp.array2d[Any], world: int, k: int, at: int, value: float, scale: float, changed: wp.array[int]
):
    """Component ``at`` of a vector."""
    old = target[world, k]
    old[at] = update_value(old[at], value, scale, world, changed)
    target[world, k] = old


@wp.func
def write(  # noqa: F811
    target: wp.array3d[float], world: int, k: int, at: int, value: wp.vec3, scale: float, changed: wp.array[int]
):
    """Three numbers of a row from ``at`` on."""
    old = wp.vec3(target[world, k, at], target[world, k, at + 1], target[world, k, at + 2])
    new = update_vec3(old, value, scale, world, changed)
    for c in range(3):
        target[world, k, at + c] = new[c]


@wp.func
def write(  # noqa: F811
    target: wp.array3d[float], world: int, k: int, at: int, value: wp.quat, scale: float, changed: wp.array[int]
):
    """A rotation in a row from ``at`` on."""
    old = wp.quat(target[world, k, at], target[world, k, at + 1], target[world, k, at + 2], target[world, k, at + 3])
    new = update_quat(old, value, world, changed)
    for c in range(4):
        target[world, k, at + c] = new[c]
