"""Couplings of the effective inertia: dofs that stiffness and damping of the integrator discrete couple beyond the inertia
matrix, and the blocks of columns in which that has entries then.

A tendon couples all dofs that change its length, an actuator all that its output pushes, a flex all that move it.
Gauss-Seidel leaves them out, as in MuJoCo.
"""

import numpy as np

from newtonlite.core.mujoco import MjtIntegrator, MjtSolver
from newtonlite.solvers.mujoco.derive.actuator import chain, pushed_dofs
from newtonlite.solvers.mujoco.derive.flex_contact import OTHER_FLEX, contact_groups, is_passive
from newtonlite.solvers.mujoco.derive.flex_rods import rod_chains
from newtonlite.solvers.mujoco.derive.tendon import tendon_dofs


def couplings(mj) -> list:
    """Sets of dofs that are coupled, beyond one dof each."""
    return driven(mj) + soft(mj)


def is_coupled(mj) -> bool:
    """Whether stiffness couples dofs at all: under the integrator discrete, but for Gauss-Seidel."""
    return mj.opt.integrator == MjtIntegrator.DISCRETE and mj.opt.solver != MjtSolver.PGS


def driven(mj) -> list:
    """Sets of dofs that tendons and actuators couple."""
    if not is_coupled(mj):
        return []
    found = [set(tendon_dofs(mj, t)) for t in range(int(mj.ntendon))]
    found += [pushed_dofs(mj, u) for u in range(int(getattr(mj, "nactuator", 0)))]
    return [dofs for dofs in found if len(dofs) > 1]


def soft(mj) -> list:
    """Sets of dofs that flexes couple, by elasticity and by contacts that are springs."""
    if not is_coupled(mj) or not getattr(mj, "nflex", 0):
        return []
    found = [flex_dofs(mj, f) for f in range(int(mj.nflex)) if is_elastic(mj, f)]
    found += [twist_dofs(mj, c) for c in rod_chains(mj)]
    found += [passive_dofs(mj, group) for group in contact_groups(mj) if is_passive(mj, group)]
    return [dofs for dofs in found if len(dofs) > 1]


def is_elastic(mj, f: int) -> bool:
    """Whether a flex has elasticity, by elements, cells or bending."""
    return not mj.flex_rigid[f] and (mj.flex_stiffnessadr[f] >= 0 or mj.flex_bendingadr[f] >= 0)


def flex_dofs(mj, f: int) -> set:
    """Dofs that move a flex."""
    found = set()
    for part, bodies in (("vert", mj.flex_vertbodyid), ("node", mj.flex_nodebodyid)):
        first, count = int(getattr(mj, f"flex_{part}adr")[f]), int(getattr(mj, f"flex_{part}num")[f])
        for b in np.unique(np.asarray(bodies, int)[max(first, 0) : max(first, 0) + count]):
            found |= chain(mj, int(b))
    return found


def passive_dofs(mj, group: tuple) -> set:
    """Dofs that passive contacts of a group couple: those of one or both flexes."""
    kind, other, f, _ = group
    return flex_dofs(mj, f) | (flex_dofs(mj, other) if kind == OTHER_FLEX else set())


def twist_dofs(mj, chain: dict) -> set:
    """Dofs by which the edges of a rod turn about themselves."""
    return {int(mj.jnt_dofadr[edge["joint"]]) for edge in chain["edges"] if edge["joint"] >= 0}


def trees_together(mj, coupled: list) -> np.ndarray:
    """First and last + 1 dof of the stretch of trees that each dof shares an inertia matrix with, by sets of dofs that are
    ``coupled``: int [nv, 2].
    """
    # stretches of coupled dofs, by whole trees, united where they meet
    span = np.array([[mj.tree_dofadr[t], mj.tree_dofadr[t] + mj.tree_dofnum[t]] for t in mj.dof_treeid], int)
    for dofs in coupled:
        first, last = span[min(dofs)][0], span[max(dofs)][1]
        first, last = span[first:last, 0].min(), span[first:last, 1].max()
        span[first:last] = first, last
    return span.reshape(-1, 2)


def elastic_partners(mj) -> np.ndarray:
    """For each tree a lower one, or itself, that elasticity ties it to: trees of a flex are one island, also where the
    integrator does not take the elasticity in.
    """
    partner = np.arange(int(mj.ntree))
    apart = mj.opt.integrator == MjtIntegrator.DISCRETE and not is_coupled(mj)
    for f in range(0 if apart else int(getattr(mj, "nflex", 0))):
        if is_elastic(mj, f):
            dofs = flex_dofs(mj, f).union(*(twist_dofs(mj, c) for c in rod_chains(mj) if c["flex"] == f))
            trees = sorted({int(mj.dof_treeid[i]) for i in dofs})
            # one after the other: a tree that two flexes share ties both
            for a, b in zip(trees[:-1], trees[1:], strict=True):
                partner[b] = a if partner[b] == b else partner[b]
    return partner
