"""Unsupported features of the flag ipc: checks like those of ``unsupported``; MuJoCo 4.0 refuses all but the last two."""

import numpy as np

from newtonlite.core.mujoco import MjtEnableBit, MjtIntegrator, MjtJoint, MjtSolver
from newtonlite.solvers.mujoco.derive import sparse
from newtonlite.solvers.mujoco.derive.ipc import asks, is_own, keeps_apart, kept_surfaces, moves, surfaces
from newtonlite.solvers.mujoco.unsupported_flexes import NOT_SPARSE, stays_dense


def ipc_checks(mj):
    """(name of a feature, whether the model has it)."""
    if not asks(mj):
        return
    flags = int(mj.opt.enableflags)
    yield "flag ipc requires integrator='discrete'", mj.opt.integrator != MjtIntegrator.DISCRETE
    yield ("flag ipc requires solver='Newton' or 'CG'", mj.opt.solver not in (MjtSolver.NEWTON, MjtSolver.CG))
    yield (
        "flag ipc does not support flag fwdinv: inverse dynamics is not available",
        bool(flags & MjtEnableBit.FWDINV),
    )
    yield "flag ipc does not support flag sleep", bool(flags & MjtEnableBit.SLEEP)
    if keeps_apart(mj):
        yield from carrier_checks(mj)
        yield (
            f"flag ipc in models of more than {sparse.DENSE_DOFS} dofs {NOT_SPARSE} (leave the flag out)",
            stays_dense(mj),
        )
        yield (
            "flag ipc with static meshes that differ by worlds (put worlds of one mesh into an engine of their own)",
            len(np.atleast_2d(np.asarray(getattr(mj, "mesh_worlds", np.zeros((1, 0)))))) > 1,
        )


def carrier_checks(mj):
    """(bodies that vertices of surfaces are on and cannot follow, whether there are any)."""
    bodies = np.asarray(mj.flex_vertbodyid, int)
    loose, turning = False, False
    for f in kept_surfaces(mj):
        first = int(mj.flex_vertadr[f])
        for v in range(first, first + int(mj.flex_vertnum[f])):
            if is_own(mj, v):
                loose = loose or moves(mj, int(mj.body_parentid[bodies[v]]))
            else:
                turning = turning or turns(mj, int(bodies[v]))
    yield (
        "IPC mode: flexes with free vertices under a jointed body; pin them or attach the flex to a static body",
        loose,
    )
    yield (
        "IPC mode: flexes pinned to bodies whose chain moves on a joint that is not a slide; pin flexes to static bodies or "
        "to bodies on slide joints only",
        turning,
    )


def turns(mj, body: int) -> bool:
    """Whether a body moves by a joint that is not a slide."""
    while body > 0:
        first = int(mj.body_jntadr[body])
        if np.any(np.asarray(mj.jnt_type)[first : first + int(mj.body_jntnum[body])] != MjtJoint.SLIDE):
            return True
        body = int(mj.body_parentid[body])
    return False


def passes_through(mj) -> bool:
    """Whether a surface under the flag is kept away from nothing, since it is interpolated."""
    return keeps_apart(mj) and len(kept_surfaces(mj)) < len(surfaces(mj))
