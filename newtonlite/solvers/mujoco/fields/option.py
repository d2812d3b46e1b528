"""Options: time step, gravity, solver and flags."""

import warp as wp

from newtonlite.core.field import Field as F
from newtonlite.core.types import vec5

vec3 = wp.vec3

MODEL = (
    F("opt_timestep", float, "", "[s]", "param"),
    F("opt_gravity", vec3, "", "[m/s^2]", "param"),
    F("opt_impratio_invsqrt", float, "", "1/sqrt(impratio)", "param"),
    F("opt_tolerance", float, "", "solver termination, relative", "param"),
    F("opt_ls_tolerance", float, "", "line search termination, relative", "param"),
    F("opt_iterations", int, None, "solver iterations at most", "size"),
    F("opt_ls_iterations", int, None, "line search iterations at most", "size"),
    F("opt_cone", int, None, "0 pyramidal, 1 elliptic", "size"),
    F("opt_disableflags", int, None, "mjtDisableBit", "size"),
    F("opt_o_friction", vec5, "", "of all contacts, with the flag override", "param"),
    F("noverride", int, None, "1 with the flag override", "size"),
    F("opt_solver", int, None, "mjtSolver", "size"),
    F("opt_noslip_iterations", int, None, "sweeps against slip after the solver at most", "size"),
    F("opt_noslip_tolerance", float, "", "termination of these, relative", "param"),
    F("opt_enableflags", int, None, "mjtEnableBit", "size"),
    F("ndiagexact", int, None, "1 with the flag diagexact", "size"),
    F("opt_integrator", int, None, "mjtIntegrator", "size"),
    F("stat_meaninertia", float, "", "mean diagonal of M at qpos0, which tolerances are relative to", "param"),
)
