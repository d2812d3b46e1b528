// The mass matrix of a gang of worlds, number by number (dense.h).
#pragma once

INLINE static void mass_rows(const Spatials& cdof, const Spatials& force, const Floats& ancestor,
                             const Floats& armature, const Vec2is& dof_block, const Floats& M, int world, int n,
                             int lane, int nlane) {
    OPAQUE(world);
    const int ld = LD(M), lm = (int)(ancestor.strides[0] >> 2);
    const float* S = ROW(cdof);
    const float* F = ROW(force);
    const float* arm = ROW(armature);
    const plain* mask = (const plain*)ancestor.data;
    const int* block = (const int*)dof_block.data;
    float* Mp = ROW(M);
    for (int i = 0; i < n; i++) {
        for (int j = 16 * block[2 * i]; j <= i; j++) {
            if (mask[i * lm + j] == 0) continue;
            const float *f = F + i * 6, *s = S + j * 6;
            const float sum = f[0] * s[0] + f[1] * s[1] + f[2] * s[2] + f[3] * s[3] + f[4] * s[4] + f[5] * s[5];
            Mp[i * ld + j] = Mp[j * ld + i] = sum;
        }
        Mp[i * ld + i] += arm[i];
    }
}
