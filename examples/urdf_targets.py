"""A URDF arm of one's own follows joint targets, another one in each world.

python examples/urdf_targets.py [robot.urdf]
"""

import sys

import numpy as np

import newtonlite as newton

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.15"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.15"/><mass value="0.5"/>
    <inertia ixx="0.005" iyy="0.005" izz="0.0005" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="40" velocity="5"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5" effort="20" velocity="5"/></joint>
</robot>"""


def run(source: str = ARM, worlds: int = 16, steps: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """(targets, angles reached) [worlds, joints]."""
    robot = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(robot)
    robot.default_joint_cfg.target_ke, robot.default_joint_cfg.target_kd = 300.0, 20.0  # [N m/rad], [N m s/rad]
    robot.add_urdf(source)
    scene = newton.ModelBuilder()
    scene.replicate(robot, worlds)
    model = scene.finalize()
    solver = newton.solvers.SolverMuJoCo(model)
    state, control = model.state(), model.control()
    low, high = model.joint_limit_lower.numpy(), model.joint_limit_upper.numpy()
    share = np.linspace(0.2, 0.8, worlds).repeat(len(low) // worlds)
    targets = (low + share * (high - low)).astype(np.float32)
    control.joint_target_q.assign(targets)
    for _ in range(steps):
        solver.step(state, state, control, None, 0.005)
    return targets.reshape(worlds, -1), state.joint_q.numpy().reshape(worlds, -1)


if __name__ == "__main__":
    wanted, reached = run(*sys.argv[1:2])
    print("largest distance from a target [rad]:", np.abs(wanted - reached).max())
