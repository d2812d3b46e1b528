// Vertices of hulls in groups of eight: eight x, eight y, eight z, and so on.
#pragma once

CUDA_CALLABLE inline static wp::vec3d vertex_at(const wp::array_t<float>& vert, int i) {
    const float* p = (const float*)vert.data + 24 * (i >> 3) + (i & 7);
    return wp::vec3d(p[0], p[8], p[16]);
}

CUDA_CALLABLE inline static int climb(const wp::array_t<float>& vert, const wp::array_t<int>& nbr_adr,
                                      const wp::array_t<int>& nbr, int first, int start, wp::vec3d toward) {
    const int *adr = (const int*)nbr_adr.data + first, *near = (const int*)nbr.data;
    int best = start, last = -1;
    double most = wp::dot(vertex_at(vert, first + best), toward);
    while (best != last) {
        last = best;
        const int end = adr[last + 1];
        for (int k = adr[last]; k < end; k++) {
            const int i = near[k];
            const double h = wp::dot(vertex_at(vert, first + i), toward);
            best = h > most ? i : best;
            most = h > most ? h : most;
        }
    }
    return best;
}

CUDA_CALLABLE inline static int few_vertices() {
#if defined(__CUDA_ARCH__)
    return 100;
#else
    return 640;  // eight at a time
#endif
}

CUDA_CALLABLE inline static int farthest_vertex(const wp::array_t<float>& vert, int first, int count,
                                                wp::vec3d toward) {
    const float* v = (const float*)vert.data + 3 * first;
#if defined(__CUDA_ARCH__)
    double most = -1e300;
    int best = 0;
    for (int i = 0; i < count; i++) {
        const float* p = v + 24 * (i >> 3) + (i & 7);
        const double h = p[0] * toward[0] + p[8] * toward[1] + p[16] * toward[2];
        if (h > most) {
            most = h;
            best = i;
        }
    }
    return best;
#else
    typedef double D __attribute__((vector_size(64)));
    typedef long long I __attribute__((vector_size(64)));
    typedef float F __attribute__((vector_size(32), aligned(4)));
#define COLUMN(k) __builtin_convertvector(*(const F*)(v + 8 * k), D)
    I at = {0, 1, 2, 3, 4, 5, 6, 7}, best = at;
    D most = COLUMN(0) * toward[0] + COLUMN(1) * toward[1] + COLUMN(2) * toward[2];
    for (int i = 8; i < count; i += 8) {
        v += 24;
        at += 8;
        const D h = COLUMN(0) * toward[0] + COLUMN(1) * toward[1] + COLUMN(2) * toward[2];
        const I up = h > most;
        most = up ? h : most;
        best = up ? at : best;
    }
    // of the eight lanes' vertices the highest, of equally high ones the first
#define FOLD(a, b, c, d, e, f, g, h)                                             \
    {                                                                            \
        const D m = __builtin_shufflevector(most, most, a, b, c, d, e, f, g, h); \
        const I w = __builtin_shufflevector(best, best, a, b, c, d, e, f, g, h); \
        const I up = (m > most) | ((m == most) & (w < best));                    \
        most = up ? m : most;                                                    \
        best = up ? w : best;                                                    \
    }
    FOLD(4, 5, 6, 7, 0, 1, 2, 3)
    FOLD(2, 3, 0, 1, 6, 7, 4, 5)
    FOLD(1, 0, 3, 2, 5, 4, 7, 6)
    return (int)best[0];
#endif
}
