"""Array types of native functions; the first axis is the world, save of INDEX."""

import warp as wp

A1 = wp.array2d(dtype=float)
A2 = wp.array3d(dtype=float)
I1 = wp.array2d(dtype=int)
D1 = wp.array2d(dtype=wp.float64)
B1 = wp.array2d(dtype=wp.vec2i)
B2 = wp.array2d(dtype=wp.vec4i)
"""Blocks of 16 columns that a row reaches, first and last + 1: B1 one stretch, B2 two, of which the second may be
empty.
"""
VEC3 = wp.array2d(dtype=wp.vec3)
QUAT = wp.array2d(dtype=wp.quat)
SPATIAL = wp.array2d(dtype=wp.spatial_vector)
POSE = wp.array2d(dtype=wp.transformf)
INDEX = wp.array(dtype=int)
