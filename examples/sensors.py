"""Sensors of an MJCF file by name, with noise: a swinging bob with a gyroscope and an accelerometer."""

import numpy as np

import newtonlite as newton

BOB = """<mujoco>
  <worldbody>
    <body pos="0 0 2">
      <joint name="swing" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -1" size=".02" mass=".1"/>
      <geom type="sphere" pos="0 0 -1" size=".05" mass="1"/>
      <site name="imu" pos="0 0 -1"/>
    </body>
  </worldbody>
  <sensor>
    <gyro name="gyro" site="imu" noise="0.01"/>
    <accelerometer name="accelerometer" site="imu" noise="0.1"/>
    <jointpos name="angle" joint="swing"/>
  </sensor>
  <keyframe><key qpos="1"/></keyframe>
</mujoco>"""


def run(worlds: int = 8, steps: int = 100, noise: bool = True) -> dict[str, np.ndarray]:
    """Readings [worlds, numbers] by name, and the speed of the joint, after the steps."""
    bob = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(bob)
    bob.add_mjcf(BOB)
    bob.joint_q[0] = 1.0
    scene = newton.ModelBuilder()
    scene.replicate(bob, worlds)
    model = scene.finalize()
    solver = newton.solvers.SolverMuJoCo(model, sensor_noise=noise)
    state, control = model.state(), model.control()
    for _ in range(steps):
        before = state.joint_qd.numpy().copy()
        solver.step(state, state, control, None, 0.005)
    m, data = solver.mj_model, solver.mjw_data.sensordata.numpy()
    readings = {n: data[:, a : a + k] for n, a, k in zip(m.names_sensor, m.sensor_adr, m.sensor_dim, strict=True)}
    return readings | {"speed": before.reshape(worlds, 1)}


if __name__ == "__main__":
    for name, values in run().items():
        print(name, values[:2].round(3).tolist())
