"""Broad phase by a single CPU lane: sixteen bounding spheres at a time, then the segments of those that are near.

Candidates are sorted into cells: one geom against sixteen neighbouring geoms, with a bit for each that is a candidate
(``candidates.cells``). The order of candidates is restored at the end.
"""

import warp as wp

NOT_HERE = -1
"""What ``sweep`` returns where it cannot do the work: on a GPU, in a team, with very many geoms."""

_SWEEP = """
#if WP_TILE_BLOCK_DIM != 1 || defined(__CUDA_ARCH__)
    return -1;
#else
    enum { WIDTH = 16, MOST = 2048, PLANE = 0, CAPSULE = 3 };
    typedef float Floats __attribute__((ext_vector_type(16)));
    typedef bool Bits __attribute__((ext_vector_type(16)));
    if (ngeom > MOST) return -1;

    #define ROW(type, array) ((type*)((char*)array.data + (size_t)world * array.strides[0]))
    const float* pos = ROW(const float, geom_xpos);
    const float* mat = ROW(const float, geom_xmat);
    const float* size = ROW(const float, geom_size);
    const float* rbound = ROW(const float, geom_rbound);
    const float* margin = ROW(const float, geom_margin);
    const float* gap = ROW(const float, geom_gap);
    int* out = ROW(int, cand);
    const int* type = (const int*)geom_type.data;
    const int* pair = (const int*)cand_geom.data;
    const int* pairid = (const int*)cand_pairid.data;
    const int* order = (const int*)cand_of_cell.data;

    __attribute__((aligned(64))) float X[MOST], Y[MOST], Z[MOST], R[MOST], H[MOST];
    for (int g = 0; g < ngeom; g++) {
        X[g] = pos[3 * g];
        Y[g] = pos[3 * g + 1];
        Z[g] = pos[3 * g + 2];
        R[g] = rbound[g] + margin[g] + gap[g];
        H[g] = type[g] == CAPSULE ? size[3 * g + 1] : 0.0f;
    }
    for (int g = ngeom; g % WIDTH; g++) X[g] = Y[g] = Z[g] = R[g] = 0.0f;

    // whether two geoms may touch: spheres and capsules are segments with a radius, tested with some slack
    auto meets = [&](int a, int b, float bound) -> bool {
        const float x = X[b] - X[a], y = Y[b] - Y[a], z = Z[b] - Z[a];
        const float ux = mat[9 * a + 2], uy = mat[9 * a + 5], uz = mat[9 * a + 8];
        const float vx = mat[9 * b + 2], vy = mat[9 * b + 5], vz = mat[9 * b + 8];
        const float h1 = H[a], h2 = H[b], r = bound - h1 - h2;
        const float dot = ux * vx + uy * vy + uz * vz;
        const float ahead = ux * x + uy * y + uz * z, back = -(vx * x + vy * y + vz * z);
        if (type[a] == PLANE) return ahead - h2 * (dot < 0 ? -dot : dot) <= r + 1e-5f * bound;
        auto hold = [](float t, float h) { return t > h ? h : (t < -h ? -h : t); };
        const float sine2 = 1.0f - dot * dot;
        float t1 = hold((ahead + dot * back) / (sine2 > 1e-6f ? sine2 : 1e-6f), h1);
        const float t2 = hold(back + dot * t1, h2);
        t1 = hold(ahead + dot * t2, h1);
        const float dx = x + t2 * vx - t1 * ux, dy = y + t2 * vy - t1 * uy, dz = z + t2 * vz - t1 * uz;
        return dx * dx + dy * dy + dz * dz <= r * r + 1e-3f * bound * bound;
    };

    // spheres: the geoms of each cell that are near, as bits; cells without any are dropped
    const int ncell = cand_cell.shape[0];
    const int* cell = (const int*)cand_cell.data;
    int where[MOST];
    unsigned near[MOST + 1];
    int kept = 0;
    for (int from = 0; from < ncell; from += MOST) {
        const int to = ncell - from < MOST ? ncell : from + MOST;
        int some = 0, many = 0;
        for (int c = from; c < to; c++) {
            const int a = cell[4 * c], b = cell[4 * c + 1];
            const Floats x = *(const Floats*)(X + b) - X[a], y = *(const Floats*)(Y + b) - Y[a];
            const Floats z = *(const Floats*)(Z + b) - Z[a], r = *(const Floats*)(R + b) + R[a];
            Bits close;
            if (type[a] == PLANE)
                close = __builtin_convertvector(x * mat[9 * a + 2] + y * mat[9 * a + 5] + z * mat[9 * a + 8] <= r, Bits);
            else
                close = __builtin_convertvector(x * x + y * y + z * z <= r * r, Bits);
            const unsigned bits = cell[4 * c + 2] & __builtin_bit_cast(unsigned short, close);
            where[some] = c;
            near[some] = bits;
            some += bits != 0;
            many += __builtin_popcount(bits);
        }
        // segments: one near candidate after the other, without a branch that depends on what is near
        unsigned left = near[0];
        for (int i = 0, n = 0; n < many; n++) {
            const int* at = cell + 4 * where[i];
            const int bit = __builtin_ctz(left), a = at[0], b = at[1] + bit;
            const int k = order[at[3] + __builtin_popcount(at[2] & ((1u << bit) - 1))];
            left &= left - 1;
            i += left == 0;
            left = left ? left : near[i];
            out[kept] = k;
            kept += meets(a, b, R[a] + R[b]);
        }
    }
    // explicit pairs, at the end of the list, have margins of their own
    for (int i = cand_of_cell.shape[0] - 1; i >= 0 && pairid[order[i]] >= 0; i--) {
        const int k = order[i], p = pairid[k], a = pair[2 * k], b = pair[2 * k + 1];
        out[kept] = k;
        kept += meets(a, b, rbound[a] + rbound[b] + ROW(const float, pair_margin)[p] + ROW(const float, pair_gap)[p]);
    }
    // the order of candidates: few are left, nearly sorted
    for (int i = 1; i < kept; i++) {
        const int k = out[i];
        int j = i;
        for (; j > 0 && out[j - 1] > k; j--) out[j] = out[j - 1];
        out[j] = k;
    }
    #undef ROW
    return kept;
#endif
"""


@wp.func_native(_SWEEP)
def sweep(
    cand_cell: wp.array(dtype=wp.vec4i),
    cand_of_cell: wp.array(dtype=int),
    cand_geom: wp.array(dtype=wp.vec2i),
    cand_pairid: wp.array(dtype=int),
    geom_type: wp.array(dtype=int),
    geom_size: wp.array2d(dtype=wp.vec3),
    geom_rbound: wp.array2d(dtype=float),
    geom_margin: wp.array2d(dtype=float),
    geom_gap: wp.array2d(dtype=float),
    pair_margin: wp.array2d(dtype=float),
    pair_gap: wp.array2d(dtype=float),
    geom_xpos: wp.array2d(dtype=wp.vec3),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    cand: wp.array2d(dtype=int),
    world: int,
    ngeom: int,
) -> int:
    """Leave the near candidates in ``cand``, in order; returns how many, or NOT_HERE."""
    ...
