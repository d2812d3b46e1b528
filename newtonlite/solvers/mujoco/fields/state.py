"""State, input and output fields: what a world carries from step to step, what callers set, what a step leaves."""

import warp as wp

from newtonlite.core.field import Field as F

vec3, quat, spatial = wp.vec3, wp.quat, wp.spatial_vector

DATA = (
    F("time", float, "", "[s]", "state"),
    F("qpos", float, "nq", "positions", "state"),
    F("qvel", float, "nvp", "velocities", "state"),
    F("qacc_warmstart", float, "nvp", "acceleration of the previous step", "state"),
    F("qfrc_applied", float, "nvp", "force on dofs", "input"),
    F("xfrc_applied", spatial, "nbody", "force, torque at the centre of mass, world frame [N, N m]", "input"),
    F("mocap_pos", vec3, "nmocap", "[m]", "input"),
    F("mocap_quat", quat, "nmocap", "orientation of mocap bodies", "input"),
    F("world_mask", int, "", "1: masked programs run for this world", "input"),
    F("qacc", float, "nvp", "acceleration", "output"),
    F("ncon", int, "", "contacts kept", "output"),
    F("ncon_needed", int, "", "contacts found", "output"),
    F("nefc", int, "", "constraint rows kept", "output"),
    F("nefc_needed", int, "", "constraint rows asked for", "output"),
    F(
        "solver_niter",
        int,
        "",
        "iterations of the solver, Newton's that end it and sweeps against slip included",
        "output",
    ),
    F("nbp_needed", int, "", "geom pairs near each other, found by the broad phase", "output"),
    F("nbp_max", int, "", "most such pairs since the counters were cleared", "output"),
    F("ncon_max", int, "", "most contacts found since the counters were cleared", "output"),
    F("nefc_max", int, "", "most rows asked for since the counters were cleared", "output"),
    F("overflow", int, "", "steps in which contacts, rows or near pairs did not fit", "output"),
    F("lost", wp.vec3i, "", "contacts, rows and near pairs that did not fit, over all steps", "output"),
    F(
        "bad",
        int,
        "",
        "bits of this step: 1 qpos, 2 qvel, 4 ctrl or forces, 8 qacc was not finite or above 1e10",
        "output",
    ),
    F("bad_count", int, "", "steps in which the world was reset", "output"),
)
