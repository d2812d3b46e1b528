"""Lockstep of scenes in which things touch: 500 steps of SolverMuJoCo beside MuJoCo C. Writes docs/lockstep_contacts.md.

    python -m conformance lockstep_contacts [--steps 500] [--worlds 2] [--only humanoid]

See ``lockstep``.
"""

from functools import partial

from conformance.collection.models import named
from conformance.collection.places import ROOT
from conformance.lockstep import judge, line, page
from conformance.sweep import FAULT, Sweep

MODELS = """
    mjwarp_bench/humanoid/humanoid.xml mjwarp_bench/humanoid/three_humanoids.xml mjwarp_bench/unitree_g1/scene_flat.xml
    mjwarp_bench/unitree_g1/scene_hfield.xml mjwarp_bench/aloha/scene_pot.xml mjwarp_test/collision.xml mjwarp_test/constraints.xml
    mujoco_mjx/barkour_v0/assets/barkour_v0_mjx.xml mujoco_mjx/constraints.xml mujoco_mjx/convex.xml mujoco_mjx/humanoid/03_humanoids.xml
    mujoco_mjx/shadow_hand/scene_right.xml mujoco_model/car/car.xml mujoco_model/replicate/helix.xml
    mujoco_test/engine/collision_convex/box_boxmesh.xml mujoco_test/engine/collision_convex/capsule_mesh.xml
    mujoco_test/engine/collision_convex/cylinder_box.xml mujoco_test/engine/collision_convex/edge_edge.xml
    mujoco_test/engine/collision_convex/long_box.xml mujoco_test/engine/collision_convex/multiple_objects.xml
    mujoco_test/engine/collision_convex/stacked_boxes.xml mujoco_test/engine/collision_driver/humanoid.xml
    mujoco_test/engine/island/island_efc.xml mujoco_test/engine/sensor/contact_net.xml newton/constraints.xml newton/nv_humanoid.xml
    so101/scene.xml unitree_g1/g1_29dof_rev_1_0.xml unitree_g1/g1_29dof_with_hand_rev_1_0.xml unitree_go1_mjlab/go1.xml
    unitree_h1/mjcf/h1.xml unitree_h1/mjcf/h1_with_hand.xml
""".split()

SWEEP = Sweep(
    __name__,
    ROOT / "docs" / "lockstep_contacts.md",
    lambda **options: named(MODELS),
    judge,
    partial(page, command="python -m conformance lockstep_contacts"),
    line,
    options={"steps": 500, "worlds": 2},
    fails=(FAULT,),
)
