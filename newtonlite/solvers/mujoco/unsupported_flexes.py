"""Unsupported features of flexes: checks like those of ``unsupported``."""

import numpy as np

from newtonlite.core.mujoco import MjtEq, MjtIntegrator

IMPLICIT = (MjtIntegrator.IMPLICIT, MjtIntegrator.IMPLICITFAST)
STRAIN = 3
"""``flex_edgeequality`` of a flex whose cells are held by constraints, so that its stiffness makes no force."""


def flex_checks(mj):
    """(name of a feature, whether the model has it)."""
    if not getattr(mj, "nflex", 0):
        return
    yield "contacts of flexes (set contype and conaffinity of the flexes to 0)", may_touch(mj)
    yield (
        "elasticity of flexes with the integrators implicit and implicitfast, as MuJoCo 4.0 does not either (set Euler with a "
        "small time step)",
        mj.opt.integrator in IMPLICIT and has_elasticity(mj),
    )
    kinds = (MjtEq.FLEXVERT, MjtEq.DISTANCE)
    yield "equality constraints of vertices and of distances", bool(np.isin(np.asarray(mj.eq_type), kinds).any())


def may_touch(mj) -> bool:
    """Whether a flex may have contacts: with a geom, with another flex, or with itself."""
    kind, meets = (np.asarray(getattr(mj, f"flex_{bits}"), int) for bits in ("contype", "conaffinity"))
    geoms = [np.asarray(getattr(mj, f"geom_{bits}"), int) for bits in ("contype", "conaffinity")]
    with_geoms = (kind[:, None] & geoms[1]) | (meets[:, None] & geoms[0])
    pairs = np.triu((kind[:, None] & meets) | (meets[:, None] & kind), 1)
    alone = (kind & meets != 0) & (np.asarray(mj.flex_selfcollide) != 0) & (np.asarray(mj.flex_rigid) == 0)
    return bool(with_geoms.any() or pairs.any() or alone.any())


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
