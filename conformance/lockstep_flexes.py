"""Lockstep of soft bodies: 200 steps of SolverMuJoCo beside MuJoCo C. Writes docs/lockstep_flexes.md.

    python -m conformance lockstep_flexes [--steps 200] [--worlds 2] [--only cloth]

See ``lockstep``.
"""

from functools import partial

from conformance.collection.models import named
from conformance.collection.places import ROOT
from conformance.lockstep import judge, line, page
from conformance.sweep import FAULT, Sweep

MODELS = """
    mujoco_model/flex/gripper_trilinear.xml mujoco_model/flex/flag.xml mujoco_model/flex/softbox.xml mujoco_model/flex/sphere_radial.xml
    mujoco_model/flex/gripper_2d.xml mujoco_model/flex/sphere_trilinear.xml mujoco_model/flex/quadratic.xml mujoco_model/flex/pinch.xml
    mujoco_model/flex/pulley.xml mjwarp_test/flex/rope.xml mjwarp_test/flex/moving_base_strain.xml mujoco_test/common/flex.xml
    mujoco_model/hammock/hammock.xml mujoco_test/common/hammock.xml mujoco_test/engine/hammock/hammock.xml mjwarp_test/flex/floppy.xml
    mujoco_test/user/rigid_flex.xml mujoco_test/user/cube_22_ascii_vol_gmshApp.xml mujoco_test/user/textured_torus_flex.xml
    mujoco_model/flex/bunny.xml mujoco_model/flex/bunny_multicell.xml mujoco_model/flex/cloth_sdf.xml mujoco_model/flex/hollow_vs_solid.xml
    mujoco_model/flex/strain.xml mujoco_model/flex/sphere_full.xml mjwarp_test/flex/multiflex.xml mjwarp_bench/cloth/scene.xml
    mujoco_model/flex/gripper.xml mujoco_model/flex/trilinear.xml
""".split()

SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "lockstep_flexes.md",
    lambda **options: named(MODELS),
    judge,
    partial(page, command="python -m conformance lockstep_flexes"),
    line,
    options={"steps": 200, "worlds": 2},
    fails=(FAULT,),
)
