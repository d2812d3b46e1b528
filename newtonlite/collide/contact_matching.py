"""Contact matching: the contact of the previous call that each contact continues, by shapes, position and normal.

ContactRows of both calls are sorted by their pair of shapes, so that a row looks at those of its own pair alone. It chooses
the nearest of the call before; of several rows that choose the same, the nearest has it, of equals the first. Nothing
depends on threads: there are no atomics.
"""

import warp as wp

from newtonlite.collide.contact_rows import ContactRows
from newtonlite.core.kernel_module import kernel_module
from newtonlite.math.search import first_of
from newtonlite.sim.contact_kinematics import in_world

kernel_module(__name__, max_unroll=0)

NEW = wp.constant(-1)
"""In place of a row of the call before: the pair had no contact then."""
MOVED = wp.constant(-2)
"""The pair had contacts, and none of them is this one."""
NO_PAIR = wp.constant(wp.int64(1 << 62))
NEVER = wp.constant(-1)
"""Generation of no contacts."""


@wp.struct
class PreviousContacts:
    """The call before: sorted pairs with their rows, where rows were in the world, and what they held; ``frame`` is the
    number of the ``Contacts`` that held them and its generation. ``taken`` says which rows were matched, ``forget``
    [world_count + 1] whose are not to be.
    """

    count: wp.array[int]
    frame: wp.array[int]
    pair: wp.array[wp.int64]
    row: wp.array[int]
    place: wp.array[wp.vec3]
    taken: wp.array[int]
    forget: wp.array[bool]
    shape_world: wp.array[int]
    shape_body: wp.array[int]
    point0: wp.array[wp.vec3]
    point1: wp.array[wp.vec3]
    offset0: wp.array[wp.vec3]
    offset1: wp.array[wp.vec3]
    normal: wp.array[wp.vec3]


@wp.struct
class CurrentContacts:
    """Contacts of this call: rows, sorted pairs with their rows, places, and the row of the call before that each would
    be, ``far`` [m] away."""

    rows: ContactRows
    count: wp.array[int]
    body_q: wp.array[wp.transformf]
    pair: wp.array[wp.int64]
    row: wp.array[int]
    place: wp.array[wp.vec3]
    wanted: wp.array[int]
    far: wp.array[float]
    index: wp.array[int]


@wp.func
def place_of(p: PreviousContacts, now: CurrentContacts, i: int) -> wp.vec3:
    """Halfway between the two points of a row."""
    one = in_world(now.rows.shape0[i], now.rows.point0[i], p.shape_body, now.body_q)
    return 0.5 * (one + in_world(now.rows.shape1[i], now.rows.point1[i], p.shape_body, now.body_q))


@wp.func
def pair_of(p: PreviousContacts, rows: ContactRows, i: int) -> wp.int64:
    """A number for the two shapes of a row, in their order."""
    return wp.int64(rows.shape0[i]) * wp.int64(p.shape_body.shape[0]) + wp.int64(rows.shape1[i])


@wp.func
def is_forgotten(p: PreviousContacts, shape: int) -> bool:
    """Whether the contacts of a shape's world are not to be matched; the last world is that of shapes that are in all."""
    last = p.forget.shape[0] - 1
    world = p.shape_world[shape]
    return p.forget[wp.where(world < 0, last, wp.min(world, last))]


@wp.kernel(enable_backward=False)
def list_pairs(p: PreviousContacts, now: CurrentContacts):
    """Pairs and places of the rows, to be sorted."""
    i = wp.tid()
    now.row[i] = i
    now.pair[i] = NO_PAIR
    if i < now.count[0]:
        now.pair[i] = pair_of(p, now.rows, i)
        now.place[i] = place_of(p, now, i)


@wp.kernel(enable_backward=False)
def nearest_previous(p: PreviousContacts, now: CurrentContacts, reach: float, same: float):
    """The nearest row of the call before, within ``reach`` and with a normal whose cosine is at least ``same``."""
    i = wp.tid()
    if i >= now.count[0]:
        return
    found = int(NEW)
    far = float(reach)
    if not (is_forgotten(p, now.rows.shape0[i]) or is_forgotten(p, now.rows.shape1[i])):
        key = pair_of(p, now.rows, i)
        k = first_of(p.pair, p.count[0], key)
        while k < p.count[0] and p.pair[wp.min(k, p.pair.shape[0] - 1)] == key:
            old = p.row[k]
            away = wp.length(p.place[old] - now.place[i])
            if found == NEW:
                found = MOVED
            if wp.dot(p.normal[old], now.rows.normal[i]) >= same and away <= reach and (found < 0 or away < far):
                found = old
                far = away
            k += 1
    now.wanted[i] = found
    now.far[i] = far


@wp.kernel(enable_backward=False)
def resolve_claims(p: PreviousContacts, now: CurrentContacts, contacts: int, generation: wp.array[int]):
    """Of rows that want the same, the nearest has it; ``taken`` is set for it. Rows of the call before are numbered as
    in the ``Contacts`` of that call; ``generation`` is the one these had then, ``NEVER`` where they are not those of
    now, number ``contacts``.
    """
    i = wp.tid()
    if i == 0:
        generation[0] = wp.where(p.frame[0] == contacts, p.frame[1], NEVER)
    if i >= now.count[0]:
        now.index[i] = NEW
        return
    wanted = now.wanted[i]
    if wanted >= 0:
        key = pair_of(p, now.rows, i)
        k = first_of(now.pair, now.count[0], key)
        has = bool(True)
        while k < now.count[0] and now.pair[wp.min(k, now.pair.shape[0] - 1)] == key:
            other = now.row[k]
            if now.wanted[other] == wanted and (
                now.far[other] < now.far[i] or (now.far[other] == now.far[i] and other < i)
            ):
                has = False
            k += 1
        if has:
            p.taken[wanted] = 1
        else:
            wanted = MOVED
    now.index[i] = wanted


@wp.kernel(enable_backward=False)
def keep_matched_points(p: PreviousContacts, now: CurrentContacts, reach: float):
    """Give rows that touch, and were there before, what they held then, as long as their points, moved with the bodies,
    are within ``reach`` of the new ones. Pieces of patches, which have their own stiffness, stay as they are.
    """
    i = wp.tid()
    if i >= now.count[0]:
        return
    old = now.index[i]
    if old < 0:
        return
    rows = now.rows
    a = rows.shape0[i]
    b = rows.shape1[i]
    one = in_world(a, rows.point0[i], p.shape_body, now.body_q)
    two = in_world(b, rows.point1[i], p.shape_body, now.body_q)
    apart = wp.dot(two - one, rows.normal[i]) - rows.margin0[i] - rows.margin1[i]
    off = wp.max(
        wp.length(in_world(a, p.point0[old], p.shape_body, now.body_q) - one),
        wp.length(in_world(b, p.point1[old], p.shape_body, now.body_q) - two),
    )
    piece = bool(False)
    if rows.stiffness.shape[0] > 0:
        piece = rows.stiffness[i] > 0.0
    if apart <= 0.0 and off <= reach and not piece:
        rows.point0[i] = p.point0[old]
        rows.point1[i] = p.point1[old]
        rows.offset0[i] = p.offset0[old]
        rows.offset1[i] = p.offset1[old]
        rows.normal[i] = p.normal[old]


@wp.kernel(enable_backward=False)
def report_changes(p: PreviousContacts, now: CurrentContacts, is_new: wp.array[int], is_broken: wp.array[int]):
    """New rows, and rows of the call before that are no more, but for forgotten worlds; ``is_broken`` is 0 before."""
    i = wp.tid()
    is_new[i] = wp.where(i < now.count[0] and now.index[i] < 0, 1, 0)
    if i < p.count[0]:
        n = wp.int64(p.shape_body.shape[0])
        gone = is_forgotten(p, int(p.pair[i] / n)) or is_forgotten(p, int(p.pair[i] % n))
        if p.taken[p.row[i]] == 0 and not gone:
            is_broken[p.row[i]] = 1


@wp.kernel(enable_backward=False)
def list_changes(reported: wp.array[int], slot: wp.array[int], listed: wp.array[int], count: wp.array[int]):
    """The rows that are reported, in their order; ``slot`` [i] of them come before row i."""
    i = wp.tid()
    if reported[i] != 0:
        listed[slot[i]] = i
    if i == reported.shape[0] - 1:
        count[0] = slot[i] + reported[i]


@wp.kernel(enable_backward=False)
def remember(p: PreviousContacts, now: CurrentContacts, contacts: int, generation: wp.array[int]):
    """Copy of the contacts of this call, for the next; ``contacts`` is the number of the list that holds them."""
    i = wp.tid()
    if i == 0:
        p.count[0] = now.count[0]
        p.frame[0] = contacts
        p.frame[1] = generation[0]
    p.taken[i] = 0
    p.pair[i] = now.pair[i]
    p.row[i] = now.row[i]
    if i < now.count[0]:
        rows = now.rows
        p.point0[i] = rows.point0[i]
        p.point1[i] = rows.point1[i]
        p.offset0[i] = rows.offset0[i]
        p.offset1[i] = rows.offset1[i]
        p.normal[i] = rows.normal[i]
        p.place[i] = place_of(p, now, i)


@wp.kernel(enable_backward=False)
def add_to_mask(some: wp.array[bool], mask: wp.array[bool]):
    """Set what ``some`` has."""
    i = wp.tid()
    if some[i]:
        mask[i] = True
