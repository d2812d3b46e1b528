"""Field tables: every array of the engine, MODEL (constant in a step) and DATA (written by stages), one file per
family.

Roles of MODEL fields: ``size`` an int; ``index`` structure, one copy for all worlds; ``param`` a real value that may be
shared by all worlds or differ, ``[nworld or 1, ...]``, always read as ``m.field[world, i]``.
Roles of DATA fields: ``state`` carried from step to step; ``input`` set by the caller, never changed by the engine;
``output`` kept per world after a step; ``scratch`` valid within a step (per world only when the caller asks for it);
``team`` scratch with one slot per lane; ``bound`` the scene's own arrays, bound when a solver pushes and pulls.

Units are SI where the model is; shapes leave out the world dimension.  ``nvp`` is nv rounded up to 16, the pad zero;
``njp`` is njmax rounded up likewise.
"""

from newtonlite.solvers.mujoco.fields import (
    actuator,
    body,
    constraint,
    convex,
    equality,
    flex,
    flex_contact,
    float64,
    geom,
    integrate,
    ipc,
    option,
    passive,
    ray,
    sensor,
    sleep,
    solver,
    state,
    team,
    tendon,
)
from newtonlite.solvers.mujoco.kernels.state_io.bound_fields import BOUND

FAMILIES = (
    option,
    body,
    geom,
    tendon,
    actuator,
    constraint,
    convex,
    equality,
    flex,
    flex_contact,
    passive,
    integrate,
    ipc,
    sensor,
    sleep,
    ray,
    state,
    solver,
    team,
    float64,
)

MODEL = tuple(f for family in FAMILIES for f in getattr(family, "MODEL", ()))
DATA = (*(f for family in FAMILIES for f in getattr(family, "DATA", ())), *BOUND)
