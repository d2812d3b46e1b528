"""AABB pairs: the pairs of a list whose bounding boxes overlap, in a fixed order."""

import numpy as np
import warp as wp

from newtonlite.collide.contact_budget import NO_WORLD, ContactBudget, Offer
from newtonlite.collide.scene import Shapes
from newtonlite.collide.world_of_pair import owner_of
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__)


@wp.func
def overlap(s: Shapes, a: int, b: int) -> float:
    """Least overlap of the boxes of two shapes along an axis [m]; negative where they are apart
    meet, or are no numbers.
    """
    low = s.box_low[a]
    high = s.box_high[a]
    other_low = s.box_low[b]
    other_high = s.box_high[b]
    least = float(1.0e30)
    for k in range(3):
        if low[k] <= other_high[k] and other_low[k] <= high[k]:
            least = wp.min(least, wp.min(other_high[k] - low[k], high[k] - other_low[k]))
        else:
            least = -1.0
    return least


@wp.kernel(enable_backward=False)
def boxes_overlap(s: Shapes, pairs: wp.array(dtype=wp.vec2i), owner: wp.array(dtype=int), o: Offer):
    """Offer pairs whose boxes meet; what overlaps most comes first."""
    i = wp.tid()
    depth = overlap(s, pairs[i][0], pairs[i][1])
    o.value[i] = -depth
    o.world[i] = wp.where(depth >= 0.0, owner_of(owner, pairs[i][0], pairs[i][1]), NO_WORLD)


@wp.kernel(enable_backward=False)
def list_overlapping(pairs: wp.array(dtype=wp.vec2i), o: Offer, near: wp.array(dtype=wp.vec2i)):
    """The pairs that stay, in their order."""
    i = wp.tid()
    if o.stays[i] != 0:
        near[o.slot[i]] = pairs[i]


class ListedPairs:
    """Overlapping ones of ``pairs`` [n, 2]: after ``find`` the first ``count[0]`` of ``pairs``. The capacity is
    ``most``; those whose boxes overlap least go, and are counted in column ``kind`` of ``lost``.
    """

    def __init__(self, shapes: Shapes, pairs: np.ndarray, most: int, owner: wp.array, kind: int, worlds: int, device):
        self.shapes, self.owner, self.size, self.device = shapes, owner, most, device
        self.all = wp.array(pairs.astype(np.int32), dtype=wp.vec2i, device=device)
        self.capacity = ContactBudget([len(pairs)], [kind], worlds, device)
        self.pairs = wp.zeros(most, dtype=wp.vec2i, device=device)
        self.count = wp.zeros(1, dtype=int, device=device)

    def find(self, lost: wp.array) -> None:
        """Look at all pairs anew."""
        o = self.capacity.offer
        wp.launch(boxes_overlap, dim=len(self.all), inputs=[self.shapes, self.all, self.owner, o], device=self.device)
        self.capacity.choose(self.size, self.count, lost)
        wp.launch(list_overlapping, dim=len(self.all), inputs=[self.all, o, self.pairs], device=self.device)
