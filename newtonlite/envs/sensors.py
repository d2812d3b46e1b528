"""Sensors of environments: feet that know how long they have been in the air, kept beside the engine's own sensors."""

import re

import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.envs.capture import capturable
from newtonlite.envs.entity import BuiltinSensor

kernel_module(__name__)


@wp.kernel
def time_contacts(
    mask: wp.array[wp.bool],
    sensordata: wp.array2d[float],
    first: wp.array[int],
    width: int,
    dt: float,
    found: wp.array2d[float],
    force: wp.array3d[float],
    air: wp.array2d[float],
    contact: wp.array2d[float],
    last_air: wp.array2d[float],
    landed: wp.array2d[float],
):
    """Touching or not, the force, and for how long."""
    world, i = wp.tid()
    if not mask[world]:
        return
    n = sensordata[world, first[i]]
    found[world, i] = n
    for k in range(width):
        force[world, i, k] = sensordata[world, first[i] + 1 + k]
    landed[world, i] = 0.0
    if n > 0.0:
        if air[world, i] > 0.0:
            landed[world, i] = 1.0
            last_air[world, i] = air[world, i]
        air[world, i] = 0.0
        contact[world, i] = contact[world, i] + dt
    else:
        air[world, i] = air[world, i] + dt
        contact[world, i] = 0.0


@capturable
class ContactSensor:
    """Contact sensors with the time since each touched or left the ground: on the ``bodies`` or ``geoms`` whose names
    match, or those of the model whose ``names`` match.

    Those of a model are ``<contact name="foot_..." geom1="..." num="1" data="found force" reduce="netforce"/>``. Arrays are
    ``[nworld, sensors]``: ``found``, ``current_air_time``, ``current_contact_time``, ``last_air_time`` [s],
    ``first_contact`` (1 in the step of landing); ``force`` ``[nworld, sensors, 3]`` [N].
    """

    def __init__(self, names=None, *, bodies=None, geoms=None):
        if (names is None) == (bodies is None and geoms is None):
            raise ModelError("ContactSensor: expected names of the model's sensors, or bodies or geoms to watch")
        self.pattern, self.watched = names, BuiltinSensor("contact", bodies=bodies, geoms=geoms)
        self.adds = names is None

    def add_to(self, builder, key: str) -> list:
        """Add sensors on what is watched to a builder; returns their names."""
        return self.watched.add_to(builder, key)

    def make(self, env, key: str):
        """The sensor at work. ModelError for a sensor that shows neither ``found`` nor ``found force``."""
        made = ContactSensor(rf"{re.escape(key)}_.*" if self.pattern is None else self.pattern)
        made.env, sim = env, env.sim
        ids = sim.find("sensor", made.pattern)
        made.names = tuple(sim.names("sensor")[i] for i in ids)
        spans = [sim.sensor(name) for name in made.names]
        if any(n not in (1, 4) for _, n in spans) or len({n for _, n in spans}) != 1:
            raise ModelError(
                f"sensors {made.pattern!r}: expected contact sensors with data='found' or data='found force' and num='1'"
            )
        made.first = wp.array([a for a, _ in spans], dtype=int, device=env.device)
        made.width = spans[0][1] - 1
        shape = (env.num_worlds, len(ids))
        made.found, made.current_air_time, made.current_contact_time, made.last_air_time, made.first_contact = (
            wp.zeros(shape, dtype=float, device=env.device) for _ in range(5)
        )
        made.force = wp.zeros((*shape, 3), dtype=float, device=env.device)
        return made

    def update(self, mask: wp.array) -> None:
        """Look at the worlds of the mask after a control step."""
        self._look(mask, self.env.step_dt)

    def reset(self, mask: wp.array) -> None:
        """Start anew in the worlds of the mask."""
        for array in (self.current_air_time, self.current_contact_time, self.last_air_time):
            self.env.clear(mask, array)
        self._look(mask, 0.0)

    def _look(self, mask: wp.array, dt: float) -> None:
        out = [
            self.found,
            self.force,
            self.current_air_time,
            self.current_contact_time,
            self.last_air_time,
            self.first_contact,
        ]
        inputs = [mask, self.env.sim.data.sensordata, self.first, self.width, dt]
        self.env.launch(time_contacts, self.found.shape, inputs, out)

    def state(self, name: str) -> dict:
        """Arrays that a checkpoint needs."""
        return {
            f"sensor/{name}/{k}": getattr(self, k)
            for k in ("current_air_time", "current_contact_time", "last_air_time", "found")
        }
