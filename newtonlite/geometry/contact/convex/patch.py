"""Multi-contact patch (``multiccd``): up to four points where two faces, or an edge and a face, lie on each other.

Clipping of an incident face against a reference face (Gregorius, Robust Contact Creation for Physics Simulations, GDC
2015), with MuJoCo's bounds and order (docs/decisions/0007).  Taken where a pair is within the margin, both shapes have
faces or one is a capsule, and GJK or EPA left corners.  It does not look for more points of round shapes.

It overwrites faces, normals and vertices of the workspace: what the search left there has been read before.
"""

import warp as wp

from newtonlite.geometry.contact.convex.clip import (
    MOST_POINTS,
    Cut,
    clip_to_face,
    ends_of_edge,
    largest_quadrilateral,
    load,
    store,
)
from newtonlite.geometry.contact.convex.feature import (
    SAME_FACE,
    Feature,
    corner_count,
    edge_at,
    edge_slots,
    face_at,
    face_corner,
    face_slots,
    most_faces,
)
from newtonlite.geometry.contact.convex.number import TINY, real, vec
from newtonlite.geometry.contact.convex.shape import Convex, Hulls
from newtonlite.geometry.contact.convex.workspace import Workspace

ALONG_FACE = wp.constant(real(0.0888))
"""Sine within which an edge lies in a face; MuJoCo 4.0 changes from a patch to a point there."""


@wp.struct
class Patch:
    """The face that cuts, and its shape (0 or 1); the polygon to cut is in buffer 0. No patch where ``corners`` is 0."""

    corners: int
    shape: int
    face: int
    normal: vec  # outward, of the face that cuts
    toward: vec  # from the first shape to the second
    along: vec  # in which distances are measured: outward of the cut face, or into the face that cuts an edge


@wp.func
def list_faces(work: Workspace, hulls: Hulls, f1: Feature, f2: Feature, normal: vec) -> wp.vec2i:
    """Faces of both features: normals and numbers, those of the second in the second half; returns how many each has."""
    # the first shape's faces in the front half of the arrays, the second's in the back half
    count = wp.vec2i(0, 0)
    half = len(work.face) // 2
    shapes = int(2)
    for which in range(shapes):
        s = work.shape[which]
        f = f1
        outward = normal
        if which == 1:
            f = f2
            outward = -normal
        n = int(0)
        most = wp.min(half, most_faces(s, f))
        # a slot may be empty, and hulls that are nearly flat have more faces than count
        for i in range(face_slots(hulls, s, f)):
            face = face_at(hulls, s, f, i, outward)
            if face.exists and n < most:
                work.normal[which * half + n] = face.normal
                work.face[which * half + n] = wp.vec4i(face.number, 0, 0, 0)
                n += 1
        count[which] = n
    return count


@wp.func
def list_edges(work: Workspace, hulls: Hulls, s: Convex, f: Feature) -> int:
    """Edges of a feature, as points 1 and 2 of vertices; returns how many."""
    # vertices of the search are no longer needed: their points hold the ends of edges
    n = wp.min(edge_slots(hulls, s, f), len(work.point1))
    for i in range(n):
        e = edge_at(hulls, s, f, i)
        work.point1[i] = e.start
        work.point2[i] = e.end
    return n


@wp.func
def face_on_face(work: Workspace, count: wp.vec2i, normal: vec) -> wp.vec2i:
    """The listed faces that oppose each other best, within 5 degrees, or (-1, -1)."""
    # both faces have to look along the contact, one each way, and of these the two that oppose each other best
    half = len(work.face) // 2
    best = -SAME_FACE + real(0.0)
    found = wp.vec2i(-1, -1)
    for i in range(count[0]):
        one = work.normal[i]
        if wp.dot(one, normal) > ALONG_FACE:
            for j in range(count[1]):
                two = work.normal[half + j]
                if wp.dot(two, normal) < -ALONG_FACE and wp.dot(one, two) < best:
                    best = wp.dot(one, two)
                    found = wp.vec2i(i, half + j)
    return found


@wp.func
def edge_on_face(work: Workspace, edges: int, first: int, faces: int, toward: vec) -> wp.vec2i:
    """The first listed edge that lies in a listed face, within 5 degrees, and that face; ``toward`` points out of it."""
    # faces that look at the edge's shape, and the first edge perpendicular to their normal
    found = wp.vec2i(-1, -1)
    for i in range(first, first + faces):
        normal = work.normal[i]
        if found[0] < 0 and wp.dot(normal, toward) > TINY:
            for j in range(edges):
                if found[0] < 0 and wp.abs(wp.dot(wp.normalize(work.point2[j] - work.point1[j]), normal)) < ALONG_FACE:
                    found = wp.vec2i(j, i)
    return found


@wp.func
def find_patch(work: Workspace, hulls: Hulls, f1: Feature, f2: Feature, normal: vec) -> Patch:
    """Patch for a direction of contact: two faces; or an edge of the first shape on the second; or the reverse."""
    # first choice: two faces. The first shape's cuts the second's, and the normal is the second's
    patch = Patch()
    half = len(work.face) // 2
    count = list_faces(work, hulls, f1, f2, normal)
    pair = face_on_face(work, count, normal)
    if pair[0] >= 0:
        patch.face = work.face[pair[0]][0]
        patch.normal = work.normal[pair[0]]
        patch.along = work.normal[pair[1]]
        patch.toward = -patch.along
        other = work.face[pair[1]][0]
        s = work.shape[1]
        for k in range(corner_count(hulls, s, other)):
            patch.corners = store(work, 0, k, face_corner(hulls, s, other, k))
        return patch

    # second choice: an edge on a face, the shape with the smaller feature first
    shapes = int(2)
    for which in range(shapes):
        # the shape whose edge it is; the other one's face cuts
        # a feature of three corners is a face, and has no edge of its own
        few = f1.size < 3 and count[1] > 0 and (f1.size <= f2.size or count[0] == 0)
        f = f1
        toward = -normal
        if which == 1:
            few = f2.size < 3 and count[0] > 0
            f = f2
            toward = normal
        if patch.corners == 0 and few:
            edges = list_edges(work, hulls, work.shape[which], f)
            pair = edge_on_face(work, edges, (1 - which) * half, count[1 - which], toward)
            # a patch with two corners, cut by the other shape's face
            if pair[0] >= 0:
                patch.shape = 1 - which
                patch.face = work.face[pair[1]][0]
                patch.normal = work.normal[pair[1]]
                patch.along = -patch.normal
                patch.toward = wp.where(which == 0, -patch.normal, patch.normal)
                patch.corners = store(work, 0, store(work, 0, 0, work.point1[pair[0]]), work.point2[pair[0]])
    return patch


@wp.func
def cut_patch(work: Workspace, hulls: Hulls, patch: Patch, most: real) -> Cut:
    """Cut the polygon and reduce it to at most four points, the first ones of the buffer."""
    # corners within the margin of the face
    c = clip_to_face(work, hulls, work.shape[patch.shape], patch.face, patch.normal, patch.corners, most)

    # of an edge its ends, of a face a large quadrilateral
    few = wp.min(c.count, wp.where(patch.corners == 2, 2, MOST_POINTS))
    if few < c.count:
        which = wp.vec4i(0, 1, 2, 3)
        if few == 2:
            which = ends_of_edge(work, c.buffer, c.count)
        else:
            which = largest_quadrilateral(work, c.buffer, c.count, c.count)
        # the other buffer is free
        for k in range(few):
            store(work, 1 - c.buffer, k, load(work, c.buffer, which[k]))
        c.buffer = 1 - c.buffer
        c.count = few
    return c
