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

    // to the highest neighbour, until none is higher: on a convex hull that is the top
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

#if defined(__CUDA_ARCH__)
CUDA_CALLABLE inline static int farthest_vertex(const wp::array_t<float>& vert, int first, int count, wp::vec3d toward,
                                                double reach) {
    double most = -1e300;
    int best = 0;
    for (int i = 0; i < count; i++) {
        const double h = wp::dot(vertex_at(vert, first + i), toward);
        if (h > most) {
            most = h;
            best = i;
        }
    }
    return best;
}
#else
enum { FEW = 64 };  // vertices that are compared in double precision at once
#define NEAR 1e-6f  // what rounding takes of a height, in reaches

typedef float Floats __attribute__((ext_vector_type(8)));
typedef float Stored __attribute__((ext_vector_type(8), aligned(4)));
typedef int Ints __attribute__((ext_vector_type(8)));
typedef bool Bits __attribute__((ext_vector_type(8)));

// Of each lane's vertices the highest, its number, and how high the second is.
struct Highest {
    Floats most = -1e30f, second = -1e30f;
    Ints at = 0;

    inline void take(Floats h, Ints i) {
        const Ints up = h > most;
        const Floats low = up ? most : h;
        second = low > second ? low : second;
        most = up ? h : most;
        at = up ? i : at;
    }

    inline void take(const Highest& other) {
        take(other.most, other.at);
        second = other.second > second ? other.second : second;
    }
};

static unsigned bits(Ints mask) {
    return __builtin_bit_cast(unsigned char, __builtin_convertvector(mask, Bits));
}

static Floats heights(const float* v, wp::vec3f toward) {
    const Floats x = *(const Stored*)v, y = *(const Stored*)(v + 8), z = *(const Stored*)(v + 16);
    return __builtin_elementwise_fma(z, (Floats)toward[2],
                                     __builtin_elementwise_fma(y, (Floats)toward[1], x * (Floats)toward[0]));
}

static int farthest_exactly(const float* v, int count, wp::vec3d toward) {
    typedef double D __attribute__((vector_size(64)));
    typedef long long I __attribute__((vector_size(64)));
    typedef float F __attribute__((vector_size(32), aligned(4)));
#define COLUMN(k) __builtin_convertvector(*(const F*)(v + 8 * k), D)
    // each lane keeps the highest of every eighth vertex, and its number
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
}

// The highest by single precision, where rounding cannot have made it so; else -1.
static int farthest_clearly(const float* v, int count, wp::vec3f toward, float reach) {
    // two chains, of even and odd groups, so that a step need not wait for the one before
    Highest a, b;
    Ints at = 0;
    int i = 0;
    for (; i + 8 < count; i += 16) {
        a.take(heights(v + 3 * i, toward), at);
        b.take(heights(v + 3 * i + 24, toward), at + 8);
        at += 16;
    }
    if (i < count) a.take(heights(v + 3 * i, toward), at);
    a.take(b);
    Floats top = a.most;
#define HIGHER(c, d, e, f, g, h, i, j)                                                  \
    {                                                                                   \
        const Floats other = __builtin_shufflevector(top, top, c, d, e, f, g, h, i, j); \
        top = other > top ? other : top;                                                \
    }
    HIGHER(4, 5, 6, 7, 0, 1, 2, 3)
    HIGHER(2, 3, 0, 1, 6, 7, 4, 5)
    HIGHER(1, 0, 3, 2, 5, 4, 7, 6)

    // if one height alone is within rounding of the top, it is the top in double precision, too
    const Floats near = top - NEAR * reach;
    const unsigned high = bits(a.most >= near);
    if (bits(a.second >= near) || (high & (high - 1))) return -1;
    const int lane = __builtin_ctz(high);
    return a.at[lane] + lane;
}

__attribute__((noinline)) static int farthest_of_many(const float* v, int count, wp::vec3d toward, double reach) {
    const int best = farthest_clearly(v, count, wp::vec3f(toward), (float)reach);
    return best < 0 ? farthest_exactly(v, count, toward) : best;
}

inline static int farthest_vertex(const wp::array_t<float>& vert, int first, int count, wp::vec3d toward,
                                  double reach) {
    // below some number of vertices one exact pass is faster than two
    const float* v = (const float*)vert.data + 3 * first;
    if (count > FEW && reach > 0.0) return farthest_of_many(v, count, toward, reach);
    return farthest_exactly(v, count, toward);
}
#endif
