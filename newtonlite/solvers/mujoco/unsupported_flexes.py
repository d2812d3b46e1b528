"""Unsupported features of flexes: checks like those of ``unsupported``."""

import numpy as np

from newtonlite.core.mujoco import MjtEq, MjtIntegrator, MjtSolver
from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.derive.coupling import is_elastic
from newtonlite.solvers.mujoco.derive.flex_contact import contact_groups, is_passive
from newtonlite.solvers.mujoco.derive.flex_volume import is_neo_hookean

NOT_SPARSE = "that ask for exact diagonals of rows or inertia of tendons, or have so many in one tree"
"""Reasons for which the effective inertia of a large model is dense."""
IMPLICIT = (MjtIntegrator.IMPLICIT, MjtIntegrator.IMPLICITFAST)
STRAIN = 3
"""``flex_edgeequality`` of a flex whose cells are held by constraints, so that its stiffness makes no force."""


def flex_checks(mj):
    """(name of a feature, whether the model has it)."""
    if not getattr(mj, "nflex", 0):
        return
    yield from contact_checks(mj)
    yield (
        "Neo-Hookean solids with other integrators (stable Neo-Hookean elasticity requires integrator='discrete')",
        mj.opt.integrator != MjtIntegrator.DISCRETE and any(is_neo_hookean(mj, f) for f in range(int(mj.nflex))),
    )
    yield (
        "elasticity of flexes with the integrators implicit and implicitfast, as MuJoCo 4.0 does not either (set Euler with a "
        "small time step)",
        mj.opt.integrator in IMPLICIT and has_elasticity(mj),
    )
    edges = (np.asarray(getattr(mj, f"flex_edge{name}")) for name in ("stiffness", "damping"))
    yield (
        "stiffness and damping of edges of flexes with the integrator discrete, as MuJoCo 4.0 does not either (use "
        "elasticity, or an equality of edges)",
        mj.opt.integrator == MjtIntegrator.DISCRETE and any(numbers.any() for numbers in edges),
    )
    if mj.opt.integrator == MjtIntegrator.DISCRETE:
        yield from discrete_checks(mj)
    kinds = (MjtEq.FLEXVERT, MjtEq.DISTANCE)
    yield "equality constraints of vertices and of distances", bool(np.isin(np.asarray(mj.eq_type), kinds).any())


def discrete_checks(mj):
    """(name of a feature of the integrator discrete, whether the model has it)."""
    elastic = [f for f in range(int(mj.nflex)) if is_elastic(mj, f)]
    yield (
        "elasticity of flexes with the integrator discrete and the solver PGS or noslip iterations, as MuJoCo 4.0 does not "
        "either (use Newton or CG)",
        bool(elastic) and (mj.opt.solver == MjtSolver.PGS or mj.opt.noslip_iterations > 0),
    )
    yield (
        f"elasticity of flexes with the integrator discrete in models of more than {sparse.DENSE_DOFS} dofs {NOT_SPARSE} (set Euler "
        "with a small time step, or hold edges by an equality)",
        bool(elastic) and stays_dense(mj),
    )


def stays_dense(mj) -> bool:
    """Whether a model is large, and its matrices would have as many rows and columns as dofs all the same."""
    return int(mj.nv) > sparse.DENSE_DOFS and not (sparse.takes_sparse(mj) and sparse.trees_are_small(mj))


def has_elasticity(mj) -> bool:
    """Whether a flex resists stretching, bending or twisting by forces."""
    stiffness, bending = (np.asarray(getattr(mj, f"flex_{name}"), float) for name in ("stiffness", "bending"))
    for f in range(int(mj.nflex)):
        parts = [(bending, "flex_bendingadr")]
        if int(mj.flex_edgeequality[f]) != STRAIN:
            parts.append((stiffness, "flex_stiffnessadr"))
        for numbers, name in parts:
            first = int(getattr(mj, name)[f])
            later = [int(a) for a in np.asarray(getattr(mj, name))[f + 1 :] if a >= 0]
            if first >= 0 and np.any(numbers[..., first : later[0] if later else None]) and not mj.flex_rigid[f]:
                return True
    return False


def contact_checks(mj):
    """(name of a feature of contacts, whether the model has it)."""
    groups = contact_groups(mj)
    passive = any(is_passive(mj, group) for group in groups)
    yield (
        "passive contacts of flexes with other integrators than discrete, as MuJoCo 4.0 does not either",
        passive and mj.opt.integrator != MjtIntegrator.DISCRETE,
    )
    yield (
        "passive contacts of flexes with the solver PGS or noslip iterations, as MuJoCo 4.0 does not either (use Newton or CG)",
        passive and (mj.opt.solver == MjtSolver.PGS or mj.opt.noslip_iterations > 0),
    )
    yield (
        f"passive contacts of flexes in models of more than {sparse.DENSE_DOFS} dofs {NOT_SPARSE} (leave passive out)",
        passive and stays_dense(mj),
    )
