// Dense matrices over dofs, products and sums of constraint rows.
//
// Rows are padded to blocks of 16 columns, with zeros in the pad. Blocks that a kinematic tree cannot reach are neither
// read nor written: `block` arrays hold the first and last + 1 block of a row, for constraint rows twice.
#pragma once
#include "simd16.h"

#if ONE_LANE
#include "dense_lane.h"
#elif defined(SPMD)
#include "dense_gang.h"
#else
#include "dense_team.h"
#endif
