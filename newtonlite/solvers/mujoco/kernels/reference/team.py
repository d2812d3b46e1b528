"""Sums and scans over the lanes of a team: the definitions that ``kernels.team`` is tested against."""

import warp as wp

from newtonlite.solvers.mujoco.kernels.primitives.team import lane_id, sync


@wp.func
def team_sum(work: wp.array2d[float], world: int, x: float) -> float:
    """Sum of ``x`` over the lanes, the same bits on every lane."""
    work[world, lane_id()] = x
    sync()
    total = float(0.0)
    for lane in range(wp.block_dim()):
        total += work[world, lane]
    sync()
    return total


@wp.func
def team_scan(work: wp.array2d[int], world: int, n: int) -> wp.vec2i:
    """(sum of ``n`` over lower lanes, sum over all lanes)."""
    work[world, lane_id()] = n
    sync()
    before = int(0)
    total = int(0)
    for lane in range(wp.block_dim()):
        if lane < lane_id():
            before += work[world, lane]
        total += work[world, lane]
    sync()
    return wp.vec2i(before, total)
