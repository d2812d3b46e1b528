"""Plane against mesh: the lowest vertex, and up to three more of the flattest face.

In closed form, without GJK: the plane's support needs no search.  The lowest vertex is always a contact, the others of
the polygon around it that points most nearly down, where they are near and not above the mesh's origin.
"""

import warp as wp

from newtonlite.geometry.contact.convex.clip import MOST_POINTS, largest_quadrilateral, load, store
from newtonlite.geometry.contact.convex.feature import vertex_point
from newtonlite.geometry.contact.convex.number import HALF, ZERO, real, vec
from newtonlite.geometry.contact.convex.shape import Convex, Hulls, hull_support
from newtonlite.geometry.contact.convex.workspace import Workspace
from newtonlite.geometry.contact.hits import Hits, no_tangent, put_hit


@wp.func
def flattest_polygon(hulls: Hulls, s: Convex, vertex: int, down: vec) -> int:
    """The polygon around a vertex whose normal is nearest to a direction in the mesh's frame, or -1."""
    # all polygons around the vertex may be it: their normals say which lies on the plane
    best = int(-1)
    most = real(-1.0)
    for k in range(hulls.fan_adr[s.first + vertex], hulls.fan_adr[s.first + vertex + 1]):
        n = hulls.poly_normal[hulls.fan[k]]
        here = wp.dot(vec(real(n[0]), real(n[1]), real(n[2])), down)
        if here > most:
            most = here
            best = hulls.fan[k]
    return best


@wp.func
def copy_polygon(work: Workspace, hulls: Hulls, s: Convex, polygon: int, vertex: int) -> int:
    """Put the corners of a polygon into buffer 0, from ``vertex`` on; returns how many."""
    # turned around to begin with the vertex, which is the first contact
    first = hulls.poly_adr[polygon]
    count = hulls.poly_adr[polygon + 1] - first
    start = int(0)
    for k in range(count):
        start = wp.where(hulls.poly[first + k] == vertex, k, start)
    n = int(0)
    for k in range(count):
        n = store(work, 0, n, vertex_point(hulls, s, hulls.poly[first + (start + k) % count]))
    return n


@wp.func
def plane_mesh(
    work: Workspace, hits: Hits, hulls: Hulls, origin: wp.vec3, up: wp.vec3, s: Convex, cutoff: float
) -> int:
    """Up to four hits; the mesh is posed relative to ``origin``, a point of the plane. ``up`` is the plane's normal."""
    # the lowest vertex is the support against the normal; if it is not near, nothing is
    normal = vec(real(up[0]), real(up[1]), real(up[2]))
    down = -(wp.transpose(s.turn) * normal)
    vertex = hull_support(hulls, s, down, -1).vertex
    corners = store(work, 0, 0, vertex_point(hulls, s, vertex))
    if wp.dot(load(work, 0, 0), normal) > real(cutoff):
        return 0

    # a mesh on a face: the corners of the flattest polygon around it, that vertex first
    polygon = flattest_polygon(hulls, s, vertex, down)
    if polygon >= 0:
        corners = copy_polygon(work, hulls, s, polygon, vertex)

    # too many: a large quadrilateral that keeps the lowest vertex
    which = wp.vec4i(0, 1, 2, 3)
    if corners > MOST_POINTS:
        which = largest_quadrilateral(work, 0, corners, 1)
    n = int(0)

    # each corner that is near, at half its distance from the plane
    for k in range(wp.min(corners, MOST_POINTS)):
        p = load(work, 0, which[k])
        dist = wp.dot(p, normal)
        below_center = wp.dot(p - s.pos, normal) <= ZERO
        if dist <= real(cutoff) and (below_center or k == 0):
            middle = p - (HALF * dist) * normal
            put_hit(hits, n, float(dist), origin + wp.vec3(middle), up, no_tangent())
            n += 1
    return n
