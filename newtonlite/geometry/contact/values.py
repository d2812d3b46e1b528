"""Contacts of two primitives as values: Warp functions for kernels of one's own.

Each calls the engine's collider of its pair and returns distances [m] (negative where the shapes overlap), positions
[m] halfway between the surfaces, and normals from the first shape to the second. Rows without a contact have distance
``MAXVAL``. Lengths of capsules and cylinders are half lengths, sizes of boxes half sizes, rotations matrices, all in
one frame.
"""

from typing import Any

import warp as wp

from newtonlite.core.generated import define
from newtonlite.core.types import MAXVAL
from newtonlite.geometry.contact.colliders import COLLIDERS
from newtonlite.geometry.contact.hits import Hits, contact_frame

mat23 = wp.types.matrix((2, 3), wp.float32)
mat43 = wp.types.matrix((4, 3), wp.float32)
mat83 = wp.types.matrix((8, 3), wp.float32)
vec8 = wp.types.vector(8, wp.float32)

FAR = wp.constant(1.0e15)
"""Cutoff of pairs that always have a contact; its square is still a float [m]."""
NO_CONTACT = wp.constant(MAXVAL)


@wp.func_native("return (uint64_t)rows.data;")
def address_of_distances(rows: wp.array2d[float]) -> wp.uint64:
    """Address of an array in the memory of its thread."""
    ...


@wp.func_native("return (uint64_t)rows.data;")
def address_of_vectors(rows: wp.array2d[wp.vec3]) -> wp.uint64:
    """Likewise."""
    ...


@wp.func
def local_hits(dist: wp.array2d[float], vectors: wp.array2d[wp.vec3]) -> Hits:
    """Hits in arrays [1, 8] and [3, 8] of one thread."""
    first = address_of_vectors(vectors)
    hits = Hits()
    hits.dist = wp.array(ptr=address_of_distances(dist), shape=(1, 8), dtype=float)
    hits.pos = wp.array(ptr=first, shape=(1, 8), dtype=wp.vec3)
    hits.normal = wp.array(ptr=first + wp.uint64(96), shape=(1, 8), dtype=wp.vec3)
    hits.tangent = wp.array(ptr=first + wp.uint64(192), shape=(1, 8), dtype=wp.vec3)
    return hits


@wp.func
def hit_values(n: int, dist: wp.array2d[float], vectors: wp.array2d[wp.vec3], no_dist: Any, no_vectors: Any):
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


TYPES = {"pos": "wp.vec3", "axis": "wp.vec3", "radius": "float", "half": "float", "mat": "wp.mat33", "size": "wp.vec3"}
"""Types of the arguments of colliders."""

ABSENT = {"first": "0", "across": "wp.vec3(1.0, 0.0, 0.0)", "axis1": "wp.vec3()", "mat2": "across({axis2})"}
"""Arguments that Newton's functions do not have."""

SOURCE = """
def {name}({parameters}):
    '''{doc}'''
    dist = wp.zeros(shape=(1, 8), dtype=float)
    vectors = wp.zeros(shape=(3, 8), dtype=wp.vec3)
    hits = local_hits(dist, vectors)
    n = {collider}(hits, {arguments}, {cutoff})
    distances, positions, normals = hit_values(n, dist, vectors, {room})
    return distances, positions, {normal}
"""
ROOM = {2: "wp.vec2(), mat23()", 4: "wp.vec4(), mat43()", 8: "vec8(), mat83()"}
SINGLE = "dist[0, 0], vectors[0, 0], vectors[1, 0]"


def contact_values(name: str, parameters: str, doc: str, room: int = 1, normal: str = "normals", margin: bool = False):
    """A Warp function of a row of ``COLLIDERS``: ``parameters`` are its own, in order, each with the collider's argument
    that it is. It returns distances, positions and ``normal`` for ``room`` contacts, up to a ``margin`` where it has one.
    """
    names = {word: parameter for parameter, word in (pair.split(":") for pair in parameters.split())}
    collider = next(row for row in COLLIDERS if f"collide_{row.function.key}" == name)
    texts = [f"{parameter}: {TYPES[word.rstrip('12')]}" for word, parameter in names.items()]
    source = SOURCE.format(
        name=name,
        parameters=", ".join([*texts, *["margin: float = 0.0"] * margin]),
        doc=doc,
        collider=collider.function.key,
        arguments=", ".join(names.get(word) or ABSENT[word].format(**names) for word in collider.arguments.split()),
        cutoff="margin" if margin else "FAR",
        room=ROOM.get(room),
        normal=normal,
    )
    if room == 1:
        source = source[: source.index("    distances,")] + f"    return {SINGLE}\n"
    scope = globals() | {collider.function.key: collider.function}
    define(source, f"<{__name__}.{name}>", scope)
    return wp.func(scope[name])


@wp.func
def collide_plane_sphere(
    plane_normal: wp.vec3, plane_pos: wp.vec3, sphere_pos: wp.vec3, sphere_radius: float
) -> tuple[float, wp.vec3]:
    """Distance and position; the normal is the plane's."""
    dist = wp.dot(sphere_pos - plane_pos, plane_normal) - sphere_radius
    return dist, sphere_pos - (sphere_radius + 0.5 * dist) * plane_normal


collide_sphere_sphere = contact_values(
    "collide_sphere_sphere",
    "pos1:pos1 radius1:radius1 pos2:pos2 radius2:radius2",
    "Distance, position and normal; along x where the centres coincide.",
)
collide_sphere_capsule = contact_values(
    "collide_sphere_capsule",
    "sphere_pos:pos1 sphere_radius:radius1 capsule_pos:pos2 capsule_axis:axis2 capsule_radius:radius2"
    " capsule_half_length:half2",
    "Distance, position and normal.",
)
collide_sphere_cylinder = contact_values(
    "collide_sphere_cylinder",
    "sphere_pos:pos1 sphere_radius:radius1 cylinder_pos:pos2 cylinder_axis:axis2 cylinder_radius:radius2"
    " cylinder_half_height:half2",
    "Distance, position and normal, from the side, a cap or the rim.",
)
collide_sphere_box = contact_values(
    "collide_sphere_box",
    "sphere_pos:pos1 sphere_radius:radius1 box_pos:pos2 box_rot:mat2 box_size:size2",
    "Distance, position and normal.",
)
collide_plane_ellipsoid = contact_values(
    "collide_plane_ellipsoid",
    "plane_normal:axis1 plane_pos:pos1 ellipsoid_pos:pos2 ellipsoid_rot:mat2 ellipsoid_size:size2",
    "Distance, position and normal at the lowest point; sizes are semiaxes.",
)
collide_capsule_capsule = contact_values(
    "collide_capsule_capsule",
    "cap1_pos:pos1 cap1_axis:axis1 cap1_radius:radius1 cap1_half_length:half1 cap2_pos:pos2 cap2_axis:axis2"
    " cap2_radius:radius2 cap2_half_length:half2",
    "Distances, positions and the normal of both; a second contact where the capsules are parallel.",
    room=2,
    normal="normals[0]",
)
collide_plane_capsule = contact_values(
    "collide_plane_capsule",
    "plane_normal:axis1 plane_pos:pos1 capsule_pos:pos2 capsule_axis:axis2 capsule_radius:radius2"
    " capsule_half_length:half2",
    "Distances and positions of the two ends, and the contact frame: rows normal, along the capsule, across.",
    room=2,
    normal="contact_frame(plane_normal, capsule_axis)",
)
collide_plane_box = contact_values(
    "collide_plane_box",
    "plane_normal:axis1 plane_pos:pos1 box_pos:pos2 box_rot:mat2 box_size:size2",
    "Distances and positions of up to four corners no farther than ``margin``, and the normal.",
    room=4,
    normal="plane_normal",
    margin=True,
)
collide_plane_cylinder = contact_values(
    "collide_plane_cylinder",
    "plane_normal:axis1 plane_pos:pos1 cylinder_pos:pos2 cylinder_axis:axis2 cylinder_radius:radius2"
    " cylinder_half_height:half2",
    "Distances and positions of four points of the rims, the lowest first, and the normal.",
    room=4,
    normal="plane_normal",
)
collide_box_box = contact_values(
    "collide_box_box",
    "box1_pos:pos1 box1_rot:mat1 box1_size:size1 box2_pos:pos2 box2_rot:mat2 box2_size:size2",
    "Distances, positions and normals of up to eight contacts no farther than ``margin``.",
    room=8,
    margin=True,
)
collide_capsule_box = contact_values(
    "collide_capsule_box",
    "capsule_pos:pos1 capsule_axis:axis1 capsule_radius:radius1 capsule_half_length:half1 box_pos:pos2 box_rot:mat2"
    " box_size:size2",
    "Distances, positions and normals of up to two contacts.",
    room=2,
)
