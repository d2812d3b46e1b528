"""Contact reduction of rigid and interpolated flexes: 50 of a pair's hits that lie far from each other stay.

Farthest-point sampling: the deepest hit first, then in turn the one that is farthest from all that stay, of equal ones
the first (Gonzalez, Clustering to minimize the maximum intercluster distance, 1985). Those that stay keep their order.
"""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_sum

LEFT = wp.constant(50)
STAYS = wp.constant(-1.0)


@wp.func
def farthest(d: DataFields, world: int, start: int, end: int) -> int:
    """The hit that is farthest from those that stay; the first of equal ones. One lane."""
    best = int(start)
    most = float(-1.0)
    for i in range(start, end):
        if d.flexhit_far[world, i] > most:
            most = d.flexhit_far[world, i]
            best = i
    return best


@wp.func
def deepest(d: DataFields, world: int, start: int, end: int) -> int:
    """The deepest hit; the first of equal ones. One lane."""
    best = int(start)
    for i in range(start + 1, end):
        if d.flexhit_dist[world, i] < d.flexhit_dist[world, best]:
            best = i
    return best


@wp.func
def move_hit(d: DataFields, world: int, i: int, to: int):
    """Hit ``i`` becomes hit ``to``."""
    d.flexhit_dist[world, to] = d.flexhit_dist[world, i]
    d.flexhit_pos[world, to] = d.flexhit_pos[world, i]
    d.flexhit_normal[world, to] = d.flexhit_normal[world, i]
    d.flexhit_group[world, to] = d.flexhit_group[world, i]
    d.flexhit_part[world, to] = d.flexhit_part[world, i]


@wp.func
def reduce_hits(m: ModelFields, d: DataFields, world: int, start: int, found: int, lane: int, nlane: int) -> int:
    """Let 50 of the hits ``start .. found - 1`` stay, side by side; returns where they end. Those without room are lost
    before.
    """
    end = wp.min(found, d.nflexhit)
    if found - start <= LEFT or end - start <= LEFT:
        return found
    for i in range(start + lane, end, nlane):
        d.flexhit_far[world, i] = 1.0e30
    sync()

    # the next one, and how far all others are from it; what stays is nowhere far
    for k in range(LEFT):
        chosen = int(start)
        if lane == 0:
            chosen = wp.where(k == 0, deepest(d, world, start, end), farthest(d, world, start, end))
        chosen = int(team_sum(d.team_f, world, wp.where(lane == 0, float(chosen - start), 0.0))) + start
        place = d.flexhit_pos[world, chosen]
        for i in range(start + lane, end, nlane):
            off = d.flexhit_pos[world, i] - place
            d.flexhit_far[world, i] = wp.min(d.flexhit_far[world, i], wp.dot(off, off))
        sync()
        if lane == 0:
            d.flexhit_far[world, chosen] = STAYS
        sync()

    # close the gaps, in order
    if lane == 0:
        to = int(start)
        for i in range(start, end):
            if d.flexhit_far[world, i] == STAYS:
                move_hit(d, world, i, to)
                to += 1
    sync()
    return start + LEFT
