"""Broad phase: pairs of geoms whose bounding spheres and boxes overlap, in the order of contacts."""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.broadphase_pair import is_near
from newtonlite.solvers.mujoco.kernels.collide.nxn_simd import NOT_HERE, nxn_simd
from newtonlite.solvers.mujoco.kernels.collide.sap import sap
from newtonlite.solvers.mujoco.kernels.primitives.team import sync, team_scan


@wp.func
def candidates_in_range(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> int:
    """The near ones of the listed candidates, a team at a time, in order."""
    kept = int(0)
    for first in range(0, m.ncandidate, nlane):
        k = first + lane
        near = int(0)
        if k < m.ncandidate:
            near = wp.where(is_near(m, d, world, m.cand_geom[k][0], m.cand_geom[k][1], m.cand_pairid[k]), 1, 0)
        slots = team_scan(d.team_i, world, near)
        if near == 1:
            d.near[world, kept + slots[0]] = k
        kept += slots[1]
    return kept


@wp.func
def listed_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int) -> int:
    """The near ones of the listed candidates, in order; a CPU lane takes sixteen at a time, but where geoms are swept."""
    kept = int(NOT_HERE)
    if nlane == 1 and m.ncandidate > 0 and m.nspeculative == 0:
        kept = nxn_simd(
            m.cand_cell,
            m.cand_of_cell,
            m.cell_geom,
            m.cand_pairid,
            m.hull_box,
            m.geom_type,
            m.geom_size,
            m.geom_rbound,
            m.geom_margin,
            m.geom_gap,
            m.pair_margin,
            m.pair_gap,
            d.geom_xpos,
            d.geom_xmat,
            d.near,
            world,
            m.nconvexpair + m.nboxpair,
        )
    if kept == NOT_HERE:
        kept = candidates_in_range(m, d, world, lane, nlane)
    return kept


@wp.func
def broadphase(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Pairs with ``|x2 - x1| <= r1 + r2 + margin + gap``, as ``bp_pair_geoms`` reads them; ``nbp_needed`` counts those
    that do not fit too.
    """
    found = int(0)
    if (m.opt_disableflags & (MjtDisableBit.CONSTRAINT | MjtDisableBit.CONTACT)) == 0:
        if m.nsap > 0:
            found = sap(m, d, world, lane, nlane)
        else:
            found = listed_pairs(m, d, world, lane, nlane)
    if lane == 0:
        d.nbp[world] = wp.min(found, d.nbpmax)
        d.nbp_needed[world] = found
    sync()
