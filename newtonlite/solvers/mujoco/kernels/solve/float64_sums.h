// Sums in double over float32 numbers: residuals of rows, the gradient of the cost, slopes of Gauss-Seidel sweeps.
//
// M x - smooth - J' f, J x - aref and A f + b are differences of numbers far larger than themselves, of which float32
// sums would lose the digits. The numbers of efc_cost come from Python (kernels/constraint/row.py).
#pragma once
#include "../primitives/simd16.h"
#include "../primitives/warp_algebra.h"

// What the gradient is summed from: constraint rows with weight w where they are quadratic, and the forces of others.
struct GradientRows {
    const float *J, *w, *f, *jar, *low;
    const int *kind, *block;
    int ld, nrow;

    INLINE double force(int r) const {
        return w[r] != 0.0f ? -(double)w[r] * ((double)jar[r] + (double)low[r])
                            : (double)f[r] + (kind[r] > HALF_QUADRATIC ? (double)low[r] : 0.0);
    }
};

#if ONE_LANE
#include "float64_sums_lane.h"
#else
#include "float64_sums_team.h"
#endif
