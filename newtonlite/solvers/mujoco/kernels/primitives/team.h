// Macros and array types that all native functions use, and what a team of lanes does together: wait, add up, scan.
//
// A native function carries out its work for one world with a team of lanes. On the CPU the team is one lane, which
// works on vectors (ONE_LANE); on the GPU it is a thread block, whose lanes take columns in turn, or a part of a warp: a
// module whose teams share warps says in SHARED_WARP_LANES how many lanes each has (executor/fused_kernel.py).
#pragma once

#if defined(SPMD)  // a gang of worlds, one per SIMD lane of every number (executor/cpu/gang.py)
#define ONE_LANE 0
#else
#define ONE_LANE (WP_TILE_BLOCK_DIM == 1)
#endif
#if defined(__CUDA_ARCH__) && defined(SHARED_WARP_LANES)
#define TEAM_LANES SHARED_WARP_LANES
#define CUDA_WARP 0
#define IN_WARP 1
#define TEAM_MASK ((0xffffffffu >> (32 - TEAM_LANES)) << (threadIdx.x & 31 & ~(TEAM_LANES - 1)))
#elif defined(__CUDA_ARCH__) && WP_TILE_BLOCK_DIM == 32
#define TEAM_LANES 32
#define CUDA_WARP 1
#define IN_WARP 1
#define TEAM_MASK 0xffffffffu
#else
#define TEAM_LANES WP_TILE_BLOCK_DIM
#define CUDA_WARP 0
#define IN_WARP 0
#endif

// A function is part of each of its callers, or compiled once: most of a cold start is spent on copies.
#define INLINE CUDA_CALLABLE inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

// A number of one world.
#if defined(SPMD)
typedef wp::uniform plain;
#else
typedef float plain;
#endif

// An array's numbers that belong to the caller's `world`, and how many floats a row of a world's matrix takes.
#define WORLD(T, array) ((T*)((char*)(array).data + (size_t)world * (array).strides[0]))
#define ROW(array) WORLD(float, array)
#define LD(array) ((int)((array).strides[1] / (int)sizeof(float)))

// Keep a number from the GPU compiler, which would hold addresses made of it in registers from call to call.
#if defined(__CUDA_ARCH__)
#define OPAQUE(number) asm volatile("" : "+r"(number))
#else
#define OPAQUE(number) (void)(number)
#endif

// Wait for all lanes of the team.
#if defined(SPMD)
#define SYNC()
#elif IN_WARP
#define SYNC() __syncwarp(TEAM_MASK)
#else
#define SYNC() WP_TILE_SYNC()
#endif

// Ask for the next world's row of an array; nothing changes but when it arrives.
#if ONE_LANE
#define PREFETCH(array)                                                                                 \
    _Pragma("unroll 1") for (int k = 0; k < (int)((array).shape[1] * (array).strides[1]) + 63; k += 64) \
        __builtin_prefetch((const char*)ROW(array) + (array).strides[0] + k)
#else
#define PREFETCH(array)
#endif

typedef wp::array_t<float> Floats;
typedef wp::array_t<double> Doubles;
typedef wp::array_t<int> Ints;
typedef wp::array_t<wp::vec2i> Vec2is;
typedef wp::array_t<wp::vec4i> Vec4is;
typedef wp::array_t<wp::vec_t<3, float>> Vec3s;
typedef wp::array_t<wp::mat_t<3, 3, float>> Mat33s;
typedef wp::array_t<wp::quat_t<float>> Quats;
typedef wp::array_t<wp::vec_t<6, float>> Spatials;
typedef wp::array_t<wp::vec_t<10, float>> Inertias;
typedef wp::array_t<wp::transform_t<float>> Transforms;

INLINE static void sync() {
    SYNC();
}

INLINE static int lane_id() {
    return IN_WARP ? WP_TILE_THREAD_IDX & (TEAM_LANES - 1) : WP_TILE_THREAD_IDX;
}

#if ONE_LANE || defined(SPMD)
#include "team_of_one.h"
#elif IN_WARP
#include "team_in_warp.h"
#else
#include "team_block.h"
#endif
