"""Forces that the feet of a quadruped feel, from contacts of the solver, by body."""

import numpy as np

import newtonlite as newton
from newtonlite import models


def run(worlds: int = 4, steps: int = 300) -> tuple[np.ndarray, float]:
    """(upward force on all bodies of each world [worlds], weight of a robot) [N]."""
    robot = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(str(models.path("quadruped")))
    scene = newton.ModelBuilder()
    scene.replicate(robot, worlds)
    model = scene.finalize()
    solver = newton.solvers.SolverMuJoCo(model)
    state, control, contacts = model.state(), model.control(), newton.Contacts(solver.get_max_contact_count())
    sensor = newton.sensors.SensorContact(model, sensing_bodies="*", request_contact_attributes=False)
    seen = solver.observables(sensor.solver_observable_kinds, contacts=contacts)
    for _ in range(steps):
        solver.step(state, state, control, None, 0.005, observables=seen)
    sensor.update(state, contacts, observables=seen)
    up = sensor.total_force.numpy()[:, 2].reshape(worlds, -1).sum(axis=1)
    return up, 9.81 * float(model.body_mass.numpy().sum()) / worlds


if __name__ == "__main__":
    print("upward force of each world, and the weight [N]:", *run())
