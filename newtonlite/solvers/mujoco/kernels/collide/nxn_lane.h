// Near pairs of geoms by one lane of a CPU, in vectors (nxn_simd.h).
#pragma once

enum { WIDTH = 16, MOST = 2048 };
#define FAR 1e15f    // beyond every box
#define SLACK 1e-5f  // what rounding takes, in radii
typedef float Floats16 __attribute__((ext_vector_type(16)));
typedef bool Bits16 __attribute__((ext_vector_type(16)));

// Sixteen bounding boxes: margin and gap, centre from the geom's, matrix, half-lengths.
struct Boxes {
    Floats16 gap, centre[3], mat[9], half[3];

    INLINE void put(int g, int type, const float* r, const float* size, const float* hull, float apart) {
        float *const G = (float*)&gap + g, *const C = (float*)centre + g, *const M = (float*)mat + g;
        float* const E = (float*)half + g;
        *G = apart;
        for (int i = 0; i < 9; i++) M[WIDTH * i] = r[i];
        for (int i = 0; i < 3; i++) C[WIDTH * i] = r[3 * i] * hull[0] + r[3 * i + 1] * hull[1] + r[3 * i + 2] * hull[2];
        const bool round = type == SPHERE || type == CAPSULE || type == CYLINDER;
        const float* length = type >= MESH ? hull + 3 : size;
        for (int i = 0; i < 3; i++) E[WIDTH * i] = type == HFIELD ? FAR : length[round ? 0 : i];
        if (type == CAPSULE || type == CYLINDER) E[2 * WIDTH] = size[1] + (type == CAPSULE ? size[0] : 0.0f);
    }
};

// One world's geoms: type, matrix, centre, radius of the bounding sphere with margin and gap, half length of capsules.
struct Geoms {
    const int* type;
    const float* const* mat;
    const float *X, *Y, *Z, *R, *H;
    const Boxes* box;

    INLINE static Floats16 at(const float* row, int b) { return *(const Floats16*)(row + b); }
    INLINE static Floats16 size(Floats16 x) { return __builtin_elementwise_abs(x); }

    // Which of sixteen geoms from b on no face of a box, and no plane, keeps farther from geom a than `reach`, as bits.
    INLINE unsigned boxes(int a, int b, Floats16 reach) const {
        const Boxes& B = box[b / WIDTH];
        const float *const n = mat[a], *const c = (const float*)box[a / WIDTH].centre + a % WIDTH;
        const float* const half = (const float*)box[a / WIDTH].half + a % WIDTH;
        const Floats16 x = at(X, b) - X[a] + (B.centre[0] - c[0]), y = at(Y, b) - Y[a] + (B.centre[1] - c[WIDTH]);
        const Floats16 z = at(Z, b) - Z[a] + (B.centre[2] - c[2 * WIDTH]);
        const Floats16 *const e = B.half, *const m = B.mat;
        Floats16 gap = Floats16{} - __FLT_MAX__;  // negative where boxes overlap, as the reach may be
        if (type[a] == PLANE) {
            gap = x * n[2] + y * n[5] + z * n[8];
            for (int k = 0; k < 3; k++) gap -= e[k] * size(n[2] * m[k] + n[5] * m[3 + k] + n[8] * m[6 + k]);
        } else {
            Floats16 back[3];
            for (int k = 0; k < 3; k++) back[k] = size(x * m[k] + y * m[3 + k] + z * m[6 + k]) - e[k];
            for (int i = 0; i < 3; i++) {
                Floats16 ahead = size(x * n[i] + y * n[3 + i] + z * n[6 + i]) - half[WIDTH * i];
                for (int k = 0; k < 3; k++) {
                    const Floats16 dot = size(n[i] * m[k] + n[3 + i] * m[3 + k] + n[6 + i] * m[6 + k]);
                    ahead -= dot * e[k];
                    back[k] -= dot * half[WIDTH * i];
                }
                gap = __builtin_elementwise_max(gap, ahead);
            }
            for (int k = 0; k < 3; k++) gap = __builtin_elementwise_max(gap, back[k]);
        }
        return __builtin_bit_cast(unsigned short, __builtin_convertvector(gap <= reach, Bits16));
    }

    // Whether two geoms may touch: spheres and capsules are segments with a radius, tested with some slack.
    INLINE bool meets(int a, int b, float bound) const {
        const float x = X[b] - X[a], y = Y[b] - Y[a], z = Z[b] - Z[a];
        const float *const u = mat[a], *const v = mat[b];
        const float ux = u[2], uy = u[5], uz = u[8], vx = v[2], vy = v[5], vz = v[8];
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
    }

    // Which of a cell's sixteen geoms have a sphere, and a box if there are boxes, near that of its one, as bits.
    INLINE unsigned near(const int* cell) const {
        const int a = cell[0], b = cell[1];
        const Floats16 x = *(const Floats16*)(X + b) - X[a], y = *(const Floats16*)(Y + b) - Y[a];
        const Floats16 z = *(const Floats16*)(Z + b) - Z[a], r = *(const Floats16*)(R + b) + R[a];
        Bits16 close;
        if (type[a] == PLANE)
            close = __builtin_convertvector(x * mat[a][2] + y * mat[a][5] + z * mat[a][8] <= r, Bits16);
        else
            close = __builtin_convertvector(x * x + y * y + z * z <= r * r, Bits16);
        const unsigned bits = cell[2] & __builtin_bit_cast(unsigned short, close);
        if (!bits || !box) return bits;
        return bits & boxes(a, b, box[b / WIDTH].gap + ((const float*)&box[a / WIDTH].gap)[a % WIDTH] + SLACK * r);
    }
};

INLINE static int nxn_simd(const Vec4is& cand_cell, const Ints& cand_of_cell, const Ints& cell_geom,
                           const Ints& cand_pairid, const Vec3s& hull_box, const Ints& geom_type,
                           const Vec3s& geom_size, const Floats& geom_rbound, const Floats& geom_margin,
                           const Floats& geom_gap, const Floats& pair_margin, const Floats& pair_gap,
                           const Vec3s& geom_xpos, const Mat33s& geom_xmat, const Ints& cand, int world, int boxes) {
    const int count = cell_geom.shape[0];
    if (count > MOST) return NOT_HERE;
    const int* member = (const int*)cell_geom.data;
    const int* kind = (const int*)geom_type.data;
    const float *pos = ROW(geom_xpos), *matrix = ROW(geom_xmat);
    const float *size = ROW(geom_size), *hull = ROW(hull_box);
    const float *rbound = ROW(geom_rbound), *margin = ROW(geom_margin), *gap = ROW(geom_gap);
    int* out = WORLD(int, cand);
    const int* pairid = (const int*)cand_pairid.data;
    const int* order = (const int*)cand_of_cell.data;

    __attribute__((aligned(64))) float X[MOST], Y[MOST], Z[MOST], R[MOST], H[MOST];
    int type[MOST];
    const float* mat[MOST];
    Boxes box[MOST / WIDTH];
    for (int g = 0; g < count; g++) {
        const int id = member[g];
        const float apart = margin[id] + gap[id];
        X[g] = pos[3 * id];
        Y[g] = pos[3 * id + 1];
        Z[g] = pos[3 * id + 2];
        R[g] = rbound[id] + apart;
        type[g] = kind[id];
        mat[g] = matrix + 9 * id;
        H[g] = type[g] == CAPSULE ? size[3 * id + 1] : 0.0f;
        if (boxes) box[g / WIDTH].put(g % WIDTH, type[g], mat[g], size + 3 * id, hull + 6 * id, apart);
    }
    for (int g = count; g % WIDTH; g++) X[g] = Y[g] = Z[g] = R[g] = 0.0f;
    const Geoms geoms = {type, mat, X, Y, Z, R, H, boxes ? box : nullptr};

    const int* cell = (const int*)cand_cell.data;
    int ncell = cand_cell.shape[0];
    while (ncell > 0 && pairid[order[cell[4 * ncell - 1]]] >= 0) ncell--;
    int where[MOST];
    unsigned near[MOST + 1];
    int kept = 0;
    for (int from = 0; from < ncell; from += MOST) {
        // spheres; cells without any that are near are dropped
        const int to = ncell - from < MOST ? ncell : from + MOST;
        int some = 0, many = 0;
        for (int c = from; c < to; c++) {
            const unsigned bits = geoms.near(cell + 4 * c);
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
            kept += geoms.meets(a, b, R[a] + R[b]);
        }
    }
    // explicit pairs, in the last cells, have margins of their own
    for (int c = ncell; c < cand_cell.shape[0]; c++) {
        const int* at = cell + 4 * c;
        const int bit = __builtin_ctz(at[2]), a = at[0], b = at[1] + bit, k = order[at[3]], p = pairid[k];
        const float reach = ROW(pair_margin)[p] + ROW(pair_gap)[p];
        const float bound = rbound[member[a]] + rbound[member[b]] + reach;
        if (boxes && !(geoms.boxes(a, at[1], Floats16{} + (reach + SLACK * bound)) >> bit & 1)) continue;
        out[kept] = k;
        kept += geoms.meets(a, b, bound);
    }
    // the order of candidates: few are left, nearly sorted
    for (int i = 1; i < kept; i++) {
        const int k = out[i];
        int j = i;
        for (; j > 0 && out[j - 1] > k; j--) out[j] = out[j - 1];
        out[j] = k;
    }
    return kept;
}
