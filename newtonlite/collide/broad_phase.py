"""Broad phases: pairs of shapes whose axis-aligned bounding boxes overlap, from arrays of boxes.

Three classes under Newton's names: all pairs, sweep and prune along one axis, and pairs of a list. They write pairs
(smaller index first, in the order in which they stand in the worlds) and how many there are; pairs beyond the room of
the output are counted and not written. ``CollisionPipeline`` has broad phases of its own, which also sort pairs by how
they are collided.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.box_overlap import Boxes, bodies_may_meet, boxes_overlap_on_the_way, gap_of, is_apart
from newtonlite.collide.sap import groups_match
from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, max_unroll=0)

DIRECTION = wp.constant(wp.normalize(wp.vec3(0.62, 0.73, 0.29)))
"""Axis of the sweep: oblique, so that boxes in rows and stacks do not all begin at the same place."""
SORTS = ("segmented", "tile", "auto")


@wp.func
def meets(s: Boxes, a: int, b: int, shared_segment: bool) -> bool:
    """Whether two shapes of a segment are a pair; two that are in all worlds are one in the last segment alone."""
    one = s.world[a]
    other = s.world[b]
    if one >= 0 and other >= 0 and one != other:
        return False
    if (one < 0 and other < 0) != shared_segment:
        return False
    if not groups_match(s.group[a], s.group[b]) or not bodies_may_meet(s, a, b):
        return False
    return boxes_overlap_on_the_way(s, a, b) and not is_apart(s, wp.min(a, b), wp.max(a, b))


@wp.struct
class Entries:
    """Shapes of each world one after the other; ``start`` [segments + 1]."""

    first: wp.array(dtype=int)
    segment: wp.array(dtype=int)
    start: wp.array(dtype=int)
    shape: wp.array(dtype=int)  # in the order of the sweep, twice as long, as ``key``
    key: wp.array(dtype=float)
    count: wp.array(dtype=int)
    slot: wp.array(dtype=int)


@wp.func
def extent(s: Boxes, a: int, side: float) -> float:
    """Lower (``side`` -1) or upper (1) end of a box on the axis of the sweep."""
    half = 0.5 * (s.high[a] - s.low[a])
    end = wp.dot(0.5 * (s.low[a] + s.high[a]), DIRECTION)
    end += side * (wp.dot(half, DIRECTION) + gap_of(s, a) * (DIRECTION[0] + DIRECTION[1] + DIRECTION[2]))
    if s.travel.shape[0] > 0:
        along = wp.dot(s.travel[a], DIRECTION)
        if s.travel_limit >= 0.0:
            along = wp.clamp(along, -s.travel_limit, s.travel_limit)
        end += side * wp.max(side * along, 0.0)
    return end


@wp.kernel(enable_backward=False)
def take_order(s: Boxes, e: Entries, sweep: int):
    """Shapes in the order of the model, with their lower ends where they are to be sorted."""
    k = wp.tid()
    a = e.first[k]
    e.shape[k] = a
    if sweep == 1:
        low = extent(s, a, -1.0)
        e.key[k] = wp.where(wp.isfinite(low), low, 1.0e30)


@wp.kernel(enable_backward=False)
def find_pairs(s: Boxes, e: Entries, count: int, sweep: int, write: int, pairs: wp.array(dtype=wp.vec2i)):
    """Count the pairs of each entry with those behind it; with ``write`` 1 put them from ``slot`` on."""
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
        if b < count and meets(s, a, b, last_segment):
            if write == 1 and e.slot[i] + found < pairs.shape[0]:
                pairs[e.slot[i] + found] = wp.vec2i(wp.min(a, b), wp.max(a, b))
            found += 1
    e.count[i] = found


@wp.kernel(enable_backward=False)
def add_total(e: Entries, total: wp.array(dtype=int)):
    """Add the number of pairs."""
    last = e.slot.shape[0] - 1
    total[0] += e.slot[last] + e.count[last]


@wp.kernel(enable_backward=False)
def find_listed(s: Boxes, listed: wp.array(dtype=wp.vec2i), e: Entries, write: int, pairs: wp.array(dtype=wp.vec2i)):
    """Mark the pairs of a list that overlap; with ``write`` 1 put them into the output."""
    i = wp.tid()
    pair = listed[i]
    near = int(0)
    if bodies_may_meet(s, pair[0], pair[1]) and boxes_overlap_on_the_way(s, pair[0], pair[1]):
        near = 1
        if write == 1 and e.slot[i] < pairs.shape[0]:
            pairs[e.slot[i]] = pair
    e.count[i] = near


def filled(
    shape_lower: wp.array,
    shape_upper: wp.array,
    shape_gap: wp.array | None,
    shape_body: wp.array | None,
    body_flags: wp.array | None,
    include_static_kinematic_pairs: bool,
    shape_displacement: wp.array | None,
) -> Boxes:
    """Boxes of a call. ModelError where displacements are not one for each shape."""
    if shape_displacement is not None and shape_displacement.shape[0] != shape_lower.shape[0]:
        raise ModelError(
            f"broad phase: shape_displacement has {shape_displacement.shape[0]} rows for {shape_lower.shape[0]} shapes; give one for each"
        )
    s = Boxes()
    s.low, s.high = shape_lower, shape_upper
    given = {"gap": shape_gap, "travel": shape_displacement, "body": shape_body, "flags": body_flags}
    for name, values in given.items():
        if values is not None:
            setattr(s, name, values)
    s.kinematic_pairs, s.travel_limit = int(include_static_kinematic_pairs), -1.0
    return s


class _Worlds:
    """Shapes by worlds, and the search for pairs among them."""

    _sweep = 0

    def __init__(self, shape_world: Any, shape_flags: Any, device: Any):
        worlds = shape_world.numpy() if isinstance(shape_world, wp.array) else np.asarray(shape_world)
        if device is None:
            device = shape_world.device if isinstance(shape_world, wp.array) else "cpu"
        used = np.ones(len(worlds), bool)
        if shape_flags is not None:
            flags = shape_flags.numpy() if isinstance(shape_flags, wp.array) else np.asarray(shape_flags)
            if len(flags) != len(worlds):
                raise ModelError(
                    f"{type(self).__name__}: {len(flags)} shape_flags for {len(worlds)} entries of shape_world; give one for each shape"
                )
            used = (flags & int(ShapeFlags.COLLIDE_SHAPES)) != 0
        if (worlds < -1).any():
            raise ModelError(
                f"{type(self).__name__}: shape_world has {int(worlds.min())}; worlds count from 0, and -1 is in all of them"
            )
        self.device = wp.get_device(device)
        shared = np.flatnonzero(used & (worlds == -1))
        parts = [
            np.concatenate([np.flatnonzero(used & (worlds == w)), shared])
            for w in np.unique(worlds[used & (worlds >= 0)])
        ]
        self.num_regular_worlds = len(parts)
        parts.append(shared)
        sizes = [len(part) for part in parts]
        self._count = sum(sizes)
        e = self._entries = Entries()
        e.first = self._array(np.concatenate(parts))
        e.segment = self._array(np.repeat(np.arange(len(parts)), sizes))
        e.start = self._array(np.concatenate([[0], np.cumsum(sizes)]))
        e.shape = wp.zeros(2 * self._count, dtype=int, device=self.device)
        e.key = wp.zeros(2 * self._count, dtype=float, device=self.device)
        e.count, e.slot = (wp.zeros(self._count, dtype=int, device=self.device) for _ in range(2))

    def _array(self, values: np.ndarray) -> wp.array:
        return wp.array(values.astype(np.int32), dtype=int, device=self.device)

    def _find(self, s: Boxes, count: int, pairs: wp.array, total: wp.array, device: Any) -> None:
        e, n = self._entries, self._count
        if not n:
            return
        wp.launch(take_order, dim=n, inputs=[s, e, self._sweep], device=device)
        if self._sweep:
            wp.utils.segmented_sort_pairs(e.key, e.shape, n, e.start)
        wp.launch(find_pairs, dim=n, inputs=[s, e, count, self._sweep, 0, pairs], device=device)
        wp.utils.array_scan(e.count, e.slot, inclusive=False)
        wp.launch(find_pairs, dim=n, inputs=[s, e, count, self._sweep, 1, pairs], device=device)
        wp.launch(add_total, dim=1, inputs=[e, total], device=device)


class BroadPhaseAllPairs(_Worlds):
    """All-pairs broad phase: every two shapes of a world are looked at.

    ``shape_world`` [nshape] counts from 0, -1 for shapes in all worlds; with ``shape_flags`` only shapes that collide
    take part. ModelError where the lengths differ or a world is below -1.
    """

    def __init__(self, shape_world: Any, shape_flags: Any = None, device: Any = None):
        super().__init__(shape_world, shape_flags, device)

    def launch(
        self,
        shape_lower: wp.array,
        shape_upper: wp.array,
        shape_gap: wp.array | None,
        shape_collision_group: wp.array,
        shape_world: wp.array,
        shape_count: int,
        candidate_pair: wp.array,
        candidate_pair_count: wp.array,
        device: Any = None,
        filter_pairs: wp.array | None = None,
        num_filter_pairs: int | None = None,
        skip_count_zero: bool = False,
        *,
        shape_body: wp.array | None = None,
        body_flags: wp.array | None = None,
        include_static_kinematic_pairs: bool = True,
        shape_displacement: wp.array | None = None,
        sort_axis_displacement_limit: float | None = None,
    ) -> None:
        """Write the pairs that overlap, of the first ``shape_count`` shapes.

        Boxes ``shape_lower`` to ``shape_upper`` [m], widened by ``shape_gap`` [m]. Pairs of ``filter_pairs``, sorted,
        smaller index first, are left out, as are those of groups or worlds that do not meet. With ``shape_body``
        shapes of one body and of the world do not meet; shapes of kinematic bodies meet each other and the world's
        only with ``include_static_kinematic_pairs``. With ``shape_displacement`` [m] boxes that meet on the way count;
        ``sort_axis_displacement_limit`` [m] bounds how far a sweep looks for them.
        """
        s = filled(
            shape_lower,
            shape_upper,
            shape_gap,
            shape_body,
            body_flags,
            include_static_kinematic_pairs,
            shape_displacement,
        )
        s.group, s.world = shape_collision_group, shape_world
        if filter_pairs is not None:
            s.apart = filter_pairs
            s.excluded = filter_pairs.shape[0] if num_filter_pairs is None else int(num_filter_pairs)
        if sort_axis_displacement_limit is not None:
            s.travel_limit = float(sort_axis_displacement_limit)
        if not skip_count_zero:
            candidate_pair_count.zero_()
        self._find(s, int(shape_count), candidate_pair, candidate_pair_count, device or shape_lower.device)


class BroadPhaseSAP(BroadPhaseAllPairs):
    """Sweep-and-prune broad phase: the shapes of a world are sorted along an axis, and each looks at those that begin
    before it ends.

    As ``BroadPhaseAllPairs``; the threads of the sweep and how it sorts are its own matter here: the other parameters
    are read and do nothing. ModelError for a ``sort_type`` that there is not.
    """

    _sweep = 1

    def __init__(
        self,
        shape_world: Any,
        shape_flags: Any = None,
        sweep_thread_count_multiplier: int = 5,
        sort_type: str = "segmented",
        tile_block_dim: int | None = None,
        device: Any = None,
    ):
        if str(getattr(sort_type, "name", sort_type)).lower() not in SORTS:
            raise ModelError(
                f"BroadPhaseSAP sort_type={sort_type!r}: unsupported SAP sort mode; use one of {', '.join(SORTS)}"
            )
        super().__init__(shape_world, shape_flags, device)


class BroadPhaseExplicit:
    """Broad phase of a list of pairs."""

    def launch(
        self,
        shape_lower: wp.array,
        shape_upper: wp.array,
        shape_gap: wp.array | None,
        shape_pairs: wp.array,
        shape_pair_count: int,
        candidate_pair: wp.array,
        candidate_pair_count: wp.array,
        device: Any = None,
        skip_count_zero: bool = False,
        *,
        shape_body: wp.array | None = None,
        body_flags: wp.array | None = None,
        include_static_kinematic_pairs: bool = True,
        shape_displacement: wp.array | None = None,
    ) -> None:
        """Write those of the first ``shape_pair_count`` of ``shape_pairs`` whose boxes overlap, in their order; the
        rest as in ``BroadPhaseAllPairs.launch``.
        """
        s = filled(
            shape_lower,
            shape_upper,
            shape_gap,
            shape_body,
            body_flags,
            include_static_kinematic_pairs,
            shape_displacement,
        )
        device, n = wp.get_device(device or shape_lower.device), int(shape_pair_count)
        if not skip_count_zero:
            candidate_pair_count.zero_()
        if not n:
            return
        e = Entries()
        e.count, e.slot = (wp.zeros(n, dtype=int, device=device) for _ in range(2))
        wp.launch(find_listed, dim=n, inputs=[s, shape_pairs, e, 0, candidate_pair], device=device)
        wp.utils.array_scan(e.count, e.slot, inclusive=False)
        wp.launch(find_listed, dim=n, inputs=[s, shape_pairs, e, 1, candidate_pair], device=device)
        wp.launch(add_total, dim=1, inputs=[e, candidate_pair_count], device=device)
