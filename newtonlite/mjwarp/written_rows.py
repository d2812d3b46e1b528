"""Constraint rows that a program writes itself: what the engine has beside the fields that MuJoCo Warp shows follows."""

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.solvers.mujoco.kernels.constraint.row import HALF_QUADRATIC, HUBER, QUADRATIC
from newtonlite.solvers.mujoco.kernels.primitives.block import BLOCK

COUNTS = ("ne", "nf", "nl", "nefc")

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def use_all_columns(nblock: int, block: wp.array2d[wp.vec4i]):
    """Rows may have entries in all of their columns."""
    world, r = wp.tid()
    block[world, r] = wp.vec4i(0, nblock, nblock, nblock)


@wp.kernel(enable_backward=False)
def invert(D: wp.array2d[float], R: wp.array2d[float]):
    """``R = 1 / D``; rows without weight have none."""
    world, r = wp.tid()
    R[world, r] = wp.where(D[world, r] > 0.0, 1.0 / D[world, r], 0.0)


@wp.kernel(enable_backward=False)
def count_rows(
    njmax: int,
    before: wp.array[int],
    ne: wp.array[int],
    nf: wp.array[int],
    needed: wp.array[int],
    nefc: wp.array[int],
    cost: wp.array2d[int],
):
    """As many rows as asked for and as there is room for; those of cones stay what they are, of others the counts say it."""
    world = wp.tid()
    known = before[world]
    nefc[world] = wp.min(needed[world], njmax)
    for r in range(nefc[world]):
        if r >= known or cost[world, r] <= HALF_QUADRATIC:
            kind = int(HALF_QUADRATIC)
            if r < ne[world] + nf[world]:
                kind = HUBER
            if r < ne[world]:
                kind = QUADRATIC
            cost[world, r] = kind


def follow_row(d, name: str) -> None:
    """Bring up to date what goes with a field of rows that was written: columns with ``J``, ``R`` with ``D``."""
    e = d.engine
    if name == "J" and not e.model.nsparse:
        wp.launch(use_all_columns, e.efc_block.shape[:2], [-(-e.model.nv // BLOCK), e.efc_block], device=e.device)
    elif name == "D":
        wp.launch(invert, e.efc_R.shape, [e.efc_D, e.efc_R], device=e.device)


def follow_counts(d, before: wp.array) -> None:
    """Bring up to date the rows that there are, and of what kind, after counts of ``COUNTS`` were written.

    StateError for more rows than there were where solvers go island by island: what a row acts on is not said then.
    """
    e = d.engine
    if e.model.sizes["nislandtree"] and (e.nefc_needed.numpy() > before.numpy()).any():
        wp.copy(e.nefc_needed, before)
        text = "more rows than were made, in a model of several trees, whose rows belong to islands"
        raise StateError(f"data.nefc: {text}; let make_constraint make them, or disable islands")
    inputs = [e.njmax, before, e.ne, e.nf, e.nefc_needed]
    wp.launch(count_rows, e.nworld, inputs, [e.nefc, e.efc_cost], device=e.device)
