// A gang of worlds: numbers of 16 worlds brought side by side, their common kernel, and its results brought back.
#pragma once

#define INLINE inline __attribute__((always_inline))

typedef float V __attribute__((vector_size(64), aligned(4)));

// A field of worlds: `count` numbers a world, `stride` bytes from one world to the next; `place` among the gang's. Of one
// that all worlds share, `seen` has the numbers that the gang has.
struct Field {
    char* data;
    long long stride;
    int count, place;
    int* seen;
};

// `numbers` has 16 worlds' side by side. Those that go back to the worlds come first, `width` of them (a multiple of
// 16), and are turned into `rows`, one for each world, when the kernel is done. `entry`: its code, launch bounds and
// arguments.
struct Gang {
    float *numbers, *rows;
    const Field *in, *out;
    const void* const* entry;
    int nin, nout, width, begin;
};

// The transpose of 16 rows of 16 numbers, of which those of `from` follow one another.
INLINE static void transpose(const float* from, float* to, int width) {
    V r[16];
    for (int i = 0; i < 16; i++) r[i] = *(const V*)(from + 16 * i);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const V x = r[i], y = r[i + 8];
        r[i] = __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
        r[i + 8] = __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const int i = k + (k & 4);
        const V x = r[i], y = r[i + 4];
        r[i] = __builtin_shufflevector(x, y, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
        r[i + 4] = __builtin_shufflevector(x, y, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const int i = 2 * k - (k & 1);
        const V x = r[i], y = r[i + 2];
        r[i] = __builtin_shufflevector(x, y, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
        r[i + 2] = __builtin_shufflevector(x, y, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        const int i = 2 * k;
        const V x = r[i], y = r[i + 1];
        r[i] = __builtin_shufflevector(x, y, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
        r[i + 1] = __builtin_shufflevector(x, y, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
    }
    for (int i = 0; i < 16; i++) *(V*)(to + i * width) = r[i];
}

// Whether numbers that all worlds share are those that the gang has; from now on they are.
INLINE static bool is_seen(const Field& field) {
    const int* source = (const int*)field.data;
    int changed = 0;
    for (int k = 0; k < field.count; k++) changed |= source[k] ^ field.seen[k];
    if (changed)
        for (int k = 0; k < field.count; k++) field.seen[k] = source[k];
    return !changed;
}

// Run the kernel for 16 worlds from `first` on.
INLINE static void step_gang(unsigned long long gang, int first) {
    Gang* g = (Gang*)gang;
    g->begin = first;
    for (int f = 0; f < g->nin; f++) {
        const Field field = g->in[f];
        const char* source = field.data + first * field.stride;
        float* target = g->numbers + 16 * field.place;
        if (field.stride == 0) {
            if (is_seen(field)) continue;
            for (int k = 0; k < field.count; k++) *(V*)(target + 16 * k) = V{} + ((const float*)source)[k];
        } else {
            for (int k = 0; k < field.count; k++)
                for (int i = 0; i < 16; i++) target[16 * k + i] = ((const float*)(source + i * field.stride))[k];
        }
    }
    ((void (*)(const void*, const void*))g->entry[0])(g->entry[1], g->entry[2]);
    for (int k = 0; k < g->width; k += 16) transpose(g->numbers + 16 * k, g->rows + k, g->width);
}

// Give a world of the gang its results.
INLINE static void leave_gang(unsigned long long gang, int world) {
    const Gang* g = (const Gang*)gang;
    const float* row = g->rows + (world - g->begin) * g->width;
    for (int f = 0; f < g->nout; f++) {
        const Field field = g->out[f];
        const float* source = row + field.place;
        float* target = (float*)(field.data + world * field.stride);
        int k = 0;
        for (; k + 16 <= field.count; k += 16) *(V*)(target + k) = *(const V*)(source + k);
        for (; k < field.count; k++) target[k] = source[k];
    }
}
