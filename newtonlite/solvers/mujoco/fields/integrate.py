"""Integrator fields: RK4, implicit methods, and the effective inertia of discrete."""

import warp as wp

from newtonlite.core.field import Field as F

mat33, spatial = wp.mat33, wp.spatial_vector

MODEL = (
    F(
        "nderivative",
        int,
        None,
        "bodies, where the integrator takes in derivatives of forces on bodies by velocity",
        "size",
    ),
    F("ncoupling", int, None, "sets of dofs that the effective inertia couples beyond M", "size"),
    F("nefmrow", int, None, "dofs, where the effective inertia between trees is stored sparse", "size"),
    F("ncoupled", int, None, "entries of its rows", "size"),
    F("coupled_rowadr", int, "nsparsedof1", "first of these entries in each dof's row", "index"),
    F("coupled_colind", int, "ncoupled", "column of each, rising within a row", "index"),
    F("nefmkept", int, None, "dofs, where less slip or exact diagonals leave couplings out", "size"),
    F("nrkout", int, None, "actuator outputs, where RK4 recalls their lengths", "size"),
    F("nrkten", int, None, "tendons, where RK4 recalls their lengths", "size"),
)

DATA = (
    F("efm_bare", float, "ndiscretedof", "diagonal of M before the effective inertia's part", "scratch"),
    F("efm_c", float, "ndiscretedof", "-h K qvel: what stiffness changes of qfrc_smooth within the step", "scratch"),
    F(
        "efm_backbone",
        float,
        "nefmkept nMcol",
        "effective inertia without couplings of tendons and actuators",
        "scratch",
    ),
    F("efm_coupled", float, "ncoupled", "effective inertia between trees, where that is stored sparse", "scratch"),
    F("efm_smooth", float, "ndiscretedof", "qfrc_smooth without it", "scratch"),
    F(
        "efm_diag",
        float,
        "ndiscretedof",
        "h D + h^2 K of joints: the effective inertia's part of the diagonal",
        "scratch",
    ),
    F("efm_ca", float, "ndiscretedof", "what actuators have of efm_c", "scratch"),
    F("efm_ts", float, "ntendon", "h^2 k + h b of tendons, the weight of J'J in the effective inertia", "scratch"),
    F("efm_as", float, "nactuator", "h^2 k + h b of actuators, the weight of moment' moment", "scratch"),
    F("rk_pass", int, "", "which of Runge and Kutta's four passes over a step comes next", "output"),
    F("rk_time", float, "", "time at the start of the step", "output"),
    F("rk_qpos", float, "nrkq", "positions at the start of the step", "output"),
    F("rk_qvel", float, "nrkv", "velocities at the start of the step", "output"),
    F("rk_act", float, "nrka", "activations at the start of the step", "output"),
    F(
        "rk_move",
        float,
        "nrkv",
        "velocity that leads from the start of the step to the positions of the pass",
        "output",
    ),
    F("rk_length", float, "nrkout", "actuator lengths at the start of the step", "output"),
    F("rk_velocity", float, "nrkout", "actuator velocities at the start of the step", "output"),
    F("rk_ten_length", float, "nrkten", "tendon lengths at the start of the step", "output"),
    F("rk_ten_J", float, "nrkten nvp", "tendon Jacobians at the start of the step", "output"),
    F("rk_speed", float, "nrkv", "weighted velocities of the passes so far", "output"),
    F("rk_qacc", float, "nrkv", "weighted accelerations of the passes so far", "output"),
    F("rk_rate", float, "nrka", "weighted rates of activations of the passes so far", "output"),
    F(
        "cderivative",
        mat33,
        "nderivative 4",
        "derivative of the force a subtree needs: torque by turning, by moving; force by turning, by moving",
        "scratch",
    ),
    F(
        "cdof_rate",
        spatial,
        "nslopedof",
        "derivative of the bias acceleration beyond a dof by its speed, but for the body's own velocity",
        "scratch",
    ),
)
