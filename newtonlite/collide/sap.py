"""Sweep and prune: pairs of shapes whose bounding boxes overlap, without a list of pairs.

In every world the boxes are sorted along the axis on which they are spread most; each looks at those that begin before
it ends. What is in all worlds takes part in each. Pairs that are found are sorted into the order of a list, so that
nothing depends on threads or on the axis.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.aabb_pairs import overlap
from newtonlite.collide.contact_budget import NO_WORLD, ContactBudget, Offer
from newtonlite.collide.pair_dispatch import FACETED
from newtonlite.collide.scene import Shapes
from newtonlite.collide.world_of_pair import row_count, row_of_shape
from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.shape_bounds import barrels

kernel_module(__name__, max_unroll=0)

WAYS = {"triangles": 0, "features": 1, "patches": 2}
OWN, SOFT, FACES, FLAT, RIMMED, MOVES, BALL = (wp.constant(1 << k) for k in range(7))
"""Shape roles: not the engine's, hydroelastic, made of triangles, a plane, a cone or barrel, on a body that forces move, a
sphere.
"""
NEAR_PER_SHAPE = 16
"""Near pairs at once, for each shape."""
FOUND_PER_SHAPE = 64
"""Pairs that are found before some are left out: beyond them those that come first in the sweep are kept."""
VAST = wp.constant(1.0e5)
"""Half-sizes from which on a box says nothing about where things are [m]."""
NO_PAIR = wp.constant(wp.int64(1 << 62))


@wp.struct
class PairFilter:
    """Tables that decide whether two shapes may collide: per shape its world, group, body and what it is; sorted
    numbers of pairs that never do, first n times the smaller shape plus the other. ``rests`` is 1 where bodies that
    no force moves collide with each other.
    """

    world: wp.array(dtype=int)
    group: wp.array(dtype=int)
    body: wp.array(dtype=int)
    role: wp.array(dtype=int)
    apart: wp.array(dtype=wp.int64)
    rests: int


@wp.struct
class SapScratch:
    """Entries: shapes of each world one after the other, from ``start`` [worlds + 1] on, sorted by where they begin
    (``key``) along ``axis`` [worlds].
    """

    key: wp.array(dtype=float)
    shape: wp.array(dtype=int)
    first: wp.array(dtype=int)  # shapes in the order of the model
    segment: wp.array(dtype=int)
    start: wp.array(dtype=int)
    axis: wp.array(dtype=int)
    count: wp.array(dtype=int)  # pairs of each entry
    slot: wp.array(dtype=int)  # where they begin
    pair: wp.array(dtype=wp.int64)
    depth: wp.array(dtype=float)


@wp.func
def groups_match(a: int, b: int) -> bool:
    """Whether collision groups let shapes meet: 0 meets none; positive ones their own; negative ones all but their own."""
    match = a == b
    if a < 0 or b < 0:
        match = a != b
    return match and a != 0 and b != 0


@wp.func
def uses_method(one: int, two: int, way: int) -> bool:
    """Whether two shapes are found in this way: as ``route`` sorts a list."""
    both = one & two
    some = one | two
    if (both & SOFT) != 0:
        return way == 2
    if (some & OWN) == 0 or way == 2:
        return False
    if way == 0:
        return (some & FLAT) == 0 and (both & FACES) == 0 and ((some & RIMMED) == 0 or (some & BALL) == 0)
    return (some & FLAT) != 0 or (both & FACES) != 0 or (some & RIMMED) != 0


@wp.func
def is_excluded(v: PairFilter, a: int, b: int) -> bool:
    """Whether a pair is among those that never meet."""
    key = wp.int64(wp.min(a, b)) * wp.int64(v.role.shape[0]) + wp.int64(wp.max(a, b))
    low = int(0)
    high = v.apart.shape[0]
    while low < high:
        middle = (low + high) / 2
        if v.apart[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < v.apart.shape[0] and v.apart[wp.min(low, v.apart.shape[0] - 1)] == key


@wp.func
def can_collide(v: PairFilter, a: int, b: int, way: int, last: bool) -> bool:
    """Whether two shapes of a world may meet, found in this way. Two that are in all worlds meet in the ``last`` alone."""
    one = v.role[a]
    two = v.role[b]
    shared = v.world[a] < 0 and v.world[b] < 0
    if (
        v.body[a] == v.body[b]
        or shared != last
        or not uses_method(one, two, way)
        or not groups_match(v.group[a], v.group[b])
    ):
        return False
    if v.rests == 0 and ((one | two) & MOVES) == 0:
        return False
    return not is_excluded(v, a, b)


@wp.kernel(enable_backward=False)
def choose_axis(s: Shapes, p: SapScratch):
    """The axis along which the middles of a world's boxes vary most."""
    w = wp.tid()
    total = wp.vec3()
    square = wp.vec3()
    count = float(0.0)
    for k in range(p.start[w], p.start[w + 1]):
        low = s.box_low[p.first[k]]
        high = s.box_high[p.first[k]]
        if wp.length(high - low) < VAST:
            middle = 0.5 * (low + high)
            total += middle
            square += wp.cw_mul(middle, middle)
            count += 1.0
    spread = count * square - wp.cw_mul(total, total)
    p.axis[w] = wp.where(spread[0] >= spread[1] and spread[0] >= spread[2], 0, wp.where(spread[1] >= spread[2], 1, 2))


@wp.kernel(enable_backward=False)
def begin(s: Shapes, p: SapScratch):
    """Lower end of each box along the axis; boxes that are not numbers come last and overlap none."""
    k = wp.tid()
    low = s.box_low[p.first[k]][p.axis[p.segment[k]]]
    p.shape[k] = p.first[k]
    p.key[k] = wp.where(wp.isfinite(low), low, 1.0e30)


@wp.kernel(enable_backward=False)
def sweep_axis(s: Shapes, v: PairFilter, p: SapScratch, way: int, worlds: int, write: int):
    """Count the pairs of each entry with those behind it; with ``write`` 1 put them from ``slot`` on, as long as there
    is room.
    """
    i = wp.tid()
    w = p.segment[i]
    a = p.shape[i]
    high = s.box_high[a][p.axis[w]]
    end = p.start[w + 1]
    n = wp.int64(v.role.shape[0])
    found = int(0)
    k = i + 1
    while k < end and p.key[wp.min(k, end - 1)] <= high:
        b = p.shape[k]
        if can_collide(v, a, b, way, worlds > 1 and w == worlds - 1):
            depth = overlap(s, a, b)
            if depth >= 0.0:
                if write == 1 and p.slot[i] + found < p.depth.shape[0] / 2:
                    p.pair[p.slot[i] + found] = (wp.int64(w) * n + wp.int64(wp.min(a, b))) * n + wp.int64(wp.max(a, b))
                    p.depth[p.slot[i] + found] = depth
                found += 1
        k += 1
    p.count[i] = found


@wp.kernel(enable_backward=False)
def close_list(p: SapScratch, total: wp.array(dtype=int)):
    """Number of pairs, with no pair in the places behind them."""
    i = wp.tid()
    last = p.slot.shape[0] - 1
    found = p.slot[last] + p.count[last]
    if i == 0:
        total[0] = found
    if i >= found:
        p.pair[i] = NO_PAIR


@wp.kernel(enable_backward=False)
def offer_pairs(p: SapScratch, total: wp.array(dtype=int), n: int, kind: int, o: Offer, lost: wp.array2d(dtype=int)):
    """Offer what was found; what overlaps most comes first. Pairs beyond the room of the sweep count in the last row of
    ``lost``.
    """
    i = wp.tid()
    o.world[i] = NO_WORLD
    if i < total[0]:
        o.world[i] = int(p.pair[i] / (wp.int64(n) * wp.int64(n)))
        o.value[i] = -p.depth[i]
    if i == 0:
        lost[lost.shape[0] - 1, kind] += wp.max(total[0] - o.value.shape[0], 0)


@wp.kernel(enable_backward=False)
def list_pairs(v: PairFilter, p: SapScratch, way: int, o: Offer, near: wp.array(dtype=wp.vec2i)):
    """The pairs that stay, in their order; of those found by triangles the shape that has them comes first."""
    i = wp.tid()
    if o.stays[i] != 0:
        n = wp.int64(v.role.shape[0])
        a = int((p.pair[i] / n) % n)
        b = int(p.pair[i] % n)
        if way == 0 and (v.role[b] & FACES) != 0 and (v.role[a] & FACES) == 0:
            near[o.slot[i]] = wp.vec2i(b, a)
        else:
            near[o.slot[i]] = wp.vec2i(a, b)


class Rules:
    """Host side of a ``PairFilter`` and the entries: the shapes of a model that may collide outside the engine. ``apart``
    [n, 2] are pairs that do not, besides the model's own; ``moves`` [nbody + 1] says which bodies forces move, None lets
    all collide.
    """

    def __init__(self, model: Any, own: np.ndarray, soft: np.ndarray, apart: np.ndarray, moves: np.ndarray | None):
        kind, n = model.shape_type.numpy(), model.shape_count
        self.device, self.worlds = model.device, row_count(model)
        self.world, self.soft = row_of_shape(model), soft
        self.used = np.flatnonzero((model.shape_flags.numpy() & ShapeFlags.COLLIDE_SHAPES) != 0)
        body = model.shape_body.numpy()
        marks = {
            OWN: own,
            SOFT: soft,
            FACES: np.isin(kind, FACETED),
            FLAT: kind == GeoType.PLANE,
            RIMMED: (kind == GeoType.CONE) | barrels(kind, model.shape_scale.numpy()),
            BALL: kind == GeoType.SPHERE,
        }
        marks[MOVES] = np.ones(n, bool) if moves is None else moves[body]
        self.own = own[self.used].any()
        pairs = np.sort(
            np.concatenate([model.shape_collision_filter_pairs_array().reshape(-1, 2), apart.reshape(-1, 2)]).astype(
                np.int64
            ),
            axis=1,
        )
        v = self.sieve = PairFilter()
        for name, values in (("world", self.world), ("group", model.shape_collision_group.numpy()), ("body", body)):
            setattr(v, name, wp.array(values.astype(np.int32), dtype=int, device=self.device))
        v.role = wp.array(
            sum(int(bit) * has.astype(np.int32) for bit, has in marks.items()), dtype=int, device=self.device
        )
        v.apart = wp.array(np.unique(pairs[:, 0] * n + pairs[:, 1]), dtype=wp.int64, device=self.device)
        v.rests = int(moves is None)

    def has(self, way: str) -> bool:
        """Whether there may be pairs that are found in this way."""
        return bool((self.soft[self.used].sum() > 1) if way == "patches" else self.own)

    def entries(self, way: str) -> tuple[np.ndarray, np.ndarray]:
        """Shapes world by world, those that are in all worlds in each, and where worlds begin; the last is of what is
        in all.
        """
        shapes = self.used[self.soft[self.used]] if way == "patches" else self.used
        if self.worlds == 1:
            return shapes, np.array([0, len(shapes)])
        shared, parts = shapes[self.world[shapes] < 0], []
        for w in range(self.worlds):
            own = shapes[self.world[shapes] == w]
            parts.append(np.sort(np.concatenate([own, shared])) if len(own) or w == self.worlds - 1 else own)
        return np.concatenate(parts), np.concatenate([[0], np.cumsum([len(p) for p in parts])])


class SapPairs:
    """Broad-phase pairs that are found in one way: after ``find`` the first ``count[0]`` of ``pairs``. The capacity is
    ``most`` (``NEAR_PER_SHAPE`` for each shape when None); those whose boxes overlap least go, and are counted in
    column ``kind`` of ``lost``.
    """

    def __init__(self, shapes: Shapes, rules: Rules, way: str, most: int | None, owner: wp.array, kind: int):
        self.shapes, self.rules, self.way, self.owner, self.kind, self.device = (
            shapes,
            rules,
            WAYS[way],
            owner,
            kind,
            rules.device,
        )
        first, start = rules.entries(way)
        self.entries, n = len(first), len(first)
        every = n * (n - 1) // 2 or 1
        capacity = min(every, FOUND_PER_SHAPE * n)
        self.size = min(every, NEAR_PER_SHAPE * n) if most is None else max(1, min(every, int(most)))
        make = lambda size, dtype=int: wp.zeros(size, dtype=dtype, device=self.device)
        p = self.sweep = SapScratch()
        p.first, p.start = (wp.array(x.astype(np.int32), dtype=int, device=self.device) for x in (first, start))
        p.segment = wp.array(
            np.repeat(np.arange(rules.worlds), np.diff(start)).astype(np.int32), dtype=int, device=self.device
        )
        p.axis, p.count, p.slot = make(rules.worlds), make(n), make(n)
        p.key, p.shape, p.pair, p.depth = (
            make(2 * n, float),
            make(2 * n),
            make(2 * capacity, wp.int64),
            make(2 * capacity, float),
        )
        self.total = make(1)
        self._total = self.total.numpy() if self.device.is_cpu else None  # a view
        self.capacity = ContactBudget([capacity], [kind], rules.worlds, self.device)
        self.pairs, self.count = make(self.size, wp.vec2i), make(1)

    def _launch(self, kernel: Any, dim: int, *inputs: Any) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=self.device)

    def find(self, lost: wp.array) -> None:
        """Sweep anew."""
        s, v, p, o, n = self.shapes, self.rules.sieve, self.sweep, self.capacity.offer, self.entries
        self._launch(choose_axis, self.rules.worlds, s, p)
        self._launch(begin, n, s, p)
        wp.utils.segmented_sort_pairs(p.key, p.shape, n, p.start)
        self._launch(sweep_axis, n, s, v, p, self.way, self.rules.worlds, 0)
        wp.utils.array_scan(p.count, p.slot, inclusive=False)
        self._launch(sweep_axis, n, s, v, p, self.way, self.rules.worlds, 1)
        size = self.capacity.size
        self._launch(close_list, size, p, self.total)
        found = size if self._total is None else min(size, int(self._total[0]))
        if found:
            wp.utils.radix_sort_pairs(p.pair, p.depth, found)
        self._launch(offer_pairs, size, p, self.total, v.role.shape[0], self.kind, o, lost)
        self.capacity.choose(self.size, self.count, lost)
        self._launch(list_pairs, size, v, p, self.way, o, self.pairs)
