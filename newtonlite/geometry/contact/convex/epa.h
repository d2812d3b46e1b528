// Which faces of a polytope a point sees, eight at a time on the CPU.
#pragma once

#if !defined(__CUDA_ARCH__)
typedef double Eight __attribute__((ext_vector_type(8)));
typedef double EightStored __attribute__((ext_vector_type(8), aligned(8)));

// Number of the first of eight faces, whose normals are x y z x y z and so on, that w is more than `least` above; else 8.
CUDA_CALLABLE inline static int first_below(const double* normal, const double* height, wp::vec3d w, double least) {
    const Eight a = *(const EightStored*)normal, b = *(const EightStored*)(normal + 8),
                c = *(const EightStored*)(normal + 16);
    const Eight x =
        __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, -1, -1), c, 0, 1, 2, 3, 4, 5, 10, 13);
    const Eight y = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 4, 7, 10, 13, -1, -1, -1), c, 0, 1, 2, 3,
                                            4, 8, 11, 14);
    const Eight z = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 5, 8, 11, 14, -1, -1, -1), c, 0, 1, 2, 3,
                                            4, 9, 12, 15);

    // height of w above each of the eight planes
    const Eight above = x * w[0] + y * w[1] + z * w[2] - *(const EightStored*)height;
    for (int k = 0; k < 8; k++)
        if (above[k] > least) return k;
    return 8;
}
#endif

CUDA_CALLABLE inline static int next_visible(const wp::array_t<wp::vec3d>& normals, const wp::array_t<double>& heights,
                                             int first, int faces, wp::vec3d w, double least) {
    const double *normal = (const double*)normals.data, *height = (const double*)heights.data;
    int i = first;
#if !defined(__CUDA_ARCH__)
    // eight at a time while there are as many; the rest, and all on a GPU, one by one
    for (; i + 8 <= faces; i += 8) {
        const int k = first_below(normal + 3 * i, height + i, w, least);
        if (k < 8) return i + k;
    }
#endif
    for (; i < faces; i++)
        if (normal[3 * i] * w[0] + normal[3 * i + 1] * w[1] + normal[3 * i + 2] * w[2] - height[i] > least) return i;
    return faces;
}
