"""Array types of native functions; the first axis is the world, save of INDEX."""

import warp as wp

A1 = wp.array2d[float]
A2 = wp.array3d[float]
I1 = wp.array2d[int]
D1 = wp.array2d[wp.float64]
B1 = wp.array2d[wp.vec2i]
B2 = wp.array2d[wp.vec4i]
"""Blocks of 16 columns that a row reaches, first and last + 1: B1 one stretch, B2 two, of which the second may be
empty.
"""
VEC3 = wp.array2d[wp.vec3]
QUAT = wp.array2d[wp.quat]
SPATIAL = wp.array2d[wp.spatial_vector]
POSE = wp.array2d[wp.transformf]
INDEX = wp.array[int]
