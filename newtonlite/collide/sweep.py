"""Sweep and prune: pairs of boxes that overlap, world by world, without a list of all pairs.

In every world the boxes are sorted along an axis; each looks at those that begin before it ends. What is in all worlds
takes part in each. (Baraff, Dynamic simulation of non-penetrating rigid bodies, 1992.) The pipeline's broad phase and
Newton's classes are made of it; the engine's, which one team does for each world within a step, is
``solvers/mujoco/kernels/collide/sap.py``.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.box_overlap import Boxes, boxes_overlap_on_the_way, gap_of, is_listed, may_meet
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, max_unroll=0)

DIRECTION = wp.constant(wp.normalize(wp.vec3(0.62, 0.73, 0.29)))
"""Axis of the sweep: oblique, so that boxes in rows and stacks do not all begin at the same place. No component is
negative: a box begins at its lower corner and ends at the upper one.
"""


@wp.struct
class Entries:
    """Shapes of each world one after the other; ``start`` [segments + 1]."""

    first: wp.array[int]
    segment: wp.array[int]
    start: wp.array[int]
    shape: wp.array[int]  # in the order of the sweep, twice as long, as ``key``
    key: wp.array[float]
    count: wp.array[int]
    slot: wp.array[int]


@wp.func
def extent(s: Boxes, a: int, side: float) -> float:
    """Lower (``side`` -1) or upper (1) end of a box on the axis of the sweep."""
    end = wp.dot(wp.where(side < 0.0, s.low[a], s.high[a]), DIRECTION)
    end += side * gap_of(s, a) * (DIRECTION[0] + DIRECTION[1] + DIRECTION[2])
    if s.travel.shape[0] > 0:
        along = wp.dot(s.travel[a], DIRECTION)
        if s.travel_limit >= 0.0:
            along = wp.clamp(along, -s.travel_limit, s.travel_limit)
        end += side * wp.max(side * along, 0.0)
    return end


@wp.kernel(enable_backward=False)
def take_order(s: Boxes, e: Entries, sweep: int):
    """Shapes in the order of the model, with their lower ends where they are to be sorted; boxes that are not numbers
    come last and overlap none.
    """
    k = wp.tid()
    a = e.first[k]
    e.shape[k] = a
    if sweep == 1:
        low = extent(s, a, -1.0)
        e.key[k] = wp.where(wp.isfinite(low), low, 1.0e30)


@wp.kernel(enable_backward=False)
def find_pairs(s: Boxes, e: Entries, count: int, sweep: int, write: int, pairs: wp.array[wp.vec2i]):
    """Count the pairs of each entry with those behind it; with ``write`` 1 put them from ``slot`` on, as long as there
    is room.
    """
    i = wp.tid()
    a = e.shape[i]
    if a >= count:
        e.count[i] = 0
        return
    w = e.segment[i]
    end = e.start[w + 1]
    last_segment = w == e.start.shape[0] - 2
    reach = float(0.0)
    if sweep == 1:
        reach = extent(s, a, 1.0)
    found = int(0)
    for k in range(i + 1, end):
        if sweep == 1 and e.key[k] > reach:
            break
        b = e.shape[k]
        if b < count and may_meet(s, a, b, last_segment) and boxes_overlap_on_the_way(s, a, b):
            low = wp.min(a, b)
            high = wp.max(a, b)
            if not is_listed(s.apart, s.excluded, low, high):
                if write == 1 and e.slot[i] + found < pairs.shape[0]:
                    pairs[e.slot[i] + found] = wp.vec2i(low, high)
                found += 1
    e.count[i] = found


@wp.kernel(enable_backward=False)
def add_total(e: Entries, total: wp.array[int]):
    """Add the number of pairs."""
    last = e.slot.shape[0] - 1
    total[0] += e.slot[last] + e.count[last]


class SweepAndPrune:
    """Sweep and prune over the shapes that ``used`` [nshape] marks, of ``world`` [nshape] (-1: in all of them); without
    ``sorts`` every two shapes of a world are looked at.
    """

    def __init__(self, world: np.ndarray, used: np.ndarray, device: Any, sorts: bool = True):
        self.device, self.sorts = device, int(sorts)
        shared = np.flatnonzero(used & (world < 0))
        numbers = np.unique(world[used & (world >= 0)])
        parts = [*(np.concatenate([np.flatnonzero(used & (world == w)), shared]) for w in numbers), shared]
        sizes = [len(part) for part in parts]
        self.worlds, self.size = len(numbers), sum(sizes)
        array = lambda values: wp.array(values.astype(np.int32), dtype=int, device=device)
        e = self.entries = Entries()
        e.first, e.segment = array(np.concatenate(parts)), array(np.repeat(np.arange(len(parts)), sizes))
        e.start = array(np.concatenate([[0], np.cumsum(sizes)]))
        e.shape = wp.zeros(2 * self.size, dtype=int, device=device)
        e.key = wp.zeros(2 * self.size, dtype=float, device=device)
        e.count, e.slot = (wp.zeros(self.size, dtype=int, device=device) for _ in range(2))

    def find(self, s: Boxes, count: int, pairs: wp.array, total: wp.array, device: Any = None) -> None:
        """Put the pairs of the first ``count`` shapes into ``pairs`` while they fit, and add their number to ``total``."""
        e, n, device = self.entries, self.size, device or self.device
        if not n:
            return
        wp.launch(take_order, dim=n, inputs=[s, e, self.sorts], device=device)
        if self.sorts:
            wp.utils.segmented_sort_pairs(e.key, e.shape, n, e.start)
        wp.launch(find_pairs, dim=n, inputs=[s, e, count, self.sorts, 0, pairs], device=device)
        wp.utils.array_scan(e.count, e.slot, inclusive=False)
        wp.launch(find_pairs, dim=n, inputs=[s, e, count, self.sorts, 1, pairs], device=device)
        wp.launch(add_total, dim=1, inputs=[e, total], device=device)
