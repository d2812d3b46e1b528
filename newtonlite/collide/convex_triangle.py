"""Convex against triangle mesh: GJK and EPA for each triangle, or for two convex shapes.

Contacts on an edge or corner of a triangle count where no neighbour leads nearer to the other shape: a smooth surface
then pushes along its normal however it is cut into triangles. A shape whose middle is inside a closed mesh gets one
contact more, out through the nearest triangle.
"""

import warp as wp

from newtonlite.collide.contact_reduction import CandidateBuffer, FoundContacts, add_candidate, keep
from newtonlite.collide.scene import SceneShapes, box_in, detection
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.clip import load
from newtonlite.geometry.contact.convex.feature import feature_of, has_patches
from newtonlite.geometry.contact.convex.number import HALF, mat, real, vec
from newtonlite.geometry.contact.convex.pair import ConvexSearch, ConvexTouch, nearest_touch
from newtonlite.geometry.contact.convex.patch import cut_patch, find_patch
from newtonlite.geometry.contact.convex.shape import Convex, Hulls, support
from newtonlite.geometry.contact.convex.vertices import GROUP, vertex_at
from newtonlite.geometry.contact.convex.workspace import SEED, Workspace
from newtonlite.geometry.signed_distance.mesh import mesh_field

kernel_module(__name__, max_unroll=0)

ITERATIONS = 48
ACCURACY = wp.constant(1.0e-6)
"""Of depths of round shapes, relative to the shape's size."""

CORNERS = 16
PER_TRIANGLE = wp.constant(8)
"""Keys of a triangle's contacts."""

ON_RIM = wp.constant(real(1.0e-5))
DOWNHILL = wp.constant(0.05)
"""Sine of the angle by which a normal may lean towards a neighbour."""

FLAT = wp.constant(1.0e-14)
"""Ratio of area to longest side squared below which a triangle is none."""


@wp.struct
class ConvexScratch:
    """Scratch of all workers, a row each: a ``Workspace``, and the triangle at hand as a hull."""

    shape: wp.array2d[Convex]
    point1: wp.array2d[wp.vec3d]
    point2: wp.array2d[wp.vec3d]
    code: wp.array2d[wp.vec2i]
    face: wp.array2d[wp.vec4i]
    normal: wp.array2d[wp.vec3d]
    height: wp.array2d[wp.float64]
    rim: wp.array2d[wp.vec2i]
    polygon: wp.array2d[wp.vec3d]
    hulls: Hulls


def convex_scratch(workers: int, device) -> ConvexScratch:
    """Scratch for so many workers."""
    vertices = ITERATIONS + SEED
    b = ConvexScratch()
    for name, dtype, size in (
        ("shape", Convex, 2),
        ("point1", wp.vec3d, vertices),
        ("point2", wp.vec3d, vertices),
        ("code", wp.vec2i, vertices),
        ("face", wp.vec4i, 2 * vertices),
        ("normal", wp.vec3d, 2 * vertices),
        ("height", wp.float64, 2 * vertices),
        ("rim", wp.vec2i, 3 * vertices),
        ("polygon", wp.vec3d, 4 * CORNERS),
    ):
        setattr(b, name, wp.zeros((workers, size), dtype=dtype, device=device))
    # a group of vertices for each worker, of which the first three are the triangle's
    fans = [w for w in range(workers) for _ in range(GROUP)]
    b.hulls.vert = wp.zeros(3 * GROUP * workers, dtype=float, device=device)
    b.hulls.poly_normal = wp.zeros(workers, dtype=wp.vec3, device=device)
    for name, values in (
        ("nbr_adr", [0] * (GROUP * workers + 1)),
        ("nbr", [0]),
        ("fan_adr", range(GROUP * workers + 1)),
        ("fan", fans),
        ("poly_adr", range(0, 3 * workers + 1, 3)),
        ("poly", [0, 1, 2] * workers),
    ):
        setattr(b.hulls, name, wp.array(list(values), dtype=int, device=device))
    return b


@wp.func
def workspace_of(b: ConvexScratch, w: int) -> Workspace:
    """A worker's scratch."""
    s = Workspace()
    s.shape = b.shape[w]
    s.point1 = b.point1[w]
    s.point2 = b.point2[w]
    s.code = b.code[w]
    s.face = b.face[w]
    s.normal = b.normal[w]
    s.height = b.height[w]
    s.rim = b.rim[w]
    s.polygon = b.polygon[w]
    return s


@wp.func
def doubled(m: wp.mat33) -> mat:
    """A matrix in float64."""
    return mat(
        real(m[0, 0]),
        real(m[0, 1]),
        real(m[0, 2]),
        real(m[1, 0]),
        real(m[1, 1]),
        real(m[1, 2]),
        real(m[2, 0]),
        real(m[2, 1]),
        real(m[2, 2]),
    )


@wp.func
def convex_of(s: SceneShapes, i: int, frame: wp.transformf) -> Convex:
    """Shape ``i``, posed in another frame."""
    c = Convex()
    c.kind = s.kind[i]
    c.pos = vec(wp.transform_get_translation(frame))
    c.turn = doubled(wp.quat_to_matrix(wp.transform_get_rotation(frame)))
    c.size = vec(s.size[i])
    return c


@wp.func
def triangle_of(b: ConvexScratch, w: int, mesh: wp.uint64, t: int) -> Convex:
    """Triangle ``t`` of a mesh as a hull of three vertices about its middle, where the search begins; ``count`` is 0
    where it has no area.
    """
    c = Convex()
    c.kind = MjtGeom.MESH
    c.turn = wp.identity(n=3, dtype=wp.float64)
    c.first = GROUP * w
    p = wp.mesh_get_point(mesh, 3 * t)
    q = wp.mesh_get_point(mesh, 3 * t + 1)
    r = wp.mesh_get_point(mesh, 3 * t + 2)
    middle = (p + q + r) / 3.0
    c.pos = vec(middle)
    for i in range(GROUP):
        v = p - middle
        if i == 1:
            v = q - middle
        elif i == 2:
            v = r - middle
        for k in range(3):
            b.hulls.vert[GROUP * (3 * w + k) + i] = v[k]
    normal = wp.cross(q - p, r - p)
    longest = wp.max(wp.dot(q - p, q - p), wp.max(wp.dot(r - p, r - p), wp.dot(r - q, r - q)))
    if wp.dot(normal, normal) > FLAT * longest * longest:
        c.count = 3
        b.hulls.poly_normal[w] = wp.normalize(normal)
    return c


@wp.func
def stands(s: SceneShapes, a: int, b: ConvexScratch, w: int, t: int, middle: vec, touch: ConvexTouch) -> bool:
    """Whether the nearest point of the triangle at hand, about ``middle``, is one of the whole mesh, nearby."""
    normal = wp.vec3(touch.normal)
    if s.closed[a] != 0 and wp.dot(normal, b.hulls.poly_normal[w]) < -DOWNHILL:
        return False
    p = vertex_at(b.hulls.vert, GROUP * w)
    q = vertex_at(b.hulls.vert, GROUP * w + 1)
    r = vertex_at(b.hulls.vert, GROUP * w + 2)
    up = wp.cross(q - p, r - p)
    area2 = wp.dot(up, up)
    x = touch.point1 - middle
    for e in range(3):
        start = p
        end = q
        if e == 1:
            start = q
            end = r
        elif e == 2:
            start = r
            end = p
        share = wp.dot(wp.cross(end - start, x - start), up) / area2
        if share < ON_RIM and wp.dot(normal, s.away[3 * (s.first[a] + t) + e]) > DOWNHILL:
            return False
    return True


@wp.func
def put_touch(
    h: CandidateBuffer,
    w: int,
    count: int,
    work: Workspace,
    hulls: Hulls,
    t: ConvexTouch,
    search: ConvexSearch,
    frame: wp.transformf,
    key: int,
    capacity: int,
) -> int:
    """Put the contact of the two shapes of the workspace, or the corners of the patch where they lie flat on each
    other; returns the number of candidates.
    """
    n = int(count)
    placed = int(0)
    if t.corners[0] >= 0 and has_patches(work.shape[0].kind, work.shape[1].kind):
        first = t.corners[0]
        a = work.code[first]
        b = work.code[t.corners[1]]
        c = work.code[t.corners[2]]
        f1 = feature_of(a[0], b[0], c[0], work.point1[first], t.point1)
        f2 = feature_of(a[1], b[1], c[1], work.point2[first], t.point2)
        patch = find_patch(work, hulls, f1, f2, t.normal)
        if patch.corners > 0:
            left = cut_patch(work, hulls, patch, search.cutoff)
            for k in range(left.count):
                p = load(work, left.buffer, k)
                on_face = p - wp.dot(p - left.origin, patch.normal) * patch.normal
                height = wp.dot(on_face - p, patch.along)
                if height <= search.cutoff:
                    middle = wp.vec3(on_face - (HALF * height) * patch.along)
                    toward = wp.transform_vector(frame, wp.vec3(patch.toward))
                    n = add_candidate(
                        h, w, n, float(height), wp.transform_point(frame, middle), toward, 0.0, key + placed, capacity
                    )
                    placed += 1
    if placed == 0:
        middle = wp.transform_point(frame, wp.vec3(HALF * (t.point1 + t.point2)))
        n = add_candidate(
            h, w, n, float(t.dist), middle, wp.transform_vector(frame, wp.vec3(t.normal)), 0.0, key, capacity
        )
    return n


@wp.func
def put_depth(
    s: SceneShapes,
    h: CandidateBuffer,
    w: int,
    count: int,
    hulls: Hulls,
    a: int,
    s2: Convex,
    frame: wp.transformf,
    key: int,
    capacity: int,
) -> int:
    """Contact of a shape whose middle is inside a closed mesh: the way out through the nearest triangle, for the
    whole shape.
    """
    value = mesh_field(s.mesh[a], wp.vec3(s2.pos), s.reach[a])
    # a middle on the surface counts as inside: the triangle under it may be left either way
    if s.closed[a] == 0 or value[3] > 1.0e-5 * float(wp.length(s2.size)):
        return count
    normal = wp.vec3(value[0], value[1], value[2])
    surface = wp.vec3(s2.pos) - value[3] * normal
    lowest = wp.vec3(support(hulls, s2, -vec(normal), -1).point)
    dist = wp.dot(lowest - surface, normal)
    middle = lowest - 0.5 * dist * normal
    return add_candidate(
        h, w, count, dist, wp.transform_point(frame, middle), wp.transform_vector(frame, normal), 0.0, key, capacity
    )


@wp.func
def convex_triangle_contacts(
    s: SceneShapes, b: ConvexScratch, h: CandidateBuffer, w: int, first: int, second: int, capacity: int
) -> int:
    """Candidates of a shape, a mesh or a convex one, and a convex one; normals point from the first. Returns how many."""
    frame = s.pose[first]
    relative = wp.transform_inverse(frame) * s.pose[second]
    turn = doubled(wp.quat_to_matrix(wp.transform_get_rotation(frame)))
    work = workspace_of(b, w)
    s2 = convex_of(s, second, relative)
    cutoff = detection(s, first, second)
    search = ConvexSearch()
    search.cutoff = real(cutoff)
    search.tolerance = real(ACCURACY * wp.length(s.size[second]))
    search.iterations = ITERATIONS
    count = int(0)
    bounded = s.kind[first] == MjtGeom.MESH
    low = wp.vec3()
    high = wp.vec3()
    if bounded:
        middle = wp.transform_point(relative, 0.5 * (s.low[second] + s.high[second]))
        half = box_in(relative, s.low[second], s.high[second]) + wp.vec3(cutoff, cutoff, cutoff)
        low = middle - half
        high = middle + half
    query = wp.mesh_query_aabb(s.mesh[first], low, high)
    t = int(0)
    once = bool(not bounded)
    while once or (bounded and wp.mesh_query_aabb_next(query, t)):
        once = False
        s1 = convex_of(s, first, wp.transform_identity())
        if bounded:
            s1 = triangle_of(b, w, s.mesh[first], t)
        if s1.count == 3 or not bounded:
            work.shape[0] = s1
            work.shape[1] = s2
            touch = nearest_touch(work, b.hulls, turn, search)
            meets = touch.found and touch.dist <= search.cutoff
            if meets and bounded:
                meets = stands(s, first, b, w, t, s1.pos, touch)
            if meets:
                count = put_touch(h, w, count, work, b.hulls, touch, search, frame, PER_TRIANGLE * (t + 1), capacity)
    if bounded:
        count = put_depth(s, h, w, count, b.hulls, first, s2, frame, 0, capacity)
    return count


@wp.kernel(enable_backward=False)
def find_triangles(
    s: SceneShapes,
    near: wp.array[wp.vec2i],
    near_count: wp.array[int],
    few: int,
    workers: int,
    h: CandidateBuffer,
    b: ConvexScratch,
    found: FoundContacts,
):
    """A convex shape against triangles, or another convex shape."""
    w = wp.tid()
    for i in range(w, near_count[0], workers):
        pair = near[i]
        n = convex_triangle_contacts(s, b, h, w, pair[0], pair[1], found.dist.shape[1])
        keep(h, w, n, found, i, few)
