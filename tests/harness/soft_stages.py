"""Stages that call parts of the engine's: lists of near elements of flexes, and solutions by the sparse factor."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.collide.flex_apart import are_parted
from newtonlite.solvers.mujoco.kernels.collide.flex_boxes import find_boxes
from newtonlite.solvers.mujoco.kernels.collide.flex_near import OTHER_FLEX
from newtonlite.solvers.mujoco.kernels.collide.flex_pairs import near_of_flex
from newtonlite.solvers.mujoco.kernels.collide.flex_parameters import group_cutoff
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.sparse_hessian import (
    factor_sparse_hessian,
    place_hessian,
    solve_sparse_hessian,
    solve_tree_blocks,
)


@wp.func
def pairs_of_first_group(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """All that ``near_of_flex`` lists of the first group of two flexes, list after list, into ``flexhit_part``; in
    ``flexhit_group`` where each list ended.
    """
    find_boxes(m, d, world, lane, nlane)
    group = int(0)
    while m.flexgroup_kind[group] < OTHER_FLEX:
        group += 1
    other = m.flexgroup_other[group]
    found = int(0)
    lists = int(0)
    begin = int(0)
    while begin < m.flexactive_num[other]:
        listed = near_of_flex(m, d, world, group, group_cutoff(m, world, group), begin, lane, nlane)
        sync()
        for i in range(lane, wp.min(listed[0], d.nflexhit - found), nlane):
            d.flexhit_part[world, found + i] = d.flexnear[world, i]
        found += listed[0]
        if lane == 0:
            d.flexhit_group[world, lists] = found
        lists += 1
        begin = listed[1]
        sync()
    if lane == 0:
        d.nflexhits[world] = found
        d.flexhit_group[world, lists] = -1


@wp.func
def parted_pairs(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``flexhit_dist`` of each pair in ``flexhit_part``: 1 where ``are_parted`` says that they do not touch."""
    for i in range(lane, d.nflexhits[world], nlane):
        pair = d.flexhit_part[world, i]
        d.flexhit_dist[world, i] = wp.where(are_parted(m, d, world, pair[0], pair[1], 0.0), 1.0, 0.0)
    sync()


@wp.func
def weigh_rows(m: ModelFields, d: DataFields, world: int, share: float, lane: int, nlane: int):
    """Weights of rows: ``efc_D``, a part of it for those that are not equalities."""
    for r in range(lane, d.nefc[world], nlane):
        part = wp.where(r < d.ne[world], 1.0, share)
        d.efc_active[world, r] = part * d.efc_D[world, r]
    sync()


@wp.func
def solve_first(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc := H^-1 qacc`` with all rows but equalities at a third of ``efc_D``, by a first factor."""
    weigh_rows(m, d, world, 0.3, lane, nlane)
    if place_hessian(m, d, world, 0, d.nefc[world], True, lane, nlane):
        factor_sparse_hessian(m, d, world, wp.vec2i(0, d.nefc[world]), True, False, lane, nlane)
        solve_sparse_hessian(m, d, d.qacc, world, lane, nlane)


@wp.func
def solve_again(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The same by a factor that follows on one of other weights."""
    weigh_rows(m, d, world, 1.0, lane, nlane)
    if place_hessian(m, d, world, 0, d.nefc[world], True, lane, nlane):
        for k in range(wp.min(2, d.nefc[world])):
            factor_sparse_hessian(m, d, world, wp.vec2i(0, d.nefc[world]), True, k > 0, lane, nlane)
            weigh_rows(m, d, world, 0.3, lane, nlane)
        solve_sparse_hessian(m, d, d.qacc, world, lane, nlane)


@wp.func
def solve_coupled(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """``qacc := H^-1 qacc`` with rows weighted by ``efc_D``, of all trees together."""
    for r in range(lane, d.nefc[world], nlane):
        d.efc_active[world, r] = d.efc_D[world, r]
    sync()
    if place_hessian(m, d, world, 0, d.nefc[world], True, lane, nlane):
        factor_sparse_hessian(m, d, world, wp.vec2i(0, d.nefc[world]), True, False, lane, nlane)
        solve_sparse_hessian(m, d, d.qacc, world, lane, nlane)


@wp.func
def solve_tree_by_tree(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """The same of the blocks of trees alone."""
    for r in range(lane, d.nefc[world], nlane):
        d.efc_active[world, r] = d.efc_D[world, r]
    sync()
    if place_hessian(m, d, world, 0, d.nefc[world], False, lane, nlane):
        factor_sparse_hessian(m, d, world, wp.vec2i(0, d.nefc[world]), False, False, lane, nlane)
        solve_tree_blocks(m, d, d.qacc, world, lane, nlane)
