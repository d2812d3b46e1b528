"""Near pairs: the pairs of a scene whose bounding boxes overlap, listed or swept, in a fixed order and within a capacity.

Swept pairs are sorted into the order of a list: by world, then by shapes.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.box_overlap import Boxes, overlap
from newtonlite.collide.contact_budget import NO_WORLD, ContactBudget, Offer
from newtonlite.collide.pair_dispatch import FACES, WAYS, roles, way_table
from newtonlite.collide.scene import SceneShapes
from newtonlite.collide.sweep import SweepAndPrune
from newtonlite.collide.world_of_pair import owner_of, row_count, row_of_shape
from newtonlite.core.enums import ShapeFlags
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, max_unroll=0)

NEAR_PER_SHAPE = 16
"""Near pairs at once, for each shape."""
FOUND_PER_SHAPE = 64
"""Pairs that are found before some are left out: beyond them those that come first in the sweep are kept."""
NO_PAIR = wp.constant(wp.int64(1 << 62))
TRIANGLES = wp.constant(1 << WAYS.index("triangles"))
FACETED_ROLE = wp.constant(FACES)


@wp.kernel(enable_backward=False)
def number_pairs(
    s: Boxes, owner: wp.array[int], pairs: wp.array[wp.vec2i], total: wp.array[int], key: wp.array[wp.int64]
):
    """Numbers in the order of a list; no pair in the places behind them."""
    i = wp.tid()
    key[i] = NO_PAIR
    if i < total[0]:
        n = wp.int64(s.role.shape[0])
        a = pairs[i][0]
        b = pairs[i][1]
        key[i] = (wp.int64(owner_of(owner, a, b)) * n + wp.int64(a)) * n + wp.int64(b)


@wp.kernel(enable_backward=False)
def order_pairs(s: Boxes, key: wp.array[wp.int64], total: wp.array[int], pairs: wp.array[wp.vec2i]):
    """The pairs in order; of those found by triangles the shape that has them comes first."""
    i = wp.tid()
    if i < total[0]:
        n = wp.int64(s.role.shape[0])
        a = int((key[i] / n) % n)
        b = int(key[i] % n)
        turned = s.way == TRIANGLES and (s.role[b] & FACETED_ROLE) != 0 and (s.role[a] & FACETED_ROLE) == 0
        pairs[i] = wp.where(turned, wp.vec2i(b, a), wp.vec2i(a, b))


@wp.kernel(enable_backward=False)
def offer_pairs(
    s: Boxes,
    owner: wp.array[int],
    pairs: wp.array[wp.vec2i],
    total: wp.array[int],
    kind: int,
    o: Offer,
    lost: wp.array2d[int],
):
    """Offer pairs whose boxes meet; what overlaps most comes first. Pairs beyond the room of a sweep count in the last
    row of ``lost``.
    """
    i = wp.tid()
    o.world[i] = NO_WORLD
    if i < total[0]:
        depth = overlap(s, pairs[i][0], pairs[i][1])
        o.value[i] = -depth
        o.world[i] = wp.where(depth >= 0.0, owner_of(owner, pairs[i][0], pairs[i][1]), NO_WORLD)
    if i == 0:
        lost[lost.shape[0] - 1, kind] += wp.max(total[0] - o.value.shape[0], 0)


@wp.kernel(enable_backward=False)
def list_pairs(pairs: wp.array[wp.vec2i], o: Offer, near: wp.array[wp.vec2i]):
    """The pairs that stay, in their order."""
    i = wp.tid()
    if o.stays[i] != 0:
        near[o.slot[i]] = pairs[i]


class ListedPairs:
    """Overlapping ones of ``pairs`` [n, 2]: after ``find`` the first ``count[0]`` of ``pairs``. The capacity is
    ``most`` (all when None); those whose boxes overlap least go, and are counted in column ``kind`` of ``lost``.
    """

    def __init__(
        self, shapes: SceneShapes, pairs: np.ndarray, most: int | None, owner: wp.array, kind: int, worlds: int
    ):
        self._make(shapes, len(pairs), len(pairs) if most is None else min(len(pairs), int(most)), owner, kind, worlds)
        self.all.assign(pairs.astype(np.int32))
        self.total.fill_(len(pairs))

    def _make(self, shapes: SceneShapes, room: int, most: int, owner: wp.array, kind: int, worlds: int) -> None:
        self.device, self.owner, self.kind, self.size = owner.device, owner, kind, max(1, most)
        self.boxes = Boxes()
        self.boxes.low, self.boxes.high = shapes.box_low, shapes.box_high
        self.all, self.total = self._zeros(room, wp.vec2i), self._zeros(1)
        self.capacity = ContactBudget([room], [kind], worlds, self.device)
        self.pairs, self.count = self._zeros(self.size, wp.vec2i), self._zeros(1)

    def _zeros(self, size: int, dtype: Any = int) -> wp.array:
        return wp.zeros(size, dtype=dtype, device=self.device)

    def _launch(self, kernel: Any, *inputs: Any) -> None:
        wp.launch(kernel, dim=len(self.all), inputs=inputs, device=self.device)

    def find(self, lost: wp.array) -> None:
        """Look at all pairs anew."""
        o = self.capacity.offer
        self._launch(offer_pairs, self.boxes, self.owner, self.all, self.total, self.kind, o, lost)
        self.capacity.choose(self.size, self.count, lost)
        self._launch(list_pairs, self.all, o, self.pairs)


class PairRules:
    """Shapes of a model that may collide outside the engine, and what decides which pairs do, to be swept.

    ``apart`` [n, 2] are pairs that do not, besides the model's own; ``rests`` says whether bodies that no force moves
    collide with each other.
    """

    def __init__(self, model: Any, own: np.ndarray, soft: np.ndarray, apart: np.ndarray, rests: bool):
        self.model, self.soft, self.rests = model, soft, rests
        self.colliding = (model.shape_flags.numpy() & ShapeFlags.COLLIDE_SHAPES) != 0
        self.used, self.role = np.flatnonzero(self.colliding), roles(model, own, soft)
        self.own = own[self.used].any()
        self.world, self.worlds = row_of_shape(model), row_count(model)
        pairs = np.concatenate([model.shape_collision_filter_pairs_array().reshape(-1, 2), apart.reshape(-1, 2)])
        self.apart = np.unique(np.sort(pairs, axis=1), axis=0).astype(np.int32)

    def has(self, way: str) -> bool:
        """Whether there may be pairs that are found in this way."""
        return bool((self.soft[self.used].sum() > 1) if way == "patches" else self.own)

    def fill(self, s: Boxes, way: str) -> None:
        """Set the filters of a sweep for pairs that are found in a way."""
        m, make = self.model, lambda values, dtype: wp.array(values, dtype=dtype, device=self.model.device)
        s.world, s.group, s.body, s.flags = make(self.world, int), m.shape_collision_group, m.shape_body, m.body_flags
        s.apart, s.excluded = make(self.apart, wp.vec2i), len(self.apart)
        s.kinematic_pairs, s.travel_limit = int(self.rests), -1.0
        s.role, s.ways, s.way = make(self.role, int), make(way_table(), int), 1 << WAYS.index(way)


class SweptPairs(ListedPairs):
    """Overlapping pairs that are collided in one way, found by sweep and prune. The capacity is ``most``
    (``NEAR_PER_SHAPE`` for each shape when None); the rest as of ``ListedPairs``.
    """

    def __init__(self, shapes: SceneShapes, rules: PairRules, way: str, most: int | None, owner: wp.array, kind: int):
        used = rules.colliding & rules.soft if way == "patches" else rules.colliding
        self.sweep = SweepAndPrune(rules.world, used, owner.device)
        n = self.sweep.size
        every = n * (n - 1) // 2 or 1
        most = NEAR_PER_SHAPE * n if most is None else int(most)
        self._make(shapes, min(every, FOUND_PER_SHAPE * n), min(every, most), owner, kind, rules.worlds)
        rules.fill(self.boxes, way)
        self.key, self.place = self._zeros(2 * len(self.all), wp.int64), self._zeros(2 * len(self.all))
        self._total = self.total.numpy() if self.device.is_cpu else None  # a view

    def find(self, lost: wp.array) -> None:
        """Sweep anew."""
        s, size = self.boxes, len(self.all)
        self.total.zero_()
        self.sweep.find(s, len(s.role), self.all, self.total)
        self._launch(number_pairs, s, self.owner, self.all, self.total, self.key)
        found = size if self._total is None else min(size, int(self._total[0]))
        if found:
            wp.utils.radix_sort_pairs(self.key, self.place, found)
        self._launch(order_pairs, s, self.key, self.total, self.all)
        super().find(lost)
