"""What native snippets of the engine have in common: two branches, a few abbreviations, and the types of what they work on.

A snippet has a one-lane branch on 16-float vectors (CPU) and a team branch with lanes over columns (GPU).  Warp's own array loops never
vectorise: their strides are run-time bytes.  Every native function has a twin in plain Warp in ``twins``.
"""

import warp as wp

from newtonlite.solvers.mujoco.kernels.team import _SYNC

A1 = wp.array2d(dtype=float)
A2 = wp.array3d(dtype=float)
B1 = wp.array2d(dtype=wp.vec2i)
B2 = wp.array2d(dtype=wp.vec4i)
"""Blocks of 16 columns that a row reaches, first and last + 1: B1 one stretch, B2 two, of which the second may be empty."""


_SUM = """
#if WP_TILE_BLOCK_DIM == 1
    typedef float V8 __attribute__((vector_size(32))); typedef float V4 __attribute__((vector_size(16)));
    const auto total = [](const V s) __attribute__((always_inline)) {
        const V8 e = __builtin_shufflevector(s, s, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13, 14, 15);
        const V4 q = __builtin_shufflevector(e, e, 0, 1, 2, 3) + __builtin_shufflevector(e, e, 4, 5, 6, 7);
        const V4 p = q + __builtin_shufflevector(q, q, 2, 3, 0, 1);
        return p[0] + p[1];
    };
#endif
"""
_PART = """
#if WP_TILE_BLOCK_DIM == 1
    typedef int VI __attribute__((vector_size(64)));
    static const int mask[48] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    static const float unit[31] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.0f};
    typedef int VU __attribute__((vector_size(64), aligned(4)));
    const auto left = [](const V s, int i) __attribute__((always_inline)) { return (V)((VI)s & (VI)*(const VU*)(mask + 16 - (i & 15))); };
    const auto only = [](int i) __attribute__((always_inline)) { return *(const V*)(unit + 15 - (i & 15)); };
    (void)left; (void)only;
#endif
"""


def native(snippet: str) -> str:
    """Expand the few abbreviations used below: ROW(x) a world's floats, INT2(x) and INT4(x) its vec2i and vec4i, LD(x) a row's floats,
    REACHES(t, b) whether block b lies in one of the stretches of a vec4i.

    ``total(v)`` is the sum of a vector's numbers, ``left(v, i)`` what is left of place ``i`` in its block, ``only(i)`` a 1 there; a vector that
    is put together from them is written at once, since reading numbers just written one by one as a vector stalls.  ``ONCE { ... }`` marks a
    body that is compiled once, not again at every call: most of a cold start is spent on copies.
    """
    snippet = snippet.replace("ONCE {", "const auto body = [=]() __attribute__((noinline)) {").replace("} CALL;", "}; body();")
    for kind, ctype in (("ROW", "float"), ("INT2", "int"), ("INT4", "int")):
        snippet = snippet.replace(f"{kind}(", f"AT({ctype}, ")
    head = (
        "{\n#define AT(T, x) ((T*)((char*)x.data + (size_t)world * x.strides[0]))\n"
        "#define LD(x) (int)(x.strides[1] >> 2)\n"
        "#define REACHES(t, b) (((t)[0] <= (b) && (b) < (t)[1]) || ((t)[2] <= (b) && (b) < (t)[3]))\n"
        "#if defined(__CUDA_ARCH__)\n"
        '    asm volatile("" : "+r"(world));  // keeps row addresses from being held in registers between calls\n'
        "#endif\n"
        "    typedef float V __attribute__((vector_size(64), aligned(4))); (void)sizeof(V);\n"
    )
    if "WP_TILE_BLOCK_DIM == 1" in snippet:
        head = head.replace("    typedef", "#if WP_TILE_BLOCK_DIM == 1\n    typedef").replace("sizeof(V);\n", "sizeof(V);\n#endif\n")
    if "total(" in snippet:
        head += _SUM
    if "only(" in snippet:
        head += _PART
    if "#else" in snippet:  # unrolled, the addresses of a team's loops would not fit its registers
        lane, team = snippet.rsplit("#else", 1)
        snippet = lane + "#else" + team.replace("for (", '_Pragma("unroll 1") for (')
    return head + snippet.replace("SYNC;", _SYNC) + "\n#undef AT\n#undef LD\n#undef REACHES\n}"
