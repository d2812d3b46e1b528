"""Shapes of a scene as collision kernels read them, with their poses."""

import warp as wp

from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.kinds import BARREL, CONE
from newtonlite.geometry.signed_distance.grid import DistanceGrid, grid_field
from newtonlite.geometry.signed_distance.mesh import mesh_field
from newtonlite.geometry.signed_distance.primitive import (
    barrel_field,
    box_field,
    capsule_field,
    cone_field,
    cylinder_field,
    ellipsoid_field,
    plane_field,
    sphere_field,
)

kernel_module(__name__)


@wp.struct
class SceneShapes:
    """One row per shape, and the arrays ``own``, ``away``, ``corner_normal`` and ``edge_normal`` of all meshes, one
    after the other.

    ``low`` and ``high`` are corners of a box in the shape's frame [m]. ``grid`` is the table of its distances, -1 for
    none, which is stretched by ``stretch``. ``reach`` is how far its mesh is looked for [m]. ``first`` is the first
    triangle of its mesh in the joint arrays.
    """

    kind: wp.array[int]
    size: wp.array[wp.vec3]
    body: wp.array[int]
    local: wp.array[wp.transformf]
    margin: wp.array[float]
    gap: wp.array[float]
    damping: wp.array[float]  # of contacts [N s/m]
    soft: wp.array[float]  # hydroelastic stiffness [N/m^3]
    low: wp.array[wp.vec3]
    high: wp.array[wp.vec3]
    mesh: wp.array[wp.uint64]
    reach: wp.array[float]
    closed: wp.array[int]
    triangles: wp.array[int]
    first: wp.array[int]
    grid: wp.array[int]
    stretch: wp.array[float]
    grids: wp.array[DistanceGrid]
    own: wp.array[int]  # bits of the corners (0 to 2) and edges (3 to 5) that a triangle answers for
    away: wp.array[wp.vec3]  # into the triangle beyond each edge, 0 where there is none
    corner_normal: wp.array[wp.vec3]
    edge_normal: wp.array[wp.vec3]
    # where they are now
    pose: wp.array[wp.transformf]
    box_low: wp.array[wp.vec3]
    box_high: wp.array[wp.vec3]


@wp.func
def box_in(frame: wp.transformf, low: wp.vec3, high: wp.vec3) -> wp.vec3:
    """Half-sizes of the box, along the axes of what ``frame`` leads to, that holds a box of the shape's frame."""
    half = 0.5 * (high - low)
    turn = wp.quat_to_matrix(wp.transform_get_rotation(frame))
    return wp.vec3(
        wp.abs(turn[0, 0]) * half[0] + wp.abs(turn[0, 1]) * half[1] + wp.abs(turn[0, 2]) * half[2],
        wp.abs(turn[1, 0]) * half[0] + wp.abs(turn[1, 1]) * half[1] + wp.abs(turn[1, 2]) * half[2],
        wp.abs(turn[2, 0]) * half[0] + wp.abs(turn[2, 1]) * half[1] + wp.abs(turn[2, 2]) * half[2],
    )


@wp.kernel(enable_backward=False)
def place_shapes(s: SceneShapes, body_q: wp.array[wp.transformf]):
    """Poses and boxes of the shapes in the world, grown by margin and gap."""
    i = wp.tid()
    frame = s.local[i]
    if s.body[i] >= 0:
        frame = body_q[s.body[i]] * frame
    s.pose[i] = frame
    middle = wp.transform_point(frame, 0.5 * (s.low[i] + s.high[i]))
    more = s.margin[i] + s.gap[i]
    half = box_in(frame, s.low[i], s.high[i]) + wp.vec3(more, more, more)
    s.box_low[i] = middle - half
    s.box_high[i] = middle + half


@wp.func
def detection(s: SceneShapes, a: int, b: int) -> float:
    """Distance of two surfaces up to which their contacts are listed [m]."""
    return s.margin[a] + s.margin[b] + s.gap[a] + s.gap[b]


@wp.func
def field_of(s: SceneShapes, i: int, p: wp.vec3) -> wp.vec4:
    """Gradient and distance of shape ``i`` at a point of its frame."""
    kind = s.kind[i]
    size = s.size[i]
    if kind == MjtGeom.PLANE:
        return plane_field(p)
    if kind == MjtGeom.SPHERE:
        return sphere_field(p, size[0])
    if kind == MjtGeom.CAPSULE:
        return capsule_field(p, size[0], size[1])
    if kind == MjtGeom.BOX:
        return box_field(p, size)
    if kind == MjtGeom.CYLINDER:
        return cylinder_field(p, size[0], size[1])
    if kind == CONE:
        return cone_field(p, size[0], size[1])
    if kind == BARREL:
        return barrel_field(p, size[0], size[1], size[2])
    if kind == MjtGeom.ELLIPSOID:
        return ellipsoid_field(p, size)
    if s.grid[i] >= 0:
        value = grid_field(s.grids[s.grid[i]], p / s.stretch[i])
        return wp.vec4(value[0], value[1], value[2], value[3] * s.stretch[i])
    return mesh_field(s.mesh[i], p, s.reach[i])


@wp.func
def gradient_of(value: wp.vec4) -> wp.vec3:
    """The first three numbers."""
    return wp.vec3(value[0], value[1], value[2])
