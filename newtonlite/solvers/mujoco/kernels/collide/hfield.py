"""Height field collision: the lanes of a team share the prisms under a geom."""

import warp as wp

from newtonlite.geometry.contact.convex.hfield import MOST_GROUND_HITS, FieldGround, cells_under, touch_prism
from newtonlite.geometry.contact.convex.number import mat
from newtonlite.geometry.contact.convex.pair import ConvexSearch
from newtonlite.geometry.contact.hits import Hits
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.contact_overflow import (
    SELECT,
    ContactLimit,
    is_within,
    no_limit,
    select_threshold,
    store_hit,
)
from newtonlite.solvers.mujoco.kernels.collide.workspace import CCD_LANES, convex_geom, convex_scratch, hulls_of
from newtonlite.solvers.mujoco.kernels.primitives.sort import keep_least
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan

ROUNDING = wp.constant(1.0e-5)
"""Of the lengths compared, what float32 may hide from a first look."""


@wp.func
def hfield_shape(m: ModelFields, g: int) -> FieldGround:
    """The height field of a geom."""
    i = m.geom_dataid[g]
    ground = FieldGround()
    ground.data = m.hfield_data
    ground.first = m.hfield_adr[i]
    ground.rows = m.hfield_nrow[i]
    ground.columns = m.hfield_ncol[i]
    ground.size = m.hfield_size[i]
    return ground


@wp.func
def overlaps_hfield(m: ModelFields, d: DataFields, world: int, g1: int, g2: int, cutoff: float) -> bool:
    """Whether the bounding sphere of geom ``g2`` is above all of height field ``g1``."""
    turn = d.geom_xmat[world, g1]
    up = wp.vec3(turn[0, 2], turn[1, 2], turn[2, 2])
    height = wp.dot(d.geom_xpos[world, g2] - d.geom_xpos[world, g1], up)
    most = m.hfield_size[m.geom_dataid[g1]][2]
    reach = m.geom_rbound[world, g2] + cutoff
    return height - reach > most + ROUNDING * (wp.abs(height) + reach + most)


@wp.func
def select_prism(d: DataFields, world: int, lane: int, workers: int, found: int, dist: float, number: int, prism: int):
    """Take each lane's hit, number ``number`` of a pair, into the heap of the pair's deepest. All lanes call it
    together.
    """
    for owner in range(workers):
        if owner == lane and found > 0:
            keep_least(d.hfield_dist, d.hfield_prism, world, MOST_GROUND_HITS, number, dist, prism)
        sync()


@wp.func
def collide_hfield(
    m: ModelFields,
    d: DataFields,
    hits: Hits,
    world: int,
    lane: int,
    nlane: int,
    g1: int,
    g2: int,
    search: ConvexSearch,
    index: int,
    begin: int,
    turn: int,
    limit: ContactLimit,
) -> wp.vec2i:
    """Weigh the hits of height field ``g1`` and geom ``g2``, numbers ``index ..``, or store those within the limit from
    row ``begin`` on.

    Of more than ``MOST_GROUND_HITS`` the first stay, as MuJoCo's; with ``nhfielddeep`` the deepest, which a look at all
    prisms finds before. Returns how many hits there are, and how many of them are within the limit. All lanes call it
    together.
    """
    if overlaps_hfield(m, d, world, g1, g2, float(search.cutoff)):
        return wp.vec2i(0, 0)
    ground = hfield_shape(m, g1)
    hulls = hulls_of(m)
    pos = d.geom_xpos[world, g1]
    mat1 = d.geom_xmat[world, g1]
    s = convex_geom(m, d, world, g2, pos, mat(mat1))
    cells = cells_under(ground, hulls, s, search.cutoff)
    workers = wp.min(nlane, CCD_LANES)
    prisms = 2 * cells.rows * cells.columns
    deepest = no_limit()
    looks = int(1)
    if m.nhfielddeep > 0 and prisms > MOST_GROUND_HITS:
        looks = 2
    total = int(0)
    kept = int(0)
    while looks > 0:
        total = int(0)
        for first in range(0, prisms, workers):
            found = int(0)
            dist = float(0.0)
            if (total < MOST_GROUND_HITS or looks == 2) and lane < workers and first + lane < prisms:
                work = convex_scratch(d, world, lane)
                found = touch_prism(work, hits, hulls, ground, cells, first + lane, s, search, pos, mat1)
                if found > 0:
                    dist = hits.dist[world, hits.first]
                    found = wp.where(is_within(deepest, dist, first + lane), 1, 0)
            slots = team_scan(d.team_i, world, found)
            number = index + total + slots[0]
            taken = found > 0 and total + slots[0] < MOST_GROUND_HITS
            if looks == 2:
                if m.nhfielddeep > 0:
                    select_prism(d, world, lane, workers, found, dist, total + slots[0], first + lane)
            elif turn == SELECT:
                for owner in range(workers):
                    if owner == lane and taken:
                        select_threshold(d, world, dist, number)
                    sync()
            else:
                stays = taken and is_within(limit, dist, number)
                fitting = team_scan(d.team_i, world, wp.where(stays, 1, 0))
                if stays:
                    store_hit(d, hits, world, 0, begin + kept + fitting[0])
                kept += fitting[1]
            total += slots[1]
        looks -= 1
        if m.nhfielddeep > 0 and looks == 1 and total > MOST_GROUND_HITS:
            deepest.dist = d.hfield_dist[world, 0]
            deepest.index = d.hfield_prism[world, 0]
    return wp.vec2i(wp.min(total, MOST_GROUND_HITS), kept)
