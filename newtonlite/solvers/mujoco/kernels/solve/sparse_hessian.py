"""Sparse Hessian: ``M + J' s'' J`` of a wide model as a profile, whole for Newton's method, or its blocks of trees alone,
the preconditioner of conjugate gradients.
"""

import warp as wp

from newtonlite.core.mujoco import MjtCone
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.constraint.row import QUADRATIC
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.solve.profile_factor import (
    add_cones,
    copy_profile,
    place_trees,
    profile_factor,
    profile_inertia,
    profile_rows,
    profile_solve,
    tree_solve,
)


@wp.func
def place_hessian(
    m: ModelFields, d: DataFields, world: int, first: int, nrow: int, coupled: bool, lane: int, nlane: int
) -> bool:
    """Places of the dofs for ``nrow`` rows from ``first`` on, with the trees as they are ``coupled`` or each by itself; returns whether the
    profile has room.
    """
    place_trees(
        # entries of the rows, and which rows have the same columns
        d.efc_J_rownnz,
        d.efc_J_rowadr,
        d.efc_J_rowsuper,
        d.efc_J_colind,
        # trees of the columns, and where they are coupled roots and branches
        m.tree_dofadr,
        m.tree_dofnum,
        m.dof_part,
        m.part_dofadr,
        m.part_dofnum,
        m.part_carries,
        # trees that the inertia ties to each other
        m.part_linkadr,
        m.part_link,
        # scratch of the search through them
        d.tree_adjacent,
        d.tree_marks,
        # what it finds: places, and where every row begins
        d.H_shape,
        d.H_place,
        d.H_low,
        d.H_rowadr,
        world,
        first,
        nrow,
        m.ntree,
        m.npart,
        d.nprofile,
        coupled,
        lane,
        nlane,
    )
    # equality rows come first, and are quadratic wherever the search for the minimum goes
    if lane == 0:
        kept = int(0)
        while kept < d.nefc[world] and d.efc_cost[world, kept] == QUADRATIC:
            kept += 1
        d.H_nkept[world] = kept
    sync()
    return d.H_shape[world, 0] > 0


@wp.func
def add_curved_cones(m: ModelFields, d: DataFields, world: int, coupled: bool, lane: int, nlane: int):
    """``H += J' W'W J`` of contacts on the boundary of their cones, where s'' couples the rows of a contact."""
    add_cones(
        m.dof_treeid,
        # rows, and the same entries by dofs
        d.efc_J,
        d.efc_J_rownnz,
        d.efc_J_rowadr,
        d.efc_J_colind,
        d.efc_JT,
        d.efc_JT_rowadr,
        d.efc_JT_colind,
        # which rows are of which contact, and the square root of its curvature
        d.efc_id,
        d.efc_cost,
        d.contact_efc_address,
        d.contact_dim,
        d.contact_on_cone,
        d.cone_W,
        # where the sums go
        d.H_shape,
        d.H_place,
        d.H_low,
        d.H_rowadr,
        d.H_profile,
        world,
        m.nv,
        d.nefc[world],
        coupled,
        lane,
        nlane,
    )


@wp.func
def sum_hessian(
    m: ModelFields, d: DataFields, world: int, rows: wp.vec2i, coupled: bool, again: bool, lane: int, nlane: int
):
    """``M``, and ``D J_r' J_r`` of every one of ``rows`` (the first, and the end) whose cost is quadratic.

    What ``M`` and the rows whose curvature stays add up to is kept: of the same rows ``again``, it is where the sum begins.
    """
    kept = wp.clamp(d.H_nkept[world], rows[0], rows[1])
    begin = wp.where(again and kept < rows[1], 1, 0)
    if begin > 0:
        copy_profile(d.H_shape, d.H_kept, d.H_profile, world, lane, nlane)
    else:
        # tree by tree, or of roots and branches
        profile_inertia(
            d.M,
            m.dof_treeid,
            m.tree_dofadr,
            m.tree_dofnum,
            m.dof_part,
            m.part_dofadr,
            m.part_dofnum,
            m.part_root,
            m.coupled_rowadr,
            m.coupled_colind,
            d.efm_coupled,
            d.H_shape,
            d.H_place,
            d.H_low,
            d.H_rowadr,
            d.H_profile,
            world,
            m.nv,
            coupled,
            lane,
            nlane,
        )
    for part in range(begin, 2):
        profile_rows(
            m.dof_treeid,
            m.dof_part,
            # rows, and the same entries by dofs
            d.efc_J,
            d.efc_J_rownnz,
            d.efc_J_rowadr,
            d.efc_J_rowsuper,
            d.efc_J_colind,
            d.efc_JT,
            d.efc_JT_rowadr,
            d.efc_JT_colind,
            # their curvatures
            d.efc_active,
            # where the sums go
            d.H_shape,
            d.H_place,
            d.H_low,
            d.H_rowadr,
            d.H_profile,
            world,
            m.nv,
            wp.where(part == 0, rows[0], kept),
            wp.where(part == 0, kept, rows[1]),
            coupled,
            lane,
            nlane,
        )
        if part == 0 and kept < rows[1] and coupled:
            copy_profile(d.H_shape, d.H_profile, d.H_kept, world, lane, nlane)


@wp.func
def factor_sparse_hessian(
    m: ModelFields, d: DataFields, world: int, rows: wp.vec2i, coupled: bool, again: bool, lane: int, nlane: int
):
    """Factor of ``M + J' s'' J`` of ``rows`` (the first, and the end) at the places of ``place_hessian``, at the curvatures of
    the present point; of none of M alone. ``again`` where the factor before was of the same rows.
    """
    sum_hessian(m, d, world, rows, coupled, again, lane, nlane)

    # on the boundary of a cone s'' couples the rows of the contact
    if m.opt_cone == MjtCone.ELLIPTIC and rows[1] > 0 and rows[0] == 0:
        add_curved_cones(m, d, world, coupled, lane, nlane)
        sync()

    # from the last place on, or every tree by itself
    profile_factor(
        m.tree_dofadr, m.tree_dofnum, d.H_shape, d.H_low, d.H_rowadr, d.H_profile, world, m.ntree, coupled, lane, nlane
    )
    sync()


@wp.func
def solve_tree_blocks(m: ModelFields, d: DataFields, x: wp.array2d[float], world: int, lane: int, nlane: int):
    """In place ``x := P^-1 x`` by the factor of the blocks of trees."""
    # trees have nothing in common: lanes take them in turn
    tree_solve(
        m.tree_dofadr, m.tree_dofnum, d.H_shape, d.H_low, d.H_rowadr, d.H_profile, x, world, m.ntree, lane, nlane
    )


@wp.func
def solve_sparse_hessian(m: ModelFields, d: DataFields, x: wp.array2d[float], world: int, lane: int, nlane: int):
    """In place ``x := H^-1 x`` by the factor at hand."""
    # by places: the vector is carried there and back
    profile_solve(
        d.H_shape, d.H_place, d.H_low, d.H_rowadr, d.H_profile, x, d.H_work, d.H_half, world, m.nv, lane, nlane
    )
