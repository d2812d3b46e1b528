"""Models that several tests of the viewer show."""

from pathlib import Path

from newtonlite import ModelBuilder, models
from newtonlite.importers.files import add_file
from newtonlite.solvers import SolverMuJoCo
from newtonlite.viewer.clock import Clock
from newtonlite.viewer.session import Session

EVERYTHING = """
<mujoco model="everything">
  <worldbody>
    <geom type="plane" size="0 0 .1"/>
    <camera name="front" pos="0 -2 1" xyaxes="1 0 0 0 .4 1" fovy="50"/>
    <site name="anchor" pos="0 0 1.6"/>
    <body name="arm" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" range="-90 90" limited="true"/>
      <geom name="pulley" type="cylinder" size=".05 .06" pos=".3 0 0" euler="90 0 0" rgba=".2 .5 .8 1"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <body name="hand" pos=".3 0 0">
        <joint name="elbow" axis="0 1 0" stiffness="2"/>
        <geom type="box" size=".1 .03 .03" pos=".1 0 0" rgba="1 0 0 1"/>
        <site name="grip" pos=".2 0 -.3"/>
      </body>
    </body>
    <body name="ball" pos=".3 .6 1"><freejoint/><geom type="ellipsoid" size=".1 .06 .04" rgba=".8 .3 .3 .6"/></body>
  </worldbody>
  <tendon>
    <spatial name="string" rgba=".9 .2 .2 1" width=".01"><site site="anchor"/><geom geom="pulley"/><site site="grip"/></spatial>
  </tendon>
  <actuator><motor name="pull" tendon="string" ctrlrange="-1 0"/><motor name="turn" joint="shoulder" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name="angle" joint="shoulder"/><framepos name="place" objtype="body" objname="hand"/><tendonpos name="length" tendon="string"/></sensor>
</mujoco>
"""
"""Every kind of thing that the viewer draws beside meshes."""


def model(file, worlds: int, device="cpu"):
    """Copies of a packaged model, a file, or MJCF text."""
    robot, scene = ModelBuilder(), ModelBuilder()
    SolverMuJoCo.register_custom_attributes(robot)
    if str(file).lstrip().startswith("<"):
        robot.add_mjcf(file, ctrl_direct=True)
    else:
        add_file(robot, file if Path(file).is_file() else models.path(file), ctrl_direct=True)
    scene.replicate(robot, worlds)
    return scene.finalize(device=device)


def session(file, worlds: int, paused: bool = True, **options) -> Session:
    """A simulation of such a model."""
    made = model(file, worlds)
    solver = SolverMuJoCo(made)
    return Session(
        made, solver, timestep=float(solver.groups[0].mj_model.opt.timestep), clock=Clock(paused=paused), **options
    )
