import newtonlite as newton
from newtonlite import models

robot = newton.ModelBuilder()
newton.solvers.SolverMuJoCo.register_custom_attributes(robot)
robot.add_mjcf(str(models.path("humanoid")))
scene = newton.ModelBuilder()
scene.replicate(robot, 64)
model = scene.finalize()

solver = newton.solvers.SolverMuJoCo(model)
state, control = model.state(), model.control()
for _ in range(200):
    solver.step(state, state, control, None, 0.005)
print("heights of the hips after a second [m]:", state.body_q.numpy().reshape(64, -1, 7)[:4, 0, 2])
