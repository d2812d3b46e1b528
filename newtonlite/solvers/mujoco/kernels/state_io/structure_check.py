"""Structure check: finds changes of the scene that decide which lists and kernels an engine has; ``found`` keeps the
number of the check.
"""

import warp as wp

from newtonlite.core.constants import UNLIMITED_EFFORT
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.types import MAXVAL

kernel_module(__name__)

POSITIVE = wp.constant(0)
NONZERO = wp.constant(1)
FINITE = wp.constant(2)
BELOW_MINVAL = wp.constant(3)
PAIR = wp.constant(4)
REPORTED = wp.constant(5)
UNREPORTED = wp.constant(6)


@wp.kernel(enable_backward=False)
def compare_words(
    rows: wp.array2d[int], table: wp.array[int], expected: wp.array2d[int], step: int, number: int, found: wp.array[int]
):
    """Words that must be as ``expected``; indices of things, which are ``step`` greater in each world."""
    world, k = wp.tid()
    want = expected[world % expected.shape[0], k]
    if want >= 0:
        want += step * world
    if rows[world, table[k]] != want:
        wp.atomic_max(found, 0, number)


@wp.kernel(enable_backward=False)
def compare_flags(
    flat: wp.array[wp.bool], index: wp.array2d[int], expected: wp.array[int], number: int, found: wp.array[int]
):
    """Switches that must be as ``expected`` in every world."""
    world, k = wp.tid()
    if int(flat[index[world, k]]) != expected[k]:
        wp.atomic_max(found, 0, number)


@wp.kernel(enable_backward=False)
def compare_reals(rows: wp.array2d[float], table: wp.array[int], kind: int, number: int, found: wp.array[int]):
    """Reals that may not be positive, not zero, finite, a feeble limit, a range (with the word before), given (not
    negative), or not given.
    """
    world, k = wp.tid()
    x = rows[world, table[k]]
    hit = x > 0.0
    if kind == NONZERO:
        hit = x != 0.0
    elif kind == FINITE:
        hit = wp.abs(x) < MAXVAL
    elif kind == BELOW_MINVAL:
        hit = wp.abs(x) < UNLIMITED_EFFORT
    elif kind == PAIR:
        hit = x > rows[world, table[k] - 1]
    elif kind == REPORTED:
        hit = x >= 0.0
    elif kind == UNREPORTED:
        hit = x < 0.0 and rows[world, table[k] - 1] < 0.0
    if hit:
        wp.atomic_max(found, 0, number)


@wp.func
def slides(
    b: int,
    first: int,
    last: int,
    world: int,
    jnt_pos: wp.array2d[wp.vec3],
    jnt_axis: wp.array2d[wp.vec3],
    body_ipos: wp.array2d[wp.vec3],
    body_iquat: wp.array2d[wp.quat],
) -> bool:
    """Whether a body whose joints ``first`` to ``last - 1`` are slides moves along principal axes of its own, another
    one with each, balanced at its origin.
    """
    q = body_iquat[world % body_iquat.shape[0], b]
    off = wp.length(body_ipos[world % body_ipos.shape[0], b]) + wp.abs(q[1]) + wp.abs(q[2]) + wp.abs(q[3])
    used = wp.vec3()
    for j in range(first, last):
        a = jnt_axis[world % jnt_axis.shape[0], j]
        off += wp.length(jnt_pos[world % jnt_pos.shape[0], j])
        off += wp.abs(a[0] * a[1]) + wp.abs(a[1] * a[2]) + wp.abs(a[2] * a[0])
        off += wp.dot(used, wp.vec3(wp.abs(a[0]), wp.abs(a[1]), wp.abs(a[2])))
        used += wp.vec3(wp.abs(a[0]), wp.abs(a[1]), wp.abs(a[2]))
    return off == 0.0


@wp.kernel(enable_backward=False)
def compare_sliders(
    body: wp.array[int],
    jntadr: wp.array[int],
    jntnum: wp.array[int],
    was: wp.array2d[int],
    loaded: wp.array2d[int],
    jnt_pos: wp.array2d[wp.vec3],
    jnt_axis: wp.array2d[wp.vec3],
    body_ipos: wp.array2d[wp.vec3],
    body_iquat: wp.array2d[wp.quat],
    number: int,
    found: wp.array[int],
):
    """Bodies that only slide in a world must go on doing so there, and no others begin to."""
    k, world = wp.tid()
    now = int(0)
    if loaded[world % loaded.shape[0], k] == 0:
        if slides(body[k], jntadr[k], jntadr[k] + jntnum[k], world, jnt_pos, jnt_axis, body_ipos, body_iquat):
            now = 1
    if now != was[world % was.shape[0], k]:
        wp.atomic_max(found, 0, number)


@wp.kernel(enable_backward=False)
def compare_bytes(
    here: wp.array[wp.uint64],
    size: wp.array[int],
    start: wp.array[int],
    expected: wp.array[wp.uint8],
    first: int,
    found: wp.array[int],
):
    """Arrays of ``size`` bytes at the addresses ``here`` that are ``expected`` from ``start`` on; array k's place in
    ``found`` is ``first + k``.
    """
    k, i = wp.tid()
    if i < size[k]:
        now = wp.array(ptr=here[k], shape=(size[k],), dtype=wp.uint8)
        if now[i] != expected[start[k] + i]:
            found[first + k] = 1


@wp.kernel(enable_backward=False)
def compare_changes(changed: wp.array[int], place: int, found: wp.array[int]):
    """Worlds in which any number is another one."""
    if changed[wp.tid()] != 0:
        found[place] = 1
