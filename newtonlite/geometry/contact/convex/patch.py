"""Where two faces, or an edge and a face, lie on each other: up to four points instead of one."""

import warp as wp

from newtonlite.geometry.contact.convex.clip import (
    MOST_POINTS,
    clip_to_face,
    ends_of_edge,
    largest_quadrilateral,
    load,
    store,
)
from newtonlite.geometry.contact.convex.feature import (
    SAME_FACE,
    Edge,
    Face,
    Feature,
    corner_count,
    edge_at,
    edge_slots,
    face_at,
    face_corner,
    face_slots,
)
from newtonlite.geometry.contact.convex.number import ONE, TINY, ZERO, real, vec
from newtonlite.geometry.contact.convex.shape import Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace

ALONG_FACE = wp.constant(real(0.08878293612158627))
"""Sine of 0.0889 rad, within which an edge lies in a face."""


@wp.struct
class Patch:
    """The face that cuts, and its shape (1 or 2); the polygon to cut is in buffer 0. No patch where ``corners`` is 0."""

    corners: int
    shape: int
    face: int
    normal: vec  # outward, of the face that cuts
    toward: vec  # from shape 1 to shape 2
    along: vec  # in which distances are measured: outward of the cut face, or into the face that cuts an edge


@wp.func
def copy_face(work: Workspace, hulls: Hulls, s: Convex, face: int) -> int:
    """Put the corners of a face into buffer 0; returns how many."""
    n = int(0)
    for k in range(corner_count(hulls, s, face)):
        n = store(work, 0, n, face_corner(hulls, s, face, k))
    return n


@wp.func
def face_on_face(work: Workspace, hulls: Hulls, s1: Convex, s2: Convex, f1: Feature, f2: Feature, normal: vec) -> Patch:
    """The pair of faces that oppose each other best, within 5 degrees; shape 1's cuts shape 2's."""
    patch = Patch()
    patch.shape = 1
    best = -SAME_FACE + real(0.0)
    number2 = int(-1)
    for i in range(face_slots(hulls, s1, f1)):
        face1 = face_at(hulls, s1, f1, i, normal)
        if face1.exists and wp.dot(face1.normal, normal) > ALONG_FACE:
            for j in range(face_slots(hulls, s2, f2)):
                face2 = face_at(hulls, s2, f2, j, -normal)
                facing = wp.dot(face1.normal, face2.normal)
                if face2.exists and wp.dot(face2.normal, normal) < -ALONG_FACE and facing < best:
                    best = facing
                    patch.face = face1.number
                    patch.normal = face1.normal
                    patch.along = face2.normal
                    patch.toward = -face2.normal
                    number2 = face2.number
    if number2 >= 0:
        patch.corners = copy_face(work, hulls, s2, number2)
    return patch


@wp.func
def edge_on_face(work: Workspace, hulls: Hulls, s: Convex, f: Feature, other: Convex, g: Feature, toward: vec) -> Patch:
    """The first edge of ``s`` that lies in a face of the other shape, within 5 degrees; ``toward`` points to ``s`` from the other."""
    patch = Patch()
    edges = edge_slots(hulls, s, f)
    for i in range(face_slots(hulls, other, g)):
        face = face_at(hulls, other, g, i, toward)
        if patch.corners == 0 and face.exists and wp.dot(face.normal, toward) > TINY:
            for j in range(edges):
                e = edge_at(hulls, s, f, j)
                if patch.corners == 0 and wp.abs(wp.dot(wp.normalize(e.end - e.start), face.normal)) < ALONG_FACE:
                    patch.corners = store(work, 0, store(work, 0, 0, e.start), e.end)
                    patch.face = face.number
                    patch.normal = face.normal
                    patch.along = -face.normal
    return patch


@wp.func
def any_face(hulls: Hulls, s: Convex, f: Feature, outward: vec) -> bool:
    """Whether a feature has a face."""
    for i in range(face_slots(hulls, s, f)):
        if face_at(hulls, s, f, i, outward).exists:
            return True
    return False


@wp.func
def find_patch(work: Workspace, hulls: Hulls, s1: Convex, s2: Convex, f1: Feature, f2: Feature, normal: vec) -> Patch:
    """What lies on what, given the direction of contact from shape 1 to shape 2."""
    patch = face_on_face(work, hulls, s1, s2, f1, f2, normal)
    if patch.corners > 0:
        return patch
    flat1 = any_face(hulls, s1, f1, normal)
    flat2 = any_face(hulls, s2, f2, -normal)
    if f1.size < 3 and flat2 and (f1.size <= f2.size or not flat1):
        patch = edge_on_face(work, hulls, s1, f1, s2, f2, -normal)
        patch.shape = 2
        patch.toward = -patch.normal
    if patch.corners == 0 and f2.size < 3 and flat1:
        patch = edge_on_face(work, hulls, s2, f2, s1, f1, normal)
        patch.shape = 1
        patch.toward = patch.normal
    return patch


@wp.func
def cut_patch(work: Workspace, hulls: Hulls, s1: Convex, s2: Convex, patch: Patch, most: real) -> wp.vec2i:
    """Cut the polygon and reduce it to at most four points, the first ones of the buffer: (buffer, points)."""
    s = s1
    if patch.shape == 2:
        s = s2
    cutting = clip_to_face(work, hulls, s, patch.face, patch.normal, patch.corners, most)
    buffer = cutting[0]
    n = cutting[1]
    few = n
    if patch.corners == 2 and n > 2:
        few = 2
    elif n > MOST_POINTS:
        few = MOST_POINTS
    if few < n:
        which = wp.vec4i(0, 1, 2, 3)
        if few == 2:
            which = ends_of_edge(work, buffer, n)
        else:
            which = largest_quadrilateral(work, buffer, n)
        # the other buffer is free
        for k in range(few):
            store(work, 1 - buffer, k, load(work, buffer, which[k]))
        buffer = 1 - buffer
    return wp.vec2i(buffer, few)
