"""Team of lanes: barrier, lane id, sum and scan; a team carries out a stage for one world.

On the GPU the team is a thread block of 32, 64 or 128 lanes, or a part of a warp that several worlds share
(``plan.SHARED_WARP_LANES``); on the CPU it is one lane (or a real block of fibers with
``wp.config.enable_cpu_blocks``, which the tests use).  Every function here is collective: all lanes call it together.
Results do not depend on timing: sums run over lanes in a fixed order and slots come from scans, never from atomics.
"""

import warp as wp

from newtonlite.core.native import header

native = header(__file__)


@wp.func_native(native("sync"))
def sync():
    """Wait until every lane of the team is here; its writes are then visible to the others."""
    ...


@wp.func_native(native("lane_id"))
def lane_id() -> int:
    """Index of this lane in its team."""
    ...


@wp.func_native(native("one_lane"))
def one_lane() -> bool:
    """Whether the team is one lane; known to the compiler, which leaves out what is for others."""
    ...


@wp.func_native(native("team_sum"))
def team_sum(work: wp.array2d[float], world: int, x: float) -> float:
    """Sum of ``x`` over the lanes, the same bits on every lane. ``work`` is ``[nworld, nlane]`` scratch."""
    ...


@wp.func_native(native("team_scan"))
def team_scan(work: wp.array2d[int], world: int, n: int) -> wp.vec2i:
    """(sum of ``n`` over lower lanes, sum over all lanes). ``work`` is ``[nworld, nlane]`` scratch."""
    ...
