"""Vectors and matrices of MuJoCo Warp's ``types`` module, beside those of Warp."""

import warp as wp

from newtonlite.core.types import vec5, vec10

vec5f, vec10f = vec5, vec10
vec6f, vec8f, vec11f, vec12f, vec16f = (wp.types.vector(n, wp.float32) for n in (6, 8, 11, 12, 16))
vec6i, vec8i, vec16i = (wp.types.vector(n, wp.int32) for n in (6, 8, 16))
mat43f, mat53f, mat63f, mat113f = (wp.types.matrix((n, 3), wp.float32) for n in (4, 5, 6, 11))
mat23f = wp.types.matrix((2, 3), wp.float32)
mat55f, mat66f = (wp.types.matrix((n, n), wp.float32) for n in (5, 6))
vec6, vec8, vec11 = vec6f, vec8f, vec11f

__all__ = ["mat23f", "mat43f", "mat53f", "mat55f", "mat63f", "mat66f", "mat113f"]
__all__ += ["vec5", "vec5f", "vec6", "vec6f", "vec6i", "vec8", "vec8f", "vec8i", "vec10", "vec10f", "vec11", "vec11f"]
__all__ += ["vec12f", "vec16f", "vec16i"]
