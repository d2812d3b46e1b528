// Where there is no lane with vectors: another stage finds near pairs (nxn_simd.h).
#pragma once

INLINE static int nxn_simd(const Vec4is& cand_cell, const Ints& cand_of_cell, const Ints& cell_geom,
                           const Ints& cand_pairid, const Vec3s& hull_box, const Ints& geom_type,
                           const Vec3s& geom_size, const Floats& geom_rbound, const Floats& geom_margin,
                           const Floats& geom_gap, const Floats& pair_margin, const Floats& pair_gap,
                           const Vec3s& geom_xpos, const Mat33s& geom_xmat, const Ints& cand, int world, int boxes) {
    return NOT_HERE;
}
