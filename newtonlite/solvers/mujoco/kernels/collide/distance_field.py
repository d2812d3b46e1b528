"""Distance-field collision: the lanes of a team share the starting points of a pair of geoms whose second one is a field."""

import warp as wp

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.contact.convex.number import mat, real, vec
from newtonlite.geometry.contact.field.descent import TouchingFields, halton, shared_point
from newtonlite.geometry.contact.hits import Hits
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.contact_overflow import (
    SELECT,
    ContactLimit,
    is_within,
    select_threshold,
    store_hit,
)
from newtonlite.solvers.mujoco.kernels.collide.field_shape import double3, field_shape, octree_of
from newtonlite.solvers.mujoco.kernels.collide.geom_box import half_lengths
from newtonlite.solvers.mujoco.kernels.collide.mesh_field import search_faces
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan

MOST_FIELD_HITS = 50
"""Most contacts of one pair of geoms, as MuJoCo has it."""
SAME = wp.constant(real(MINVAL))
"""Distance below which two points are one [m]."""


@wp.func
def is_field_pair(type1: int, type2: int) -> bool:
    """Whether a pair of geom types, the lower first, takes the search in distance fields; planes touch the hull."""
    return type2 == MjtGeom.SDF and type1 != MjtGeom.PLANE


@wp.func
def field_pair(m: ModelFields, d: DataFields, world: int, g1: int, g2: int) -> TouchingFields:
    """Two geoms with fields, and the pose of the second in the first."""
    turn1 = mat(d.geom_xmat[world, g1])
    pair = TouchingFields()
    pair.one = field_shape(m, world, g1)
    pair.two = field_shape(m, world, g2)
    pair.turn = wp.transpose(turn1) * mat(d.geom_xmat[world, g2])
    pair.shift = wp.transpose(turn1) * (double3(d.geom_xpos[world, g2]) - double3(d.geom_xpos[world, g1]))
    return pair


@wp.struct
class CommonBox:
    """Intersection of two boxes: its least corner, and its sizes, negative where there is none."""

    low: vec
    size: vec


@wp.func
def common_box(m: ModelFields, world: int, pair: TouchingFields, g1: int, g2: int) -> CommonBox:
    """Intersection of the bounding boxes of two geoms, in the frame of the first and along its axes."""
    centre1 = double3(m.hull_box[world, g1, 0])
    half1 = double3(half_lengths(m, world, g1))
    low = centre1 - half1
    high = centre1 + half1

    # a turned box reaches as far as the absolute values of its axes do
    centre2 = pair.turn * double3(m.hull_box[world, g2, 0]) + pair.shift
    half2 = double3(half_lengths(m, world, g2))
    reach = vec()
    for i in range(3):
        for k in range(3):
            reach[i] = reach[i] + wp.abs(pair.turn[i, k]) * half2[k]
    box = CommonBox()
    box.low = wp.max(low, centre2 - reach)
    box.size = wp.min(high, centre2 + reach) - box.low
    return box


@wp.func
def search_fields(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int, g1: int, g2: int) -> int:
    """Leave the point that the descent from each starting point finds in ``field_*``; how many, 0 where boxes are apart."""
    if m.nfieldface > 0 and m.geom_type[g1] == MjtGeom.MESH:
        return search_faces(m, d, world, lane, nlane, g1, g2)
    pair = field_pair(m, d, world, g1, g2)
    box = common_box(m, world, pair, g1, g2)
    if box.size[0] < real(0.0) or box.size[1] < real(0.0) or box.size[2] < real(0.0):
        return 0
    tree = octree_of(m)
    turn2 = mat(d.geom_xmat[world, g2])
    pos2 = double3(d.geom_xpos[world, g2])
    for j in range(lane, m.nfieldseed, nlane):
        # starting points fill the common box evenly, wherever the search begins
        start = box.low + wp.cw_mul(box.size, vec(halton(j, 2), halton(j, 3), halton(j, 5)))
        found = shared_point(tree, pair, wp.transpose(pair.turn) * (start - pair.shift), m.opt_sdf_iterations)
        normal = turn2 * found.normal
        d.field_point[world, j] = found.x
        d.field_dist[world, j] = float(found.depth)
        d.field_pos[world, j] = wp.vec3(turn2 * found.x + pos2 + normal * (real(0.5) * found.depth))
        d.field_normal[world, j] = wp.vec3(normal)
    sync()
    return m.nfieldseed


@wp.func
def is_new(d: DataFields, world: int, j: int) -> bool:
    """Whether the shapes touch at the point of a start, and no earlier start has come to the same one."""
    new = d.field_dist[world, j] <= 0.0
    for i in range(j):
        if d.field_dist[world, i] <= 0.0 and wp.length(d.field_point[world, i] - d.field_point[world, j]) < SAME:
            new = False
    return new


@wp.struct
class HitPlace:
    """Turn of a stage that lists hits, number of a pair's first hit, the row that is stored from on, and the limit."""

    turn: int
    index: int
    begin: int
    limit: ContactLimit


@wp.func
def collide_fields(
    m: ModelFields, d: DataFields, hits: Hits, world: int, lane: int, nlane: int, geoms: wp.vec2i, place: HitPlace
) -> wp.vec2i:
    """Weigh the hits of two geoms with distance fields, or store those within the limit.

    Returns how many hits there are, and how many of them are within the limit. All lanes call it together.
    """
    count = search_fields(m, d, world, lane, nlane, geoms[0], geoms[1])
    total = int(0)
    kept = int(0)
    for first in range(0, count, nlane):
        j = first + lane
        found = int(0)
        if j < count:
            found = wp.where(is_new(d, world, j), 1, 0)
        slots = team_scan(d.team_i, world, found)
        number = place.index + total + slots[0]
        taken = found > 0 and total + slots[0] < MOST_FIELD_HITS
        if place.turn == SELECT:
            for owner in range(nlane):
                if owner == lane and taken:
                    select_threshold(d, world, d.field_dist[world, j], number)
                sync()
        else:
            stays = bool(False)
            if taken:
                stays = is_within(place.limit, d.field_dist[world, j], number)
            fitting = team_scan(d.team_i, world, wp.where(stays, 1, 0))
            if stays:
                hits.dist[world, hits.first] = d.field_dist[world, j]
                hits.pos[world, hits.first] = d.field_pos[world, j]
                hits.normal[world, hits.first] = d.field_normal[world, j]
                store_hit(d, hits, world, 0, place.begin + kept + fitting[0])
            kept += fitting[1]
        total += slots[1]
    sync()
    return wp.vec2i(wp.min(total, MOST_FIELD_HITS), kept)
