"""Which pairs of a list have boxes that meet: the same ones in the same order, whatever ran before."""

import warp as wp

from newtonlite.collide.scene import Shapes


@wp.kernel(enable_backward=False)
def boxes_meet(s: Shapes, pairs: wp.array(dtype=wp.vec2i), meet: wp.array(dtype=int)):
    """1 for pairs whose boxes meet. A box that is not a number meets none."""
    i = wp.tid()
    pair = pairs[i]
    low = s.box_low[pair[0]]
    high = s.box_high[pair[0]]
    other_low = s.box_low[pair[1]]
    other_high = s.box_high[pair[1]]
    apart = int(0)
    for k in range(3):
        apart += wp.where(low[k] <= other_high[k] and other_low[k] <= high[k], 0, 1)
    meet[i] = wp.where(apart == 0, 1, 0)


@wp.kernel(enable_backward=False)
def list_near(meet: wp.array(dtype=int), slot: wp.array(dtype=int), near: wp.array(dtype=int), count: wp.array(dtype=int), lost: wp.array(dtype=int)):
    """The pairs that meet, in order, as far as there is room; others are added to ``lost[0]``. ``slot`` counts the ones before."""
    i = wp.tid()
    if meet[i] != 0 and slot[i] < near.shape[0]:
        near[slot[i]] = i
    if i == meet.shape[0] - 1:
        total = slot[i] + meet[i]
        count[0] = wp.min(total, near.shape[0])
        lost[0] = lost[0] + wp.max(total - near.shape[0], 0)
