"""A control loop recorded as a graph, with a kernel of one's own between the steps, and replayed."""

import warp as wp

import newtonlite as newton
from newtonlite import models


@wp.kernel
def swing(time: wp.array[float], control: wp.array2d[float]):
    """A sine of the time for each control, another phase in each world."""
    world, i = wp.tid()
    control[world, i] = 0.3 * wp.sin(6.0 * time[world] + float(world))


def run(worlds: int = 32, replays: int = 25, steps: int = 4):
    """Heights of the trunks [worlds] after all replays."""
    robot = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(str(models.path("quadruped")), ctrl_direct=True)
    scene = newton.ModelBuilder()
    scene.replicate(robot, worlds)
    model = scene.finalize()
    solver = newton.solvers.SolverMuJoCo(model)
    state, control = model.state(), model.control()
    ctrl = control.mujoco.ctrl.reshape((worlds, -1))
    with wp.ScopedCapture(device=model.device) as capture:
        for _ in range(steps):
            wp.launch(swing, ctrl.shape, [solver.mjw_data.time], [ctrl], device=model.device)
            solver.step(state, state, control, None, 0.005)
    for _ in range(replays):
        wp.capture_launch(capture.graph)
    return state.body_q.numpy().reshape(worlds, -1, 7)[:, 0, 2]


if __name__ == "__main__":
    print("heights [m]:", run().round(3))
