// Broad phase by a single CPU lane: sixteen bounding spheres at a time, then sixteen bounding boxes, then the segments of
// those that are near.
//
// Candidates are sorted into cells: one geom against sixteen others, neighbours among those that may touch anything, with a
// bit for each that is a candidate. Geoms are counted as in cell_geom.
// PLANE and other types are mjtGeom's, from Python.
#pragma once
#include "../primitives/team.h"

#if ONE_LANE && !defined(__CUDA_ARCH__)
#include "nxn_lane.h"
#else
#include "nxn_elsewhere.h"
#endif
