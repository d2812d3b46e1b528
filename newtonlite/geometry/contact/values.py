"""Contacts of two primitives as values: Warp functions for kernels of one's own.

Each calls the engine's collider of its pair and returns distances [m] (negative where the shapes overlap), positions
[m] halfway between the surfaces, and normals from the first shape to the second. Rows without a contact have distance
``MAXVAL``. Lengths of capsules and cylinders are half lengths, sizes of boxes half sizes, rotations matrices, all in
one frame.
"""

from typing import Any

import warp as wp

from newtonlite.core.types import MAXVAL
from newtonlite.geometry.contact.box import box_box
from newtonlite.geometry.contact.capsule import capsule_capsule
from newtonlite.geometry.contact.capsule_box import capsule_box
from newtonlite.geometry.contact.hits import Hits, contact_frame
from newtonlite.geometry.contact.plane import plane_box, plane_capsule, plane_cylinder, plane_ellipsoid
from newtonlite.geometry.contact.sphere import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere

mat23 = wp.types.matrix((2, 3), wp.float32)
mat43 = wp.types.matrix((4, 3), wp.float32)
mat83 = wp.types.matrix((8, 3), wp.float32)
vec8 = wp.types.vector(8, wp.float32)

FAR = wp.constant(1.0e15)
"""Cutoff of pairs that always have a contact; its square is still a float [m]."""
NO_CONTACT = wp.constant(MAXVAL)


@wp.func_native("return (uint64_t)rows.data;")
def address_of_distances(rows: wp.array2d(dtype=float)) -> wp.uint64:
    """Address of an array in the memory of its thread."""
    ...


@wp.func_native("return (uint64_t)rows.data;")
def address_of_vectors(rows: wp.array2d(dtype=wp.vec3)) -> wp.uint64:
    """Likewise."""
    ...


@wp.func
def local_hits(dist: wp.array2d(dtype=float), vectors: wp.array2d(dtype=wp.vec3)) -> Hits:
    """Hits in arrays [1, 8] and [3, 8] of one thread."""
    first = address_of_vectors(vectors)
    hits = Hits()
    hits.dist = wp.array(ptr=address_of_distances(dist), shape=(1, 8), dtype=float)
    hits.pos = wp.array(ptr=first, shape=(1, 8), dtype=wp.vec3)
    hits.normal = wp.array(ptr=first + wp.uint64(96), shape=(1, 8), dtype=wp.vec3)
    hits.tangent = wp.array(ptr=first + wp.uint64(192), shape=(1, 8), dtype=wp.vec3)
    return hits


@wp.func
def listed(n: int, dist: wp.array2d(dtype=float), vectors: wp.array2d(dtype=wp.vec3), no_dist: Any, no_vectors: Any):
    """Distances, positions and normals of the first ``n`` hits; ``no_dist`` and ``no_vectors`` have their types."""
    distances = no_dist
    positions = no_vectors
    normals = no_vectors
    for i in range(len(no_dist)):
        distances[i] = NO_CONTACT
        if i < n:
            distances[i] = dist[0, i]
            positions[i] = vectors[0, i]
            normals[i] = vectors[1, i]
    return distances, positions, normals


@wp.func
def across(axis: wp.vec3) -> wp.mat33:
    """A rotation whose third column is ``axis``."""
    frame = contact_frame(axis, wp.vec3(0.0, 0.0, 0.0))
    return wp.matrix_from_cols(frame[1], frame[2], frame[0])


@wp.func
def collide_plane_sphere(
    plane_normal: wp.vec3, plane_pos: wp.vec3, sphere_pos: wp.vec3, sphere_radius: float
) -> tuple[float, wp.vec3]:
    """Distance and position; the normal is the plane's."""
    dist = wp.dot(sphere_pos - plane_pos, plane_normal) - sphere_radius
    return dist, sphere_pos - (sphere_radius + 0.5 * dist) * plane_normal


@wp.func
def collide_sphere_sphere(
    pos1: wp.vec3, radius1: float, pos2: wp.vec3, radius2: float
) -> tuple[float, wp.vec3, wp.vec3]:
    """Distance, position and normal; along x where the centres coincide."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    sphere_sphere(hits, 0, pos1, radius1, pos2, radius2, wp.vec3(1.0, 0.0, 0.0), FAR)
    return dist[0, 0], vectors[0, 0], vectors[1, 0]


@wp.func
def collide_sphere_capsule(
    sphere_pos: wp.vec3,
    sphere_radius: float,
    capsule_pos: wp.vec3,
    capsule_axis: wp.vec3,
    capsule_radius: float,
    capsule_half_length: float,
) -> tuple[float, wp.vec3, wp.vec3]:
    """Distance, position and normal."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    sphere_capsule(
        hits,
        sphere_pos,
        wp.vec3(0.0, 0.0, 0.0),
        sphere_radius,
        capsule_pos,
        capsule_axis,
        capsule_radius,
        capsule_half_length,
        FAR,
    )
    return dist[0, 0], vectors[0, 0], vectors[1, 0]


@wp.func
def collide_sphere_cylinder(
    sphere_pos: wp.vec3,
    sphere_radius: float,
    cylinder_pos: wp.vec3,
    cylinder_axis: wp.vec3,
    cylinder_radius: float,
    cylinder_half_height: float,
) -> tuple[float, wp.vec3, wp.vec3]:
    """Distance, position and normal, from the side, a cap or the rim."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    sphere_cylinder(
        hits,
        sphere_pos,
        wp.vec3(0.0, 0.0, 0.0),
        sphere_radius,
        cylinder_pos,
        cylinder_axis,
        cylinder_radius,
        cylinder_half_height,
        FAR,
    )
    return dist[0, 0], vectors[0, 0], vectors[1, 0]


@wp.func
def collide_sphere_box(
    sphere_pos: wp.vec3, sphere_radius: float, box_pos: wp.vec3, box_rot: wp.mat33, box_size: wp.vec3
) -> tuple[float, wp.vec3, wp.vec3]:
    """Distance, position and normal."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    sphere_box(hits, sphere_pos, sphere_radius, box_pos, box_rot, box_size, FAR)
    return dist[0, 0], vectors[0, 0], vectors[1, 0]


@wp.func
def collide_plane_ellipsoid(
    plane_normal: wp.vec3, plane_pos: wp.vec3, ellipsoid_pos: wp.vec3, ellipsoid_rot: wp.mat33, ellipsoid_size: wp.vec3
) -> tuple[float, wp.vec3, wp.vec3]:
    """Distance, position and normal at the lowest point; sizes are semiaxes."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    plane_ellipsoid(hits, plane_pos, plane_normal, ellipsoid_pos, ellipsoid_rot, ellipsoid_size, FAR)
    return dist[0, 0], vectors[0, 0], vectors[1, 0]


@wp.func
def collide_capsule_capsule(
    cap1_pos: wp.vec3,
    cap1_axis: wp.vec3,
    cap1_radius: float,
    cap1_half_length: float,
    cap2_pos: wp.vec3,
    cap2_axis: wp.vec3,
    cap2_radius: float,
    cap2_half_length: float,
) -> tuple[wp.vec2, mat23, wp.vec3]:
    """Distances, positions and the normal of both; a second contact where the capsules are parallel."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    n = capsule_capsule(
        hits,
        cap1_pos,
        cap1_axis,
        cap1_radius,
        cap1_half_length,
        cap2_pos,
        cap2_axis,
        cap2_radius,
        cap2_half_length,
        FAR,
    )
    distances, positions, normals = listed(n, dist, vectors, wp.vec2(), mat23())
    return distances, positions, normals[0]


@wp.func
def collide_plane_capsule(
    plane_normal: wp.vec3,
    plane_pos: wp.vec3,
    capsule_pos: wp.vec3,
    capsule_axis: wp.vec3,
    capsule_radius: float,
    capsule_half_length: float,
) -> tuple[wp.vec2, mat23, wp.mat33]:
    """Distances and positions of the two ends, and the contact frame: rows normal, along the capsule, across."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    n = plane_capsule(
        hits, plane_pos, plane_normal, capsule_pos, capsule_axis, capsule_radius, capsule_half_length, FAR
    )
    distances, positions, normals = listed(n, dist, vectors, wp.vec2(), mat23())
    return distances, positions, contact_frame(plane_normal, capsule_axis)


@wp.func
def collide_plane_box(
    plane_normal: wp.vec3,
    plane_pos: wp.vec3,
    box_pos: wp.vec3,
    box_rot: wp.mat33,
    box_size: wp.vec3,
    margin: float = 0.0,
) -> tuple[wp.vec4, mat43, wp.vec3]:
    """Distances and positions of up to four corners no farther than ``margin``, and the normal."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    n = plane_box(hits, plane_pos, plane_normal, box_pos, box_rot, box_size, margin)
    distances, positions, normals = listed(n, dist, vectors, wp.vec4(), mat43())
    return distances, positions, plane_normal


@wp.func
def collide_plane_cylinder(
    plane_normal: wp.vec3,
    plane_pos: wp.vec3,
    cylinder_pos: wp.vec3,
    cylinder_axis: wp.vec3,
    cylinder_radius: float,
    cylinder_half_height: float,
) -> tuple[wp.vec4, mat43, wp.vec3]:
    """Distances and positions of four points of the rims, the lowest first, and the normal."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    n = plane_cylinder(
        hits, plane_pos, plane_normal, cylinder_pos, across(cylinder_axis), cylinder_radius, cylinder_half_height, FAR
    )
    distances, positions, normals = listed(n, dist, vectors, wp.vec4(), mat43())
    return distances, positions, plane_normal


@wp.func
def collide_box_box(
    box1_pos: wp.vec3,
    box1_rot: wp.mat33,
    box1_size: wp.vec3,
    box2_pos: wp.vec3,
    box2_rot: wp.mat33,
    box2_size: wp.vec3,
    margin: float = 0.0,
) -> tuple[vec8, mat83, mat83]:
    """Distances, positions and normals of up to eight contacts no farther than ``margin``."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    n = box_box(hits, box1_pos, box1_rot, box1_size, box2_pos, box2_rot, box2_size, margin)
    return listed(n, dist, vectors, vec8(), mat83())


@wp.func
def collide_capsule_box(
    capsule_pos: wp.vec3,
    capsule_axis: wp.vec3,
    capsule_radius: float,
    capsule_half_length: float,
    box_pos: wp.vec3,
    box_rot: wp.mat33,
    box_size: wp.vec3,
) -> tuple[wp.vec2, mat23, mat23]:
    """Distances, positions and normals of up to two contacts."""
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    n = capsule_box(
        hits, capsule_pos, capsule_axis, capsule_radius, capsule_half_length, box_pos, box_rot, box_size, FAR
    )
    return listed(n, dist, vectors, wp.vec2(), mat23())
