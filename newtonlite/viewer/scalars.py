"""Numbers of a simulation that can be plotted: coordinates, velocities, energies, sensors, controls, contacts."""

from collections.abc import Callable

import numpy as np

from newtonlite.math import transform as tf

Source = Callable[[object, int], tuple[np.ndarray, list[str] | None]]


def sources(viewer) -> dict[str, Source]:
    """Name of an array: what gives, of a state and a world, its values [n] and their names."""
    model, session = viewer.model, viewer.simulation
    if model is None:
        return {}
    if hasattr(viewer.session, "scalars"):
        return viewer.session.scalars()
    found: dict[str, Source] = {}
    if model.joint_count:
        found["joint_q"] = lambda state, world: (world_rows(state.joint_q, model.joint_coord_world_start, world), None)
        found["joint_qd"] = lambda state, world: (world_rows(state.joint_qd, model.joint_dof_world_start, world), None)
    if model.body_count:
        kin = Energies(model)
        found["energy [J]"] = lambda state, world: (kin.of(state, world), ["kinetic", "potential", "both"])
        names = [label.split("/")[-1] for label in model.body_label]
        start = model.body_world_start.numpy()
        found["body height [m]"] = lambda state, world: (
            world_rows(state.body_q, model.body_world_start, world)[:, 2],
            names[start[world] : start[world + 1]],
        )
        found["body speed [m/s]"] = lambda state, world: (
            np.linalg.norm(world_rows(state.body_qd, model.body_world_start, world)[:, :3], axis=1),
            names[start[world] : start[world + 1]],
        )
    if session is not None:
        found |= of_session(session)
    return found


def of_session(session) -> dict[str, Source]:
    """Sources that only the engine and the controls have."""
    found: dict[str, Source] = {}
    engine = session.engine_of(0)
    if engine is not None and engine.mj_model.nsensordata:
        found["sensors"] = lambda state, world: (session.sensors_of(world), session.sensor_names(world))
    if len(session.controls_of(0)[0]):
        found["controls"] = lambda state, world: (session.control_values(world), session.controls_of(world)[1])
    if engine is not None:
        found["contacts"] = lambda state, world: (np.array([session.contact_count(world)]), ["contacts"])
    return found


def world_rows(array, starts, world: int) -> np.ndarray:
    """The rows of an array that belong to a world."""
    begin, end = starts.numpy()[world : world + 2]
    return array.numpy()[begin:end]


class Energies:
    """Kinetic and potential energy of a world."""

    def __init__(self, model):
        self.model = model
        self.mass, self.inertia, self.com = (
            getattr(model, f"body_{name}").numpy().astype(float) for name in ("mass", "inertia", "com")
        )
        self.start = model.body_world_start.numpy()

    def of(self, state, world: int) -> np.ndarray:
        """[3] kinetic, potential and their sum [J]; potential is zero for a centre of mass at the origin."""
        rows = slice(self.start[world], self.start[world + 1])
        pose, velocity = state.body_q.numpy()[rows].astype(float), state.body_qd.numpy()[rows].astype(float)
        spin = tf.quat_rotate(tf.quat_inverse(pose[:, 3:]), velocity[:, 3:])
        kinetic = 0.5 * (
            self.mass[rows] @ (velocity[:, :3] ** 2).sum(axis=1)
            + np.einsum("ni,nij,nj->", spin, self.inertia[rows], spin)
        )
        gravity = self.model.gravity.numpy()[min(world, len(self.model.gravity) - 1)].astype(float)
        potential = -self.mass[rows] @ (tf.apply(pose, self.com[rows]) @ gravity)
        return np.array([kinetic, potential, kinetic + potential])
