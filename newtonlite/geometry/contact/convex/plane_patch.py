"""Plane against a convex shape, with MuJoCo's polygon: the flattest face around the lowest corner, or the side of a round
shape that lies along the plane.

Where ``plane_mesh`` and the colliders of primitives have the points of a step, this has those of a sweep: faces count
however they are inclined, and a cylinder's cap has sixteen corners.
"""

import warp as wp

from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.clip import MOST_POINTS, largest_quadrilateral, load, store
from newtonlite.geometry.contact.convex.feature import (
    corner_count,
    edge_at,
    face_at,
    face_corner,
    face_slots,
    feature_of,
    has_faces,
)
from newtonlite.geometry.contact.convex.number import HALF, real, vec
from newtonlite.geometry.contact.convex.patch import ALONG_FACE
from newtonlite.geometry.contact.convex.shape import Convex, Hulls, support
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import Hits, no_tangent, put_hit


@wp.func
def put_above(hits: Hits, n: int, point: vec, start: vec, normal: vec, cutoff: real) -> int:
    """Leave a point that is not farther above a plane than ``cutoff`` as hit ``n``; returns how many there are then."""
    dist = wp.dot(point - start, normal)
    if dist > cutoff:
        return n
    put_hit(hits, n, float(dist), wp.vec3(point - (HALF * dist) * normal), wp.vec3(normal), no_tangent())
    return n + 1


@wp.func
def plane_patch(work: Workspace, hits: Hits, hulls: Hulls, s: Convex, start: vec, normal: vec, cutoff: real) -> int:
    """Up to four hits of shape ``s`` and the plane through ``start``, in one frame; returns how many."""
    lowest = support(hulls, s, -normal, -1)
    f = feature_of(lowest.vertex, lowest.vertex, lowest.vertex, lowest.point, lowest.point)
    axis = vec(s.turn[0, 2], s.turn[1, 2], s.turn[2, 2])
    n = int(0)

    # the side of a capsule or cylinder that lies along the plane: both ends
    long = s.kind == MjtGeom.CAPSULE or s.kind == MjtGeom.CYLINDER
    if long and wp.abs(wp.dot(axis, normal)) < ALONG_FACE:
        e = edge_at(hulls, s, f, 0)
        if s.kind == MjtGeom.CAPSULE:
            # of a capsule that is thicker by half the cutoff, seen from its own surface
            slide = (HALF * cutoff * wp.dot(axis, normal)) * axis
            e.start += slide
            e.end += slide
        n = put_above(hits, n, e.start, start, normal, cutoff)
        return put_above(hits, n, e.end, start, normal, cutoff)

    # the face that looks at the plane best: all its corners, or a large quadrilateral of them
    if has_faces(s.kind):
        best = int(-1)
        most = real(-2.0)
        for i in range(face_slots(hulls, s, f)):
            face = face_at(hulls, s, f, i, -normal)
            facing = -wp.dot(face.normal, normal)
            if face.exists and facing > most:
                most = facing
                best = face.number
        if best >= 0:
            count = int(0)
            for k in range(corner_count(hulls, s, best)):
                count = store(work, 0, count, face_corner(hulls, s, best, k))
            which = wp.vec4i(0, 1, 2, 3)
            if count > MOST_POINTS:
                which = largest_quadrilateral(work, 0, count, count)
            for k in range(wp.min(count, MOST_POINTS)):
                n = put_above(hits, n, load(work, 0, which[k]), start, normal, cutoff)
            return n
    return put_above(hits, n, lowest.point, start, normal, cutoff)
