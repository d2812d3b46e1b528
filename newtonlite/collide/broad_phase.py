"""Broad phases: pairs of shapes whose axis-aligned bounding boxes overlap, from arrays of boxes.

Three classes under Newton's names: all pairs, sweep and prune along one axis, and pairs of a list. They write pairs
(smaller index first, in the order in which they stand in the worlds) and how many there are; pairs beyond the room of
the output are counted and not written. ``near_pairs`` does the same for ``CollisionPipeline``.
"""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.collide.box_overlap import Boxes, bodies_may_meet, boxes_overlap_on_the_way
from newtonlite.collide.sweep import Entries, SweepAndPrune, add_total
from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, max_unroll=0)

SORTS = ("segmented", "tile", "auto")


@wp.kernel(enable_backward=False)
def find_listed(s: Boxes, listed: wp.array[wp.vec2i], e: Entries, write: int, pairs: wp.array[wp.vec2i]):
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


class BroadPhaseAllPairs:
    """All-pairs broad phase: every two shapes of a world are looked at.

    ``shape_world`` [nshape] counts from 0, -1 for shapes in all worlds; with ``shape_flags`` only shapes that collide
    take part. ModelError where the lengths differ or a world is below -1.
    """

    _sorts = False

    def __init__(self, shape_world: Any, shape_flags: Any = None, device: Any = None):
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
        self._sweep = SweepAndPrune(worlds, used, self.device, self._sorts)
        self.num_regular_worlds = self._sweep.worlds

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
        self._sweep.find(s, int(shape_count), candidate_pair, candidate_pair_count, device or shape_lower.device)


class BroadPhaseSAP(BroadPhaseAllPairs):
    """Sweep-and-prune broad phase: the shapes of a world are sorted along an axis, and each looks at those that begin
    before it ends.

    As ``BroadPhaseAllPairs``; the threads of the sweep and how it sorts are its own matter here: the other parameters
    are read and do nothing. ModelError for a ``sort_type`` that there is not.
    """

    _sorts = True

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
