"""IMU sensor: accelerations and angular velocities at sites."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.sense.match_labels import match_sites
from newtonlite.sim.state import warn_of_request

kernel_module(__name__)


@wp.kernel
def measure(
    sites: wp.array[int],
    world: wp.array[int],
    gravity: wp.array[wp.vec3],
    shape_body: wp.array[int],
    shape_transform: wp.array[wp.transform],
    body_com: wp.array[wp.vec3],
    body_q: wp.array[wp.transform],
    body_qd: wp.array[wp.spatial_vector],
    body_qdd: wp.array[wp.spatial_vector],
    accelerometer: wp.array[wp.vec3],
    gyroscope: wp.array[wp.vec3],
):
    """Specific force ``a - g`` of the site's point and angular velocity, in the site's frame."""
    i = wp.tid()
    site = sites[i]
    body = shape_body[site]
    local = shape_transform[site]
    turn = wp.transform_get_rotation(local)
    a = wp.vec3()
    omega = wp.vec3()
    if body >= 0:
        pose = body_q[body]
        turn = wp.transform_get_rotation(pose) * turn
        arm = wp.transform_vector(pose, wp.transform_get_translation(local) - body_com[body])
        omega = wp.spatial_bottom(body_qd[body])
        a = (
            wp.spatial_top(body_qdd[body])
            + wp.cross(wp.spatial_bottom(body_qdd[body]), arm)
            + wp.cross(omega, wp.cross(omega, arm))
        )
    accelerometer[i] = wp.quat_rotate_inv(turn, a - gravity[world[i]])
    gyroscope[i] = wp.quat_rotate_inv(turn, omega)


class SensorIMU:
    """Accelerometers [m/s^2] and gyroscopes [rad/s] at sites: ``accelerometer`` and ``gyroscope`` [n] (vec3) after
    ``update``.

    Needs ``body_qdd``: requested of the model's states on construction, unless ``request_state_attributes=False``
    because an observables object will bring it. Make the sensor before the states and the solver.
    """

    solver_observable_kinds = frozenset({"body_qdd"})
    """Observables that ``update`` needs."""

    def __init__(self, model: Any, sites: Any, *, verbose: bool | None = None, request_state_attributes: bool = True):
        self.model = model
        chosen = match_sites(model, sites, "SensorIMU sites")
        self.n_sensors = len(chosen)
        if request_state_attributes:
            warn_of_request("SensorIMU(request_state_attributes=True)")
            model._requested_state.add("body_qdd")
        world = model.shape_world.numpy()[chosen]
        self.sites = wp.array(chosen, dtype=int, device=model.device)
        self.world = wp.array(np.where(world < 0, len(model.gravity) - 1, world), dtype=int, device=model.device)
        self.accelerometer, self.gyroscope = (
            wp.zeros(len(chosen), dtype=wp.vec3, device=model.device) for _ in range(2)
        )
        if verbose:
            print(f"SensorIMU: {len(chosen)} sites")

    def update(self, state: Any, *, observables: Any = None) -> None:
        """Read a state; accelerations come from ``observables.body_qdd``, else from ``state.body_qdd``."""
        qdd = getattr(observables, "body_qdd", None)
        qdd = state.body_qdd if qdd is None else qdd
        if qdd is None:
            raise StateError(
                "SensorIMU: the state has no body_qdd; make the sensor before the states, or pass observables with body_qdd"
            )
        m = self.model
        inputs = [
            self.sites,
            self.world,
            m.gravity,
            m.shape_body,
            m.shape_transform,
            m.body_com,
            state.body_q,
            state.body_qd,
            qdd,
        ]
        wp.launch(
            measure, dim=len(self.sites), inputs=inputs, outputs=[self.accelerometer, self.gyroscope], device=m.device
        )
