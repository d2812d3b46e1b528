"""Texture coordinates of points on geoms, as MuJoCo's renderer lays pictures around its shapes."""

import warp as wp

from newtonlite.core.mujoco import MjtGeom

LEAST = wp.constant(1.0e-6)


@wp.func
def turn_of(x: float, y: float) -> float:
    """Angle about z from x, 0 to 1 for a whole turn."""
    turn = wp.atan2(y, x) / (2.0 * wp.pi)
    return wp.where(turn < 0.0, turn + 1.0, turn)


@wp.func
def along(x: float, half: float) -> float:
    """Place from -half to half as 0 to 1."""
    return 0.5 + 0.5 * x / wp.max(half, LEAST)


@wp.func
def uv_of_plane(at: wp.vec3, size: wp.vec3, repeat: wp.vec2, uniform: bool) -> wp.vec2:
    """Coordinates on a plane: along a finite side the picture covers it, along an endless one it covers 2 m."""
    middle = wp.where(size[0] > 0.0 and size[1] > 0.0, 0.0, 0.5)
    u = 0.5 * at[0] * repeat[0]
    v = -0.5 * at[1] * repeat[1]
    if size[0] > 0.0:
        u = along(at[0], size[0]) * repeat[0] * wp.where(uniform, size[0], 1.0)
    if size[1] > 0.0:
        v = along(-at[1], size[1]) * repeat[1] * wp.where(uniform, size[1], 1.0)
    return wp.vec2(u - middle, v - middle)


@wp.func
def uv_of_box(at: wp.vec3, normal: wp.vec3, size: wp.vec3) -> wp.vec2:
    """Coordinates on the side of a box: pictures stand upright on the four about z, and have y up on the two across it."""
    x = wp.abs(normal[0])
    y = wp.abs(normal[1])
    z = wp.abs(normal[2])
    if z >= x and z >= y:
        return wp.vec2(along(at[0], size[0]), along(wp.where(normal[2] > 0.0, -at[1], at[1]), size[1]))
    v = along(-at[2], size[2])
    if x >= y:
        return wp.vec2(along(wp.where(normal[0] > 0.0, at[1], -at[1]), size[1]), v)
    return wp.vec2(along(wp.where(normal[1] < 0.0, at[0], -at[0]), size[0]), v)


@wp.func
def uv_of_round(kind: int, at: wp.vec3, normal: wp.vec3, size: wp.vec3) -> wp.vec2:
    """Coordinates on a sphere, ellipsoid, capsule or cylinder: u about z, v down from the top; on the lids of a
    cylinder by place, and on the caps of a capsule the picture once more.
    """
    if kind == MjtGeom.CYLINDER:
        if wp.abs(normal[2]) > 0.7071:
            return wp.vec2(along(at[0], size[0]), along(at[1], size[0]))
        return wp.vec2(turn_of(at[0], at[1]), along(-at[2], size[1]))
    if kind == MjtGeom.CAPSULE:
        u = turn_of(at[0], at[1])
        beyond = wp.abs(at[2]) - size[1]
        if beyond <= 0.0:
            return wp.vec2(u, along(-at[2], size[1]))
        rise = 2.0 / wp.pi * wp.asin(wp.clamp(beyond / wp.max(size[0], LEAST), 0.0, 1.0))
        return wp.vec2(u, wp.where(at[2] > 0.0, 1.0 - rise, rise))
    radii = size
    if kind == MjtGeom.SPHERE:
        radii = wp.vec3(size[0], size[0], size[0])
    way = wp.normalize(wp.cw_div(at, wp.max(radii, wp.vec3(LEAST))))
    return wp.vec2(turn_of(way[0], way[1]), 0.5 - wp.asin(wp.clamp(way[2], -1.0, 1.0)) / wp.pi)


@wp.func
def uv_of(kind: int, at: wp.vec3, normal: wp.vec3, size: wp.vec3, repeat: wp.vec2, uniform: bool) -> wp.vec2:
    """Coordinates (u, v), in pictures, of a point of a geom in its frame; ``uniform`` repeats the picture by length.

    Meshes with coordinates of their own have ``mesh_uv``.
    """
    if kind == MjtGeom.PLANE:
        return uv_of_plane(at, size, repeat, uniform)
    if kind == MjtGeom.MESH or kind == MjtGeom.SDF:
        scale = wp.vec2(1.0, 1.0)
        if not uniform:
            scale = wp.vec2(1.0 / wp.max(size[0], LEAST), 1.0 / wp.max(size[1], LEAST))
        return wp.vec2(0.5 * at[0] * repeat[0] * scale[0] - 0.5, -0.5 * at[1] * repeat[1] * scale[1] - 0.5)
    uv = wp.vec2()
    across = wp.vec2(size[0], size[1])
    if kind == MjtGeom.BOX:
        uv = uv_of_box(at, normal, size)
    elif kind == MjtGeom.HFIELD:
        uv = wp.vec2(along(at[0], size[0]), along(-at[1], size[1]))
    else:
        uv = uv_of_round(kind, at, normal, size)
        if kind != MjtGeom.ELLIPSOID:
            across = wp.vec2(size[0], size[0])
    if uniform:
        uv = wp.cw_mul(uv, across)
    return wp.cw_mul(uv, repeat)


@wp.func
def way_of_cube(kind: int, at: wp.vec3, size: wp.vec3, uniform: bool) -> wp.vec3:
    """Direction in which a cube of pictures is looked at for a point of a geom in its frame."""
    if uniform or kind == MjtGeom.MESH or kind == MjtGeom.SDF:
        return at
    if kind == MjtGeom.SPHERE:
        return at
    if kind == MjtGeom.CAPSULE:
        return wp.vec3(at[0] / size[0], at[1] / size[0], at[2] / (size[0] + size[1]))
    if kind == MjtGeom.CYLINDER:
        return wp.vec3(at[0] / size[0], at[1] / size[0], at[2] / size[1])
    return wp.cw_div(at, wp.max(size, wp.vec3(LEAST)))
