"""MuJoCo beside itself: the same pass with every number on its way moved up or down by roundings of float32."""

import copy

import numpy as np

from tests import oracle

ROUNDING = 2.0**-24
"""One rounding of float32, of a number of size 1."""

PLACES = "xpos xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat".split()
OF_BODIES = "xpos xmat xipos ximat".split()
"""Of which the first is the world's own."""


def nudge(rng, values, size, roundings: float = 1.0) -> None:
    """Move numbers in place, each up or down, by so many roundings of `size`."""
    values += roundings * ROUNDING * size * rng.choice([-1.0, 1.0], np.shape(values))


def largest(values) -> np.ndarray:
    """The size of the largest number of each row."""
    return np.abs(values).max(1, keepdims=True, initial=0.0)


def shaken_model(model, seed: int, roundings: float = 1.0):
    """A copy whose bodies, geoms, their sizes, corners of meshes and the length at which convex collision stops are
    moved.
    """
    rng = np.random.default_rng(seed)
    other = copy.deepcopy(model)
    for field in (other.body_pos[1:], other.body_quat[1:], other.geom_pos, other.geom_quat):
        nudge(rng, field, np.maximum(np.abs(field), 1.0), roundings)
    nudge(rng, other.geom_size, np.abs(other.geom_size), roundings)
    nudge(rng, other.mesh_vert, largest(other.mesh_vert), roundings)
    stop = other.opt.ccd_tolerance  # a difference of lengths of size 1; stays positive
    other.opt.ccd_tolerance = stop * np.exp(roundings * ROUNDING / stop * rng.choice([-1.0, 1.0]))
    return other


def shaken_states(states: oracle.States, seed: int, roundings: float = 1.0) -> oracle.States:
    """The same states, every number moved: by roundings of itself or 1 for positions, of itself for times, of the
    largest for velocities, controls and activations.
    """
    rng = np.random.default_rng(seed)
    moved = {name: getattr(states, name).copy() for name in ("qvel", "ctrl", "act", "time", "qpos")}
    for name in ("qvel", "ctrl", "act"):
        nudge(rng, moved[name], largest(moved[name]), roundings)
    nudge(rng, moved["time"], np.abs(states.time), roundings)
    nudge(rng, moved["qpos"], np.maximum(np.abs(states.qpos), 1.0), roundings)
    return oracle.States(**{**vars(states), **moved})


def forward(model, data, seed: int, roundings: float = 1.0) -> None:
    """A forward pass of which every part gets what the one before hands on, moved.

    Moved are places in the world, those of vertices that cells carry among them, spatial inertias and axes, the inertia matrix, constraint rows and smooth forces.
    """
    rng = np.random.default_rng(seed)
    place(model, data, rng, roundings)
    oracle.call(model, data, *"mj_sensorPos mj_fwdVelocity mj_sensorVel mj_fwdActuation mj_fwdAcceleration".split())
    for values in (data.M, data.efc_J, data.efc_aref[: data.nefc], data.efc_D[: data.nefc], data.qfrc_smooth):
        nudge(rng, values, np.abs(values), roundings)
    oracle.solve_smooth(model, data)
    oracle.call(model, data, "mj_fwdConstraint", "mj_sensorAcc")


def place(model, data, rng, roundings: float) -> None:
    """What depends on positions, its own results moved on the way; of models that sleep, or whose contacts are springs, unmoved."""
    if model.opt.enableflags & oracle.ENABLE_SLEEP or model.flex_passive.any():
        oracle.call(model, data, "mj_fwdPosition")
        return
    oracle.call(model, data, "mj_kinematics")
    for name in PLACES:
        values = getattr(data, name)[1 if name in OF_BODIES else 0 :]
        nudge(rng, values, largest(values), roundings)
    oracle.call(model, data, "mj_comPos")
    for values in (data.cinert[1:], data.cdof):
        nudge(rng, values, np.abs(values), roundings)
    oracle.call(model, data, "mj_camlight", "mj_flex")
    if model.nflex:  # other vertices are places of bodies
        within = np.repeat(model.flex_interp != 0, model.flex_vertnum)
        moved = data.flexvert_xpos[within]
        nudge(rng, moved, largest(moved), roundings)
        data.flexvert_xpos[within] = moved
    oracle.call(model, data, *"mj_tendon mj_makeM mj_factorM mj_collision mj_makeConstraint mj_island".split())
    oracle.call(model, data, "mj_projectConstraint", "mj_transmission")


def step(model, data, seed: int, roundings: float = 1.0) -> None:
    """A step from such a pass; of Runge and Kutta's, and where velocities and constraints are one, an ordinary step."""
    if model.opt.integrator in oracle.ONE_PASS:
        forward(model, data, seed, roundings)
        oracle.integrate(model, data)
    else:
        oracle.call(model, data, "mj_step")
