"""Sizes of models whose inertia needs more digits than float32 has."""

import numpy as np

from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco.derive import slider
from newtonlite.solvers.mujoco.derive.ragged import padded

LOST = 1.0e4
"""Ratio of a dof's inertia with all others held to that with all others free, beyond which fewer than three digits of the
latter are left in float32. Robots have up to a few hundred."""


def derive(mj) -> dict:
    """``nfloat64``: dofs, where the mass matrix is assembled and factored in double; 0 elsewhere."""
    on = getattr(mj, "loses_digits", None)
    on = loses_digits(mj) if on is None else on
    on = on and mj.opt.integrator != MjtIntegrator.DISCRETE  # whose inertia is another
    return {
        "nfloat64": int(mj.nv) if on else 0,
        "nbody64": int(mj.nbody) if on else 0,
        "nvp64": padded(int(mj.nv)) if on else 0,
    }


def loses_digits(mj) -> bool:
    """Whether float32 keeps fewer than three digits of some dof's inertia."""
    return int(mj.nv) > 0 and held_over_free(mj) > LOST


def held_over_free(mj) -> float:
    """Largest ``M_ii (M^-1)_ii`` of a model at ``qpos0``, in any of its worlds.

    It is 1 where dofs do not act on each other, and what a factorisation of M multiplies rounding by. Bodies that only
    slide, whose inverse weight MuJoCo takes from their mass alone, are such dofs.
    """
    held = np.asarray(mj.dof_M0, float) + np.asarray(mj.dof_armature, float)
    slides = np.asarray(slider.derive(mj)["body_slider"])[..., np.asarray(mj.dof_bodyid)] == 1
    return float(np.where(slides, 1.0, held * np.asarray(mj.dof_invweight0, float)).max(initial=0.0))
