"""Narrow phase over arrays of shapes: contacts of pairs of primitives, under Newton's name.

The pairs of a broad phase go in, contacts come out: pairs, positions halfway between the surfaces, normals from the
first shape to the second, distances less the margins. The colliders are the engine's, so is the order: pair by pair,
whatever the threads. ``CollisionPipeline`` collides meshes and height fields too.
"""

from typing import Any

import warp as wp

from newtonlite.collide.convex_triangle import ConvexScratch, convex_scratch, doubled, workspace_of
from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ModelError, UnsupportedError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.colliders import collide_primitives
from newtonlite.geometry.contact.convex.number import real, vec
from newtonlite.geometry.contact.convex.pair import ConvexSearch, convex_convex
from newtonlite.geometry.contact.convex.shape import Convex
from newtonlite.geometry.contact.hits import MAX_HITS, Hits, contact_frame
from newtonlite.geometry.kinds import BARREL, KIND_OF, kinds_of

kernel_module(__name__, max_unroll=0)

KINDS = {kind: number for kind, number in KIND_OF.items() if number not in (MjtGeom.MESH, MjtGeom.HFIELD)}
"""Numbers of the convex colliders by type; other types are not collided here."""
NOT_HERE = wp.constant(-1)
LANES = 64
"""Pairs at once: each needs some kilobytes of scratch."""
ACCURACY = wp.constant(real(1.0e-6))
ITERATIONS = 48


@wp.struct
class PrimitiveScene:
    """Shapes as they are given: types, sizes with margin, poses, gaps; ``kind_of`` [types] numbers the colliders."""

    kind_of: wp.array[int]
    type: wp.array[int]
    data: wp.array[wp.vec4]
    pose: wp.array[wp.transform]
    gap: wp.array[float]


@wp.struct
class Staged:
    """Hits of each pair, a row each, and how many there are."""

    dist: wp.array2d[float]
    pos: wp.array2d[wp.vec3]
    normal: wp.array2d[wp.vec3]
    tangent: wp.array2d[wp.vec3]
    count: wp.array[int]
    slot: wp.array[int]


@wp.func
def keep_on_plane(hits: Hits, n: int, pose: wp.transform, size: wp.vec3) -> int:
    """The hits that lie over a plane of half sizes ``size[0]``, ``size[1]``; all where one is not positive."""
    if size[0] <= 0.0 or size[1] <= 0.0:
        return n
    back = wp.transform_inverse(pose)
    kept = int(0)
    for i in range(n):
        spot = wp.transform_point(back, hits.pos[hits.world, i])
        if wp.abs(spot[0]) <= size[0] and wp.abs(spot[1]) <= size[1]:
            hits.dist[hits.world, kept] = hits.dist[hits.world, i]
            hits.pos[hits.world, kept] = hits.pos[hits.world, i]
            hits.normal[hits.world, kept] = hits.normal[hits.world, i]
            hits.tangent[hits.world, kept] = hits.tangent[hits.world, i]
            kept += 1
    return kept


@wp.func
def convex_at(kind: int, pos: wp.vec3, mat: wp.mat33, size: wp.vec3, origin: wp.vec3) -> Convex:
    """A primitive about ``origin``, axes as in the world."""
    c = Convex()
    c.kind = kind
    c.pos = vec(pos - origin)
    c.turn = doubled(mat)
    c.size = vec(size)
    return c


@wp.func
def kind_at(s: PrimitiveScene, g: int) -> int:
    """Kind of a shape: a cylinder with a third size is a barrel."""
    kind = s.kind_of[s.type[g]]
    return wp.where(kind == MjtGeom.CYLINDER and s.data[g][2] > 0.0, BARREL, kind)


@wp.func
def collide_shapes(s: PrimitiveScene, hits: Hits, b: ConvexScratch, lane: int, g1: int, g2: int, cutoff: float) -> int:
    """Leave the hits of two shapes, the lower kind first; returns how many."""
    kind1 = kind_at(s, g1)
    kind2 = kind_at(s, g2)
    x1 = wp.transform_get_translation(s.pose[g1])
    x2 = wp.transform_get_translation(s.pose[g2])
    r1 = wp.quat_to_matrix(wp.transform_get_rotation(s.pose[g1]))
    r2 = wp.quat_to_matrix(wp.transform_get_rotation(s.pose[g2]))
    s1 = wp.vec3(s.data[g1][0], s.data[g1][1], s.data[g1][2])
    s2 = wp.vec3(s.data[g2][0], s.data[g2][1], s.data[g2][2])
    n = collide_primitives(hits, kind1, x1, r1, s1, kind2, x2, r2, s2, cutoff)
    if kind1 == MjtGeom.PLANE:
        return keep_on_plane(hits, n, s.pose[g1], s1)
    if n >= 0:
        return n
    work = workspace_of(b, lane)
    work.shape[0] = convex_at(kind1, x1, r1, s1, x1)
    work.shape[1] = convex_at(kind2, x2, r2, s2, x1)
    search = ConvexSearch()
    search.cutoff = real(cutoff)
    search.margin = real(wp.max(cutoff, 0.0))
    search.tolerance = ACCURACY
    search.iterations = ITERATIONS
    search.patches = True
    return convex_convex(work, hits, b.hulls, search, x1, wp.identity(n=3, dtype=float))


@wp.kernel(enable_backward=False)
def collide_pairs(
    s: PrimitiveScene, b: ConvexScratch, pairs: wp.array[wp.vec2i], pair_count: wp.array[int], lanes: int, h: Staged
):
    """Hits of all pairs, each in its row; pairs of a shape with itself, of two planes, of what is not collided here,
    have none.
    """
    lane = wp.tid()
    hits = Hits()
    hits.dist = h.dist
    hits.pos = h.pos
    hits.normal = h.normal
    hits.tangent = h.tangent
    most = h.count.shape[0]
    found = wp.min(wp.min(pair_count[0], pairs.shape[0]), most)
    for i in range(lane, most, lanes):
        n = int(0)
        if i < found:
            g1 = pairs[i][0]
            g2 = pairs[i][1]
            if g1 >= 0 and g2 >= 0 and g1 != g2:
                kind1 = kind_at(s, g1)
                kind2 = kind_at(s, g2)
                if kind1 != NOT_HERE and kind2 != NOT_HERE and kind1 + kind2 > 0:
                    hits.world = i
                    margin = s.data[g1][3] + s.data[g2][3]
                    cutoff = margin + s.gap[g1] + s.gap[g2]
                    if kind1 <= kind2:
                        n = collide_shapes(s, hits, b, lane, g1, g2, cutoff)
                    else:
                        n = collide_shapes(s, hits, b, lane, g2, g1, cutoff)
                        for k in range(n):
                            h.normal[i, k] = -h.normal[i, k]
                    for k in range(n):
                        h.dist[i, k] = h.dist[i, k] - margin
        h.count[i] = n


@wp.kernel(enable_backward=False)
def write_contacts(
    h: Staged,
    pairs: wp.array[wp.vec2i],
    contact_pair: wp.array[wp.vec2i],
    contact_position: wp.array[wp.vec3],
    contact_normal: wp.array[wp.vec3],
    contact_penetration: wp.array[float],
    contact_tangent: wp.array[wp.vec3],
    contact_count: wp.array[int],
):
    """Contacts pair by pair, as long as there is room; all are counted."""
    i = wp.tid()
    n = h.count[i]
    for k in range(n):
        c = h.slot[i] + k
        if c < contact_pair.shape[0]:
            contact_pair[c] = pairs[i]
            contact_position[c] = h.pos[i, k]
            contact_normal[c] = h.normal[i, k]
            contact_penetration[c] = h.dist[i, k]
            if contact_tangent.shape[0] > 0:
                contact_tangent[c] = contact_frame(h.normal[i, k], h.tangent[i, k])[1]
    if i == h.count.shape[0] - 1:
        contact_count[0] = h.slot[i] + n


class NarrowPhase:
    """Narrow phase of primitives: plane, sphere, capsule, ellipsoid, cylinder, barrel, box and cone.

    ``max_candidate_pairs`` bounds the pairs of a call; those beyond are left out. Settings of how
    Newton's own kernels share the work (``settings``) are taken and do nothing. UnsupportedError for a writer of one's own,
    hydroelastic shapes and speculative contacts, which are not here.
    """

    ABSENT = ("contact_writer_warp_func", "hydroelastic_sdf", "speculative")

    def __init__(self, *, max_candidate_pairs: int, device: Any = None, **settings: Any):
        for name in self.ABSENT:
            if settings.get(name):
                raise UnsupportedError(
                    f"NarrowPhase does not yet support {name}; leave it out, or use CollisionPipeline"
                )
        if max_candidate_pairs < 1:
            raise ModelError(f"NarrowPhase max_candidate_pairs={max_candidate_pairs}; give at least 1")
        self.device = wp.get_device(device)
        self.max_candidate_pairs = int(max_candidate_pairs)
        self._checked: tuple = ()
        self._lanes = min(LANES, self.max_candidate_pairs)
        self._scratch = convex_scratch(self._lanes, self.device)
        self._kinds = wp.array(kinds_of(range(max(GeoType) + 1), KINDS), dtype=int, device=self.device)
        make = lambda size, dtype: wp.zeros(size, dtype=dtype, device=self.device)
        h = self._staged = Staged()
        rows = (self.max_candidate_pairs, MAX_HITS)
        h.dist, h.pos, h.normal, h.tangent = (
            make(rows, float),
            make(rows, wp.vec3),
            make(rows, wp.vec3),
            make(rows, wp.vec3),
        )
        h.count, h.slot = make(rows[0], int), make(rows[0], int)

    def launch(
        self,
        *,
        candidate_pair: wp.array,
        candidate_pair_count: wp.array,
        shape_types: wp.array,
        shape_data: wp.array,
        shape_transform: wp.array,
        shape_gap: wp.array,
        contact_pair: wp.array,
        contact_position: wp.array,
        contact_normal: wp.array,
        contact_penetration: wp.array,
        contact_count: wp.array,
        contact_tangent: wp.array | None = None,
        device: Any = None,
        **more: Any,
    ) -> None:
        """Write the contacts of the candidate pairs.

        ``shape_data`` holds sizes and the margin of each shape [m], ``shape_transform`` poses in the world. Contacts
        are listed up to the sum of the gaps beyond the margins; ``contact_penetration`` is the distance of the
        surfaces less the margins [m], negative inside. ``contact_count`` counts those beyond the arrays' room too.
        Other arrays (``more``: meshes, fields, their bounds) belong to shapes that are not collided here. ModelError
        where ``shape_types`` has such shapes, found when the arrays are seen first.
        """
        device = wp.get_device(device) if device is not None else self.device
        self._check(shape_types, shape_data, device)
        s = PrimitiveScene()
        s.kind_of, s.type, s.data, s.pose, s.gap = self._kinds, shape_types, shape_data, shape_transform, shape_gap
        h = self._staged
        wp.launch(
            collide_pairs,
            dim=self._lanes,
            inputs=[s, self._scratch, candidate_pair, candidate_pair_count, self._lanes, h],
            device=device,
        )
        wp.utils.array_scan(h.count, h.slot, inclusive=False)
        wp.launch(
            write_contacts,
            dim=self.max_candidate_pairs,
            inputs=[h, candidate_pair, contact_pair, contact_position, contact_normal, contact_penetration],
            outputs=[contact_tangent, contact_count],
            device=device,
        )

    def _check(self, types: wp.array, data: wp.array, device: Any) -> None:
        seen = (types.ptr, data.ptr, types.shape)
        if seen == self._checked or device.is_capturing:
            return
        for i, number in enumerate(types.numpy().tolist()):
            if number not in KINDS and number != GeoType.NONE:
                raise ModelError(
                    f"NarrowPhase: shape {i} is of type {GeoType(number).name}; it collides primitives, CollisionPipeline the rest"
                )
        self._checked = seen
