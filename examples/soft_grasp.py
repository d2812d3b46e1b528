"""A gripper that closes about a soft cube and lifts it: a block of tetrahedra between two fingers.

python examples/soft_grasp.py [picture.png]
"""

import sys

import numpy as np

import newtonlite as newton
from newtonlite.viewer import Camera, still, write_png

SCENE = """
<mujoco model="soft_grasp">
  <option timestep="0.002" solver="CG" iterations="50" impratio="10"/>
  <worldbody>
    <geom name="table" type="plane" size="1 1 .1"/>
    <body name="hand" pos="0 0 .045" gravcomp="1">
      <joint name="lift" type="slide" axis="0 0 1" damping="20"/>
      <geom type="box" size=".1 .02 .01" pos="0 0 .09" mass=".5" contype="0" conaffinity="0" rgba=".3 .3 .35 1"/>
      <body name="left" pos="-.075 0 0" gravcomp="1">
        <joint name="left" type="slide" axis="1 0 0" damping="5"/>
        <geom type="box" size=".008 .035 .04" pos="0 0 .04" mass=".1" friction="1.5" rgba=".6 .6 .65 1"/>
      </body>
      <body name="right" pos=".075 0 0" gravcomp="1">
        <joint name="right" type="slide" axis="-1 0 0" damping="5"/>
        <geom type="box" size=".008 .035 .04" pos="0 0 .04" mass=".1" friction="1.5" rgba=".6 .6 .65 1"/>
      </body>
    </body>
    <flexcomp name="cube" type="grid" dim="3" count="4 4 4" spacing=".03 .03 .03" pos="0 0 .05" radius=".002" mass=".4"
      rgba=".85 .35 .2 1">
      <contact condim="3" friction="1.5" solref=".01 1" selfcollide="none"/>
      <elasticity young="5e3" poisson=".2" damping=".001"/>
    </flexcomp>
  </worldbody>
  <actuator>
    <position name="lift" joint="lift" kp="300"/>
    <position name="left" joint="left" kp="200"/>
    <position name="right" joint="right" kp="200"/>
  </actuator>
</mujoco>
"""
CLOSED, LIFTED = 0.035, 0.15
"""Targets of the fingers and of the hand [m]."""


def run(file: str | None = "soft_grasp.png", seconds: float = 1.0) -> dict[str, np.ndarray]:
    """Close, lift, write the picture; returns height and width of the cube [m] over time."""
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(SCENE)
    model = builder.finalize()
    solver, state, control = newton.solvers.SolverMuJoCo(model), model.state(), model.control()
    points = [k for k, label in enumerate(model.body_label) if "cube" in label]
    targets, timestep, height, width = control.joint_target_q.numpy(), 0.002, [], []
    for step in range(int(seconds / timestep)):
        # the fingers close within .3 s; from .4 s on the hand goes up
        time = step * timestep
        targets[0] = LIFTED * np.clip((time - 0.4) / 0.4, 0.0, 1.0)
        targets[1:3] = CLOSED * min(time / 0.3, 1.0)
        control.joint_target_q.assign(targets)
        solver.step(state, state, control, None, timestep)
        if step % 10 == 0:
            places = state.body_q.numpy()[points, :3]
            height.append(places[:, 2].mean())
            width.append(places[-16:, 0].mean() - places[:16, 0].mean())  # of two faces of 4 by 4 points
    if file:
        eye, middle = (0.35, -0.45, 0.3), (0.0, 0.0, 0.13)
        write_png(file, still(model, state.body_q.numpy(), camera=Camera(eye, middle, 40.0)))
    return {"height": np.array(height), "width": np.array(width)}


if __name__ == "__main__":
    cube = run(*sys.argv[1:2])
    print(
        f"the cube's middle is {cube['height'][-1]:.3f} m high; it is {1e3 * cube['width'][-1]:.0f} mm wide, not 90 mm"
    )
