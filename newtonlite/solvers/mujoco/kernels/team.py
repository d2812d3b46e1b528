"""A team of lanes carries out a stage for one world.

On the GPU the team is a thread block of 32, 64 or 128 lanes; on the CPU it is one lane (or a real block of fibers with
``wp.config.enable_cpu_blocks``, which the tests use).  Every function here is collective: all lanes call it together.
Results do not depend on timing: sums run over lanes in a fixed order and slots come from scans, never from atomics.
"""

import warp as wp

_SYNC = """
#if defined(__CUDA_ARCH__) && WP_TILE_BLOCK_DIM == 32
    __syncwarp();
#else
    WP_TILE_SYNC();
#endif
"""

_SUM = """
#if WP_TILE_BLOCK_DIM == 1
    return x;
#elif defined(__CUDA_ARCH__) && WP_TILE_BLOCK_DIM == 32
    for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
    return x;
#else
    float* slot = (float*)((char*)work.data + (size_t)world * work.strides[0]);
    int count = WP_TILE_BLOCK_DIM;
#if defined(__CUDA_ARCH__)
    for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
    count = WP_TILE_BLOCK_DIM / 32;
    if ((threadIdx.x & 31) == 0) slot[threadIdx.x >> 5] = x;
#else
    slot[WP_TILE_THREAD_IDX] = x;
#endif
    WP_TILE_SYNC();
    float total = 0.0f;
    for (int i = 0; i < count; i++) total += slot[i];
    WP_TILE_SYNC();
    return total;
#endif
"""

_SCAN = """
#if WP_TILE_BLOCK_DIM == 1
    return wp::vec_t<2, wp::int32>(0, n);
#elif defined(__CUDA_ARCH__) && WP_TILE_BLOCK_DIM == 32
    int upto = n;
    for (int o = 1; o < 32; o <<= 1) {
        const int below = __shfl_up_sync(0xffffffffu, upto, o);
        if ((int)threadIdx.x >= o) upto += below;
    }
    return wp::vec_t<2, wp::int32>(upto - n, __shfl_sync(0xffffffffu, upto, 31));
#else
    int* slot = (int*)((char*)work.data + (size_t)world * work.strides[0]);
    slot[WP_TILE_THREAD_IDX] = n;
    WP_TILE_SYNC();
    int before = 0, total = 0;
    _Pragma("unroll 1") for (int i = 0; i < WP_TILE_BLOCK_DIM; i++) {
        if (i < WP_TILE_THREAD_IDX) before += slot[i];
        total += slot[i];
    }
    WP_TILE_SYNC();
    return wp::vec_t<2, wp::int32>(before, total);
#endif
"""


@wp.func_native(_SYNC)
def sync():
    """Wait until every lane of the team is here; its writes are then visible to the others."""
    ...


@wp.func_native("return WP_TILE_THREAD_IDX;")
def lane_id() -> int:
    """Index of this lane in its team."""
    ...


@wp.func_native(_SUM)
def team_sum(work: wp.array2d(dtype=float), world: int, x: float) -> float:
    """Sum of ``x`` over the lanes, the same bits on every lane. ``work`` is ``[nworld, nlane]`` scratch."""
    ...


@wp.func_native(_SCAN)
def team_scan(work: wp.array2d(dtype=int), world: int, n: int) -> wp.vec2i:
    """(sum of ``n`` over lower lanes, sum over all lanes). ``work`` is ``[nworld, nlane]`` scratch."""
    ...
