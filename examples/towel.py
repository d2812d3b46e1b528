"""A towel that falls over a bar, recorded for the viewer: cloth whose edges keep their lengths.

python examples/towel.py [recording.npz [picture.png]]
newtonlite view towel.npz
"""

import sys

import numpy as np

import newtonlite as newton
from newtonlite.viewer import Recorder, save_recording, still, write_png
from newtonlite.viewer.batches import appearance

SCENE = """
<mujoco model="towel">
  <option timestep="0.004" viscosity=".02" solver="CG" iterations="50"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <geom name="bar" type="capsule" fromto="0 -.3 .5 0 .3 .5" size=".02" rgba=".6 .5 .4 1"/>
    <flexcomp name="towel" type="grid" dim="2" count="13 7 1" spacing=".05 .05 .05" pos=".05 0 .56" radius=".01" mass=".15"
      rgba=".2 .4 .8 1">
      <edge equality="true"/>
      <contact condim="3" friction="1" selfcollide="none"/>
      <elasticity young="1e4" poisson=".2" thickness=".002" elastic2d="bend" damping="1e-3"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""


def run(file: str | None = "towel.npz", picture: str | None = "towel.png", seconds: float = 1.0) -> np.ndarray:
    """Drop it, write recording and picture; returns where its points are [points, 3]."""
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(SCENE)
    model = builder.finalize()
    solver, state, control = newton.solvers.SolverMuJoCo(model), model.state(), model.control()
    recorder, timestep = Recorder(appearance(model)), 0.004
    for step in range(int(seconds / timestep)):
        solver.step(state, state, control, None, timestep)
        recorder.keep(state, step * timestep)
    if file:
        save_recording(recorder.recording(), file)
    if picture:
        write_png(picture, still(model, state.body_q.numpy()))
    return state.body_q.numpy()[:, :3]


if __name__ == "__main__":
    points = run(*sys.argv[1:3])
    print(f"the towel hangs from {points[:, 2].max():.2f} m down to {points[:, 2].min():.2f} m")
