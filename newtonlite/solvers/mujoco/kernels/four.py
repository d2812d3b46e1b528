"""Points and quaternions of native snippets, four numbers at a time: the type ``F`` and what is done with it.

A quaternion is (w, x, y, z), a point or vector (0, x, y, z). One lane works on vectors, with fused multiply-adds named one by one, so that every
program rounds alike; a team's lanes on structs.
"""

FOUR = """
#if WP_TILE_BLOCK_DIM == 1
    typedef float F __attribute__((vector_size(16), aligned(4)));
    auto by = [](F a, F b) { return a * b; };
    auto fused = [](F a, F b, F c) { return __builtin_elementwise_fma(a, b, c); };
    auto each = [](float a) { return F{a, a, a, a}; };
    auto minus = [](F a) { return -a; };
    #define PICK(x, i, j, k, l) __builtin_shufflevector(x, x, i, j, k, l)
    typedef float H __attribute__((vector_size(8), aligned(4)));  // stored as it is loaded, or the load waits for the store to be done
    auto three = [](const float* a) { const H h = *(const H*)(a + 1); return F{0.0f, a[0], h[0], h[1]}; };
    auto four = [](const float* a) { return *(const F*)a; };
    auto put = [](float* o, F x) { o[0] = x[1]; *(H*)(o + 1) = __builtin_shufflevector(x, x, 2, 3); };
    auto put_four = [](float* o, F x) { *(F*)o = x; };
    auto some = [](F x) { return __builtin_reduce_or(x != 0.0f) != 0; };
#else
    struct F {
        float e[4];
        CUDA_CALLABLE float operator[](int i) const { return e[i]; }
        CUDA_CALLABLE F operator+(F o) const { return {e[0] + o.e[0], e[1] + o.e[1], e[2] + o.e[2], e[3] + o.e[3]}; }
        CUDA_CALLABLE F operator-(F o) const { return {e[0] - o.e[0], e[1] - o.e[1], e[2] - o.e[2], e[3] - o.e[3]}; }
        CUDA_CALLABLE F operator*(float s) const { return {e[0] * s, e[1] * s, e[2] * s, e[3] * s}; }
    };
    auto by = [](F a, F b) { return F{a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]}; };
    auto fused = [](F a, F b, F c) { return F{fmaf(a[0], b[0], c[0]), fmaf(a[1], b[1], c[1]), fmaf(a[2], b[2], c[2]), fmaf(a[3], b[3], c[3])}; };
    auto each = [](float a) { return F{a, a, a, a}; };
    auto minus = [](F a) { return F{-a[0], -a[1], -a[2], -a[3]}; };
    #define PICK(x, i, j, k, l) F{x[i], x[j], x[k], x[l]}
    auto three = [](const float* a) { return F{0.0f, a[0], a[1], a[2]}; };
    auto four = [](const float* a) { return F{a[0], a[1], a[2], a[3]}; };
    auto put = [](float* o, F x) { o[0] = x[1]; o[1] = x[2]; o[2] = x[3]; };
    auto put_four = [](float* o, F x) { o[0] = x[0]; o[1] = x[1]; o[2] = x[2]; o[3] = x[3]; };
    auto some = [](F x) { return x[0] != 0.0f || x[1] != 0.0f || x[2] != 0.0f || x[3] != 0.0f; };
#endif
    auto cross = [=](F a, F b) {
        const F c = fused(a, PICK(b, 0, 2, 3, 1), minus(by(PICK(a, 0, 2, 3, 1), b)));
        return F{0.0f, c[2], c[3], c[1]};
    };
    auto turn = [=](F q, F v) {
        return fused(each(2.0f), cross(q, fused(each(q[0]), v, cross(q, v))), v);
    };
    auto times = [=](F a, F b) {
        const F x = F{-1.0f, 1.0f, -1.0f, 1.0f}, y = F{-1.0f, 1.0f, 1.0f, -1.0f}, z = F{-1.0f, -1.0f, 1.0f, 1.0f};
        return fused(z * a[3], PICK(b, 3, 2, 1, 0), fused(y * a[2], PICK(b, 2, 3, 0, 1), fused(x * a[1], PICK(b, 1, 0, 3, 2), b * a[0])));
    };
    auto square = [](F q) { return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]; };
    auto unit = [=](F q) {
        const float n = sqrtf(square(q));
        return n < 1e-15f ? F{1.0f, 0.0f, 0.0f, 0.0f} : q * (1.0f / n);
    };
"""

END_FOUR = "#undef PICK\n"
