"""Contact reduction: candidate contacts of one pair of shapes, and which of them are kept.

Candidates whose normals are within ``SAME`` of the deepest one's form a group with it; then the deepest of the rest
leads the next group. A group keeps its leader and the points that reach farthest in six directions around it, where a
point that is less deep by h counts as ``PER_DEPTH`` h nearer. What is kept depends on the candidates alone, not on
their order: equal ones are ordered by their keys.
"""

import warp as wp

SAME = wp.constant(0.906)
"""Cosine of 25 degrees."""

DIRECTIONS = 6
PER_DEPTH = wp.constant(10.0)
CLOSE = wp.constant(1.0e-3)
"""Points of a group nearer to each other than this part of its extent count once."""
ROUNDING = wp.constant(1.0e-6)
"""And those nearer than this part of their distance from the origin."""

CAPACITY = 512
"""Candidates of a pair until they are reduced, again and again."""

FREE = wp.constant(0)
GROUPED = wp.constant(1)
DROPPED = wp.constant(2)
KEPT = wp.constant(3)


@wp.struct
class CandidateBuffer:
    """Candidate contacts, one row per worker: distance, place halfway between the surfaces, normal from the first
    shape, and a key.

    ``area`` is that of a piece of a patch [m^2], 0 for points. With ``deepest_only`` a full buffer keeps the
    deepest; ``dropped`` [worker] counts the others.
    """

    dist: wp.array2d[float]
    pos: wp.array2d[wp.vec3]
    normal: wp.array2d[wp.vec3]
    area: wp.array2d[float]
    key: wp.array2d[int]
    mark: wp.array2d[int]
    deepest_only: int
    dropped: wp.array[int]


@wp.struct
class FoundContacts:
    """Contacts kept of each broad-phase pair, a row each, and the number lost where all were to be kept."""

    count: wp.array[int]
    dropped: wp.array[int]
    dist: wp.array2d[float]
    pos: wp.array2d[wp.vec3]
    normal: wp.array2d[wp.vec3]
    area: wp.array2d[float]


@wp.func
def move(h: CandidateBuffer, w: int, source: int, target: int):
    """Copy a candidate."""
    h.dist[w, target] = h.dist[w, source]
    h.pos[w, target] = h.pos[w, source]
    h.normal[w, target] = h.normal[w, source]
    h.area[w, target] = h.area[w, source]
    h.key[w, target] = h.key[w, source]


@wp.func
def deepest(h: CandidateBuffer, w: int, count: int) -> int:
    """The deepest candidate that is in no group yet, or -1."""
    best = int(-1)
    for i in range(count):
        if h.mark[w, i] == FREE:
            if best < 0:
                best = i
            elif h.dist[w, i] < h.dist[w, best] or (h.dist[w, i] == h.dist[w, best] and h.key[w, i] < h.key[w, best]):
                best = i
    return best


@wp.func
def is_close(h: CandidateBuffer, w: int, count: int, i: int, leader: int, extent: float) -> bool:
    """Whether a candidate stands where one of its group is kept already."""
    reach = wp.max(CLOSE * extent, ROUNDING * wp.length(h.pos[w, i]))
    for k in range(count):
        if h.mark[w, k] == KEPT and wp.dot(h.normal[w, k], h.normal[w, leader]) > SAME:
            if wp.length(h.pos[w, k] - h.pos[w, i]) <= reach:
                return True
    return False


@wp.func
def keep_group(h: CandidateBuffer, w: int, count: int, leader: int, capacity: int) -> int:
    """Group the free candidates around a leader and mark which are kept; returns how many."""
    normal = h.normal[w, leader]
    start = h.pos[w, leader]
    extent = float(0.0)
    for i in range(count):
        if h.mark[w, i] == FREE and wp.dot(h.normal[w, i], normal) > SAME:
            h.mark[w, i] = GROUPED
            extent = wp.max(extent, wp.length(h.pos[w, i] - start))
    h.mark[w, leader] = KEPT
    kept = int(1)
    x = wp.normalize(
        wp.where(
            wp.abs(normal[0]) < 0.7, wp.cross(normal, wp.vec3(1.0, 0.0, 0.0)), wp.cross(normal, wp.vec3(0.0, 1.0, 0.0))
        )
    )
    y = wp.cross(normal, x)
    for k in range(DIRECTIONS):
        angle = float(k) * (2.0 * wp.pi / float(DIRECTIONS))
        way = wp.cos(angle) * x + wp.sin(angle) * y
        best = int(-1)
        most = float(0.0)
        for i in range(count):
            if h.mark[w, i] == GROUPED:
                score = wp.dot(way, h.pos[w, i] - start) - PER_DEPTH * (h.dist[w, i] - h.dist[w, leader])
                better = best < 0 or score > most
                if best >= 0 and score == most:
                    better = h.key[w, i] < h.key[w, best]
                if better:
                    best = i
                    most = score
        if best >= 0 and kept < capacity:
            if is_close(h, w, count, best, leader, extent):
                h.mark[w, best] = DROPPED
            else:
                h.mark[w, best] = KEPT
                kept += 1
    for i in range(count):
        if h.mark[w, i] == GROUPED:
            h.mark[w, i] = DROPPED
    return kept


@wp.func
def reduce(h: CandidateBuffer, w: int, count: int, capacity: int) -> int:
    """Keep at most ``room`` candidates, the first ones from then on, sorted by key; returns how many."""
    for i in range(count):
        h.mark[w, i] = FREE
    kept = int(0)
    leader = deepest(h, w, count)
    while leader >= 0 and kept < capacity:
        kept += keep_group(h, w, count, leader, capacity - kept)
        leader = deepest(h, w, count)
    n = int(0)
    for i in range(count):
        if h.mark[w, i] == KEPT:
            move(h, w, i, n)
            n += 1
    sort(h, w, n, False)
    return n


@wp.func
def comes_after(h: CandidateBuffer, w: int, i: int, j: int, by_depth: bool) -> bool:
    """Whether candidate ``i`` has the greater key than ``j``; or is less deep, or as deep and has."""
    after = h.key[w, i] > h.key[w, j]
    if by_depth and h.dist[w, i] != h.dist[w, j]:
        after = h.dist[w, i] > h.dist[w, j]
    return after


@wp.func
def sort(h: CandidateBuffer, w: int, count: int, by_depth: bool):
    """By key or by depth, by insertion; the row behind the last candidate is used."""
    spare = h.key.shape[1] - 1
    for i in range(1, count):
        move(h, w, i, spare)
        k = int(i)
        while k > 0 and comes_after(h, w, wp.max(k - 1, 0), spare, by_depth):
            move(h, w, k - 1, k)
            k -= 1
        move(h, w, spare, k)


@wp.func
def truncate(h: CandidateBuffer, w: int, count: int, capacity: int) -> int:
    """Make a heap shorter, to at most ``room``; returns how many are left. What is to be kept and is not is counted."""
    n = int(count)
    if h.deepest_only == 0:
        n = reduce(h, w, n, capacity)
    elif n > capacity:
        sort(h, w, n, True)
        n = capacity
        h.dropped[w] = h.dropped[w] + count - n
    return n


@wp.func
def add_candidate(
    h: CandidateBuffer,
    w: int,
    count: int,
    dist: float,
    pos: wp.vec3,
    normal: wp.vec3,
    area: float,
    key: int,
    capacity: int,
) -> int:
    """Put a candidate; returns how many there are. Full heaps are cut to ``room`` first; what is not finite is left
    out.
    """
    sound = wp.isfinite(dist) and wp.isfinite(wp.dot(pos, pos)) and wp.dot(normal, normal) > 0.5
    if not sound:
        return count
    n = int(count)
    if n >= h.key.shape[1] - 1:
        n = truncate(h, w, n, capacity)
    h.dist[w, n] = dist
    h.pos[w, n] = pos
    h.normal[w, n] = normal
    h.area[w, n] = area
    h.key[w, n] = key
    return n + 1


@wp.func
def keep(h: CandidateBuffer, w: int, count: int, found: FoundContacts, i: int, few: int):
    """Move what matters of a heap to row ``i`` of what was found; with ``few`` 0, as much as there is room for."""
    capacity = found.dist.shape[1]
    n = int(count)
    if few != 0 or n > capacity:
        n = truncate(h, w, n, capacity)
    sort(h, w, n, False)
    for k in range(n):
        found.dist[i, k] = h.dist[w, k]
        found.pos[i, k] = h.pos[w, k]
        found.normal[i, k] = h.normal[w, k]
        found.area[i, k] = h.area[w, k]
    found.count[i] = n
    found.dropped[i] = h.dropped[w]
    h.dropped[w] = 0
