"""Contact overflow: selects the deepest contacts where not all fit; of equally deep ones the first."""

import warp as wp

from newtonlite.geometry.contact.hits import Hits
from newtonlite.solvers.mujoco.field_types import DataFields
from newtonlite.solvers.mujoco.kernels.primitives.sort import exceeds, keep_least
from newtonlite.solvers.mujoco.kernels.primitives.team import sync

FIRST = wp.constant(0)
"""Turns of a stage that lists hits: it writes as many as fit; where some are lost, it weighs all; and writes again what
stays.
"""
SELECT = wp.constant(1)
LAST = wp.constant(2)


@wp.struct
class ContactLimit:
    """The last hit that stays: its distance [m], and which of all hits it is."""

    dist: float
    index: int


@wp.func
def no_limit() -> ContactLimit:
    """All stay."""
    limit = ContactLimit()
    limit.dist = 1.0e38
    return limit


@wp.func
def is_within(limit: ContactLimit, dist: float, index: int) -> bool:
    """Whether hit number ``index`` stays."""
    return not exceeds(dist, index, limit.dist, limit.index)


@wp.func
def count_within(hits: Hits, world: int, n: int, index: int, limit: ContactLimit) -> int:
    """Number of hits that stay, of ``n``, the first of which is number ``index``."""
    count = int(0)
    for i in range(n):
        if is_within(limit, hits.dist[world, hits.first + i], index + i):
            count += 1
    return count


@wp.func
def select_threshold(d: DataFields, world: int, dist: float, index: int):
    """Take hit number ``index`` into the heap of those that stay. Hits come in turn, one lane at a time."""
    keep_least(d.contact_dist, d.contact_efc_address, world, d.nconmax, index, dist, index)


@wp.func
def select_threshold_of_hits(d: DataFields, hits: Hits, world: int, lane: int, nlane: int, n: int, index: int):
    """Weigh each lane's ``n`` hits, numbers ``index ..``. All lanes call it together."""
    for owner in range(nlane):
        if owner == lane:
            for i in range(n):
                select_threshold(d, world, hits.dist[world, hits.first + i], index + i)
        sync()


@wp.func
def store_hit(d: DataFields, hits: Hits, world: int, i: int, row: int):
    """Keep a lane's hit number ``i`` in ``row``, if there is such a row."""
    if row < d.nconmax:
        d.convex_dist[world, row] = hits.dist[world, hits.first + i]
        d.convex_pos[world, row] = hits.pos[world, hits.first + i]
        d.convex_normal[world, row] = hits.normal[world, hits.first + i]


@wp.func
def limit_of(d: DataFields, world: int) -> ContactLimit:
    """The limit, once all hits have been weighed."""
    limit = ContactLimit()
    limit.dist = -1.0e38
    limit.index = -1
    if d.nconmax > 0:
        limit.dist = d.contact_dist[world, 0]
        limit.index = d.contact_efc_address[world, 0]
    return limit


@wp.func
def next_pass(turn: int, found: int, capacity: int) -> int:
    """The turn after this one; none where everything fits."""
    if found <= capacity:
        return LAST + 1
    return turn + 1
