"""Unsymmetric systems with the sparsity of a tree: elimination and substitution.

Gauss elimination of ``H = M - dt df/dv`` without pivoting, leaf first.  Row and column of a dof have entries at its
ancestors and descendants alone, and eliminating a leaf fills in between its ancestors, where entries are already
(Featherstone, Rigid Body Dynamics Algorithms, chapter 6).  Taken for ``implicit``, and for free bodies by themselves;
not the symmetric factor of M (``primitives/factor``), which has half the work and one triangle.
"""

import warp as wp

from newtonlite.core.mujoco import MjtIntegrator, MjtJoint
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields


@wp.func
def is_unsymmetric(m: ModelFields, i: int) -> bool:
    """Whether the tree of dof ``i`` takes in Coriolis or gyroscopic forces: full implicit, or a lone free body."""
    if m.opt_integrator == MjtIntegrator.IMPLICIT:
        return True
    tree = m.dof_treeid[i]
    return m.tree_dofnum[tree] == 6 and m.jnt_type[m.dof_jntid[m.tree_dofadr[tree]]] == MjtJoint.FREE


@wp.func
def mirror(m: ModelFields, d: DataFields, world: int, i: int):
    """Copy row ``i`` of the lower triangle of H into its column."""
    b = m.dof_bodyid[i]
    for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
        k = m.chain_dof[e]
        if k < i:
            d.H[world, k, i] = d.H[world, i, k]


@wp.func
def eliminate(m: ModelFields, d: DataFields, world: int, i: int):
    """Free the ancestors of dof ``i`` from it: ``H_jk -= H_ji H_ik / H_ii``, and likewise their right sides in
    ``search``.
    """
    # the way from dof i to the root: the dofs its row and column have entries for
    b = m.dof_bodyid[i]
    for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
        j = m.chain_dof[e]
        if j < i:
            # row j less a multiple of row i, right side as well
            ratio = d.H[world, j, i] / d.H[world, i, i]
            d.search[world, j] = d.search[world, j] - ratio * d.search[world, i]
            for f in range(m.chain_adr[b], m.chain_adr[b + 1]):
                k = m.chain_dof[f]
                if k < i:
                    d.H[world, j, k] = d.H[world, j, k] - ratio * d.H[world, i, k]


@wp.func
def substitute(m: ModelFields, d: DataFields, world: int, i: int):
    """Solve the row of dof ``i``, of which only the ancestors and itself are left; row and column become the
    identity's.
    """
    b = m.dof_bodyid[i]
    x = d.search[world, i]
    for e in range(m.chain_adr[b], m.chain_adr[b + 1]):
        k = m.chain_dof[e]
        if k < i:
            x -= d.H[world, i, k] * d.search[world, k]
            d.H[world, i, k] = 0.0
            d.H[world, k, i] = 0.0
    d.search[world, i] = x / d.H[world, i, i]
    d.H[world, i, i] = 1.0


@wp.func
def solve_tree(m: ModelFields, d: DataFields, world: int, first: int, last: int):
    """In place ``search := H^-1 search`` for one tree, of dofs ``first`` to ``last - 1``: leaf first, without pivoting."""
    # leaves first: what is left of a row are its ancestors
    for back in range(last - first):
        eliminate(m, d, world, last - 1 - back)

    # root first: ancestors are known when a dof is solved
    for i in range(first, last):
        substitute(m, d, world, i)
